library(rpkg)
testthat::local_edition(3)

shift_of_seed <- as.numeric(Sys.getenv("STATSCLAW_SEED", "0"))

drawn <- function(seed, times = 1) {
  set.seed((seed + shift_of_seed) %% .Machine$integer.max)
  times * rnorm(30)
}

expected <- function(x, level = 0.95) {
  half <- qnorm((1 + level) / 2) * sd(x) / sqrt(length(x))
  c(mean(x), sd(x) / sqrt(length(x)), mean(x) - half, mean(x) + half)
}

test_that("S1: the mean of drawn numbers", {
  x <- drawn(11)
  criterion("C1")$close(plain_mean(x), mean(x))
})

test_that("S2: standard error and limits of drawn numbers", {
  x <- drawn(12, 5)
  found <- mean_interval(x)
  criterion("C2")$close(c(found$mean, found$se, found$low, found$high), expected(x))
})

test_that("S3: a shift leaves the standard error", {
  x <- drawn(12, 5)
  criterion("C3")$close(mean_interval(x + 1000)$se, mean_interval(x)$se)
})

test_that("S4: an empty vector is refused", {
  criterion("C4")$raises(function() plain_mean(numeric(0)))
})

test_that("S5: one number is refused", {
  criterion("C5")$raises(function() mean_interval(1))
})

test_that("S6: the interval is a list with its four fields", {
  criterion("C6")$holds(identical(names(mean_interval(c(1, 2, 4))), c("mean", "se", "low", "high")))
})

x <- c(9.8, 11.2, 10.5, 12.1, 9.4)
y <- c(5.1, 4.6, 5.5, 4.9, 5.2, 4.8, 5.3)

test_that("independent samples", {
  for (method in c("fieller", "delta")) {
    z <- ratio_means(x, y, level = 0.9, method = method)
    a <- sum(x) / 5
    b <- sum(y) / 7
    vaa <- sum((x - a)^2) / 4 / 5
    vbb <- sum((y - b)^2) / 6 / 7
    r <- a / b
    df <- (vaa + r^2 * vbb)^2 / (vaa^2 / 4 + r^4 * vbb^2 / 6)
    expect_equal(z$df, df, tolerance = 1e-13)
    expect_equal(z[c("a", "b", "vaa", "vbb", "vab")],
                 list(a = a, b = b, vaa = vaa, vbb = vbb, vab = 0),
                 tolerance = 1e-13, ignore_attr = TRUE)
    expect_equal(unclass(z),
                 unclass(ratio_ci(a, b, vaa, vbb, 0, df, 0.9, method)),
                 tolerance = 1e-12)
  }
})

test_that("degrees of freedom agree with Welch's test at ratio one", {
  z <- ratio_means(x, y + mean(x) - mean(y))
  expect_equal(z$estimate, 1)
  expect_equal(z$df, unname(t.test(x, y)$parameter))
})

test_that("the set inverts Welch's test with the degrees of freedom fixed", {
  z <- ratio_means(x, y)
  for (rho0 in z$limits) {
    statistic <- unname(t.test(x, rho0 * y)$statistic)
    expect_equal(abs(statistic), qt(0.975, z$df))
  }
})

test_that("degrees of freedom stay in their bounds", {
  set.seed(3)
  for (i in 1:50) {
    m <- sample(2:6, 1)
    n <- sample(2:6, 1)
    z <- ratio_means(rnorm(m, 5, 10^runif(1, -4, 4)),
                     rnorm(n, 5, 10^runif(1, -4, 4)))
    expect_gte(z$df, min(m, n) - 1)
    expect_lte(z$df, m + n - 2)
  }
  # bounds attained
  expect_identical(ratio_means(c(2, 4, 6), c(1, 1))$df, 2)
  expect_identical(ratio_means(c(2, 2), c(1, 2, 3, 4))$df, 3)
  expect_equal(ratio_means(c(1, 2, 3), c(3, 2, 1))$df, 4)
})

test_that("paired samples", {
  before <- c(5.1, 4.6, 5.5, 4.9, 5.2)
  z <- ratio_means(x, before, paired = TRUE)
  expect_identical(z$df, 4)
  expect_equal(z$vab, cov(x, before) / 5)
  expect_equal(z$vaa, var(x) / 5)
  expect_equal(z$vbb, var(before) / 5)
  # the set inverts the t-test of x - rho0 y
  for (rho0 in z$limits) {
    p <- t.test(x - rho0 * before)$p.value
    expect_equal(p, 0.05)
  }
})

test_that("constant samples", {
  z <- ratio_means(rep(0.1, 3), c(1, 2, 3))
  expect_identical(z$vaa, 0)
  expect_identical(z$df, 2)
  z <- ratio_means(c(1, 2, 3), rep(0.1, 7))
  expect_identical(z$vbb, 0)
  expect_identical(z$g, 0)
  z <- ratio_means(c(1, 2, 3), rep(0.1, 3), paired = TRUE)
  expect_identical(z$vab, 0)
  expect_identical(z$type, "interval")
  for (paired in c(TRUE, FALSE)) {
    expect_error(ratio_means(c(0.1, 0.1), c(0.3, 0.3), paired), "no variance")
    expect_error(ratio_means(c(0, 0), c(1, 2), paired), "no variance")
  }
  expect_silent(ratio_means(c(-1, 1), c(1, 2)))
})

test_that("proportional pairs have no variance, independent ones have", {
  w <- c(0.3, 1.7, 2.9, 4.4)
  for (s in c(3, -0.1, 1e-8, 1e8)) {
    expect_error(ratio_means(s * w, w, paired = TRUE), "no variance")
    expect_s3_class(ratio_means(s * w, w), "ratioci")
  }
})

test_that("integers, names and arguments", {
  expect_identical(ratio_means(1:5, c(a = 2L, b = 3L)),
                   ratio_means(as.numeric(1:5), c(2, 3)))
  u <- c(a = 1, b = 2)
  ratio_means(u, y)
  expect_identical(u, c(a = 1, b = 2))
})

test_that("errors and their order", {
  for (v in list(NULL, TRUE, "1", factor(1:2), matrix(1:4, 2), list(1, 2),
                 array(1:2), data.frame(a = 1:2))) {
    expect_error(ratio_means(v, "y"), "^'x' must be a numeric vector")
    expect_error(ratio_means(c(NA, 1), v), "^'y' must be a numeric vector")
  }
  for (v in c(NA, NaN, Inf, -Inf)) {
    expect_error(ratio_means(c(v, 1), c(NA, 1)),
                 "^'x' .*missing or non-finite values")
    expect_error(ratio_means(1, c(v, 1), paired = NA),
                 "^'y' .*missing or non-finite values")
  }
  for (v in list(NULL, NA, 1, "TRUE", c(TRUE, FALSE))) {
    expect_error(ratio_means(1, 1, paired = v),
                 "^'paired' must be TRUE or FALSE")
  }
  expect_error(ratio_means(numeric(), 1), "^'x' .*at least two observations")
  expect_error(ratio_means(1:2, 1, TRUE), "^'y' .*at least two observations")
  expect_error(ratio_means(1:2, 1:3, TRUE, level = 2), "same length")
  expect_error(ratio_means(1:2, c(-1, 1), level = 2, method = "x"), "^'level'")
  expect_error(ratio_means(1:2, c(-1, 1), method = "x"), "^'method' must be")
  expect_error(ratio_means(c(0, 0), c(-1, 1)), "the denominator is zero")
  expect_error(ratio_means(c(1e200, 2e200), 1:2), "not finite")
})

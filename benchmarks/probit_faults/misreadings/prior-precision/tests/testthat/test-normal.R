test_that("safe_log_Phi and safe_Phi agree with pnorm and known values", {
  x <- c(-1e5, -40, -8, -1, 0, 1, 8, 40)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  expect_equal(safe_log_Phi(0), -log(2))
  # log Phi(-40) from the asymptotic series
  w <- 1 / 1600
  ref <- -800 - 0.5 * log(2 * pi) - log(40) + log(1 - w + 3 * w^2 - 15 * w^3)
  expect_equal(safe_log_Phi(-40), ref, tolerance = 1e-12)
  expect_lt(safe_log_Phi(10), 0)
})

test_that("special values, types and errors of the normal functions", {
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, Inf)), c(0, 1))
  expect_true(all(is.na(safe_Phi(c(NA_real_, NaN)))))
  expect_false(any(is.nan(safe_log_Phi(c(NA_real_, NaN)))))
  expect_identical(safe_log_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(numeric(0)), numeric(0))
  expect_equal(safe_Phi(1L), pnorm(1))
  expect_error(safe_log_Phi("a"), "x must be numeric")
  expect_error(safe_Phi(TRUE), "x must be numeric")
})

test_that("rtruncnorm is formula (8) at the uniform numbers of R", {
  cases <- list(c(0, -1, 2), c(0.5, 0, Inf), c(-0.5, -Inf, 0), c(2, -Inf, Inf),
                c(-3, 0, 1), c(3, -1, 0.5), c(0, -6, 7))
  for (p in cases) {
    set.seed(11); u <- runif(200)
    set.seed(11); x <- rtruncnorm(rep(p[1], 200), p[2], p[3])
    Fa <- pnorm(p[2] - p[1]); Fb <- pnorm(p[3] - p[1])
    expect_equal(x, p[1] + qnorm(Fa + u * (Fb - Fa)), tolerance = 1e-7)
    expect_false(is.unsorted(x[order(u)]))
  }
  set.seed(11); invisible(rtruncnorm(rep(0, 7), 0, 1)); a <- runif(1)
  set.seed(11); b <- runif(8)[8]
  expect_identical(a, b)
})

test_that("rtruncnorm satisfies the defining equation far in the tail", {
  for (mu in c(-20, -29.9, -30.1, -50, -300)) {
    set.seed(3); u <- runif(300)
    set.seed(3); x <- rtruncnorm(rep(mu, 300), 0, Inf)
    got <- pnorm(x - mu, lower.tail = FALSE, log.p = TRUE) -
      pnorm(-mu, lower.tail = FALSE, log.p = TRUE)
    expect_lt(max(abs(got - log1p(-u))), 1e-10)
    # mirror image: the same draw with u replaced by 1 - u
    set.seed(3); z <- rtruncnorm(rep(-mu, 300), -Inf, 0)
    got <- pnorm(z + mu, log.p = TRUE) - pnorm(mu, log.p = TRUE)
    expect_lt(max(abs(got - log(u))), 1e-10)
  }
  # exponential limit, where differences of log tails have lost all digits
  set.seed(3); u <- runif(300)
  set.seed(3); x <- rtruncnorm(rep(-1e9, 300), 0, Inf)
  expect_equal(x * 1e9, -log1p(-u), tolerance = 1e-12)
  # uniform limit for a narrow interval in the tail
  set.seed(3); x <- rtruncnorm(rep(0, 300), 100, 100 + 1e-7)
  expect_lt(max(abs((x - 100) / 1e-7 - u)), 1e-5)
  # finite interval in the tail
  set.seed(3); x <- rtruncnorm(rep(0, 300), 40, 40.05)
  S <- function(t) exp(pnorm(t, lower.tail = FALSE, log.p = TRUE) -
                         pnorm(40, lower.tail = FALSE, log.p = TRUE))
  expect_equal(S(x), 1 - u + u * S(40.05), tolerance = 1e-10)
})

test_that("rtruncnorm stays finite and within the limits", {
  set.seed(4)
  g <- expand.grid(mu = c(-1e308, -1e20, -40, 0, 40, 1e20, 1e308),
                   lo = c(-Inf, -1e300, -50, 0, 1e10),
                   hi = c(-1e200, -49, 1e-300, 2e10, 1e308, Inf))
  g <- g[g$lo < g$hi, ]
  for (r in 1:20) {
    x <- rtruncnorm(g$mu, g$lo, g$hi)
    expect_true(all(is.finite(x) & x >= g$lo & x <= g$hi))
  }
})

test_that("rtruncnorm recycles and checks", {
  expect_length(rtruncnorm(0, c(-1, 0, 1), 5), 3)
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(c(1, 2), numeric(0), 1), numeric(0))
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, 0, TRUE), "must be numeric")
  expect_error(rtruncnorm(c(0, 0), c(0, 0, 0), 1), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NA_real_, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NaN), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, Inf, Inf), "lo must be below hi")
})

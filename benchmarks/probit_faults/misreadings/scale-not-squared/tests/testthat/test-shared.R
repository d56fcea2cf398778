test_that("log Phi and Phi agree with pnorm and with known tails", {
  x <- c(-1e5, -100, -38, -5, -1, 0, 1, 5, 40)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  # Mills series at t = 1000, independent of pnorm
  t <- 1000
  expect_equal(safe_log_Phi(-t), -t^2 / 2 - log(t) - log(2 * pi) / 2 +
                 log1p(-1 / t^2 + 3 / t^4), tolerance = 1e-14)
  # upper tail keeps its relative accuracy
  expect_equal(safe_log_Phi(9), -pnorm(9, lower.tail = FALSE), tolerance = 1e-12)
})

test_that("special values", {
  expect_identical(safe_log_Phi(c(NA, NaN, -Inf, Inf)), c(NA, NA, -Inf, 0))
  expect_identical(safe_Phi(c(NA, NaN, -Inf, Inf)), c(NA, NA, 0, 1))
  expect_identical(safe_log_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(integer(0)), numeric(0))
  expect_error(safe_log_Phi("a"), "x must be numeric")
  expect_error(safe_Phi(TRUE), "x must be numeric")
})

test_that("rtruncnorm is formula (8) at one uniform number per element", {
  mu <- c(-2, 0, 1.5, 3, 0.2, -1)
  lo <- c(-1, -Inf, 0, -Inf, -Inf, -3)
  hi <- c(2, 0, Inf, 1, Inf, -0.5)
  set.seed(11); u <- runif(6); after <- runif(1)
  set.seed(11); x <- rtruncnorm(mu, lo, hi)
  expect_identical(runif(1), after)
  Fa <- pnorm(lo - mu); Fb <- pnorm(hi - mu)
  expect_equal(x, mu + qnorm(Fa + u * (Fb - Fa)), tolerance = 1e-9)
})

test_that("far tails: exponential limit, finite and within the limits", {
  for (a in c(10, 40, 1000, 1e4)) {
    set.seed(3); u <- runif(2000)
    set.seed(3); x <- rtruncnorm(0, rep(a, 2000), Inf)
    expect_true(all(is.finite(x)) && all(x >= a))
    # log S(x) - log S(a) = log(1 - u)
    expect_equal(pnorm(x, lower.tail = FALSE, log.p = TRUE) -
                   pnorm(a, lower.tail = FALSE, log.p = TRUE), log1p(-u), tolerance = 1e-5)
    set.seed(3); v <- rtruncnorm(0, -Inf, rep(-a, 2000))
    expect_true(all(is.finite(v)) && all(v <= -a))
    expect_equal(pnorm(v, log.p = TRUE) - pnorm(-a, log.p = TRUE), log(u), tolerance = 1e-5)
    o <- order(u)
    expect_false(is.unsorted(x[o])); expect_false(is.unsorted(v[o]))
  }
  for (m in c(1e6, 1e10, 1e100, 1e200, 1e308)) {
    x <- rtruncnorm(c(-m, m, -m, m, m), c(0, -Inf, 1, -2, 0), c(Inf, 0, 2, -1, Inf))
    expect_true(all(is.finite(x)))
    expect_true(all(x >= c(0, -Inf, 1, -2, 0) & x <= c(Inf, 0, 2, -1, Inf)))
  }
})

test_that("moments of the half normal and of a narrow interval", {
  set.seed(5)
  x <- rtruncnorm(rep(0, 20000), 0, Inf)
  expect_lt(abs(mean(x) - sqrt(2 / pi)), 5 * sqrt((1 - 2 / pi) / 20000))
  x <- rtruncnorm(0, 1, rep(1 + 1e-14, 50))
  expect_true(all(x >= 1 & x <= 1 + 1e-14))
})

test_that("rtruncnorm: recycling, zero length and errors", {
  expect_length(rtruncnorm(0, 0, c(1, 2, 3)), 3)
  expect_identical(rtruncnorm(numeric(0), c(1, 2), 3), numeric(0))
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(1:2, 1:3, 9), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NA_real_, 1), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, Inf, Inf), "lo must be below hi")
})

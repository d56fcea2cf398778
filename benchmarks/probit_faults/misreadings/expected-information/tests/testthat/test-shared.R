test_that("log Phi and Phi agree with known values and are exact in the tail", {
  x <- c(-38, -5, -1, 0, 1, 5, 38)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  # integral representation of the Mills ratio, far in the tail
  for (t in c(50, 1000)) {
    mills <- integrate(function(s) exp(-s - s^2 / (2 * t^2)), 0, Inf,
                       rel.tol = 1e-12)$value / t
    expect_equal(safe_log_Phi(-t), dnorm(t, log = TRUE) + log(mills),
                 tolerance = 1e-13)
  }
})

test_that("special values of log Phi and Phi", {
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, Inf)), c(0, 1))
  expect_identical(safe_Phi(c(NA, NaN, 0)), c(NA, NA, 0.5))
  r <- safe_log_Phi(c(NA, NaN))
  expect_true(all(is.na(r)) && !any(is.nan(r)))
  expect_identical(safe_log_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(0L), 0.5)
  expect_error(safe_log_Phi("a"), "x must be numeric")
  expect_error(safe_Phi(TRUE), "x must be numeric")
})

test_that("rtruncnorm is formula (8) at the uniform numbers of R", {
  mu <- c(0, 1, -2, 0.5, 3, 0, -1); lo <- c(-1, -Inf, 0, -0.2, -Inf, -Inf, -6)
  hi <- c(2, 0, Inf, 0.1, 1, Inf, 4)
  set.seed(3); x <- rtruncnorm(mu, lo, hi)
  set.seed(3); u <- runif(7)
  z <- qnorm((1 - u) * pnorm(lo - mu) + u * pnorm(hi - mu))
  expect_equal(x, mu + z, tolerance = 1e-12)
  set.seed(3); rtruncnorm(mu, lo, hi); a <- runif(1)
  set.seed(3); runif(7); expect_identical(a, runif(1))
})

test_that("rtruncnorm satisfies its tail equation on both sides of the switch", {
  for (a in c(5, 25, 29.9, 30.1, 33, 36)) for (w in c(0.001, 0.5, Inf)) {
    n <- 50
    set.seed(8); up <- rtruncnorm(0, a, a + w)
    set.seed(8); u <- runif(1)
    S <- function(t) pnorm(t, lower.tail = FALSE)
    expect_equal(S(up), (1 - u) * S(a) + u * S(a + w), tolerance = 1e-11)
    set.seed(8); dn <- rtruncnorm(0, -a - w, -a)
    expect_equal(pnorm(dn), (1 - u) * pnorm(-a - w) + u * pnorm(-a), tolerance = 1e-11)
  }
})

test_that("the far tail is exponential, increasing in u, finite and inside", {
  n <- 2000
  set.seed(4); u <- runif(n); o <- order(u)
  for (a in c(1e3, 1e5, 1e10)) {
    set.seed(4); x <- rtruncnorm(rep(-a, n), 0, Inf)
    expect_equal(x * a, -log1p(-u), tolerance = 30 / a^2 + 1e-12)
    expect_false(is.unsorted(x[o], strictly = TRUE))
    set.seed(4); x <- rtruncnorm(rep(a, n), -Inf, 0)
    expect_equal(-x * a, -log(u), tolerance = 30 / a^2 + 1e-12)
    expect_false(is.unsorted(x[o], strictly = TRUE))
  }
  for (a in c(2, 29.999, 30, 40)) {
    set.seed(4); x <- rtruncnorm(numeric(n), a, a + 0.2)
    expect_false(is.unsorted(x[o]))
    expect_true(all(x >= a & x <= a + 0.2))
  }
  m <- c(-1e300, 1e300, -1.7e308, 1.7e308, 0, 0)
  l <- c(0, -Inf, 1e308, -1.7e308, 1e200, -1e308)
  h <- c(Inf, 0, Inf, -1e308, 1.1e200, -0.9e308)
  x <- rtruncnorm(m, l, h)
  expect_true(all(is.finite(x) & x >= l & x <= h))
})

test_that("rtruncnorm has the moments of the truncated normal", {
  set.seed(5); x <- rtruncnorm(rep(0.4, 40000), -0.5, 1)
  f <- function(t) dnorm(t, 0.4) / (pnorm(1, 0.4) - pnorm(-0.5, 0.4))
  m <- integrate(function(t) t * f(t), -0.5, 1)$value
  v <- integrate(function(t) (t - m)^2 * f(t), -0.5, 1)$value
  expect_lt(abs(mean(x) - m), 4 * sqrt(v / 40000))
  expect_equal(var(x), v, tolerance = 0.03)
})

test_that("rtruncnorm: recycling, empty input and errors", {
  expect_length(rtruncnorm(0, c(0, 1, 2), 5), 3)
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(1:3, numeric(0), c(1, 2)), numeric(0))
  expect_error(rtruncnorm("0", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, 0, NULL), "must be numeric")
  expect_error(rtruncnorm(c(0, 0, 0), c(0, 1), 2), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NaN, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NA_real_), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, Inf, Inf), "lo must be below hi")
})

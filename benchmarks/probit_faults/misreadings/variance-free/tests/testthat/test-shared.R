test_that("safe_log_Phi and safe_Phi equal known values and keep limits", {
  x <- c(-40, -8, -1, 0, 1, 8)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  # asymptotic series, independent of pnorm
  t <- 200
  ref <- -t^2 / 2 - log(t) - 0.5 * log(2 * pi) + log1p(-1 / t^2 + 3 / t^4)
  expect_equal(safe_log_Phi(-t), ref, tolerance = 1e-13)
  expect_lt(safe_log_Phi(10), 0)
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, Inf)), c(0, 1))
  expect_identical(safe_log_Phi(c(NA, NaN, 0)), c(NA, NA, log(0.5)))
  expect_identical(safe_Phi(c(a = NaN)), NA_real_)
  expect_identical(safe_Phi(numeric(0)), numeric(0))
  expect_identical(safe_log_Phi(integer(0)), numeric(0))
  for (bad in list("1", TRUE, NULL, factor(1))) {
    expect_error(safe_log_Phi(bad), "x must be numeric")
    expect_error(safe_Phi(bad), "x must be numeric")
  }
})

test_that("rtruncnorm is the inversion formula at the same uniforms", {
  n <- 200
  mu <- seq(-3, 3, length.out = n)
  for (lim in list(c(0, Inf), c(-Inf, 0), c(-1, 2), c(-Inf, Inf), c(0.5, 0.6))) {
    set.seed(4)
    u <- runif(n)
    set.seed(4)
    x <- rtruncnorm(mu, lim[1], lim[2])
    a <- pnorm(lim[1] - mu)
    b <- pnorm(lim[2] - mu)
    expect_equal(x, mu + qnorm(a + u * (b - a)), tolerance = 1e-8)
    expect_true(all(x >= lim[1] & x <= lim[2]))
    # the state afterwards is that of n uniforms
    s <- runif(1)
    set.seed(4)
    expect_identical(s, runif(n + 1)[n + 1])
  }
})

test_that("rtruncnorm solves the formula far in the tails", {
  set.seed(5)
  u <- runif(50)
  for (a in c(29.9, 30.1, 37, 100, 1000)) {
    set.seed(5)
    x <- rtruncnorm(rep(0, 50), a, Inf)
    lhs <- pnorm(x, lower.tail = FALSE, log.p = TRUE) -
      pnorm(a, lower.tail = FALSE, log.p = TRUE)
    expect_equal(lhs, log1p(-u), tolerance = 1e-6)
    expect_identical(order(x), order(u))
    set.seed(5)
    y <- rtruncnorm(rep(0, 50), -Inf, -a)
    lhs <- pnorm(y, log.p = TRUE) - pnorm(-a, log.p = TRUE)
    expect_equal(lhs, log(u), tolerance = 1e-6)
    # a bounded interval: nearly exponential with rate a over one unit / a
    set.seed(5)
    w <- rtruncnorm(rep(-a, 50), 0, 1 / a)
    S <- function(t) exp(pnorm(a + t, lower.tail = FALSE, log.p = TRUE) -
                           pnorm(a, lower.tail = FALSE, log.p = TRUE))
    expect_equal(S(w), (1 - u) + u * S(1 / a), tolerance = 1e-7)
  }
  # excess over the limit is exponential with rate |mu|, to full precision
  set.seed(5)
  expect_equal(rtruncnorm(rep(-1e10, 50), 0, Inf), -log1p(-u) / 1e10,
               tolerance = 1e-12)
})

test_that("rtruncnorm stays finite and inside for extreme arguments", {
  mu <- c(-1e308, 1e308, -1e308, 0, 0, 1e300, 5)
  lo <- c(1e308, -Inf, 0, 1e5, -1e200, -1, -Inf)
  hi <- c(Inf, -1e308, Inf, 1e5 + 1e-9, -1e199, 1, Inf)
  for (s in 1:20) {
    set.seed(s)
    x <- rtruncnorm(mu, lo, hi)
    expect_true(all(is.finite(x) & x >= lo & x <= hi))
  }
})

test_that("rtruncnorm has the moments of the truncated normal", {
  set.seed(6)
  x <- rtruncnorm(rep(0.5, 4e4), -1, 1)
  a <- -1.5
  b <- 0.5
  Z <- pnorm(b) - pnorm(a)
  m <- 0.5 + (dnorm(a) - dnorm(b)) / Z
  v <- 1 + (a * dnorm(a) - b * dnorm(b)) / Z - ((dnorm(a) - dnorm(b)) / Z)^2
  expect_lt(abs(mean(x) - m), 5 * sqrt(v / 4e4))
  expect_equal(var(x), v, tolerance = 0.03)
})

test_that("rtruncnorm checks its arguments", {
  expect_error(rtruncnorm("0", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, TRUE, 1), "must be numeric")
  expect_error(rtruncnorm(0, 0, NULL), "must be numeric")
  expect_error(rtruncnorm(1:3, 0, 4:5), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NA_real_, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NaN), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, Inf, Inf), "lo must be below hi")
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(1:3, 0, numeric(0)), numeric(0))
  expect_length(rtruncnorm(0, c(-1, 0, 1), Inf), 3L)
})

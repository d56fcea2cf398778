test_that("log Phi agrees with the asymptotic series and the limits", {
  x <- c(-5, -1, 0, 1, 5)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  t <- c(50, 1e3, 1e5)
  series <- -t^2 / 2 - log(t) - 0.5 * log(2 * pi) + log1p(-1 / t^2 + 3 / t^4)
  expect_equal(safe_log_Phi(-t), series, tolerance = 1e-12)
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, 0, Inf)), c(0, 0.5, 1))
  expect_equal(safe_log_Phi(9), -pnorm(9, lower.tail = FALSE), tolerance = 1e-12)
  expect_gt(safe_Phi(-38), 0)
})

test_that("missing, empty and wrong input of Phi", {
  for (f in list(safe_log_Phi, safe_Phi)) {
    expect_identical(f(c(NA, NaN, NA_real_)), rep(NA_real_, 3))
    expect_identical(f(numeric(0)), numeric(0))
    expect_identical(f(0L), f(0))
    expect_error(f("a"), "x must be numeric")
    expect_error(f(TRUE), "x must be numeric")
    expect_error(f(factor(1)), "x must be numeric")
    expect_null(names(f(c(a = 1))))
  }
})

test_that("rtruncnorm is formula (8) at the uniform numbers of the generator", {
  n <- 500
  mu <- seq(-2, 2, length.out = n)
  for (lim in list(c(0, Inf), c(-Inf, 0), c(-1, 2), c(-Inf, Inf), c(-3, -1))) {
    set.seed(11)
    u <- runif(n)
    set.seed(11)
    x <- rtruncnorm(mu, lim[1], lim[2])
    Fa <- pnorm(lim[1] - mu)
    Fb <- pnorm(lim[2] - mu)
    expect_equal(x, mu + qnorm(Fa + u * (Fb - Fa)), tolerance = 1e-9)
    after <- runif(1)
    set.seed(11)
    expect_identical(runif(n + 1)[n + 1], after)
  }
})

test_that("far tail draws solve the log tail equation", {
  for (m in c(10, 40, 200, 5000)) {
    set.seed(2)
    u <- runif(200)
    set.seed(2)
    x <- rtruncnorm(rep(-m, 200), 0, Inf)
    expect_true(all(is.finite(x) & x >= 0))
    # log S(m + x) - log S(m) = log(1 - u)
    lhs <- pnorm(m + x, lower.tail = FALSE, log.p = TRUE) -
      pnorm(m, lower.tail = FALSE, log.p = TRUE)
    expect_equal(lhs, log1p(-u), tolerance = 1e-6)
    # increasing in u
    expect_false(is.unsorted(x[order(u)]))
    # mirrored: 1 - u takes the place of u
    set.seed(2)
    y <- rtruncnorm(rep(m, 200), -Inf, 0)
    lhs <- pnorm(y - m, log.p = TRUE) - pnorm(-m, log.p = TRUE)
    expect_equal(lhs, log(u), tolerance = 1e-6)
  }
})

test_that("draws stay finite and inside at any distance", {
  set.seed(3)
  for (m in c(1e6, 1e10, 1e100, 1e160, 1e300, 1.7e308)) {
    for (s in c(-1, 1)) {
      x <- rtruncnorm(s * m, c(0, -1, 1, -Inf, 0), c(Inf, 1, 1 + 1e-10, 0, 1e-300))
      expect_true(all(is.finite(x)))
      expect_true(all(x >= c(0, -1, 1, -Inf, 0)))
      expect_true(all(x <= c(Inf, 1, 1 + 1e-10, 0, 1e-300)))
    }
  }
})

test_that("moments of truncated draws", {
  set.seed(4)
  x <- rtruncnorm(rep(0.5, 2e4), -1, 1.2)
  a <- -1.5
  b <- 0.7
  m <- 0.5 + (dnorm(a) - dnorm(b)) / (pnorm(b) - pnorm(a))
  expect_lt(abs(mean(x) - m), 4 * sd(x) / sqrt(2e4))
})

test_that("recycling and errors of rtruncnorm", {
  expect_length(rtruncnorm(1:3, 0, Inf), 3)
  expect_length(rtruncnorm(0, c(0, 1), Inf), 2)
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(1:3, 0, numeric(0)), numeric(0))
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, TRUE, 1), "must be numeric")
  expect_error(rtruncnorm(1:2, 1:3, 9), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NA_real_, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NaN), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, 2, 1), "lo must be below hi")
})

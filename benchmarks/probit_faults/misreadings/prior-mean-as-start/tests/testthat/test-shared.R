test_that("log Phi and Phi agree with pnorm and the tail expansion", {
  x <- c(-1000, -40, -5, -1e-3, 0, 2, 9, 40)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  t <- 1e4
  expect_equal(safe_log_Phi(-t), -t^2 / 2 - log(t) - log(2 * pi) / 2 + log1p(-1 / t^2),
               tolerance = 1e-14)
  expect_equal(safe_log_Phi(10), -pnorm(10, lower.tail = FALSE), tolerance = 1e-12)
})

test_that("missing, infinite and empty arguments", {
  x <- c(NA, NaN, -Inf, Inf)
  expect_identical(safe_log_Phi(x), c(NA, NA, -Inf, 0))
  expect_identical(safe_Phi(x), c(NA, NA, 0, 1))
  expect_false(any(is.nan(safe_Phi(x))))
  expect_identical(safe_log_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(0L), 0.5)
  expect_error(safe_log_Phi("1"), "x must be numeric")
  expect_error(safe_Phi(TRUE), "x must be numeric")
})

test_that("rtruncnorm is formula (8) at one uniform per element, in order", {
  n <- 500
  set.seed(3)
  mu <- rnorm(n); lo <- mu + rnorm(n); hi <- lo + rexp(n)
  lo[1:50] <- -Inf; hi[51:100] <- Inf; lo[101:120] <- -Inf; hi[101:120] <- Inf
  set.seed(11); u <- runif(n); after <- runif(1)
  set.seed(11); x <- rtruncnorm(mu, lo, hi)
  expect_identical(runif(1), after)
  a <- pnorm(lo - mu); b <- pnorm(hi - mu)
  expect_equal(x, mu + qnorm(a + u * (b - a)), tolerance = 1e-9)
})

test_that("the distribution function of tail draws gives the uniforms back", {
  for (m in c(5, 20, 36, 60, 300, 3000)) {
    set.seed(5); u <- runif(200)
    set.seed(5); x <- rtruncnorm(-m, 0, Inf)
    set.seed(5); x <- rtruncnorm(rep(-m, 200), 0, Inf)
    back <- -expm1(pnorm(x + m, lower.tail = FALSE, log.p = TRUE) -
                     pnorm(m, lower.tail = FALSE, log.p = TRUE))
    expect_equal(back, u, tolerance = 1e-7)
    # mirror image
    set.seed(5); xl <- rtruncnorm(rep(m, 200), -Inf, 0)
    lower <- exp(pnorm(xl - m, log.p = TRUE) - pnorm(-m, log.p = TRUE))
    expect_equal(lower, u, tolerance = 1e-7)
  }
})

test_that("very far tails are exponential at the limit", {
  for (m in c(1e5, 1e8, 1e12)) {
    set.seed(6); u <- runif(100)
    set.seed(6); x <- rtruncnorm(rep(-m, 100), 0, Inf)
    expect_equal(x * m, -log1p(-u), tolerance = 1e-8)
    set.seed(6); x <- rtruncnorm(rep(m, 100), -Inf, 0)
    expect_equal(x * m, log(u), tolerance = 1e-8)
    set.seed(6); x <- rtruncnorm(rep(-m, 100), 0, 1 / m)
    expect_equal(x * m, -log1p(-u * (1 - exp(-1))), tolerance = 1e-8)
  }
  # the two branches meet
  set.seed(7); below <- rtruncnorm(rep(-9999.9, 50), 0, Inf)
  set.seed(7); above <- rtruncnorm(rep(-10000.1, 50), 0, Inf)
  expect_equal(below, above, tolerance = 1e-4)
})

test_that("draws are finite, within the limits and increase in u", {
  mu <- c(0, 0, -1e200, 1e200, 1e308, -1e308, 0, 0, 1e308)
  lo <- c(40, -Inf, 0, -Inf, -Inf, 1e308, 1e200, 1e-300, -Inf)
  hi <- c(41, -1e6, Inf, 0, -1e308, Inf, 2e200, 2e-300, Inf)
  for (s in 1:20) {
    set.seed(s)
    x <- rtruncnorm(mu, lo, hi)
    expect_true(all(is.finite(x) & x >= lo & x <= hi))
  }
  for (lim in list(c(-1, 2), c(6, 7), c(-Inf, -50), c(2e4, Inf))) {
    set.seed(1); o <- order(runif(300))
    set.seed(1); x <- rtruncnorm(rep(0, 300), lim[1], lim[2])
    expect_false(is.unsorted(x[o]))
  }
})

test_that("rtruncnorm recycles and refuses", {
  set.seed(1)
  expect_length(rtruncnorm(0, c(0, 1, 2), Inf), 3)
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(1:3, 0, numeric(0)), numeric(0))
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, NULL, 1), "must be numeric")
  expect_error(rtruncnorm(1:2, 1:3, 9), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NaN, 1), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, Inf, Inf), "lo must be below hi")
})

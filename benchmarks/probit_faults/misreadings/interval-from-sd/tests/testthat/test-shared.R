test_that("log Phi and Phi agree with pnorm and with tail expansions", {
  x <- c(-37, -10, -1, 0, 1, 8, 30)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  t <- c(50, 1e3, 1e6)
  series <- -t^2 / 2 - log(t) - log(2 * pi) / 2 + log1p(-1 / t^2 + 3 / t^4)
  expect_equal(safe_log_Phi(-t), series, tolerance = 1e-10)
  expect_true(safe_Phi(-38) > 0)
})

test_that("log Phi and Phi at special values", {
  for (f in list(safe_log_Phi, safe_Phi)) {
    expect_identical(f(numeric(0)), numeric(0))
    expect_identical(f(c(NA, NaN, 1))[1:2], c(NA_real_, NA_real_))
    expect_error(f("a"), "x must be numeric")
    expect_error(f(NULL), "x must be numeric")
    expect_equal(f(0L), f(0))
  }
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, Inf)), c(0, 1))
})

test_that("rtruncnorm is the inverse distribution function at one uniform each", {
  cases <- list(c(0, -1, 2), c(0.5, 0, Inf), c(0.5, -Inf, 0), c(-3, 0, Inf),
                c(2, -Inf, Inf), c(1, 3, 4), c(1, -4, -3), c(-6, -1, 0.5))
  n <- 500
  for (cs in cases) {
    set.seed(7); u <- runif(n)
    set.seed(7); x <- rtruncnorm(rep(cs[1], n), cs[2], cs[3])
    a <- pnorm(cs[2] - cs[1]); b <- pnorm(cs[3] - cs[1])
    if (cs[2] - cs[1] > 0) {
      a <- pnorm(cs[2] - cs[1], lower.tail = FALSE)
      b <- pnorm(cs[3] - cs[1], lower.tail = FALSE)
      ref <- cs[1] + qnorm(a + u * (b - a), lower.tail = FALSE)
    } else {
      ref <- cs[1] + qnorm(a + u * (b - a))
    }
    expect_equal(x, ref, tolerance = 1e-8)
    expect_false(is.unsorted(x[order(u)]))
  }
  set.seed(3); rtruncnorm(rep(0, 10), 0, 1); after <- runif(1)
  set.seed(3); expect_identical(runif(11)[11], after)
})

test_that("rtruncnorm is exact far in the tail", {
  n <- 300
  for (a in c(29, 31, 40, 1e3, 1e5, 1e8)) {
    set.seed(11); u <- runif(n)
    set.seed(11); x <- rtruncnorm(rep(-a, n), 0, Inf)
    # log S(a + x) - log S(a) = log(1 - u), by the expansion of the Mills ratio
    r <- function(t) log1p(-1 / t^2 + 3 / t^4 - 15 / t^6 + 105 / t^8) - log(t)
    g <- -x * (a + x / 2) + r(a + x) - r(a)
    expect_equal(g, log1p(-u), tolerance = if (a < 30) 1e-8 else 1e-9)
    # the lower tail is the mirror image at 1 - u
    set.seed(11); w <- rtruncnorm(rep(a, n), -Inf, 0)
    g <- w * (a - w / 2) + r(a - w) - r(a)
    expect_equal(g, log(u), tolerance = if (a < 30) 1e-8 else 1e-9)
  }
})

test_that("rtruncnorm stays finite and inside", {
  mu <- c(0, 1e3, -1e3, 1e20, -1e20, 1e300, -1e300, 0.3, 0.3, 1e308)
  lo <- c(40, -Inf, 0, 0, 0, -Inf, 0, 0, 1e-20, -1e308)
  hi <- c(41, 0, Inf, 1, Inf, 0, 1, 1e-12, 2e-20, -1e307)
  set.seed(2)
  for (i in 1:50) {
    x <- rtruncnorm(mu, lo, hi)
    expect_true(all(is.finite(x) & x >= lo & x <= hi))
  }
  set.seed(5); u <- runif(200)
  set.seed(5); x <- rtruncnorm(rep(0.3, 200), 0, 1e-9)   # nearly uniform
  expect_equal(x, u * 1e-9, tolerance = 1e-7)
  set.seed(5); x <- rtruncnorm(rep(0, 200), 100, 100 + 1e-9)
  expect_equal(x - 100, u * 1e-9, tolerance = 1e-4)
})

test_that("rtruncnorm has the right moments", {
  set.seed(1)
  x <- rtruncnorm(rep(-1, 2e4), 0, Inf)
  l <- dnorm(1) / pnorm(-1)
  expect_lt(abs(mean(x) - (-1 + l)), 4 * sd(x) / sqrt(2e4))
})

test_that("rtruncnorm checks and recycles", {
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, TRUE, 1), "must be numeric")
  expect_error(rtruncnorm(0, 0, NULL), "must be numeric")
  expect_error(rtruncnorm(1:3, 1:2, 9), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NA_real_, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NaN), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
  expect_error(rtruncnorm(0, c(0, 2), 1), "lo must be below hi")
  expect_identical(rtruncnorm(numeric(0), 0, 1), numeric(0))
  expect_identical(rtruncnorm(1:3, numeric(0), 1:2), numeric(0))
  expect_length(rtruncnorm(0, -(1:4), 1), 4)
})

test_that("safe_log_Phi and safe_Phi agree with pnorm and with known limits", {
  x <- c(-40, -5, -1, 0, 0.3, 8, 40)
  expect_equal(safe_log_Phi(x), pnorm(x, log.p = TRUE), tolerance = 1e-14)
  expect_equal(safe_Phi(x), pnorm(x), tolerance = 1e-14)
  # leading terms of the asymptotic expansion
  t <- 1e4
  expect_equal(safe_log_Phi(-t), -t^2 / 2 - log(t) - 0.5 * log(2 * pi) + log1p(-1 / t^2),
               tolerance = 1e-14)
  expect_identical(safe_log_Phi(c(-Inf, Inf)), c(-Inf, 0))
  expect_identical(safe_Phi(c(-Inf, Inf)), c(0, 1))
  expect_identical(safe_log_Phi(numeric(0)), numeric(0))
  expect_identical(safe_Phi(c(NA, NaN, 0)), c(NA, NA, 0.5))
  expect_false(is.nan(safe_log_Phi(NaN)))
  expect_identical(safe_log_Phi(0L), log(0.5))
  expect_error(safe_log_Phi("a"), "x must be numeric")
  expect_error(safe_Phi(TRUE), "x must be numeric")
})

test_that("rtruncnorm is formula (8) at one uniform number per element", {
  n <- 2000
  set.seed(11)
  mu <- runif(n, -4, 4); lo <- runif(n, -3, 3); hi <- lo + rexp(n)
  lo[1:200] <- -Inf; hi[201:400] <- Inf; lo[401:420] <- -Inf; hi[401:420] <- Inf
  set.seed(5); u <- runif(n); after <- runif(1)
  set.seed(5); x <- rtruncnorm(mu, lo, hi)
  expect_identical(runif(1), after)
  keep <- pnorm(lo - mu) < 0.99   # where the plain form is accurate itself
  expect_equal(x[keep], ref_trunc(mu, lo, hi, u)[keep], tolerance = 1e-9)
  expect_true(all(x >= lo & x <= hi))
})

test_that("the probability reached by the draw is the one of (8), in log space", {
  # log S(x) = log[(1 - u) S(lo) + u S(hi)] around the switch of the routines
  for (a in c(5, 15, 19.99, 20, 20.01, 35, 100)) for (w in c(Inf, 0.01, 1)) {
    set.seed(2); u <- runif(200)
    set.seed(2); x <- rtruncnorm(rep(0, 200), a, a + w)
    ls <- pnorm(a, lower.tail = FALSE, log.p = TRUE)
    want <- ls + log1p(u * expm1(pnorm(a + w, lower.tail = FALSE, log.p = TRUE) - ls))
    expect_lt(max(abs(pnorm(x, lower.tail = FALSE, log.p = TRUE) - want)), 1e-11 * max(1, a^2 / 100))
    # the mirror image: lower tail with 1 - u
    set.seed(2); xm <- rtruncnorm(rep(0, 200), -a - w, -a)
    ls <- pnorm(-a, log.p = TRUE)
    want <- ls + log1p((1 - u) * expm1(pnorm(-a - w, log.p = TRUE) - ls))
    expect_lt(max(abs(pnorm(xm, log.p = TRUE) - want)), 1e-11 * max(1, a^2 / 100))
  }
})

test_that("far tails have the exponential limit and stay finite", {
  for (a in c(1e4, 1e8, 1e100)) {
    set.seed(3); u <- runif(500)
    set.seed(3); x <- rtruncnorm(rep(-a, 500), 0, Inf)
    expect_equal(x * a, -log1p(-u), tolerance = 20 / a^2 + 1e-13)
    set.seed(3); x <- rtruncnorm(rep(a, 500), -Inf, 0)
    expect_equal(x * a, log(u), tolerance = 20 / a^2 + 1e-13)
  }
  x <- rtruncnorm(c(-1e308, 1e308, 0, 0), c(1e308, -Inf, 1e300, -Inf), c(Inf, -1e308, Inf, -1e300))
  expect_identical(x, c(1e308, -1e308, 1e300, -1e300))
  x <- rtruncnorm(0, 50, 50 + 1e-9)
  expect_true(x >= 50 && x <= 50 + 1e-9)
})

test_that("draws increase in u and have the truncated moments", {
  set.seed(8); u <- runif(3000)
  for (p in list(c(0, -1, 2), c(3, -Inf, 0), c(-25, 0, Inf), c(0, -Inf, Inf))) {
    set.seed(8); x <- rtruncnorm(rep(p[1], 3000), p[2], p[3])
    expect_false(is.unsorted(x[order(u)]))
  }
  set.seed(9); x <- rtruncnorm(rep(1, 4e4), 0, Inf)
  expect_equal(mean(x), 1 + dnorm(1) / pnorm(1), tolerance = 0.01)
})

test_that("rtruncnorm recycles and refuses", {
  expect_length(rtruncnorm(0, c(0, 1, 2), 5), 3)
  expect_identical(rtruncnorm(numeric(0), c(0, 1), Inf), numeric(0))
  expect_identical(rtruncnorm(0, 0, numeric(0)), numeric(0))
  expect_error(rtruncnorm("a", 0, 1), "must be numeric")
  expect_error(rtruncnorm(0, NULL, 1), "must be numeric")
  expect_error(rtruncnorm(c(0, 0), 0, c(1, 2, 3)), "length")
  expect_error(rtruncnorm(Inf, 0, 1), "must be finite")
  expect_error(rtruncnorm(0, NaN, 1), "must be finite")
  expect_error(rtruncnorm(0, 0, NA_real_), "must be finite")
  expect_error(rtruncnorm(0, 1, 1), "lo must be below hi")
})

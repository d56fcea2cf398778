test_that("estimate, covariance and log-likelihood agree with glm", {
  for (s in 1:4) {
    d <- sim_data(c(30, 60, 200, 1000)[s], list(c(0.2, 0.5), c(-0.3, 0.7, -0.4),
                  c(0, 1, 1, -1), c(1, 1.5))[[s]], s)
    f <- probit_mle(d$X, d$y); g <- glm_fit(d$X, d$y)
    expect_true(f$converged)
    expect_equal(unname(f$coefficients), unname(coef(g)), tolerance = 1e-6)
    expect_equal(unname(f$vcov), unname(vcov(g)), tolerance = 1e-6)
    expect_equal(f$loglik, as.numeric(logLik(g)), tolerance = 1e-10)
  }
})

test_that("vcov is the inverse of the Fisher information at the estimate", {
  d <- sim_data(80, c(0.4, -0.9, 0.3), 11)
  f <- probit_mle(d$X, d$y)
  eta <- drop(d$X %*% f$coefficients)
  # definition: expectation over y of the squared score of each observation
  p <- pnorm(eta)
  w <- p * (dnorm(eta) / p)^2 + (1 - p) * (dnorm(eta) / (1 - p))^2
  I <- crossprod(d$X, w * d$X)
  expect_equal(f$vcov %*% I, diag(3), tolerance = 1e-10, ignore_attr = TRUE)
  # the same as the average over y of the observed information
  obs <- function(q) { m <- q * eta; l <- dnorm(m) / pnorm(m); l * (l + m) }
  expect_equal(w, p * obs(1) + (1 - p) * obs(-1), tolerance = 1e-10)
  # and not the observed information at the data
  H <- crossprod(d$X, obs(2 * d$y - 1) * d$X)
  expect_gt(max(abs(f$vcov %*% H - diag(3))), 1e-3)
  expect_identical(f$vcov, t(f$vcov))
  expect_equal(f$se, sqrt(diag(f$vcov)))
})

test_that("the score is zero and the log-likelihood is the sum of log Phi", {
  d <- sim_data(100, c(0.2, 1, -1), 12)
  f <- probit_mle(d$X, d$y)
  q <- 2 * d$y - 1; m <- q * drop(d$X %*% f$coefficients)
  expect_lt(max(abs(crossprod(d$X, q * dnorm(m) / pnorm(m)))), 1e-10)
  expect_equal(f$loglik, sum(pnorm(m, log.p = TRUE)), tolerance = 1e-14)
})

test_that("an intercept alone has the closed form", {
  y <- rep(c(1, 0), c(7, 3))
  f <- probit_mle(matrix(1, 10, 1), y)
  b <- qnorm(0.7)
  expect_equal(f$coefficients, b, tolerance = 1e-12)
  expect_equal(f$vcov[1, 1], 0.21 / (10 * dnorm(b)^2), tolerance = 1e-12)
  expect_null(names(f$coefficients)); expect_null(dimnames(f$vcov))
  expect_null(dim(f$coefficients)); expect_null(dim(f$se))
})

test_that("one Newton step is the one of the formulas; iterations are counted", {
  d <- sim_data(100, c(0.5, 1), 13)
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  l <- dnorm(0) / 0.5
  b <- solve(l^2 * crossprod(d$X), crossprod(d$X, (2 * d$y - 1) * l))
  expect_equal(unname(f$coefficients), drop(unname(b)), tolerance = 1e-12)
  expect_false(f$converged); expect_identical(f$iterations, 1L)
  g <- probit_mle(d$X, d$y)
  expect_true(probit_mle(d$X, d$y, max_iter = g$iterations)$converged)
  expect_warning(probit_mle(d$X, d$y, max_iter = g$iterations - 1L), "did not converge")
  expect_identical(probit_mle(d$X, d$y, tol = 1e6)$iterations, 1L)
})

test_that("badly scaled columns and column transforms do no harm", {
  d <- sim_data(150, c(0.5, 1, -0.5), 14)
  f <- probit_mle(d$X, d$y)
  s <- c(1, 1e8, 1e-6)
  g <- probit_mle(sweep(d$X, 2, s, "*"), d$y)
  expect_equal(g$coefficients * s, f$coefficients, tolerance = 1e-7)
  expect_equal(g$se * s, f$se, tolerance = 1e-7)
  h <- probit_mle(d$X, 1 - d$y)
  expect_equal(h$coefficients, -f$coefficients, tolerance = 1e-10)
  expect_equal(h$vcov, f$vcov, tolerance = 1e-10)
})

test_that("observations far in the tail", {
  d <- sim_data(200, c(0, 1), 15)
  X <- rbind(d$X, c(1, 60)); y <- c(d$y, 0)   # one gross outlier
  f <- probit_mle(X, y)
  q <- 2 * y - 1
  nll <- function(b) -sum(pnorm(q * drop(X %*% b), log.p = TRUE))
  o <- optim(c(0, 0), nll, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(unname(f$coefficients), o$par, tolerance = 1e-4)
  expect_true(is.finite(f$loglik))
})

test_that("separation is an error for every max_iter", {
  x <- c(-2, -1, 1, 2); X <- cbind(1, x)
  for (mi in c(1, 2, 5, 100)) {
    expect_error(probit_mle(X, c(0, 0, 1, 1), max_iter = mi), "separat")
    expect_error(probit_mle(cbind(1, c(-1, 0, 0, 1)), c(0, 0, 1, 1), max_iter = mi), "separat")
    expect_error(probit_mle(X, rep(1, 4), max_iter = mi), "separat")
    # quasi-separation by a rare dummy among overlapping observations
    d <- sim_data(60, c(0, 1), 16)
    expect_error(probit_mle(cbind(d$X, c(rep(0, 58), 1, 1)), c(d$y[1:58], 1, 1),
                            max_iter = mi), "separat")
  }
  # overlap by one observation is no separation
  expect_true(probit_mle(cbind(1, 1:6), c(0, 0, 1, 0, 1, 1))$converged)
})

test_that("checks in the order of the interface", {
  X <- cbind(1, c(1, 2, 3, 4)); y <- c(0, 1, 0, 1)
  expect_error(probit_mle(as.data.frame(X), "a"), "X must be a numeric matrix")
  expect_error(probit_mle(1:4, y), "X must be a numeric matrix")
  expect_error(probit_mle(X > 1, y), "X must be a numeric matrix")
  expect_error(probit_mle(X[, 0], "a"), "at least one column")
  expect_error(probit_mle(replace(X, 1, NA), "a"), "X must be finite")
  expect_error(probit_mle(replace(X, 1, Inf), y), "X must be finite")
  expect_error(probit_mle(X, factor(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, "a"), "y must be numeric or logical")
  expect_error(probit_mle(X, 2), "length of y")
  expect_error(probit_mle(X, c(0, 1, 2, 0), max_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_mle(X, c(0, 1, NA, 0)), "y must contain only 0 and 1")
  for (b in list(0, 1.5, NA, "1", c(1, 2), Inf, NULL, TRUE))
    expect_error(probit_mle(X, y, max_iter = b, tol = -1), "^max_iter")
  for (b in list(0, -1, NA_real_, "1", c(1, 2), Inf))
    expect_error(probit_mle(X[, c(1, 1)], y, tol = b), "^tol")
  expect_error(probit_mle(X[, c(1, 1)], rep(1, 4)), "full column rank")
  expect_error(probit_mle(X[0, ], numeric(0)), "full column rank")
  expect_error(probit_mle(X[1, , drop = FALSE], 1), "full column rank")
})

test_that("integer X, logical y, and untouched random numbers and arguments", {
  X <- cbind(a = 1L, b = c(1L, 2L, 3L, 4L, 5L, 6L)); y <- c(0, 1, 0, 1, 0, 1) == 1
  X2 <- X + 0L
  set.seed(1); s <- .Random.seed
  f <- probit_mle(X, y)
  expect_identical(.Random.seed, s); expect_identical(X, X2)
  expect_identical(f, probit_mle(X + 0, as.numeric(y)))
  expect_named(f$coefficients, c("a", "b"))
  expect_identical(dimnames(f$vcov), list(c("a", "b"), c("a", "b")))
  expect_identical(f$nobs, 6L); expect_type(f$iterations, "integer")
})

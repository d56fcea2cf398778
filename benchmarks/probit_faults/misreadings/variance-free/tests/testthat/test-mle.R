test_that("estimate and log-likelihood equal glm", {
  for (s in 1:3) {
    d <- sim_data(c(30, 200, 1000)[s], c(0.3, 0.8, -0.4), s)
    fit <- probit_mle(d$X, d$y)
    ref <- glm.fit(d$X, d$y, family = binomial("probit"),
                   control = glm.control(1e-14, 200))
    expect_equal(fit$coefficients, ref$coefficients, tolerance = 1e-6)
    expect_equal(fit$loglik, -ref$deviance / 2, tolerance = 1e-10)
    expect_true(fit$converged)
    expect_type(fit$iterations, "integer")
    expect_identical(fit$nobs, nrow(d$X))
  }
})

test_that("intercept only has the closed form", {
  fit <- probit_mle(matrix(1, 10), rep(0:1, c(3, 7)))
  expect_equal(fit$coefficients, qnorm(0.7), tolerance = 1e-10)
  expect_equal(fit$loglik, 7 * log(0.7) + 3 * log(0.3), tolerance = 1e-12)
  # observed = expected information here
  expect_equal(fit$se, sqrt(0.21 / 10) / dnorm(qnorm(0.7)), tolerance = 1e-8)
  expect_null(names(fit$coefficients))
  expect_null(dimnames(fit$vcov))
})

test_that("vcov is the inverse of the observed second derivative", {
  d <- sim_data(60, c(0.3, 0.8), 4)
  fit <- probit_mle(d$X, d$y)
  ll <- function(b) sum(pnorm((2 * d$y - 1) * (d$X %*% b), log.p = TRUE))
  H <- optimHess(fit$coefficients, ll, control = list(ndeps = c(1e-4, 1e-4)))
  expect_equal(fit$vcov, solve(-H), tolerance = 1e-5, ignore_attr = TRUE)
  expect_identical(fit$vcov, t(fit$vcov))
  expect_equal(fit$se, sqrt(diag(fit$vcov)))
  expect_identical(dimnames(fit$vcov), list(colnames(d$X), colnames(d$X)))
  expected <- vcov(glm(d$y ~ d$X[, 2], family = binomial("probit")))
  expect_gt(max(abs(fit$vcov / expected - 1)), 1e-3)
})

test_that("score is zero, and y, X transform as they should", {
  d <- sim_data(100, c(-0.2, 0.5, 1), 5)
  fit <- probit_mle(d$X, d$y)
  m <- (2 * d$y - 1) * drop(d$X %*% fit$coefficients)
  g <- crossprod(d$X, (2 * d$y - 1) * dnorm(m) / pnorm(m))
  expect_lt(max(abs(g)), 1e-8)
  expect_equal(probit_mle(d$X, 1 - d$y)$coefficients, -fit$coefficients)
  expect_equal(probit_mle(d$X, d$y == 1), fit)
  scaled <- sweep(d$X, 2, c(1, 1e6, 1e-4), "*")
  expect_equal(probit_mle(scaled, d$y)$coefficients * c(1, 1e6, 1e-4),
               fit$coefficients, tolerance = 1e-6)
})

test_that("an outlier far in the tail does not break the estimate", {
  d <- sim_data(200, c(0, 1), 6)
  X <- rbind(d$X, c(1, -80))
  y <- c(d$y, 1)
  fit <- probit_mle(X, y)
  expect_true(fit$converged)
  m <- (2 * y - 1) * drop(X %*% fit$coefficients)
  lambda <- exp(dnorm(m, log = TRUE) - pnorm(m, log.p = TRUE))
  expect_lt(max(abs(crossprod(X, (2 * y - 1) * lambda))), 1e-6)
})

test_that("separation is an error for every max_iter", {
  x <- c(-3, -2, -1, 1, 2, 3)
  sets <- list(
    complete = list(cbind(1, x), as.numeric(x > 0)),
    quasi = list(cbind(1, c(-2, -1, 0, 0, 1, 2)), c(0, 0, 0, 1, 1, 1)),
    constant = list(cbind(1, x), rep(1, 6)),
    dummy = list(cbind(1, c(0, 0, 0, 0, 1, 1)), c(0, 1, 0, 1, 1, 1)),
    one = list(matrix(1, 1), 0)
  )
  for (s in sets) {
    for (m in c(1, 2, 5, 100)) {
      expect_error(probit_mle(s[[1]], s[[2]], max_iter = m), "separat")
    }
  }
})

test_that("max_iter without separation warns and returns the iterate", {
  d <- sim_data(100, c(0.3, 0.8), 7)
  expect_warning(fit <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  expect_false(fit$converged)
  expect_identical(fit$iterations, 1L)
  # one Newton step from zero: lambda = sqrt(2 / pi), d = 2 / pi
  step <- sqrt(pi / 2) * qr.coef(qr(d$X), 2 * d$y - 1)
  expect_equal(fit$coefficients, step, tolerance = 1e-10)
  m <- (2 * d$y - 1) * drop(d$X %*% step)
  expect_equal(fit$loglik, sum(pnorm(m, log.p = TRUE)))
})

test_that("checks come in order", {
  X <- cbind(1, c(-1, 0.5, 1, 2, -2))
  y <- c(0, 1, 0, 1, 1)
  for (f in list(probit_mle, probit_gibbs, probit_mh)) {
    for (bad in list(as.data.frame(X), 1:5, X > 0, matrix("a", 5, 2), NULL)) {
      expect_error(f(bad, "a"), "X must be a numeric matrix")
    }
    expect_error(f(matrix(0, 5, 0), "a"), "at least one column")
    expect_error(f(replace(X, 2, NA), "a"), "X must be finite")
    expect_error(f(replace(X, 2, -Inf), "a"), "X must be finite")
    expect_error(f(X, factor(y)), "y must be numeric or logical")
    expect_error(f(X, "a"), "y must be numeric or logical")
    expect_error(f(X, c(2, NA)), "length of y")
    expect_error(f(X, replace(y, 1, NA), 0), "y must contain only 0 and 1")
    expect_error(f(X, replace(y, 1, 0.5), 0), "y must contain only 0 and 1")
  }
  for (bad in list(0, 1.5, NA, "1", c(1, 2), Inf, NULL)) {
    expect_error(probit_mle(X, y, max_iter = bad, tol = -1), "^max_iter")
    expect_error(probit_gibbs(X, y, bad, -1), "^n_iter")
    expect_error(probit_mh(X, y, bad, -1), "^n_iter")
  }
  for (bad in list(0, -1, NA_real_, Inf, c(1, 1), "a")) {
    expect_error(probit_mle(cbind(X, 1), y, tol = bad), "^tol")
    expect_error(probit_mh(X, y, scale = bad, beta0 = 1), "^scale")
  }
  for (bad in list(-1, 10, 0.5, NA)) {
    expect_error(probit_gibbs(X, y, 10, bad, 1), "^burn_in")
    expect_error(probit_mh(X, y, 10, bad, scale = 0), "^burn_in")
  }
  S <- diag(2)
  for (f in list(probit_gibbs, probit_mh)) {
    for (bad in list(1, c(1, NA), c("a", "b"), 1:3)) {
      expect_error(f(X, y, beta0 = bad, Sigma0 = 1), "^beta0")
    }
    for (bad in list(1, diag(3), S + c(0, 1, 0, 0), -S, matrix(1, 2, 2),
                     S * NA, matrix(c(1, 2, 2, 1), 2))) {
      expect_error(f(X, y, Sigma0 = bad), "^Sigma0")
    }
  }
  expect_error(probit_mh(X, y, init = 1), "^init")
  expect_error(probit_mle(cbind(X, X[, 2] * 2), y), "full column rank")
  expect_error(probit_mle(X[1, , drop = FALSE], 1), "full column rank")
  expect_error(probit_mle(no_rows(2), numeric(0)), "full column rank")
})

test_that("no random numbers are used and arguments are not modified", {
  d <- sim_data(50, c(0, 1), 8)
  X <- d$X + 0
  set.seed(1)
  before <- .Random.seed
  fit <- probit_mle(d$X, d$y)
  expect_identical(.Random.seed, before)
  probit_gibbs(d$X, d$y, 20, 5)
  expect_identical(d$X, X)
})

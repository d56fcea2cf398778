test_that("estimate agrees with glm, covariance with the observed information", {
  for (s in 1:4) {
    d <- sim_probit(c(30, 100, 400, 2000)[s], c(0.3, 0.8, -0.5)[seq_len(2 + s %% 2)], s)
    fit <- probit_mle(d$X, d$y)
    g <- glm.fit(d$X, d$y, family = binomial("probit"),
                 control = list(epsilon = 1e-14, maxit = 100))
    expect_equal(fit$coefficients, g$coefficients, tolerance = 1e-6)
    expect_equal(fit$loglik, ref_loglik(fit$coefficients, d$X, d$y), tolerance = 1e-12)
    expect_equal(fit$vcov, solve(ref_info(fit$coefficients, d$X, d$y)), tolerance = 1e-8)
    h <- optimHess(fit$coefficients, ref_loglik, X = d$X, y = d$y)
    expect_equal(unname(fit$vcov), unname(solve(-h)), tolerance = 1e-3)
    expect_identical(fit$vcov, t(fit$vcov))
    expect_equal(fit$se, sqrt(diag(fit$vcov)))
    expect_true(fit$converged)
  }
})

test_that("fields, names and types", {
  d <- sim_probit(80, c(0.2, 0.5), 9)
  fit <- probit_mle(d$X, d$y)
  expect_s3_class(fit, "probit_fit", exact = TRUE)
  expect_named(fit, c("coefficients", "vcov", "se", "loglik", "iterations",
                      "converged", "nobs", "method"))
  expect_named(fit$coefficients, colnames(d$X))
  expect_identical(dimnames(fit$vcov), list(colnames(d$X), colnames(d$X)))
  expect_null(dim(fit$coefficients)); expect_null(dim(fit$se))
  expect_type(fit$iterations, "integer"); expect_identical(fit$nobs, 80L)
  expect_identical(fit$method, "mle")
  X <- unname(d$X)
  bare <- probit_mle(X, d$y == 1)
  expect_null(names(bare$coefficients)); expect_null(dimnames(bare$vcov))
  expect_equal(bare$coefficients, unname(fit$coefficients))
})

test_that("known answers: intercept only", {
  y <- rep(c(1, 0), c(7, 3))
  fit <- probit_mle(matrix(1, 10, 1), y)
  expect_equal(fit$coefficients, qnorm(0.7), tolerance = 1e-10)
  expect_equal(fit$loglik, 7 * log(0.7) + 3 * log(0.3), tolerance = 1e-12)
  b <- qnorm(0.7)
  expect_equal(drop(fit$vcov), 0.7 * 0.3 / (10 * dnorm(b)^2), tolerance = 1e-8)
  Xi <- matrix(1L, 10, 1)
  expect_equal(probit_mle(Xi, y)$coefficients, fit$coefficients)
})

test_that("bad scales do not matter and no random numbers are used", {
  d <- sim_probit(200, c(0.2, 0.5), 4)
  set.seed(1); s <- .Random.seed
  f1 <- probit_mle(d$X, d$y)
  expect_identical(.Random.seed, s)
  X <- d$X; X[, 2] <- X[, 2] / 1e6
  f2 <- probit_mle(X, d$y)
  expect_equal(f2$coefficients[[2]] / 1e6, f1$coefficients[[2]], tolerance = 1e-8)
})

test_that("separation is an error for every max_iter", {
  x <- c(-2, -1, 1, 2)
  X <- cbind(1, x)
  Xq <- cbind(1, c(-2, -1, 0, 0, 1, 2))
  for (m in c(1, 2, 5, 100)) {
    expect_error(probit_mle(X, c(0, 0, 1, 1), max_iter = m), "separat")
    expect_error(probit_mle(Xq, c(0, 0, 0, 1, 1, 1), max_iter = m), "separat")
    expect_error(probit_mle(X, rep(1, 4), max_iter = m), "separat")
    expect_error(probit_mle(X, rep(FALSE, 4), max_iter = m), "separat")
  }
  # overlap by one pair is no separation
  expect_true(probit_mle(cbind(1, 1:8), c(0, 0, 0, 1, 0, 1, 1, 1))$converged)
})

test_that("max_iter without convergence warns and returns the iterate", {
  d <- sim_probit(100, c(0.2, 0.9), 5)
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  expect_false(f$converged); expect_identical(f$iterations, 1L)
  q <- 2 * d$y - 1; l0 <- 2 * dnorm(0)
  first <- solve(l0^2 * crossprod(d$X), crossprod(d$X, q * l0))
  expect_equal(unname(f$coefficients), drop(unname(first)), tolerance = 1e-10)
  expect_equal(unname(f$vcov), unname(solve(ref_info(f$coefficients, d$X, d$y))),
               tolerance = 1e-8)
})

test_that("checks come in order", {
  X <- cbind(1, c(1, 2, 3, 4)); y <- c(0, 1, 0, 1)
  expect_error(probit_mle(as.data.frame(X), y), "X must be a numeric matrix")
  expect_error(probit_mle(1:4, y), "X must be a numeric matrix")
  expect_error(probit_mle(X > 1, "a"), "X must be a numeric matrix")
  expect_error(probit_mle(X[, 0], "a"), "at least one column")
  expect_error(probit_mle(replace(X, 1, NA), "a"), "X must be finite")
  expect_error(probit_mle(replace(X, 1, Inf), "a"), "X must be finite")
  expect_error(probit_mle(X, factor(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, c("0", "1")), "y must be numeric or logical")
  expect_error(probit_mle(X, c(0, 2)), "length of y")
  expect_error(probit_mle(X, c(0, 1, 2, 0), max_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_mle(X, c(0, 1, NA, 0)), "y must contain only 0 and 1")
  for (m in list(0, 1.5, NA, "a", c(1, 2), Inf, NULL)) {
    expect_error(probit_mle(X, y, max_iter = m, tol = -1), "^max_iter")
  }
  for (t in list(0, -1, Inf, NA_real_, "a", c(1, 1))) {
    expect_error(probit_mle(cbind(X, X), y, tol = t), "^tol")
  }
  expect_error(probit_mle(cbind(X, X), c(0, 0, 0, 0)), "full column rank")
  expect_error(probit_mle(X[1, , drop = FALSE], 1), "full column rank")
  expect_error(probit_mle(X[0, , drop = FALSE], numeric(0)), "full column rank")
})

test_that("an outlier far in the tail gives a finite fit at the score's root", {
  d <- sim_probit(300, c(0, 1), 12)
  X <- rbind(d$X, c(1, 60)); y <- c(d$y, 0)
  f <- probit_mle(X, y)
  m <- (2 * y - 1) * drop(X %*% f$coefficients)
  lam <- exp(dnorm(m, log = TRUE) - pnorm(m, log.p = TRUE))
  expect_lt(max(abs(crossprod(X, (2 * y - 1) * lam))), 1e-6)
})

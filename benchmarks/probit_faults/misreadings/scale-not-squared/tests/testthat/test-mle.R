test_that("agrees with glm; standard errors are those of the observed Hessian", {
  d <- sim_data(400, c(0.3, -0.8, 0.5), 1)
  f <- probit_mle(d$X, d$y)
  g <- glm(d$y ~ d$X - 1, family = binomial("probit"),
           control = list(epsilon = 1e-14, maxit = 100))
  expect_equal(unname(f$coefficients), unname(coef(g)), tolerance = 1e-6)
  expect_equal(f$loglik, as.numeric(logLik(g)), tolerance = 1e-10)
  # numerical second derivative of an independent log-likelihood
  h <- 1e-3; k <- 3; H <- matrix(0, k, k); b <- f$coefficients
  for (i in 1:k) for (j in 1:k) {
    ei <- h * (1:k == i); ej <- h * (1:k == j)
    l <- function(v) ref_loglik(v, d$X, d$y)
    H[i, j] <- (l(b + ei + ej) - l(b + ei - ej) - l(b - ei + ej) + l(b - ei - ej)) / (4 * h^2)
  }
  expect_equal(unname(f$vcov), solve(-H), tolerance = 1e-5)
  expect_equal(f$se, sqrt(diag(f$vcov)), tolerance = 1e-14)
  expect_true(isSymmetric(f$vcov))
  expect_identical(f$converged, TRUE)
  expect_type(f$iterations, "integer"); expect_type(f$nobs, "integer")
  expect_identical(names(f$coefficients), colnames(d$X))
  expect_identical(dimnames(f$vcov), list(colnames(d$X), colnames(d$X)))
  expect_null(dim(f$coefficients))
  expect_identical(f$method, "mle")
  expect_s3_class(f, "probit_fit")
  expect_identical(names(f), c("coefficients", "vcov", "se", "loglik", "iterations",
                               "converged", "nobs", "method"))
})

test_that("closed form of the intercept model", {
  y <- rep(c(1, 0), c(7, 3))
  f <- probit_mle(matrix(1, 10, 1), y)
  b <- qnorm(0.7)
  expect_equal(f$coefficients, b, tolerance = 1e-10)
  expect_null(names(f$coefficients)); expect_null(dimnames(f$vcov))
  expect_equal(f$loglik, 7 * log(0.7) + 3 * log(0.3), tolerance = 1e-12)
  l1 <- dnorm(b) / 0.7; l0 <- dnorm(b) / 0.3
  expect_equal(drop(f$vcov), 1 / (7 * l1 * (l1 + b) + 3 * l0 * (l0 - b)), tolerance = 1e-9)
})

test_that("first step is Newton's from zero and max_iter warns", {
  d <- sim_data(100, c(0.2, 1), 2)
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  q <- 2 * d$y - 1
  b <- solve(crossprod(d$X) * 2 / pi, crossprod(d$X, q) * sqrt(2 / pi))
  expect_equal(unname(f$coefficients), drop(unname(b)), tolerance = 1e-12)
  expect_false(f$converged); expect_identical(f$iterations, 1L)
})

test_that("badly scaled columns and observations far in the tail", {
  d <- sim_data(200, c(0.3, 0.7, -0.4), 4)
  f <- probit_mle(d$X, d$y)
  s <- c(1, 1e5, 1e-5)
  g <- probit_mle(sweep(d$X, 2, s, "*"), d$y, tol = 1e-6)
  expect_equal(g$coefficients * s, f$coefficients, tolerance = 1e-6)
  # an outlier with a very unlikely outcome
  x <- c(d$X[, 2], 60); y <- c(d$y, 0)
  g <- probit_mle(cbind(1, x), y)
  sc <- function(b) { m <- (2 * y - 1) * (b[1] + b[2] * x)
    colSums(cbind(1, x) * (2 * y - 1) * exp(dnorm(m, log = TRUE) - pnorm(m, log.p = TRUE))) }
  expect_lt(max(abs(sc(g$coefficients))), 1e-6)
})

test_that("integer X, logical y; arguments unchanged; no random numbers", {
  X <- cbind(1L, c(-2L, -1L, 0L, 1L, 2L, 3L)); y <- c(FALSE, TRUE, FALSE, FALSE, TRUE, TRUE)
  X2 <- X + 0L; set.seed(1); s <- .Random.seed
  f <- probit_mle(X, y)
  expect_identical(.Random.seed, s); expect_identical(X, X2)
  expect_equal(f, probit_mle(X + 0, as.numeric(y)))
})

test_that("separation is an error for every max_iter", {
  x <- c(-3, -2, -1, 1, 2, 3); X <- cbind(1, x)
  complete <- as.numeric(x > 0)
  quasi_x <- cbind(1, c(-2, -1, 0, 0, 1, 2)); quasi <- c(0, 0, 0, 1, 1, 1)
  for (m in c(1, 2, 100)) {
    expect_error(probit_mle(X, complete, max_iter = m), "separat")
    expect_error(probit_mle(quasi_x, quasi, max_iter = m), "separat")
    expect_error(probit_mle(X, rep(1, 6), max_iter = m), "separat")
    expect_error(probit_mle(X, rep(0, 6), max_iter = m), "separat")
  }
  # a group with one outcome only
  g <- rep(0:1, c(10, 4)); z <- c(rep(0:1, 5), 1, 1, 1, 1)
  expect_error(probit_mle(cbind(1, g), z), "separat")
  set.seed(8)
  for (i in 1:20) {
    Z <- cbind(1, matrix(rnorm(60), 20)); b <- rnorm(4)
    expect_error(probit_mle(Z, as.numeric(Z %*% b > 0)), "separat")
  }
})

test_that("rank and order of the checks", {
  X <- cbind(1, 1:6); y <- c(0, 1, 0, 1, 0, 1)
  expect_error(probit_mle(cbind(X, X[, 2]), y), "full column rank")
  expect_error(probit_mle(X[1, , drop = FALSE], 1), "full column rank")
  expect_error(probit_mle(X[0, , drop = FALSE], numeric(0)), "full column rank")
  expect_error(probit_mle(data.frame(X), y), "X must be a numeric matrix")
  expect_error(probit_mle(1:6, y), "X must be a numeric matrix")
  expect_error(probit_mle(X > 0, y), "X must be a numeric matrix")
  expect_error(probit_mle(X[, 0], "a"), "at least one column")
  expect_error(probit_mle(X / 0, "a"), "X must be finite")
  expect_error(probit_mle(X, factor(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, as.character(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, c(y, 2)), "length of y")
  expect_error(probit_mle(X, y + 1, max_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_mle(X, c(NA, y[-1])), "y must contain only 0 and 1")
  expect_error(probit_mle(X, y, max_iter = 1.5, tol = -1), "^max_iter")
  expect_error(probit_mle(X, y, tol = 0), "^tol")
  expect_error(probit_mle(cbind(X, X), y, tol = Inf), "^tol")
})

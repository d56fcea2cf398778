test_that("the estimate agrees with glm, the variance with the Hessian", {
  set.seed(1)
  for (n in c(40, 400)) {
    d <- sim_probit(n, c(0.3, -0.8, 0.5))
    f <- probit_mle(d$X, d$y)
    g <- glm(d$y ~ d$X - 1, family = binomial("probit"),
             control = glm.control(epsilon = 1e-14, maxit = 100))
    expect_equal(unname(f$coefficients), unname(coef(g)), tolerance = 1e-6)
    expect_equal(f$loglik, as.numeric(logLik(g)), tolerance = 1e-10)
    V <- solve(obs_info(d$X, d$y, f$coefficients))
    expect_equal(f$vcov, V, tolerance = 1e-8)
    expect_equal(f$se, sqrt(diag(V)), tolerance = 1e-8)
    expect_true(isSymmetric(f$vcov))
    expect_true(f$converged)
  }
})

test_that("an intercept alone has a closed form", {
  y <- rep(c(1, 0), c(7, 3))
  f <- probit_mle(matrix(1, 10, 1), y)
  b <- qnorm(0.7)
  expect_equal(f$coefficients, b, tolerance = 1e-10)
  expect_equal(f$loglik, 7 * log(0.7) + 3 * log(0.3), tolerance = 1e-12)
  # at the estimate observed and expected information agree here
  expect_equal(f$vcov[1, 1], 0.7 * 0.3 / (10 * dnorm(b)^2), tolerance = 1e-8)
  expect_null(names(f$coefficients))
  expect_null(dimnames(f$vcov))
})

test_that("fields, types and names", {
  set.seed(2)
  d <- sim_probit(60, c(0, 1))
  f <- probit_mle(d$X, d$y)
  expect_s3_class(f, "probit_fit", exact = TRUE)
  expect_named(f, c("coefficients", "vcov", "se", "loglik", "iterations",
                    "converged", "nobs", "method"))
  expect_named(f$coefficients, colnames(d$X))
  expect_null(dim(f$coefficients))
  expect_identical(dimnames(f$vcov), list(colnames(d$X), colnames(d$X)))
  expect_type(f$iterations, "integer")
  expect_identical(f$nobs, 60L)
  expect_identical(f$method, "mle")
  expect_identical(probit_mle(d$X, d$y == 1), f)
})

test_that("badly scaled columns do no harm; flipping y flips the sign", {
  set.seed(3)
  d <- sim_probit(200, c(0.3, 0.6))
  s <- c(1, 1e6)
  f <- probit_mle(d$X, d$y)
  h <- probit_mle(d$X %*% diag(s), d$y)
  expect_equal(h$coefficients * s, unname(f$coefficients), tolerance = 1e-8)
  expect_equal(h$se * s, unname(f$se), tolerance = 1e-8)
  expect_equal(probit_mle(d$X, 1 - d$y)$coefficients, -f$coefficients, tolerance = 1e-8)
})

test_that("no random numbers are used", {
  set.seed(4)
  d <- sim_probit(50, c(0, 1))
  s <- .Random.seed
  probit_mle(d$X, d$y)
  expect_identical(.Random.seed, s)
})

test_that("few iterations warn and return that iterate", {
  set.seed(5)
  d <- sim_probit(100, c(0.5, 1))
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  # the first step from zero: lambda = 2 phi(0), d = 4 phi(0)^2
  b <- solve(crossprod(d$X) * 4 * dnorm(0)^2,
             crossprod(d$X, (2 * d$y - 1) * 2 * dnorm(0)))
  expect_equal(unname(f$coefficients), drop(unname(b)), tolerance = 1e-12)
  expect_false(f$converged)
  expect_identical(f$iterations, 1L)
  expect_equal(f$vcov, solve(obs_info(d$X, d$y, f$coefficients)), tolerance = 1e-8)
})

test_that("separation is an error for every max_iter", {
  x <- c(-2, -1, 1, 2)
  X <- cbind(1, x)
  for (m in c(1, 3, 100)) {
    expect_error(probit_mle(X, c(0, 0, 1, 1), max_iter = m), "separat")
    expect_error(probit_mle(X, c(1, 1, 1, 1), max_iter = m), "separat")
    # quasi-complete: a tie at zero, and a dummy with constant outcome
    expect_error(probit_mle(cbind(1, c(-2, -1, 0, 0, 1, 2)), c(0, 0, 0, 1, 1, 1),
                            max_iter = m), "separat")
    expect_error(probit_mle(cbind(1, rep(0:1, c(6, 3))), c(0, 1, 0, 1, 1, 0, 1, 1, 1),
                            max_iter = m), "separat")
  }
})

test_that("rank deficiency is an error", {
  y <- c(0, 1, 0, 1)
  expect_error(probit_mle(cbind(1, 1:4, 2:5), y), "full column rank")
  expect_error(probit_mle(matrix(1, 0, 2), numeric(0)), "full column rank")
  expect_error(probit_mle(matrix(1:3, 1), 1), "full column rank")
})

test_that("checks come in their order", {
  X <- cbind(1, c(1, 3, 2, 4)); y <- c(0, 1, 0, 1)
  expect_error(probit_mle(as.data.frame(X), "a"), "X must be a numeric matrix")
  expect_error(probit_mle(X > 1, y), "X must be a numeric matrix")
  expect_error(probit_mle(1:4, y), "X must be a numeric matrix")
  expect_error(probit_mle(matrix(0, 4, 0), y), "at least one column")
  expect_error(probit_mle(replace(X, 1, NA), factor(y)), "X must be finite")
  expect_error(probit_mle(X, factor(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, c(0, 2)), "length of y")
  expect_error(probit_mle(X, c(0, 1, NA, 1), max_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_mle(X, c(0, 1, 2, 1)), "y must contain only 0 and 1")
  expect_error(probit_mle(X, y, max_iter = 0, tol = -1), "^max_iter")
  expect_error(probit_mle(X, y, max_iter = 1.5), "^max_iter")
  expect_error(probit_mle(X, y, tol = 0), "^tol")
  expect_error(probit_mle(cbind(1, 1:4, 2:5), y, tol = Inf), "^tol")
})

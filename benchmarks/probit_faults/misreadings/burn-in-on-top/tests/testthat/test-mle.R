test_that("estimates agree with glm, the score is zero, vcov is the observed Hessian", {
  for (s in 1:4) {
    d <- make_data(300, c(0.3, 1, -0.5), s)
    f <- probit_mle(d$X, d$y)
    g <- glm(d$y ~ d$X - 1, family = binomial("probit"), control = list(epsilon = 1e-14, maxit = 100))
    expect_equal(unname(f$coefficients), unname(coef(g)), tolerance = 1e-6)
    expect_equal(f$loglik, as.numeric(logLik(g)), tolerance = 1e-10)
    q <- 2 * d$y - 1
    m <- q * drop(d$X %*% f$coefficients)
    lam <- dnorm(m) / pnorm(m)
    expect_lt(max(abs(crossprod(d$X, q * lam))), 1e-8)
    expect_equal(f$vcov, solve(crossprod(d$X, lam * (lam + m) * d$X)), tolerance = 1e-9)
    num <- optimHess(f$coefficients, ref_loglik, X = d$X, y = d$y)
    expect_equal(f$vcov, solve(-num), tolerance = 1e-4)
    expect_equal(f$se, sqrt(diag(f$vcov)))
  }
})

test_that("fields have their types and names", {
  d <- make_data(100, c(0.3, 1), 5)
  f <- probit_mle(d$X, d$y)
  expect_named(f, c("coefficients", "vcov", "se", "loglik", "iterations", "converged", "nobs", "method"))
  expect_s3_class(f, "probit_fit", exact = TRUE)
  expect_type(f$iterations, "integer"); expect_type(f$nobs, "integer")
  expect_true(f$converged); expect_identical(f$method, "mle")
  expect_named(f$coefficients, c("b1", "b2")); expect_named(f$se, c("b1", "b2"))
  expect_identical(dimnames(f$vcov), list(c("b1", "b2"), c("b1", "b2")))
  expect_true(isSymmetric(f$vcov, tol = 0))
  g <- probit_mle(unname(d$X), d$y == 1)
  expect_null(names(g$coefficients)); expect_null(dimnames(g$vcov)); expect_null(dim(g$coefficients))
  expect_identical(g$coefficients, unname(f$coefficients))
})

test_that("the intercept model has its closed form", {
  y <- rep(c(0, 1), c(30, 70))
  X <- matrix(1L, 100, 1)
  f <- probit_mle(X, y)
  b <- qnorm(0.7)
  expect_equal(f$coefficients, b, tolerance = 1e-12)
  expect_equal(f$loglik, 70 * log(0.7) + 30 * log(0.3), tolerance = 1e-12)
  expect_equal(f$se, sqrt(0.21 / 100) / dnorm(b), tolerance = 1e-10)
})

test_that("iterations count Newton steps and the last iterate is returned with a warning", {
  d <- make_data(150, c(0.3, 1), 6)
  full <- probit_mle(d$X, d$y)
  newton <- function(k) {
    b <- c(0, 0); q <- 2 * d$y - 1
    for (i in seq_len(k)) {
      m <- q * drop(d$X %*% b); lam <- dnorm(m) / pnorm(m)
      b <- b + solve(crossprod(d$X, lam * (lam + m) * d$X), crossprod(d$X, q * lam))
    }
    drop(b)
  }
  for (k in 1:2) {
    expect_warning(f <- probit_mle(d$X, d$y, max_iter = k), "did not converge")
    expect_false(f$converged); expect_identical(f$iterations, k)
    expect_equal(unname(f$coefficients), unname(newton(k)), tolerance = 1e-10)
    expect_equal(f$loglik, ref_loglik(f$coefficients, d$X, d$y))
  }
  k <- full$iterations
  expect_lt(sqrt(sum((newton(k) - newton(k - 1))^2)), 1e-8)
  expect_gte(sqrt(sum((newton(k - 1) - newton(k - 2))^2)), 1e-8)
  expect_silent(probit_mle(d$X, d$y, max_iter = k))
})

test_that("columns of very different scale and columns of different sign do not matter", {
  d <- make_data(200, c(0.3, 1, -0.5), 7)
  f <- probit_mle(d$X, d$y, tol = 1e-12)
  s <- c(1, 1e5, 1e-3)
  g <- probit_mle(d$X %*% diag(s), d$y, tol = 1e-9)
  expect_equal(g$coefficients * s, unname(f$coefficients), tolerance = 1e-8)
  h <- probit_mle(-d$X, 1 - d$y, tol = 1e-12)
  expect_equal(h$coefficients, f$coefficients, tolerance = 1e-10)
})

test_that("extreme outliers on the wrong side are fitted: the score is zero", {
  set.seed(12)
  x <- c(rnorm(100), 60); y <- c(as.numeric(x[1:100] + rnorm(100) > 0), 0)
  X <- cbind(1, x)
  f <- probit_mle(X, y)
  g <- optim(c(0, 0), ref_loglik, X = X, y = y, control = list(fnscale = -1, reltol = 1e-15, maxit = 5000))
  expect_equal(unname(f$coefficients), g$par, tolerance = 1e-5)
})

test_that("separation is an error at every max_iter", {
  x <- c(-2, -1, 1, 2)
  cases <- list(
    complete = list(cbind(1, x), c(0, 0, 1, 1)),
    quasi = list(cbind(1, c(-2, -1, 0, 0, 1, 2)), c(0, 0, 0, 1, 1, 1)),
    dummy = list(cbind(1, rep(0:1, each = 5), c(1:5, 1:5)), c(0, 1, 0, 1, 1, 1, 1, 1, 1, 1)),
    constant1 = list(cbind(1, x), rep(1, 4)), constant0 = list(cbind(1, x), rep(0, 4)),
    huge = list(cbind(1, 1e6 * x), c(0, 0, 1, 1)), single = list(matrix(1), 1))
  for (case in cases) for (mi in c(1, 2, 5, 100))
    expect_error(probit_mle(case[[1]], case[[2]], max_iter = mi), "separat")
  # overlap by a little is not separation
  expect_silent(probit_mle(cbind(1, c(-2, -1, 0.1, -0.1, 1, 2)), c(0, 0, 0, 1, 1, 1)))
  # constant y without a direction: no separation
  expect_equal(probit_mle(cbind(c(-1, 1)), c(1, 1))$coefficients, 0)
})

test_that("no random numbers are used", {
  d <- make_data(50, c(0.3, 1), 8)
  set.seed(1); s <- .Random.seed
  probit_mle(d$X, d$y)
  expect_identical(.Random.seed, s)
})

test_that("input is refused in the order of the specification", {
  d <- make_data(20, c(0.3, 1), 9); X <- d$X; y <- d$y
  for (fun in list(probit_mle, probit_gibbs, probit_mh)) {
    for (bad in list(as.data.frame(X), X[, 2], X > 0, matrix("a", 20, 2), NULL))
      expect_error(fun(bad, "y"), "X must be a numeric matrix")
    expect_error(fun(matrix(0, 20, 0), "y"), "at least one column")
    expect_error(fun(replace(X, 3, NA), "y"), "X must be finite")
    expect_error(fun(replace(X, 3, Inf), "y"), "X must be finite")
    expect_error(fun(X, as.character(y)), "y must be numeric or logical")
    expect_error(fun(X, factor(y)), "y must be numeric or logical")
    expect_error(fun(X, c(y, 7)), "length of y")
    expect_error(fun(X, replace(y, 1, 0.5), -1), "y must contain only 0 and 1")
    expect_error(fun(X, replace(y, 1, NA), -1), "y must contain only 0 and 1")
  }
  Z <- cbind(X, X[, 2])
  for (v in list(0, 1.5, NA, Inf, "a", 1:2, NULL)) expect_error(probit_mle(Z, y, max_iter = v, tol = -1), "^max_iter")
  for (v in list(0, -1, NA, Inf, "a", c(1, 1))) expect_error(probit_mle(Z, y, tol = v), "^tol")
  expect_error(probit_mle(Z, y), "full column rank")
  expect_error(probit_mle(X[0, ], numeric(0)), "full column rank")
  expect_error(probit_mle(X[1, , drop = FALSE], 1), "full column rank")
  expect_error(probit_mle(Z, rep(1, 20)), "full column rank")
})

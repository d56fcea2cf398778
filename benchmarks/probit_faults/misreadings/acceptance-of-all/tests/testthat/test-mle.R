# log-likelihood and its derivatives, written independently
ll <- function(b, X, y) sum(pnorm((2 * y - 1) * drop(X %*% b), log.p = TRUE))

test_that("agrees with glm", {
  for (s in 1:4) {
    d <- simulate_probit(c(30, 100, 300, 1000)[s], c(0.3, -0.5, 0.8), s)
    f <- probit_mle(d$X, d$y)
    g <- glm(d$y ~ d$X - 1, family = binomial("probit"),
      control = list(epsilon = 1e-14, maxit = 100))
    expect_equal(unname(f$coefficients), unname(coef(g)), tolerance = 1e-6)
    expect_equal(f$loglik, as.numeric(logLik(g)), tolerance = 1e-8)
    expect_true(f$converged)
  }
})

test_that("score is zero and vcov is the inverse observed information", {
  d <- simulate_probit(80, c(0.3, -0.5, 0.8), 9)
  f <- probit_mle(d$X, d$y)
  q <- 2 * d$y - 1
  m <- q * drop(d$X %*% f$coefficients)
  lambda <- dnorm(m) / pnorm(m)
  expect_lt(max(abs(crossprod(d$X, q * lambda))), 1e-9)
  info <- crossprod(d$X, lambda * (lambda + m) * d$X)
  expect_equal(f$vcov %*% info, diag(3), tolerance = 1e-9, ignore_attr = TRUE)
  expect_identical(f$vcov, t(f$vcov))
  expect_equal(f$se, sqrt(diag(f$vcov)))
  h <- optimHess(f$coefficients, ll, X = d$X, y = d$y, control = list(ndeps = rep(1e-4, 3)))
  expect_equal(unname(-h), unname(info), tolerance = 1e-4)
  expect_equal(f$loglik, ll(f$coefficients, d$X, d$y), tolerance = 1e-12)
})

test_that("intercept only has a closed form", {
  y <- rep(c(1, 0), c(7, 3))
  f <- probit_mle(matrix(1, 10, 1), y)
  expect_equal(f$coefficients, qnorm(0.7), tolerance = 1e-10)
  expect_null(names(f$coefficients))
  expect_null(dimnames(f$vcov))
})

test_that("a single Newton step is the first of Algorithm 1", {
  d <- simulate_probit(50, c(0.2, 0.5), 5)
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  # at zero lambda = sqrt(2/pi), d = 2/pi: least squares of q scaled by sqrt(pi/2)
  b <- qr.coef(qr(d$X), (2 * d$y - 1) * sqrt(pi / 2))
  expect_equal(f$coefficients, b, tolerance = 1e-12)
  expect_false(f$converged)
  expect_identical(f$iterations, 1L)
})

test_that("invariance: flipping y, scaling columns, permuting rows", {
  d <- simulate_probit(120, c(0.3, -0.5, 0.8), 21)
  f <- probit_mle(d$X, d$y)
  expect_equal(probit_mle(d$X, 1 - d$y)$coefficients, -f$coefficients, tolerance = 1e-8)
  A <- diag(c(1, 1e-4, 1e4))
  expect_equal(unname(probit_mle(d$X %*% A, d$y)$coefficients),
    unname(solve(A, f$coefficients)), tolerance = 1e-6)
  p <- sample(120)
  expect_equal(probit_mle(d$X[p, ], d$y[p])$coefficients, f$coefficients, tolerance = 1e-8)
  expect_equal(probit_mle(d$X, d$y == 1)$coefficients, f$coefficients)
})

test_that("a badly fitted outlier far in the tail is no problem", {
  X <- cbind(1, c(-2, -1, -1, 0, 0, 1, 1, 2, 60))
  y <- c(0, 0, 1, 0, 1, 0, 1, 1, 0)
  f <- probit_mle(X, y)
  m <- (2 * y - 1) * drop(X %*% f$coefficients)
  score <- crossprod(X, (2 * y - 1) * dnorm(m) / pnorm(m))
  expect_lt(max(abs(score)), 1e-8)
  near <- vapply(1:20, function(i) ll(f$coefficients + 1e-3 * c(cos(i), sin(i)), X, y), 0)
  expect_true(all(near < f$loglik))
})

test_that("separation is an error for every max_iter", {
  x <- c(-3, -2, -1, 1, 2, 3)
  X <- cbind(1, x)
  complete <- as.numeric(x > 0)
  quasi_x <- cbind(1, c(-2, -1, 0, 0, 1, 2))
  quasi <- c(0, 0, 0, 1, 1, 1)
  dummy <- cbind(1, rep(0:1, each = 10), sin(1:20))
  ydummy <- c(rep(0:1, 5), rep(1, 10))
  for (m in c(1, 2, 5, 100)) {
    expect_error(probit_mle(X, complete, max_iter = m), "separat")
    expect_error(probit_mle(X, rep(1, 6), max_iter = m), "separat")
    expect_error(probit_mle(X, rep(0, 6), max_iter = m), "separat")
    expect_error(probit_mle(quasi_x, quasi, max_iter = m), "separat")
    expect_error(probit_mle(dummy, ydummy, max_iter = m), "separat")
  }
})

test_that("rank comes before separation, arguments before rank", {
  X <- cbind(1, 1:6, 2 * (1:6))
  y <- rep(0:1, 3)
  expect_error(probit_mle(X, y), "full column rank")
  expect_error(probit_mle(X, rep(1, 6)), "full column rank")
  expect_error(probit_mle(X[1:2, ], y[1:2]), "full column rank")
  expect_error(probit_mle(X[0, ], numeric(0)), "full column rank")
  expect_error(probit_mle(X, y, max_iter = 0), "^max_iter")
  expect_error(probit_mle(X, y, max_iter = 0, tol = -1), "^max_iter")
  expect_error(probit_mle(X, y, tol = 0), "^tol")
})

test_that("the generator is untouched", {
  d <- simulate_probit(50, c(0.2, 0.5), 5)
  set.seed(1)
  before <- .Random.seed
  probit_mle(d$X, d$y)
  expect_identical(.Random.seed, before)
})

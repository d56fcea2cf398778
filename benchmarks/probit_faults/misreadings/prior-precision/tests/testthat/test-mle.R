test_that("the estimate agrees with glm", {
  for (s in 1:4) {
    d <- make_data(150, c(0.2, -0.7, 0.5), s)
    f <- probit_mle(d$X, d$y)
    g <- glm.fit(d$X, d$y, family = binomial("probit"),
                 control = list(epsilon = 1e-14, maxit = 100))
    expect_equal(f$coefficients, g$coefficients, tolerance = 1e-7)
    expect_equal(-2 * f$loglik, g$deviance, tolerance = 1e-10)
    expect_true(f$converged)
  }
})

test_that("vcov is the inverse of the observed second derivative", {
  d <- make_data(120, c(0.2, -0.7, 0.5), 9)
  f <- probit_mle(d$X, d$y)
  expect_equal(f$vcov, solve(hess(f$coefficients, d$X, d$y)), tolerance = 1e-8)
  expect_identical(f$vcov, t(f$vcov))
  expect_equal(f$se, sqrt(diag(f$vcov)))
  expect_equal(f$loglik, ll(f$coefficients, d$X, d$y))
  # numerical second derivative
  h <- 1e-4; b <- unname(f$coefficients); H <- matrix(0, 3, 3)
  for (i in 1:3) for (j in 1:3) {
    e <- h * (1:3 == i); g <- h * (1:3 == j)
    H[i, j] <- (ll(b + e + g, d$X, d$y) - ll(b + e - g, d$X, d$y) -
                  ll(b - e + g, d$X, d$y) + ll(b - e - g, d$X, d$y)) / (4 * h^2)
  }
  expect_equal(unname(f$vcov), solve(-H), tolerance = 1e-4)
})

test_that("known answer with an intercept only", {
  X <- matrix(1, 10, 1); y <- rep(c(1, 0), c(7, 3))
  f <- probit_mle(X, y)
  expect_equal(f$coefficients, qnorm(0.7))
  expect_equal(f$loglik, 7 * log(0.7) + 3 * log(0.3))
  expect_equal(f$se, sqrt(0.21 / 10) / dnorm(qnorm(0.7)))
  expect_null(names(f$coefficients)); expect_null(dim(f$coefficients))
  expect_null(dimnames(f$vcov))
  h <- probit_mle(X[1:8, , drop = FALSE], rep(0:1, 4))
  expect_equal(h$coefficients, 0)
  expect_identical(h$iterations, 1L)
})

test_that("fields, names and types", {
  d <- make_data()
  f <- probit_mle(d$X, d$y == 1)
  expect_s3_class(f, "probit_fit")
  expect_named(f, c("coefficients", "vcov", "se", "loglik", "iterations",
                    "converged", "nobs", "method"))
  expect_named(f$coefficients, colnames(d$X)); expect_named(f$se, colnames(d$X))
  expect_identical(dimnames(f$vcov), list(colnames(d$X), colnames(d$X)))
  expect_type(f$iterations, "integer"); expect_identical(f$nobs, 200L)
  expect_identical(f$method, "mle")
  Xi <- cbind(1L, rep(0:1, 100))
  expect_equal(probit_mle(Xi, d$y), probit_mle(Xi + 0, d$y))
})

test_that("badly scaled columns and an outlier", {
  d <- make_data(300, c(0.2, 0.9, -0.4), 5)
  f <- probit_mle(d$X, d$y)
  s <- c(1, 1e-6, 1e5)
  g <- probit_mle(sweep(d$X, 2, s, "/"), d$y)
  expect_equal(g$coefficients, f$coefficients * s, tolerance = 1e-7)
  X <- rbind(d$X, c(1, 60, 0)); y <- c(d$y, 0)
  r <- optim(c(0, 0, 0), function(b) -ll(b, X, y), method = "BFGS",
             control = list(reltol = 1e-15))
  expect_equal(unname(probit_mle(X, y)$coefficients), r$par, tolerance = 1e-4)
})

test_that("separation is an error for every max_iter", {
  x <- c(-3, -2, -1, 1, 2, 3)
  for (m in c(1, 2, 5, 100)) {
    expect_error(probit_mle(cbind(1, x), as.numeric(x > 0), max_iter = m), "separat")
    # quasi-complete
    expect_error(probit_mle(cbind(1, c(-1, -1, 0, 0, 1, 1)), c(0, 0, 0, 1, 1, 1),
                            max_iter = m), "separat")
    g <- cbind(1, rep(0:1, c(20, 5)))
    expect_error(probit_mle(g, c(rep(0:1, 10), rep(1, 5)), max_iter = m), "separat")
    expect_error(probit_mle(cbind(1, x), rep(1, 6), max_iter = m), "separat")
    expect_error(probit_mle(cbind(1, x), rep(0, 6), max_iter = m), "separat")
  }
  expect_error(probit_mle(matrix(1, 1, 1), 1), "separat")
  # overlap by one pair is no separation
  expect_true(probit_mle(cbind(1, x), c(0, 0, 1, 0, 1, 1))$converged)
})

test_that("max_iter reached without separation warns", {
  d <- make_data()
  expect_warning(f <- probit_mle(d$X, d$y, max_iter = 1), "did not converge")
  expect_false(f$converged); expect_identical(f$iterations, 1L)
  # first Newton step from zero is a least-squares fit
  q <- 2 * d$y - 1
  expect_equal(f$coefficients, sqrt(pi / 2) * qr.coef(qr(d$X), q), tolerance = 1e-10)
  expect_equal(f$vcov, solve(hess(f$coefficients, d$X, d$y)), tolerance = 1e-8)
})

test_that("rank", {
  expect_error(probit_mle(cbind(1, 1:4, 2 * (1:4)), c(0, 1, 0, 1)), "full column rank")
  expect_error(probit_mle(matrix(0, 0, 2), numeric(0)), "full column rank")
  expect_error(probit_mle(cbind(1, 2, 3), 1), "full column rank")
})

test_that("checks come in order", {
  X <- cbind(1, c(1, 2, 3)); y <- c(0, 1, 0)
  expect_error(probit_mle(data.frame(X), "a"), "X must be a numeric matrix")
  expect_error(probit_mle(1:3, y), "X must be a numeric matrix")
  expect_error(probit_mle(X > 1, y), "X must be a numeric matrix")
  expect_error(probit_mle(matrix(0, 3, 0), "a"), "at least one column")
  expect_error(probit_mle(X / 0, "a"), "X must be finite")
  expect_error(probit_mle(X, factor(y)), "y must be numeric or logical")
  expect_error(probit_mle(X, c("0", "1")), "y must be numeric or logical")
  expect_error(probit_mle(X, c(0, 5)), "length of y")
  expect_error(probit_mle(X, c(0, 1, NA), max_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_mle(X, c(0, 1, 2)), "y must contain only 0 and 1")
  for (m in list(0, 1.5, NA, Inf, "1", 1:2, NULL, TRUE)) {
    expect_error(probit_mle(X, y, max_iter = m, tol = -1), "^max_iter")
  }
  for (t in list(0, -1, NA, Inf, "1", c(1, 1))) {
    expect_error(probit_mle(cbind(X, 1), y, tol = t), "^tol")
  }
})

test_that("no random numbers are used", {
  d <- make_data(); set.seed(1); s <- .Random.seed
  probit_mle(d$X, d$y)
  expect_identical(.Random.seed, s)
})

test_that("separation is found exactly where the ordering of x says so", {
  set.seed(12)
  for (r in 1:400) {
    n <- sample(3:12, 1); x <- sample(-3:3, n, TRUE); y <- rbinom(n, 1, 0.5)
    if (length(unique(x)) < 2) next
    a <- x[y == 0]; b <- x[y == 1]
    sep <- !length(a) || !length(b) || max(a) <= min(b) || max(b) <= min(a)
    for (m in c(2, 100)) {
      got <- tryCatch({ suppressWarnings(probit_mle(cbind(1, x), y, m)); FALSE },
                      error = function(e) grepl("separat", conditionMessage(e)))
      expect_identical(got, sep)
    }
  }
})

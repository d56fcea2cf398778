test_that("data checks of the three functions, in order", {
  X <- cbind(1, c(-1, 0, 1, 2))
  y <- c(0, 1, 0, 1)
  for (f in list(probit_mle, probit_gibbs, probit_mh)) {
    expect_error(f(as.data.frame(X), "a"), "X must be a numeric matrix")
    expect_error(f(1:4, y), "X must be a numeric matrix")
    expect_error(f(X > 0, y), "X must be a numeric matrix")
    expect_error(f(X[, 0], "a"), "at least one column")
    Xi <- X
    Xi[1, 1] <- NA
    expect_error(f(Xi, "a"), "X must be finite")
    Xi[1, 1] <- Inf
    expect_error(f(Xi, y), "X must be finite")
    expect_error(f(X, factor(y)), "y must be numeric or logical")
    expect_error(f(X, as.character(y)), "y must be numeric or logical")
    expect_error(f(X, c(5, 1)), "length of y")
    expect_error(f(X, c(0, 1, 2, 1)), "y must contain only 0 and 1")
    expect_error(f(X, c(0, 1, NA, 1)), "y must contain only 0 and 1")
  }
})

test_that("arguments of the samplers in the order of the signature", {
  X <- cbind(1, c(-1, 0, 1, 2))
  y <- c(0, 1, 0, 1)
  for (f in list(probit_gibbs, probit_mh)) {
    for (bad in list(0, 1.5, NA, "a", c(1, 2), Inf, NULL)) {
      expect_error(f(X, y, n_iter = bad, burn_in = -1), "^n_iter")
    }
    for (bad in list(-1, 10, 0.5, NA, "a")) {
      expect_error(f(X, y, n_iter = 10, burn_in = bad, beta0 = 1), "^burn_in")
    }
    for (bad in list(1, c(1, NA), c("a", "b"), c(1, Inf))) {
      expect_error(f(X, y, 10, 0, beta0 = bad, Sigma0 = 1), "^beta0")
    }
    for (bad in list(1, diag(3), diag(c(1, -1)), matrix(1, 2, 2), matrix(c(1, 0, 0.5, 1), 2),
      diag(c(1, NA)), "a")) {
      expect_error(f(X, y, 10, 0, Sigma0 = bad), "^Sigma0")
    }
  }
  expect_error(probit_mh(X, y, 10, 0, scale = 0, beta0 = 1), "^scale")
  expect_error(probit_mh(X, y, 10, 0, Sigma0 = 1, init = 1), "^Sigma0")
  expect_error(probit_mh(X, y, 10, 0, init = 1), "^init")
})

# Algorithms 2 and 3 once more in plain R, from the same random numbers.
ref_gibbs <- function(X, y, n_iter, b0, S0) {
  P <- solve(S0) + crossprod(X); U <- chol(P); b <- numeric(ncol(X))
  out <- matrix(0, n_iter, ncol(X))
  for (i in seq_len(n_iter)) {
    mu <- drop(X %*% b); u <- runif(nrow(X))
    F0 <- pnorm(-mu)
    ys <- mu + ifelse(y == 1, qnorm(F0 + u * (1 - F0)), qnorm(u * F0))
    b <- drop(solve(P, solve(S0, b0) + crossprod(X, ys)) + backsolve(U, rnorm(ncol(X))))
    out[i, ] <- b
  }
  out
}
ref_mh <- function(X, y, n_iter, s, b0, S0, b, C = crossprod(X)) {
  lp <- function(v) ref_loglik(v, X, y) - drop((v - b0) %*% solve(S0, v - b0)) / 2
  U <- chol(C); out <- matrix(0, n_iter, ncol(X)); acc <- logical(n_iter)
  for (i in seq_len(n_iter)) {
    p <- b + sqrt(s) * backsolve(U, rnorm(ncol(X)))
    acc[i] <- log(runif(1)) < lp(p) - lp(b)
    if (acc[i]) b <- p
    out[i, ] <- b
  }
  list(draws = out, acc = acc)
}
S <- matrix(c(2, 0.5, 0.5, 1), 2); b0 <- c(0.5, -1)

test_that("Gibbs follows Algorithm 2", {
  d <- sim_data(30, c(0.3, -0.5), 21)
  set.seed(2); r <- ref_gibbs(d$X, d$y, 50, b0, S)
  set.seed(2); f <- probit_gibbs(d$X, d$y, 50, 10, b0, S)
  expect_equal(unname(f$beta_draws), r[11:50, ], tolerance = 1e-6)
  expect_equal(f$posterior_mean, colMeans(f$beta_draws))
  expect_equal(f$posterior_sd, apply(f$beta_draws, 2, sd))
  expect_identical(colnames(f$beta_draws), colnames(d$X))
  expect_identical(names(f), c("beta_draws", "posterior_mean", "posterior_sd", "nobs", "method"))
})

test_that("Metropolis-Hastings follows Algorithm 3", {
  d <- sim_data(30, c(0.3, -0.5), 22)
  for (s in c(0.5, 2.4)) {
    set.seed(2); r <- ref_mh(d$X, d$y, 200, s, b0, S, c(0.1, 0.2))
    set.seed(2); f <- probit_mh(d$X, d$y, 200, 50, s, b0, S, init = c(0.1, 0.2))
    expect_equal(unname(f$beta_draws), r$draws[51:200, ], tolerance = 1e-8)
    expect_identical(f$acceptance_rate, mean(r$acc[51:200]))
  }
  # default scale, and the maximum likelihood estimate as start
  set.seed(2); r <- ref_mh(d$X, d$y, 100, 2.4, c(0, 0), diag(100, 2),
                           probit_mle(d$X, d$y)$coefficients)
  set.seed(2); f <- probit_mh(d$X, d$y, 100, 0)
  expect_equal(unname(f$beta_draws), r$draws, tolerance = 1e-8)
  # singular X'X: the precision of the proposal takes in the prior
  X <- cbind(d$X[, 2], d$X[, 2])
  set.seed(2); r <- ref_mh(X, d$y, 100, 2.4, b0, S, b0, crossprod(X) + solve(S))
  set.seed(2); f <- probit_mh(X, d$y, 100, 0, 2.4, b0, S, init = b0)
  expect_equal(f$beta_draws, r$draws, tolerance = 1e-8)
})

test_that("the covariance of the proposal is scale times the inverse of X'X", {
  d <- sim_data(50, c(0.3, -0.5, 0.2), 23)
  for (s in c(1e-4, 1e-6)) {           # small steps: nearly all are accepted
    set.seed(4)
    f <- probit_mh(d$X, d$y, 20000, 0, scale = s)
    expect_gt(f$acceptance_rate, 0.97)
    V <- crossprod(diff(f$beta_draws)) / 19999
    expect_equal(unname(V %*% crossprod(d$X)) / s, diag(3), tolerance = 0.08)
  }
  # without rows: s Sigma0
  set.seed(4)
  f <- probit_mh(matrix(0, 0, 2), numeric(0), 20000, 0, scale = 1e-4, Sigma0 = S)
  expect_equal(crossprod(diff(f$beta_draws)) / 19999 / 1e-4, S, tolerance = 0.05)
})

test_that("both samplers agree with each other and with numerical integration", {
  y <- rep(c(1, 0), c(6, 2)); X <- matrix(1, 8, 1)
  post <- function(b) pnorm(b)^6 * pnorm(-b)^2 * dnorm(b, 0.2, sqrt(2))
  c0 <- integrate(post, -8, 8)$value
  m <- integrate(function(b) b * post(b), -8, 8)$value / c0
  s <- sqrt(integrate(function(b) (b - m)^2 * post(b), -8, 8)$value / c0)
  set.seed(6)
  g <- probit_gibbs(X, y, 20500, 500, 0.2, matrix(2))
  h <- probit_mh(X, y, 40500, 500, beta0 = 0.2, Sigma0 = matrix(2))
  expect_lt(abs(g$posterior_mean - m), 0.03); expect_lt(abs(h$posterior_mean - m), 0.03)
  expect_lt(abs(g$posterior_sd - s), 0.03); expect_lt(abs(h$posterior_sd - s), 0.03)
  d <- sim_data(200, c(0.3, -0.5, 0.4), 24)
  g <- probit_gibbs(d$X, d$y, 6000); h <- probit_mh(d$X, d$y, 30000)
  expect_lt(max(abs(g$posterior_mean - h$posterior_mean) / g$posterior_sd), 0.15)
  expect_lt(max(abs(log(g$posterior_sd / h$posterior_sd))), 0.1)
  expect_gt(h$acceptance_rate, 0.2); expect_lt(h$acceptance_rate, 0.6)
})

test_that("without rows the prior comes back, silently", {
  X <- matrix(0, 0, 2); set.seed(7)
  expect_silent(g <- probit_gibbs(X, numeric(0), 20000, 0, b0, S))
  expect_silent(h <- probit_mh(X, logical(0), 60000, 1000, 2.4, b0, S))
  expect_equal(g$posterior_mean, b0, tolerance = 0.05); expect_equal(vcov(g), S, tolerance = 0.06)
  expect_equal(h$posterior_mean, b0, tolerance = 0.1); expect_equal(vcov(h), S, tolerance = 0.12)
  expect_identical(g$nobs, 0L)
})

test_that("simulation-based calibration of the ranks", {
  set.seed(9); R <- 150
  X <- cbind(1, seq(-1, 1, length.out = 12))
  rank <- replicate(R, {
    b <- rnorm(2); y <- as.numeric(X %*% b + rnorm(12) > 0)
    g <- probit_gibbs(X, y, 1000, 100, Sigma0 = diag(2))$beta_draws
    h <- probit_mh(X, y, 3000, 500, Sigma0 = diag(2), init = c(0, 0))$beta_draws
    c(mean(g[, 1] < b[1]), mean(g[, 2] < b[2]), mean(h[, 1] < b[1]), mean(h[, 2] < b[2]))
  })
  for (j in 1:4) expect_gt(suppressWarnings(ks.test(rank[j, ], "punif"))$p.value, 1e-3)
})

test_that("degenerate data: warnings, finite draws", {
  x <- c(-2, -1, 1, 2); X <- cbind(1, x); y <- as.numeric(x > 0); set.seed(10)
  expect_warning(f <- probit_mh(X, y, 200, 0), "prior mean")
  expect_true(all(is.finite(f$beta_draws)))
  expect_warning(probit_mh(cbind(x, x), c(0, 1, 0, 1), 20, 0), "prior mean")
  expect_warning(probit_mh(X[1, , drop = FALSE], 1, 20, 0), "prior mean")
  expect_silent(probit_mh(X, y, 20, 0, init = c(0, 0)))
  expect_silent(g <- probit_gibbs(X, y, 200, 0)); expect_true(all(is.finite(g$beta_draws)))
  expect_silent(probit_gibbs(cbind(X, X), rep(TRUE, 4), 50, 0))
  expect_silent(probit_gibbs(1e6 * X, 1 - y, 50, 0, c(0, 100)))
  one <- probit_gibbs(X, y, 3, 2)
  expect_identical(dim(one$beta_draws), c(1L, 2L))
  expect_identical(unname(one$posterior_sd), c(NA_real_, NA_real_))
})

test_that("reproducible, and the generator is left as it was", {
  d <- sim_data(20, c(0, 1), 25); kind <- RNGkind()
  set.seed(1); a <- probit_gibbs(d$X, d$y, 20, 0); b <- probit_mh(d$X, d$y, 20, 0)
  set.seed(1); expect_identical(probit_gibbs(d$X, d$y, 20, 0), a)
  expect_identical(probit_mh(d$X, d$y, 20, 0), b)
  expect_identical(RNGkind(), kind)
})

test_that("order of the checks of the samplers", {
  X <- cbind(1, 1:6); y <- c(0, 1, 0, 1, 0, 1)
  expect_error(probit_gibbs(X, y, 0, -1), "^n_iter")
  expect_error(probit_gibbs(X, y, 10, 10, "a"), "^burn_in")
  expect_error(probit_gibbs(X, y, 10, 0, 1, diag(3)), "^beta0")
  for (bad in list(diag(3), 1, diag(c(1, -1)), matrix(1, 2, 2), matrix(c(1, 0, 1, 1), 2),
                   diag(c(1, NA)), diag(c(1, Inf))))
    expect_error(probit_gibbs(X, y, 10, 0, NULL, bad), "^Sigma0")
  expect_error(probit_mh(X, y, NA), "^n_iter")
  expect_error(probit_mh(X, y, 10, 0, 0, "a"), "^scale")
  expect_error(probit_mh(X, y, 10, 0, 1, c(1, NA), 1), "^beta0")
  expect_error(probit_mh(X, y, 10, 0, 1, NULL, 1, "a"), "^Sigma0")
  expect_error(probit_mh(X, y, 10, 0, init = 1), "^init")
  expect_error(probit_mh(X, y[-1], 0), "length of y")
  S2 <- diag(2); dimnames(S2) <- list(c("a", "b"), c("c", "d"))
  expect_silent(probit_gibbs(X, y, 10, 0, Sigma0 = S2))
})

test_that("Gibbs follows the algorithm, step by step", {
  # direct transcription with sigma explicit, same random numbers
  d <- sim_data(25, c(0.3, 0.7), 11)
  X <- d$X
  n <- nrow(X)
  b0 <- c(0.5, -0.2)
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  set.seed(12)
  P <- solve(S0) + crossprod(X)
  U <- chol(P)
  beta <- c(0, 0)
  sigma <- 1
  ref <- matrix(0, 60, 2)
  for (t in 1:60) {
    u <- runif(n)
    mu <- drop(X %*% beta) / sigma
    p0 <- pnorm(-mu)
    w <- mu + ifelse(d$y == 1, qnorm(p0 + u * (1 - p0)), qnorm(u * p0))
    ystar <- sigma * w
    beta <- drop(solve(P, solve(S0, b0) + crossprod(X, ystar))) +
      sigma * backsolve(U, rnorm(2))
    sigma <- sqrt(sum((ystar - X %*% beta)^2) / rchisq(1, n))
    ref[t, ] <- beta / sigma
  }
  set.seed(12)
  fit <- probit_gibbs(X, d$y, 60, 10, b0, S0)
  expect_equal(fit$beta_draws, ref[11:60, ], tolerance = 1e-6,
               ignore_attr = TRUE)
  expect_identical(colnames(fit$beta_draws), colnames(X))
})

test_that("Metropolis-Hastings follows the algorithm, step by step", {
  d <- sim_data(25, c(0.3, 0.7), 13)
  b0 <- c(0.5, -0.2)
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  q <- 2 * d$y - 1
  lp <- function(b) {
    sum(pnorm(q * (d$X %*% b), log.p = TRUE)) -
      0.5 * sum((b - b0) * solve(S0, b - b0))
  }
  U <- chol(crossprod(d$X))
  set.seed(14)
  b <- probit_mle(d$X, d$y)$coefficients
  ref <- matrix(0, 200, 2)
  acc <- logical(200)
  for (t in 1:200) {
    p <- b + 1.7 * backsolve(U, rnorm(2))
    acc[t] <- log(runif(1)) < lp(p) - lp(b)
    if (acc[t]) b <- p
    ref[t, ] <- b
  }
  set.seed(14)
  fit <- probit_mh(d$X, d$y, 200, 50, 1.7, b0, S0)
  expect_equal(fit$beta_draws, ref[51:200, ], tolerance = 1e-8,
               ignore_attr = TRUE)
  expect_equal(fit$acceptance_rate, mean(acc[51:200]))
})

test_that("Metropolis-Hastings has the posterior of numerical integration", {
  y <- c(1, 1, 1, 0, 1)
  f <- function(b) exp(4 * pnorm(b, log.p = TRUE) + pnorm(-b, log.p = TRUE) +
                         dnorm(b, 0.5, 2, log = TRUE))
  Z <- integrate(f, -10, 12)$value
  m <- integrate(function(b) b * f(b), -10, 12)$value / Z
  s <- sqrt(integrate(function(b) (b - m)^2 * f(b), -10, 12)$value / Z)
  set.seed(15)
  fit <- probit_mh(matrix(1, 5), y, 60000, 1000, beta0 = 0.5,
                   Sigma0 = matrix(4))
  expect_equal(fit$posterior_mean, m, tolerance = 0.03)
  expect_equal(fit$posterior_sd, s, tolerance = 0.03)
})

test_that("with many observations both samplers agree with the estimate", {
  d <- sim_data(800, c(0.3, 0.6), 16)
  ml <- probit_mle(d$X, d$y)
  set.seed(17)
  g <- probit_gibbs(d$X, d$y)
  m <- probit_mh(d$X, d$y)
  for (fit in list(g, m)) {
    expect_lt(max(abs(fit$posterior_mean - ml$coefficients) / ml$se), 0.25)
    expect_equal(fit$posterior_sd, ml$se, tolerance = 0.1)
  }
  expect_gt(m$acceptance_rate, 0.25)
  expect_lt(m$acceptance_rate, 0.5)
})

test_that("without rows both samplers draw from the prior, silently", {
  b0 <- c(1, -2)
  S0 <- matrix(c(2, 0.6, 0.6, 0.5), 2)
  set.seed(18)
  expect_silent(g <- probit_gibbs(no_rows(2), numeric(0), 20000, 0, b0, S0))
  expect_silent(m <- probit_mh(no_rows(2), logical(0), 80000, 1000,
                               beta0 = b0, Sigma0 = S0))
  expect_lt(max(abs(g$posterior_mean - b0) / sqrt(diag(S0) / 20000)), 4.5)
  expect_equal(var(g$beta_draws), S0, tolerance = 0.05)
  expect_equal(m$posterior_mean, b0, tolerance = 0.05)
  expect_equal(var(m$beta_draws), S0, tolerance = 0.1)
  expect_identical(g$nobs, 0L)
  # exactly: beta0 + U^-1 z with U'U the prior precision
  set.seed(19)
  z <- rnorm(2)
  set.seed(19)
  one <- probit_gibbs(no_rows(2), numeric(0), 1, 0, b0, S0)
  expect_equal(one$posterior_mean, b0 + backsolve(chol(solve(S0)), z))
})

test_that("degenerate data are accepted; only mh warns", {
  x <- c(-2, -1, 1, 2)
  cases <- list(
    separated = list(cbind(1, x), c(0, 0, 1, 1)),
    constant = list(cbind(1, x), rep(1, 4)),
    collinear = list(cbind(1, x, 2 * x), c(0, 1, 0, 1)),
    wide = list(matrix(c(1, 2, 3), 1), 1),
    large = list(cbind(1, 1e10 * x, 1e10 * x), c(0, 1, 0, 1))
  )
  set.seed(20)
  for (s in cases) {
    expect_silent(g <- probit_gibbs(s[[1]], s[[2]], 300, 50))
    expect_true(all(is.finite(g$beta_draws)))
    expect_warning(m <- probit_mh(s[[1]], s[[2]], 300, 50), "prior mean")
    expect_true(all(is.finite(m$beta_draws)))
    expect_silent(probit_mh(s[[1]], s[[2]], 20, 5, init = rep(0, ncol(s[[1]]))))
  }
})

test_that("a long Gibbs chain stays finite although sigma has no scale", {
  set.seed(21)
  fit <- probit_gibbs(matrix(1, 3), c(0, 1, 1), 50000, 0)
  expect_true(all(is.finite(fit$beta_draws)))
  fit <- probit_gibbs(matrix(1, 3), c(0, 1, 1), 50000, 0, beta0 = 3)
  expect_true(all(is.finite(fit$beta_draws)))
})

test_that("shapes, summaries, one draw and reproducibility", {
  d <- sim_data(30, c(0.3, 0.7), 22)
  for (f in list(probit_gibbs, probit_mh)) {
    set.seed(1)
    a <- f(d$X, d$y, 40, 10)
    set.seed(1)
    b <- f(unname(d$X), d$y, 40L, 10L)
    expect_identical(dim(a$beta_draws), c(30L, 2L))
    expect_identical(unname(a$beta_draws), b$beta_draws)
    expect_null(names(b$posterior_mean))
    expect_equal(a$posterior_mean, colMeans(a$beta_draws))
    expect_equal(a$posterior_sd, apply(a$beta_draws, 2, sd))
    expect_identical(names(a$posterior_sd), colnames(d$X))
    one <- f(d$X, d$y, 5, 4)
    expect_identical(dim(one$beta_draws), c(1L, 2L))
    expect_identical(unname(one$posterior_sd), c(NA_real_, NA_real_))
    expect_s3_class(one, "probit_fit")
  }
  expect_error(logLik(a), "maximum likelihood")
  expect_equal(vcov(a), var(a$beta_draws))
})

test_that("shapes, names and reproducibility", {
  d <- simulate_probit(40, c(0.2, 0.5), 5)
  for (f in list(probit_gibbs, probit_mh)) {
    set.seed(1)
    a <- f(d$X, d$y, n_iter = 60, burn_in = 20)
    set.seed(1)
    b <- f(d$X, d$y, n_iter = 60L, burn_in = 0L)
    expect_identical(dim(a$beta_draws), c(40L, 2L))
    expect_identical(a$beta_draws, b$beta_draws[21:60, ])
    expect_identical(colnames(a$beta_draws), colnames(d$X))
    expect_equal(a$posterior_mean, colMeans(a$beta_draws))
    expect_equal(a$posterior_sd, apply(a$beta_draws, 2, sd))
    expect_identical(a$nobs, 40L)
    one <- f(unname(d$X), d$y, n_iter = 1, burn_in = 0)
    expect_identical(one$posterior_sd, c(NA_real_, NA_real_))
    expect_null(dimnames(one$beta_draws))
  }
})

test_that("Gibbs is Algorithm 2, written in R", {
  d <- simulate_probit(15, c(0.2, 0.5), 6)
  b0 <- c(0.5, -1)
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  set.seed(8)
  got <- probit_gibbs(d$X, d$y, 5, 0, b0, S0)$beta_draws
  set.seed(8)
  P <- solve(S0) + crossprod(d$X)
  U <- chol(P)
  beta <- c(0, 0)
  for (i in 1:5) {
    eta <- drop(d$X %*% beta)
    ys <- rtruncnorm(eta, ifelse(d$y == 1, 0, -Inf), ifelse(d$y == 1, Inf, 0))
    beta <- unname(drop(solve(P, solve(S0, b0) + crossprod(d$X, ys)))) + backsolve(U, rnorm(2))
    expect_equal(unname(got[i, ]), beta, tolerance = 1e-10)
  }
})

test_that("Metropolis-Hastings is Algorithm 3, written in R", {
  d <- simulate_probit(15, c(0.2, 0.5), 6)
  b0 <- c(0.5, -1)
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  lp <- function(b) {
    sum(pnorm((2 * d$y - 1) * drop(d$X %*% b), log.p = TRUE)) -
      0.5 * drop((b - b0) %*% solve(S0, b - b0))
  }
  set.seed(8)
  got <- probit_mh(d$X, d$y, 200, 50, 1.7, b0, S0, init = c(0.1, 0.2))
  set.seed(8)
  U <- chol(crossprod(d$X))
  beta <- c(0.1, 0.2)
  acc <- 0
  ref <- matrix(0, 200, 2)
  for (i in 1:200) {
    prop <- beta + 1.7 * backsolve(U, rnorm(2))
    if (log(runif(1)) < lp(prop) - lp(beta)) {
      beta <- prop
      acc <- acc + 1
    }
    ref[i, ] <- beta
  }
  expect_equal(unname(got$beta_draws), ref[51:200, ], tolerance = 1e-9)
  expect_identical(got$acceptance_rate, acc / 200)
})

test_that("both samplers agree with numerical integration", {
  # one coefficient: the posterior by quadrature
  x <- c(-1.5, -0.7, 0.1, 0.4, 0.9, 1.3, 2)
  y <- c(0, 1, 0, 1, 0, 1, 1)
  dens <- function(b) vapply(b, function(b) {
    exp(sum(pnorm((2 * y - 1) * x * b, log.p = TRUE)) - 0.5 * (b - 0.5)^2 / 2)
  }, 0)
  I <- function(g) integrate(function(b) g(b) * dens(b), -8, 9, rel.tol = 1e-9)$value
  m <- I(identity) / I(function(b) 1)
  s <- sqrt(I(function(b) (b - m)^2) / I(function(b) 1))
  set.seed(12)
  g <- probit_gibbs(matrix(x), y, 20000, 500, 0.5, matrix(2))
  h <- probit_mh(matrix(x), y, 40000, 1000, 2.4, 0.5, matrix(2))
  for (f in list(g, h)) {
    expect_lt(abs(f$posterior_mean - m), 0.06 * s)
    expect_lt(abs(f$posterior_sd / s - 1), 0.06)
  }
})

test_that("without rows the draws come from the prior, silently", {
  X <- matrix(0, 0, 2)
  b0 <- c(1, -2)
  S0 <- matrix(c(2, 0.5, 0.5, 1), 2)
  set.seed(13)
  expect_silent(g <- probit_gibbs(X, numeric(0), 10000, 0, b0, S0))
  expect_silent(h <- probit_mh(X, logical(0), 40000, 500, beta0 = b0, Sigma0 = S0))
  # independent draws: standard error 0.014 and less
  expect_lt(max(abs(g$posterior_mean - b0)), 0.06)
  expect_equal(var(g$beta_draws), S0, tolerance = 0.06)
  expect_lt(max(abs(h$posterior_mean - b0)), 0.12)
  expect_equal(var(h$beta_draws), S0, tolerance = 0.12)
  expect_gt(ks.test(g$beta_draws[, 1], "pnorm", 1, sqrt(2))$p.value, 1e-4)
})

test_that("simulation-based calibration of the Gibbs sampler", {
  set.seed(14)
  X <- cbind(1, seq(-1, 1, length.out = 12))
  S0 <- diag(2)
  rank <- replicate(200, {
    b <- rnorm(2)
    y <- as.numeric(X %*% b + rnorm(12) > 0)
    f <- probit_gibbs(X, y, 1050, 60, Sigma0 = S0)
    keep <- f$beta_draws[seq(1, 990, by = 10), ]
    c(sum(keep[, 1] < b[1]), sum(keep[, 2] < b[2]))
  })
  for (j in 1:2) {
    tab <- table(cut(rank[j, ], seq(-0.5, 99.5, by = 10)))
    expect_gt(chisq.test(tab)$p.value, 1e-4)
  }
})

test_that("degenerate data: warnings and none", {
  X <- cbind(1, 1:6, 2 * (1:6))
  y <- rep(0:1, 3)
  ones <- rep(1, 6)
  expect_silent(probit_gibbs(X, y, 50, 0))
  expect_silent(probit_gibbs(X * 1e9, y, 50, 0))
  expect_silent(probit_gibbs(X[, 1:2], ones, 50, 0))
  expect_silent(probit_gibbs(X[1, , drop = FALSE], 1, 50, 0))
  expect_warning(f <- probit_mh(X, y, 50, 0), "prior mean")
  expect_true(all(is.finite(f$beta_draws)))
  expect_warning(probit_mh(X[, 1:2], ones, 50, 0), "prior mean")
  expect_silent(probit_mh(X, y, 50, 0, init = c(0, 0, 0)))
})

test_that("the chain starts at the maximum likelihood estimate", {
  d <- simulate_probit(60, c(0.2, 0.5), 5)
  f <- probit_mh(d$X, d$y, 1, 0, scale = 1e-12)
  expect_equal(f$posterior_mean, probit_mle(d$X, d$y)$coefficients, tolerance = 1e-9)
})

test_that("about 40 per cent are accepted with two coefficients", {
  d <- simulate_probit(200, c(0.2, 0.5), 15)
  set.seed(1)
  a <- probit_mh(d$X, d$y)$acceptance_rate
  expect_gt(a, 0.30)
  expect_lt(a, 0.55)
})

test_that("kind of generator and arguments are left alone", {
  d <- simulate_probit(20, c(0.2, 0.5), 5)
  kind <- RNGkind()
  X <- d$X + 0
  probit_gibbs(X, d$y, 20, 0)
  suppressWarnings(probit_mh(X, d$y, 20, 0))
  expect_identical(RNGkind(), kind)
  expect_identical(X, d$X)
})

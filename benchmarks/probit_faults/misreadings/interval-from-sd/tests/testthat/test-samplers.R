test_that("fields, names, shapes and reproducibility", {
  d <- sim_probit(60, c(0.2, 0.5), 1)
  set.seed(4); g <- probit_gibbs(d$X, d$y, n_iter = 50, burn_in = 10)
  set.seed(4); g2 <- probit_gibbs(d$X, d$y, n_iter = 50L, burn_in = 10L)
  expect_identical(g, g2)
  expect_named(g, c("beta_draws", "posterior_mean", "posterior_sd", "nobs", "method"))
  expect_s3_class(g, "probit_fit", exact = TRUE)
  expect_identical(dim(g$beta_draws), c(40L, 2L))
  expect_identical(colnames(g$beta_draws), colnames(d$X))
  expect_equal(g$posterior_mean, colMeans(g$beta_draws))
  expect_equal(g$posterior_sd, apply(g$beta_draws, 2, sd))
  set.seed(4); m <- probit_mh(d$X, d$y, n_iter = 50, burn_in = 10)
  expect_named(m, c("beta_draws", "posterior_mean", "posterior_sd",
                    "acceptance_rate", "nobs", "method"))
  expect_identical(dim(m$beta_draws), c(40L, 2L))
  expect_identical(c(g$method, m$method), c("gibbs", "mh"))
  one <- probit_gibbs(unname(d$X[, 1, drop = FALSE]), d$y, 1, 0)
  expect_identical(one$posterior_sd, NA_real_)
  expect_identical(dim(one$beta_draws), c(1L, 1L))
  expect_null(dimnames(one$beta_draws)); expect_null(names(one$posterior_mean))
})

test_that("Gibbs sampler repeats Algorithm 2 written in R", {
  d <- sim_probit(15, c(0.2, 0.5), 2)
  b0 <- c(1, -1); S0 <- matrix(c(2, 0.5, 0.5, 1), 2)
  set.seed(8); g <- probit_gibbs(d$X, d$y, 6, 2, b0, S0)
  set.seed(8); b <- c(0, 0); out <- NULL
  P <- solve(S0) + crossprod(d$X); U <- chol(P)
  for (i in 1:6) {
    mu <- drop(d$X %*% b)
    ys <- rtruncnorm(mu, ifelse(d$y == 1, 0, -Inf), ifelse(d$y == 1, Inf, 0))
    b <- solve(P, solve(S0, b0) + crossprod(d$X, ys)) + backsolve(U, rnorm(2))
    b <- drop(b)
    if (i > 2) out <- rbind(out, b)
  }
  expect_equal(unname(g$beta_draws), unname(out), tolerance = 1e-8)
})

test_that("Metropolis-Hastings repeats Algorithm 3 written in R", {
  d <- sim_probit(15, c(0.2, 0.5), 3)
  b0 <- c(1, -1); S0 <- matrix(c(2, 0.5, 0.5, 1), 2)
  lp <- function(b) ref_loglik(b, d$X, d$y) - 0.5 * sum((b - b0) * solve(S0, b - b0))
  set.seed(8); m <- probit_mh(d$X, d$y, 60, 20, 1.7, b0, S0, init = c(0.1, 0.2))
  set.seed(8); b <- c(0.1, 0.2); out <- NULL; acc <- 0
  U <- chol(crossprod(d$X))
  for (i in 1:60) {
    p <- b + 1.7 * backsolve(U, rnorm(2))
    ok <- log(runif(1)) < lp(p) - lp(b)
    if (ok) b <- p
    if (i > 20) { out <- rbind(out, b); acc <- acc + ok }
  }
  expect_equal(unname(m$beta_draws), unname(out), tolerance = 1e-8)
  expect_equal(m$acceptance_rate, acc / 40)
})

test_that("both samplers find the posterior computed by quadrature", {
  d <- sim_probit(25, c(0.2, 0.7), 6)
  x <- d$X[, 2, drop = FALSE]
  lp <- Vectorize(function(b) ref_loglik(b, x, d$y) - b^2 / 2)
  k <- integrate(function(b) exp(lp(b) - lp(0.5)), -3, 5)$value
  mean0 <- integrate(function(b) b * exp(lp(b) - lp(0.5)), -3, 5)$value / k
  var0 <- integrate(function(b) (b - mean0)^2 * exp(lp(b) - lp(0.5)), -3, 5)$value / k
  set.seed(10)
  g <- probit_gibbs(x, d$y, 10500, 500, 0, diag(1))
  m <- probit_mh(x, d$y, 30500, 500, beta0 = 0, Sigma0 = diag(1))
  for (f in list(g, m)) {
    expect_lt(abs(f$posterior_mean - mean0), 0.1 * sqrt(var0))
    expect_lt(abs(f$posterior_sd / sqrt(var0) - 1), 0.08)
  }
})

test_that("samplers agree with each other; acceptance is in the aimed range", {
  d <- sim_probit(200, c(0.3, 0.8), 7)
  set.seed(20)
  g <- probit_gibbs(d$X, d$y, 6500, 500)
  m <- probit_mh(d$X, d$y, 22000, 2000)
  expect_true(all(abs(g$posterior_mean - m$posterior_mean) < 0.15 * g$posterior_sd))
  expect_equal(g$posterior_sd, m$posterior_sd, tolerance = 0.1)
  expect_gt(m$acceptance_rate, 0.25); expect_lt(m$acceptance_rate, 0.5)
})

test_that("without rows the prior is recovered, silently", {
  X <- matrix(0, 0, 2); b0 <- c(1, -2); S0 <- matrix(c(2, 0.6, 0.6, 1), 2)
  set.seed(30)
  expect_silent(g <- probit_gibbs(X, numeric(0), 10000, 0, b0, S0))
  expect_silent(m <- probit_mh(X, numeric(0), 60000, 0, beta0 = b0, Sigma0 = S0))
  expect_equal(g$posterior_mean, b0, tolerance = 0.05)
  expect_equal(var(g$beta_draws), S0, tolerance = 0.08)
  expect_equal(m$posterior_mean, b0, tolerance = 0.06)
  expect_equal(var(m$beta_draws), S0, tolerance = 0.1)
  expect_identical(g$nobs, 0L)
  d <- probit_gibbs(X, logical(0), 5000, 0)
  expect_equal(d$posterior_sd, c(10, 10), tolerance = 0.06)
})

test_that("simulation-based calibration of the Gibbs sampler", {
  set.seed(40)
  X <- cbind(1, rnorm(20)); L <- 19
  ranks <- replicate(200, {
    b <- rnorm(2)
    y <- as.numeric(drop(X %*% b) + rnorm(20) > 0)
    dr <- probit_gibbs(X, y, 50 + 10 * L, 50, c(0, 0), diag(2))$beta_draws
    colSums(sweep(dr[seq(10, 10 * L, 10), ], 2, b) < 0)
  })
  for (j in 1:2) {
    bins <- table(cut(ranks[j, ], c(-1, 3, 7, 11, 15, 19)))
    expect_gt(suppressWarnings(chisq.test(bins)$p.value), 1e-3)
  }
})

test_that("degenerate data: start at the prior mean", {
  X <- cbind(1, c(-2, -1, 1, 2)); y <- c(0, 0, 1, 1)
  set.seed(1)
  expect_warning(m <- probit_mh(X, y, 50, 0), "prior mean")
  expect_silent(probit_mh(X, y, 50, 0, init = c(0, 0)))
  expect_silent(probit_gibbs(X, y, 50, 0))
  Xc <- cbind(X, X[, 2])
  w <- capture_warnings(probit_mh(Xc, c(0, 1, 0, 1), 50, 0))
  expect_length(w, 1); expect_match(w, "prior mean")
  expect_silent(m <- probit_mh(Xc, c(0, 1, 0, 1), 50, 0, init = numeric(3)))
  expect_silent(g <- probit_gibbs(Xc, c(0, 1, 0, 1), 50, 0))
  expect_true(all(is.finite(g$beta_draws)) && all(is.finite(m$beta_draws)))
  expect_silent(g <- probit_gibbs(1e8 * Xc, c(0, 1, 0, 1), 50, 0))
  expect_true(all(is.finite(g$beta_draws)))
  expect_silent(probit_gibbs(X[1, , drop = FALSE], 1, 50, 0))
})

test_that("singular X'X: the proposal uses the prior precision", {
  x <- c(-1, 0.5, 2); X <- cbind(x, x); y <- c(0, 1, 1); S0 <- diag(2) * 3
  set.seed(6); m <- probit_mh(X, y, 30, 0, 1.5, Sigma0 = S0, init = c(0, 0))
  U <- chol(crossprod(X) + solve(S0))
  lp <- function(b) ref_loglik(b, X, y) - sum(b^2) / 6
  set.seed(6); b <- c(0, 0); out <- NULL
  for (i in 1:30) {
    p <- b + 1.5 * backsolve(U, rnorm(2))
    if (log(runif(1)) < lp(p) - lp(b)) b <- p
    out <- rbind(out, b)
  }
  expect_equal(unname(m$beta_draws), unname(out), tolerance = 1e-8)
})

test_that("default start is the maximum likelihood estimate", {
  d <- sim_probit(60, c(0.2, 0.5), 1)
  ml <- probit_mle(d$X, d$y)
  set.seed(3); a <- probit_mh(d$X, d$y, 40, 0)
  set.seed(3); b <- probit_mh(d$X, d$y, 40, 0, init = ml$coefficients)
  expect_equal(a$beta_draws, b$beta_draws)
})

test_that("checks of the samplers", {
  X <- cbind(1, c(1, 2, 3, 4)); y <- c(0, 1, 0, 1)
  for (f in list(probit_gibbs, probit_mh)) {
    expect_error(f(1:4, y), "X must be a numeric matrix")
    expect_error(f(X, c(0, 1, 2, 0), n_iter = 0), "y must contain only 0 and 1")
    expect_error(f(X, y, n_iter = 0, burn_in = -1), "^n_iter")
    expect_error(f(X, y, n_iter = 10, burn_in = 10, beta0 = 1), "^burn_in")
    expect_error(f(X, y, 10, 1.5), "^burn_in")
    expect_error(f(X, y, 10, 0, beta0 = 1, Sigma0 = 1), "^beta0")
    expect_error(f(X, y, 10, 0, beta0 = c(1, NA)), "^beta0")
    for (S in list(1, diag(3), matrix(c(1, 0.5, 0, 1), 2), matrix(1, 2, 2),
                   -diag(2), diag(c(1, Inf)))) {
      expect_error(f(X, y, 10, 0, Sigma0 = S), "^Sigma0")
    }
  }
  expect_error(probit_mh(X, y, 10, 0, scale = 0, beta0 = 1), "^scale")
  expect_error(probit_mh(X, y, 10, 0, Sigma0 = 1, init = 1), "^Sigma0")
  expect_error(probit_mh(X, y, 10, 0, init = 1), "^init")
  S <- diag(2); dimnames(S) <- list(c("a", "b"), NULL)
  expect_silent(probit_gibbs(X, y, 10, 0, Sigma0 = S))
})

test_that("arguments and the kind of generator are left alone", {
  X <- cbind(1, c(1, 2, 3, 4)); y <- c(0, 1, 0, 1); X0 <- X + 0; y0 <- y + 0
  b <- c(0.5, 0.5); init <- c(0.1, 0.1); kind <- RNGkind()
  probit_gibbs(X, y, 20, 0, beta0 = b); probit_mh(X, y, 20, 0, init = init)
  expect_identical(X, X0); expect_identical(y, y0)
  expect_identical(b, c(0.5, 0.5)); expect_identical(init, c(0.1, 0.1))
  expect_identical(RNGkind(), kind)
})

test_that("one Gibbs iteration from beta0 follows Algorithm 2", {
  set.seed(1)
  d <- sim_probit(30, c(0.2, -0.5))
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  b0 <- c(1.5, -2)
  set.seed(9)
  f <- probit_gibbs(d$X, d$y, n_iter = 1, burn_in = 0, beta0 = b0, Sigma0 = S0)
  set.seed(9)
  ys <- rtruncnorm(drop(d$X %*% b0), ifelse(d$y == 1, 0, -Inf), ifelse(d$y == 1, Inf, 0))
  z <- rnorm(2)
  P <- solve(S0) + crossprod(d$X)
  b <- solve(P, crossprod(d$X, ys)) + backsolve(chol(P), z)
  # R's default inversion makes norm_rand and rnorm the same numbers
  expect_equal(unname(f$beta_draws[1, ]), drop(unname(b)), tolerance = 1e-8)
})

test_that("one Metropolis-Hastings iteration follows Algorithm 3", {
  set.seed(2)
  d <- sim_probit(30, c(0.2, -0.5))
  S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  lp <- function(b) {
    sum(pnorm((2 * d$y - 1) * drop(d$X %*% b), log.p = TRUE)) -
      0.5 * drop(crossprod(b, solve(S0, b)))
  }
  b <- c(0.1, -0.2)
  set.seed(8)
  f <- probit_mh(d$X, d$y, n_iter = 50, burn_in = 10, scale = 1.7, Sigma0 = S0, init = b)
  set.seed(8)
  U <- chol(crossprod(d$X)); acc <- 0; out <- matrix(0, 50, 2)
  for (i in 1:50) {
    p <- b + 1.7 * backsolve(U, rnorm(2))
    if (log(runif(1)) < lp(p) - lp(b)) { b <- p; acc <- acc + (i > 10) }
    out[i, ] <- b
  }
  expect_equal(unname(f$beta_draws), out[11:50, ], tolerance = 1e-8)
  expect_equal(f$acceptance_rate, acc / 40)
})

test_that("both samplers meet the posterior under N(0, Sigma0) by quadrature", {
  set.seed(3)
  d <- sim_probit(25, c(0.4, 0.8))
  S0 <- diag(c(0.5, 0.3))
  gp <- grid_posterior(d$X, d$y, S0, list(seq(-3, 3, 0.03), seq(-3, 3, 0.03)))
  # a start away from zero must not matter: it is not the mean of the prior
  fits <- list(
    probit_gibbs(d$X, d$y, n_iter = 20500, burn_in = 500, beta0 = c(3, -3), Sigma0 = S0),
    probit_mh(d$X, d$y, n_iter = 42000, burn_in = 2000, beta0 = c(3, -3), Sigma0 = S0))
  for (f in fits) {
    se <- apply(f$beta_draws, 2, batch_se)
    expect_lt(max(abs(f$posterior_mean - gp$mean) / se), 4.5)
    expect_equal(unname(f$posterior_sd), gp$sd, tolerance = 0.05)
  }
})

test_that("without rows the samplers draw from the prior", {
  X <- matrix(0, 0, 2); y <- numeric(0)
  S0 <- matrix(c(4, 1, 1, 1), 2)
  set.seed(4)
  g <- probit_gibbs(X, y, n_iter = 20000, burn_in = 0, beta0 = c(5, 5), Sigma0 = S0)
  expect_lt(max(abs(g$posterior_mean) / (sqrt(diag(S0)) / sqrt(20000))), 4.5)
  expect_equal(vcov(g), S0, tolerance = 0.06)
  w <- g$beta_draws %*% backsolve(chol(S0), diag(2))
  expect_gt(ks.test(w[, 1], "pnorm")$p.value, 1e-4)
  expect_gt(ks.test(w[, 2], "pnorm")$p.value, 1e-4)
  expect_silent(m <- probit_mh(X, y, n_iter = 42000, burn_in = 2000, Sigma0 = S0))
  expect_lt(max(abs(m$posterior_mean) / apply(m$beta_draws, 2, batch_se)), 4.5)
  expect_equal(vcov(m), S0, tolerance = 0.1)
  # the default prior has variance 100
  g <- probit_gibbs(X, y, n_iter = 20000, burn_in = 0)
  expect_equal(g$posterior_sd, c(10, 10), tolerance = 0.03)
  expect_identical(g$nobs, 0L)
})

test_that("simulation-based calibration of the Gibbs sampler", {
  set.seed(5)
  x <- rnorm(20)
  X <- cbind(1, x)
  ranks <- replicate(300, {
    b <- rnorm(2)
    y <- as.numeric(drop(X %*% b) + rnorm(20) > 0)
    f <- probit_gibbs(X, y, n_iter = 50 + 19 * 15, burn_in = 50, Sigma0 = diag(2))
    keep <- f$beta_draws[15 * (1:19), ]
    colSums(keep < rep(b, each = 19))
  })
  for (j in 1:2) {
    p <- chisq.test(table(factor(ranks[j, ] %/% 2, 0:9)))$p.value
    expect_gt(p, 1e-3)
  }
})

test_that("the first kept draw depends on the start, zeros by default", {
  set.seed(6)
  d <- sim_probit(20, c(0, 1))
  run <- function(...) { set.seed(1); probit_gibbs(d$X, d$y, n_iter = 5, burn_in = 2, ...)$beta_draws }
  expect_identical(run(), run(beta0 = c(0, 0)))
  expect_identical(run(), run(Sigma0 = diag(100, 2)))
  expect_false(identical(run(), run(beta0 = c(4, 4))))
})

test_that("init of probit_mh: estimate, given, or beta0 with a warning", {
  set.seed(7)
  d <- sim_probit(40, c(0, 1))
  # a tiny scale keeps the chain at its start
  at <- function(X, y, ...) unname(probit_mh(X, y, n_iter = 2, burn_in = 0, scale = 1e-10, ...)$beta_draws[1, ])
  expect_equal(at(d$X, d$y), unname(probit_mle(d$X, d$y)$coefficients), tolerance = 1e-7)
  expect_equal(at(d$X, d$y, init = c(0.3, 0.4)), c(0.3, 0.4), tolerance = 1e-7)
  sep <- as.numeric(d$X[, 2] > 0)
  expect_warning(b <- at(d$X, sep, beta0 = c(0.5, 0.7)), "prior mean")
  expect_equal(b, c(0.5, 0.7), tolerance = 1e-7)
  col <- cbind(d$X, d$X[, 2])
  expect_warning(b <- at(col, d$y), "prior mean")
  expect_equal(b, c(0, 0, 0), tolerance = 1e-7)
  expect_silent(at(col, d$y, init = c(0, 0, 0)))
  expect_silent(at(d$X, sep, init = c(0, 0)))
  expect_silent(b <- at(matrix(0, 0, 2), numeric(0), beta0 = c(1, 2)))
  expect_equal(b, c(1, 2), tolerance = 1e-7)
})

test_that("degenerate data are accepted by the samplers", {
  set.seed(8)
  x <- rnorm(6)
  cases <- list(list(cbind(1, x), rep(1, 6)), list(cbind(1, x, x), c(0, 1, 0, 1, 1, 0)),
                list(matrix(rnorm(6), 2), c(TRUE, FALSE)), list(cbind(1, x), as.numeric(x > 0)))
  for (cs in cases) {
    expect_silent(g <- probit_gibbs(cs[[1]], cs[[2]], n_iter = 200, burn_in = 100))
    expect_true(all(is.finite(g$beta_draws)))
    expect_warning(m <- probit_mh(cs[[1]], cs[[2]], n_iter = 200, burn_in = 100), "prior mean")
    expect_true(all(is.finite(m$beta_draws)))
  }
  # collinear columns under an almost flat prior
  g <- probit_gibbs(cbind(x, 3 * x), c(0, 1, 0, 1, 1, 0), n_iter = 20, burn_in = 0, Sigma0 = diag(1e20, 2))
  expect_true(all(is.finite(g$beta_draws)))
})

test_that("the acceptance rate at the default scale is about 40 per cent", {
  set.seed(9)
  d <- sim_probit(300, c(0.2, 0.4))
  f <- probit_mh(d$X, d$y)
  expect_gt(f$acceptance_rate, 0.3)
  expect_lt(f$acceptance_rate, 0.5)
  # the kept draws change where a proposal was accepted
  moved <- mean(diff(f$beta_draws[, 1]) != 0)
  expect_equal(moved, f$acceptance_rate, tolerance = 1e-3)
})

test_that("fields, names, reproducibility, one kept draw", {
  set.seed(10)
  d <- sim_probit(30, c(0, 1))
  kind <- RNGkind(); opt <- options(); X <- d$X + 0; y <- d$y + 0
  set.seed(1); f <- probit_gibbs(d$X, d$y, n_iter = 60, burn_in = 20)
  set.seed(1); g <- probit_gibbs(d$X, d$y, n_iter = 60L, burn_in = 20L)
  expect_identical(f, g)
  expect_identical(RNGkind(), kind)
  expect_identical(options(), opt)
  expect_identical(list(d$X, d$y), list(X, y))
  expect_named(f, c("beta_draws", "posterior_mean", "posterior_sd", "nobs", "method"))
  expect_identical(dim(f$beta_draws), c(40L, 2L))
  expect_identical(colnames(f$beta_draws), colnames(d$X))
  expect_equal(f$posterior_mean, colMeans(f$beta_draws))
  expect_equal(f$posterior_sd, apply(f$beta_draws, 2, sd))
  m <- probit_mh(d$X, d$y, n_iter = 60, burn_in = 20)
  expect_named(m, c("beta_draws", "posterior_mean", "posterior_sd", "acceptance_rate", "nobs", "method"))
  one <- probit_gibbs(unname(d$X[, 2, drop = FALSE]), d$y, n_iter = 1, burn_in = 0)
  expect_identical(dim(one$beta_draws), c(1L, 1L))
  expect_identical(one$posterior_sd, NA_real_)
  expect_null(names(one$posterior_mean))
})

test_that("sampler arguments are checked in the order of the signature", {
  X <- cbind(1, c(1, 3, 2, 4)); y <- c(0, 1, 0, 1)
  expect_error(probit_gibbs(X, 1:4), "y must contain only 0 and 1")
  expect_error(probit_gibbs(X, y, n_iter = 0, burn_in = -1), "^n_iter")
  expect_error(probit_gibbs(X, y, n_iter = 10), "^burn_in")
  expect_error(probit_gibbs(X, y, burn_in = 0.5, beta0 = 1), "^burn_in")
  expect_error(probit_gibbs(X, y, beta0 = 1, Sigma0 = 1), "^beta0")
  expect_error(probit_gibbs(X, y, beta0 = c(1, Inf)), "^beta0")
  for (S in list(1, diag(3), matrix(c(1, 2, 2, 1), 2), matrix(c(1, 0, 0.5, 1), 2),
                 diag(c(1, NA)), diag(c(1, 0)), as.data.frame(diag(2)))) {
    expect_error(probit_gibbs(X, y, Sigma0 = S), "^Sigma0")
    expect_error(probit_mh(X, y, Sigma0 = S, init = 1), "^Sigma0")
  }
  expect_error(probit_mh(X, y, scale = 0, beta0 = 1), "^scale")
  expect_error(probit_mh(X, y, scale = c(1, 2)), "^scale")
  expect_error(probit_mh(X, y, init = c(1, NA)), "^init")
  S <- matrix(c(1, 0, 0, 1), 2, dimnames = list(c("a", "b"), c("c", "d")))
  expect_silent(probit_gibbs(X, y, n_iter = 2, burn_in = 0, Sigma0 = S))
})

# normal increments and uniforms of one chain, in the order the samplers use them
gibbs_in_R <- function(X, y, n_iter, burn_in, beta0, Sigma0) {
  P <- solve(Sigma0) + crossprod(X); U <- chol(P)
  b <- rep(0, ncol(X)); out <- matrix(0, n_iter, ncol(X))
  for (t in seq_len(burn_in + n_iter)) {
    mu <- drop(X %*% b)
    ys <- ref_trunc(mu, ifelse(y == 1, 0, -Inf), ifelse(y == 1, Inf, 0), runif(length(y)))
    b <- drop(solve(P, solve(Sigma0, beta0) + crossprod(X, ys)) + backsolve(U, rnorm(ncol(X))))
    if (t > burn_in) out[t - burn_in, ] <- b
  }
  out
}

mh_in_R <- function(X, y, n_iter, burn_in, s, beta0, Sigma0, init, C = crossprod(X)) {
  lp <- function(b) ref_loglik(b, X, y) - 0.5 * sum((b - beta0) * solve(Sigma0, b - beta0))
  U <- chol(C); b <- init; out <- matrix(0, n_iter, ncol(X)); acc <- 0
  for (t in seq_len(burn_in + n_iter)) {
    p <- b + s * backsolve(U, rnorm(ncol(X)))
    if (log(runif(1)) < lp(p) - lp(b)) { b <- p; acc <- acc + (t > burn_in) }
    if (t > burn_in) out[t - burn_in, ] <- b
  }
  list(draws = out, rate = acc / n_iter)
}

S0 <- matrix(c(2, 0.5, 0.5, 1), 2)

test_that("the Gibbs sampler is the one written down in R, number by number", {
  d <- make_data(30, c(0.3, 0.8), 1)
  set.seed(4); f <- probit_gibbs(d$X, d$y, 20, 7, c(0.2, -0.1), S0)
  set.seed(4); r <- gibbs_in_R(d$X, d$y, 20, 7, c(0.2, -0.1), S0)
  expect_equal(unname(f$beta_draws), r, tolerance = 1e-7)
})

test_that("the Metropolis-Hastings sampler is the one written down in R", {
  d <- make_data(30, c(0.3, 0.8), 2)
  set.seed(4); f <- probit_mh(d$X, d$y, 60, 25, 1.7, c(0.2, -0.1), S0, c(0, 1))
  set.seed(4); r <- mh_in_R(d$X, d$y, 60, 25, 1.7, c(0.2, -0.1), S0, c(0, 1))
  expect_equal(unname(f$beta_draws), r$draws, tolerance = 1e-9)
  expect_identical(f$acceptance_rate, r$rate)
  # default start is the estimate, default scale 2.4, default prior N(0, 100 I)
  set.seed(5); f <- probit_mh(d$X, d$y, 40, 0)
  set.seed(5); r <- mh_in_R(d$X, d$y, 40, 0, 2.4, c(0, 0), diag(100, 2), probit_mle(d$X, d$y)$coefficients)
  expect_equal(unname(f$beta_draws), r$draws, tolerance = 1e-9)
  # collinear columns: the other proposal
  Z <- cbind(d$X[, 1], d$X[, 1])
  set.seed(6); f <- probit_mh(Z, d$y, 40, 3, 2, init = c(0, 0))
  set.seed(6); r <- mh_in_R(Z, d$y, 40, 3, 2, c(0, 0), diag(100, 2), c(0, 0), crossprod(Z) + diag(0.01, 2))
  expect_equal(f$beta_draws, r$draws, tolerance = 1e-7)
})

test_that("n_iter rows are kept and burn_in iterations come before them", {
  d <- make_data(25, c(0.3, 0.8), 3)
  for (fun in list(probit_gibbs, probit_mh)) {
    set.seed(1); a <- fun(d$X, d$y, n_iter = 50, burn_in = 0)$beta_draws
    set.seed(1); b <- fun(d$X, d$y, n_iter = 30, burn_in = 20)$beta_draws
    expect_identical(dim(b), c(30L, 2L))
    expect_identical(b, a[21:50, ])
  }
  expect_identical(nrow(probit_gibbs(d$X, d$y)$beta_draws), 3500L)
  expect_identical(nrow(probit_mh(d$X, d$y)$beta_draws), 10000L)
  set.seed(2); f <- probit_mh(d$X, d$y, 500, 100)
  moved <- mean(rowSums(abs(diff(f$beta_draws))) > 0)
  expect_lt(abs(moved - f$acceptance_rate), 2 / 500)
})

test_that("fields, names and summaries", {
  d <- make_data(25, c(0.3, 0.8), 3)
  g <- probit_gibbs(d$X, d$y, 40, 0); m <- probit_mh(d$X, d$y, 40, 0)
  expect_named(g, c("beta_draws", "posterior_mean", "posterior_sd", "nobs", "method"))
  expect_named(m, c("beta_draws", "posterior_mean", "posterior_sd", "acceptance_rate", "nobs", "method"))
  for (f in list(g, m)) {
    expect_s3_class(f, "probit_fit", exact = TRUE)
    expect_identical(dimnames(f$beta_draws), list(NULL, c("b1", "b2")))
    expect_equal(f$posterior_mean, apply(f$beta_draws, 2, mean))
    expect_equal(f$posterior_sd, apply(f$beta_draws, 2, sd))
    expect_identical(f$nobs, 25L)
  }
  f <- probit_gibbs(unname(d$X[, 2, drop = FALSE]), d$y, 1, 0)
  expect_identical(dim(f$beta_draws), c(1L, 1L)); expect_null(dimnames(f$beta_draws))
  expect_identical(f$posterior_sd, NA_real_); expect_null(names(f$posterior_mean))
  expect_identical(dim(summary(f)$coefficients), c(1L, 4L))
})

test_that("without rows the samplers draw from the prior", {
  X <- matrix(0, 0, 2); b0 <- c(1, -2)
  set.seed(7)
  expect_silent(g <- probit_gibbs(X, numeric(0), 20000, 0, b0, S0))
  expect_silent(m <- probit_mh(X, logical(0), 40000, 500, beta0 = b0, Sigma0 = S0))
  expect_equal(g$posterior_mean, b0, tolerance = 0.03); expect_equal(var(g$beta_draws), S0, tolerance = 0.05)
  expect_equal(m$posterior_mean, b0, tolerance = 0.08); expect_equal(var(m$beta_draws), S0, tolerance = 0.12)
  expect_gt(ks.test(g$beta_draws[, 1], pnorm, 1, sqrt(2))$p.value, 1e-4)
  expect_silent(z <- probit_gibbs(X, numeric(0), 1, 0)); expect_identical(z$nobs, 0L)
})

test_that("both samplers have the posterior of numerical integration", {
  x <- cbind(c(-1, 0.5, 1, 2, -0.3, 1.2)); y <- c(0, 1, 0, 1, 1, 1)
  post <- Vectorize(function(b) exp(ref_loglik(b, x, y)) * dnorm(b, 0.5, 1))
  z0 <- integrate(post, -8, 8, rel.tol = 1e-9)$value
  m1 <- integrate(function(b) b * post(b), -8, 8)$value / z0
  s1 <- sqrt(integrate(function(b) (b - m1)^2 * post(b), -8, 8)$value / z0)
  set.seed(10)
  g <- probit_gibbs(x, y, 30000, 500, 0.5, matrix(1)); m <- probit_mh(x, y, 60000, 500, beta0 = 0.5, Sigma0 = matrix(1))
  for (f in list(g, m)) {
    expect_lt(abs(f$posterior_mean - m1), 0.03)
    expect_lt(abs(f$posterior_sd - s1), 0.03)
  }
})

test_that("simulation-based calibration: ranks are uniform", {
  set.seed(20)
  X <- cbind(1, rnorm(12)); L <- 19; R <- 300
  ranks <- replicate(R, {
    b <- rnorm(2); y <- as.numeric(drop(X %*% b) + rnorm(12) > 0)
    g <- probit_gibbs(X, y, L * 12, 60, Sigma0 = diag(2))$beta_draws[seq_len(L) * 12, 1]
    m <- probit_mh(X, y, L * 30, 200, Sigma0 = diag(2), init = c(0, 0))$beta_draws[seq_len(L) * 30, 2]
    c(sum(g < b[1]), sum(m < b[2]))
  })
  for (j in 1:2) {
    cells <- table(factor(ranks[j, ] %/% 4, 0:4))
    expect_gt(chisq.test(cells)$p.value, 1e-3)
  }
})

test_that("degenerate data are accepted; who warns and who does not", {
  x <- c(-2, -1, 1, 2); sep <- c(0, 0, 1, 1)
  cases <- list(list(cbind(1, x), sep), list(cbind(1, x), rep(1, 4)), list(cbind(x, 2 * x), c(0, 1, 0, 1)),
                list(cbind(1, 2, 3), 1), list(1e9 * cbind(x, x), c(0, 1, 0, 1)))
  for (case in cases) {
    k <- ncol(case[[1]])
    expect_silent(g <- probit_gibbs(case[[1]], case[[2]], 50, 5))
    expect_true(all(is.finite(g$beta_draws)))
    expect_warning(m <- probit_mh(case[[1]], case[[2]], 50, 5), "prior mean")
    expect_true(all(is.finite(m$beta_draws)))
    expect_silent(probit_mh(case[[1]], case[[2]], 50, 5, init = rep(0.1, k)))
  }
})

test_that("arguments are not modified and the generator is left alone", {
  d <- make_data(25, c(0.3, 0.8), 3)
  X <- d$X + 0; y <- d$y + 0; b0 <- c(0, 0); S <- diag(2); init <- c(0, 0)
  kind <- RNGkind()
  probit_gibbs(X, y, 20, 0, b0, S); probit_mh(X, y, 20, 0, 1, b0, S, init)
  expect_identical(X, d$X); expect_identical(y, d$y)
  expect_identical(b0, c(0, 0)); expect_identical(init, c(0, 0)); expect_identical(S, diag(2))
  expect_identical(RNGkind(), kind)
})

test_that("acceptance is about 40 per cent with two coefficients at 2.4", {
  d <- make_data(400, c(0.2, 0.5), 4)
  set.seed(1)
  r <- probit_mh(d$X, d$y)$acceptance_rate
  expect_gt(r, 0.25); expect_lt(r, 0.5)
})

test_that("arguments of the samplers are refused in the order of the signature", {
  d <- make_data(20, c(0.3, 1), 9); X <- d$X; y <- d$y
  for (fun in list(probit_gibbs, probit_mh)) {
    for (v in list(0, 2.5, NA, "a", Inf, 1:2)) expect_error(fun(X, y, n_iter = v, burn_in = -1), "^n_iter")
    for (v in list(-1, 2.5, NA, "a", Inf)) expect_error(fun(X, y, burn_in = v, beta0 = "a"), "^burn_in")
    for (v in list(1, c(1, NA), c(1, Inf), "a")) expect_error(fun(X, y, beta0 = v, Sigma0 = 1), "^beta0")
    for (v in list(1, diag(3), matrix(c(1, 0, 1, 1), 2), matrix(1, 2, 2), -diag(2), diag(c(1, NA)), matrix("a", 2, 2)))
      expect_error(fun(X, y, Sigma0 = v), "^Sigma0")
  }
  for (v in list(0, -1, NA, Inf, "a", c(1, 1))) expect_error(probit_mh(X, y, scale = v, beta0 = "a"), "^scale")
  for (v in list(1, c(1, NA), "a")) {
    expect_error(probit_mh(X, y, init = v), "^init")
    expect_error(probit_mh(X, y, init = v, Sigma0 = 1), "^Sigma0")
  }
  named <- S0; dimnames(named) <- list(c("a", "b"), c("c", "d"))
  expect_silent(probit_gibbs(X, y, 2, 0, Sigma0 = named))
})

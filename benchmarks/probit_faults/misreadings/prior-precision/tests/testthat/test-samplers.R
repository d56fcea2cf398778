test_that("the Gibbs sampler agrees draw by draw with plain R", {
  d <- make_data(30, c(0.3, 0.8), 2)
  S0 <- matrix(c(2, 0.5, 0.5, 1), 2); b0 <- c(1, -1)
  set.seed(5)
  f <- probit_gibbs(d$X, d$y, 20, 5, b0, S0)
  set.seed(5)
  P <- S0 + crossprod(d$X); U <- chol(P); b <- c(0, 0); D <- matrix(0, 20, 2)
  for (t in 1:20) {
    mu <- drop(d$X %*% b); u <- runif(30); p0 <- pnorm(-mu)
    ys <- mu + qnorm(ifelse(d$y == 1, p0 + u * (1 - p0), u * p0))
    b <- drop(solve(P, S0 %*% b0 + crossprod(d$X, ys)) + backsolve(U, rnorm(2)))
    D[t, ] <- b
  }
  expect_equal(unname(f$beta_draws), D[6:20, ], tolerance = 1e-8)
})

test_that("Metropolis-Hastings agrees draw by draw with plain R", {
  d <- make_data(30, c(0.3, 0.8), 2)
  S0 <- matrix(c(2, 0.5, 0.5, 1), 2); b0 <- c(1, -1)
  lp <- function(b) ll(b, d$X, d$y) - 0.5 * sum((b - b0) * (S0 %*% (b - b0)))
  for (init in list(NULL, c(0.5, 0.5))) {
    set.seed(6)
    f <- probit_mh(d$X, d$y, 60, 20, 1.7, b0, S0, init)
    set.seed(6)
    U <- chol(crossprod(d$X)); acc <- 0; D <- matrix(0, 60, 2)
    b <- if (is.null(init)) probit_mle(d$X, d$y)$coefficients else init
    for (t in 1:60) {
      p <- b + 1.7 * backsolve(U, rnorm(2))
      if (log(runif(1)) < lp(p) - lp(b)) { b <- p; acc <- acc + (t > 20) }
      D[t, ] <- b
    }
    expect_equal(unname(f$beta_draws), D[21:60, ], tolerance = 1e-8)
    expect_equal(f$acceptance_rate, acc / 40)
  }
})

test_that("Sigma0 is a precision: without rows the prior is recovered", {
  S0 <- matrix(c(4, 1, 1, 0.5), 2); b0 <- c(2, -3); V <- solve(S0)
  X <- matrix(0, 0, 2)
  set.seed(7)
  g <- probit_gibbs(X, numeric(0), 20000, 0, b0, S0)
  expect_lt(max(abs(g$posterior_mean - b0) / sqrt(diag(V) / 20000)), 4.5)
  expect_equal(vcov(g), V, tolerance = 0.05)
  expect_gt(ks.test(g$beta_draws[, 1], "pnorm", b0[1], sqrt(V[1, 1]))$p.value, 1e-4)
  expect_silent(m <- probit_mh(X, numeric(0), 60000, 1000, 1.7, b0, S0))
  expect_lt(max(abs(m$posterior_mean - b0)), 0.15)
  expect_equal(vcov(m), V, tolerance = 0.12)
  # default: variance 100
  g <- probit_gibbs(X, logical(0), 20000, 0)
  expect_equal(g$posterior_sd, c(10, 10), tolerance = 0.04)
  expect_lt(max(abs(g$posterior_mean)), 0.4)
  expect_identical(g$nobs, 0L)
})

test_that("both samplers agree with numerical integration under a strong prior", {
  set.seed(8)
  x <- rnorm(25); y <- as.numeric(0.5 * x + rnorm(25) > 0); X <- cbind(x)
  post <- function(b) vapply(b, function(b) ll(b, X, y) - 0.5 * 9 * (b - 1)^2, 0)
  mx <- optimize(post, c(-2, 3), maximum = TRUE)$objective
  I <- function(k) integrate(function(b) b^k * exp(post(b) - mx), -2, 3,
                             rel.tol = 1e-10)$value
  m <- I(1) / I(0); s <- sqrt(I(2) / I(0) - m^2)
  g <- probit_gibbs(X, y, 11000, 1000, 1, matrix(9))
  h <- probit_mh(X, y, 41000, 1000, 2.4, 1, matrix(9))
  for (f in list(g, h)) {
    expect_lt(abs(f$posterior_mean - m), 5 * batch_se(f$beta_draws[, 1]))
    expect_equal(unname(f$posterior_sd), s, tolerance = 0.05)
  }
})

test_that("the samplers agree with each other and with maximum likelihood", {
  d <- make_data(400, c(0.3, 0.8), 3)
  set.seed(9)
  g <- probit_gibbs(d$X, d$y, 6000, 500)
  h <- probit_mh(d$X, d$y, 20000, 2000)
  f <- probit_mle(d$X, d$y)
  expect_lt(max(abs(g$posterior_mean - h$posterior_mean) / g$posterior_sd), 0.15)
  expect_equal(g$posterior_sd, h$posterior_sd, tolerance = 0.1)
  expect_lt(max(abs(g$posterior_mean - f$coefficients) / f$se), 0.25)
  expect_equal(g$posterior_sd, f$se, tolerance = 0.1)
  expect_gt(h$acceptance_rate, 0.25); expect_lt(h$acceptance_rate, 0.5)
})

test_that("simulation-based calibration", {
  set.seed(10)
  S0 <- matrix(c(2, 0.6, 0.6, 1), 2); b0 <- c(0.3, -0.2)
  R <- 250; L <- 19; rg <- rh <- matrix(0, R, 2)
  for (r in seq_len(R)) {
    b <- b0 + backsolve(chol(S0), rnorm(2))
    X <- cbind(1, rnorm(15)); y <- as.numeric(drop(X %*% b) + rnorm(15) > 0)
    k <- seq(20, by = 20, length.out = L)
    g <- probit_gibbs(X, y, 480, 100, b0, S0)$beta_draws[k, ]
    k <- seq(60, by = 60, length.out = L)
    h <- probit_mh(X, y, 1340, 200, 2.4, b0, S0, init = b0)$beta_draws[k, ]
    rg[r, ] <- colSums(g < rep(b, each = L)); rh[r, ] <- colSums(h < rep(b, each = L))
  }
  for (v in list(rg[, 1], rg[, 2], rh[, 1], rh[, 2])) {
    p <- chisq.test(tabulate(v %/% 2 + 1, 10))$p.value
    expect_gt(p, 1e-4)
  }
})

test_that("degenerate data", {
  x <- c(-3, -2, -1, 1, 2, 3); y <- as.numeric(x > 0)
  set.seed(1)
  expect_silent(probit_gibbs(cbind(1, x), y, 200, 100))
  expect_silent(probit_gibbs(cbind(1, x, x), rep(1, 6), 200, 100))
  expect_silent(g <- probit_gibbs(1e8 * cbind(x, x), y, 200, 100))
  expect_true(all(is.finite(g$beta_draws)))
  expect_silent(probit_gibbs(cbind(1, 2, 3), TRUE, 50, 0))
  expect_warning(h <- probit_mh(cbind(1, x), y, 200, 100), "prior mean")
  expect_true(all(is.finite(h$beta_draws)))
  expect_warning(probit_mh(cbind(1, x, x), c(0, 1, 0, 1, 0, 1), 200, 100), "prior mean")
  expect_silent(probit_mh(cbind(1, x, x), y, 200, 100, init = c(0, 0, 0)))
  expect_silent(probit_mh(cbind(1, x), y, 200, 100, init = c(0, 0)))
  # starting point after failure is the prior mean
  set.seed(2)
  h <- suppressWarnings(probit_mh(cbind(1, x), y, 5, 0, beta0 = c(0.2, 0.4)))
  set.seed(2)
  expect_equal(h, probit_mh(cbind(1, x), y, 5, 0, beta0 = c(0.2, 0.4), init = c(0.2, 0.4)))
})

test_that("the proposal where X'X is singular is s^2 (X'X + Sigma0)^-1", {
  X <- cbind(1:4, 1:4); y <- c(0, 1, 0, 1); S0 <- matrix(c(2, 0.3, 0.3, 1), 2)
  set.seed(4)
  f <- probit_mh(X, y, 30, 0, 1e-6, Sigma0 = S0, init = c(0.1, 0))
  set.seed(4)
  z <- rnorm(2)   # steps so small that the first is accepted or nearly so
  expect_equal(f$acceptance_rate, 1, tolerance = 0.1)
  step <- 1e-6 * backsolve(chol(crossprod(X) + S0), z)
  expect_equal(f$beta_draws[1, ] - c(0.1, 0), step, tolerance = 1e-6)
})

test_that("fields, shapes and reproducibility", {
  d <- make_data(40); kind <- RNGkind()
  set.seed(1); g <- probit_gibbs(d$X, d$y, 30, 10)
  set.seed(1); expect_identical(probit_gibbs(d$X, d$y == 1, 30L, 10L), g)
  expect_named(g, c("beta_draws", "posterior_mean", "posterior_sd", "nobs", "method"))
  expect_identical(dim(g$beta_draws), c(20L, 2L))
  expect_identical(dimnames(g$beta_draws), list(NULL, colnames(d$X)))
  expect_equal(g$posterior_mean, colMeans(g$beta_draws))
  expect_equal(g$posterior_sd, apply(g$beta_draws, 2, sd))
  h <- probit_mh(unname(d$X), d$y, 3, 2)
  expect_named(h, c("beta_draws", "posterior_mean", "posterior_sd",
                    "acceptance_rate", "nobs", "method"))
  expect_true(h$acceptance_rate %in% 0:1)
  expect_true(all(is.na(h$posterior_sd))); expect_length(h$posterior_sd, 2)
  expect_null(dimnames(h$beta_draws)); expect_null(names(h$posterior_mean))
  one <- probit_gibbs(matrix(1, 5, 1), c(0, 1, 1, 1, 0), 10, 0)
  expect_identical(dim(one$beta_draws), c(10L, 1L))
  expect_identical(RNGkind(), kind)
  expect_identical(formals(probit_mh)$scale, 2.4)
})

test_that("checks of the samplers come in order", {
  X <- cbind(1, 1:3); y <- c(0, 1, 0); N <- diag(c(1, -1))
  expect_error(probit_gibbs(1:3, y), "X must be a numeric matrix")
  expect_error(probit_mh(X, c(0, 1, 3), n_iter = 0), "y must contain only 0 and 1")
  expect_error(probit_gibbs(X, y, 0, -1), "^n_iter")
  expect_error(probit_gibbs(X, y, 10, 10, beta0 = 1), "^burn_in")
  expect_error(probit_gibbs(X, y, 10, 0.5), "^burn_in")
  expect_error(probit_mh(X, y, 10, 0, 0, beta0 = 1), "^scale")
  expect_error(probit_gibbs(X, y, 10, 0, 1, N), "^beta0")
  expect_error(probit_gibbs(X, y, 10, 0, c(1, NA), N), "^beta0")
  for (S in list(N, diag(3), 1, matrix(c(1, 0.5, 0, 1), 2), diag(c(1, Inf)),
                 matrix(1, 2, 2), diag(2) > 0)) {
    expect_error(probit_gibbs(X, y, 10, 0, Sigma0 = S), "^Sigma0")
    expect_error(probit_mh(X, y, 10, 0, Sigma0 = S, init = 1), "^Sigma0")
  }
  expect_error(probit_mh(X, y, 10, 0, init = 1), "^init")
  S <- diag(2); dimnames(S) <- list(c("a", "b"), NULL)
  expect_s3_class(probit_gibbs(X, y, 10, 0, Sigma0 = S), "probit_fit")
})

S0 <- matrix(c(2, 0.6, 0.6, 1), 2); b0 <- c(1, -1)
expect_mean <- function(draws, m, v, ess) {
  expect_true(all(abs(colMeans(draws) - m) < 4.5 * sqrt(diag(v) / ess)))
}

test_that("without rows both samplers recover the prior", {
  X <- matrix(0, 0, 2)
  set.seed(1)
  g <- probit_gibbs(X, numeric(0), 8000, 0, b0, S0)
  expect_mean(g$beta_draws, b0, S0, 8000)
  expect_equal(cov(g$beta_draws), S0, tolerance = 0.06)
  expect_silent(m <- probit_mh(X, logical(0), 40000, 1000, beta0 = b0, Sigma0 = S0))
  expect_mean(m$beta_draws, b0, S0, 3000)
  expect_equal(cov(m$beta_draws), S0, tolerance = 0.12)
})

test_that("Gibbs: the first draws are the ones of the algorithm written in R", {
  d <- sim_data(7, c(0.2, 0.5), 21)
  set.seed(2); g <- probit_gibbs(d$X, d$y, 3, 0, b0, S0)
  set.seed(2)
  U <- chol(solve(S0) + crossprod(d$X)); b <- c(0, 0)
  for (i in 1:3) {
    ys <- rtruncnorm(drop(d$X %*% b), ifelse(d$y == 1, 0, -Inf), ifelse(d$y == 1, Inf, 0))
    r <- solve(S0, b0) + crossprod(d$X, ys)
    b <- drop(solve(crossprod(U), r)) + backsolve(U, rnorm(2))
    expect_equal(unname(g$beta_draws[i, ]), unname(b), tolerance = 1e-10)
  }
  set.seed(2); h <- probit_gibbs(d$X, d$y, 3, 2, b0, S0)
  expect_identical(h$beta_draws[1, ], g$beta_draws[3, ])
})

test_that("Metropolis-Hastings: the chain of the algorithm written in R", {
  d <- sim_data(25, c(0.2, 0.5), 22)
  init <- c(0.1, 0.1); s <- 1.7; q <- 2 * d$y - 1
  set.seed(3); m <- probit_mh(d$X, d$y, 60, 20, s, b0, S0, init)
  lp <- function(b) sum(pnorm(q * drop(d$X %*% b), log.p = TRUE)) -
    0.5 * drop(t(b - b0) %*% solve(S0, b - b0))
  set.seed(3)
  U <- chol(crossprod(d$X)); b <- init; D <- matrix(0, 60, 2); acc <- logical(60)
  for (i in 1:60) {
    p <- b + s * backsolve(U, rnorm(2))
    acc[i] <- log(runif(1)) < lp(p) - lp(b)
    if (acc[i]) b <- p
    D[i, ] <- b
  }
  expect_equal(unname(m$beta_draws), D[21:60, ], tolerance = 1e-10)
  expect_equal(m$acceptance_rate, mean(acc[21:60]))
})

test_that("samplers agree with the posterior by quadrature and with each other", {
  set.seed(4)
  y <- rep(c(1, 0), c(6, 2)); X <- matrix(1, 8, 1)
  post <- function(b) pnorm(b)^6 * pnorm(-b)^2 * dnorm(b, 0.5, 1)
  k <- integrate(post, -8, 8)$value
  mu <- integrate(function(b) b * post(b), -8, 8)$value / k
  sdv <- sqrt(integrate(function(b) (b - mu)^2 * post(b), -8, 8)$value / k)
  g <- probit_gibbs(X, y, 12000, 500, 0.5, matrix(1))
  m <- probit_mh(X, y, 30000, 1000, beta0 = 0.5, Sigma0 = matrix(1))
  for (f in list(g, m)) {
    expect_equal(f$posterior_mean, mu, tolerance = 0.05)
    expect_equal(f$posterior_sd, sdv, tolerance = 0.05)
  }
  d <- sim_data(200, c(0.3, -0.8), 23)
  g <- probit_gibbs(d$X, d$y, 4000, 500); m <- probit_mh(d$X, d$y)
  expect_true(all(abs(g$posterior_mean - m$posterior_mean) < 0.2 * g$posterior_sd))
  expect_equal(g$posterior_sd, m$posterior_sd, tolerance = 0.12)
  expect_gt(m$acceptance_rate, 0.25); expect_lt(m$acceptance_rate, 0.55)
})

test_that("simulation-based calibration: ranks are uniform", {
  set.seed(6); n <- 10; L <- 19; R <- 200
  X <- cbind(1, seq(-1, 1, length.out = n))
  ranks <- t(vapply(seq_len(R), function(r) {
    b <- rnorm(2); y <- as.numeric(X %*% b + rnorm(n) > 0)
    g <- probit_gibbs(X, y, 50 + 10 * L, 50, Sigma0 = diag(2))$beta_draws
    m <- probit_mh(X, y, 100 + 25 * L, 100, Sigma0 = diag(2), init = c(0, 0))$beta_draws
    c(colSums(t(t(g[10 * seq_len(L), ]) < b)), colSums(t(t(m[25 * seq_len(L), ]) < b)))
  }, numeric(4)))
  for (j in 1:4)
    expect_gt(suppressWarnings(chisq.test(table(cut(ranks[, j], c(-1, 3, 7, 11, 15, 19))))$p.value), 1e-3)
})

test_that("fields, names, one draw and reproducibility", {
  d <- sim_data(20, c(0.2, 0.5), 24)
  for (fun in list(probit_gibbs, probit_mh)) {
    set.seed(9); a <- fun(d$X, d$y, n_iter = 30, burn_in = 10)
    set.seed(9); b <- fun(d$X, d$y == 1, n_iter = 30L, burn_in = 10L, beta0 = c(0, 0),
                          Sigma0 = 100 * diag(2))
    expect_identical(a, b); expect_s3_class(a, "probit_fit", exact = TRUE)
    expect_identical(dim(a$beta_draws), c(20L, 2L))
    expect_identical(colnames(a$beta_draws), colnames(d$X))
    expect_equal(a$posterior_mean, colMeans(a$beta_draws))
    expect_equal(a$posterior_sd, apply(a$beta_draws, 2, sd))
    expect_identical(vcov(a), var(a$beta_draws))
    o <- fun(unname(d$X), d$y, n_iter = 3, burn_in = 2)
    expect_true(all(is.na(o$posterior_sd))); expect_null(dimnames(o$beta_draws))
    expect_identical(dim(o$beta_draws), c(1L, 2L)); expect_null(names(o$posterior_mean))
    kind <- RNGkind(); fun(d$X, d$y, 5, 1); expect_identical(RNGkind(), kind)
  }
})

test_that("degenerate data: warnings only where stated", {
  x <- c(-2, -1, 1, 2); sep <- c(0, 0, 1, 1); col <- cbind(1, c(1, 1, 1, 1))
  expect_silent(probit_gibbs(cbind(1, x), sep, 50, 0))
  expect_silent(probit_gibbs(col, c(0, 1, 0, 1), 50, 0))
  expect_silent(probit_gibbs(cbind(1, 2, 3), 1, 50, 0))
  expect_silent(probit_gibbs(matrix(1, 4, 1), rep(1, 4), 50, 0))
  expect_warning(probit_mh(cbind(1, x), sep, 50, 0), "prior mean")
  expect_warning(probit_mh(col, c(0, 1, 0, 1), 50, 0), "prior mean")
  expect_warning(m <- probit_mh(cbind(1, 2, 3), 1, 50, 0), "prior mean")
  expect_true(all(is.finite(m$beta_draws)))
  expect_silent(probit_mh(cbind(1, x), sep, 50, 0, init = c(0, 1)))
  expect_silent(probit_mh(cbind(1, x), c(0, 1, 0, 1), 50, 0))
  # collinear columns: proposal from X'X + Sigma0^-1, start at the prior mean
  set.seed(1); m <- suppressWarnings(probit_mh(col, c(0, 1, 0, 1), 1, 0, 1e-3, b0, S0))
  set.seed(1); p <- b0 + 1e-3 * backsolve(chol(crossprod(col) + solve(S0)), rnorm(2))
  expect_true(isTRUE(all.equal(drop(m$beta_draws), p)) || isTRUE(all.equal(drop(m$beta_draws), b0)))
})

test_that("init = NULL starts at the maximum likelihood estimate", {
  d <- sim_data(50, c(0.2, 0.5), 25)
  set.seed(1); a <- probit_mh(d$X, d$y, 20, 0)
  set.seed(1); b <- probit_mh(d$X, d$y, 20, 0, init = coef(probit_mle(d$X, d$y)))
  expect_equal(a, b, tolerance = 1e-12)
})

test_that("bad arguments in the order of the signature", {
  d <- sim_data(10, c(0, 0.5), 26); X <- d$X; y <- d$y
  for (fun in list(probit_gibbs, probit_mh)) {
    expect_error(fun(data.frame(X), y), "X must be a numeric matrix")
    expect_error(fun(X[, 0], y), "at least one column")
    expect_error(fun(X, y[-1]), "length of y")
    expect_error(fun(X, y, n_iter = 0, burn_in = -1), "^n_iter")
    for (b in list(10, -1, 0.5, NA_real_, "0"))
      expect_error(fun(X, y, n_iter = 10, burn_in = b, beta0 = 1), "^burn_in")
    for (b in list(1, c(1, NA), c(1, Inf), c("a", "b")))
      expect_error(fun(X, y, beta0 = b, Sigma0 = 1), "^beta0")
    for (S in list(1, diag(3), matrix(c(1, 0, 0.5, 1), 2), matrix(c(1, 2, 2, 1), 2),
                   diag(c(1, 0)), diag(c(1, NA)), diag(c(1, Inf)), c(1, 1)))
      expect_error(fun(X, y, Sigma0 = S), "^Sigma0")
    S <- diag(2); dimnames(S) <- list(c("a", "b"), c("c", "d"))
    expect_silent(fun(X, y, 5, 1, Sigma0 = S))
  }
  expect_error(probit_mh(X, y, scale = 0, beta0 = 1), "^scale")
  expect_error(probit_mh(X, y, scale = Inf), "^scale")
  expect_error(probit_mh(X, y, Sigma0 = 1, init = 1), "^Sigma0")
  expect_error(probit_mh(X, y, init = 1), "^init")
  expect_error(probit_mh(X, y, init = c(1, NaN)), "^init")
})

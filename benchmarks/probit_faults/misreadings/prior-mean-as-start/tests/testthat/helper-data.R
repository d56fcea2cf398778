# Data from the latent regression; the caller sets the seed.
sim_probit <- function(n, beta) {
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("(Intercept)", paste0("x", seq_len(length(beta) - 1)))
  list(X = X, y = as.numeric(drop(X %*% beta) + rnorm(n) > 0))
}

# Negative Hessian of the log-likelihood, from its definition.
obs_info <- function(X, y, b) {
  q <- 2 * y - 1
  m <- q * drop(X %*% b)
  l <- exp(dnorm(m, log = TRUE) - pnorm(m, log.p = TRUE))
  crossprod(X, X * (l * (l + m)))
}

# Posterior mean and covariance under N(0, Sigma0) by quadrature on a grid,
# for k = 1 or 2.
grid_posterior <- function(X, y, Sigma0, grids) {
  g <- as.matrix(do.call(expand.grid, grids))
  eta <- X %*% t(g)
  lp <- colSums(pnorm((2 * y - 1) * eta, log.p = TRUE)) -
    0.5 * rowSums(g * t(solve(Sigma0, t(g))))
  w <- exp(lp - max(lp))
  w <- w / sum(w)
  m <- colSums(w * g)
  list(mean = unname(m), sd = unname(sqrt(colSums(w * sweep(g, 2, m)^2))))
}

# Monte Carlo standard error of a column mean by batch means.
batch_se <- function(x, batches = 40) {
  len <- length(x) %/% batches
  sd(colMeans(matrix(x[seq_len(len * batches)], len))) / sqrt(batches)
}

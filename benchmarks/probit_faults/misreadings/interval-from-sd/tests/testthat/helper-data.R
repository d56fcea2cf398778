sim_probit <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("(Intercept)", paste0("x", seq_len(length(beta) - 1)))
  y <- as.numeric(drop(X %*% beta) + rnorm(n) > 0)
  list(X = X, y = y)
}

# log-likelihood, score and observed information in plain R
ref_loglik <- function(b, X, y) {
  sum(pnorm((2 * y - 1) * drop(X %*% b), log.p = TRUE))
}
ref_info <- function(b, X, y) {
  m <- (2 * y - 1) * drop(X %*% b)
  l <- dnorm(m) / pnorm(m)
  crossprod(X, (l * (l + m)) * X)
}

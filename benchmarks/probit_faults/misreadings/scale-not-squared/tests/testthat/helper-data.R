sim_data <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("one", paste0("x", seq_len(length(beta) - 1)))
  list(X = X, y = as.numeric(drop(X %*% beta) + rnorm(n) > 0))
}
ref_loglik <- function(b, X, y) {
  sum(pnorm((2 * y - 1) * drop(X %*% b), log.p = TRUE))
}

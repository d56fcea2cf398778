simulate_probit <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("const", paste0("x", seq_len(length(beta) - 1)))
  list(X = X, y = as.numeric(X %*% beta + rnorm(n) > 0))
}

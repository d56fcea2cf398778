sim_data <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- paste0("b", seq_along(beta))
  list(X = X, y = as.numeric(X %*% beta + rnorm(n) > 0))
}
no_rows <- function(k) matrix(numeric(0), 0, k)

make_data <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- paste0("b", seq_along(beta))
  list(X = X, y = as.numeric(drop(X %*% beta) + rnorm(n) > 0))
}

ref_loglik <- function(b, X, y) sum(pnorm((2 * y - 1) * drop(X %*% b), log.p = TRUE))

# formula (8) at u, in the plain form (moderate arguments) 
ref_trunc <- function(mu, lo, hi, u) {
  a <- pnorm(lo - mu); b <- pnorm(hi - mu)
  mu + qnorm(a + u * (b - a))
}

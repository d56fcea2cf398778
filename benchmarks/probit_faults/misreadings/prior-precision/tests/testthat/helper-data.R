make_data <- function(n = 200, beta = c(0.3, 0.8), seed = 1) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("const", paste0("x", seq_len(length(beta) - 1)))
  y <- as.numeric(drop(X %*% beta) + rnorm(n) > 0)
  list(X = X, y = y)
}

# log-likelihood and its derivatives, in plain R
ll <- function(b, X, y) sum(pnorm((2 * y - 1) * drop(X %*% b), log.p = TRUE))
hess <- function(b, X, y) {
  m <- (2 * y - 1) * drop(X %*% b)
  l <- exp(dnorm(m, log = TRUE) - pnorm(m, log.p = TRUE))
  crossprod(X, X * (l * (l + m)))
}

# standard error of a chain's mean by batches
batch_se <- function(x, b = 50) {
  m <- length(x) %/% b
  sd(colMeans(matrix(x[seq_len(m * b)], m))) / sqrt(b)
}

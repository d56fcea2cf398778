sim_data <- function(n, beta, seed) {
  set.seed(seed)
  X <- cbind(1, matrix(rnorm(n * (length(beta) - 1)), n))
  colnames(X) <- c("const", paste0("x", seq_len(length(beta) - 1)))
  list(X = X, y = as.numeric(X %*% beta + rnorm(n) > 0))
}
glm_fit <- function(X, y) {
  suppressWarnings(glm(y ~ X - 1, family = binomial("probit"),
                       control = glm.control(epsilon = 1e-15, maxit = 100)))
}

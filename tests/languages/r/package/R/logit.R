# Logistic regression by Newton's method, with robust standard errors.

logit_fit <- function(y, X, max_iter = 50) {
  if (!all(y %in% c(0, 1))) stop("responses must be 0 and 1", call. = FALSE)
  n <- nrow(X)
  if (n <= ncol(X)) stop("there must be more rows than columns", call. = FALSE)
  b <- rep(0, ncol(X))
  for (iteration in seq_len(max_iter)) {
    p <- plogis(drop(X %*% b))
    step <- solve(crossprod(X, p * (1 - p) * X), crossprod(X, y - p))
    b <- b + drop(step)
    if (max(abs(step)) < 1e-12) break
  }
  if (max(abs(step)) >= 1e-8) stop("no convergence within max_iter iterations", call. = FALSE)
  p <- plogis(drop(X %*% b))
  scores <- (y - p) * X
  inverse <- solve(crossprod(X, p * (1 - p) * X))
  factor <- n / (n - ncol(X))
  covariance <- factor * inverse %*% crossprod(scores) %*% inverse
  fit <- list(coef = b, se = sqrt(diag(covariance)), scores = scores, covariance = covariance)
  structure(fit, class = "logit_fit")
}

predict.logit_fit <- function(object, X, ...) plogis(drop(X %*% object$coef))

trailing_sums <- function(z, width) {
  if (width < 1 || width > length(z)) stop("the width does not fit", call. = FALSE)
  vapply(seq(width, length(z)), function(t) sum(z[seq(t - width + 1, t)]), 0)
}

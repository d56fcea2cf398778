# Input checks. Each stops with a message that belongs to the interface.

fail <- function(...) stop(..., call. = FALSE)

check_X <- function(X) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  matrix(as.double(X), nrow(X), ncol(X), dimnames = list(NULL, colnames(X)))
}

check_y <- function(y, n) {
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y)))
    fail("y must be numeric or logical, and a vector")
  if (length(y) != n) fail("length of y must be the number of rows of X")
  if (anyNA(y) || !all(y == 0 | y == 1)) fail("y must contain only 0 and 1")
  as.double(y)
}

is_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x)
}

check_whole <- function(x, name, lower, upper = Inf, text) {
  if (!is_number(x) || x != round(x) || x < lower || x > upper)
    fail(name, " must be ", text)
  if (x > .Machine$integer.max) fail(name, " is too large")
  as.integer(x)
}

check_positive <- function(x, name) {
  if (!is_number(x) || x <= 0) fail(name, " must be one positive finite number")
  as.double(x)
}

check_n_iter <- function(n_iter) {
  check_whole(n_iter, "n_iter", 1, text = "a whole number of at least 1")
}

check_burn_in <- function(burn_in, n_iter) {
  check_whole(burn_in, "burn_in", 0, n_iter - 1,
              text = "a whole number from 0 to n_iter - 1")
}

check_coefs <- function(x, name, k) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x)))
    fail(name, " must be ", k, " finite number(s), one for each column of X")
  as.double(x)
}

check_beta0 <- function(beta0, k) {
  if (is.null(beta0)) numeric(k) else check_coefs(beta0, "beta0", k)
}

check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(100, k, k))
  text <- "Sigma0 must be a finite symmetric positive definite matrix with one row and one column for each column of X"
  if (!is.matrix(Sigma0) || !is.numeric(Sigma0) ||
      !identical(dim(Sigma0), c(k, k)) || !all(is.finite(Sigma0))) fail(text)
  S <- matrix(as.double(Sigma0), k, k)
  if (!isSymmetric(S)) fail(text)
  S <- (S + t(S)) / 2
  if (is.null(tryCatch(chol(S), error = function(e) NULL))) fail(text)
  S
}

has_full_rank <- function(X) {
  nrow(X) >= ncol(X) && qr(X)$rank == ncol(X)
}

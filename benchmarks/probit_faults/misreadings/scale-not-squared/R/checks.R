# Input checks shared by the matrix functions; the order is part of the interface.

fail <- function(...) stop(..., call. = FALSE)

check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L)
    fail("y must be numeric or logical (a vector)")
  if (length(y) != nrow(X)) fail("the length of y must be the number of rows of X")
  if (anyNA(y) || !all(y == 0 | y == 1)) fail("y must contain only 0 and 1")
  labels <- colnames(X)
  list(X = matrix(as.double(X), nrow(X), ncol(X)), y = as.double(y),
       n = nrow(X), k = ncol(X), labels = labels)
}

is_number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)

is_whole <- function(x) is_number(x) && x == round(x)

check_max_iter <- function(max_iter) {
  if (!is_whole(max_iter) || max_iter < 1)
    fail("max_iter must be a whole number of at least 1")
  as.integer(min(max_iter, .Machine$integer.max))
}

check_positive <- function(x, name) {
  if (!is_number(x) || x <= 0) fail(name, " must be one positive finite number")
  as.double(x)
}

check_iterations <- function(n_iter, burn_in) {
  if (!is_whole(n_iter) || n_iter < 1 || n_iter > .Machine$integer.max)
    fail("n_iter must be a whole number of at least 1 (and at most ",
         .Machine$integer.max, ")")
  if (!is_whole(burn_in) || burn_in < 0 || burn_in > n_iter - 1)
    fail("burn_in must be a whole number from 0 to n_iter - 1")
  list(n_iter = as.integer(n_iter), burn_in = as.integer(burn_in))
}

check_vector <- function(x, k, name) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x)))
    fail(name, " must be a vector of ", k, " finite number(s), one for each column of X")
  as.double(x)
}

check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(100, k))
  text <- "Sigma0 must be a finite symmetric positive definite matrix with one row and column for each column of X"
  if (!is.matrix(Sigma0) || !is.numeric(Sigma0) || any(dim(Sigma0) != k) ||
      !all(is.finite(Sigma0))) fail(text)
  Sigma0 <- matrix(as.double(Sigma0), k, k)
  if (!isSymmetric(Sigma0)) fail(text)
  if (is.null(tryCatch(chol(Sigma0), error = function(e) NULL))) fail(text)
  Sigma0
}

has_full_rank <- function(X) {
  nrow(X) >= ncol(X) && qr(X)$rank == ncol(X)
}

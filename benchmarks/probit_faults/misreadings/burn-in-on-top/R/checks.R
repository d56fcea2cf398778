# Checks of the input. Each raises by fail() or returns the cleaned value.

fail <- function(...) stop(..., call. = FALSE)

# checks 1 to 6; returns plain doubles and the column names apart
check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  if (!(is.numeric(y) || is.logical(y))) fail("y must be numeric or logical")
  if (length(y) != nrow(X)) fail("the length of y must be the number of rows of X")
  if (anyNA(y) || !all(y == 0 | y == 1)) fail("y must contain only 0 and 1")
  list(X = matrix(as.double(X), nrow(X), ncol(X)), y = as.double(y),
       names = colnames(X))
}

check_whole <- function(x, name, least) {
  ok <- is.numeric(x) && length(x) == 1L && is.finite(x) && x == floor(x) && x >= least
  if (!ok) fail(name, " must be a whole number of at least ", least)
  as.double(x)
}

check_positive <- function(x, name) {
  ok <- is.numeric(x) && length(x) == 1L && is.finite(x) && x > 0
  if (!ok) fail(name, " must be one positive finite number")
  as.double(x)
}

check_vector <- function(x, name, k) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x)))
    fail(name, " must be ", k, " finite number(s), one for each column of X")
  as.double(x)
}

check_covariance <- function(S, name, k) {
  bad <- function()
    fail(name, " must be a finite symmetric positive definite ", k, " x ", k, " matrix")
  if (!is.matrix(S) || !is.numeric(S) || !identical(dim(S), c(k, k)) ||
      !all(is.finite(S))) bad()
  S <- matrix(as.double(S), k, k)
  if (!isSymmetric(S)) bad()
  if (is.null(tryCatch(chol(S), error = function(e) NULL))) bad()
  S
}

# n_iter rows have to fit into a matrix
check_n_iter <- function(x) {
  x <- check_whole(x, "n_iter", 1)
  if (x > .Machine$integer.max) fail("n_iter is larger than a matrix can have rows")
  x
}

full_column_rank <- function(X) nrow(X) > 0L && qr(X)$rank >= ncol(X)

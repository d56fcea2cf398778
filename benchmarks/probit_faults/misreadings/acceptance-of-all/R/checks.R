# Input checks in the order of the interface; all raise by stop(call. = FALSE).

is_whole <- function(x, from) {
  is.numeric(x) && length(x) == 1L && is.finite(x) && x == round(x) && x >= from
}

is_positive <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x) && x > 0
}

# Checks 1 to 6; returns clean doubles.
check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) stop("X must be a numeric matrix", call. = FALSE)
  if (ncol(X) < 1L) stop("X must have at least one column", call. = FALSE)
  if (!all(is.finite(X))) stop("X must be finite", call. = FALSE)
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y))) {
    stop("y must be numeric or logical (a vector)", call. = FALSE)
  }
  if (length(y) != nrow(X)) {
    stop("the length of y must be the number of rows of X", call. = FALSE)
  }
  if (anyNA(y) || !all(y == 0 | y == 1)) {
    stop("y must contain only 0 and 1", call. = FALSE)
  }
  list(
    X = matrix(as.double(X), nrow(X), ncol(X)),
    y = as.double(y),
    names = colnames(X)
  )
}

check_max_iter <- function(max_iter) {
  if (!is_whole(max_iter, 1)) {
    stop("max_iter must be a whole number of at least 1", call. = FALSE)
  }
  min(as.double(max_iter), .Machine$integer.max)
}

check_tol <- function(tol) {
  if (!is_positive(tol)) stop("tol must be one positive finite number", call. = FALSE)
  as.double(tol)
}

check_n_iter <- function(n_iter) {
  if (!is_whole(n_iter, 1)) {
    stop("n_iter must be a whole number of at least 1", call. = FALSE)
  }
  as.double(n_iter)
}

check_burn_in <- function(burn_in, n_iter) {
  if (!is_whole(burn_in, 0) || burn_in > n_iter - 1) {
    stop("burn_in must be a whole number from 0 to n_iter - 1", call. = FALSE)
  }
  as.double(burn_in)
}

check_scale <- function(scale) {
  if (!is_positive(scale)) stop("scale must be one positive finite number", call. = FALSE)
  as.double(scale)
}

check_vector <- function(x, k, name) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x))) {
    stop(name, " must be ", k, " finite number", if (k > 1) "s", call. = FALSE)
  }
  as.double(x)
}

check_beta0 <- function(beta0, k) {
  if (is.null(beta0)) numeric(k) else check_vector(beta0, k, "beta0")
}

check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(100, k))
  bad <- function() {
    stop("Sigma0 must be a finite symmetric positive definite ", k, " x ", k, " matrix",
      call. = FALSE)
  }
  if (!is.matrix(Sigma0) || !is.numeric(Sigma0) || any(dim(Sigma0) != k) ||
    !all(is.finite(Sigma0))) {
    bad()
  }
  S <- matrix(as.double(Sigma0), k, k)
  if (!isSymmetric(S)) bad()
  S <- S / 2 + t(S) / 2
  if (is.null(tryCatch(chol(S), error = function(e) NULL))) bad()
  S
}

has_full_rank <- function(X) {
  nrow(X) > 0L && qr(X)$rank >= ncol(X)
}

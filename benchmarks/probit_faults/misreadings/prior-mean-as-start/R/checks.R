# Checks shared by the wrappers, in the order in which they are to fail.

check_xy <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) {
    stop("X must be a numeric matrix", call. = FALSE)
  }
  if (ncol(X) < 1L) stop("X must have at least one column", call. = FALSE)
  if (!all(is.finite(X))) stop("X must be finite", call. = FALSE)
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y))) {
    stop("y must be numeric or logical", call. = FALSE)
  }
  if (length(y) != nrow(X)) {
    stop("length of y must be the number of rows of X", call. = FALSE)
  }
  if (anyNA(y) || !all(y == 0 | y == 1)) {
    stop("y must contain only 0 and 1", call. = FALSE)
  }
  names_k <- colnames(X)
  X <- matrix(as.double(X), nrow(X), ncol(X))
  list(X = X, y = as.double(y), n = nrow(X), k = ncol(X), names = names_k)
}

is_number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)

check_whole <- function(x, name, lower, upper = .Machine$integer.max,
                        what = "a whole number of at least 1") {
  if (!is_number(x) || x != round(x) || x < lower || x > upper) {
    stop(name, " must be ", what, call. = FALSE)
  }
  as.integer(min(x, .Machine$integer.max))
}

check_positive <- function(x, name) {
  if (!is_number(x) || x <= 0) {
    stop(name, " must be one positive finite number", call. = FALSE)
  }
  as.double(x)
}

check_iterations <- function(n_iter, burn_in) {
  n_iter <- check_whole(n_iter, "n_iter", 1)
  burn_in <- check_whole(burn_in, "burn_in", 0, n_iter - 1L,
                         "a whole number from 0 to n_iter - 1")
  list(n_iter = n_iter, burn_in = burn_in)
}

check_vector <- function(x, name, k) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x))) {
    stop(name, " must be ", k, " finite number(s), one for each column of X",
         call. = FALSE)
  }
  as.double(x)
}

check_start <- function(beta0, k) {
  if (is.null(beta0)) numeric(k) else check_vector(beta0, "beta0", k)
}

check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(100, k))
  ok <- is.matrix(Sigma0) && is.numeric(Sigma0) &&
    identical(dim(Sigma0), c(k, k)) && all(is.finite(Sigma0))
  if (ok) {
    Sigma0 <- matrix(as.double(Sigma0), k, k)
    ok <- isSymmetric(Sigma0) &&
      !is.null(tryCatch(chol(Sigma0), error = function(e) NULL))
  }
  if (!ok) {
    stop("Sigma0 must be a finite symmetric positive definite ", k, " x ", k,
         " matrix", call. = FALSE)
  }
  Sigma0
}

full_column_rank <- function(X) {
  nrow(X) >= ncol(X) && qr(X)$rank == ncol(X)
}

# Names for a vector of length k and for a k x k matrix; none without names.
name_vector <- function(x, nm) {
  x <- as.vector(x)
  names(x) <- nm
  x
}

name_matrix <- function(x, nm) {
  if (!is.null(nm)) dimnames(x) <- list(nm, nm)
  x
}

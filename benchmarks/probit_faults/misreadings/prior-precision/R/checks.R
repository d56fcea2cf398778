fail <- function(...) stop(..., call. = FALSE)

check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L) {
    fail("y must be numeric or logical (a vector)")
  }
  if (length(y) != nrow(X)) fail("length of y must be the number of rows of X")
  if (!is_binary(y)) fail("y must contain only 0 and 1")
  names <- colnames(X)
  list(X = matrix(as.double(X), nrow(X), ncol(X)), y = as.double(y),
       n = nrow(X), k = ncol(X), names = names)
}

is_binary <- function(y) !anyNA(y) && all(y == 0 | y == 1)

is_number <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x)

check_whole <- function(x, name) {
  if (!is_number(x) || x != round(x) || x < 1) {
    fail(name, " must be a whole number of at least 1")
  }
  if (x > .Machine$integer.max) fail(name, " must be at most ", .Machine$integer.max)
  as.integer(x)
}

check_burn_in <- function(x, n_iter) {
  if (!is_number(x) || x != round(x) || x < 0 || x > n_iter - 1) {
    fail("burn_in must be a whole number from 0 to n_iter - 1")
  }
  as.integer(x)
}

check_positive <- function(x, name) {
  if (!is_number(x) || x <= 0) fail(name, " must be one positive finite number")
  as.double(x)
}

check_coefs <- function(x, k, name) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x))) {
    fail(name, " must be ", k, " finite number(s), one for each column of X")
  }
  as.double(x)
}

check_beta0 <- function(beta0, k) {
  if (is.null(beta0)) return(numeric(k))
  check_coefs(beta0, k, "beta0")
}

check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(0.01, k, k))
  ok <- is.matrix(Sigma0) && is.numeric(Sigma0) && all(dim(Sigma0) == k) &&
    all(is.finite(Sigma0))
  if (ok) {
    Sigma0 <- matrix(as.double(Sigma0), k, k)
    ok <- isSymmetric(Sigma0) &&
      !is.null(tryCatch(chol(Sigma0), error = function(e) NULL))
  }
  if (!ok) {
    fail("Sigma0 must be a finite symmetric positive definite matrix with ", k,
         " row(s) and column(s)")
  }
  # removes asymmetry of the order of rounding, which isSymmetric lets pass
  Sigma0 / 2 + t(Sigma0) / 2
}

has_full_rank <- function(X) nrow(X) > 0L && qr(X)$rank == ncol(X)

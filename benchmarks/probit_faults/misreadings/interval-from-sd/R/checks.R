# Input checks of the wrappers, in the order of the interface.

fail <- function(...) stop(..., call. = FALSE)

check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L) {
    fail("y must be numeric or logical (a vector)")
  }
  if (length(y) != nrow(X)) {
    fail("the length of y must be the number of rows of X")
  }
  if (anyNA(y) || !all(y == 0 | y == 1)) fail("y must contain only 0 and 1")
  names <- colnames(X)
  list(X = matrix(as.double(X), nrow(X), ncol(X)), y = as.double(y),
       names = names)
}

is_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x)
}

check_whole <- function(x, name, lower, upper = .Machine$integer.max, what) {
  if (!is_number(x) || x != round(x) || x < lower || x > upper) {
    fail(name, " must be a whole number ", what)
  }
  as.integer(x)
}

check_positive <- function(x, name) {
  if (!is_number(x) || x <= 0) fail(name, " must be one positive finite number")
  as.double(x)
}

check_vector <- function(x, name, k) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x))) {
    fail(name, " must be ", k, " finite number(s), one for each column of X")
  }
  as.double(x)
}

# Returns the Cholesky factor of Sigma0.
check_covariance <- function(Sigma0, k) {
  bad <- function() {
    fail("Sigma0 must be a finite symmetric positive definite ", k, " x ", k,
         " matrix")
  }
  if (!is.matrix(Sigma0) || !is.numeric(Sigma0) ||
      !identical(dim(Sigma0), c(k, k)) || !all(is.finite(Sigma0))) {
    bad()
  }
  S <- matrix(as.double(Sigma0), k, k)
  if (!isSymmetric(S)) bad()
  U0 <- tryCatch(chol(S), error = function(e) NULL)
  if (is.null(U0) || !all(is.finite(U0))) bad()
  U0
}

check_iterations <- function(n_iter, burn_in) {
  n_iter <- check_whole(n_iter, "n_iter", 1, what = "of at least 1")
  burn_in <- check_whole(burn_in, "burn_in", 0, n_iter - 1L,
                         what = "from 0 to n_iter - 1")
  list(n_iter = n_iter, burn_in = burn_in)
}

check_prior <- function(beta0, Sigma0, k) {
  beta0 <- if (is.null(beta0)) numeric(k) else check_vector(beta0, "beta0", k)
  U0 <- if (is.null(Sigma0)) diag(10, k) else check_covariance(Sigma0, k)
  list(beta0 = beta0, U0 = U0)
}

has_full_rank <- function(X) {
  nrow(X) >= ncol(X) && qr(X)$rank == ncol(X)
}

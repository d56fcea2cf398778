# Checks of the input, in the order of the interface. They return clean values.

fail <- function(...) stop(..., call. = FALSE)

check_data <- function(X, y) {
  if (!is.matrix(X) || !is.numeric(X)) fail("X must be a numeric matrix")
  if (ncol(X) < 1L) fail("X must have at least one column")
  if (!all(is.finite(X))) fail("X must be finite")
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y))) {
    fail("y must be numeric or logical")
  }
  if (length(y) != nrow(X)) {
    fail("the length of y must be the number of rows of X")
  }
  if (anyNA(y) || !all(y == 0 | y == 1)) fail("y must contain only 0 and 1")
  names <- colnames(X)
  X <- matrix(as.double(X), nrow(X), ncol(X))
  list(X = X, y = as.double(y), names = names, n = nrow(X), k = ncol(X))
}

is_whole <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x) && x == floor(x) &&
    abs(x) <= .Machine$integer.max
}

check_count <- function(x, name) {
  if (!is_whole(x) || x < 1) {
    fail(name, " must be a whole number of at least 1")
  }
  as.integer(x)
}

check_burn_in <- function(burn_in, n_iter) {
  if (!is_whole(burn_in) || burn_in < 0 || burn_in > n_iter - 1L) {
    fail("burn_in must be a whole number from 0 to n_iter - 1")
  }
  as.integer(burn_in)
}

check_positive <- function(x, name) {
  if (!is.numeric(x) || length(x) != 1L || !is.finite(x) || x <= 0) {
    fail(name, " must be one positive finite number")
  }
  as.double(x)
}

check_vector <- function(x, name, k) {
  if (!is.numeric(x) || length(x) != k || !all(is.finite(x))) {
    fail(name, " must be ", k, " finite numbers, one for each column of X")
  }
  as.double(x)
}

# The upper Cholesky factor of Sigma0.
check_Sigma0 <- function(Sigma0, k) {
  if (is.null(Sigma0)) return(diag(10, k))
  message <- paste("Sigma0 must be a finite symmetric positive definite",
                   "matrix with one row and column for each column of X")
  if (!is.numeric(Sigma0) || !is.matrix(Sigma0) ||
      !identical(dim(Sigma0), c(k, k)) || !all(is.finite(Sigma0))) {
    fail(message)
  }
  Sigma0 <- matrix(as.double(Sigma0), k, k)
  if (!isSymmetric(Sigma0)) fail(message)
  root <- tryCatch(chol(Sigma0), error = function(e) NULL)
  if (is.null(root)) fail(message)
  root
}

full_rank <- function(X) nrow(X) > 0L && qr(X)$rank == ncol(X)

# Adds the names of the coefficients and the summaries of the draws.
sampler_fit <- function(draws, data, method, ...) {
  if (!is.null(data$names)) colnames(draws) <- data$names
  sd <- if (nrow(draws) > 1L) {
    apply(draws, 2L, stats::sd)
  } else {
    rep(NA_real_, data$k)
  }
  names(sd) <- data$names
  structure(
    list(beta_draws = draws, posterior_mean = colMeans(draws),
         posterior_sd = sd, ..., nobs = data$n, method = method),
    class = "probit_fit"
  )
}

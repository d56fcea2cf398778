# Checks of arguments. Each stops with the message of the interface or returns
# the argument in the form in which it is used (plain, without attributes).

fail <- function(...) stop(..., call. = FALSE)

is_number <- function(v) is.numeric(v) && length(v) == 1L

check_number <- function(v, name) {
  if (!is_number(v) || !is.finite(v[[1L]])) {
    fail("'", name, "' must be a single finite number")
  }
  # adding zero turns a negative zero into zero
  as.numeric(v[[1L]]) + 0
}

check_df <- function(df) {
  if (!is_number(df) || is.na(df[[1L]]) || df[[1L]] <= 0) {
    fail("'df' must be a single positive number")
  }
  as.numeric(df[[1L]])
}

check_level <- function(level) {
  if (!is_number(level) || is.na(level[[1L]]) ||
      level[[1L]] <= 0 || level[[1L]] >= 1) {
    fail("'level' must be a single number between 0 and 1")
  }
  as.numeric(level[[1L]])
}

check_method <- function(method) {
  choices <- c("fieller", "delta")
  if (identical(method, choices)) {
    return("fieller")
  }
  if (!is.character(method) || length(method) != 1L ||
      !(method[[1L]] %in% choices)) {
    fail("'method' must be \"fieller\" or \"delta\"")
  }
  method[[1L]]
}

check_not_negative <- function(v, name) {
  if (v < 0) {
    fail("'", name, "' must not be negative")
  }
  invisible(v)
}

check_denominator <- function(b) {
  if (b == 0) {
    fail("the denominator is zero")
  }
  invisible(b)
}

check_semidefinite <- function(vaa, vbb, vab) {
  # roots first: the product of the variances can overflow or underflow
  if (abs(vab) > sqrt(vaa) * sqrt(vbb) * (1 + sqrt(.Machine$double.eps))) {
    fail("'vaa', 'vbb' and 'vab' must form a positive semidefinite matrix")
  }
  invisible(vab)
}

check_variance <- function(a, b, vaa, vbb, vab) {
  if (has_no_variance(a, b, vaa, vbb, vab)) {
    fail("no variance: the estimated variance of a - r b, r = a / b, is zero")
  }
  invisible(NULL)
}

# Moments of samples or of a fit can leave the range of a double although the
# data are finite.
check_moments <- function(values, what) {
  if (!all(is.finite(values))) {
    fail(what, " have estimates or variances that are not finite numbers; ",
         "rescale the data")
  }
  invisible(values)
}

check_vector <- function(v, name) {
  if (!is.numeric(v) || !is.null(dim(v))) {
    fail("'", name, "' must be a numeric vector")
  }
  as.numeric(v)
}

check_all_finite <- function(v, name) {
  if (!all(is.finite(v))) {
    fail("'", name, "' holds missing or non-finite values")
  }
  invisible(v)
}

check_enough <- function(v, name) {
  if (length(v) < 2L) {
    fail("'", name, "' must hold at least two observations")
  }
  invisible(v)
}

check_name <- function(v, name) {
  if (!is.character(v) || length(v) != 1L || is.na(v[[1L]])) {
    fail("'", name, "' must be a single character string")
  }
  v[[1L]]
}

# Position of the one coefficient that is called `v`.
check_position <- function(v, name, coefficients) {
  at <- which(names(coefficients) == v)
  if (length(at) != 1L) {
    fail("'", name, "' must name exactly one coefficient")
  }
  at
}

check_estimated <- function(value, name) {
  if (is.na(value)) {
    fail("'", name, "' names a coefficient that could not be estimated")
  }
  invisible(value)
}

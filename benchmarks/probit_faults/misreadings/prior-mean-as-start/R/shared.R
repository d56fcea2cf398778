#' Normal distribution function and its logarithm
#'
#' `safe_log_Phi` gives log Phi(x), computed in log space so that it stays
#' finite far in the lower tail; `safe_Phi` gives Phi(x).
#'
#' @param x a numeric vector.
#' @return A numeric vector of the length of `x`, without attributes: `NA`
#'   where `x` is `NA` or `NaN`, the limits where it is infinite.
#' @references
#' Cody, W. J. (1969). Rational Chebyshev approximations for the error
#' function. *Mathematics of Computation* 23, 631--637.
#' @examples
#' safe_log_Phi(c(-40, 0, 40))
#' safe_Phi(c(-Inf, 0, Inf))
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) stop("x must be numeric", call. = FALSE)
  cpp_pnorm(as.double(x), TRUE)
}

#' @rdname safe_log_Phi
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) stop("x must be numeric", call. = FALSE)
  cpp_pnorm(as.double(x), FALSE)
}

#' Draws from a truncated normal distribution
#'
#' Draws from N(mu, 1) restricted to the interval from `lo` to `hi`, by
#' inversion in log space. Each element uses exactly one uniform number, in
#' order, and increases in it.
#'
#' @param mu means before truncation, finite.
#' @param lo,hi lower and upper limits, possibly infinite, `lo < hi`.
#'   Arguments of length one are recycled to the longest length.
#' @return A numeric vector of the longest length, or `numeric(0)` if any
#'   argument has length zero. Draws are finite and within the limits.
#' @references
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#' polychotomous response data. *Journal of the American Statistical
#' Association* 88(422), 669--679. \doi{10.1080/01621459.1993.10476321}
#' @examples
#' set.seed(1)
#' rtruncnorm(c(-1, 0, 1), 0, Inf)
#' rtruncnorm(-50, 0, Inf)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu)) stop("mu must be numeric", call. = FALSE)
  if (!is.numeric(lo)) stop("lo must be numeric", call. = FALSE)
  if (!is.numeric(hi)) stop("hi must be numeric", call. = FALSE)
  lens <- c(length(mu), length(lo), length(hi))
  if (any(lens == 0L)) return(numeric(0))
  n <- max(lens)
  if (!all(lens == 1L | lens == n)) {
    stop("the length of mu, lo and hi must be one or the longest length",
         call. = FALSE)
  }
  if (!all(is.finite(mu)) || anyNA(lo) || anyNA(hi)) {
    stop("mu must be finite, and lo and hi must not be missing",
         call. = FALSE)
  }
  if (!all(lo < hi)) stop("lo must be below hi", call. = FALSE)
  cpp_rtruncnorm(rep_len(as.double(mu), n), rep_len(as.double(lo), n),
                 rep_len(as.double(hi), n))
}

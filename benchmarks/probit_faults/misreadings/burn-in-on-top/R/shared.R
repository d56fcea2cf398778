#' Normal distribution function and its logarithm
#'
#' `safe_log_Phi(x)` is the logarithm of the standard normal distribution
#' function, computed in log space, so that it is accurate far in the lower tail;
#' `safe_Phi(x)` is the distribution function itself.
#'
#' @param x numeric vector.
#' @return A plain numeric vector of the length of `x`; `NA` for `NA` and `NaN`.
#' @references Wichura, M. J. (1988). Algorithm AS 241: the percentage points of
#'   the normal distribution. *Applied Statistics*, 37, 477-484.
#' @examples
#' safe_log_Phi(c(-40, 0, 40))
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  log_Phi_cpp(as.double(x), TRUE)
}

#' @rdname safe_log_Phi
#' @examples
#' safe_Phi(c(-Inf, 0, Inf))
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  log_Phi_cpp(as.double(x), FALSE)
}

#' Truncated normal random numbers
#'
#' Draws from the normal distribution with mean `mu` and variance one, truncated
#' to the interval from `lo` to `hi`, by inversion in log space. Exactly one
#' uniform number is used for each element, in order, and the draw increases in
#' it.
#'
#' @param mu numeric vector of finite means (before truncation).
#' @param lo,hi numeric vectors of limits, `lo < hi`; they may be infinite.
#'   Arguments of length one are recycled to the longest length.
#' @return A numeric vector of the longest length, or `numeric(0)` when any
#'   argument has length zero. Draws are finite and within the limits.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' set.seed(1)
#' rtruncnorm(c(-50, 0, 50), 0, Inf)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu)) fail("mu must be numeric")
  if (!is.numeric(lo)) fail("lo must be numeric")
  if (!is.numeric(hi)) fail("hi must be numeric")
  len <- c(length(mu), length(lo), length(hi))
  if (any(len == 0L)) return(numeric(0))
  n <- max(len)
  if (!all(len == 1L | len == n))
    fail("mu, lo and hi must have length one or the same length")
  if (!all(is.finite(mu))) fail("mu must be finite")
  if (anyNA(lo) || anyNA(hi)) fail("mu must be finite, and lo and hi not missing")
  if (!all(lo < hi)) fail("lo must be below hi")
  rtruncnorm_cpp(rep_len(as.double(mu), n), rep_len(as.double(lo), n),
                 rep_len(as.double(hi), n))
}

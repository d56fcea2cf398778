#' Normal distribution function and its logarithm
#'
#' `safe_log_Phi` gives log Phi(x), `safe_Phi` gives Phi(x), for the standard
#' normal distribution function Phi. The logarithm is computed in log space and
#' stays finite and accurate far in the lower tail.
#'
#' @param x numeric vector.
#' @return A numeric vector of the length of `x`: `NA` where `x` is missing, the
#'   limits for infinite `x`.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' safe_log_Phi(c(-100, 0, 10))
#' safe_Phi(c(-Inf, 0, Inf))
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_Phi(as.double(x), TRUE)
}

#' @rdname safe_log_Phi
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_Phi(as.double(x), FALSE)
}

#' Truncated normal random numbers
#'
#' Draws from the normal distribution with mean `mu` and variance one, truncated
#' to the interval from `lo` to `hi`, by inversion in log space. One uniform
#' number is used for each element, in order, and the draw increases in it.
#'
#' @param mu means, finite.
#' @param lo,hi limits, `lo` below `hi`; may be infinite.
#' @return A numeric vector of the longest length of the arguments (those of
#'   length one are recycled); `numeric(0)` if one of them has length zero. All
#'   draws are finite and lie within the limits.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' set.seed(1)
#' rtruncnorm(0, c(-1, 0, 40), Inf)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu) || !is.numeric(lo) || !is.numeric(hi))
    fail("mu, lo and hi must be numeric")
  lengths <- c(length(mu), length(lo), length(hi))
  if (any(lengths == 0L)) return(numeric(0))
  n <- max(lengths)
  if (!all(lengths == 1L | lengths == n))
    fail("the length of mu, lo and hi must be one or the longest length")
  if (!all(is.finite(mu)) || anyNA(lo) || anyNA(hi))
    fail("mu must be finite, and lo and hi must not be missing")
  if (!all(lo < hi)) fail("lo must be below hi")
  cpp_rtruncnorm(as.double(mu), as.double(lo), as.double(hi), n)
}

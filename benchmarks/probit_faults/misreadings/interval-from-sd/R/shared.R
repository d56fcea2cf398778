#' Normal distribution function and its logarithm
#'
#' \code{safe_log_Phi} gives \eqn{\log\Phi(x)}{log Phi(x)} without taking the
#' logarithm of a probability that has underflowed, \code{safe_Phi} gives
#' \eqn{\Phi(x)}{Phi(x)}.
#'
#' @param x A numeric vector.
#' @return A numeric vector of the length of \code{x}; \code{NA} where \code{x}
#'   is \code{NA} or \code{NaN}.
#' @references Cody, W. J. (1969). Rational Chebyshev approximations for the
#'   error function. \emph{Mathematics of Computation}, 23, 631-637.
#' @examples
#' safe_log_Phi(c(-40, 0, 40))
#' safe_Phi(c(-Inf, 0, Inf))
#' @name safe_Phi
NULL

#' @rdname safe_Phi
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_log_Phi(as.double(x))
}

#' @rdname safe_Phi
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_Phi(as.double(x))
}

#' Truncated normal random numbers
#'
#' Draws from the normal distribution with mean \code{mu} and variance one,
#' truncated to the interval from \code{lo} to \code{hi}, by inversion of the
#' distribution function in log space. Exactly one uniform number is used for
#' each element, in order, and the draw increases in it.
#'
#' @param mu Means, finite.
#' @param lo,hi Limits, \code{lo} below \code{hi}; they may be infinite.
#'   Arguments of length one are recycled to the longest length.
#' @return A numeric vector of the longest length, finite and within the limits;
#'   \code{numeric(0)} if any argument has length zero.
#' @references Devroye, L. (1986). \emph{Non-Uniform Random Variate Generation}.
#'   Springer, New York.
#' @examples
#' set.seed(1)
#' rtruncnorm(c(-50, 0, 50), 0, Inf)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu)) fail("mu must be numeric")
  if (!is.numeric(lo)) fail("lo must be numeric")
  if (!is.numeric(hi)) fail("hi must be numeric")
  lengths <- c(length(mu), length(lo), length(hi))
  if (any(lengths == 0L)) return(numeric(0))
  n <- max(lengths)
  if (!all(lengths == 1L | lengths == n)) {
    fail("mu, lo and hi must have length one or the same length")
  }
  if (!all(is.finite(mu))) fail("mu must be finite")
  if (anyNA(lo) || anyNA(hi)) {
    fail("lo and hi must be finite or infinite, not missing")
  }
  mu <- rep_len(as.double(mu), n)
  lo <- rep_len(as.double(lo), n)
  hi <- rep_len(as.double(hi), n)
  if (!all(lo < hi)) fail("lo must be below hi")
  cpp_rtruncnorm(mu, lo, hi)
}

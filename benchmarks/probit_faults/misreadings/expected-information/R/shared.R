#' Normal distribution function and its logarithm
#'
#' \code{safe_log_Phi} gives the logarithm of the standard normal distribution
#' function without forming the function itself, so that it is exact far in the
#' lower tail; \code{safe_Phi} gives the function itself.
#'
#' @param x a numeric vector.
#' @return A numeric vector of the length of \code{x}; \code{NA} where \code{x}
#'   is \code{NA} or \code{NaN}, and the limits where \code{x} is infinite.
#' @references Cody, W. J. (1969). Rational Chebyshev approximations for the
#'   error function. \emph{Mathematics of Computation}, 23, 631--637.
#' @examples
#' safe_log_Phi(c(-1000, -40, 0, 40))
#' safe_Phi(c(-Inf, -2, 0, 2, Inf))
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
#' Draws from the normal distribution with mean \code{mu} and variance one
#' restricted to the interval from \code{lo} to \code{hi}, by inversion in log
#' space. One uniform number is used for each element, in order, and the draw
#' increases with it.
#'
#' @param mu numeric vector of means before truncation, finite.
#' @param lo,hi numeric vectors of lower and upper limits, which may be
#'   infinite; \code{lo} must be below \code{hi}.
#' @return A numeric vector of the length of the longest argument (arguments of
#'   length one are recycled), or \code{numeric(0)} if an argument has length
#'   zero. The draws are finite and within the limits.
#' @references Devroye, L. (1986). \emph{Non-Uniform Random Variate
#'   Generation}. Springer, New York.
#' @examples
#' set.seed(1)
#' rtruncnorm(0, c(-1, 0, 50), Inf)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu)) fail("mu must be numeric")
  if (!is.numeric(lo)) fail("lo must be numeric")
  if (!is.numeric(hi)) fail("hi must be numeric")
  lengths <- c(length(mu), length(lo), length(hi))
  if (any(lengths == 0L)) return(numeric(0))
  n <- max(lengths)
  if (any(lengths != 1L & lengths != n))
    fail("mu, lo and hi must have the same length or length one")
  if (!all(is.finite(mu))) fail("mu must be finite")
  if (anyNA(lo) || anyNA(hi)) fail("lo and hi must be finite or infinite, not missing")
  mu <- rep_len(as.double(mu), n)
  lo <- rep_len(as.double(lo), n)
  hi <- rep_len(as.double(hi), n)
  if (!all(lo < hi)) fail("lo must be below hi")
  cpp_rtruncnorm(mu, lo, hi)
}

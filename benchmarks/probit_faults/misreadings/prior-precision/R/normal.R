#' Standard normal distribution function and its logarithm
#'
#' \code{safe_log_Phi} gives \eqn{\log \Phi(x)}{log Phi(x)} and \code{safe_Phi}
#' gives \eqn{\Phi(x)}{Phi(x)}, accurate far in both tails.
#'
#' @param x Numeric vector.
#' @return Numeric vector of the length of \code{x}: \code{NA} where \code{x} is
#'   \code{NA} or \code{NaN}, the limits where it is infinite.
#' @references Cody, W. J. (1969). Rational Chebyshev approximations for the
#'   error function. Mathematics of Computation, 23(107), 631-637.
#' @examples
#' safe_log_Phi(c(-40, 0, 40))
#' safe_Phi(c(-Inf, 0, 1.96))
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_log_Phi(as.double(x))
}

#' @rdname safe_log_Phi
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_Phi(as.double(x))
}

#' Truncated normal random numbers by inversion
#'
#' Draws from the normal distribution with mean \code{mu} and variance one,
#' truncated to the interval from \code{lo} to \code{hi}. Exactly one uniform
#' number is used for each element, in order, and the draw is the quantile of
#' the truncated distribution at this number, so that it increases with it.
#'
#' @param mu Numeric vector of means before truncation, finite.
#' @param lo,hi Numeric vectors of lower and upper limits, possibly infinite;
#'   \code{lo} must be below \code{hi}.
#' @return Numeric vector with as many draws as the longest argument has
#'   elements; arguments of length one are recycled. An argument of length zero
#'   gives \code{numeric(0)}. Draws are finite and within the limits.
#' @references Devroye, L. (1986). Non-Uniform Random Variate Generation.
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
    fail("the length of mu, lo and hi must be one or that of the longest")
  }
  if (!all(is.finite(mu))) fail("mu must be finite")
  if (anyNA(lo) || anyNA(hi)) {
    fail("lo and hi must be finite or infinite, not missing")
  }
  if (!all(lo < hi)) fail("lo must be below hi")
  cpp_rtruncnorm(as.double(mu), as.double(lo), as.double(hi), n)
}

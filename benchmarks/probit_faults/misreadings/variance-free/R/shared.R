#' Normal distribution function, safe in the tails
#'
#' \code{safe_log_Phi} is the logarithm of the standard normal distribution
#' function and \code{safe_Phi} the distribution function itself. The logarithm
#' is computed directly and not from the probability, so that it stays finite
#' and accurate where the probability underflows.
#'
#' @param x a numeric vector.
#' @return A numeric vector of the length of \code{x}: \code{NA} for \code{NA}
#'   and \code{NaN}, the limits for infinite values.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88(422), 669--679.
#' @examples
#' safe_log_Phi(c(-100, 0, 100))
#' safe_Phi(c(-Inf, -1, 0, 1, Inf))
#' @export
safe_log_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_log_Phi(as.double(x), TRUE)
}

#' @rdname safe_log_Phi
#' @export
safe_Phi <- function(x) {
  if (!is.numeric(x)) fail("x must be numeric")
  cpp_log_Phi(as.double(x), FALSE)
}

#' Truncated normal random numbers
#'
#' Draws from the normal distribution with mean \code{mu} and unit variance,
#' truncated to \code{[lo, hi]}, by inversion in log space. Every element uses
#' exactly one uniform number and increases in it. The draws are finite and
#' within the limits however far the interval lies in the tail.
#'
#' @param mu numeric, the means before truncation; finite.
#' @param lo numeric, the lower limits; may be \code{-Inf}.
#' @param hi numeric, the upper limits; may be \code{Inf}, above \code{lo}.
#' @return A numeric vector of the longest length of the arguments. Arguments of
#'   length one are recycled; an argument of length zero gives
#'   \code{numeric(0)}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88(422), 669--679.
#' @examples
#' set.seed(1)
#' rtruncnorm(c(-1, 0, 1), 0, Inf)
#' rtruncnorm(0, 50, 51)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  if (!is.numeric(mu)) fail("mu must be numeric")
  if (!is.numeric(lo)) fail("lo must be numeric")
  if (!is.numeric(hi)) fail("hi must be numeric")
  sizes <- c(length(mu), length(lo), length(hi))
  if (any(sizes == 0L)) return(numeric(0))
  n <- max(sizes)
  if (any(sizes != 1L & sizes != n)) {
    fail("the length of mu, lo and hi must be one or the longest length")
  }
  if (!all(is.finite(mu)) || anyNA(lo) || anyNA(hi)) {
    fail("mu must be finite, and lo and hi must not be missing")
  }
  mu <- rep_len(as.double(mu), n)
  lo <- rep_len(as.double(lo), n)
  hi <- rep_len(as.double(hi), n)
  if (!all(lo < hi)) fail("lo must be below hi")
  cpp_rtruncnorm(mu, lo, hi)
}

# A vector of missing values only is logical in R; it stands for missing numbers.
as_missing_number <- function(x) {
  if (is.logical(x) && length(x) > 0L && all(is.na(x))) as.double(x) else x
}

#' Standard normal distribution function, safe in the tails
#'
#' \code{safe_log_Phi} is the logarithm of the standard normal distribution
#' function, computed in log space, so that it is finite wherever the logarithm
#' is representable; \code{safe_Phi} is the distribution function itself.
#'
#' @param x a numeric vector.
#' @return A plain numeric vector of the length of \code{x}; \code{NA} for
#'   \code{NA} and \code{NaN}, the limits for infinite \code{x}.
#' @references Abramowitz, M. and Stegun, I. A. (1964). \emph{Handbook of
#'   Mathematical Functions}, chapter 26.
#' @examples
#' safe_log_Phi(c(-1000, -40, 0, 10))
#' safe_Phi(c(-Inf, -37, 0, Inf))
#' @export
safe_log_Phi <- function(x) {
  x <- as_missing_number(x)
  if (!is.numeric(x)) stop("x must be numeric", call. = FALSE)
  cpp_log_Phi(as.double(x))
}

#' @rdname safe_log_Phi
#' @export
safe_Phi <- function(x) {
  x <- as_missing_number(x)
  if (!is.numeric(x)) stop("x must be numeric", call. = FALSE)
  cpp_Phi(as.double(x))
}

#' Truncated normal draws by inversion
#'
#' Draws from the normal distribution with mean \code{mu} and variance one,
#' restricted to the interval from \code{lo} to \code{hi}. The inversion is done
#' in log space in the tail with the smaller probability, so draws are finite and
#' inside the interval however far it lies in the tail. Exactly one uniform
#' number of R's generator is used for each element, in order, and the draw
#' increases in it.
#'
#' @param mu numeric, finite: means of the normal before truncation.
#' @param lo,hi numeric, may be infinite: limits, \code{lo} below \code{hi}.
#'   Arguments of length one are recycled to the longest length.
#' @return A numeric vector of the longest length; \code{numeric(0)} if an
#'   argument has length zero.
#' @references Devroye, L. (1986). \emph{Non-Uniform Random Variate Generation},
#'   chapter 2. Springer.
#' @examples
#' set.seed(1)
#' rtruncnorm(0, 0, Inf)
#' rtruncnorm(-50, 0, Inf)
#' rtruncnorm(c(-1, 0, 1), -1, 1)
#' @export
rtruncnorm <- function(mu, lo, hi) {
  args <- lapply(list(mu = mu, lo = lo, hi = hi), as_missing_number)
  for (a in names(args)) {
    if (!is.numeric(args[[a]])) stop(a, " must be numeric", call. = FALSE)
  }
  len <- lengths(args)
  if (any(len == 0L)) return(numeric(0))
  n <- max(len)
  if (any(len != 1L & len != n)) {
    stop("mu, lo and hi must each have length one or the longest length", call. = FALSE)
  }
  if (!all(is.finite(args$mu))) stop("mu must be finite", call. = FALSE)
  if (anyNA(args$lo) || anyNA(args$hi)) {
    stop("lo and hi must be finite or infinite, not missing",
      call. = FALSE)
  }
  args <- lapply(args, function(a) rep_len(as.double(a), n))
  if (!all(args$lo < args$hi)) stop("lo must be below hi", call. = FALSE)
  cpp_rtruncnorm(args$mu, args$lo, args$hi)
}

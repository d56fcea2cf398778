#' Confidence set for the ratio of two means
#'
#' Computes Fieller's confidence set, or the interval of the delta method, for
#' the ratio of the mean of \code{x} to the mean of \code{y}, from two
#' independent samples or from pairs.
#'
#' The variances and the covariance of the samples divide by the size less one
#' (\code{\link[stats]{var}}, \code{\link[stats]{cov}}), for independent and for
#' paired samples. Divided by the sizes of the samples they give \code{vaa},
#' \code{vbb} and, for pairs, \code{vab} of \code{\link{ratio_ci}}; the
#' variances of independent samples are not pooled, and their covariance is
#' zero.
#'
#' The degrees of freedom for independent samples of sizes \eqn{m} and \eqn{n}
#' are those of Welch and Satterthwaite at the estimated ratio \eqn{r},
#' \deqn{\frac{(v_{aa} + r^2 v_{bb})^2}{v_{aa}^2 / (m - 1) +
#'   r^4 v_{bb}^2 / (n - 1)},}{(vaa + r^2 vbb)^2 /
#'   (vaa^2 / (m - 1) + r^4 vbb^2 / (n - 1)),}
#' and not \eqn{m + n - 2}. The reason is that the variances are not pooled:
#' without pooling, \eqn{m + n - 2} makes sets too small when the smaller sample
#' has the larger variance. The degrees of freedom lie between
#' \eqn{\min(m, n) - 1}{min(m, n) - 1} and \eqn{m + n - 2} and are not a whole
#' number in general.
#'
#' For \eqn{n} pairs the degrees of freedom are \eqn{n - 1}.
#'
#' Missing and non-finite values are errors, and so are samples of fewer than
#' two values, pairs of samples that differ in length, and a mean of \code{y}
#' that is exactly zero. One constant sample is computed, with a variance of
#' zero. Two constant samples, an \code{x} that is constantly zero, and paired
#' samples of which one is a multiple of the other are the error
#' \dQuote{no variance}. Values so large that a variance exceeds the largest
#' double are an error too.
#'
#' @param x,y numeric vectors: the samples of the numerator and of the
#'   denominator.
#' @param paired \code{TRUE} if \code{x} and \code{y} are pairs, in this order;
#'   \code{FALSE} if they are independent samples.
#' @inheritParams ratio_ci
#'
#' @return A list of class \code{"ratioci"}, as described at
#'   \code{\link{ratio_ci}}.
#'
#' @references
#' Fieller, E. C. (1954). Some problems in interval estimation.
#' \emph{Journal of the Royal Statistical Society, Series B}, 16, 175-185.
#'
#' Satterthwaite, F. E. (1946). An approximate distribution of estimates of
#' variance components. \emph{Biometrics Bulletin}, 2, 110-114.
#'
#' @seealso \code{\link{ratio_ci}} for the types of set and for g.
#'
#' @examples
#' x <- c(9.8, 11.2, 10.5, 12.1, 9.4)
#' y <- c(5.1, 4.6, 5.5, 4.9, 5.2, 4.8, 5.3)
#' ratio_means(x, y)
#'
#' before <- c(5.1, 4.6, 5.5, 4.9, 5.2)
#' after <- c(5.9, 5.0, 6.4, 5.8, 5.7)
#' ratio_means(after, before, paired = TRUE)
#' @export
ratio_means <- function(x, y, paired = FALSE, level = 0.95,
                        method = c("fieller", "delta")) {
  x <- check_vector(x, "x")
  y <- check_vector(y, "y")
  check_all_finite(x, "x")
  check_all_finite(y, "y")
  if (!isTRUE(paired) && !isFALSE(paired)) {
    fail("'paired' must be TRUE or FALSE")
  }
  paired <- isTRUE(paired)
  check_enough(x, "x")
  check_enough(y, "y")
  if (paired && length(x) != length(y)) {
    fail("'x' and 'y' must have the same length when 'paired' is TRUE")
  }
  level <- check_level(level)
  method <- check_method(method)

  m <- as.numeric(length(x))
  n <- as.numeric(length(y))
  a <- mean(x) + 0
  b <- mean(y) + 0
  # a constant sample has a variance of exactly zero, whatever rounding says
  fixed_x <- all(x == x[[1L]])
  fixed_y <- all(y == y[[1L]])
  vaa <- if (fixed_x) 0 else stats::var(x) / m
  vbb <- if (fixed_y) 0 else stats::var(y) / n
  vab <- if (!paired || fixed_x || fixed_y) 0 else stats::cov(x, y) / n
  check_moments(c(a, b, vaa, vbb, vab), "'x' and 'y'")

  check_denominator(b)
  check_variance(a, b, vaa, vbb, vab)
  df <- if (paired) n - 1 else welch_df(a, b, vaa, vbb, m, n)
  ratio_set(a, b, vaa, vbb, vab, df, level, method)
}

#' Trimmed Mean and Its Standard Error
#'
#' Computes the trimmed mean of a sample and its standard error from the
#' Winsorised variance.
#'
#' Let \eqn{x_{(1)} \le \dots \le x_{(n)}} be the sorted values, \eqn{\gamma}
#' the share \code{trim}, \eqn{k = \lfloor n\gamma \rfloor} and
#' \eqn{h = n - 2k}. The trimmed mean is
#' \deqn{m = \frac{x_{(k+1)} + \dots + x_{(n-k)}}{h}.}{m = (x_(k+1) + ... + x_(n-k)) / h.}
#' The Winsorised sample has the \eqn{k} smallest values replaced by
#' \eqn{x_{(k+1)}} and the \eqn{k} largest by \eqn{x_{(n-k)}}; \eqn{s_w^2} is
#' its variance with the divisor \eqn{n - 1}. The standard error is
#' \deqn{\frac{s_w}{(1 - 2\gamma)\sqrt{n}}.}{s_w / ((1 - 2 gamma) sqrt(n)).}
#'
#' \strong{How many values are trimmed.} \eqn{k} is \code{floor(n * trim)} as
#' floating point gives it, the same number as in \code{mean(x, trim = trim)}.
#' With \code{n = 100} and \code{trim = 0.29} it is 28, since \code{100 * 0.29}
#' is a little less than 29 in floating point.
#'
#' \strong{The share in the standard error.} The standard error uses \code{trim}
#' itself, not the share \eqn{k/n} that was really trimmed. For samples whose
#' \code{n * trim} is not a whole number it is therefore on average too large.
#'
#' \strong{Only one value left.} If just one value is left after trimming (three
#' values with \code{trim = 0.4}, say), the Winsorised sample is constant and the
#' standard error is 0, whatever the data are.
#'
#' \strong{Not a part of the standard error of \code{yuen_test}.} The standard
#' error here and the one in \code{\link{yuen_test}} rest on two different
#' estimates of the variance of a trimmed mean. They do not add up: the
#' \code{stderr} of \code{yuen_test} is not the root of the sum of the squared
#' \code{stderr} of two calls of \code{trimmed_mean}, except with
#' \code{trim = 0}.
#'
#' \strong{Missing values.} If \code{x} has a missing value (\code{NA} or
#' \code{NaN}), both results are \code{NA}, without a warning. Missing values
#' are not dropped, unlike in \code{\link{yuen_test}}.
#'
#' @param x a numeric vector with at least two values. A matrix is treated as
#'   the vector of its values, and names are ignored.
#' @param trim the share of the values that is trimmed at each end, a single
#'   number, at least 0 and less than 0.5.
#'
#' @return A list with the components
#' \describe{
#'   \item{\code{estimate}}{the trimmed mean.}
#'   \item{\code{stderr}}{its standard error; 0 if all values are the same.}
#' }
#' It is an error if \code{x} is not numeric, \code{trim} is not such a number,
#' \code{x} has fewer than two values, or \code{x} has an infinite value.
#'
#' @references
#' Yuen, K. K. (1974). The two-sample trimmed t for unequal population
#' variances. \emph{Biometrika}, \bold{61}, 165--170.
#'
#' @seealso \code{\link{yuen_test}} for the comparison of two samples;
#'   \code{\link{mean}}, which has the argument \code{trim} too.
#'
#' @examples
#' x <- c(2.1, 2.9, 3.3, 3.4, 3.8, 4.0, 4.4, 4.6, 5.2, 21.7)
#' trimmed_mean(x)
#' trimmed_mean(x, trim = 0.1)
#'
#' # the same trimmed mean as in base R
#' all.equal(trimmed_mean(x)$estimate, mean(x, trim = 0.2))
#'
#' @export
trimmed_mean <- function(x, trim = 0.2) {
  check_sample(x, "x")
  trim <- check_trim(trim)
  x <- as.double(x)
  check_number_of_values(x, "x")
  if (anyNA(x)) {
    return(list(estimate = NA_real_, stderr = NA_real_))
  }
  check_finite(x, "x")

  s <- one_sample(x, trim)
  list(
    estimate = s$mean,
    stderr = s$scale * (sqrt(s$var) / ((1 - 2 * trim) * sqrt(s$n)))
  )
}

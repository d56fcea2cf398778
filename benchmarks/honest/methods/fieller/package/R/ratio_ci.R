#' Confidence set for a ratio from two estimates and their variances
#'
#' Computes Fieller's confidence set, or the interval of the delta method, for
#' the ratio of a numerator to a denominator, from the two estimates, their
#' estimated variances and covariance, and the degrees of freedom of these
#' variances.
#'
#' With \eqn{r = a / b}, Fieller's set holds all \eqn{\rho_0}{rho0} with
#' \eqn{|T(\rho_0)| \le t}{|T(rho0)| <= t}, where
#' \deqn{T(\rho_0) = \frac{a - \rho_0 b}{\sqrt{v_{aa} - 2 \rho_0 v_{ab} +
#'   \rho_0^2 v_{bb}}}}{T(rho0) = (a - rho0 b) /
#'   sqrt(vaa - 2 rho0 vab + rho0^2 vbb)}
#' and \eqn{t} is the \eqn{1 - (1 - level)/2} quantile of Student's t on
#' \code{df} degrees of freedom. The interval of the delta method is
#' \eqn{r \pm t \sqrt{v_{aa} - 2 r v_{ab} + r^2 v_{bb}} / |b|}{r -+ t
#' sqrt(vaa - 2 r vab + r^2 vbb) / |b|}.
#'
#' @section The four types of set:
#' \describe{
#'   \item{\code{"interval"}}{everything from the first limit to the second,
#'     both included; both are finite.}
#'   \item{\code{"complement"}}{everything up to and including the first limit,
#'     and everything from the second limit on, it included; both limits are
#'     finite.}
#'   \item{\code{"half-line"}}{everything from the first limit on, or
#'     everything up to the second limit; the other limit is \code{Inf} or
#'     \code{-Inf}. It occurs only when g is exactly 1.}
#'   \item{\code{"line"}}{every real number; the limits are \code{-Inf} and
#'     \code{Inf}.}
#' }
#' The set of the delta method is always an \code{"interval"}.
#'
#' @section The quantity g:
#' \eqn{g = t^2 v_{bb} / b^2}{g = t^2 vbb / b^2} says how well the denominator
#' is told apart from zero. Fieller's set is an interval just when g is below
#' 1, that is, when the test of a denominator of zero rejects. It is reported
#' for the delta method too: g of 1 or more says that Fieller's set would be
#' unbounded. A denominator so close to zero that g exceeds the largest double
#' gives \code{Inf}.
#'
#' @section Errors:
#' It is an error, in this order, when \code{a}, \code{b}, \code{vaa},
#' \code{vbb} or \code{vab} is not a single finite number; \code{df} is not a
#' single positive number (\code{Inf} is allowed); \code{level} is not a single
#' number between 0 and 1; \code{method} is something else than described;
#' \code{vaa} or \code{vbb} is negative; \code{b} is exactly zero; the absolute
#' value of \code{vab} exceeds \code{sqrt(vaa * vbb)} by more than rounding;
#' the estimated variance of \eqn{a - r b} is zero up to rounding, as it is
#' when both variances are zero, when \code{a} and \code{vaa} are zero, or when
#' numerator and denominator vary in proportion; or \code{df} is so small that
#' the squared quantile is not a finite number. One variance of zero is no
#' error. A denominator close to zero is none either: the set is unbounded
#' then, as it should be.
#'
#' @param a,b estimates of the numerator and of the denominator.
#' @param vaa,vbb estimated variances of \code{a} and of \code{b} (of the
#'   estimates, not of single observations).
#' @param vab estimated covariance of \code{a} and \code{b}.
#' @param df degrees of freedom of the variances; \code{Inf} stands for the
#'   normal distribution.
#' @param level confidence level.
#' @param method \code{"fieller"}, which is also what the default means, or
#'   \code{"delta"}; not to be abbreviated.
#'
#' @return A list of class \code{"ratioci"} with the elements
#' \describe{
#'   \item{\code{estimate}}{the ratio of the two estimates.}
#'   \item{\code{limits}}{two numbers, the smaller first; see the types.}
#'   \item{\code{type}}{\code{"interval"}, \code{"complement"},
#'     \code{"half-line"} or \code{"line"}.}
#'   \item{\code{g}}{see the section about it.}
#'   \item{\code{df}, \code{level}, \code{method}}{degrees of freedom, level and
#'     method as used.}
#'   \item{\code{a}, \code{b}, \code{vaa}, \code{vbb}, \code{vab}}{estimates,
#'     variances and covariance as used.}
#' }
#' There are methods for \code{\link[=print.ratioci]{print}} and
#' \code{\link[=confint.ratioci]{confint}}.
#'
#' @references
#' Fieller, E. C. (1954). Some problems in interval estimation.
#' \emph{Journal of the Royal Statistical Society, Series B}, 16, 175-185.
#'
#' @seealso \code{\link{ratio_means}} for two samples, \code{\link{ratio_coef}}
#'   for two coefficients of a linear model.
#'
#' @examples
#' # a precise denominator: an interval
#' ratio_ci(a = 2, b = 1, vaa = 0.04, vbb = 0.01, df = 20)
#'
#' # the delta method is symmetric about the estimate
#' ratio_ci(a = 2, b = 1, vaa = 0.04, vbb = 0.01, df = 20, method = "delta")
#'
#' # a denominator that may be zero: everything outside of an open interval
#' ratio_ci(a = 2, b = 1, vaa = 0.04, vbb = 1)
#'
#' # neither numerator nor denominator is told apart from zero: the line
#' ratio_ci(a = 1, b = 1, vaa = 1, vbb = 1)
#' @export
ratio_ci <- function(a, b, vaa, vbb, vab = 0, df = Inf, level = 0.95,
                     method = c("fieller", "delta")) {
  a <- check_number(a, "a")
  b <- check_number(b, "b")
  vaa <- check_number(vaa, "vaa")
  vbb <- check_number(vbb, "vbb")
  vab <- check_number(vab, "vab")
  df <- check_df(df)
  level <- check_level(level)
  method <- check_method(method)
  check_not_negative(vaa, "vaa")
  check_not_negative(vbb, "vbb")
  check_denominator(b)
  check_semidefinite(vaa, vbb, vab)
  check_variance(a, b, vaa, vbb, vab)
  ratio_set(a, b, vaa, vbb, vab, df, level, method)
}

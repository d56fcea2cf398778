#' Confidence set for the ratio of two coefficients of a linear model
#'
#' Computes Fieller's confidence set, or the interval of the delta method, for
#' the ratio of two coefficients of a model fitted by \code{\link[stats]{lm}}.
#'
#' The estimates are those of \code{coef(fit)}, their variances and covariance
#' those of \code{vcov(fit)}, and the degrees of freedom are the residual
#' degrees of freedom of the fit; see \code{\link{ratio_ci}} for what follows.
#' Weights and offsets of the fit are respected in this way. A warning that
#' \code{vcov} gives about the fit is passed on.
#'
#' It is an error when \code{fit} is of another class than exactly \code{"lm"}
#' (such as a fit by \code{glm} or \code{aov}, or one of several responses),
#' when a name is not the name of just one coefficient, when the two names are
#' the same, when one of the coefficients could not be estimated because of
#' collinear columns, when the fit has no residual degrees of freedom, when the
#' denominator is exactly zero, or when the variance of the estimated
#' \eqn{a - r b} is zero.
#'
#' @param fit a linear model fitted by \code{\link[stats]{lm}}.
#' @param numerator,denominator names of two coefficients, as
#'   \code{names(coef(fit))} spells them (\code{"(Intercept)"} is one).
#' @inheritParams ratio_ci
#'
#' @return A list of class \code{"ratioci"}, as described at
#'   \code{\link{ratio_ci}}.
#'
#' @references
#' Fieller, E. C. (1954). Some problems in interval estimation.
#' \emph{Journal of the Royal Statistical Society, Series B}, 16, 175-185.
#'
#' @seealso \code{\link{ratio_ci}} for the types of set and for g.
#'
#' @examples
#' fit <- lm(dist ~ speed, data = cars)
#' # minus the speed at which the fitted line crosses zero
#' ratio_coef(fit, "(Intercept)", "speed")
#' ratio_coef(fit, "(Intercept)", "speed", method = "delta")
#' @export
ratio_coef <- function(fit, numerator, denominator, level = 0.95,
                       method = c("fieller", "delta")) {
  if (!identical(class(fit), "lm")) {
    fail("'fit' must be a model fitted by lm")
  }
  numerator <- check_name(numerator, "numerator")
  denominator <- check_name(denominator, "denominator")
  coefficients <- stats::coef(fit)
  i <- check_position(numerator, "numerator", coefficients)
  j <- check_position(denominator, "denominator", coefficients)
  if (i == j) {
    fail("'numerator' and 'denominator' must be different")
  }
  check_estimated(coefficients[[i]], "numerator")
  check_estimated(coefficients[[j]], "denominator")
  df <- as.numeric(stats::df.residual(fit))
  if (length(df) != 1L || is.na(df) || df <= 0) {
    fail("'fit' has no residual degrees of freedom")
  }
  level <- check_level(level)
  method <- check_method(method)

  a <- as.numeric(coefficients[[i]]) + 0
  b <- as.numeric(coefficients[[j]]) + 0
  check_denominator(b)
  # rows and columns of vcov() are those of coef(), aliased ones included
  v <- stats::vcov(fit)
  vaa <- v[[i, i]]
  vbb <- v[[j, j]]
  vab <- v[[i, j]]
  check_moments(c(a, b, vaa, vbb, vab), "the coefficients of 'fit'")
  check_variance(a, b, vaa, vbb, vab)
  ratio_set(a, b, vaa, vbb, vab, df, level, method)
}

#' Probit model with a formula
#'
#' Builds the matrix of regressors with \code{model.matrix} and calls
#' \code{\link{probit_mle}}, \code{\link{probit_gibbs}} or
#' \code{\link{probit_mh}}. Rows with missing values are treated by the
#' \code{na.action} of the session.
#'
#' @param formula a two-sided formula without offset. The response is a numeric
#'   or logical vector of zeros and ones, or a factor with two levels, the second
#'   of which counts as one.
#' @param data a data frame; \code{NULL} takes the variables from the environment
#'   of the formula.
#' @param method \code{"mle"}, \code{"gibbs"} or \code{"mh"}.
#' @param ... further arguments of the function of the method.
#' @return A list of class \code{c("probit", "probit_fit")} with
#'   \code{coefficients} and \code{se} (estimate and standard errors, or posterior
#'   mean and standard deviation), \code{vcov}, \code{method}, \code{nobs},
#'   \code{fit} (the \code{probit_fit}), \code{formula} and \code{call}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. \emph{Journal of the American Statistical
#'   Association} 88, 669--679.
#' @examples
#' probit(am ~ wt, data = mtcars)
#' set.seed(1)
#' summary(probit(am ~ wt, data = mtcars, method = "gibbs", n_iter = 600, burn_in = 100))
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") || length(formula) != 3L) {
    stop("formula must be a two-sided formula", call. = FALSE)
  }
  if (!is.character(method) || length(method) != 1L || is.na(method) ||
    !method %in% c("mle", "gibbs", "mh")) {
    stop("method must be one of \"mle\", \"gibbs\" and \"mh\"", call. = FALSE)
  }
  if (is.null(data)) {
    data <- environment(formula)
    if (is.null(data)) data <- parent.frame()
  } else if (!is.data.frame(data) && !is.environment(data)) {
    data <- as.data.frame(data)
  }
  tt <- stats::terms(formula, data = data)
  if (!is.null(attr(tt, "offset")) || "offset" %in% names(call)) {
    stop("an offset is not supported", call. = FALSE)
  }
  mf <- stats::model.frame(tt, data = data)
  y <- response_01(stats::model.response(mf, "any"))
  X <- stats::model.matrix(tt, mf)
  fun <- switch(method, mle = probit_mle, gibbs = probit_gibbs, mh = probit_mh)
  fit <- fun(X, y, ...)
  structure(
    list(
      coefficients = coef.probit_fit(fit),
      se = if (method == "mle") fit$se else fit$posterior_sd,
      vcov = vcov.probit_fit(fit),
      method = method,
      nobs = fit$nobs,
      fit = fit,
      formula = formula,
      call = call
    ),
    class = c("probit", "probit_fit")
  )
}

response_01 <- function(y) {
  bad <- function() {
    stop("the response must be zeros and ones or a factor with two levels", call. = FALSE)
  }
  if (is.null(y) || !is.null(dim(y)) || anyNA(y)) bad()
  if (is.factor(y)) {
    if (nlevels(y) != 2L) bad()
    return(as.double(as.integer(y) - 1L))
  }
  if (!(is.numeric(y) || is.logical(y))) bad()
  y <- as.double(y)
  if (!all(y == 0 | y == 1)) bad()
  y
}

#' Probit model with a formula
#'
#' Builds the matrix of regressors by \code{\link[stats]{model.matrix}} and
#' calls \code{\link{probit_mle}}, \code{\link{probit_gibbs}} or
#' \code{\link{probit_mh}}.
#'
#' @param formula a two-sided formula without offset. The response is a numeric
#'   or logical vector of zeros and ones or a factor with two levels, of which
#'   the second counts as one.
#' @param data a data frame with the variables; \code{NULL} takes them from the
#'   environment of the formula. Rows with missing values are treated by the
#'   \code{na.action} of the session.
#' @param method \code{"mle"}, \code{"gibbs"} or \code{"mh"}.
#' @param ... further arguments of the function of the method.
#' @return A list of class \code{c("probit", "probit_fit")} with
#'   \code{coefficients} and \code{se} (estimate and standard errors, or
#'   posterior mean and standard deviation), \code{vcov}, \code{method},
#'   \code{nobs}, \code{fit} (the result of the function called),
#'   \code{formula} and \code{call}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669--679.
#' @examples
#' fit <- probit(am ~ wt, data = datasets::mtcars)
#' summary(fit)
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") || length(formula) != 3L)
    fail("formula must be a two-sided formula")
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh")))
    fail("method must be one of \"mle\", \"gibbs\" and \"mh\"")
  if (is.null(data)) data <- environment(formula)
  tt <- terms(formula, data = data)
  if (!is.null(attr(tt, "offset"))) fail("an offset is not supported")
  frame <- model.frame(tt, data = data, na.action = getOption("na.action"))
  y <- check_response(model.response(frame))
  X <- model.matrix(attr(frame, "terms"), frame)
  X <- matrix(X, nrow(X), ncol(X), dimnames = list(NULL, colnames(X)))
  fit <- switch(method,
                mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  structure(list(coefficients = coef(fit),
                 se = if (method == "mle") fit$se else fit$posterior_sd,
                 vcov = vcov(fit), method = method, nobs = fit$nobs,
                 fit = fit, formula = formula, call = call),
            class = c("probit", "probit_fit"))
}

check_response <- function(y) {
  text <- "the response must consist of zeros and ones or be a factor with two levels"
  if (is.factor(y)) {
    if (nlevels(y) != 2L || anyNA(y)) fail(text)
    return(as.double(as.integer(y) == 2L))
  }
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y)) || anyNA(y) ||
      !all(y == 0 | y == 1)) fail(text)
  as.double(y)
}

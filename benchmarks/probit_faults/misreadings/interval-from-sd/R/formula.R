#' Probit with a formula
#'
#' Builds the model matrix and calls [probit_mle()], [probit_gibbs()] or
#' [probit_mh()].
#'
#' @param formula A two-sided formula without offset. The response is a numeric
#'   or logical vector of zeros and ones or a factor with two levels, of which
#'   the second counts as 1.
#' @param data A data frame; \code{NULL} takes the variables from the
#'   environment of the formula. Rows with missing values are treated by the
#'   \code{na.action} of the session.
#' @param method One of \code{"mle"}, \code{"gibbs"} and \code{"mh"}.
#' @param ... Passed to the function of the method.
#' @return A list of class \code{c("probit", "probit_fit")} with
#'   \code{coefficients} and \code{se} (the estimate with its standard errors,
#'   or posterior mean and standard deviation), \code{vcov}, \code{method},
#'   \code{nobs}, \code{fit} (the result of the function called),
#'   \code{formula} and \code{call}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669-679.
#' @examples
#' summary(probit(am ~ wt, data = mtcars))
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") ||
      length(formula) != 3L) {
    fail("formula must be a two-sided formula")
  }
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh"))) {
    fail("method must be one of \"mle\", \"gibbs\" and \"mh\"")
  }
  tt <- stats::terms(formula, data = data)
  if (!is.null(attr(tt, "offset"))) fail("an offset is not supported")
  frame <- stats::model.frame(tt, data = data)
  y <- response_01(stats::model.response(frame))
  X <- stats::model.matrix(tt, drop_predictor_levels(frame))
  fit <- switch(method, mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...), mh = probit_mh(X, y, ...))
  structure(
    list(coefficients = stats::coef(fit),
         se = if (method == "mle") fit$se else fit$posterior_sd,
         vcov = stats::vcov(fit), method = method, nobs = fit$nobs, fit = fit,
         formula = formula, call = call),
    class = c("probit", "probit_fit")
  )
}

response_01 <- function(y) {
  if (is.factor(y)) {
    if (nlevels(y) != 2L || anyNA(y)) {
      fail("the response must be a factor with two levels, or zeros and ones")
    }
    return(as.double(as.integer(y) == 2L))
  }
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L) {
    fail("the response must be a vector of zeros and ones or a factor with ",
         "two levels")
  }
  if (anyNA(y) || !all(y == 0 | y == 1)) {
    fail("the response y must contain only 0 and 1")
  }
  as.double(y)
}

# As in glm, levels of predictors without rows get no column. The response keeps
# its levels, because the second one counts as 1.
drop_predictor_levels <- function(frame) {
  if (nrow(frame) == 0L) return(frame)
  for (j in seq_along(frame)[-1L]) {
    x <- frame[[j]]
    if (is.factor(x) && any(table(x) == 0L)) frame[[j]] <- x[, drop = TRUE]
  }
  frame
}

#' Probit model with a formula
#'
#' Builds the matrix by \code{model.matrix} and calls \code{\link{probit_mle}},
#' \code{\link{probit_gibbs}} or \code{\link{probit_mh}}.
#'
#' @param formula a two-sided formula without offset. The response is a numeric
#'   or logical vector of zeros and ones or a factor with two levels, of which
#'   the second counts as 1.
#' @param data a data frame; \code{NULL} takes the variables from the
#'   environment of the formula. Rows with missing values are treated by the
#'   \code{na.action} of the session.
#' @param method \code{"mle"}, \code{"gibbs"} or \code{"mh"}.
#' @param ... passed to the matrix function of \code{method}.
#' @return A list of class \code{c("probit", "probit_fit")} with
#'   \code{coefficients} and \code{se} (estimate and standard errors, or
#'   posterior mean and standard deviation), \code{vcov}, \code{method},
#'   \code{nobs}, \code{fit} (the result of the matrix function),
#'   \code{formula} and \code{call}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88(422), 669--679.
#' @examples
#' fit <- probit(am ~ wt, data = mtcars)
#' summary(fit)
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") ||
      length(formula) != 3L) {
    fail("formula must be a two-sided formula")
  }
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh"))) {
    fail("method must be \"mle\", \"gibbs\" or \"mh\"")
  }
  model_terms <- stats::terms(formula, data = data)
  if (!is.null(attr(model_terms, "offset"))) {
    fail("an offset is not supported")
  }
  frame <- stats::model.frame(model_terms, data = data)
  y <- binary_response(stats::model.response(frame))
  X <- stats::model.matrix(model_terms, drop_levels(frame))
  fit <- switch(method,
                mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  se <- if (method == "mle") fit$se else fit$posterior_sd
  structure(
    list(coefficients = coef(fit), se = se, vcov = vcov(fit), method = method,
         nobs = fit$nobs, fit = fit, formula = formula, call = call),
    class = c("probit", "probit_fit")
  )
}

binary_response <- function(y) {
  if (is.factor(y) && nlevels(y) == 2L) {
    y <- as.integer(y) - 1L
  }
  if (!(is.numeric(y) || is.logical(y)) || !is.null(dim(y)) || anyNA(y) ||
      !all(y == 0 | y == 1)) {
    fail("the response must be zeros and ones or a factor with two levels")
  }
  as.double(y)
}

# Unused levels of the predictors are dropped, those of the response are kept.
drop_levels <- function(frame) {
  for (j in seq_along(frame)[-1L]) {
    x <- frame[[j]]
    if (is.factor(x) && any(tabulate(x, nlevels(x)) == 0L) && nrow(frame) > 0L) {
      contrast <- attr(x, "contrasts")
      x <- x[, drop = TRUE]
      if (is.character(contrast)) attr(x, "contrasts") <- contrast
      frame[[j]] <- x
    }
  }
  frame
}

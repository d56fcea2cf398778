#' Probit model by formula
#'
#' Builds the matrix of regressors from a formula and calls
#' \code{\link{probit_mle}}, \code{\link{probit_gibbs}} or
#' \code{\link{probit_mh}}.
#'
#' Rows with missing values are treated by the \code{na.action} of the session.
#' An offset is refused.
#'
#' @param formula Two-sided formula. The response is a numeric or logical vector
#'   of zeros and ones or a factor with two levels, the second of which counts
#'   as one.
#' @param data Data frame with the variables; \code{NULL} means the environment
#'   of the formula.
#' @param method \code{"mle"}, \code{"gibbs"} or \code{"mh"}.
#' @param ... Further arguments of the function called.
#' @return A list of class \code{c("probit", "probit_fit")} with elements
#'   \code{coefficients} (estimate or posterior mean), \code{se} (standard errors
#'   or posterior standard deviations), \code{vcov}, \code{method}, \code{nobs},
#'   \code{fit} (result of the function called), \code{formula} and \code{call}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. Journal of the American Statistical
#'   Association, 88(422), 669-679.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = rnorm(100))
#' d$y <- 0.3 + d$x + rnorm(100) > 0
#' summary(probit(y ~ x, d))
#' summary(probit(y ~ x, d, method = "gibbs", n_iter = 600, burn_in = 100))
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (!inherits(formula, "formula") || length(formula) != 3L) {
    fail("formula must be a two-sided formula")
  }
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh"))) {
    fail("method must be one of \"mle\", \"gibbs\" and \"mh\"")
  }
  if (is.null(data)) data <- environment(formula)
  terms <- stats::terms(formula, data = data)
  if (!is.null(attr(terms, "offset"))) fail("an offset is not supported")
  frame <- stats::model.frame(terms, data = data)
  y <- check_response(stats::model.response(frame))
  M <- stats::model.matrix(attr(frame, "terms"), frame)
  X <- matrix(as.double(M), nrow(M), ncol(M), dimnames = list(NULL, colnames(M)))
  fit <- switch(method,
                mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  structure(list(coefficients = stats::coef(fit),
                 se = if (method == "mle") fit$se else fit$posterior_sd,
                 vcov = stats::vcov(fit), method = method, nobs = fit$nobs,
                 fit = fit, formula = formula, call = call),
            class = c("probit", "probit_fit"))
}

check_response <- function(y) {
  if (is.factor(y) && nlevels(y) == 2L) {
    y <- as.double(as.integer(y) == 2L)
  }
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L || !is_binary(y)) {
    fail("the response must be a numeric or logical vector of zeros and ones ",
         "or a factor with two levels (y must contain only 0 and 1)")
  }
  as.double(y)
}

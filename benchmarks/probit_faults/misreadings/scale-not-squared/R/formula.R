#' Probit model by a formula
#'
#' Builds the matrix of regressors from a formula and calls [probit_mle()],
#' [probit_gibbs()] or [probit_mh()].
#'
#' @param formula two-sided formula without offset. The response is a numeric or
#'   logical vector of zeros and ones or a factor with two levels, of which the
#'   second counts as 1.
#' @param data data frame, or `NULL` to take the variables from the environment
#'   of the formula. Rows with missing values are treated by the `na.action` of
#'   the session.
#' @param method `"mle"`, `"gibbs"` or `"mh"`.
#' @param ... further arguments of the matrix function.
#' @return A list of class `c("probit", "probit_fit")` with `coefficients` and
#'   `se` (estimate and standard error, or posterior mean and standard
#'   deviation), `vcov`, `method`, `nobs`, `fit` (the result of the matrix
#'   function), `formula` and `call`.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' d <- data.frame(x = c(-2, -1, 0, 1, 2, 3), y = c(0, 1, 0, 0, 1, 1))
#' fit <- probit(y ~ x, d)
#' summary(fit)
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") || length(formula) != 3L)
    fail("formula must be a two-sided formula")
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh")))
    fail("method must be one of \"mle\", \"gibbs\" and \"mh\"")
  if (!is.null(attr(stats::terms(formula, data = data), "offset")))
    fail("an offset is not supported")
  frame <- stats::model.frame(formula, data = data)
  y <- response01(stats::model.response(frame))
  X <- stats::model.matrix(attr(frame, "terms"), frame)
  X <- matrix(X, nrow(X), ncol(X), dimnames = list(NULL, colnames(X)))
  fit <- switch(method, mle = probit_mle(X, y, ...), gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  structure(
    list(coefficients = coef(fit),
         se = if (method == "mle") fit$se else fit$posterior_sd,
         vcov = vcov(fit), method = method, nobs = fit$nobs, fit = fit,
         formula = formula, call = call),
    class = c("probit", "probit_fit"))
}

response01 <- function(y) {
  text <- "the response must be a vector of zeros and ones or a factor with two levels"
  if (is.factor(y)) {
    if (nlevels(y) != 2L || anyNA(y)) fail(text)
    return(as.double(as.integer(y) == 2L))
  }
  if (!(is.numeric(y) || is.logical(y)) || length(dim(y)) > 1L || anyNA(y) ||
      !all(y == 0 | y == 1)) fail(text)
  as.double(y)
}

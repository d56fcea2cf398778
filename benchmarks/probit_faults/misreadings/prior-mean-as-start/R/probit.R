#' Probit with a formula
#'
#' Builds the matrix of regressors from a formula and calls [probit_mle()],
#' [probit_gibbs()] or [probit_mh()].
#'
#' @param formula a two-sided formula without offset. The response is a numeric
#'   or logical vector of zeros and ones, or a factor with two levels, the
#'   second of which counts as 1.
#' @param data a data frame with the variables; `NULL` takes them from the
#'   environment of the formula. Rows with missing values are dropped as the
#'   option `na.action` says.
#' @param method `"mle"`, `"gibbs"` or `"mh"`.
#' @param ... further arguments of the function that `method` stands for.
#' @return A list of class `c("probit", "probit_fit")` with `coefficients` and
#'   `se` (the estimate with its standard errors, or posterior mean and
#'   standard deviation), `vcov`, `method`, `nobs`, `fit` (the result of the
#'   function called), `formula` and `call`.
#' @references
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#' polychotomous response data. *Journal of the American Statistical
#' Association* 88(422), 669--679. \doi{10.1080/01621459.1993.10476321}
#' @examples
#' fit <- probit(am ~ wt, data = mtcars)
#' summary(fit)
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  cl <- match.call()
  if (!inherits(formula, "formula") || length(formula) != 3L) {
    stop("formula must be a two-sided formula", call. = FALSE)
  }
  if (!is.character(method) || length(method) != 1L || is.na(method) ||
      !method %in% c("mle", "gibbs", "mh")) {
    stop("method must be one of \"mle\", \"gibbs\" and \"mh\"", call. = FALSE)
  }
  tt <- if (is.data.frame(data)) {
    stats::terms(formula, data = data)
  } else {
    stats::terms(formula)
  }
  if (!is.null(attr(tt, "offset"))) {
    stop("an offset is not supported", call. = FALSE)
  }
  mf <- if (is.null(data)) {
    stats::model.frame(tt)
  } else {
    stats::model.frame(tt, data = data)
  }
  y <- response01(mf[[1L]])
  X <- stats::model.matrix(attr(mf, "terms"), mf)
  fit <- switch(method,
                mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  structure(
    list(coefficients = coef(fit),
         se = if (method == "mle") fit$se else fit$posterior_sd,
         vcov = vcov(fit),
         method = method,
         nobs = fit$nobs,
         fit = fit,
         formula = formula,
         call = cl),
    class = c("probit", "probit_fit"))
}

# The response as zeros and ones; model.response would drop the dimension of
# a matrix with one column, so the first variable is taken as it is.
response01 <- function(y) {
  if (is.factor(y)) {
    if (nlevels(y) == 2L && !anyNA(y)) return(as.numeric(as.integer(y) == 2L))
  } else if ((is.numeric(y) || is.logical(y)) && is.null(dim(y))) {
    if (!anyNA(y) && all(y == 0 | y == 1)) return(as.double(y))
  }
  stop("the response must be a vector of zeros and ones or a factor with ",
       "two levels", call. = FALSE)
}

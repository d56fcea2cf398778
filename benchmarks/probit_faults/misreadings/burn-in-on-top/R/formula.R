#' Probit model with a formula
#'
#' Builds the matrix of regressors by [stats::model.matrix()] and calls
#' [probit_mle()], [probit_gibbs()] or [probit_mh()].
#'
#' @param formula a two-sided formula without offset. The response is a numeric or
#'   logical vector of zeros and ones or a factor with two levels, the second of
#'   which counts as 1.
#' @param data data frame with the variables; `NULL` takes them from the
#'   environment of the formula. Rows with missing values are handled by the
#'   session's `na.action`.
#' @param method "mle", "gibbs" or "mh".
#' @param ... further arguments of the function of the method.
#' @return A list of class `c("probit", "probit_fit")` with `coefficients` and `se`
#'   (estimate and standard errors, or posterior mean and standard deviation),
#'   `vcov`, `method`, `nobs`, `fit` (the `probit_fit`), `formula` and `call`.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' fit <- probit(am ~ wt, mtcars)
#' summary(fit)
#' @export
probit <- function(formula, data = NULL, method = "mle", ...) {
  call <- match.call()
  if (missing(formula) || !inherits(formula, "formula") || length(formula) != 3L)
    fail("formula must be a two-sided formula")
  if (!is.character(method) || length(method) != 1L ||
      !(method %in% c("mle", "gibbs", "mh")))
    fail("method must be one of \"mle\", \"gibbs\" and \"mh\"")
  if (is.list(data) && !is.data.frame(data)) data <- as.data.frame(data)
  tt <- if (is.data.frame(data)) stats::terms(formula, data = data) else stats::terms(formula)
  if (!is.null(attr(tt, "offset"))) fail("an offset is not supported")
  mf <- if (is.null(data)) stats::model.frame(tt) else stats::model.frame(tt, data = data)
  y <- binary_response(stats::model.response(mf))
  # as drop.unused.levels does it, but after the levels of the response were read
  if (nrow(mf) > 0L) {
    for (j in seq_along(mf)) {
      f <- mf[[j]]
      if (is.factor(f) && nlevels(droplevels(f)) < nlevels(f)) {
        contr <- attr(f, "contrasts")
        mf[[j]] <- f[, drop = TRUE]
        if (is.character(contr)) attr(mf[[j]], "contrasts") <- contr
      }
    }
  }
  X <- stats::model.matrix(attr(mf, "terms"), mf)
  fit <- switch(method,
                mle = probit_mle(X, y, ...),
                gibbs = probit_gibbs(X, y, ...),
                mh = probit_mh(X, y, ...))
  se <- if (method == "mle") fit$se else fit$posterior_sd
  structure(list(coefficients = coef(fit), se = se, vcov = vcov(fit), method = method,
                 nobs = fit$nobs, fit = fit, formula = formula, call = call),
            class = c("probit", "probit_fit"))
}

binary_response <- function(y) {
  bad <- function()
    fail("the response must be a vector of zeros and ones or a factor with two levels")
  if (is.factor(y)) {
    if (nlevels(y) != 2L || anyNA(y)) bad()
    return(as.double(as.integer(y) == 2L))
  }
  if (!(is.numeric(y) || is.logical(y)) || NCOL(y) != 1L) bad()
  if (anyNA(y) || !all(y == 0 | y == 1)) bad()
  as.double(y)
}

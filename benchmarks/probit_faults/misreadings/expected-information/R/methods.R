# The result of a matrix function inside an object
core <- function(object) {
  if (inherits(object, "probit")) object[["fit"]] else object
}

method_label <- function(method) {
  c(mle = "maximum likelihood", gibbs = "Gibbs sampling",
    mh = "random-walk Metropolis-Hastings")[[method]]
}

#' Methods for probit fits
#'
#' @param x,object a fit, or for \code{print} also its summary.
#' @param digits number of significant digits shown.
#' @param ... ignored.
#' @return \code{print} returns its argument invisibly. \code{summary} returns a
#'   list of class \code{summary.probit_fit} with \code{method}, \code{nobs} and
#'   the matrix \code{coefficients}. \code{coef} gives the estimate or posterior
#'   mean, \code{vcov} its covariance matrix or that of the draws, \code{nobs}
#'   the number of rows used, and \code{logLik} the log-likelihood of a maximum
#'   likelihood fit (an error for the samplers).
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669--679.
#' @examples
#' fit <- probit(am ~ wt, data = datasets::mtcars)
#' print(fit)
#' coef(fit)
#' vcov(fit)
#' logLik(fit)
#' @name probit_fit-methods
NULL

#' @rdname probit_fit-methods
#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Probit model, method: ", x[["method"]], " (",
      method_label(x[["method"]]), ")\n", sep = "")
  cat("Number of observations: ", nobs(x), "\n", sep = "")
  cat("Coefficients", if (x[["method"]] != "mle") " (posterior means)", ":\n",
      sep = "")
  print(coef(x), digits = digits)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
print.probit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Formula: ", paste(deparse(x[["formula"]]), collapse = "\n"), "\n", sep = "")
  print.probit_fit(x, digits = digits, ...)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
summary.probit_fit <- function(object, ...) {
  fit <- core(object)
  if (fit[["method"]] == "mle") {
    z <- fit[["coefficients"]] / fit[["se"]]
    tab <- cbind(fit[["coefficients"]], fit[["se"]], z,
                 2 * pnorm(abs(z), lower.tail = FALSE))
    cols <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    draws <- fit[["beta_draws"]]
    q <- vapply(seq_len(ncol(draws)), function(j)
      quantile(draws[, j], c(0.025, 0.975), names = FALSE, type = 7), numeric(2))
    tab <- cbind(fit[["posterior_mean"]], fit[["posterior_sd"]], q[1L, ], q[2L, ])
    cols <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(tab) <- list(names(coef(fit)), cols)
  structure(list(method = fit[["method"]], nobs = fit[["nobs"]],
                 coefficients = tab), class = "summary.probit_fit")
}

#' @rdname probit_fit-methods
#' @export
summary.probit <- function(object, ...) {
  summary.probit_fit(object, ...)
}

#' @rdname probit_fit-methods
#' @export
print.summary.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Probit model, method: ", x[["method"]], " (",
      method_label(x[["method"]]), ")\n", sep = "")
  cat("Number of observations: ", x[["nobs"]], "\n\n", sep = "")
  print(x[["coefficients"]], digits = digits)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
coef.probit_fit <- function(object, ...) {
  fit <- core(object)
  if (fit[["method"]] == "mle") fit[["coefficients"]] else fit[["posterior_mean"]]
}

#' @rdname probit_fit-methods
#' @export
vcov.probit_fit <- function(object, ...) {
  fit <- core(object)
  if (fit[["method"]] == "mle") fit[["vcov"]] else var(fit[["beta_draws"]])
}

#' @rdname probit_fit-methods
#' @export
nobs.probit_fit <- function(object, ...) {
  core(object)[["nobs"]]
}

#' @rdname probit_fit-methods
#' @export
logLik.probit_fit <- function(object, ...) {
  fit <- core(object)
  if (fit[["method"]] != "mle")
    fail("logLik is defined for maximum likelihood fits only")
  structure(fit[["loglik"]], df = length(fit[["coefficients"]]),
            nobs = fit[["nobs"]], class = "logLik")
}

method_label <- function(method) {
  switch(method,
    mle = "maximum likelihood",
    gibbs = "Gibbs sampling",
    mh = "random-walk Metropolis-Hastings"
  )
}

print_header <- function(x) {
  cat("Probit model by ", method_label(x$method), " (method: ", x$method, ")\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
}

#' Methods for probit fits
#'
#' Print, summary and the usual extractors for the results of
#' \code{\link{probit_mle}}, \code{\link{probit_gibbs}}, \code{\link{probit_mh}}
#' and \code{\link{probit}}.
#'
#' @param x,object a \code{probit_fit}, a \code{probit}, or for \code{print} a
#'   summary of one.
#' @param digits significant digits to print.
#' @param ... not used.
#' @return \code{print} returns its argument invisibly. \code{summary} returns a
#'   list of class \code{summary.probit_fit} with \code{method}, \code{nobs} and
#'   the matrix \code{coefficients}: estimate, standard error, z value and
#'   two-sided normal p-value, or mean, standard deviation and the 2.5 and 97.5
#'   per cent quantiles of the kept draws. \code{coef} gives the estimate or the
#'   posterior mean, \code{vcov} its covariance matrix, \code{nobs} the number of
#'   rows used, \code{logLik} the log-likelihood (maximum likelihood only).
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. \emph{Journal of the American Statistical
#'   Association} 88, 669--679.
#' @examples
#' fit <- probit(am ~ wt, data = mtcars)
#' summary(fit)
#' coef(fit)
#' logLik(fit)
#' @name probit_fit-methods
NULL

# The result of the matrix function inside any of the two classes
inner_fit <- function(object) {
  if (inherits(object, "probit")) object[["fit"]] else object
}

#' @rdname probit_fit-methods
#' @importFrom stats coef
#' @export
coef.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit[["method"]] == "mle") fit[["coefficients"]] else fit[["posterior_mean"]]
}

#' @rdname probit_fit-methods
#' @importFrom stats vcov
#' @export
vcov.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit[["method"]] == "mle") fit[["vcov"]] else stats::var(fit[["beta_draws"]])
}

#' @rdname probit_fit-methods
#' @importFrom stats nobs
#' @export
nobs.probit_fit <- function(object, ...) object[["nobs"]]

#' @rdname probit_fit-methods
#' @importFrom stats logLik
#' @export
logLik.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit[["method"]] != "mle") {
    stop("logLik is defined for maximum likelihood fits only", call. = FALSE)
  }
  structure(fit[["loglik"]],
    df = length(fit[["coefficients"]]), nobs = fit[["nobs"]],
    class = "logLik"
  )
}

#' @rdname probit_fit-methods
#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_header(x)
  cat(if (x$method == "mle") "Coefficients:\n" else "Coefficients (posterior means):\n")
  print(coef.probit_fit(x), digits = digits)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
print.probit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  print.probit_fit(x, digits = digits, ...)
}

#' @rdname probit_fit-methods
#' @export
summary.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit[["method"]] == "mle") {
    est <- fit[["coefficients"]]
    z <- est / fit[["se"]]
    tab <- cbind(est, fit[["se"]], z, 2 * stats::pnorm(-abs(z)))
    columns <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    draws <- fit[["beta_draws"]]
    q <- apply(draws, 2L, stats::quantile,
      probs = c(0.025, 0.975), type = 7, names = FALSE
    )
    tab <- cbind(fit[["posterior_mean"]], fit[["posterior_sd"]], t(q))
    columns <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(tab) <- list(names(coef.probit_fit(fit)), columns)
  structure(
    list(method = fit[["method"]], nobs = fit[["nobs"]], coefficients = tab),
    class = "summary.probit_fit"
  )
}

#' @rdname probit_fit-methods
#' @export
summary.probit <- function(object, ...) summary.probit_fit(object, ...)

#' @rdname probit_fit-methods
#' @export
print.summary.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_header(x)
  print(x$coefficients, digits = digits)
  invisible(x)
}

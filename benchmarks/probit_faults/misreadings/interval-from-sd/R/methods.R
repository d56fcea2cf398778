#' Methods for probit fits
#'
#' Print, summarise and extract from the results of [probit_mle()],
#' [probit_gibbs()], [probit_mh()] and [probit()].
#'
#' For the samplers the columns \code{"2.5\%"} and \code{"97.5\%"} of the
#' summary are the limits of the interval posterior mean minus and plus
#' \code{qnorm(0.975)} times the posterior standard deviation. They are a normal
#' approximation and not quantiles of the draws; for those use
#' \code{apply(fit$beta_draws, 2, quantile, c(0.025, 0.975))}.
#'
#' @param x,object A fit, or for \code{print} also a summary of one.
#' @param digits Number of significant digits.
#' @param ... Passed to \code{print} of the numbers; otherwise not used.
#' @return \code{print} returns its argument invisibly. \code{summary} returns a
#'   list of class \code{summary.probit_fit} with \code{method}, \code{nobs} and
#'   the matrix \code{coefficients}. \code{coef} returns the estimate or the
#'   posterior mean, \code{vcov} the covariance matrix of the estimate or of the
#'   draws, \code{nobs} the number of rows used and \code{logLik} the
#'   log-likelihood of a maximum likelihood fit.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669-679.
#' @examples
#' fit <- probit(am ~ wt, data = mtcars)
#' coef(fit)
#' logLik(fit)
#' @name probit_fit-methods
NULL

method_label <- function(method) {
  switch(method, mle = "maximum likelihood (mle)",
         gibbs = "Gibbs sampling (gibbs)",
         mh = "Metropolis-Hastings (mh)")
}

print_header <- function(x) {
  cat("Probit model\n")
  cat("Method: ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
}

#' @rdname probit_fit-methods
#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_header(x)
  cat(if (x$method == "mle") "Coefficients:\n"
      else "Coefficients (posterior mean):\n")
  print(stats::coef(x), digits = digits, ...)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
print.probit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Formula: ", paste(deparse(x$formula), collapse = " "), "\n", sep = "")
  print.probit_fit(x, digits = digits, ...)
}

#' @rdname probit_fit-methods
#' @export
summary.probit_fit <- function(object, ...) {
  if (object$method == "mle") {
    z <- object$coefficients / object$se
    tab <- cbind(object$coefficients, object$se, z,
                 2 * stats::pnorm(abs(z), lower.tail = FALSE))
    heads <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    half <- stats::qnorm(0.975) * object$posterior_sd
    tab <- cbind(object$posterior_mean, object$posterior_sd,
                 object$posterior_mean - half, object$posterior_mean + half)
    heads <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(tab) <- list(names(stats::coef(object)), heads)
  structure(list(method = object$method, nobs = object$nobs, coefficients = tab),
            class = "summary.probit_fit")
}

#' @rdname probit_fit-methods
#' @export
summary.probit <- function(object, ...) summary.probit_fit(object$fit, ...)

#' @rdname probit_fit-methods
#' @export
print.summary.probit_fit <- function(x,
                                     digits = max(3L, getOption("digits") - 3L),
                                     ...) {
  print_header(x)
  cat("Coefficients:\n")
  print(x$coefficients, digits = digits, ...)
  if (x$method != "mle") {
    cat("Limits: mean -/+ qnorm(0.975) * SD\n")
  }
  invisible(x)
}

#' @rdname probit_fit-methods
#' @importFrom stats coef
#' @export
coef.probit_fit <- function(object, ...) {
  if (is.null(object[["coefficients"]])) object[["posterior_mean"]]
  else object[["coefficients"]]
}

#' @rdname probit_fit-methods
#' @importFrom stats vcov
#' @export
vcov.probit_fit <- function(object, ...) {
  if (is.null(object[["vcov"]])) stats::var(object[["beta_draws"]])
  else object[["vcov"]]
}

#' @rdname probit_fit-methods
#' @importFrom stats nobs
#' @export
nobs.probit_fit <- function(object, ...) object[["nobs"]]

#' @rdname probit_fit-methods
#' @importFrom stats logLik
#' @export
logLik.probit_fit <- function(object, ...) {
  if (object$method != "mle") {
    fail("logLik is only there for a maximum likelihood fit")
  }
  fit <- if (inherits(object, "probit")) object$fit else object
  structure(fit$loglik, df = length(fit$coefficients), nobs = fit$nobs,
            class = "logLik")
}

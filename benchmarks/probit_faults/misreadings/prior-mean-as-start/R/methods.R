#' Methods for probit fits
#'
#' @param object,x a result of [probit_mle()], [probit_gibbs()], [probit_mh()]
#'   or [probit()], or for `print` of a summary a result of `summary`.
#' @param digits number of significant digits printed.
#' @param ... not used, or passed to `print` of the matrix.
#' @return `print` returns its argument invisibly. `summary` returns a list of
#'   class `summary.probit_fit` with `method`, `nobs` and the matrix
#'   `coefficients`. `coef` gives the estimate or the posterior mean, `vcov`
#'   its covariance matrix or that of the draws, `nobs` the number of rows
#'   used, and `logLik` the log-likelihood of a maximum likelihood fit.
#' @references
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#' polychotomous response data. *Journal of the American Statistical
#' Association* 88(422), 669--679. \doi{10.1080/01621459.1993.10476321}
#' @examples
#' fit <- probit(am ~ wt, data = mtcars)
#' print(fit)
#' logLik(fit)
#' @name probit_fit-methods
NULL

# The result of the matrix function behind either kind of object.
matrix_fit <- function(object) {
  if (inherits(object, "probit")) object$fit else object
}

method_label <- function(method) {
  label <- c(mle = "maximum likelihood", gibbs = "Gibbs sampling",
             mh = "random-walk Metropolis-Hastings")
  paste0(method, " (", label[[method]], ")")
}

print_header <- function(x) {
  cat("Probit model\n")
  if (!is.null(x$call)) {
    cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  }
  cat("Method: ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
}

#' @rdname probit_fit-methods
#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L),
                             ...) {
  print_header(x)
  cat(if (x$method == "mle") "Coefficients:\n" else
    "Coefficients (posterior means):\n")
  print(coef(x), digits = digits, ...)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
print.probit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print.probit_fit(x, digits = digits, ...)
}

#' @rdname probit_fit-methods
#' @export
summary.probit_fit <- function(object, ...) {
  f <- matrix_fit(object)
  if (f$method == "mle") {
    z <- f$coefficients / f$se
    tab <- cbind(f$coefficients, f$se, z,
                 2 * stats::pnorm(abs(z), lower.tail = FALSE))
    cols <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    qs <- apply(f$beta_draws, 2L, stats::quantile, probs = c(0.025, 0.975),
                names = FALSE, type = 7L)
    tab <- cbind(f$posterior_mean, f$posterior_sd, qs[1L, ], qs[2L, ])
    cols <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(tab) <- list(names(coef(f)), cols)
  structure(list(method = f$method, nobs = f$nobs, coefficients = tab),
            class = "summary.probit_fit")
}

#' @rdname probit_fit-methods
#' @export
summary.probit <- function(object, ...) summary.probit_fit(object, ...)

#' @rdname probit_fit-methods
#' @export
print.summary.probit_fit <- function(x,
                                     digits = max(3L, getOption("digits") - 3L),
                                     ...) {
  print_header(x)
  cat("Coefficients:\n")
  print(x$coefficients, digits = digits, ...)
  invisible(x)
}

#' @rdname probit_fit-methods
#' @export
coef.probit_fit <- function(object, ...) {
  f <- matrix_fit(object)
  if (f$method == "mle") f$coefficients else f$posterior_mean
}

#' @rdname probit_fit-methods
#' @export
vcov.probit_fit <- function(object, ...) {
  f <- matrix_fit(object)
  if (f$method == "mle") f$vcov else stats::var(f$beta_draws)
}

#' @rdname probit_fit-methods
#' @export
nobs.probit_fit <- function(object, ...) object$nobs

#' @rdname probit_fit-methods
#' @export
logLik.probit_fit <- function(object, ...) {
  f <- matrix_fit(object)
  if (f$method != "mle") {
    stop("logLik is available for maximum likelihood fits only", call. = FALSE)
  }
  structure(f$loglik, df = length(f$coefficients), nobs = f$nobs,
            class = "logLik")
}

method_label <- function(method) {
  switch(method,
         mle = "maximum likelihood (mle)",
         gibbs = "Gibbs sampler (gibbs)",
         mh = "Metropolis-Hastings (mh)")
}

print_head <- function(x) {
  cat("Probit model\n")
  if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat("Method: ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
}

#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_head(x)
  cat(if (x$method == "mle") "Coefficients:\n" else "Coefficients (posterior mean):\n")
  print(coef.probit_fit(x), digits = digits, ...)
  invisible(x)
}

#' @export
print.probit <- function(x, ...) print.probit_fit(x, ...)

#' @export
summary.probit_fit <- function(object, ...) {
  fit <- if (is.null(object$fit)) object else object$fit
  if (fit$method == "mle") {
    z <- fit$coefficients / fit$se
    table <- cbind(fit$coefficients, fit$se, z,
                   2 * stats::pnorm(abs(z), lower.tail = FALSE))
    columns <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    q <- apply(fit$beta_draws, 2L, stats::quantile, probs = c(0.025, 0.975),
               names = FALSE, type = 7)
    table <- cbind(fit$posterior_mean, fit$posterior_sd, q[1L, ], q[2L, ])
    columns <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(table) <- list(names(coef.probit_fit(fit)), columns)
  out <- list(method = fit$method, nobs = fit$nobs, coefficients = table)
  out$call <- object$call
  structure(out, class = "summary.probit_fit")
}

#' @export
summary.probit <- function(object, ...) summary.probit_fit(object, ...)

#' @export
print.summary.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L),
                                     ...) {
  print_head(x)
  cat("Coefficients:\n")
  print(x$coefficients, digits = digits, ...)
  invisible(x)
}

#' @importFrom stats coef
#' @export
coef.probit_fit <- function(object, ...) {
  if (is.null(object$coefficients)) object$posterior_mean else object$coefficients
}

#' @importFrom stats vcov
#' @export
vcov.probit_fit <- function(object, ...) {
  if (is.null(object$vcov)) stats::var(object$beta_draws) else object$vcov
}

#' @importFrom stats nobs
#' @export
nobs.probit_fit <- function(object, ...) object$nobs

#' @importFrom stats logLik
#' @export
logLik.probit_fit <- function(object, ...) {
  if (object$method != "mle") {
    fail("logLik is defined for a maximum likelihood fit only")
  }
  fit <- if (is.null(object$fit)) object else object$fit
  structure(fit$loglik, df = length(fit$coefficients), nobs = fit$nobs,
            class = "logLik")
}

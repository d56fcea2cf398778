# S3 methods; registered, not exported by name. An object of class probit holds its
# probit_fit in the element fit.

inner_fit <- function(object) if (inherits(object, "probit")) object$fit else object

method_label <- function(method) {
  paste0(c(mle = "maximum likelihood", gibbs = "Gibbs sampling",
           mh = "Metropolis-Hastings")[[method]], " (", method, ")")
}

print_header <- function(x) {
  cat("Probit model\n")
  if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat("Method: ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
}

#' @exportS3Method
print.probit_fit <- function(x, ...) {
  print_header(x)
  cat(if (x$method == "mle") "Coefficients:\n" else "Coefficients (posterior mean):\n")
  print(coef(x), ...)
  invisible(x)
}

#' @exportS3Method
print.probit <- function(x, ...) print.probit_fit(x, ...)

#' @exportS3Method
summary.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit$method == "mle") {
    z <- fit$coefficients / fit$se
    tab <- cbind(fit$coefficients, fit$se, z,
                 2 * stats::pnorm(abs(z), lower.tail = FALSE))
    head <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    q <- apply(fit$beta_draws, 2L, stats::quantile, probs = c(0.025, 0.975), type = 7,
               names = FALSE)
    tab <- cbind(fit$posterior_mean, fit$posterior_sd, q[1L, ], q[2L, ])
    head <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(tab) <- list(names(coef(fit)), head)
  structure(list(method = fit$method, nobs = fit$nobs, coefficients = tab),
            class = "summary.probit_fit")
}

#' @exportS3Method
summary.probit <- function(object, ...) summary.probit_fit(object, ...)

#' @exportS3Method
print.summary.probit_fit <- function(x, ...) {
  print_header(x)
  print(x$coefficients, ...)
  invisible(x)
}

#' @exportS3Method
coef.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit$method == "mle") fit$coefficients else fit$posterior_mean
}

#' @exportS3Method
vcov.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit$method == "mle") fit$vcov else stats::var(fit$beta_draws)
}

#' @exportS3Method
nobs.probit_fit <- function(object, ...) inner_fit(object)$nobs

#' @exportS3Method
logLik.probit_fit <- function(object, ...) {
  fit <- inner_fit(object)
  if (fit$method != "mle")
    fail("logLik is defined for maximum likelihood fits only")
  structure(fit$loglik, df = length(fit$coefficients), nobs = fit$nobs, class = "logLik")
}

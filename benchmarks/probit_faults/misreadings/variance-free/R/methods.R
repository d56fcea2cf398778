method_label <- function(method) {
  switch(method,
         mle = "maximum likelihood (mle)",
         gibbs = "Gibbs sampling (gibbs)",
         mh = "Metropolis-Hastings (mh)")
}

#' @export
coef.probit_fit <- function(object, ...) {
  if (inherits(object, "probit") || object$method == "mle") {
    object$coefficients
  } else {
    object$posterior_mean
  }
}

#' @export
vcov.probit_fit <- function(object, ...) {
  if (inherits(object, "probit") || object$method == "mle") {
    object$vcov
  } else {
    stats::var(object$beta_draws)
  }
}

#' @export
nobs.probit_fit <- function(object, ...) object$nobs

#' @export
logLik.probit_fit <- function(object, ...) {
  fit <- if (inherits(object, "probit")) object$fit else object
  if (fit$method != "mle") {
    fail("logLik is available for a maximum likelihood fit only")
  }
  structure(fit$loglik, df = length(fit$coefficients), nobs = fit$nobs,
            class = "logLik")
}

#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L),
                             ...) {
  cat("Probit model by ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n\nCoefficients:\n", sep = "")
  print(coef(x), digits = digits)
  invisible(x)
}

#' @export
print.probit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  print.probit_fit(x, digits = digits)
  invisible(x)
}

#' @export
summary.probit_fit <- function(object, ...) {
  estimate <- coef(object)
  if (object$method == "mle") {
    z <- estimate / object$se
    table <- cbind(estimate, object$se, z,
                   2 * stats::pnorm(abs(z), lower.tail = FALSE))
    labels <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    limits <- apply(object$beta_draws, 2L, stats::quantile,
                    probs = c(0.025, 0.975), names = FALSE, type = 7L)
    table <- cbind(estimate, object$posterior_sd, limits[1L, ], limits[2L, ])
    labels <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(table) <- list(names(estimate), labels)
  structure(
    list(method = object$method, nobs = object$nobs, coefficients = table),
    class = "summary.probit_fit"
  )
}

#' @export
summary.probit <- function(object, ...) summary.probit_fit(object$fit, ...)

#' @export
print.summary.probit_fit <- function(x,
                                     digits = max(3L,
                                                  getOption("digits") - 3L),
                                     ...) {
  cat("Probit model by ", method_label(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n\nCoefficients:\n", sep = "")
  print(x$coefficients, digits = digits)
  invisible(x)
}

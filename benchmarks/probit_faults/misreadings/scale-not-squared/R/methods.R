method_title <- function(method) {
  switch(method, mle = "maximum likelihood (mle)", gibbs = "Gibbs sampling (gibbs)",
         mh = "random-walk Metropolis-Hastings (mh)")
}

#' @export
print.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Probit model\n")
  if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  cat("Method: ", method_title(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
  cat(if (x$method == "mle") "Coefficients:\n" else "Coefficients (posterior mean):\n")
  print(coef(x), digits = digits)
  invisible(x)
}

#' @export
print.probit <- function(x, ...) print.probit_fit(x, ...)

#' @export
summary.probit_fit <- function(object, ...) {
  if (object$method == "mle") {
    z <- object$coefficients / object$se
    m <- cbind(object$coefficients, object$se, z,
               2 * stats::pnorm(abs(z), lower.tail = FALSE))
    columns <- c("Estimate", "Std. Error", "z value", "Pr(>|z|)")
  } else {
    limits <- apply(object$beta_draws, 2L, stats::quantile, probs = c(0.025, 0.975),
                    names = FALSE, type = 7)
    m <- cbind(object$posterior_mean, object$posterior_sd, limits[1L, ], limits[2L, ])
    columns <- c("Mean", "SD", "2.5%", "97.5%")
  }
  dimnames(m) <- list(names(coef(object)), columns)
  structure(list(method = object$method, nobs = object$nobs, coefficients = m),
            class = "summary.probit_fit")
}

#' @export
summary.probit <- function(object, ...) summary.probit_fit(object$fit, ...)

#' @export
print.summary.probit_fit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Probit model\n")
  cat("Method: ", method_title(x$method), "\n", sep = "")
  cat("Number of observations: ", x$nobs, "\n", sep = "")
  cat("Coefficients:\n")
  print(x$coefficients, digits = digits)
  invisible(x)
}

#' @export
coef.probit_fit <- function(object, ...) {
  if (is.null(object$coefficients)) object$posterior_mean else object$coefficients
}

#' @export
vcov.probit_fit <- function(object, ...) {
  if (is.null(object$vcov)) stats::var(object$beta_draws) else object$vcov
}

#' @export
nobs.probit_fit <- function(object, ...) object$nobs

#' @export
logLik.probit_fit <- function(object, ...) {
  if (object$method != "mle")
    fail("logLik is available for maximum likelihood fits only")
  fit <- if (inherits(object, "probit")) object$fit else object
  structure(fit$loglik, df = length(fit$coefficients), nobs = fit$nobs, class = "logLik")
}

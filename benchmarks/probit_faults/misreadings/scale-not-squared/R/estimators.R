#' Probit model by maximum likelihood
#'
#' Newton-Raphson from zero with full steps. Standard errors come from the
#' observed second derivative of the log-likelihood at the estimate.
#'
#' @param X numeric matrix of regressors, with a column of ones if an intercept
#'   is wanted.
#' @param y numeric or logical vector of zeros and ones.
#' @param max_iter largest number of Newton steps.
#' @param tol the iteration stops when the Euclidean norm of the step is below
#'   this number.
#' @return A list of class `probit_fit` with `coefficients`, `vcov`, `se`,
#'   `loglik`, `iterations`, `converged`, `nobs` and `method`. Collinear columns
#'   and separated outcomes are errors; a warning is given when `max_iter` is
#'   reached.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' X <- cbind(1, c(-2, -1, 0, 1, 2, 3))
#' probit_mle(X, c(0, 1, 0, 0, 1, 1))
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  d <- check_data(X, y)
  max_iter <- check_max_iter(max_iter)
  tol <- check_positive(tol, "tol")
  if (!has_full_rank(d$X)) fail("X must have full column rank")
  r <- cpp_mle(d$X, d$y, max_iter, tol)
  if (r$status == 2L)
    fail("the outcomes are separated: there is no maximum likelihood estimate")
  if (r$status == 1L)
    warning("the maximum likelihood iteration did not converge in ", max_iter,
            " step(s)", call. = FALSE)
  V <- r$vcov
  if (!is.null(d$labels)) dimnames(V) <- list(d$labels, d$labels)
  structure(
    list(coefficients = label(r$coefficients, d$labels), vcov = V,
         se = label(sqrt(diag(r$vcov)), d$labels), loglik = r$loglik,
         iterations = as.integer(r$iterations), converged = r$status == 0L,
         nobs = d$n, method = "mle"),
    class = "probit_fit")
}

#' Probit model by Gibbs sampling
#'
#' Data augmentation after Albert and Chib: truncated normal latent variables,
#' then normal coefficients. The prior is normal with mean `beta0` and
#' covariance `Sigma0`.
#'
#' @inheritParams probit_mle
#' @param n_iter number of all iterations, with the burn-in.
#' @param burn_in number of iterations dropped at the beginning.
#' @param beta0 prior mean; `NULL` means zeros.
#' @param Sigma0 prior covariance matrix; `NULL` means 100 times the identity.
#' @return A list of class `probit_fit` with `beta_draws` (one row for each kept
#'   draw), `posterior_mean`, `posterior_sd`, `nobs` and `method`.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' set.seed(1)
#' X <- cbind(1, c(-2, -1, 0, 1, 2, 3))
#' probit_gibbs(X, c(0, 1, 0, 0, 1, 1), n_iter = 600, burn_in = 100)
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  d <- check_data(X, y)
  it <- check_iterations(n_iter, burn_in)
  b0 <- if (is.null(beta0)) numeric(d$k) else check_vector(beta0, d$k, "beta0")
  S0 <- check_Sigma0(Sigma0, d$k)
  draws <- cpp_gibbs(d$X, d$y, it$n_iter, it$burn_in, b0, S0)
  sampler_fit(draws, d, "gibbs")
}

#' Probit model by random-walk Metropolis-Hastings
#'
#' Normal random walk with proposal covariance s (X'X)^-1, where s is `scale`;
#' where X has not full column rank it is s (X'X + Sigma0^-1)^-1. The prior is
#' normal with mean `beta0` and covariance `Sigma0`.
#'
#' @inheritParams probit_gibbs
#' @param scale the factor s of the proposal covariance. The default is 2.4; the
#'   source prints 1.0. An acceptance rate of 25 to 40 per cent is the aim.
#' @param init starting value; `NULL` means the maximum likelihood estimate, or
#'   the prior mean with a warning where there is none (silently without rows).
#' @return A list of class `probit_fit` with `beta_draws` (one row for each kept
#'   draw), `posterior_mean`, `posterior_sd`, `acceptance_rate` (after the
#'   burn-in), `nobs` and `method`.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' set.seed(1)
#' X <- cbind(1, c(-2, -1, 0, 1, 2, 3))
#' probit_mh(X, c(0, 1, 0, 0, 1, 1), n_iter = 2000, burn_in = 500)
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  d <- check_data(X, y)
  it <- check_iterations(n_iter, burn_in)
  scale <- check_positive(scale, "scale")
  b0 <- if (is.null(beta0)) numeric(d$k) else check_vector(beta0, d$k, "beta0")
  S0 <- check_Sigma0(Sigma0, d$k)
  full_rank <- has_full_rank(d$X)
  if (is.null(init)) {
    start <- NULL
    if (full_rank) {
      r <- cpp_mle(d$X, d$y, 100L, 1e-8)
      if (r$status == 0L) start <- r$coefficients
    }
    if (is.null(start)) {
      start <- b0
      if (d$n > 0L)
        warning("there is no maximum likelihood estimate: starting at the prior mean",
                call. = FALSE)
    }
  } else {
    start <- check_vector(init, d$k, "init")
  }
  r <- cpp_mh(d$X, d$y, it$n_iter, it$burn_in, scale, b0, S0, start, full_rank)
  fit <- sampler_fit(r$draws, d, "mh")
  structure(c(unclass(fit)[1:3], list(acceptance_rate = r$acceptance_rate),
              unclass(fit)[4:5]), class = "probit_fit")
}

label <- function(x, labels) {
  x <- as.double(x)
  names(x) <- labels
  x
}

sampler_fit <- function(draws, d, method) {
  if (!is.null(d$labels)) dimnames(draws) <- list(NULL, d$labels)
  structure(
    list(beta_draws = draws, posterior_mean = label(colMeans(draws), d$labels),
         posterior_sd = label(apply(draws, 2L, stats::sd), d$labels),
         nobs = d$n, method = method),
    class = "probit_fit")
}

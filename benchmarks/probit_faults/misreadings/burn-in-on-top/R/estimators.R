#' Probit model by maximum likelihood
#'
#' Newton-Raphson with full steps from zero. The standard errors come from the
#' observed second derivative of the log-likelihood at the estimate.
#'
#' @param X numeric matrix of regressors, one row per observation; an intercept
#'   is a column of ones supplied by the caller.
#' @param y numeric or logical vector of zeros and ones.
#' @param max_iter largest number of Newton steps.
#' @param tol the iteration stops when the Euclidean norm of the step is below it.
#' @return A list of class `probit_fit` with `coefficients`, `vcov`, `se`,
#'   `loglik`, `iterations`, `converged`, `nobs` and `method` ("mle").
#'
#'   Separated outcomes, complete or quasi-complete, and a matrix `X` without full
#'   column rank are errors. Reaching `max_iter` gives a warning.
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of maximum
#'   likelihood estimates in logistic regression models. *Biometrika*, 71, 1-10.
#' @examples
#' set.seed(1)
#' X <- cbind(one = 1, x = rnorm(200))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(200) > 0)
#' probit_mle(X, y)
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  d <- check_data(X, y)
  max_iter <- check_whole(max_iter, "max_iter", 1)
  tol <- check_positive(tol, "tol")
  if (!full_column_rank(d$X)) fail("X must have full column rank")
  r <- probit_mle_cpp(d$X, d$y, as.integer(min(max_iter, .Machine$integer.max)), tol, 100L)
  if (r$status == 2L)
    fail("the outcomes are separated: the maximum likelihood estimate does not exist")
  if (r$status == 1L)
    warning("probit_mle did not converge in ", r$iterations, " iterations", call. = FALSE)
  est <- r$coefficients
  V <- r$vcov
  se <- sqrt(diag(V))
  if (!is.null(d$names)) {
    names(est) <- names(se) <- d$names
    dimnames(V) <- list(d$names, d$names)
  }
  structure(list(coefficients = est, vcov = V, se = se, loglik = r$loglik,
                 iterations = r$iterations, converged = r$status == 0L,
                 nobs = nrow(d$X), method = "mle"), class = "probit_fit")
}

# fields common to both samplers
sampler_fit <- function(draws, d, method, acceptance_rate = NULL) {
  if (!is.null(d$names)) colnames(draws) <- d$names
  fit <- list(beta_draws = draws, posterior_mean = colMeans(draws),
              posterior_sd = apply(draws, 2L, stats::sd))
  if (!is.null(acceptance_rate)) fit$acceptance_rate <- acceptance_rate
  fit$nobs <- nrow(d$X)
  fit$method <- method
  structure(fit, class = "probit_fit")
}

#' Probit model by Albert-Chib Gibbs sampling
#'
#' Data augmentation: latent normal variables are drawn from truncated normal
#' distributions given the coefficients, then the coefficients from their normal
#' distribution given the latent variables. The chain starts at zero.
#'
#' @inheritParams probit_mle
#' @param n_iter number of iterations that are kept, one row of `beta_draws` each.
#' @param burn_in number of iterations that come before them and are dropped.
#' @param beta0 prior mean; `NULL` means zeros.
#' @param Sigma0 prior covariance matrix; `NULL` means 100 times the identity.
#' @return A list of class `probit_fit` with `beta_draws` (a matrix with `n_iter`
#'   rows), `posterior_mean`, `posterior_sd`, `nobs` and `method` ("gibbs").
#'   Without rows in `X` the draws are from the prior.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @examples
#' set.seed(1)
#' X <- cbind(one = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(100) > 0)
#' probit_gibbs(X, y, n_iter = 500, burn_in = 100)
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  d <- check_data(X, y)
  k <- ncol(d$X)
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_whole(burn_in, "burn_in", 0)
  beta0 <- if (is.null(beta0)) numeric(k) else check_vector(beta0, "beta0", k)
  Sigma0 <- if (is.null(Sigma0)) diag(100, k) else check_covariance(Sigma0, "Sigma0", k)
  draws <- probit_gibbs_cpp(d$X, d$y, as.integer(n_iter), burn_in, beta0, Sigma0)
  sampler_fit(draws, d, "gibbs")
}

#' Probit model by random-walk Metropolis-Hastings
#'
#' Proposals are normal around the current state with covariance
#' `scale^2 (X'X)^-1`, or `scale^2 (X'X + Sigma0^-1)^-1` where `X'X` is singular.
#'
#' The source of the algorithm prints the value 1.0 for the scale. The default
#' here is 2.4: 25 to 40 per cent acceptance is the aim, and at 2.4 about 40 per
#' cent of the proposals are accepted with two coefficients.
#'
#' @inheritParams probit_gibbs
#' @param scale the factor s of the proposal, a positive number.
#' @param init start of the chain; `NULL` means the maximum likelihood estimate,
#'   and where there is none the prior mean, with a warning (silently when `X` has
#'   no rows).
#' @return A list of class `probit_fit` with `beta_draws` (a matrix with `n_iter`
#'   rows), `posterior_mean`, `posterior_sd`, `acceptance_rate` (of the iterations
#'   after the burn-in), `nobs` and `method` ("mh").
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak convergence
#'   and optimal scaling of random walk Metropolis algorithms. *Annals of Applied
#'   Probability*, 7, 110-120.
#' @examples
#' set.seed(1)
#' X <- cbind(one = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(100) > 0)
#' probit_mh(X, y, n_iter = 1000, burn_in = 200)
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  d <- check_data(X, y)
  k <- ncol(d$X)
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_whole(burn_in, "burn_in", 0)
  scale <- check_positive(scale, "scale")
  beta0 <- if (is.null(beta0)) numeric(k) else check_vector(beta0, "beta0", k)
  Sigma0 <- if (is.null(Sigma0)) diag(100, k) else check_covariance(Sigma0, "Sigma0", k)
  full_rank <- full_column_rank(d$X)
  if (!is.null(init)) {
    init <- check_vector(init, "init", k)
  } else {
    if (full_rank) {
      r <- tryCatch(probit_mle_cpp(d$X, d$y, 100L, 1e-8, 0L), error = function(e) NULL)
      if (!is.null(r) && r$status == 0L) init <- r$coefficients
    }
    if (is.null(init)) {
      init <- beta0
      if (nrow(d$X) > 0L)
        warning("no maximum likelihood estimate: the chain starts at the prior mean",
                call. = FALSE)
    }
  }
  r <- probit_mh_cpp(d$X, d$y, as.integer(n_iter), burn_in, scale, beta0, Sigma0, init,
                     full_rank)
  sampler_fit(r$draws, d, "mh", r$acceptance_rate)
}

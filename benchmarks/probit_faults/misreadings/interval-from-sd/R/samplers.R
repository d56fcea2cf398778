#' Probit by Gibbs sampling
#'
#' The data augmentation sampler of Albert and Chib: latent normal variables are
#' drawn given the coefficients, then the coefficients given the latent
#' variables, under a normal prior. It starts at zero.
#'
#' @param X Numeric matrix with one row for each observation; the intercept is a
#'   column of ones. Without rows the draws come from the prior.
#' @param y Numeric or logical vector of zeros and ones.
#' @param n_iter Number of iterations, burn-in included.
#' @param burn_in Number of iterations that are discarded at the beginning.
#' @param beta0 Prior mean; \code{NULL} means zeros.
#' @param Sigma0 Prior covariance matrix; \code{NULL} means 100 times the
#'   identity.
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd} (divisor M - 1;
#'   \code{NA} with one draw), \code{nobs} and \code{method}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669-679.
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(X %*% c(0.2, 0.5) + rnorm(100) > 0)
#' probit_gibbs(X, y, n_iter = 600, burn_in = 100)
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  d <- check_data(X, y)
  it <- check_iterations(n_iter, burn_in)
  prior <- check_prior(beta0, Sigma0, ncol(d$X))
  draws <- cpp_gibbs(d$X, d$y, it$n_iter, it$burn_in, prior$beta0, prior$U0)
  structure(c(summarise_draws(draws, d$names),
              list(nobs = nrow(d$X), method = "gibbs")),
            class = "probit_fit")
}

#' Probit by random-walk Metropolis-Hastings
#'
#' A normal random walk with covariance \eqn{s^2 (X'X)^{-1}}{s^2 (X'X)^-1} on
#' the log-posterior under a normal prior. Where \eqn{X'X} is singular the
#' covariance is \eqn{s^2 (X'X + \Sigma_0^{-1})^{-1}}{s^2 (X'X + Sigma0^-1)^-1}.
#'
#' The default of \code{scale} is 2.4, while the source prints 1.0. The aim is
#' an acceptance rate of 25 to 40 per cent; with two coefficients about 40 per
#' cent of the proposals are accepted at 2.4.
#'
#' @inheritParams probit_gibbs
#' @param scale The factor s of the proposal.
#' @param init Starting value; \code{NULL} means the maximum likelihood
#'   estimate. If there is none, the chain starts at the prior mean, with a
#'   warning unless \code{X} has no rows.
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd} (divisor M - 1;
#'   \code{NA} with one draw), \code{acceptance_rate} (of the iterations after
#'   the burn-in), \code{nobs} and \code{method}.
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak
#'   convergence and optimal scaling of random walk Metropolis algorithms.
#'   \emph{Annals of Applied Probability}, 7, 110-120.
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(X %*% c(0.2, 0.5) + rnorm(100) > 0)
#' probit_mh(X, y, n_iter = 2000, burn_in = 500)$acceptance_rate
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  d <- check_data(X, y)
  k <- ncol(d$X)
  it <- check_iterations(n_iter, burn_in)
  scale <- check_positive(scale, "scale")
  prior <- check_prior(beta0, Sigma0, k)
  if (!is.null(init)) init <- check_vector(init, "init", k)
  full_rank <- has_full_rank(d$X)
  if (is.null(init)) {
    if (full_rank) {
      ml <- cpp_mle(d$X, d$y, 100L, 1e-8)
      if (ml$status == 0L) init <- ml$coefficients
    }
    if (is.null(init)) {
      init <- prior$beta0
      if (nrow(d$X) > 0L) {
        warning("there is no maximum likelihood estimate: the chain starts at ",
                "the prior mean", call. = FALSE)
      }
    }
  }
  res <- cpp_mh(d$X, d$y, it$n_iter, it$burn_in, scale, prior$beta0, prior$U0,
                init, full_rank)
  structure(c(summarise_draws(res$beta_draws, d$names),
              list(acceptance_rate = res$acceptance_rate, nobs = nrow(d$X),
                   method = "mh")),
            class = "probit_fit")
}

summarise_draws <- function(draws, names) {
  if (!is.null(names)) colnames(draws) <- names
  list(beta_draws = draws,
       posterior_mean = name_by(colMeans(draws), names),
       posterior_sd = name_by(apply(draws, 2L, stats::sd), names))
}

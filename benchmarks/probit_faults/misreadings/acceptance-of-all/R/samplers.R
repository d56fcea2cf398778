# Fields that both samplers share
summarise_draws <- function(draws, names) {
  if (!is.null(names)) colnames(draws) <- names
  k <- ncol(draws)
  list(
    beta_draws = draws,
    posterior_mean = stats::setNames(as.vector(colMeans(draws)), names),
    posterior_sd = stats::setNames(
      vapply(seq_len(k), function(j) stats::sd(draws[, j]), numeric(1)), names
    )
  )
}

#' Probit model by the Gibbs sampler of Albert and Chib
#'
#' Data augmentation: each iteration draws all latent variables from truncated
#' normal distributions at the previous coefficients, then the coefficients from
#' their normal distribution given the latent variables. It starts at zero.
#'
#' The prior is normal and proper, so no rows, fewer rows than columns, collinear
#' columns, constant outcomes and separation are all accepted; without rows the
#' draws come from the prior. Random numbers come from R's generator.
#'
#' @inheritParams probit_mle
#' @param n_iter number of iterations, burn-in included.
#' @param burn_in number of first iterations that are dropped.
#' @param beta0 prior mean; \code{NULL} means zeros.
#' @param Sigma0 prior covariance matrix; \code{NULL} means 100 times the
#'   identity.
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd}, \code{nobs} and
#'   \code{method} (\code{"gibbs"}).
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. \emph{Journal of the American Statistical
#'   Association} 88, 669--679.
#' @examples
#' X <- cbind(const = 1, x = c(-2, -1, -0.5, 0, 0.5, 1, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 0, 1, 1)
#' set.seed(1)
#' summary(probit_gibbs(X, y, n_iter = 600, burn_in = 100))
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL, Sigma0 = NULL) {
  d <- check_data(X, y)
  k <- ncol(d$X)
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_burn_in(burn_in, n_iter)
  beta0 <- check_beta0(beta0, k)
  Sigma0 <- check_Sigma0(Sigma0, k)
  draws <- cpp_gibbs(d$X, d$y, n_iter, burn_in, beta0, Sigma0)
  structure(
    c(summarise_draws(draws, d$names), list(nobs = nrow(d$X), method = "gibbs")),
    class = "probit_fit"
  )
}

#' Probit model by random-walk Metropolis-Hastings
#'
#' Normal random-walk proposals with covariance \eqn{s^2 (X'X)^{-1}}, where
#' \eqn{s} is \code{scale}. Where \eqn{X'X} is singular the proposal covariance is
#' \eqn{s^2 (X'X + \Sigma_0^{-1})^{-1}}.
#'
#' The source prints 1.0 for the scale. The aim is that 25 to 40 per cent of the
#' proposals are accepted; with two coefficients about 40 per cent are accepted at
#' 2.4, which is the default here.
#'
#' Without \code{init} the chain starts at the maximum likelihood estimate. If
#' there is none (collinear columns, separation, no convergence) it starts at the
#' prior mean with a warning; without rows it does so silently.
#'
#' @inheritParams probit_gibbs
#' @param scale the factor s of the proposal; default 2.4.
#' @param init starting value; \code{NULL} means the maximum likelihood estimate.
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd},
#'   \code{acceptance_rate} (accepted proposals divided by \code{n_iter}),
#'   \code{nobs} and \code{method} (\code{"mh"}).
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak
#'   convergence and optimal scaling of random walk Metropolis algorithms.
#'   \emph{Annals of Applied Probability} 7, 110--120.
#' @examples
#' X <- cbind(const = 1, x = c(-2, -1, -0.5, 0, 0.5, 1, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 0, 1, 1)
#' set.seed(1)
#' probit_mh(X, y, n_iter = 2000, burn_in = 500)$acceptance_rate
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4, beta0 = NULL,
                      Sigma0 = NULL, init = NULL) {
  d <- check_data(X, y)
  k <- ncol(d$X)
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_burn_in(burn_in, n_iter)
  scale <- check_scale(scale)
  beta0 <- check_beta0(beta0, k)
  Sigma0 <- check_Sigma0(Sigma0, k)
  if (!is.null(init)) init <- check_vector(init, k, "init")
  full_rank <- has_full_rank(d$X)
  if (is.null(init)) {
    init <- mle_or_null(d$X, d$y, full_rank)
    if (is.null(init)) {
      init <- beta0
      if (nrow(d$X) > 0L) {
        warning("no maximum likelihood estimate was found; the chain starts at the prior mean",
          call. = FALSE)
      }
    }
  }
  res <- cpp_mh(d$X, d$y, n_iter, burn_in, scale, beta0, Sigma0, init, full_rank)
  structure(
    c(
      summarise_draws(res$draws, d$names),
      list(acceptance_rate = res$acceptance_rate, nobs = nrow(d$X), method = "mh")
    ),
    class = "probit_fit"
  )
}

mle_or_null <- function(X, y, full_rank) {
  if (!full_rank) return(NULL)
  res <- cpp_mle(X, y, 100, 1e-8)
  if (res$status == 0L) res$coefficients else NULL
}

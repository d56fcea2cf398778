#' Probit model by Gibbs sampling
#'
#' Gibbs sampling with latent variables and a normal prior for the
#' coefficients. The latent errors have variance sigma^2 with prior
#' 1 / sigma^2; each iteration draws the latent variables, the coefficients and
#' sigma^2 in turn, and the draw that is kept is beta / sigma, on the scale of
#' unit variance. Because the prior of the coefficients is proper, no rows,
#' collinear columns and separated outcomes are accepted; without rows the
#' draws come from the prior.
#'
#' @inheritParams probit_mle
#' @param n_iter the number of iterations with the burn-in.
#' @param burn_in the number of iterations discarded at the beginning.
#' @param beta0 the prior mean; \code{NULL} means zeros.
#' @param Sigma0 the prior covariance matrix; \code{NULL} means 100 times the
#'   identity.
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd}, \code{nobs}
#'   and \code{method}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88(422), 669--679.
#' @examples
#' set.seed(1)
#' X <- cbind(1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(100) > 0)
#' probit_gibbs(X, y, n_iter = 600, burn_in = 100)
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  data <- check_data(X, y)
  n_iter <- check_count(n_iter, "n_iter")
  burn_in <- check_burn_in(burn_in, n_iter)
  beta0 <- if (is.null(beta0)) {
    numeric(data$k)
  } else {
    check_vector(beta0, "beta0", data$k)
  }
  root <- check_Sigma0(Sigma0, data$k)
  draws <- cpp_gibbs(data$X, data$y, n_iter, burn_in, beta0, root)
  sampler_fit(draws, data, "gibbs")
}

#' Probit model by random-walk Metropolis-Hastings
#'
#' Random-walk Metropolis-Hastings on the log-posterior with a normal prior for
#' the coefficients. The increments are normal with covariance
#' \code{scale^2} times the inverse of X'X; where X'X is singular the prior
#' precision is added to it.
#'
#' The source prints 1.0 for \code{scale}; the default here is 2.4. The aim is
#' an acceptance rate of 25 to 40 per cent; about 40 per cent are accepted with
#' two coefficients at 2.4.
#'
#' @inheritParams probit_gibbs
#' @param scale the factor s of the proposal.
#' @param init the start of the chain; \code{NULL} means the maximum likelihood
#'   estimate or, where there is none, the prior mean with a warning (without
#'   rows silently).
#' @return A list of class \code{probit_fit} with \code{beta_draws} (one row for
#'   each kept draw), \code{posterior_mean}, \code{posterior_sd},
#'   \code{acceptance_rate} (of the iterations after the burn-in), \code{nobs}
#'   and \code{method}.
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak
#'   convergence and optimal scaling of random walk Metropolis algorithms.
#'   \emph{Annals of Applied Probability}, 7(1), 110--120.
#' @examples
#' set.seed(1)
#' X <- cbind(1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(100) > 0)
#' probit_mh(X, y, n_iter = 2000, burn_in = 500)
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  data <- check_data(X, y)
  n_iter <- check_count(n_iter, "n_iter")
  burn_in <- check_burn_in(burn_in, n_iter)
  scale <- check_positive(scale, "scale")
  beta0 <- if (is.null(beta0)) {
    numeric(data$k)
  } else {
    check_vector(beta0, "beta0", data$k)
  }
  root <- check_Sigma0(Sigma0, data$k)
  regular <- full_rank(data$X)
  if (is.null(init)) {
    start <- if (regular) cpp_mle(data$X, data$y, 100L, 1e-8) else NULL
    if (!is.null(start) && start$status == 1L) {
      init <- start$coefficients
    } else {
      init <- beta0
      if (data$n > 0L) {
        warning("there is no maximum likelihood estimate: ",
                "the chain starts at the prior mean", call. = FALSE)
      }
    }
  } else {
    init <- check_vector(init, "init", data$k)
  }
  out <- cpp_mh(data$X, data$y, n_iter, burn_in, scale, beta0, root, init,
                regular)
  sampler_fit(out$draws, data, "mh", acceptance_rate = out$acceptance_rate)
}

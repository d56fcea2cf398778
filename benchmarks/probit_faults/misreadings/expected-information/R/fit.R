#' Probit model by maximum likelihood
#'
#' Newton-Raphson from zero with full steps. Separated outcomes, for which no
#' estimate exists, are an error whatever \code{max_iter} is.
#'
#' @param X numeric matrix of regressors with full column rank; an intercept is
#'   a column of ones in it.
#' @param y numeric or logical vector of zeros and ones, one for each row.
#' @param max_iter largest number of Newton steps.
#' @param tol the iteration stops when the Euclidean norm of the step is below
#'   this number.
#' @return A list of class \code{probit_fit} with \code{coefficients};
#'   \code{vcov}, the inverse of the Fisher (expected) information at the
#'   estimate; \code{se}, the roots of its diagonal; \code{loglik};
#'   \code{iterations}, the number of Newton steps; \code{converged};
#'   \code{nobs}; and \code{method}, \code{"mle"}. If \code{max_iter} is reached
#'   there is a warning and \code{converged} is \code{FALSE}. Should the
#'   information be singular in floating point, \code{vcov} and \code{se} are
#'   \code{NA}.
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of
#'   maximum likelihood estimates in logistic regression models.
#'   \emph{Biometrika}, 71, 1--10.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(200))
#' y <- as.numeric(X %*% c(0.3, -0.8) + rnorm(200) > 0)
#' summary(probit_mle(X, y))
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  X <- check_X(X)
  y <- check_y(y, nrow(X))
  max_iter <- check_whole(max_iter, "max_iter", 1,
                          text = "a whole number of at least 1")
  tol <- check_positive(tol, "tol")
  if (!has_full_rank(X)) fail("X must have full column rank")
  res <- cpp_mle(X, y, max_iter, tol)
  if (res$status == 2L)
    fail("the outcomes are separated: no maximum likelihood estimate exists")
  if (res$status == 1L)
    warning("Newton-Raphson did not converge in ", max_iter, " iteration(s)",
            call. = FALSE)
  nm <- colnames(X)
  V <- res$vcov
  if (!is.null(nm)) dimnames(V) <- list(nm, nm)
  se <- sqrt(diag(V))
  names(se) <- nm
  structure(list(coefficients = set_names(res$beta, nm), vcov = V,
                 se = se, loglik = res$loglik,
                 iterations = as.integer(res$iterations),
                 converged = res$status == 0L, nobs = nrow(X),
                 method = "mle"),
            class = "probit_fit")
}

set_names <- function(x, nm) {
  x <- as.vector(x)
  names(x) <- nm
  x
}

# Fields shared by the samplers
sampler_fit <- function(draws, X, method, extra = list()) {
  nm <- colnames(X)
  dimnames(draws) <- if (is.null(nm)) NULL else list(NULL, nm)
  k <- ncol(draws)
  sds <- vapply(seq_len(k), function(j) sd(draws[, j]), numeric(1))
  structure(c(list(beta_draws = draws,
                   posterior_mean = set_names(colMeans(draws), nm),
                   posterior_sd = set_names(sds, nm)),
              extra, list(nobs = nrow(X), method = method)),
            class = "probit_fit")
}

#' Probit model by Gibbs sampling
#'
#' The sampler of Albert and Chib: latent normal variables given the
#' coefficients, then the coefficients given the latent variables, under the
#' normal prior with mean \code{beta0} and covariance matrix \code{Sigma0}.
#' It starts at zero. As the prior is proper, separated outcomes, collinear
#' columns and even no rows are accepted; without rows it draws from the prior.
#'
#' @param X numeric matrix of regressors; an intercept is a column of ones.
#' @param y numeric or logical vector of zeros and ones, one for each row.
#' @param n_iter number of iterations with the burn-in.
#' @param burn_in number of iterations dropped at the start.
#' @param beta0 prior mean; \code{NULL} means zeros.
#' @param Sigma0 prior covariance matrix; \code{NULL} means 100 times the
#'   identity.
#' @return A list of class \code{probit_fit} with \code{beta_draws}, a matrix
#'   with one row for each kept draw; \code{posterior_mean};
#'   \code{posterior_sd}; \code{nobs}; and \code{method}, \code{"gibbs"}.
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669--679.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.3, -0.8) + rnorm(100) > 0)
#' summary(probit_gibbs(X, y, n_iter = 600, burn_in = 100))
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  X <- check_X(X)
  y <- check_y(y, nrow(X))
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_burn_in(burn_in, n_iter)
  beta0 <- check_beta0(beta0, ncol(X))
  Sigma0 <- check_Sigma0(Sigma0, ncol(X))
  draws <- cpp_gibbs(X, y, n_iter, burn_in, beta0, Sigma0)
  sampler_fit(draws, X, "gibbs")
}

#' Probit model by random-walk Metropolis-Hastings
#'
#' Proposals are normal around the current state with covariance matrix
#' \code{scale^2} times the inverse of \code{crossprod(X)}, or of
#' \code{crossprod(X) + solve(Sigma0)} where \code{crossprod(X)} is singular.
#'
#' The aim is an acceptance rate of 25 to 40 per cent. The source prints 1.0
#' for the scale, which accepts far more often; with the default of 2.4 about
#' 40 per cent of the proposals are accepted with two coefficients.
#'
#' @inheritParams probit_gibbs
#' @param scale positive factor s of the proposal, 2.4 by default.
#' @param init starting value; \code{NULL} means the maximum likelihood
#'   estimate. If there is none, the sampler starts at the prior mean with a
#'   warning (silently without rows).
#' @return A list of class \code{probit_fit} with \code{beta_draws}, a matrix
#'   with one row for each kept draw; \code{posterior_mean};
#'   \code{posterior_sd}; \code{acceptance_rate}, the share of accepted
#'   proposals after the burn-in; \code{nobs}; and \code{method}, \code{"mh"}.
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak
#'   convergence and optimal scaling of random walk Metropolis algorithms.
#'   \emph{The Annals of Applied Probability}, 7, 110--120.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.3, -0.8) + rnorm(100) > 0)
#' probit_mh(X, y, n_iter = 2000, burn_in = 500)$acceptance_rate
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  X <- check_X(X)
  k <- ncol(X)
  y <- check_y(y, nrow(X))
  n_iter <- check_n_iter(n_iter)
  burn_in <- check_burn_in(burn_in, n_iter)
  scale <- check_positive(scale, "scale")
  beta0 <- check_beta0(beta0, k)
  Sigma0 <- check_Sigma0(Sigma0, k)
  use_init <- !is.null(init)
  init <- if (use_init) check_coefs(init, "init", k) else numeric(k)
  res <- cpp_mh(X, y, n_iter, burn_in, scale, beta0, Sigma0, init, use_init,
                has_full_rank(X))
  if (res$fallback && nrow(X) > 0L)
    warning("there is no maximum likelihood estimate to start from; ",
            "the chain starts at the prior mean", call. = FALSE)
  sampler_fit(res$draws, X, "mh", list(acceptance_rate = res$acceptance_rate))
}

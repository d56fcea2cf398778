#' Maximum likelihood for the probit model
#'
#' Newton-Raphson with full steps from zero on the probit log-likelihood.
#'
#' Separation of the outcomes, complete or quasi-complete, is an error, because
#' there is no finite estimate then. If \code{max_iter} is reached otherwise, a
#' warning is given and the last iterate is returned. The variance matrix is the
#' inverse of the observed negative second derivative at the estimate, not of
#' the expected information.
#'
#' @param X Numeric matrix of regressors; an intercept is a column of ones.
#' @param y Numeric or logical vector of zeros and ones.
#' @param max_iter Largest number of Newton steps.
#' @param tol Iteration stops when the Euclidean norm of the step is below it.
#' @return A list of class \code{probit_fit} with elements \code{coefficients},
#'   \code{vcov}, \code{se}, \code{loglik}, \code{iterations} (number of Newton
#'   steps), \code{converged}, \code{nobs} and \code{method} (\code{"mle"}).
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of
#'   maximum likelihood estimates in logistic regression models. Biometrika,
#'   71(1), 1-10.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.3, 1) + rnorm(100) > 0)
#' probit_mle(X, y)
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  d <- check_data(X, y)
  max_iter <- check_whole(max_iter, "max_iter")
  tol <- check_positive(tol, "tol")
  if (!has_full_rank(d$X)) fail("X must have full column rank")
  r <- cpp_probit_mle(d$X, d$y, max_iter, tol, 100L)
  if (r$status == 2L) {
    fail("the outcomes are separated by the regressors: ",
         "there is no maximum likelihood estimate")
  }
  if (r$status == 1L) {
    warning("Newton-Raphson did not converge in ", max_iter, " iteration(s)",
            call. = FALSE)
  }
  V <- name_matrix(r$vcov, d$names)
  structure(list(coefficients = name_vector(as.vector(r$coefficients), d$names),
                 vcov = V, se = name_vector(sqrt(diag(r$vcov)), d$names),
                 loglik = r$loglik, iterations = as.integer(r$iterations),
                 converged = r$status == 0L, nobs = d$n, method = "mle"),
            class = "probit_fit")
}

#' Gibbs sampler of Albert and Chib for the probit model
#'
#' Alternates between the latent variables, normal and truncated by the sign that
#' the outcomes prescribe, and the coefficients, which are normal given them. The
#' chain starts at zero.
#'
#' The prior is normal with mean \code{beta0} and \emph{precision} matrix
#' \code{Sigma0}, that is with variance matrix \code{solve(Sigma0)}. It is proper,
#' so no rows, fewer rows than columns, collinear columns and separation are
#' allowed; without rows the draws come from the prior.
#'
#' @inheritParams probit_mle
#' @param n_iter Number of iterations, including the burn-in.
#' @param burn_in Number of iterations at the beginning that are not kept.
#' @param beta0 Prior mean; \code{NULL} means zeros.
#' @param Sigma0 Precision matrix (inverse variance matrix) of the prior;
#'   \code{NULL} means 0.01 times the identity.
#' @return A list of class \code{probit_fit} with elements \code{beta_draws}
#'   (matrix with a row for each of the \code{n_iter - burn_in} kept draws),
#'   \code{posterior_mean}, \code{posterior_sd}, \code{nobs} and \code{method}
#'   (\code{"gibbs"}).
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. Journal of the American Statistical
#'   Association, 88(422), 669-679.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.3, 1) + rnorm(100) > 0)
#' probit_gibbs(X, y, n_iter = 600, burn_in = 100)
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  d <- check_data(X, y)
  n_iter <- check_whole(n_iter, "n_iter")
  burn_in <- check_burn_in(burn_in, n_iter)
  beta0 <- check_beta0(beta0, d$k)
  Sigma0 <- check_Sigma0(Sigma0, d$k)
  draws <- cpp_probit_gibbs(d$X, d$y, n_iter, burn_in, beta0, Sigma0)
  structure(c(summarise_draws(draws, d$names),
              list(nobs = d$n, method = "gibbs")), class = "probit_fit")
}

#' Random-walk Metropolis-Hastings for the probit model
#'
#' Proposals are normal around the current coefficients with variance matrix
#' \eqn{s^2 (X'X)^{-1}}{s^2 (X'X)^-1}, or
#' \eqn{s^2 (X'X + \Sigma_0)^{-1}}{s^2 (X'X + Sigma0)^-1} where \eqn{X'X} is
#' singular; \eqn{s} is \code{scale}.
#'
#' The source of the algorithm prints 1.0 for \code{scale}. An acceptance rate of
#' 25 to 40 per cent is the aim; at the default of 2.4 about 40 per cent of the
#' proposals are accepted with two coefficients.
#'
#' The prior is normal with mean \code{beta0} and \emph{precision} matrix
#' \code{Sigma0}, as for \code{\link{probit_gibbs}}.
#'
#' @inheritParams probit_gibbs
#' @param scale Scale \eqn{s} of the proposals.
#' @param init Coefficients to start at; \code{NULL} means the maximum likelihood
#'   estimate, or, with a warning, the prior mean where there is none (without
#'   rows there is no warning).
#' @return A list of class \code{probit_fit} with elements \code{beta_draws}
#'   (matrix with a row for each of the \code{n_iter - burn_in} kept draws),
#'   \code{posterior_mean}, \code{posterior_sd}, \code{acceptance_rate} (share of
#'   the iterations after the burn-in in which the proposal was accepted),
#'   \code{nobs} and \code{method} (\code{"mh"}).
#' @references Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak
#'   convergence and optimal scaling of random walk Metropolis algorithms. Annals
#'   of Applied Probability, 7(1), 110-120.
#' @examples
#' set.seed(1)
#' X <- cbind(const = 1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.3, 1) + rnorm(100) > 0)
#' probit_mh(X, y, n_iter = 2000, burn_in = 500)
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  d <- check_data(X, y)
  n_iter <- check_whole(n_iter, "n_iter")
  burn_in <- check_burn_in(burn_in, n_iter)
  scale <- check_positive(scale, "scale")
  beta0 <- check_beta0(beta0, d$k)
  Sigma0 <- check_Sigma0(Sigma0, d$k)
  if (!is.null(init)) init <- check_coefs(init, d$k, "init")
  full_rank <- has_full_rank(d$X)
  if (is.null(init)) {
    init <- beta0
    found <- FALSE
    if (full_rank) {
      r <- cpp_probit_mle(d$X, d$y, 100L, 1e-8, 0L)
      found <- r$status == 0L
      if (found) init <- as.vector(r$coefficients)
    }
    if (!found && d$n > 0L) {
      warning("no maximum likelihood estimate: the chain starts at the prior mean",
              call. = FALSE)
    }
  }
  r <- cpp_probit_mh(d$X, d$y, n_iter, burn_in, scale, beta0, Sigma0, init,
                     full_rank)
  structure(c(summarise_draws(r$draws, d$names),
              list(acceptance_rate = r$accepted / (n_iter - burn_in),
                   nobs = d$n, method = "mh")), class = "probit_fit")
}

name_vector <- function(x, names) {
  names(x) <- names
  x
}

name_matrix <- function(x, names) {
  if (!is.null(names)) dimnames(x) <- list(names, names)
  x
}

summarise_draws <- function(draws, names) {
  if (!is.null(names)) colnames(draws) <- names
  list(beta_draws = draws,
       posterior_mean = name_vector(as.vector(colMeans(draws)), names),
       posterior_sd = name_vector(as.vector(apply(draws, 2L, stats::sd)), names))
}

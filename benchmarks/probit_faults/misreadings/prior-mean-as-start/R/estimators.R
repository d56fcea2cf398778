#' Probit by maximum likelihood
#'
#' Newton-Raphson with full steps from zero. Outcomes that are separated,
#' completely or quasi-completely, have no maximum likelihood estimate and are
#' an error.
#'
#' @param X a numeric matrix with n rows and k columns; the intercept is a
#'   column of ones supplied by the caller.
#' @param y a numeric or logical vector of n zeros and ones.
#' @param max_iter the largest number of Newton steps.
#' @param tol the iteration stops when the Euclidean norm of the step is below
#'   `tol`.
#' @return A list of class `probit_fit` with `coefficients`, `vcov` (the
#'   inverse of the negative second derivative of the log-likelihood at the
#'   estimate, the observed information), `se`, `loglik`, `iterations`,
#'   `converged`, `nobs` and `method` (`"mle"`). If `max_iter` is reached
#'   without separation there is a warning and `converged` is `FALSE`.
#' @references
#' Albert, A. and Anderson, J. A. (1984). On the existence of maximum
#' likelihood estimates in logistic regression models. *Biometrika* 71(1),
#' 1--10. \doi{10.1093/biomet/71.1.1}
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(drop(X %*% c(0.2, 0.7)) + rnorm(100) > 0)
#' summary(probit_mle(X, y))
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  a <- check_xy(X, y)
  max_iter <- check_whole(max_iter, "max_iter", 1, Inf)
  tol <- check_positive(tol, "tol")
  if (!full_column_rank(a$X)) {
    stop("X must have full column rank", call. = FALSE)
  }
  f <- cpp_mle(a$X, a$y, max_iter, tol)
  if (f$status == 2L) {
    stop("the outcomes are separated: the maximum likelihood estimate does ",
         "not exist", call. = FALSE)
  }
  if (f$status == 1L) {
    warning("Newton-Raphson did not converge in ", max_iter, " iteration(s)",
            call. = FALSE)
  }
  structure(
    list(coefficients = name_vector(f$beta, a$names),
         vcov = name_matrix(f$vcov, a$names),
         se = name_vector(sqrt(diag(f$vcov)), a$names),
         loglik = f$loglik,
         iterations = f$iterations,
         converged = f$status == 0L,
         nobs = a$n,
         method = "mle"),
    class = "probit_fit")
}

sampler_fit <- function(draws, a, method, ...) {
  if (!is.null(a$names)) colnames(draws) <- a$names
  structure(
    c(list(beta_draws = draws,
           posterior_mean = colMeans(draws),
           posterior_sd = apply(draws, 2L, stats::sd)),
      list(...),
      list(nobs = a$n, method = method)),
    class = "probit_fit")
}

#' Probit by Gibbs sampling
#'
#' The data augmentation sampler of Albert and Chib under the prior
#' N(0, Sigma0). Each iteration draws the latent variables given the
#' coefficients and then the coefficients given the latent variables. The prior
#' is proper, so that no rows, collinear columns and separated outcomes are
#' allowed.
#'
#' @inheritParams probit_mle
#' @param n_iter number of iterations, with the burn-in.
#' @param burn_in number of first iterations that are not kept.
#' @param beta0 where the chain starts, k numbers; `NULL` means zeros. It is
#'   not the mean of the prior, which is zero.
#' @param Sigma0 covariance matrix of the prior, k x k; `NULL` means 100 times
#'   the identity.
#' @return A list of class `probit_fit` with `beta_draws` (a matrix with
#'   `n_iter - burn_in` rows and k columns), `posterior_mean`, `posterior_sd`
#'   (`NA` with one kept draw), `nobs` and `method` (`"gibbs"`).
#' @references
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#' polychotomous response data. *Journal of the American Statistical
#' Association* 88(422), 669--679. \doi{10.1080/01621459.1993.10476321}
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(drop(X %*% c(0.2, 0.7)) + rnorm(100) > 0)
#' summary(probit_gibbs(X, y, n_iter = 600, burn_in = 100))
#' @export
probit_gibbs <- function(X, y, n_iter = 3500, burn_in = 500, beta0 = NULL,
                         Sigma0 = NULL) {
  a <- check_xy(X, y)
  it <- check_iterations(n_iter, burn_in)
  beta0 <- check_start(beta0, a$k)
  Sigma0 <- check_Sigma0(Sigma0, a$k)
  draws <- cpp_gibbs(a$X, a$y, it$n_iter, it$burn_in, beta0, Sigma0)
  sampler_fit(draws, a, "gibbs")
}

#' Probit by random-walk Metropolis-Hastings
#'
#' Random-walk Metropolis-Hastings on the posterior under the prior
#' N(0, Sigma0). Proposals have the covariance matrix `scale^2` times the
#' inverse of X'X, or, where X has not full column rank, of X'X + Sigma0^-1.
#'
#' The source prints 1.0 for the scale. An acceptance rate of 25 to 40 per cent
#' is the aim; with two coefficients about 40 per cent of the proposals are
#' accepted at the default of 2.4.
#'
#' @inheritParams probit_gibbs
#' @param scale the factor s of the proposal's standard deviations.
#' @param beta0 where the chain starts if `init` is `NULL` and there is no
#'   maximum likelihood estimate, k numbers; `NULL` means zeros. It is not the
#'   mean of the prior, which is zero.
#' @param init where the chain starts, k numbers; `NULL` means the maximum
#'   likelihood estimate. If there is none the chain starts at `beta0`, with a
#'   warning if there are any rows.
#' @return A list of class `probit_fit` with `beta_draws` (a matrix with
#'   `n_iter - burn_in` rows and k columns), `posterior_mean`, `posterior_sd`
#'   (`NA` with one kept draw), `acceptance_rate` (of the iterations after the
#'   burn-in), `nobs` and `method` (`"mh"`).
#' @references
#' Roberts, G. O., Gelman, A. and Gilks, W. R. (1997). Weak convergence and
#' optimal scaling of random walk Metropolis algorithms. *Annals of Applied
#' Probability* 7(1), 110--120. \doi{10.1214/aoap/1034625254}
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(drop(X %*% c(0.2, 0.7)) + rnorm(100) > 0)
#' fit <- probit_mh(X, y, n_iter = 2000, burn_in = 500)
#' fit$acceptance_rate
#' @export
probit_mh <- function(X, y, n_iter = 10000, burn_in = 2000, scale = 2.4,
                      beta0 = NULL, Sigma0 = NULL, init = NULL) {
  a <- check_xy(X, y)
  it <- check_iterations(n_iter, burn_in)
  scale <- check_positive(scale, "scale")
  beta0 <- check_start(beta0, a$k)
  Sigma0 <- check_Sigma0(Sigma0, a$k)
  if (!is.null(init)) init <- check_vector(init, "init", a$k)
  full_rank <- full_column_rank(a$X)
  if (is.null(init)) {
    if (full_rank) {
      f <- cpp_mle(a$X, a$y, 100L, 1e-8)
      if (f$status == 0L && all(is.finite(f$beta))) init <- f$beta
    }
    if (is.null(init)) {
      init <- beta0
      if (a$n > 0L) {
        warning("there is no maximum likelihood estimate: the chain starts ",
                "at beta0 instead (prior mean)", call. = FALSE)
      }
    }
  }
  s <- cpp_mh(a$X, a$y, it$n_iter, it$burn_in, scale, Sigma0, init, full_rank)
  sampler_fit(s$draws, a, "mh", acceptance_rate = s$acceptance_rate)
}

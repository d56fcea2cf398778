#' Probit model by maximum likelihood
#'
#' Newton-Raphson from zero with full steps, each from the Cholesky factor of the
#' observed information. Standard errors come from the observed second derivative
#' at the estimate, not from the expected information.
#'
#' Separation of the outcomes, complete or quasi-complete, is an error for every
#' \code{max_iter}: after each step the new iterate and the step itself are tested
#' as separating directions.
#'
#' @param X numeric matrix, one row for each observation; an intercept is a
#'   column of ones.
#' @param y numeric or logical vector of zeros and ones.
#' @param max_iter greatest number of Newton steps.
#' @param tol convergence: Euclidean norm of the step below \code{tol}.
#' @return A list of class \code{probit_fit} with \code{coefficients},
#'   \code{vcov}, \code{se}, \code{loglik}, \code{iterations} (Newton steps),
#'   \code{converged}, \code{nobs} and \code{method} (\code{"mle"}). If
#'   \code{max_iter} is reached there is a warning and the last iterate is
#'   returned.
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of maximum
#'   likelihood estimates in logistic regression models. \emph{Biometrika} 71,
#'   1--10.
#' @examples
#' X <- cbind(const = 1, x = c(-2, -1, -0.5, 0, 0.5, 1, 2, 3))
#' y <- c(0, 0, 1, 0, 1, 0, 1, 1)
#' probit_mle(X, y)
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  d <- check_data(X, y)
  max_iter <- check_max_iter(max_iter)
  tol <- check_tol(tol)
  if (!has_full_rank(d$X)) stop("X must have full column rank", call. = FALSE)
  res <- cpp_mle(d$X, d$y, max_iter, tol)
  if (res$status == 2L) {
    stop("the outcomes are separated: there is no maximum likelihood estimate",
      call. = FALSE)
  }
  if (res$status == 1L) {
    warning("Newton-Raphson did not converge in ", format(max_iter), " iterations",
      call. = FALSE)
  }
  V <- res$vcov
  if (!is.null(d$names)) dimnames(V) <- list(d$names, d$names)
  structure(
    list(
      coefficients = stats::setNames(res$coefficients, d$names),
      vcov = V,
      se = stats::setNames(sqrt(diag(res$vcov)), d$names),
      loglik = res$loglik,
      iterations = as.integer(res$iterations),
      converged = res$status == 0L,
      nobs = nrow(d$X),
      method = "mle"
    ),
    class = "probit_fit"
  )
}

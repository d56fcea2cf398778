#' Probit by maximum likelihood
#'
#' Newton-Raphson from zero with full steps. Separated outcomes, for which no
#' maximum likelihood estimate exists, are recognised and are an error.
#'
#' @param X Numeric matrix with one row for each observation; the intercept is a
#'   column of ones.
#' @param y Numeric or logical vector of zeros and ones.
#' @param max_iter Largest number of Newton steps.
#' @param tol The iteration stops when the Euclidean norm of the step is below
#'   this number.
#' @return A list of class \code{probit_fit} with \code{coefficients},
#'   \code{vcov} (inverse of the observed information, the negative second
#'   derivative of the log-likelihood at the estimate), \code{se},
#'   \code{loglik}, \code{iterations}, \code{converged}, \code{nobs} and
#'   \code{method}.
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of
#'   maximum likelihood estimates in logistic regression models.
#'   \emph{Biometrika}, 71, 1-10.
#' @examples
#' set.seed(1)
#' X <- cbind(1, rnorm(100))
#' y <- as.numeric(X %*% c(0.2, 0.5) + rnorm(100) > 0)
#' probit_mle(X, y)
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  d <- check_data(X, y)
  max_iter <- check_whole(max_iter, "max_iter", 1, what = "of at least 1")
  tol <- check_positive(tol, "tol")
  if (!has_full_rank(d$X)) fail("X must have full column rank")
  res <- cpp_mle(d$X, d$y, max_iter, tol)
  if (res$status == 2L) {
    fail("the outcomes are separated: there is no maximum likelihood estimate")
  }
  if (res$status == 1L) {
    warning("Newton-Raphson did not converge in ", max_iter, " iteration(s)",
            call. = FALSE)
  }
  vcov <- res$vcov
  if (!is.null(d$names)) dimnames(vcov) <- list(d$names, d$names)
  structure(
    list(coefficients = name_by(res$coefficients, d$names), vcov = vcov,
         se = name_by(sqrt(diag(res$vcov)), d$names), loglik = res$loglik,
         iterations = res$iterations, converged = res$status == 0L,
         nobs = nrow(d$X), method = "mle"),
    class = "probit_fit"
  )
}

name_by <- function(x, names) {
  x <- as.vector(x)
  if (!is.null(names)) names(x) <- names
  x
}

#' Probit model by maximum likelihood
#'
#' Newton-Raphson from zero with full steps. The variance matrix is the inverse
#' of the negative second derivative of the log-likelihood at the estimate (the
#' observed, not the expected information). Separated outcomes, complete or
#' quasi-complete, have no finite estimate and are an error.
#'
#' @param X a numeric matrix, one row for each observation; the intercept is a
#'   column of ones.
#' @param y a numeric or logical vector of zeros and ones.
#' @param max_iter the largest number of Newton steps.
#' @param tol the steps end when the Euclidean norm of a step is below
#'   \code{tol}.
#' @return A list of class \code{probit_fit} with \code{coefficients},
#'   \code{vcov}, \code{se}, \code{loglik}, \code{iterations},
#'   \code{converged}, \code{nobs} and \code{method}. When \code{max_iter} is
#'   reached there is a warning and \code{converged} is \code{FALSE}.
#' @references Albert, A. and Anderson, J. A. (1984). On the existence of
#'   maximum likelihood estimates in logistic regression models.
#'   \emph{Biometrika}, 71(1), 1--10.
#' @examples
#' set.seed(1)
#' X <- cbind(1, x = rnorm(100))
#' y <- as.numeric(X %*% c(0.5, 1) + rnorm(100) > 0)
#' probit_mle(X, y)
#' @export
probit_mle <- function(X, y, max_iter = 100, tol = 1e-8) {
  data <- check_data(X, y)
  max_iter <- check_count(max_iter, "max_iter")
  tol <- check_positive(tol, "tol")
  if (!full_rank(data$X)) fail("X must have full column rank")
  fit <- cpp_mle(data$X, data$y, max_iter, tol)
  if (fit$status == 2L) {
    fail("the outcomes are separated: there is no maximum likelihood estimate")
  }
  if (fit$status == 0L) {
    warning("Newton-Raphson did not converge in ", max_iter, " iterations",
            call. = FALSE)
  }
  coefficients <- fit$coefficients
  vcov <- fit$vcov
  se <- sqrt(diag(vcov))
  names(coefficients) <- names(se) <- data$names
  if (!is.null(data$names)) dimnames(vcov) <- list(data$names, data$names)
  structure(
    list(coefficients = coefficients, vcov = vcov, se = se,
         loglik = fit$loglik, iterations = fit$iterations,
         converged = fit$status == 1L, nobs = data$n, method = "mle"),
    class = "probit_fit"
  )
}

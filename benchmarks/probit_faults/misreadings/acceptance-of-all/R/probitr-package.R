#' probitr: three estimators for the probit model
#'
#' Maximum likelihood by Newton-Raphson (\code{\link{probit_mle}}), the Gibbs
#' sampler of Albert and Chib (\code{\link{probit_gibbs}}) and random-walk
#' Metropolis-Hastings (\code{\link{probit_mh}}), with the formula interface
#' \code{\link{probit}}.
#'
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association} 88, 669--679.
#' @name probitr-package
#' @aliases probitr
#' @keywords internal
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
"_PACKAGE"

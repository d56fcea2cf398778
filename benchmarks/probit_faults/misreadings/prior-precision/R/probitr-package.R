#' probitr: three estimators for the probit model
#'
#' Maximum likelihood by Newton-Raphson, the Gibbs sampler of Albert and Chib,
#' and random-walk Metropolis-Hastings for the probit model.
#'
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. Journal of the American Statistical
#'   Association, 88(422), 669-679.
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp sourceCpp
#' @keywords internal
#' @name probitr-package
#' @aliases probitr
NULL

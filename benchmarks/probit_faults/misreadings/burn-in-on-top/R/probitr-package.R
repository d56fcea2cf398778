#' probitr: three estimators for the probit model
#'
#' Maximum likelihood ([probit_mle()]), Albert-Chib Gibbs sampling
#' ([probit_gibbs()]) and random-walk Metropolis-Hastings ([probit_mh()]), with
#' a formula interface in [probit()].
#'
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#'   polychotomous response data. *Journal of the American Statistical
#'   Association*, 88, 669-679.
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom stats coef vcov nobs logLik
#' @keywords internal
"_PACKAGE"

#' probitr: three estimators for the probit model
#'
#' Maximum likelihood ([probit_mle()]), Gibbs sampling ([probit_gibbs()]) and
#' random-walk Metropolis-Hastings ([probit_mh()]) for the binary probit model,
#' with the formula interface [probit()].
#'
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88, 669-679.
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @keywords internal
"_PACKAGE"

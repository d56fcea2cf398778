#' probitr: three estimators for the probit model
#'
#' Maximum likelihood by Newton-Raphson ([probit_mle()]), the Gibbs sampler of
#' Albert and Chib ([probit_gibbs()]) and random-walk Metropolis-Hastings
#' ([probit_mh()]), with a formula interface ([probit()]).
#'
#' @references
#' Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary and
#' polychotomous response data. *Journal of the American Statistical
#' Association* 88(422), 669--679. \doi{10.1080/01621459.1993.10476321}
#'
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom stats coef vcov nobs logLik
#' @keywords internal
"_PACKAGE"

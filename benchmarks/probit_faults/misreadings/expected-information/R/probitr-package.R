#' Three estimators for the probit model
#'
#' Maximum likelihood by Newton-Raphson (\code{\link{probit_mle}}), Gibbs
#' sampling (\code{\link{probit_gibbs}}) and random-walk Metropolis-Hastings
#' (\code{\link{probit_mh}}), with a formula interface (\code{\link{probit}}).
#'
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom stats coef vcov nobs logLik model.frame model.matrix
#'   model.response terms quantile sd var pnorm
#' @keywords internal
"_PACKAGE"

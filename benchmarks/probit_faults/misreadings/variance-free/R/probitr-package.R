#' probitr: Three Estimators for the Probit Model
#'
#' Maximum likelihood (\code{\link{probit_mle}}), Gibbs sampling
#' (\code{\link{probit_gibbs}}) and random-walk Metropolis-Hastings
#' (\code{\link{probit_mh}}) for the probit model, with a formula interface
#' (\code{\link{probit}}).
#'
#' @references Albert, J. H. and Chib, S. (1993). Bayesian analysis of binary
#'   and polychotomous response data. \emph{Journal of the American Statistical
#'   Association}, 88(422), 669--679.
#' @keywords internal
#' @useDynLib probitr, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom stats coef vcov nobs logLik
"_PACKAGE"

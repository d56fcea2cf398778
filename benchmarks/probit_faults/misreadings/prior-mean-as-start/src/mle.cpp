#include "probitr.h"

namespace {

enum Status { CONVERGED = 0, NOT_CONVERGED = 1, SEPARATED = 2 };

// Score and X'DX at beta.
void derivatives(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 arma::vec& score, arma::mat& info) {
  const arma::vec eta = X * beta;
  arma::vec g(eta.n_elem), w(eta.n_elem);
  for (arma::uword i = 0; i < eta.n_elem; ++i) {
    double lambda, d;
    probitr::mills(q[i] * eta[i], lambda, d);
    g[i] = q[i] * lambda;
    w[i] = std::sqrt(d);
  }
  score = X.t() * g;
  arma::mat XW = X;
  XW.each_col() %= w;
  info = XW.t() * XW;
}

// One full Newton step on beta; false means separation.
bool newton_step(const arma::mat& X, const arma::vec& q, arma::vec& beta,
                 double& norm_step) {
  arma::vec step;
  arma::mat info, U;
  derivatives(X, q, beta, step, info);
  if (!probitr::chol_upper(U, info)) return false;
  probitr::forwardsolve_upper(U, step.memptr());
  probitr::backsolve_upper(U, step.memptr());
  if (!step.is_finite()) return false;
  beta += step;
  norm_step = arma::norm(step, 2);
  // Certificates of separation.
  const arma::vec mb = q % (X * beta);
  if (mb.min() > 0.0) return false;
  const arma::vec mv = q % (X * step);
  const double top = arma::abs(mv).max();
  if (mv.max() > 0.0 && mv.min() >= -1e-7 * top) return false;
  return true;
}

}  // namespace

// Status 0: converged, 1: max_iter reached, 2: separated outcomes. X has full
// column rank and therefore at least one row.
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, int max_iter,
                   double tol) {
  const arma::uword k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  arma::vec beta(k, arma::fill::zeros);
  int status = NOT_CONVERGED, iterations = 0;
  double norm_step = R_PosInf;

  while (iterations < max_iter) {
    if (iterations % 200 == 199) Rcpp::checkUserInterrupt();
    if (!newton_step(X, q, beta, norm_step)) {
      status = SEPARATED;
      break;
    }
    ++iterations;
    if (norm_step < tol) {
      status = CONVERGED;
      break;
    }
  }
  if (status == NOT_CONVERGED) {
    // Look further for the certificate only, on a copy.
    arma::vec copy = beta;
    for (int extra = 0; extra < 100; ++extra) {
      if (!newton_step(X, q, copy, norm_step)) {
        status = SEPARATED;
        break;
      }
      if (norm_step < tol) break;
    }
  }

  arma::mat V(k, k, arma::fill::zeros);
  double ll = NA_REAL;
  if (status != SEPARATED) {
    arma::vec score;
    arma::mat info, U;
    derivatives(X, q, beta, score, info);
    if (probitr::chol_upper(U, info)) {
      const arma::mat Ui = probitr::inverse_upper(U);
      V = arma::symmatu(Ui * Ui.t());
      ll = probitr::loglik(X * beta, q);
    } else {
      status = SEPARATED;
    }
  }
  return Rcpp::List::create(
      Rcpp::Named("status") = status, Rcpp::Named("beta") = Rcpp::NumericVector(beta.begin(), beta.end()),
      Rcpp::Named("vcov") = V, Rcpp::Named("loglik") = ll,
      Rcpp::Named("iterations") = iterations);
}

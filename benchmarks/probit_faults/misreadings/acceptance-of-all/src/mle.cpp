#include "probitr.h"

namespace {

// Cholesky factor of X'DX and score at beta
bool information(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 arma::mat& U, arma::vec& score) {
  const arma::uword n = X.n_rows;
  const arma::vec eta = X * beta;
  arma::vec g(n), root_d(n);
  for (arma::uword i = 0; i < n; ++i) {
    double lambda, d;
    probitr::mills(q(i) * eta(i), lambda, d);
    g(i) = q(i) * lambda;
    root_d(i) = std::sqrt(d);
  }
  score = X.t() * g;
  arma::mat Z = X;
  Z.each_col() %= root_d;
  const arma::mat A = Z.t() * Z;
  return probitr::cholesky(U, A);
}

// Is one of the two candidates a certificate of separation?
bool certificate(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 const arma::vec& step) {
  const arma::vec mb = q % (X * beta);
  if (mb.min() > 0.0) return true;
  const arma::vec mv = q % (X * step);
  return mv.min() >= -1e-7 * arma::abs(mv).max() && mv.max() > 0.0;
}

enum Outcome { GO_ON, CONVERGED, SEPARATED };

Outcome newton_step(const arma::mat& X, const arma::vec& q, arma::vec& beta, double tol) {
  arma::mat U;
  arma::vec score;
  if (!information(X, q, beta, U, score)) return SEPARATED;
  const arma::vec step = probitr::solve_upper(U, probitr::solve_upper_t(U, score));
  if (!step.is_finite()) return SEPARATED;
  beta += step;
  if (!beta.is_finite()) return SEPARATED;
  if (certificate(X, q, beta, step)) return SEPARATED;
  return arma::norm(step, 2) < tol ? CONVERGED : GO_ON;
}

}  // namespace

// status: 0 converged, 1 max_iter reached, 2 separated.
// X has full column rank and at least one row.
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, double max_iter, double tol) {
  const arma::vec q = 2.0 * y - 1.0;
  arma::vec beta(X.n_cols, arma::fill::zeros);
  double iterations = 0.0;
  Outcome outcome = GO_ON;
  while (outcome == GO_ON && iterations < max_iter) {
    outcome = newton_step(X, q, beta, tol);
    iterations += 1.0;
    if (std::fmod(iterations, 200.0) == 0.0) Rcpp::checkUserInterrupt();
  }
  if (outcome == GO_ON) {
    // not converged: look further for a certificate, on a copy
    arma::vec ahead = beta;
    Outcome later = GO_ON;
    for (int s = 0; s < 100 && later == GO_ON; ++s) later = newton_step(X, q, ahead, tol);
    if (later == SEPARATED) outcome = SEPARATED;
  }
  arma::mat U;
  arma::vec score;
  if (outcome != SEPARATED && !information(X, q, beta, U, score)) outcome = SEPARATED;
  if (outcome == SEPARATED) return Rcpp::List::create(Rcpp::Named("status") = 2);

  const arma::mat V = probitr::inverse_from_chol(U);
  return Rcpp::List::create(
      Rcpp::Named("status") = outcome == CONVERGED ? 0 : 1,
      Rcpp::Named("coefficients") = Rcpp::NumericVector(beta.begin(), beta.end()),
      Rcpp::Named("vcov") = V,
      Rcpp::Named("loglik") = probitr::loglik(X * beta, q),
      Rcpp::Named("iterations") = iterations);
}

#include "probitr.h"

namespace probitr {

double loglik(const arma::vec& eta, const arma::vec& q) {
  double s = 0.0;
  for (arma::uword i = 0; i < eta.n_elem; ++i)
    s += R::pnorm(q[i] * eta[i], 0.0, 1.0, 1, 1);
  return s;
}

void mills(double m, double& lambda, double& d) {
  if (m < -50.0) {
    // exp(log phi - log Phi) and lambda + m both cancel: asymptotic series,
    // relative error below 1e-10 here.
    const double r = 1.0 / (m * m);
    lambda = -m * (1.0 + r * (1.0 - r * (2.0 - r * (10.0 - r * 74.0))));
    d = 1.0 - r * (1.0 - r * (6.0 - r * 50.0));
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = lambda * (lambda + m);
  }
  if (!(d > 0.0)) d = 0.0;
  if (d > 1.0) d = 1.0;
}

}  // namespace probitr

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_pnorm(const Rcpp::NumericVector& x, bool logp) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i)
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, logp ? 1 : 0);
  return out;
}

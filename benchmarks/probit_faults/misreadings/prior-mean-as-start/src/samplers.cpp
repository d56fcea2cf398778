#include "probitr.h"

namespace {

arma::mat prior_factor(const arma::mat& Sigma0) {
  arma::mat R0;
  if (!probitr::chol_upper(R0, Sigma0))
    Rcpp::stop("Sigma0 must be positive definite");
  return R0;
}

}  // namespace

// Albert-Chib data augmentation under the prior N(0, Sigma0), started at beta0.
// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, int n_iter,
                    int burn_in, const arma::vec& beta0,
                    const arma::mat& Sigma0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::mat R0 = prior_factor(Sigma0);
  const arma::mat U = probitr::precision_factor(X, &R0);
  arma::mat draws(n_iter - burn_in, k);
  arma::vec beta = beta0, mu(n), ystar(n), b(k), z(k);

  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    if (n > 0) {
      mu = X * beta;
      for (arma::uword i = 0; i < n; ++i) {
        const double u = R::unif_rand();
        ystar[i] = y[i] > 0.5 ? probitr::truncnorm_at(mu[i], 0.0, R_PosInf, u)
                              : probitr::truncnorm_at(mu[i], R_NegInf, 0.0, u);
      }
      b = X.t() * ystar;
      probitr::forwardsolve_upper(U, b.memptr());
    } else {
      b.zeros();
    }
    // P^-1 X'ystar + U^-1 z = U^-1 (U'^-1 X'ystar + z)
    for (arma::uword j = 0; j < k; ++j) z[j] = R::norm_rand();
    beta = b + z;
    probitr::backsolve_upper(U, beta.memptr());
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return draws;
}

// Random-walk Metropolis-Hastings under the prior N(0, Sigma0).
// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, int n_iter,
                  int burn_in, double scale, const arma::mat& Sigma0,
                  const arma::vec& init, bool full_rank) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  const arma::mat R0 = prior_factor(Sigma0);
  const arma::mat U = probitr::precision_factor(X, full_rank ? nullptr : &R0);
  arma::mat draws(n_iter - burn_in, k);
  arma::vec beta = init, prop(k), inc(k), r(k);

  auto log_post = [&](const arma::vec& b) {
    r = b;
    probitr::forwardsolve_upper(R0, r.memptr());
    double lp = -0.5 * arma::dot(r, r);
    if (n > 0) lp += probitr::loglik(X * b, q);
    return lp;
  };

  double lp = log_post(beta);
  int accepted = 0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    for (arma::uword j = 0; j < k; ++j) inc[j] = R::norm_rand();
    probitr::backsolve_upper(U, inc.memptr());
    prop = beta + scale * inc;
    const double lp_prop = log_post(prop);
    if (std::log(R::unif_rand()) < lp_prop - lp) {
      beta = prop;
      lp = lp_prop;
      if (it >= burn_in) ++accepted;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(
      Rcpp::Named("draws") = draws,
      Rcpp::Named("acceptance_rate") =
          static_cast<double>(accepted) / (n_iter - burn_in));
}

#include "probitr.h"

namespace {

inline arma::vec standard_normals(arma::uword k) {
  arma::vec z(k);
  for (arma::uword j = 0; j < k; ++j) z(j) = ::norm_rand();
  return z;
}

arma::mat factor_of_prior(const arma::mat& Sigma0) {
  arma::mat U0;
  if (!probitr::cholesky(U0, Sigma0))
    Rcpp::stop("Sigma0 must be positive definite");
  return U0;
}

}  // namespace

// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, double n_iter, double burn_in,
                    const arma::vec& beta0, const arma::mat& Sigma0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::uword total = static_cast<arma::uword>(n_iter);
  const arma::uword burn = static_cast<arma::uword>(burn_in);

  const arma::mat U0 = factor_of_prior(Sigma0);
  const arma::mat U = probitr::posterior_factor(X, U0);
  const arma::vec prior_part = probitr::solve_upper(U0, probitr::solve_upper_t(U0, beta0));

  arma::mat draws(total - burn, k);
  arma::vec beta(k, arma::fill::zeros), ystar(n);
  for (arma::uword it = 0; it < total; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    arma::vec b = prior_part;
    if (n > 0) {
      const arma::vec eta = X * beta;
      for (arma::uword i = 0; i < n; ++i) {
        const double u = ::unif_rand();
        ystar(i) = y(i) > 0.5 ? probitr::truncnorm(u, eta(i), 0.0, R_PosInf)
                              : probitr::truncnorm(u, eta(i), R_NegInf, 0.0);
      }
      b += X.t() * ystar;
    }
    // mean P^-1 b plus U^-1 z, in one back substitution
    beta = probitr::solve_upper(U, probitr::solve_upper_t(U, b) + standard_normals(k));
    if (it >= burn) draws.row(it - burn) = beta.t();
  }
  return draws;
}

// full_rank: propose with the precision X'X, otherwise with X'X + Sigma0^-1
// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, double n_iter, double burn_in,
                  double scale, const arma::vec& beta0, const arma::mat& Sigma0,
                  const arma::vec& init, bool full_rank) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::uword total = static_cast<arma::uword>(n_iter);
  const arma::uword burn = static_cast<arma::uword>(burn_in);
  const arma::vec q = 2.0 * y - 1.0;

  const arma::mat U0 = factor_of_prior(Sigma0);
  arma::mat C;
  bool have = false;
  if (full_rank && n > 0) {
    const arma::mat A = X.t() * X;
    have = probitr::cholesky(C, A);
  }
  if (!have) C = probitr::posterior_factor(X, U0);

  auto log_posterior = [&](const arma::vec& b) {
    const arma::vec r = probitr::solve_upper_t(U0, b - beta0);
    double lp = -0.5 * arma::dot(r, r);
    if (n > 0) lp += probitr::loglik(X * b, q);
    return lp;
  };

  arma::mat draws(total - burn, k);
  arma::vec beta = init;
  double current = log_posterior(beta);
  double accepted = 0.0;
  for (arma::uword it = 0; it < total; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    const arma::vec proposal = beta + scale * probitr::solve_upper(C, standard_normals(k));
    const double value = log_posterior(proposal);
    const double log_u = std::log(::unif_rand());
    if (log_u < value - current) {  // false for NaN
      beta = proposal;
      current = value;
      accepted += 1.0;
    }
    if (it >= burn) draws.row(it - burn) = beta.t();
  }
  return Rcpp::List::create(Rcpp::Named("draws") = draws,
                            Rcpp::Named("acceptance_rate") = accepted / n_iter);
}

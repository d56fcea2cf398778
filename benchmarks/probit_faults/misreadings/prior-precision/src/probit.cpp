#include "normal.h"

using arma::mat;
using arma::uword;
using arma::vec;

namespace {

// U x = b with U upper triangular, in place.
void back_solve(const mat& U, vec& b) {
  const uword k = U.n_cols;
  for (uword jj = k; jj > 0; --jj) {
    const uword j = jj - 1;
    b[j] /= U(j, j);
    for (uword i = 0; i < j; ++i) b[i] -= U(i, j) * b[j];
  }
}

// U' x = b with U upper triangular, in place.
void forward_solve(const mat& U, vec& b) {
  const uword k = U.n_cols;
  for (uword j = 0; j < k; ++j) {
    double s = b[j];
    for (uword i = 0; i < j; ++i) s -= U(i, j) * b[i];
    b[j] = s / U(j, j);
  }
}

// Inverse of U'U, exactly symmetric.
mat inverse_from_chol(const mat& U) {
  const uword k = U.n_cols;
  mat inv(k, k, arma::fill::zeros);
  for (uword j = 0; j < k; ++j) {
    vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    back_solve(U, e);
    inv.col(j) = e;
  }
  mat out(k, k);
  for (uword j = 0; j < k; ++j) {
    for (uword i = 0; i <= j; ++i) {
      const double s = arma::dot(inv.row(i), inv.row(j));
      out(i, j) = s;
      out(j, i) = s;
    }
  }
  return out;
}

// Upper triangular U with positive diagonal and U'U = A'A, by Householder QR of
// A, so that the cross product, with its squared condition number, is never
// formed. A has at least as many rows as columns.
mat chol_of_crossprod(const mat& A) {
  mat Q, U;
  if (!A.is_finite() || !arma::qr_econ(Q, U, A)) {
    Rcpp::stop("the precision matrix could not be factorised");
  }
  for (uword i = 0; i < U.n_rows; ++i) {
    if (!(std::fabs(U(i, i)) > 0.0)) {
      Rcpp::stop("the precision matrix is numerically singular");
    }
    if (U(i, i) < 0.0) U.row(i) *= -1.0;
  }
  return arma::trimatu(U);
}

// Cholesky factor of X'X + Sigma0 from the stacked matrix (X; chol(Sigma0)).
mat posterior_chol(const mat& X, const mat& Sigma0) {
  mat U0;
  if (!arma::chol(U0, Sigma0)) Rcpp::stop("Sigma0 must be positive definite");
  return chol_of_crossprod(arma::join_cols(X, U0));
}

double log_lik(const mat& X, const vec& q, const vec& beta) {
  const vec m = q % (X * beta);
  double s = 0.0;
  for (uword i = 0; i < m.n_elem; ++i) s += R::pnorm(m[i], 0.0, 1.0, 1, 1);
  return s;
}

// Cholesky factor of X'DX and the score at beta; false if X'DX is not positive
// definite in floating point.
bool newton_parts(const mat& X, const vec& q, const vec& beta, mat& U, vec& score) {
  const uword n = X.n_rows;
  const vec m = q % (X * beta);
  if (!m.is_finite()) return false;
  vec g(n), r(n);
  for (uword i = 0; i < n; ++i) {
    double lambda, d;
    probitr::mills_weight(m[i], lambda, d);
    g[i] = q[i] * lambda;
    r[i] = std::sqrt(d);
  }
  score = X.t() * g;
  mat W = X;
  W.each_col() %= r;
  const mat H = W.t() * W;
  if (!H.is_finite()) return false;
  return arma::chol(U, arma::symmatu(H));
}

enum Step { STEP_OK, STEP_SEPARATED };

// One full Newton step followed by the tests for separation.
Step newton_step(const mat& X, const vec& q, vec& beta, double& norm) {
  mat U;
  vec v;
  if (!newton_parts(X, q, beta, U, v)) return STEP_SEPARATED;
  forward_solve(U, v);
  back_solve(U, v);
  if (!v.is_finite()) return STEP_SEPARATED;
  beta += v;
  if (!beta.is_finite()) return STEP_SEPARATED;
  const vec mb = q % (X * beta);
  if (mb.min() > 0.0) return STEP_SEPARATED;
  const vec mv = q % (X * v);
  if (mv.max() > 0.0 && mv.min() >= -1e-7 * arma::abs(mv).max()) {
    return STEP_SEPARATED;
  }
  norm = arma::norm(v, 2);
  return STEP_OK;
}

}  // namespace

// X has full column rank and at least one row.
// status: 0 converged, 1 max_iter reached, 2 separation.
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_probit_mle(const arma::mat& X, const arma::vec& y, int max_iter,
                          double tol, int extra) {
  const vec q = 2.0 * y - 1.0;
  vec beta(X.n_cols, arma::fill::zeros);
  const Rcpp::List separated = Rcpp::List::create(Rcpp::Named("status") = 2);
  int iterations = 0;
  bool converged = false;
  double norm = 0.0;
  while (iterations < max_iter) {
    if (iterations % 200 == 199) Rcpp::checkUserInterrupt();
    if (newton_step(X, q, beta, norm) == STEP_SEPARATED) return separated;
    ++iterations;
    if (norm < tol) {
      converged = true;
      break;
    }
  }
  if (!converged) {
    vec ahead = beta;
    for (int i = 0; i < extra; ++i) {
      if (newton_step(X, q, ahead, norm) == STEP_SEPARATED) return separated;
      if (norm < tol || norm == 0.0) break;
    }
  }
  mat U;
  vec score;
  if (!newton_parts(X, q, beta, U, score)) return separated;
  return Rcpp::List::create(
      Rcpp::Named("status") = converged ? 0 : 1,
      Rcpp::Named("coefficients") = beta,
      Rcpp::Named("vcov") = inverse_from_chol(U),
      Rcpp::Named("loglik") = log_lik(X, q, beta),
      Rcpp::Named("iterations") = iterations);
}

// Sigma0 is the prior precision matrix.
// [[Rcpp::export]]
arma::mat cpp_probit_gibbs(const arma::mat& X, const arma::vec& y, int n_iter,
                           int burn_in, const arma::vec& beta0,
                           const arma::mat& Sigma0) {
  const uword n = X.n_rows, k = X.n_cols;
  const mat U = posterior_chol(X, Sigma0);
  const vec prior_part = Sigma0 * beta0;
  mat draws(n_iter - burn_in, k);
  vec beta(k, arma::fill::zeros), ystar(n), z(k);
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    const vec mu = X * beta;
    for (uword i = 0; i < n; ++i) {
      const double u = ::unif_rand();
      ystar[i] = y[i] > 0.5
                     ? probitr::truncnorm_quantile(mu[i], 0.0, R_PosInf, u)
                     : probitr::truncnorm_quantile(mu[i], R_NegInf, 0.0, u);
    }
    for (uword j = 0; j < k; ++j) z[j] = ::norm_rand();
    // P^-1 b + U^-1 z = U^-1 (U'^-1 b + z)
    beta = prior_part;
    if (n > 0) beta += X.t() * ystar;
    forward_solve(U, beta);
    beta += z;
    back_solve(U, beta);
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return draws;
}

// Sigma0 is the prior precision matrix; full_rank says whether X'X is regular.
// [[Rcpp::export]]
Rcpp::List cpp_probit_mh(const arma::mat& X, const arma::vec& y, int n_iter,
                         int burn_in, double scale, const arma::vec& beta0,
                         const arma::mat& Sigma0, const arma::vec& init,
                         bool full_rank) {
  const uword k = X.n_cols;
  const vec q = 2.0 * y - 1.0;
  const mat U = full_rank ? chol_of_crossprod(X) : posterior_chol(X, Sigma0);
  auto log_post = [&](const vec& b) {
    const vec e = b - beta0;
    return log_lik(X, q, b) - 0.5 * arma::dot(e, Sigma0 * e);
  };
  mat draws(n_iter - burn_in, k);
  vec beta = init, z(k);
  double current = log_post(beta);
  int accepted = 0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    for (uword j = 0; j < k; ++j) z[j] = ::norm_rand();
    back_solve(U, z);
    const vec proposal = beta + scale * z;
    const double candidate = log_post(proposal);
    if (std::log(::unif_rand()) < candidate - current) {
      beta = proposal;
      current = candidate;
      if (it >= burn_in) ++accepted;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(Rcpp::Named("draws") = draws,
                            Rcpp::Named("accepted") = accepted);
}

#include "probitr.h"

namespace probitr {

bool cholesky(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  if (!arma::chol(U, A)) return false;
  for (arma::uword j = 0; j < U.n_cols; ++j) {
    const double r = U(j, j);
    if (!(std::isfinite(r) && r > 0.0)) return false;
  }
  return true;
}

arma::vec solve_upper(const arma::mat& U, const arma::vec& b) {
  arma::vec x = b;
  for (arma::uword j = U.n_cols; j-- > 0;) {
    x(j) /= U(j, j);
    const double xj = x(j);
    for (arma::uword i = 0; i < j; ++i) x(i) -= U(i, j) * xj;
  }
  return x;
}

arma::vec solve_upper_t(const arma::mat& U, const arma::vec& b) {
  arma::vec x = b;
  for (arma::uword j = 0; j < U.n_cols; ++j) {
    double s = x(j);
    for (arma::uword i = 0; i < j; ++i) s -= U(i, j) * x(i);
    x(j) = s / U(j, j);
  }
  return x;
}

arma::mat inverse_from_chol(const arma::mat& U) {
  const arma::uword k = U.n_cols;
  arma::mat W(k, k);
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e(j) = 1.0;
    W.col(j) = solve_upper(U, e);
  }
  // (U'U)^-1 = W W' with W = U^-1 upper triangular
  arma::mat V(k, k);
  for (arma::uword j = 0; j < k; ++j)
    for (arma::uword i = 0; i <= j; ++i) {
      double s = 0.0;
      for (arma::uword l = j; l < k; ++l) s += W(i, l) * W(j, l);
      V(i, j) = s;
      V(j, i) = s;
    }
  return V;
}

arma::mat posterior_factor(const arma::mat& X, const arma::mat& U0) {
  const arma::uword k = U0.n_cols;
  arma::mat P = inverse_from_chol(U0);
  if (X.n_rows > 0) P += X.t() * X;
  arma::mat U;
  if (cholesky(U, P)) return U;
  // The prior precision was lost beside a singular X'X: the triangular factor
  // of the stacked matrix (X; U0'^-1) has the same cross product, and is found
  // without forming it.
  arma::mat S(X.n_rows + k, k, arma::fill::zeros);
  if (X.n_rows > 0) S.head_rows(X.n_rows) = X;
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e(j) = 1.0;
    S(arma::span(X.n_rows, X.n_rows + k - 1), arma::span(j, j)) = solve_upper_t(U0, e);
  }
  arma::mat Q, R;
  if (!S.is_finite() || !arma::qr_econ(Q, R, S) || !R.is_finite())
    Rcpp::stop("the posterior precision matrix is not finite");
  for (arma::uword j = 0; j < k; ++j)
    if (R(j, j) == 0.0) Rcpp::stop("the posterior precision matrix is numerically singular");
  return R;
}

double loglik(const arma::vec& eta, const arma::vec& q) {
  long double s = 0.0L;
  for (arma::uword i = 0; i < eta.n_elem; ++i)
    s += R::pnorm(q(i) * eta(i), 0.0, 1.0, 1, 1);
  return static_cast<double>(s);
}

}  // namespace probitr

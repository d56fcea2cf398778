#include "probitr.h"

namespace probitr {

bool chol_upper(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  // Plain Cholesky on the upper triangle: invariant under scaling of columns.
  const arma::uword k = A.n_rows;
  U.zeros(k, k);
  for (arma::uword j = 0; j < k; ++j) {
    for (arma::uword i = 0; i < j; ++i) {
      double s = A(i, j);
      for (arma::uword l = 0; l < i; ++l) s -= U(l, i) * U(l, j);
      U(i, j) = s / U(i, i);
    }
    double s = A(j, j);
    for (arma::uword l = 0; l < j; ++l) s -= U(l, j) * U(l, j);
    if (!(s > 0.0) || !std::isfinite(s)) return false;
    U(j, j) = std::sqrt(s);
  }
  return true;
}

void backsolve_upper(const arma::mat& U, double* x) {
  const arma::uword k = U.n_rows;
  for (arma::uword j = k; j-- > 0;) {
    x[j] /= U(j, j);
    for (arma::uword i = 0; i < j; ++i) x[i] -= U(i, j) * x[j];
  }
}

void forwardsolve_upper(const arma::mat& U, double* x) {
  const arma::uword k = U.n_rows;
  for (arma::uword j = 0; j < k; ++j) {
    double s = x[j];
    for (arma::uword i = 0; i < j; ++i) s -= U(i, j) * x[i];
    x[j] = s / U(j, j);
  }
}

arma::mat inverse_upper(const arma::mat& U) {
  const arma::uword k = U.n_rows;
  arma::mat V(k, k, arma::fill::eye);
  for (arma::uword j = 0; j < k; ++j) backsolve_upper(U, V.colptr(j));
  return V;
}

bool qr_upper(arma::mat& U, const arma::mat& A) {
  arma::mat Q;
  if (!arma::qr_econ(Q, U, A)) return false;
  if (U.n_rows != U.n_cols) return false;
  for (arma::uword i = 0; i < U.n_rows; ++i) {
    if (!(std::fabs(U(i, i)) > 0.0) || !std::isfinite(U(i, i))) return false;
    if (U(i, i) < 0.0) U.row(i) *= -1.0;
  }
  return true;
}

arma::mat precision_factor(const arma::mat& X, const arma::mat* R0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  arma::mat P(k, k, arma::fill::zeros), V, U;
  if (n > 0) P += X.t() * X;
  if (R0 != nullptr) {
    V = inverse_upper(*R0);
    P += V * V.t();
  }
  if (chol_upper(U, P)) return U;
  // Rounding made the cross product indefinite: take the same factor from the
  // QR decomposition of the stacked square roots, which does not square X.
  arma::mat A = X;
  if (R0 != nullptr) A = arma::join_cols(X, V.t());
  if (!qr_upper(U, A))
    Rcpp::stop("the precision matrix is singular in floating point");
  return U;
}

}  // namespace probitr

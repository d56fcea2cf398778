#ifndef PROBITR_H
#define PROBITR_H

#include <RcppArmadillo.h>

namespace probitr {

// ---- truncnorm.cpp ----
// One draw from N(mu, 1) restricted to [lo, hi] by inversion at u in (0, 1).
double truncnorm_at(double mu, double lo, double hi, double u);

// ---- linalg.cpp ----
// Upper Cholesky factor A = U'U; false if A is not positive definite in
// floating point (or not finite).
bool chol_upper(arma::mat& U, const arma::mat& A);
// x <- U^-1 x and x <- U'^-1 x for upper triangular U.
void backsolve_upper(const arma::mat& U, double* x);
void forwardsolve_upper(const arma::mat& U, double* x);
// U^-1 for upper triangular U.
arma::mat inverse_upper(const arma::mat& U);
// Triangular factor with positive diagonal of A'A by QR of A.
bool qr_upper(arma::mat& U, const arma::mat& A);
// Upper factor of X'X (+ Sigma0^-1 if R0 is given, Sigma0 = R0'R0).
arma::mat precision_factor(const arma::mat& X, const arma::mat* R0);

// ---- likelihood.cpp ----
double loglik(const arma::vec& eta, const arma::vec& q);
// Inverse Mills ratio phi(m) / Phi(m) and the weight lambda (lambda + m).
void mills(double m, double& lambda, double& d);

}  // namespace probitr

#endif

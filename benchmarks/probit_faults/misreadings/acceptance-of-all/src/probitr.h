#ifndef PROBITR_H
#define PROBITR_H

// Failed factorisations are reported by return values, never on the console.
#ifndef ARMA_WARN_LEVEL
#define ARMA_WARN_LEVEL 0
#endif
#include <RcppArmadillo.h>

namespace probitr {

// ---- normal distribution (normal.cpp)
double log_Phi(double x);
double Phi(double x);
// inverse Mills ratio lambda = phi(m) / Phi(m) and weight d = lambda (lambda + m)
void mills(double m, double& lambda, double& d);
// one draw of N(mu, 1) restricted to [lo, hi]: formula (8) at the uniform number u
double truncnorm(double u, double mu, double lo, double hi);

// ---- small dense linear algebra (linalg.cpp)
// A = U'U; false if A is not finite or not positive definite
bool cholesky(arma::mat& U, const arma::mat& A);
// U x = b
arma::vec solve_upper(const arma::mat& U, const arma::vec& b);
// U' x = b
arma::vec solve_upper_t(const arma::mat& U, const arma::vec& b);
// (U'U)^-1, exactly symmetric
arma::mat inverse_from_chol(const arma::mat& U);
// X'X + Sigma0^-1 = U'U, where Sigma0 = U0'U0
arma::mat posterior_factor(const arma::mat& X, const arma::mat& U0);

// sum of log Phi(q_i eta_i)
double loglik(const arma::vec& eta, const arma::vec& q);

}  // namespace probitr

#endif

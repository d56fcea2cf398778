// Probit estimators: maximum likelihood, Gibbs, random-walk Metropolis-Hastings.
#define ARMA_WARN_LEVEL 0
#include <RcppArmadillo.h>
#include <cmath>
#include <limits>

// ---------------------------------------------------------------------------
// shared numerics
// ---------------------------------------------------------------------------

static inline double log_Phi(double x) { return R::pnorm(x, 0.0, 1.0, 1, 1); }

// Inverse Mills ratio lambda = phi(m) / Phi(m) and weight d = lambda (lambda + m).
// Below -30 the sum lambda + m cancels; there the asymptotic series of the
// Mills ratio, (1 - w) / t with t = -m, gives both without a subtraction.
static inline void mills(double m, double& lambda, double& d) {
  if (m < -30.0) {
    const double t = -m, r = 1.0 / (t * t);
    // t^2 w = 1 - 3 r + 15 r^2 - 105 r^3 + 945 r^4
    const double t2w = 1.0 - r * (3.0 - r * (15.0 - r * (105.0 - r * 945.0)));
    const double c = 1.0 - r * t2w;
    lambda = t / c;
    d = t2w / (c * c);
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - log_Phi(m));
    d = lambda > 0.0 ? lambda * (lambda + m) : 0.0;
  }
  if (d < 0.0) d = 0.0;
  if (d > 1.0) d = 1.0;
}

// Solve U x = b (upper triangular), in place.
static inline void back_solve(const arma::mat& U, arma::vec& b) {
  for (arma::uword j = U.n_cols; j-- > 0;) {
    b[j] /= U(j, j);
    const double bj = b[j];
    for (arma::uword i = 0; i < j; ++i) b[i] -= U(i, j) * bj;
  }
}

// Solve U' x = b (U upper triangular), in place.
static inline void forward_solve_t(const arma::mat& U, arma::vec& b) {
  for (arma::uword j = 0; j < U.n_cols; ++j) {
    double s = b[j];
    for (arma::uword i = 0; i < j; ++i) s -= U(i, j) * b[i];
    b[j] = s / U(j, j);
  }
}

// Inverse of an upper triangular matrix, column by column.
static arma::mat inv_upper(const arma::mat& U) {
  const arma::uword k = U.n_cols;
  arma::mat R(k, k, arma::fill::eye);
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e = R.col(j);
    back_solve(U, e);
    R.col(j) = e;
  }
  return R;
}

// Cholesky factor (upper) of a symmetric matrix; false when it is not positive
// definite in floating point.
static bool chol_upper(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  if (!arma::chol(U, A)) return false;
  return U.is_finite() && U.diag().min() > 0.0;
}

// Upper factor U with U'U = B'B: by Cholesky, and by QR of B where B'B has lost
// its positive definiteness to rounding.
static arma::mat gram_factor(const arma::mat& A, const arma::mat& B) {
  arma::mat U;
  if (chol_upper(U, A)) return U;
  arma::mat Q;
  if (!B.is_finite() || !arma::qr_econ(Q, U, B))
    Rcpp::stop("the precision matrix cannot be factorised");
  for (arma::uword i = 0; i < U.n_rows; ++i) {
    if (U(i, i) < 0.0) U.row(i) *= -1.0;
    if (!(U(i, i) > 0.0)) Rcpp::stop("the precision matrix cannot be factorised");
  }
  return U;
}

// X'X with zeros when there are no rows.
static arma::mat cross(const arma::mat& X) {
  if (X.n_rows == 0) return arma::mat(X.n_cols, X.n_cols, arma::fill::zeros);
  return X.t() * X;
}

// ---------------------------------------------------------------------------
// truncated normal, formula (8), for one given uniform number
// ---------------------------------------------------------------------------

static inline double log_sum_exp(double a, double b) {
  const double hi = a > b ? a : b, lo = a > b ? b : a;
  if (hi == R_NegInf) return R_NegInf;
  return hi + std::log1p(std::exp(lo - hi));
}

// Lower tail quantile at log probability lp, refined by Newton steps on
// log Phi where qnorm loses accuracy.
static double q_log(double lp) {
  double z = R::qnorm(lp, 0.0, 1.0, 1, 1);
  if (lp < -600.0) {
    if (!std::isfinite(z) || z >= 0.0) z = -std::sqrt(-2.0 * lp);
    double lambda, d;
    for (int i = 0; i < 6; ++i) {
      mills(z, lambda, d);
      const double step = (log_Phi(z) - lp) / lambda;
      if (!std::isfinite(step)) break;
      z -= step;
      if (std::fabs(step) <= 1e-15 * std::fabs(z)) break;
    }
  }
  return z;
}

static double tn_quantile(double mu, double lo, double hi, double u) {
  const double a = lo - mu, b = hi - mu;
  const bool upper = (a + b) > 0.0;      // -Inf + Inf is NaN: lower tail
  const double la = R::pnorm(a, 0.0, 1.0, upper ? 0 : 1, 1);
  const double lb = R::pnorm(b, 0.0, 1.0, upper ? 0 : 1, 1);
  const double lp = log_sum_exp(std::log1p(-u) + la, std::log(u) + lb);
  double x;
  if (lp == R_NegInf) {
    x = upper ? lo : hi;                 // the limit nearest to the mean
  } else {
    const double z = q_log(lp);
    x = mu + (upper ? -z : z);
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!std::isfinite(x)) x = std::isfinite(lo) ? lo : (std::isfinite(hi) ? hi : mu);
  return x;
}

// ---------------------------------------------------------------------------
// exported to R
// ---------------------------------------------------------------------------

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_Phi(const Rcpp::NumericVector& x, bool log_p) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i)
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, log_p ? 1 : 0);
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericVector cpp_rtruncnorm(const Rcpp::NumericVector& mu,
                                   const Rcpp::NumericVector& lo,
                                   const Rcpp::NumericVector& hi, double n_out) {
  const R_xlen_t n = static_cast<R_xlen_t>(n_out);
  const bool one_mu = mu.size() == 1, one_lo = lo.size() == 1, one_hi = hi.size() == 1;
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    if ((i & 0xFFFF) == 0xFFFF) Rcpp::checkUserInterrupt();
    out[i] = tn_quantile(mu[one_mu ? 0 : i], lo[one_lo ? 0 : i],
                         hi[one_hi ? 0 : i], unif_rand());
  }
  return out;
}

// Cholesky factor of X'DX and the score at beta.
static bool information(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                        arma::mat& U, arma::vec& score) {
  const arma::vec m = q % (X * beta);
  arma::vec ql(m.n_elem), rd(m.n_elem);
  for (arma::uword i = 0; i < m.n_elem; ++i) {
    double lambda, d;
    mills(m[i], lambda, d);
    ql[i] = q[i] * lambda;
    rd[i] = std::sqrt(d);
  }
  score = X.t() * ql;
  const arma::mat W = X.each_col() % rd;
  return chol_upper(U, W.t() * W);
}

enum { CONVERGED = 0, GOING_ON = 1, SEPARATED = 2 };

// One Newton step with the tests of separation and convergence, in this order.
static int newton_step(const arma::mat& X, const arma::vec& q, double tol, arma::vec& beta) {
  arma::mat U;
  arma::vec step;
  if (!information(X, q, beta, U, step)) return SEPARATED;
  forward_solve_t(U, step);
  back_solve(U, step);
  if (!step.is_finite()) return SEPARATED;
  beta += step;
  const arma::vec mb = q % (X * beta);
  if (mb.min() > 0.0) return SEPARATED;
  const arma::vec mv = q % (X * step);
  if (mv.max() > 0.0 && mv.min() >= -1e-7 * arma::abs(mv).max()) return SEPARATED;
  return arma::norm(step, 2) < tol ? CONVERGED : GOING_ON;
}

static double log_lik(const arma::mat& X, const arma::vec& q, const arma::vec& beta) {
  const arma::vec m = q % (X * beta);
  double l = 0.0;
  for (arma::uword i = 0; i < m.n_elem; ++i) l += log_Phi(m[i]);
  return l;
}

// status: 0 converged, 1 max_iter reached, 2 separated. X has full column rank.
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, int max_iter, double tol) {
  const arma::vec q = 2.0 * y - 1.0;
  arma::vec beta(X.n_cols, arma::fill::zeros);
  int status = GOING_ON, iter = 0;
  while (status == GOING_ON && iter < max_iter) {
    if (iter % 200 == 199) Rcpp::checkUserInterrupt();
    ++iter;
    status = newton_step(X, q, tol, beta);
  }
  if (status == GOING_ON) {              // look for a certificate on a copy
    arma::vec copy = beta;
    int more = GOING_ON;
    for (int i = 0; i < 100 && more == GOING_ON; ++i) more = newton_step(X, q, tol, copy);
    if (more == SEPARATED) status = SEPARATED;
  }
  arma::mat U;
  arma::vec score;
  if (status != SEPARATED && !information(X, q, beta, U, score)) status = SEPARATED;
  if (status == SEPARATED) return Rcpp::List::create(Rcpp::Named("status") = status);

  const arma::mat R = inv_upper(U);
  const arma::mat V = R * R.t();
  return Rcpp::List::create(
    Rcpp::Named("status") = status,
    Rcpp::Named("coefficients") = Rcpp::NumericVector(beta.begin(), beta.end()),
    Rcpp::Named("vcov") = arma::mat(arma::symmatu(V)),
    Rcpp::Named("loglik") = log_lik(X, q, beta),
    Rcpp::Named("iterations") = iter);
}

// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, int n_iter, int burn_in,
                    const arma::vec& beta0, const arma::mat& Sigma0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  arma::mat U0;
  if (!chol_upper(U0, Sigma0)) Rcpp::stop("Sigma0 must be positive definite");
  const arma::mat R0 = inv_upper(U0);    // Sigma0^-1 = R0 R0'
  const arma::mat U = gram_factor(R0 * R0.t() + cross(X), arma::join_cols(R0.t(), X));
  arma::vec prior = beta0;               // Sigma0^-1 beta0
  forward_solve_t(U0, prior);
  back_solve(U0, prior);

  arma::vec beta(k, arma::fill::zeros), ystar(n), z(k);
  arma::mat draws(n_iter - burn_in, k);
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    arma::vec rhs = prior;
    if (n > 0) {
      const arma::vec mu = X * beta;
      for (arma::uword i = 0; i < n; ++i)
        ystar[i] = y[i] > 0.5 ? tn_quantile(mu[i], 0.0, R_PosInf, unif_rand())
                              : tn_quantile(mu[i], R_NegInf, 0.0, unif_rand());
      rhs += X.t() * ystar;
    }
    for (arma::uword j = 0; j < k; ++j) z[j] = norm_rand();
    // P^-1 rhs + U^-1 z = U^-1 (U'^-1 rhs + z)
    forward_solve_t(U, rhs);
    rhs += z;
    back_solve(U, rhs);
    beta = rhs;
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return draws;
}

static double log_posterior(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                            const arma::vec& beta0, const arma::mat& U0) {
  arma::vec e = beta - beta0;
  forward_solve_t(U0, e);
  const double l = X.n_rows > 0 ? log_lik(X, q, beta) : 0.0;
  return l - 0.5 * arma::dot(e, e);
}

// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, int n_iter, int burn_in,
                  double scale, const arma::vec& beta0, const arma::mat& Sigma0,
                  const arma::vec& init, bool full_rank) {
  const arma::uword k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  arma::mat U0;
  if (!chol_upper(U0, Sigma0)) Rcpp::stop("Sigma0 must be positive definite");
  arma::mat U;
  if (full_rank) {
    U = gram_factor(cross(X), X);
  } else {
    const arma::mat R0 = inv_upper(U0);
    U = gram_factor(R0 * R0.t() + cross(X), arma::join_cols(R0.t(), X));
  }
  const double root = std::sqrt(scale);

  arma::vec beta = init, step(k);
  double current = log_posterior(X, q, beta, beta0, U0);
  arma::mat draws(n_iter - burn_in, k);
  int accepted = 0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    for (arma::uword j = 0; j < k; ++j) step[j] = norm_rand();
    back_solve(U, step);
    const arma::vec proposal = beta + root * step;
    const double proposed = log_posterior(X, q, proposal, beta0, U0);
    const double log_u = std::log(unif_rand());
    if (log_u < proposed - current) {
      beta = proposal;
      current = proposed;
      if (it >= burn_in) ++accepted;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(
    Rcpp::Named("draws") = draws,
    Rcpp::Named("acceptance_rate") = static_cast<double>(accepted) / (n_iter - burn_in));
}

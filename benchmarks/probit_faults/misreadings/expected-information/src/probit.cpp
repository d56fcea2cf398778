// Probit model: maximum likelihood, Gibbs sampling, Metropolis-Hastings.
#include <RcppArmadillo.h>
#include <cmath>
#include <limits>

// [[Rcpp::depends(RcppArmadillo)]]

namespace {

const double kFar = 30.0;       // beyond this the asymptotic Mills series is used
const int kInterrupt = 200;     // iterations between checks for an interrupt

inline double log_Phi(double x) { return R::pnorm(x, 0.0, 1.0, 1, 1); }
inline double log_phi(double x) { return -0.5 * x * x - M_LN_SQRT_2PI; }

// For t >= 30 the Mills ratio is (1 - Phi(t)) / phi(t) = (1 - v g) / t with
// v = 1 / t^2 and g = 1 - 3 v + 15 v^2 - ...; returns g (error below 1e-16).
inline double mills_g(double v) {
  return 1.0 + v * (-3.0 + v * (15.0 + v * (-105.0 + v * (945.0 +
         v * (-10395.0 + v * (135135.0 - v * 2027025.0))))));
}

// log(t * Mills ratio of t), t >= 30
inline double log_mills_rest(double t) {
  const double v = (1.0 / t) * (1.0 / t);
  return std::log1p(-v * mills_g(v));
}

// lambda = phi(m) / Phi(m) and d = lambda (lambda + m), d within [0, 1]
inline void mills(double m, double& lambda, double& d) {
  if (m < -kFar) {
    const double v = (1.0 / m) * (1.0 / m);
    const double g = mills_g(v);
    const double s = 1.0 - v * g;
    lambda = -m / s;
    d = g / (s * s);             // no cancellation of lambda + m
  } else {
    lambda = std::exp(log_phi(m) - log_Phi(m));
    d = lambda * (lambda + m);
  }
  if (d < 0.0) d = 0.0;
  if (d > 1.0) d = 1.0;
}

// U upper triangular: solve U x = b (back substitution)
arma::vec back_solve(const arma::mat& U, arma::vec b) {
  for (arma::uword i = U.n_cols; i-- > 0;) {
    b[i] /= U(i, i);
    for (arma::uword r = 0; r < i; ++r) b[r] -= U(r, i) * b[i];
  }
  return b;
}

// U upper triangular: solve U' x = b (forward substitution)
arma::vec forward_solve(const arma::mat& U, arma::vec b) {
  for (arma::uword i = 0; i < U.n_cols; ++i) {
    double s = b[i];
    for (arma::uword r = 0; r < i; ++r) s -= U(r, i) * b[r];
    b[i] = s / U(i, i);
  }
  return b;
}

bool cholesky(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  if (!arma::chol(U, A)) return false;
  return U.is_finite() && U.diag().min() > 0.0;
}

// (U'U)^-1, exactly symmetric
arma::mat inverse_from_chol(const arma::mat& U) {
  const arma::uword k = U.n_cols;
  arma::mat V(k, k);
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    V.col(j) = back_solve(U, e);
  }
  return arma::symmatu(V * V.t());
}

double log_lik(const arma::mat& X, const arma::vec& q, const arma::vec& beta) {
  const arma::vec eta = X * beta;
  double s = 0.0;
  for (arma::uword i = 0; i < eta.n_elem; ++i) s += log_Phi(q[i] * eta[i]);
  return s;
}

// One Newton step at beta; false if X'DX is not positive definite or the step
// is not finite.
bool newton_step(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 arma::vec& step) {
  const arma::uword n = X.n_rows;
  const arma::vec eta = X * beta;
  arma::vec g(n), root(n);
  for (arma::uword i = 0; i < n; ++i) {
    double lambda, d;
    mills(q[i] * eta[i], lambda, d);
    g[i] = q[i] * lambda;
    root[i] = std::sqrt(d);
  }
  arma::mat Z = X;
  Z.each_col() %= root;
  const arma::mat H = Z.t() * Z;
  arma::mat U;
  if (!cholesky(U, arma::symmatu(H))) return false;
  step = back_solve(U, forward_solve(U, X.t() * g));
  return step.is_finite();
}

// Certificates of separation: the new iterate or the step
bool certificate(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 const arma::vec& step) {
  const arma::vec mb = q % (X * beta);
  if (mb.min() > 0.0) return true;
  const arma::vec mv = q % (X * step);
  return mv.max() > 0.0 && mv.min() >= -1e-7 * arma::abs(mv).max();
}

enum Status { CONVERGED = 0, NOT_CONVERGED = 1, SEPARATED = 2 };

// Newton-Raphson from zero. X has full column rank and at least one row.
Status newton(const arma::mat& X, const arma::vec& q, int max_iter, double tol,
              arma::vec& beta, int& iterations) {
  beta.zeros(X.n_cols);
  iterations = 0;
  arma::vec step;
  for (int it = 1; it <= max_iter; ++it) {
    if (it % kInterrupt == 0) Rcpp::checkUserInterrupt();
    if (!newton_step(X, q, beta, step)) return SEPARATED;
    beta += step;
    iterations = it;
    if (certificate(X, q, beta, step)) return SEPARATED;
    if (arma::norm(step, 2) < tol) return CONVERGED;
  }
  arma::vec copy = beta;         // look for the certificate only
  for (int it = 0; it < 100; ++it) {
    if (!newton_step(X, q, copy, step)) return SEPARATED;
    copy += step;
    if (certificate(X, q, copy, step)) return SEPARATED;
    if (!arma::any(step)) break;  // exactly at the maximum
  }
  return NOT_CONVERGED;
}

// Distance from the near limit of a draw from the standard normal beyond
// a >= 30, cut off at a + w. Solves, by Newton steps on the log tail
// probability relative to that at a,
//   log S(a + d) - log S(a) = log[near + far S(a + w) / S(a)],
// near and far being the weights (adding to one) of the two limits.
double far_distance(double a, double w, double near, double far) {
  const double sa = log_mills_rest(a);
  double delta = R_NegInf;       // log S(a + w) - log S(a)
  if (R_FINITE(w) && R_FINITE(a + w))
    delta = -w * (a + 0.5 * w) - std::log1p(w / a) + (log_mills_rest(a + w) - sa);
  const double c = far * std::expm1(delta);
  const double target = c > -0.5 ? -std::log1p(c)
                                 : -std::log(near + far * std::exp(delta));
  double d = 2.0 * target / (a + std::hypot(a, std::sqrt(2.0 * target)));
  for (int j = 0; j < 4; ++j) {
    const double t = a + d;
    const double v = (1.0 / t) * (1.0 / t);
    const double s = 1.0 - v * mills_g(v);
    const double h = d * (a + 0.5 * d) + std::log1p(d / a) -
                     (std::log(s) - sa) - target;
    const double change = h * s / t;
    d -= change;
    if (!(std::fabs(change) > 1e-15 * std::fabs(d))) break;
  }
  return d;
}

// log[(1 - u) exp(la) + u exp(lb)]
inline double log_mix(double u, double la, double lb) {
  const double a = std::log1p(-u) + la, b = std::log(u) + lb;
  const double hi = std::max(a, b), lo = std::min(a, b);
  if (hi == R_NegInf) return R_NegInf;
  return hi + std::log1p(std::exp(lo - hi));
}

// Formula (8) at u: N(mu, 1) restricted to (lo, hi)
double trunc_norm(double mu, double lo, double hi, double u) {
  const double alpha = lo - mu, beta = hi - mu;
  const bool upper = alpha + beta > 0.0;   // (-Inf, Inf) is NaN: lower tail
  double x;
  if (alpha == R_PosInf) {                 // overflow: all mass at lo
    x = lo;
  } else if (beta == R_NegInf) {
    x = hi;
  } else if (upper && alpha >= kFar) {
    x = lo + far_distance(alpha, hi - lo, 1.0 - u, u);
  } else if (!upper && beta <= -kFar) {
    // mirrored: the near limit is hi and the draw increases with u
    x = hi - far_distance(-beta, hi - lo, u, 1.0 - u);
  } else if (upper) {
    const double ls = log_mix(u, R::pnorm(alpha, 0.0, 1.0, 0, 1),
                              R::pnorm(beta, 0.0, 1.0, 0, 1));
    x = mu + R::qnorm(std::min(ls, 0.0), 0.0, 1.0, 0, 1);
  } else {
    const double lf = log_mix(u, R::pnorm(alpha, 0.0, 1.0, 1, 1),
                              R::pnorm(beta, 0.0, 1.0, 1, 1));
    x = mu + R::qnorm(std::min(lf, 0.0), 0.0, 1.0, 1, 1);
  }
  if (ISNAN(x) || !R_FINITE(x)) {
    if (R_FINITE(lo) && (upper || !R_FINITE(hi))) return lo;
    if (R_FINITE(hi)) return hi;
    return mu;
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  return x;
}

}  // namespace

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
                                   const Rcpp::NumericVector& hi) {
  const R_xlen_t n = mu.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i)
    out[i] = trunc_norm(mu[i], lo[i], hi[i], R::unif_rand());
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, int max_iter,
                   double tol) {
  const arma::vec q = 2.0 * y - 1.0;
  const arma::uword n = X.n_rows, k = X.n_cols;
  arma::vec beta;
  int iterations = 0;
  const Status status = newton(X, q, max_iter, tol, beta, iterations);
  if (status == SEPARATED)
    return Rcpp::List::create(Rcpp::Named("status") = static_cast<int>(status));

  // Fisher information X'WX at the estimate, weights in log space
  const arma::vec eta = X * beta;
  arma::mat Z = X;
  arma::vec root(n);
  for (arma::uword i = 0; i < n; ++i)
    root[i] = std::exp(log_phi(eta[i]) -
                       0.5 * (log_Phi(eta[i]) + log_Phi(-eta[i])));
  Z.each_col() %= root;
  const arma::mat info = Z.t() * Z;
  arma::mat U, V(k, k);
  if (cholesky(U, arma::symmatu(info))) V = inverse_from_chol(U);
  else V.fill(NA_REAL);

  return Rcpp::List::create(
      Rcpp::Named("status") = static_cast<int>(status),
      Rcpp::Named("beta") = Rcpp::NumericVector(beta.begin(), beta.end()),
      Rcpp::Named("vcov") = V,
      Rcpp::Named("loglik") = log_lik(X, q, beta),
      Rcpp::Named("iterations") = iterations);
}

// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, int n_iter,
                    int burn_in, const arma::vec& beta0,
                    const arma::mat& Sigma0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  arma::mat U0, U;
  if (!cholesky(U0, Sigma0))
    Rcpp::stop("Sigma0 is not positive definite");
  const arma::vec b0 = back_solve(U0, forward_solve(U0, beta0));
  arma::mat P = inverse_from_chol(U0);
  if (n > 0) P += X.t() * X;
  if (!cholesky(U, arma::symmatu(P)))
    Rcpp::stop("the posterior precision is not positive definite in floating point");

  arma::mat draws(n_iter - burn_in, k);
  arma::vec beta(k, arma::fill::zeros), ystar(n), z(k);
  for (int it = 0; it < n_iter; ++it) {
    if (it % kInterrupt == 0) Rcpp::checkUserInterrupt();
    arma::vec rhs = b0;
    if (n > 0) {
      const arma::vec eta = X * beta;
      for (arma::uword i = 0; i < n; ++i)
        ystar[i] = y[i] > 0.5
                       ? trunc_norm(eta[i], 0.0, R_PosInf, R::unif_rand())
                       : trunc_norm(eta[i], R_NegInf, 0.0, R::unif_rand());
      rhs += X.t() * ystar;
    }
    for (arma::uword j = 0; j < k; ++j) z[j] = R::norm_rand();
    beta = back_solve(U, forward_solve(U, rhs) + z);
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return draws;
}

// full_rank: X has full column rank; use_init: start at init. Otherwise start
// at the maximum likelihood estimate or, without one, at beta0.
// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, int n_iter,
                  int burn_in, double scale, const arma::vec& beta0,
                  const arma::mat& Sigma0, const arma::vec& init, bool use_init,
                  bool full_rank) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  arma::mat U0, U;
  if (!cholesky(U0, Sigma0))
    Rcpp::stop("Sigma0 is not positive definite");

  arma::mat C(k, k, arma::fill::zeros);
  if (n > 0) C = X.t() * X;
  if (!full_rank || !cholesky(U, arma::symmatu(C))) {
    C += inverse_from_chol(U0);
    if (!cholesky(U, arma::symmatu(C)))
      Rcpp::stop("the proposal precision is not positive definite in floating point");
  }

  arma::vec beta = init;
  bool fallback = false;
  if (!use_init) {
    int iterations = 0;
    const bool ok = full_rank &&
                    newton(X, q, 100, 1e-8, beta, iterations) == CONVERGED &&
                    beta.is_finite();
    if (!ok) {
      beta = beta0;
      fallback = true;
    }
  }

  auto log_post = [&](const arma::vec& b) {
    const arma::vec r = forward_solve(U0, b - beta0);
    return log_lik(X, q, b) - 0.5 * arma::dot(r, r);
  };

  arma::mat draws(n_iter - burn_in, k);
  arma::vec z(k);
  double current = log_post(beta);
  double accepted = 0.0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % kInterrupt == 0) Rcpp::checkUserInterrupt();
    for (arma::uword j = 0; j < k; ++j) z[j] = R::norm_rand();
    const arma::vec proposal = beta + scale * back_solve(U, z);
    const double candidate = log_post(proposal);
    // a NaN (both minus infinity) compares false: the proposal is rejected
    if (std::log(R::unif_rand()) < candidate - current) {
      beta = proposal;
      current = candidate;
      if (it >= burn_in) accepted += 1.0;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(
      Rcpp::Named("draws") = draws,
      Rcpp::Named("acceptance_rate") = accepted / (n_iter - burn_in),
      Rcpp::Named("fallback") = fallback);
}

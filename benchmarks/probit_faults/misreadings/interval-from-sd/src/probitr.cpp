// Probit estimators: Newton-Raphson, Albert-Chib Gibbs sampling and
// random-walk Metropolis-Hastings. Input has been checked by the R wrappers.

#include <RcppArmadillo.h>
#include <cmath>

using arma::mat;
using arma::uword;
using arma::vec;

// ---------------------------------------------------------------------------
// Scalars
// ---------------------------------------------------------------------------

// lambda(t) - t for the hazard lambda(t) = phi(t) / (1 - Phi(t)) at t >= 30,
// by the continued fraction 1 / (t + 2 / (t + 3 / (t + ...))). No cancellation.
static inline double hazard_excess(const double t) {
  double r = t;
  for (int j = 20; j >= 2; --j) r = t + j / r;
  return 1.0 / r;
}

// Inverse Mills ratio lambda = phi(m) / Phi(m) and d = lambda (lambda + m).
static inline void mills(const double m, double& lambda, double& d) {
  if (m < -30.0) {
    const double e = hazard_excess(-m);
    lambda = e - m;
    d = lambda * e;
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = lambda * (lambda + m);
  }
  if (d < 0.0) d = 0.0;
  if (d > 1.0) d = 1.0;
}

// log(exp(a) + exp(b))
static inline double log_sum_exp(const double a, const double b) {
  const double hi = a > b ? a : b;
  const double lo = a > b ? b : a;
  if (hi == R_NegInf) return R_NegInf;
  return hi + std::log1p(std::exp(lo - hi));
}

// log S(a + delta) - log S(a) for the upper tail S of the normal, a >= 30
static inline double log_tail_ratio(const double a, const double delta,
                                    const double excess_a) {
  if (!std::isfinite(delta) || !std::isfinite(a)) return R_NegInf;
  const double excess_b = hazard_excess(a + delta);
  const double rel = (delta + (excess_b - excess_a)) / (a + excess_a);
  return -delta * (a + 0.5 * delta) - std::log1p(rel);
}

// Normal with mean mu and variance one, truncated to [lo, hi], at the uniform
// number u. The tail that holds the smaller probability is taken as an upper
// tail (the lower one by reflection): with a the end nearer to the mean, b the
// other one, and weights wa + wb = 1,
//   log S(z) = log[ wa S(a) + wb S(b) ].
static double truncnorm_at(const double mu, const double lo, const double hi,
                           const double u) {
  const double alpha = lo - mu;
  const double beta = hi - mu;
  const bool upper = (alpha + beta) > 0.0;       // NaN for -Inf, Inf: lower tail
  const double a = upper ? alpha : -beta;
  const double b = upper ? beta : -alpha;
  const double wb = upper ? u : 1.0 - u;
  const double log_wa = upper ? std::log1p(-u) : std::log(u);
  const double log_wb = upper ? std::log(u) : std::log1p(-u);
  const double near_end = upper ? lo : hi;
  const double width = hi - lo;
  double x;

  if (a > 30.0) {
    // Deep tail: solve for the distance delta from the nearer end, so that
    // neither log S(a) (of order a^2) nor z + mu loses the digits of delta.
    const double excess_a = hazard_excess(a);
    const double D = log_tail_ratio(a, width, excess_a);
    const double c = (wb < 0.5 || D > -0.7)
      ? std::log1p(wb * std::expm1(D))
      : log_sum_exp(log_wa, log_wb + D);
    double delta;
    if (a > 1e100) {
      delta = -c / a;
    } else {
      delta = -2.0 * c / (a + std::sqrt(a * a - 2.0 * c));
      for (int it = 0; it < 4; ++it) {
        const double g = log_tail_ratio(a, delta, excess_a) - c;
        delta += g / (a + delta + hazard_excess(a + delta));
        if (delta < 0.0) delta = 0.0;
      }
    }
    if (delta > width) delta = width;
    x = upper ? near_end + delta : near_end - delta;
  } else if (width < 1e-6) {
    // Narrow interval: the log density is linear up to terms of order width^2.
    const double aw = a * width;
    const double delta = std::fabs(aw) < 1e-12
      ? wb * width
      : -std::log1p(wb * std::expm1(-aw)) / a;
    x = upper ? near_end + delta : near_end - delta;
  } else {
    const double log_S = log_sum_exp(log_wa + R::pnorm(a, 0.0, 1.0, 0, 1),
                                     log_wb + R::pnorm(b, 0.0, 1.0, 0, 1));
    double z = R::qnorm(log_S, 0.0, 1.0, 0, 1);
    if (log_S < -600.0 && std::isfinite(z)) {
      // not reached with a <= 30; kept as a guard against other thresholds
      for (int it = 0; it < 2; ++it) {
        const double ls = R::pnorm(z, 0.0, 1.0, 0, 1);
        z += (ls - log_S) / std::exp(R::dnorm(z, 0.0, 1.0, 1) - ls);
      }
    }
    x = upper ? mu + z : mu - z;
  }

  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!std::isfinite(x)) x = std::isfinite(lo) ? lo : (std::isfinite(hi) ? hi : mu);
  return x;
}

// ---------------------------------------------------------------------------
// Triangular systems (own substitutions: exact, without approximate fallback)
// ---------------------------------------------------------------------------

// U x = b, in place
static inline void back_solve(const mat& U, vec& b) {
  for (uword j = U.n_cols; j-- > 0;) {
    b[j] /= U(j, j);
    const double bj = b[j];
    const double* col = U.colptr(j);
    for (uword i = 0; i < j; ++i) b[i] -= col[i] * bj;
  }
}

// U' x = b, in place
static inline void forward_solve(const mat& U, vec& b) {
  for (uword j = 0; j < U.n_cols; ++j) {
    const double* col = U.colptr(j);
    double s = b[j];
    for (uword i = 0; i < j; ++i) s -= col[i] * b[i];
    b[j] = s / col[j];
  }
}

static mat upper_inverse(const mat& U) {
  const uword k = U.n_cols;
  mat V(k, k, arma::fill::zeros);
  for (uword j = 0; j < k; ++j) {
    vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    back_solve(U, e);
    V.col(j) = e;
  }
  return V;
}

// Cholesky factor U of M'M, from the QR decomposition of M (M'M is not formed)
static mat crossprod_chol(const mat& M) {
  mat Q, R;
  if (!M.is_finite() || !arma::qr_econ(Q, R, M))
    Rcpp::stop("the QR decomposition failed");
  for (uword i = 0; i < R.n_rows; ++i)
    if (R(i, i) < 0.0) R.row(i) *= -1.0;
  for (uword i = 0; i < R.n_rows; ++i)
    if (!(R(i, i) > 0.0) || !std::isfinite(R(i, i)))
      Rcpp::stop("the precision matrix is not positive definite in floating point");
  return R;
}

// Rows of the prior and of the data, whose cross product is Sigma0^-1 + X'X.
// With Sigma0 = U0'U0, Sigma0^-1 = W W' with W = U0^-1, so the rows are W'.
static mat stacked(const mat& X, const mat& U0) {
  return arma::join_cols(mat(upper_inverse(U0).t()), X);
}

// ---------------------------------------------------------------------------
// Likelihood
// ---------------------------------------------------------------------------

static double log_likelihood(const mat& X, const vec& q, const vec& beta) {
  if (X.n_rows == 0) return 0.0;
  const vec eta = X * beta;
  double s = 0.0;
  for (uword i = 0; i < eta.n_elem; ++i) s += R::pnorm(q[i] * eta[i], 0.0, 1.0, 1, 1);
  return s;
}

// Cholesky factor of X'DX and score at beta; false if not positive definite
static bool curvature(const mat& X, const vec& q, const vec& beta, mat& U,
                      vec& score) {
  const vec eta = X * beta;
  vec root(eta.n_elem), ql(eta.n_elem);
  for (uword i = 0; i < eta.n_elem; ++i) {
    double lambda, d;
    mills(q[i] * eta[i], lambda, d);
    root[i] = std::sqrt(d);
    ql[i] = q[i] * lambda;
  }
  score = X.t() * ql;
  mat Z = X;
  Z.each_col() %= root;
  const mat A = Z.t() * Z;
  if (!A.is_finite()) return false;
  return arma::chol(U, A);
}

// One full Newton step; false if it cannot be taken
static bool newton_step(const mat& X, const vec& q, const vec& beta, vec& step) {
  mat U;
  if (!curvature(X, q, beta, U, step)) return false;
  forward_solve(U, step);
  back_solve(U, step);
  return step.is_finite();
}

// Certificate of separation by the new iterate or by the step
static bool certificate(const mat& X, const vec& q, const vec& beta, const vec& step) {
  const vec mb = q % (X * beta);
  if (mb.min() > 0.0) return true;
  const vec mv = q % (X * step);
  return mv.max() > 0.0 && mv.min() >= -1e-7 * arma::abs(mv).max();
}

// ---------------------------------------------------------------------------
// Exported to the wrappers
// ---------------------------------------------------------------------------

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_log_Phi(const Rcpp::NumericVector x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i)
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, 1);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_Phi(const Rcpp::NumericVector x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    // below -37.5 pnorm is cut to zero before the numbers end
    out[i] = ISNAN(x[i]) ? NA_REAL
      : (x[i] < -37.5 ? std::exp(R::pnorm(x[i], 0.0, 1.0, 1, 1))
                      : R::pnorm(x[i], 0.0, 1.0, 1, 0));
  }
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericVector cpp_rtruncnorm(const Rcpp::NumericVector mu,
                                   const Rcpp::NumericVector lo,
                                   const Rcpp::NumericVector hi) {
  const R_xlen_t n = mu.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    const double u = R::unif_rand();
    out[i] = truncnorm_at(mu[i], lo[i], hi[i], u);
  }
  return out;
}

// status: 0 converged, 1 max_iter reached, 2 separation
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, const int max_iter,
                   const double tol) {
  const uword k = X.n_cols;
  const vec q = 2.0 * y - 1.0;
  vec beta(k, arma::fill::zeros), step;
  int iterations = 0, status = 1;

  while (iterations < max_iter) {
    if (iterations % 200 == 199) Rcpp::checkUserInterrupt();
    if (!newton_step(X, q, beta, step)) { status = 2; break; }
    beta += step;
    ++iterations;
    if (certificate(X, q, beta, step)) { status = 2; break; }
    if (arma::norm(step, 2) < tol) { status = 0; break; }
  }

  if (status == 1) {            // look on for separation, on a copy
    vec b = beta;
    for (int it = 0; it < 100; ++it) {
      if (!newton_step(X, q, b, step)) { status = 2; break; }
      b += step;
      if (certificate(X, q, b, step)) { status = 2; break; }
      if (arma::norm(step, 2) == 0.0) break;
    }
  }

  mat U, vcov(k, k, arma::fill::zeros);
  vec score;
  double loglik = NA_REAL;
  if (status != 2) {
    if (curvature(X, q, beta, U, score)) {
      const mat V = upper_inverse(U);
      vcov = V * V.t();
      vcov = arma::symmatu(vcov);
      loglik = log_likelihood(X, q, beta);
    } else {
      status = 2;
    }
  }
  return Rcpp::List::create(
    Rcpp::Named("coefficients") = Rcpp::NumericVector(beta.begin(), beta.end()),
    Rcpp::Named("vcov") = vcov,
    Rcpp::Named("loglik") = loglik,
    Rcpp::Named("iterations") = iterations,
    Rcpp::Named("status") = status);
}

// U0 is the Cholesky factor of Sigma0
// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, const int n_iter,
                    const int burn_in, const arma::vec& beta0,
                    const arma::mat& U0) {
  const uword n = X.n_rows, k = X.n_cols;
  const mat U = crossprod_chol(stacked(X, U0));
  vec prior = beta0;                               // Sigma0^-1 beta0
  forward_solve(U0, prior);
  back_solve(U0, prior);

  mat draws(n_iter - burn_in, k);
  vec beta(k, arma::fill::zeros), ystar(n), eta(n), rhs(k);
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    rhs = prior;
    if (n > 0) {
      eta = X * beta;
      for (uword i = 0; i < n; ++i) {
        const double u = R::unif_rand();
        ystar[i] = y[i] > 0.5 ? truncnorm_at(eta[i], 0.0, R_PosInf, u)
                              : truncnorm_at(eta[i], R_NegInf, 0.0, u);
      }
      rhs += X.t() * ystar;
    }
    forward_solve(U, rhs);
    for (uword j = 0; j < k; ++j) rhs[j] += R::norm_rand();
    back_solve(U, rhs);
    beta = rhs;
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return draws;
}

// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, const int n_iter,
                  const int burn_in, const double scale, const arma::vec& beta0,
                  const arma::mat& U0, const arma::vec& init,
                  const bool full_rank) {
  const uword k = X.n_cols;
  const vec q = 2.0 * y - 1.0;
  const mat U = crossprod_chol(full_rank ? X : stacked(X, U0));

  auto log_posterior = [&](const vec& b) {
    vec r = b - beta0;
    forward_solve(U0, r);
    return log_likelihood(X, q, b) - 0.5 * arma::dot(r, r);
  };

  mat draws(n_iter - burn_in, k);
  vec beta = init, z(k), proposal(k);
  double current = log_posterior(beta);
  int accepted = 0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 200 == 199) Rcpp::checkUserInterrupt();
    for (uword j = 0; j < k; ++j) z[j] = R::norm_rand();
    back_solve(U, z);
    proposal = beta + scale * z;
    const double candidate = log_posterior(proposal);
    if (std::log(R::unif_rand()) < candidate - current) {
      beta = proposal;
      current = candidate;
      if (it >= burn_in) ++accepted;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(
    Rcpp::Named("beta_draws") = draws,
    Rcpp::Named("acceptance_rate") =
      static_cast<double>(accepted) / static_cast<double>(n_iter - burn_in));
}

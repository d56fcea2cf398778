// Probit estimators: Newton-Raphson, Albert-Chib Gibbs sampling and random-walk
// Metropolis-Hastings. The R wrappers have checked every argument.
#define ARMA_WARN_LEVEL 0
#include <RcppArmadillo.h>
#include <cmath>

namespace {

// ---- normal distribution ----------------------------------------------------

// Hazard of the normal law in the upper tail is t + tail_excess(t), where
// tail_excess(t) = 1/(t + 2/(t + 3/(t + ...))). Laplace's continued fraction;
// 40 terms are exact to rounding for t >= 10. Nothing cancels.
inline double tail_excess(double t) {
  double f = t;
  for (int j = 40; j >= 2; --j) f = t + j / f;
  return 1.0 / f;
}

// inverse Mills ratio lambda = phi(m)/Phi(m) and d = lambda (lambda + m)
inline void mills(double m, double& lambda, double& d) {
  if (m < -10.0) {
    const double e = tail_excess(-m);
    lambda = -m + e;
    d = lambda * e;
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = lambda * (lambda + m);
  }
  if (!(d > 0.0)) d = 0.0;
  if (d > 1.0) d = 1.0;
}

inline double log_sum_exp(double a, double b) {
  const double m = a > b ? a : b;
  if (m == R_NegInf) return R_NegInf;
  return m + std::log1p(std::exp((a > b ? b : a) - m));
}

// log S(a + w) - log S(a) for a >= 10, w >= 0, without cancellation
inline double log_tail_ratio(double a, double w) {
  if (!R_FINITE(w)) return R_NegInf;
  const double ca = tail_excess(a);
  return -w * (a + 0.5 * w) - std::log1p((w + tail_excess(a + w) - ca) / (a + ca));
}

// Distance w >= 0 from the near end a > 0 of an interval [a, a + delta] far in
// the upper tail to the point where S = (1 - u) S(a) + u S(a + delta), or, when the
// interval is a mirrored one, S = u S(a) + (1 - u) S(a + delta).
inline double tail_distance(double a, double delta, double u, bool near_is_lo) {
  const double lr = log_tail_ratio(a, delta);
  double lp;
  if (lr == R_NegInf) lp = near_is_lo ? std::log1p(-u) : std::log(u);
  else lp = std::log1p((near_is_lo ? u : 1.0 - u) * std::expm1(lr));
  double w = -2.0 * lp / (a * (1.0 + std::sqrt(1.0 - 2.0 * lp / a / a)));
  for (int it = 0; it < 4; ++it) {
    const double g = log_tail_ratio(a, w) - lp;
    const double b = a + w;
    const double step = g / (b + tail_excess(b));
    if (!R_FINITE(step)) break;
    w += step;
    if (w < 0.0) w = 0.0;
    if (std::fabs(step) <= 1e-15 * w) break;
  }
  return w;
}

const double TAIL = 20.0;

// Formula (8): truncated N(mu, 1) on [lo, hi] at the uniform number u.
double truncated_normal(double mu, double lo, double hi, double u) {
  const double alpha = lo - mu, beta = hi - mu;
  double x;
  if (alpha >= TAIL) {
    x = R_FINITE(alpha) ? lo + tail_distance(alpha, hi - lo, u, true) : lo;
  } else if (beta <= -TAIL) {
    // mirrored: the near end is hi, it carries the weight u
    x = R_FINITE(beta) ? hi - tail_distance(-beta, hi - lo, u, false) : hi;
  } else if (alpha + beta > 0.0) {
    const double ls = log_sum_exp(std::log1p(-u) + R::pnorm(alpha, 0.0, 1.0, 0, 1),
                                  std::log(u) + R::pnorm(beta, 0.0, 1.0, 0, 1));
    x = mu + R::qnorm(ls > 0.0 ? 0.0 : ls, 0.0, 1.0, 0, 1);
  } else {
    const double lf = log_sum_exp(std::log1p(-u) + R::pnorm(alpha, 0.0, 1.0, 1, 1),
                                  std::log(u) + R::pnorm(beta, 0.0, 1.0, 1, 1));
    x = mu + R::qnorm(lf > 0.0 ? 0.0 : lf, 0.0, 1.0, 1, 1);
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!R_FINITE(x)) x = R_FINITE(lo) ? lo : (R_FINITE(hi) ? hi : mu);
  return x;
}

// ---- linear algebra ---------------------------------------------------------

// solve U x = b, U upper triangular
arma::vec back_solve(const arma::mat& U, arma::vec b) {
  for (arma::uword jj = U.n_cols; jj-- > 0;) {
    b[jj] /= U(jj, jj);
    const double bj = b[jj];
    for (arma::uword i = 0; i < jj; ++i) b[i] -= U(i, jj) * bj;
  }
  return b;
}

// solve U' x = b, U upper triangular
arma::vec forward_solve(const arma::mat& U, arma::vec b) {
  for (arma::uword j = 0; j < U.n_cols; ++j) {
    double s = b[j];
    for (arma::uword i = 0; i < j; ++i) s -= U(i, j) * b[i];
    b[j] = s / U(j, j);
  }
  return b;
}

// (U'U)^-1, symmetric by construction
arma::mat inverse_from_chol(const arma::mat& U) {
  const arma::uword k = U.n_cols;
  arma::mat W(k, k);
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    W.col(j) = back_solve(U, e);
  }
  return arma::symmatu(W * W.t());
}

bool cholesky(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  if (!arma::chol(U, arma::symmatu(A))) return false;
  return U.is_finite() && U.diag().min() > 0.0;
}

// upper factor of A'A from the QR decomposition of A, positive diagonal
arma::mat factor_by_qr(const arma::mat& A) {
  arma::mat Q, R;
  if (!arma::qr_econ(Q, R, A)) Rcpp::stop("the precision matrix could not be factorised");
  for (arma::uword j = 0; j < R.n_rows; ++j) if (R(j, j) < 0.0) R.row(j) *= -1.0;
  if (!R.is_finite() || R.n_rows != R.n_cols || !(R.diag().min() > 0.0))
    Rcpp::stop("the precision matrix is singular in floating point");
  return R;
}

// Cholesky factor of X'X + Sigma0^-1, with Sigma0 = V'V
arma::mat posterior_factor(const arma::mat& X, const arma::mat& V) {
  const arma::uword k = X.n_cols;
  arma::mat U;
  if (cholesky(U, X.t() * X + inverse_from_chol(V))) return U;
  arma::mat W(k, k);  // V^-T, whose crossproduct is Sigma0^-1
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    W.col(j) = forward_solve(V, e);
  }
  return factor_by_qr(arma::join_cols(X, W));
}

// ---- likelihood -------------------------------------------------------------

double log_lik(const arma::mat& X, const arma::vec& q, const arma::vec& beta) {
  const arma::vec eta = X * beta;
  double l = 0.0;
  for (arma::uword i = 0; i < eta.n_elem; ++i) l += R::pnorm(q[i] * eta[i], 0.0, 1.0, 1, 1);
  return l;
}

// residual q lambda and Cholesky factor of X'DX at beta; false if not p.d.
bool weights_at(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                arma::vec& r, arma::mat& U) {
  const arma::vec eta = X * beta;
  arma::vec w(eta.n_elem);
  r.set_size(eta.n_elem);
  for (arma::uword i = 0; i < eta.n_elem; ++i) {
    double lambda, d;
    mills(q[i] * eta[i], lambda, d);
    r[i] = q[i] * lambda;
    w[i] = std::sqrt(d);
  }
  arma::mat Xw = X;
  Xw.each_col() %= w;
  return cholesky(U, Xw.t() * Xw);
}

enum Step { STEP_OK, STEP_SEPARATED };

// one full Newton step with the search for a certificate of separation
Step newton_step(const arma::mat& X, const arma::vec& q, arma::vec& beta, double& norm) {
  arma::vec r;
  arma::mat U;
  if (!weights_at(X, q, beta, r, U)) return STEP_SEPARATED;
  const arma::vec v = back_solve(U, forward_solve(U, X.t() * r));
  if (!v.is_finite()) return STEP_SEPARATED;
  beta += v;
  if (!beta.is_finite()) return STEP_SEPARATED;
  norm = arma::norm(v, 2);
  if (arma::vec(q % (X * beta)).min() > 0.0) return STEP_SEPARATED;
  const arma::vec xv = X * v;
  const arma::vec qxv = q % xv;
  if (qxv.max() > 0.0 && qxv.min() >= -1e-7 * arma::abs(xv).max()) return STEP_SEPARATED;
  return STEP_OK;
}

void draw_normal(arma::vec& z) {
  for (arma::uword j = 0; j < z.n_elem; ++j) z[j] = ::norm_rand();
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector log_Phi_cpp(Rcpp::NumericVector x, bool log_p) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i)
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, log_p);
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericVector rtruncnorm_cpp(Rcpp::NumericVector mu, Rcpp::NumericVector lo,
                                   Rcpp::NumericVector hi) {
  const R_xlen_t n = mu.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    if (i % 100000 == 99999) Rcpp::checkUserInterrupt();
    out[i] = truncated_normal(mu[i], lo[i], hi[i], ::unif_rand());
  }
  return out;
}

// status: 0 converged, 1 not converged, 2 separated
// [[Rcpp::export(rng = false)]]
Rcpp::List probit_mle_cpp(const arma::mat& X, const arma::vec& y, int max_iter, double tol,
                          int extra) {
  const arma::vec q = 2.0 * y - 1.0;
  arma::vec beta(X.n_cols, arma::fill::zeros);
  const Rcpp::List separated = Rcpp::List::create(Rcpp::Named("status") = 2);
  bool converged = false;
  int iter = 0;
  double norm = R_PosInf;
  while (iter < max_iter && !converged) {
    if (iter % 200 == 199) Rcpp::checkUserInterrupt();
    if (newton_step(X, q, beta, norm) == STEP_SEPARATED) return separated;
    ++iter;
    converged = norm < tol;
  }
  if (!converged) {
    arma::vec copy = beta;
    for (int j = 0; j < extra; ++j) {
      if (newton_step(X, q, copy, norm) == STEP_SEPARATED) return separated;
      if (norm == 0.0) break;
    }
  }
  arma::vec r;
  arma::mat U;
  if (!weights_at(X, q, beta, r, U)) return separated;
  return Rcpp::List::create(
    Rcpp::Named("status") = converged ? 0 : 1,
    Rcpp::Named("coefficients") = Rcpp::NumericVector(beta.begin(), beta.end()),
    Rcpp::Named("vcov") = inverse_from_chol(U),
    Rcpp::Named("loglik") = log_lik(X, q, beta),
    Rcpp::Named("iterations") = iter);
}

// [[Rcpp::export]]
Rcpp::NumericMatrix probit_gibbs_cpp(const arma::mat& X, const arma::vec& y, int n_iter,
                                     double burn_in, const arma::vec& beta0,
                                     const arma::mat& Sigma0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  arma::mat V;
  if (!cholesky(V, Sigma0)) Rcpp::stop("Sigma0 must be positive definite");
  const arma::mat U = posterior_factor(X, V);
  const arma::vec prior = back_solve(V, forward_solve(V, beta0));
  arma::vec beta(k, arma::fill::zeros), ystar(n), z(k), rhs(k);
  Rcpp::NumericMatrix draws(n_iter, k);
  const double total = burn_in + n_iter;
  for (double t = 0; t < total; t += 1.0) {
    if (std::fmod(t, 200.0) == 199.0) Rcpp::checkUserInterrupt();
    rhs = prior;
    if (n > 0) {
      const arma::vec eta = X * beta;
      for (arma::uword i = 0; i < n; ++i) {
        const double u = ::unif_rand();
        ystar[i] = y[i] > 0.5 ? truncated_normal(eta[i], 0.0, R_PosInf, u)
                              : truncated_normal(eta[i], R_NegInf, 0.0, u);
      }
      rhs += X.t() * ystar;
    }
    draw_normal(z);
    // P^-1 rhs + U^-1 z
    beta = back_solve(U, forward_solve(U, rhs) + z);
    if (t >= burn_in) {
      const R_xlen_t row = static_cast<R_xlen_t>(t - burn_in);
      for (arma::uword j = 0; j < k; ++j) draws(row, j) = beta[j];
    }
  }
  return draws;
}

// [[Rcpp::export]]
Rcpp::List probit_mh_cpp(const arma::mat& X, const arma::vec& y, int n_iter, double burn_in,
                         double scale, const arma::vec& beta0, const arma::mat& Sigma0,
                         const arma::vec& init, bool full_rank) {
  const arma::uword k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  arma::mat V, U;
  if (!cholesky(V, Sigma0)) Rcpp::stop("Sigma0 must be positive definite");
  if (!full_rank) U = posterior_factor(X, V);
  else if (!cholesky(U, X.t() * X)) U = factor_by_qr(X);

  auto log_post = [&](const arma::vec& b) {
    const arma::vec e = forward_solve(V, b - beta0);
    return (X.n_rows > 0 ? log_lik(X, q, b) : 0.0) - 0.5 * arma::dot(e, e);
  };

  arma::vec beta = init, proposal(k), z(k);
  double current = log_post(beta), accepted = 0.0;
  Rcpp::NumericMatrix draws(n_iter, k);
  const double total = burn_in + n_iter;
  for (double t = 0; t < total; t += 1.0) {
    if (std::fmod(t, 200.0) == 199.0) Rcpp::checkUserInterrupt();
    draw_normal(z);
    proposal = beta + scale * back_solve(U, z);
    const double candidate = log_post(proposal);
    if (std::log(::unif_rand()) < candidate - current) {
      beta = proposal;
      current = candidate;
      if (t >= burn_in) accepted += 1.0;
    }
    if (t >= burn_in) {
      const R_xlen_t row = static_cast<R_xlen_t>(t - burn_in);
      for (arma::uword j = 0; j < k; ++j) draws(row, j) = beta[j];
    }
  }
  return Rcpp::List::create(Rcpp::Named("draws") = draws,
                            Rcpp::Named("acceptance_rate") = accepted / n_iter);
}

// Probit estimators: Newton-Raphson, Gibbs sampling with latent variables,
// random-walk Metropolis-Hastings. Input is checked by the R wrappers.
#define ARMA_WARN_LEVEL 0
#include <RcppArmadillo.h>
#include <cmath>

// [[Rcpp::depends(RcppArmadillo)]]

namespace {

// From this distance on the tail is treated by its asymptotic series.
const double kFar = 30.0;

// 1 - R(t) for t >= kFar, where S(t) = phi(t) / t * R(t),
// R(t) = 1 - 1/t^2 + 3/t^4 - 15/t^6 + ...; at t = 30 the first term left out
// is below 1e-18.
double one_minus_R(double t) {
  if (!(t < 1e150)) return 0.0;
  const double s = 1.0 / (t * t);
  double term = 1.0, sum = 0.0;
  for (int j = 1; j <= 8; ++j) {
    term *= -(2.0 * j - 1.0) * s;
    sum -= term;
  }
  return sum;
}

// log S(a + e) - log S(a) for a >= kFar, e >= 0, without cancellation.
double log_tail_diff(double a, double e) {
  if (e == 0.0) return 0.0;
  if (!std::isfinite(e)) return R_NegInf;
  return -e * (a + 0.5 * e) - std::log1p(e / a)
    + std::log1p(-one_minus_R(a + e)) - std::log1p(-one_minus_R(a));
}

// Excess e over the near limit a >= kFar of an interval of the given width:
// S(a + e) = wc * S(a) + w * S(a + width), with w + wc = 1.
double far_excess(double a, double width, double w, double wc) {
  if (!std::isfinite(a)) return 0.0;
  const double D = log_tail_diff(a, width);
  const double v = w * std::expm1(D);
  const double L = (v > -0.5) ? std::log1p(v) : std::log(wc + w * std::exp(D));
  double e = -2.0 * L / (a + std::sqrt(a * a - 2.0 * L));
  for (int it = 0; it < 3; ++it) {
    const double t = a + e;
    const double lambda = t / (1.0 - one_minus_R(t));
    const double step = (log_tail_diff(a, e) - L) / lambda;
    if (!std::isfinite(step)) break;
    e += step;
    if (e < 0.0) e = 0.0;
  }
  return e;
}

// log(exp(a) + exp(b))
double log_add(double a, double b) {
  const double m = (a > b) ? a : b;
  if (!std::isfinite(m)) return m;
  const double d = (a > b) ? b - a : a - b;
  return m + std::log1p(std::exp(d));
}

// Formula (8): normal with mean mu and unit variance on [lo, hi] at uniform u.
double truncnorm(double mu, double lo, double hi, double u) {
  const double alpha = lo - mu, beta = hi - mu;
  const bool upper = alpha + beta > 0.0;   // NaN for the whole line: lower
  double x;
  if (upper && alpha >= kFar) {
    x = lo + far_excess(alpha, hi - lo, u, 1.0 - u);
  } else if (!upper && beta <= -kFar) {
    x = hi - far_excess(-beta, hi - lo, 1.0 - u, u);
  } else if (upper) {
    const double lS = log_add(std::log1p(-u) + R::pnorm(alpha, 0.0, 1.0, 0, 1),
                              std::log(u) + R::pnorm(beta, 0.0, 1.0, 0, 1));
    x = mu + R::qnorm(lS < 0.0 ? lS : 0.0, 0.0, 1.0, 0, 1);
  } else {
    const double lF = log_add(std::log1p(-u) + R::pnorm(alpha, 0.0, 1.0, 1, 1),
                              std::log(u) + R::pnorm(beta, 0.0, 1.0, 1, 1));
    x = mu + R::qnorm(lF < 0.0 ? lF : 0.0, 0.0, 1.0, 1, 1);
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!std::isfinite(x)) {
    if (std::isfinite(lo) && (upper || !std::isfinite(hi))) x = lo;
    else if (std::isfinite(hi)) x = hi;
    else x = mu;
  }
  return x;
}

// Solve U x = b, U upper triangular.
arma::vec solve_upper(const arma::mat& U, const arma::vec& b) {
  const int k = static_cast<int>(U.n_rows);
  arma::vec x(b);
  for (int j = k - 1; j >= 0; --j) {
    x[j] /= U(j, j);
    for (int i = 0; i < j; ++i) x[i] -= U(i, j) * x[j];
  }
  return x;
}

// Solve U' x = b, U upper triangular.
arma::vec solve_upper_t(const arma::mat& U, const arma::vec& b) {
  const int k = static_cast<int>(U.n_rows);
  arma::vec x(b);
  for (int j = 0; j < k; ++j) {
    for (int i = 0; i < j; ++i) x[j] -= U(i, j) * x[i];
    x[j] /= U(j, j);
  }
  return x;
}

arma::mat inverse_upper(const arma::mat& U) {
  const arma::uword k = U.n_rows;
  arma::mat B(k, k);
  for (arma::uword j = 0; j < k; ++j) {
    arma::vec e(k, arma::fill::zeros);
    e[j] = 1.0;
    B.col(j) = solve_upper(U, e);
  }
  return B;
}

bool cholesky(arma::mat& U, const arma::mat& A) {
  if (!A.is_finite()) return false;
  if (!arma::chol(U, A)) return false;
  return U.is_finite() && U.diag().min() > 0.0;
}

// Upper triangular U with U'U = X'X + A'A; A'A is the prior precision. The
// orthogonal factorisation serves when the cross product has lost the prior.
arma::mat precision_factor(const arma::mat& X, const arma::mat& A) {
  arma::mat U;
  arma::mat P = A.t() * A;
  if (X.n_rows > 0) P += X.t() * X;
  P = 0.5 * (P + P.t());
  if (cholesky(U, P)) return U;
  arma::mat Q, R;
  if (!arma::qr_econ(Q, R, arma::mat(arma::join_cols(X, A))))
    Rcpp::stop("the precision matrix cannot be factorised");
  for (arma::uword j = 0; j < R.n_rows; ++j)
    if (R(j, j) < 0.0) R.row(j) *= -1.0;
  return R;
}

// Inverse Mills ratio lambda and weight d = lambda (lambda + m) at margin m.
void mills(double m, double& lambda, double& d) {
  if (m < -kFar) {
    const double t = -m, c = one_minus_R(t), r = 1.0 - c;
    lambda = t / r;
    d = (t < 1e7) ? t * t * c / (r * r) : 1.0;
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = (lambda == 0.0) ? 0.0 : lambda * (lambda + m);
  }
  if (d < 0.0) d = 0.0;
  if (d > 1.0) d = 1.0;
}

double log_likelihood(const arma::vec& m) {
  double l = 0.0;
  for (arma::uword i = 0; i < m.n_elem; ++i)
    l += R::pnorm(m[i], 0.0, 1.0, 1, 1);
  return l;
}

// Cholesky factor of X'DX at beta and, if asked for, X'(q lambda).
bool information(const arma::mat& X, const arma::vec& q, const arma::vec& beta,
                 arma::mat& U, arma::vec& score) {
  const arma::vec m = q % (X * beta);
  arma::vec g(m.n_elem), w(m.n_elem);
  for (arma::uword i = 0; i < m.n_elem; ++i) {
    double lambda, d;
    mills(m[i], lambda, d);
    g[i] = q[i] * lambda;
    w[i] = std::sqrt(d);
  }
  score = X.t() * g;
  arma::mat Xw = X;
  Xw.each_col() %= w;
  arma::mat A = Xw.t() * Xw;
  A = 0.5 * (A + A.t());
  return cholesky(U, A);
}

enum Status { kStep = 0, kConverged = 1, kSeparated = 2 };

// One full Newton step, then the tests of separation and convergence.
Status newton_step(const arma::mat& X, const arma::vec& q, arma::vec& beta,
                   double tol) {
  arma::mat U;
  arma::vec score;
  if (!information(X, q, beta, U, score)) return kSeparated;
  const arma::vec v = solve_upper(U, solve_upper_t(U, score));
  if (!v.is_finite()) return kSeparated;
  beta += v;
  if (!beta.is_finite()) return kSeparated;
  const arma::vec mb = q % (X * beta);
  if (mb.min() > 0.0) return kSeparated;
  const arma::vec mv = q % (X * v);
  if (mv.max() > 0.0 && mv.min() >= -1e-7 * arma::abs(mv).max())
    return kSeparated;
  return arma::norm(v, 2) < tol ? kConverged : kStep;
}

} // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_log_Phi(const Rcpp::NumericVector& x, bool log_p) {
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
    out[i] = truncnorm(mu[i], lo[i], hi[i], ::unif_rand());
  return out;
}

// status: 1 converged, 0 not converged, 2 separated
// [[Rcpp::export(rng = false)]]
Rcpp::List cpp_mle(const arma::mat& X, const arma::vec& y, int max_iter,
                   double tol) {
  const arma::vec q = 2.0 * y - 1.0;
  arma::vec beta(X.n_cols, arma::fill::zeros);
  Status status = kStep;
  int iterations = 0;
  while (iterations < max_iter && status == kStep) {
    if (iterations % 256 == 255) Rcpp::checkUserInterrupt();
    status = newton_step(X, q, beta, tol);
    ++iterations;
  }
  if (status == kStep) {
    arma::vec copy(beta);
    Status further = kStep;
    for (int i = 0; i < 100 && further == kStep; ++i)
      further = newton_step(X, q, copy, tol);
    if (further == kSeparated) status = kSeparated;
  }
  arma::mat U;
  arma::vec score;
  if (status != kSeparated && !information(X, q, beta, U, score))
    status = kSeparated;
  if (status == kSeparated)
    return Rcpp::List::create(Rcpp::Named("status") = 2);
  const arma::mat B = inverse_upper(U);
  arma::mat V = B * B.t();
  V = 0.5 * (V + V.t());
  const arma::vec margin = q % (X * beta);
  return Rcpp::List::create(
    Rcpp::Named("status") = static_cast<int>(status),
    Rcpp::Named("coefficients") = Rcpp::NumericVector(beta.begin(), beta.end()),
    Rcpp::Named("vcov") = V,
    Rcpp::Named("loglik") = log_likelihood(margin),
    Rcpp::Named("iterations") = iterations);
}

// The chain runs in units of sigma: gamma = beta / sigma, w = ystar / sigma.
// Only log sigma is stored, because sigma itself has no finite scale and may
// leave the range of doubles. R0 is the Cholesky factor of Sigma0.
// [[Rcpp::export]]
arma::mat cpp_gibbs(const arma::mat& X, const arma::vec& y, int n_iter,
                    int burn_in, const arma::vec& beta0, const arma::mat& R0) {
  const arma::uword n = X.n_rows, k = X.n_cols;
  const arma::mat A = inverse_upper(R0).t();      // A'A = Sigma0^-1
  const arma::mat U = precision_factor(X, A);
  const arma::vec prior = solve_upper(R0, solve_upper_t(R0, beta0));
  const arma::mat Xt = X.t();
  const bool centred = arma::all(beta0 == 0.0);
  arma::mat draws(n_iter - burn_in, k);
  arma::vec gamma(k, arma::fill::zeros), w(n), z(k), eta(n);
  double log_sigma = 0.0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 256 == 255) Rcpp::checkUserInterrupt();
    arma::vec rhs(k, arma::fill::zeros);
    if (!centred) rhs = prior * std::exp(std::min(-log_sigma, 600.0));
    if (n > 0) {
      eta = X * gamma;
      for (arma::uword i = 0; i < n; ++i) {
        const double u = ::unif_rand();
        w[i] = (y[i] > 0.5) ? truncnorm(eta[i], 0.0, R_PosInf, u)
                            : truncnorm(eta[i], R_NegInf, 0.0, u);
      }
      rhs += Xt * w;
    }
    for (arma::uword j = 0; j < k; ++j) z[j] = ::norm_rand();
    gamma = solve_upper(U, solve_upper_t(U, rhs) + z);
    if (n > 0) {
      const arma::vec e = w - X * gamma;
      const double ratio = std::sqrt(arma::dot(e, e) /
                                     R::rchisq(static_cast<double>(n)));
      if (ratio > 0.0 && std::isfinite(ratio)) {
        gamma /= ratio;
        log_sigma += std::log(ratio);
      }
    }
    if (it >= burn_in) draws.row(it - burn_in) = gamma.t();
  }
  return draws;
}

// [[Rcpp::export]]
Rcpp::List cpp_mh(const arma::mat& X, const arma::vec& y, int n_iter,
                  int burn_in, double scale, const arma::vec& beta0,
                  const arma::mat& R0, const arma::vec& init, bool full_rank) {
  const arma::uword k = X.n_cols;
  const arma::vec q = 2.0 * y - 1.0;
  arma::mat U;
  bool ok = false;
  if (full_rank) {
    arma::mat C = X.t() * X;
    C = 0.5 * (C + C.t());
    ok = cholesky(U, C);
  }
  if (!ok) U = precision_factor(X, arma::mat(inverse_upper(R0).t()));
  auto log_post = [&](const arma::vec& b) {
    const arma::vec r = solve_upper_t(R0, b - beta0);
    double l = -0.5 * arma::dot(r, r);
    if (X.n_rows > 0) l += log_likelihood(q % (X * b));
    return l;
  };
  arma::mat draws(n_iter - burn_in, k);
  arma::vec beta(init), z(k);
  double current = log_post(beta);
  int accepted = 0;
  for (int it = 0; it < n_iter; ++it) {
    if (it % 256 == 255) Rcpp::checkUserInterrupt();
    for (arma::uword j = 0; j < k; ++j) z[j] = ::norm_rand();
    const arma::vec proposal = beta + scale * solve_upper(U, z);
    const double candidate = log_post(proposal);
    if (std::log(::unif_rand()) < candidate - current) {
      beta = proposal;
      current = candidate;
      if (it >= burn_in) ++accepted;
    }
    if (it >= burn_in) draws.row(it - burn_in) = beta.t();
  }
  return Rcpp::List::create(
    Rcpp::Named("draws") = draws,
    Rcpp::Named("acceptance_rate") =
      static_cast<double>(accepted) / (n_iter - burn_in));
}

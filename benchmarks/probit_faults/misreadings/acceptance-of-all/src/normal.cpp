#include "probitr.h"

namespace probitr {

namespace {

const double LOG_SQRT_2PI = 0.918938533204672741780329736406;

inline double log_phi(double x) { return -0.5 * x * x - LOG_SQRT_2PI; }

// lambda(-t) - t = 1/(t + 2/(t + 3/(t + ...))) for t > 0 (Laplace's continued
// fraction); no cancellation.
inline double mills_excess(double t) {
  double f = t;
  for (int j = 30; j >= 2; --j) f = t + j / f;
  return 1.0 / f;
}

// hazard phi(t)/S(t) of an upper tail, given log S(t); lower tails come mirrored
inline double hazard(double t, double log_tail) {
  if (t > 30.0) return t + mills_excess(t);
  return std::exp(log_phi(t) - log_tail);
}

inline double log_sum_exp(double a, double b) {
  const double m = a > b ? a : b;
  if (m == R_NegInf) return R_NegInf;
  const double s = a > b ? b : a;
  return m + std::log1p(std::exp(s - m));
}

// t with upper tail log probability lp; all tail work is done with upper tails,
// because F(x) = S(-x).
double upper_quantile(double lp) {
  double t = R::qnorm(lp, 0.0, 1.0, 0, 1);
  if (lp < -600.0 && std::isfinite(t)) {
    // qnorm of R before 4.3 has only about five digits here; Newton on
    // log S(t) = lp converges quadratically
    for (int step = 0; step < 2; ++step) {
      const double ls = R::pnorm(t, 0.0, 1.0, 0, 1);
      const double next = t + (ls - lp) / hazard(t, ls);
      if (!std::isfinite(next)) break;
      t = next;
    }
  }
  return t;
}

}  // namespace

double log_Phi(double x) {
  if (std::isnan(x)) return NA_REAL;
  return R::pnorm(x, 0.0, 1.0, 1, 1);
}

double Phi(double x) {
  if (std::isnan(x)) return NA_REAL;
  // pnorm flushes to zero below -37.52, where Phi is still a (subnormal) number
  if (x < -37.5) return std::exp(R::pnorm(x, 0.0, 1.0, 1, 1));
  return R::pnorm(x, 0.0, 1.0, 1, 0);
}

void mills(double m, double& lambda, double& d) {
  if (m < -30.0) {
    const double t = -m;
    const double e = mills_excess(t);
    lambda = t + e;
    d = lambda * e;
  } else {
    lambda = std::exp(log_phi(m) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = lambda > 0.0 ? lambda * (lambda + m) : 0.0;
  }
  if (!(d > 0.0)) d = 0.0;
  if (d > 1.0) d = 1.0;
}

double truncnorm(double u, double mu, double lo, double hi) {
  const double alpha = lo - mu;
  const double beta = hi - mu;
  const bool upper = alpha + beta > 0.0;  // NaN for (-Inf, Inf): lower tail
  // near and far end of the interval seen from the centre, and their weights:
  // upper: (1-u) S(alpha) + u S(beta); lower: u F(beta) + (1-u) F(alpha)
  const double near_end = upper ? alpha : -beta;
  const double far_end = upper ? beta : -alpha;
  const double w_near = upper ? std::log1p(-u) : std::log(u);
  const double w_far = upper ? std::log(u) : std::log1p(-u);

  double lp = R::pnorm(near_end, 0.0, 1.0, 0, 1) + w_near;
  if (far_end != R_PosInf)
    lp = log_sum_exp(lp, R::pnorm(far_end, 0.0, 1.0, 0, 1) + w_far);
  if (lp > 0.0) lp = 0.0;

  double x = R_NaN;
  if (lp != R_NegInf && !std::isnan(lp)) {
    const double t = upper_quantile(lp);
    x = mu + (upper ? t : -t);
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!std::isfinite(x)) {
    // the mass sits at the end of the interval nearest to the mean
    const double first = upper ? lo : hi;
    const double second = upper ? hi : lo;
    x = std::isfinite(first) ? first : second;
  }
  return x;
}

}  // namespace probitr

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_log_Phi(Rcpp::NumericVector x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) out[i] = probitr::log_Phi(x[i]);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_Phi(Rcpp::NumericVector x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) out[i] = probitr::Phi(x[i]);
  return out;
}

// [[Rcpp::export]]
Rcpp::NumericVector cpp_rtruncnorm(Rcpp::NumericVector mu, Rcpp::NumericVector lo,
                                   Rcpp::NumericVector hi) {
  const R_xlen_t n = mu.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    if ((i & 0xffff) == 0xffff) Rcpp::checkUserInterrupt();
    const double u = ::unif_rand();
    out[i] = probitr::truncnorm(u, mu[i], lo[i], hi[i]);
  }
  return out;
}

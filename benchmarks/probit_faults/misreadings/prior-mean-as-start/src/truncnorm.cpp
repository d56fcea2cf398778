#include "probitr.h"

namespace probitr {

// log(exp(a) + exp(b)) with the maximum taken out.
static double log_add(double a, double b) {
  const double hi = std::max(a, b), lo = std::min(a, b);
  if (lo == R_NegInf) return hi;
  return hi + std::log1p(std::exp(lo - hi));
}

// z > 0 with log S(z) = ls, S the upper tail of N(0, 1).
static double upper_quantile(double ls) {
  if (ls >= -600.0) return R::qnorm(ls, 0.0, 1.0, 0, 1);
  // qnorm loses digits here in older versions of R: asymptotic start, then
  // Newton steps on the log tail probability.
  const double t = -2.0 * ls - std::log(2.0 * M_PI);
  double z = std::sqrt(t - std::log(t));
  for (int it = 0; it < 4; ++it) {
    const double z2 = z * z;
    const double lambda = z + (1.0 - 2.0 / z2) / z;
    const double step = (R::pnorm(z, 0.0, 1.0, 0, 1) - ls) / lambda;
    if (!std::isfinite(step)) break;
    z += step;
    if (std::fabs(step) <= 1e-15 * z) break;
  }
  return z;
}

// log S(a) - log S(a + d) for large a > 0, without cancellation.
static double log_tail_drop(double a, double d) {
  if (d == R_PosInf) return R_PosInf;
  return a * d + 0.5 * d * d + std::log1p(d / a);
}

double truncnorm_at(double mu, double lo, double hi, double u) {
  const double alpha = lo - mu, beta = hi - mu;
  const bool upper = (alpha + beta > 0.0);
  // Everything in terms of the limit next to the centre ("near") and the other
  // one ("far"), as upper tails: S(near) >= S(far).
  const double near = upper ? alpha : -beta;
  const double far = upper ? beta : -alpha;
  const double w_far = upper ? u : 1.0 - u;
  const double lw_near = upper ? std::log1p(-u) : std::log(u);
  const double lw_far = upper ? std::log(u) : std::log1p(-u);
  double x;
  if (near > 1e4) {
    // So far out the draw differs from the limit by about 1 / near, which is
    // lost in mu + z: solve for the distance from the limit instead.
    if (near == R_PosInf) return upper ? lo : hi;
    const double h = log_tail_drop(near, hi - lo);
    const double w = (h < 1.0) ? -std::log1p(w_far * std::expm1(-h))
                               : -log_add(lw_near, lw_far - h);
    double d = 2.0 * w / (near + std::hypot(near, std::sqrt(2.0 * w)));
    d -= (log_tail_drop(near, d) - w) / (near + d);
    if (!(d > 0.0)) d = 0.0;
    x = upper ? lo + d : hi - d;
  } else {
    const double ls =
        log_add(lw_near + R::pnorm(near, 0.0, 1.0, 0, 1),
                lw_far + R::pnorm(far, 0.0, 1.0, 0, 1));
    const double z = upper_quantile(ls);
    x = upper ? mu + z : mu - z;
  }
  if (!std::isfinite(x)) x = std::isfinite(lo) && (upper || !std::isfinite(hi)) ? lo : hi;
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  return x;
}

}  // namespace probitr

// [[Rcpp::export]]
Rcpp::NumericVector cpp_rtruncnorm(const Rcpp::NumericVector& mu,
                                   const Rcpp::NumericVector& lo,
                                   const Rcpp::NumericVector& hi) {
  // Arguments are of one length, made so by the wrapper.
  const R_xlen_t n = mu.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    if (i % 10000 == 9999) Rcpp::checkUserInterrupt();
    out[i] = probitr::truncnorm_at(mu[i], lo[i], hi[i], R::unif_rand());
  }
  return out;
}

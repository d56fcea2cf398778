#include "normal.h"

namespace probitr {

namespace {

double log_sum_exp(double a, double b) {
  const double hi = a > b ? a : b;
  const double lo = a > b ? b : a;
  if (hi == R_NegInf) return R_NegInf;
  return hi + std::log1p(std::exp(lo - hi));
}

// log of R(a + t) / R(a), R the Mills ratio, a >= kFar and t >= 0.
double log_mills_ratio(double a, double t) {
  return -std::log1p(t / a) + std::log1p(mills_series(a + t)) -
         std::log1p(mills_series(a));
}

// Excess t >= 0 over a >= kFar with S(a + t) / S(a) = exp(-L).
double far_excess(double a, double L) {
  if (!R_FINITE(a) || L <= 0.0) return 0.0;
  double t = 2.0 * L / (a + std::hypot(a, std::sqrt(2.0 * L)));
  for (int i = 0; i < 8; ++i) {
    const double g = a * t + 0.5 * t * t - log_mills_ratio(a, t) - L;
    const double step = g * (1.0 + mills_series(a + t)) / (a + t);
    t -= step;
    if (!(t > 0.0)) t = 0.0;
    if (std::fabs(step) <= 1e-15 * t) break;
  }
  return t;
}

// -log of the tail probability at the draw relative to the nearer limit, which
// is a >= kFar away from the mean; width is the length of the interval, lw_near
// and lw_far are the logs of the weights of the nearer and the farther limit,
// w_far is the latter itself.
double far_log_loss(double a, double width, double lw_near, double lw_far,
                    double w_far) {
  double lr = R_NegInf;
  if (R_FINITE(width) && R_FINITE(a)) {
    lr = -(a * width + 0.5 * width * width) + log_mills_ratio(a, width);
  }
  if (lr > -0.7) return -std::log1p(w_far * std::expm1(lr));
  return -log_sum_exp(lw_near, lw_far + lr);
}

}  // namespace

double truncnorm_quantile(double mu, double lo, double hi, double u) {
  const double alpha = lo - mu;
  const double beta = hi - mu;
  const double lu = std::log(u);
  const double l1u = std::log1p(-u);
  double x;
  if (alpha >= kFar) {
    x = lo + far_excess(alpha, far_log_loss(alpha, hi - lo, l1u, lu, u));
  } else if (beta <= -kFar) {
    x = hi - far_excess(-beta, far_log_loss(-beta, hi - lo, lu, l1u, 1.0 - u));
  } else if (alpha + beta > 0.0) {
    const double ls = log_sum_exp(l1u + R::pnorm(alpha, 0.0, 1.0, 0, 1),
                                  lu + R::pnorm(beta, 0.0, 1.0, 0, 1));
    x = mu + R::qnorm(ls < 0.0 ? ls : 0.0, 0.0, 1.0, 0, 1);
  } else {
    const double lf = log_sum_exp(l1u + R::pnorm(alpha, 0.0, 1.0, 1, 1),
                                  lu + R::pnorm(beta, 0.0, 1.0, 1, 1));
    x = mu + R::qnorm(lf < 0.0 ? lf : 0.0, 0.0, 1.0, 1, 1);
  }
  if (x < lo) x = lo;
  if (x > hi) x = hi;
  if (!R_FINITE(x)) {
    if (R_FINITE(lo)) x = lo;
    else if (R_FINITE(hi)) x = hi;
    else x = mu;
  }
  return x;
}

}  // namespace probitr

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_log_Phi(const Rcpp::NumericVector& x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, 1);
  }
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector cpp_Phi(const Rcpp::NumericVector& x) {
  const R_xlen_t n = x.size();
  Rcpp::NumericVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    out[i] = ISNAN(x[i]) ? NA_REAL : R::pnorm(x[i], 0.0, 1.0, 1, 0);
  }
  return out;
}

// Arguments have length one or n; n >= 1.
// [[Rcpp::export]]
Rcpp::NumericVector cpp_rtruncnorm(const Rcpp::NumericVector& mu,
                                   const Rcpp::NumericVector& lo,
                                   const Rcpp::NumericVector& hi, double n) {
  const R_xlen_t len = static_cast<R_xlen_t>(n);
  const bool m1 = mu.size() == 1, l1 = lo.size() == 1, h1 = hi.size() == 1;
  Rcpp::NumericVector out(len);
  for (R_xlen_t i = 0; i < len; ++i) {
    if (i % 100000 == 99999) Rcpp::checkUserInterrupt();
    out[i] = probitr::truncnorm_quantile(mu[m1 ? 0 : i], lo[l1 ? 0 : i],
                                         hi[h1 ? 0 : i], ::unif_rand());
  }
  return out;
}

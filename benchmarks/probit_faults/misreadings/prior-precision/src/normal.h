#ifndef PROBITR_NORMAL_H
#define PROBITR_NORMAL_H

#include <RcppArmadillo.h>

namespace probitr {

// Beyond this distance from zero the asymptotic series of the Mills ratio is
// accurate to about 2e-14 and is preferred to differences of logarithms.
const double kFar = 30.0;

// s(a) with S(a) = phi(a) / a * (1 + s(a)), for a >= kFar.
inline double mills_series(double a) {
  const double r = 1.0 / a;
  const double w = r * r;
  return w * (-1.0 + w * (3.0 + w * (-15.0 + w * (105.0 - 945.0 * w))));
}

// Inverse Mills ratio lambda = phi(m) / Phi(m) and weight
// d = lambda * (lambda + m), clamped to [0, 1].
inline void mills_weight(double m, double& lambda, double& d) {
  if (m < -kFar) {
    const double r = 1.0 / m;
    const double w = r * r;
    const double s1 = 1.0 + mills_series(-m);
    // m^2 * (1 - s1), written out so that nothing cancels
    const double num = 1.0 + w * (-3.0 + w * (15.0 + w * (-105.0 + 945.0 * w)));
    lambda = -m / s1;
    d = num / (s1 * s1);
  } else {
    lambda = std::exp(R::dnorm(m, 0.0, 1.0, 1) - R::pnorm(m, 0.0, 1.0, 1, 1));
    d = lambda * (lambda + m);
  }
  if (d < 0.0) d = 0.0;
  if (d > 1.0) d = 1.0;
}

// Formula (8): the quantile at u of N(mu, 1) truncated to [lo, hi].
double truncnorm_quantile(double mu, double lo, double hi, double u);

}  // namespace probitr

#endif

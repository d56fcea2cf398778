/* The three probit estimators written by hand for speed alone: no checks of input, no separation, full rank, few columns.
   What a package is measured against. Called from R (.C) and Python (ctypes): every argument is a pointer. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

/* --- random numbers: xoshiro256++, Marsaglia and Tsang's ziggurat ------------------------------------------------ */

static uint64_t s[4];
static double wn[128], fn[128];
static uint64_t kn[128];
static int ready = 0;

static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static inline uint64_t next64(void) {
  uint64_t r = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
  s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3]; s[2] ^= t; s[3] = rotl(s[3], 45);
  return r;
}
static inline double unif(void) { return ((next64() >> 11) + 0.5) * 0x1.0p-53; }

static void start(double seed) {
  uint64_t z = (uint64_t)seed;
  for (int i = 0; i < 4; i++) {
    z += 0x9e3779b97f4a7c15ULL;
    uint64_t x = z;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    s[i] = x ^ (x >> 31);
  }
  if (ready) return;
  const double m = 0x1.0p52;
  double dn = 3.442619855899, tn = dn, vn = 9.91256303526217e-3, q = vn / exp(-.5 * dn * dn);
  kn[0] = (uint64_t)((dn / q) * m); kn[1] = 0;
  wn[0] = q / m; wn[127] = dn / m;
  fn[0] = 1.; fn[127] = exp(-.5 * dn * dn);
  for (int i = 126; i >= 1; i--) {
    dn = sqrt(-2. * log(vn / dn + exp(-.5 * dn * dn)));
    kn[i + 1] = (uint64_t)((dn / tn) * m); tn = dn;
    fn[i] = exp(-.5 * dn * dn); wn[i] = dn / m;
  }
  ready = 1;
}

static double normal(void) {
  for (;;) {
    uint64_t u = next64();
    int i = (int)(u & 127), negative = (int)((u >> 7) & 1);
    uint64_t j = u >> 12;
    double x = (double)j * wn[i];
    if (j < kn[i]) return negative ? -x : x;
    if (i == 0) {
      const double r = 3.442619855899;
      double y;
      do { x = -log(unif()) / r; y = -log(unif()); } while (y + y < x * x);
      return negative ? -(r + x) : r + x;
    }
    if (fn[i] + unif() * (fn[i - 1] - fn[i]) < exp(-.5 * x * x)) return negative ? -x : x;
  }
}

/* A standard normal above a: plain rejection where that is likely, else an exponential proposal (Robert 1995). */
static inline double above(double a) {
  double z;
  if (a < 0.45) {
    do z = normal(); while (z <= a);
    return z;
  }
  double rate = 0.5 * (a + sqrt(a * a + 4.));
  for (;;) {
    z = a - log(unif()) / rate;
    double d = z - rate;
    if (log(unif()) <= -.5 * d * d) return z;
  }
}

/* --- small linear algebra ---------------------------------------------------------------------------------------- */

static void cholesky(double *a, int k) { /* lower, in place, row-major */
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) {
      double t = a[i * k + j];
      for (int l = 0; l < j; l++) t -= a[i * k + l] * a[j * k + l];
      a[i * k + j] = i == j ? sqrt(t) : t / a[j * k + j];
    }
}
static void forward(const double *l, int k, double *b) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < i; j++) b[i] -= l[i * k + j] * b[j];
    b[i] /= l[i * k + i];
  }
}
static void backward(const double *l, int k, double *b) {
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++) b[i] -= l[j * k + i] * b[j];
    b[i] /= l[i * k + i];
  }
}

/* --- likelihood ---------------------------------------------------------------------------------------------------- */

static inline double log_phi(double x) {
  if (x > -6.) return log(0.5 * erfc(-x * M_SQRT1_2));
  double z = 1. / (x * x); /* asymptotic series, relative error below 1e-6 at -6, used far from the estimate only */
  return -.5 * x * x - 0.91893853320467274 - log(-x) + log1p(-z * (1. - 3. * z * (1. - 5. * z * (1. - 7. * z))));
}

static double loglik(const double *x, int n, int k, const double *q, const double *beta) {
  double sum = 0., product = 1.;
  for (int i = 0; i < n; i++) {
    double eta = 0.;
    for (int j = 0; j < k; j++) eta += x[j * n + i] * beta[j];
    eta *= q[i];
    if (eta > -5.) {
      product *= 0.5 * erfc(-eta * M_SQRT1_2);
      if (product < 1e-250) { sum += log(product); product = 1.; }
    } else sum += log_phi(eta);
  }
  return sum + log(product);
}

static void signs(const double *y, int n, double *q) { for (int i = 0; i < n; i++) q[i] = 2. * y[i] - 1.; }

void kernel_mle(const double *x, const int *np, const int *kp, const double *y, double *beta, double *se, double *ll) {
  int n = *np, k = *kp;
  double *q = malloc(n * sizeof(double)), h[MOST * MOST], g[MOST];
  signs(y, n, q);
  memset(beta, 0, k * sizeof(double));
  for (int t = 0; t < 100; t++) {
    memset(h, 0, sizeof h); memset(g, 0, sizeof g);
    for (int i = 0; i < n; i++) {
      double eta = 0.;
      for (int j = 0; j < k; j++) eta += x[j * n + i] * beta[j];
      eta *= q[i];
      double lambda = exp(-.5 * eta * eta) * 0.79788456080286536 / erfc(-eta * M_SQRT1_2);
      double w = q[i] * lambda, d = lambda * (lambda + eta);
      for (int j = 0; j < k; j++) {
        double xj = x[j * n + i];
        g[j] += xj * w;
        for (int l = 0; l <= j; l++) h[j * k + l] += d * xj * x[l * n + i];
      }
    }
    cholesky(h, k); forward(h, k, g); backward(h, k, g);
    double size = 0.;
    for (int j = 0; j < k; j++) { beta[j] += g[j]; size += g[j] * g[j]; }
    if (sqrt(size) < 1e-8) break;
  }
  for (int j = 0; j < k; j++) {
    double e[MOST] = {0};
    e[j] = 1.;
    forward(h, k, e); backward(h, k, e);
    se[j] = sqrt(e[j]);
  }
  *ll = loglik(x, n, k, q, beta);
  free(q);
}

/* prior: N(0, v I) */
void kernel_gibbs(const double *x, const int *np, const int *kp, const double *y, const int *tp, const int *bp,
                  const double *v, const double *seed, double *draws) {
  int n = *np, k = *kp, total = *tp, burn = *bp;
  double p[MOST * MOST] = {0}, beta[MOST] = {0}, m[MOST];
  start(*seed);
  for (int j = 0; j < k; j++)
    for (int l = 0; l <= j; l++) {
      double t = j == l ? 1. / *v : 0.;
      for (int i = 0; i < n; i++) t += x[j * n + i] * x[l * n + i];
      p[j * k + l] = t;
    }
  cholesky(p, k);
  for (int t = 0; t < total; t++) {
    memset(m, 0, sizeof m);
    for (int i = 0; i < n; i++) {
      double mu = 0.;
      for (int j = 0; j < k; j++) mu += x[j * n + i] * beta[j];
      double z = y[i] > 0.5 ? mu + above(-mu) : mu - above(mu);
      for (int j = 0; j < k; j++) m[j] += x[j * n + i] * z;
    }
    forward(p, k, m);
    for (int j = 0; j < k; j++) m[j] += normal();
    backward(p, k, m);
    memcpy(beta, m, k * sizeof(double));
    if (t >= burn) for (int j = 0; j < k; j++) draws[j * (total - burn) + t - burn] = beta[j];
  }
}

void kernel_mh(const double *x, const int *np, const int *kp, const double *y, const int *tp, const int *bp,
               const double *v, const double *scale, const double *init, const double *seed, double *draws, double *rate) {
  int n = *np, k = *kp, total = *tp, burn = *bp, accepted = 0;
  double p[MOST * MOST] = {0}, beta[MOST], other[MOST], *q = malloc(n * sizeof(double));
  start(*seed);
  signs(y, n, q);
  for (int j = 0; j < k; j++)
    for (int l = 0; l <= j; l++) for (int i = 0; i < n; i++) p[j * k + l] += x[j * n + i] * x[l * n + i];
  cholesky(p, k);
  memcpy(beta, init, k * sizeof(double));
  double now = loglik(x, n, k, q, beta);
  for (int j = 0; j < k; j++) now -= .5 * beta[j] * beta[j] / *v;
  for (int t = 0; t < total; t++) {
    for (int j = 0; j < k; j++) other[j] = *scale * normal();
    backward(p, k, other);
    for (int j = 0; j < k; j++) other[j] += beta[j];
    double then = loglik(x, n, k, q, other);
    for (int j = 0; j < k; j++) then -= .5 * other[j] * other[j] / *v;
    if (log(unif()) < then - now) {
      memcpy(beta, other, k * sizeof(double));
      now = then;
      accepted += t >= burn;
    }
    if (t >= burn) for (int j = 0; j < k; j++) draws[j * (total - burn) + t - burn] = beta[j];
  }
  *rate = (double)accepted / (total - burn);
  free(q);
}

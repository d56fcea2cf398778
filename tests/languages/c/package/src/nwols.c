#include "nwols.h"

#include <math.h>
#include <stdlib.h>

struct nwols_fit {
  size_t cols;
  double variance;
  double *coef, *se, *influence;
};

const char *nwols_strerror(int code) {
  switch (code) {
    case NWOLS_OK: return "no error";
    case NWOLS_LENGTHS: return "the lengths differ";
    case NWOLS_TOO_FEW: return "there are too few observations";
    case NWOLS_BAD_LAGS: return "lags must lie between 0 and n - 1";
    case NWOLS_SINGULAR: return "the columns of X are linearly dependent";
    case NWOLS_NOT_FINITE: return "a number is not finite";
    case NWOLS_NO_MEMORY: return "out of memory";
    default: return "unknown code";
  }
}

static int all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* The inverse of a symmetric positive definite p by p matrix, which is overwritten by its Cholesky factor. */
static int invert(double *a, double *inverse, size_t p) {
  for (size_t j = 0; j < p; ++j) {
    double before = a[j * p + j];
    for (size_t k = 0; k < j; ++k) a[j * p + j] -= a[j * p + k] * a[j * p + k];
    if (!(a[j * p + j] > 1e-12 * before)) return NWOLS_SINGULAR;
    a[j * p + j] = sqrt(a[j * p + j]);
    for (size_t i = j + 1; i < p; ++i) {
      for (size_t k = 0; k < j; ++k) a[i * p + j] -= a[i * p + k] * a[j * p + k];
      a[i * p + j] /= a[j * p + j];
    }
  }
  for (size_t c = 0; c < p; ++c) {
    for (size_t i = 0; i < p; ++i) {
      double x = i == c ? 1.0 : 0.0;
      for (size_t k = 0; k < i; ++k) x -= a[i * p + k] * inverse[k * p + c];
      inverse[i * p + c] = x / a[i * p + i];
    }
    for (size_t i = p; i-- > 0;) {
      double x = inverse[i * p + c];
      for (size_t k = i + 1; k < p; ++k) x -= a[k * p + i] * inverse[k * p + c];
      inverse[i * p + c] = x / a[i * p + i];
    }
  }
  return NWOLS_OK;
}

static double dot(const double *a, const double *b, size_t p) {
  double sum = 0.0;
  for (size_t j = 0; j < p; ++j) sum += a[j] * b[j];
  return sum;
}

double nwols_weight(int lag, int lags) { return 1.0 - lag / (lags + 1.0); }

/* Of column j of the influence: the sum over the window of Newey and West. */
static double windowed(const double *influence, size_t rows, size_t cols, size_t j, int lags) {
  double sum = 0.0;
  for (size_t i = 0; i < rows; ++i) sum += influence[i * cols + j] * influence[i * cols + j];
  for (int l = 1; l <= lags; ++l)
    for (size_t i = (size_t)l; i < rows; ++i)
      sum += 2.0 * nwols_weight(l, lags) * influence[i * cols + j] * influence[(i - (size_t)l) * cols + j];
  return sum;
}

static int solve(nwols_fit *fit, const double *y, const double *X, size_t rows, size_t cols, int lags, double *work) {
  double *gram = work, *inverse = work + cols * cols, *right = work + 2 * cols * cols;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < cols; ++j) {
      right[j] += X[i * cols + j] * y[i];
      for (size_t k = 0; k < cols; ++k) gram[j * cols + k] += X[i * cols + j] * X[i * cols + k];
    }
  int status = invert(gram, inverse, cols);
  if (status != NWOLS_OK) return status;
  for (size_t j = 0; j < cols; ++j) fit->coef[j] = dot(inverse + j * cols, right, cols);
  double squares = 0.0;
  for (size_t i = 0; i < rows; ++i) {
    double residual = y[i] - dot(X + i * cols, fit->coef, cols);
    squares += residual * residual;
    for (size_t j = 0; j < cols; ++j)
      fit->influence[i * cols + j] = residual * dot(inverse + j * cols, X + i * cols, cols);
  }
  size_t divisor = rows - cols;
  fit->variance = squares / (double)divisor;
  for (size_t j = 0; j < cols; ++j) fit->se[j] = sqrt(windowed(fit->influence, rows, cols, j, lags));
  return NWOLS_OK;
}

int nwols_estimate(const double *restrict y, size_t n, const double *restrict X, size_t rows, size_t cols, int lags,
                   nwols_fit **fit) {
  *fit = NULL;
  if (n != rows) return NWOLS_LENGTHS;
  if (rows <= cols || cols == 0) return NWOLS_TOO_FEW;
  if (lags < 0 || (size_t)lags >= rows) return NWOLS_BAD_LAGS;
  if (!all_finite(y, n) || !all_finite(X, rows * cols)) return NWOLS_NOT_FINITE;
  nwols_fit *made = calloc(1, sizeof *made);
  double *work = calloc(2 * cols * cols + cols, sizeof *work);
  int status = NWOLS_NO_MEMORY;
  if (made && work) {
    made->cols = cols;
    made->coef = calloc(cols, sizeof *made->coef);
    made->se = calloc(cols, sizeof *made->se);
    made->influence = calloc(rows * cols, sizeof *made->influence);
    if (made->coef && made->se && made->influence) status = solve(made, y, X, rows, cols, lags, work);
  }
  free(work);
  if (status == NWOLS_OK) *fit = made;
  else nwols_fit_free(made);
  return status;
}

const double *nwols_fit_coef(const nwols_fit *fit) { return fit->coef; }
const double *nwols_fit_se(const nwols_fit *fit) { return fit->se; }
const double *nwols_fit_influence(const nwols_fit *fit) { return fit->influence; }
double nwols_fit_variance(const nwols_fit *fit) { return fit->variance; }

int nwols_fit_predict(const nwols_fit *fit, const double *X, size_t rows, size_t cols, double *fitted) {
  if (cols != fit->cols) return NWOLS_LENGTHS;
  for (size_t i = 0; i < rows; ++i) fitted[i] = dot(X + i * cols, fit->coef, cols);
  return NWOLS_OK;
}

void nwols_fit_free(nwols_fit *fit) {
  if (!fit) return;
  free(fit->coef);
  free(fit->se);
  free(fit->influence);
  free(fit);
}

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *x, size_t n) {
  qsort(x, n, sizeof *x, ascending);
  return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2.0;
}

int nwols_theil_sen(const double *x, size_t n, const double *y, size_t m, nwols_line *line) {
  if (n != m) return NWOLS_LENGTHS;
  if (n < 2) return NWOLS_TOO_FEW;
  if (!all_finite(x, n) || !all_finite(y, n)) return NWOLS_NOT_FINITE;
  double *slopes = calloc(n * (n - 1) / 2 + n, sizeof *slopes);
  if (!slopes) return NWOLS_NO_MEMORY;
  size_t pairs = 0;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j < n; ++j)
      if (x[i] != x[j]) slopes[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
  if (pairs > 0) {
    line->pairs = (int)pairs;
    line->slope = median(slopes, pairs);
    for (size_t i = 0; i < n; ++i) slopes[i] = y[i] - line->slope * x[i];
    line->intercept = median(slopes, n);
  }
  free(slopes);
  return pairs > 0 ? NWOLS_OK : NWOLS_SINGULAR;
}

int nwols_moments(const double *x, size_t n, int lags, double *mean, double *autocovariances) {
  if (n < 2) return NWOLS_TOO_FEW;
  if (lags < 0 || (size_t)lags >= n) return NWOLS_BAD_LAGS;
  *mean = 0.0;
  for (size_t i = 0; i < n; ++i) *mean += x[i] / (double)n;
  for (size_t l = 0; l <= (size_t)lags; ++l) {
    autocovariances[l] = 0.0;
    for (size_t i = l; i < n; ++i) autocovariances[l] += (x[i] - *mean) * (x[i - l] - *mean) / (double)n;
  }
  return NWOLS_OK;
}

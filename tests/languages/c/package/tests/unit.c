#include <math.h>
#include <stdio.h>

#include "nwols.h"

static int failures = 0;

static void expect(int held, const char *what) {
  if (held) return;
  printf("failed: %s\n", what);
  ++failures;
}

static const double y[] = {1.0, 2.5, 2.0, 4.5, 5.0, 5.5};
static const double X[] = {1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5};

static void least_squares(void) {
  nwols_fit *fit = NULL;
  double fitted[6], sum = 0.0;
  expect(nwols_estimate(y, 6, X, 6, 2, 1, &fit) == NWOLS_OK, "a fit");
  expect(fabs(nwols_fit_coef(fit)[1] - 16.25 / 17.5) < 1e-12, "the slope");
  expect(nwols_fit_predict(fit, X, 6, 2, fitted) == NWOLS_OK, "fitted values");
  for (int i = 0; i < 6; ++i) sum += y[i] - fitted[i];
  expect(fabs(sum) < 1e-12, "residuals add up to zero");
  expect(nwols_fit_predict(fit, X, 4, 3, fitted) == NWOLS_LENGTHS, "too many columns");
  nwols_fit_free(fit);
}

static void line(void) {
  const double x[] = {0, 1, 2, 3}, z[] = {1, 3, 5, 100};
  nwols_line found;
  expect(nwols_theil_sen(x, 4, z, 4, &found) == NWOLS_OK, "a line");
  expect(found.pairs == 6, "all pairs");
  expect(nwols_theil_sen(x, 1, z, 1, &found) == NWOLS_TOO_FEW, "one point");
}

static void moments(void) {
  double mean, covariances[2];
  expect(nwols_moments(y, 6, 1, &mean, covariances) == NWOLS_OK, "moments");
  expect(fabs(mean - 20.5 / 6) < 1e-12, "the mean");
  expect(nwols_moments(y, 6, 6, &mean, covariances) == NWOLS_BAD_LAGS, "too many lags");
}

static void refusals(void) {
  const double same[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  nwols_fit *fit = NULL;
  expect(nwols_estimate(y, 6, same, 6, 2, 0, &fit) == NWOLS_SINGULAR && fit == NULL, "dependent columns");
  expect(nwols_estimate(y, 6, X, 2, 6, 0, &fit) == NWOLS_LENGTHS, "lengths");
  expect(nwols_estimate(y, 6, X, 6, 2, -1, &fit) == NWOLS_BAD_LAGS, "negative lags");
}

int main(void) {
  least_squares();
  line();
  moments();
  refusals();
  return failures ? 1 : 0;
}

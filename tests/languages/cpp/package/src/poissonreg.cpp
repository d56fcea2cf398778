#include "poissonreg/poissonreg.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace poissonreg {
namespace {

constexpr int most_iterations = 100;

/// The inverse of a symmetric positive definite matrix, by its Cholesky factor.
Matrix inverted(Matrix a) {
  const std::size_t p = a.size();
  for (std::size_t j = 0; j < p; ++j) {
    const double before = a[j][j];
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 1e-11 * before)) throw singular_matrix("the columns of X are linearly dependent");
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < p; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  Matrix inverse(p, Vector(p, 0.0));
  for (std::size_t c = 0; c < p; ++c) {
    Vector x(p, 0.0);
    for (std::size_t i = 0; i < p; ++i) {
      x[i] = i == c ? 1.0 : 0.0;
      for (std::size_t k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
      x[i] /= a[i][i];
    }
    for (std::size_t i = p; i-- > 0;) {
      for (std::size_t k = i + 1; k < p; ++k) x[i] -= a[k][i] * x[k];
      x[i] /= a[i][i];
    }
    for (std::size_t i = 0; i < p; ++i) inverse[i][c] = x[i];
  }
  return inverse;
}

Vector times(const Matrix& a, const Vector& x) {
  Vector product(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) product[i] += a[i][j] * x[j];
  return product;
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix product(a.size(), Vector(b.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) product[i][j] += a[i][k] * b[k][j];
  return product;
}

/// Sum of w_i x_i x_i'.
Matrix crossed(const Matrix& X, const Vector& w) {
  const std::size_t p = X[0].size();
  Matrix sum(p, Vector(p, 0.0));
  for (std::size_t i = 0; i < X.size(); ++i)
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k < p; ++k) sum[j][k] += w[i] * X[i][j] * X[i][k];
  return sum;
}

/// The lag window of the scores, the middle of equation (6).
Matrix long_run(const Matrix& s, int lags) {
  const std::size_t p = s[0].size();
  Matrix sum = crossed(s, Vector(s.size(), 1.0));
  for (int l = 1; l <= lags; ++l) {
    const double weight = 1.0 - l / (lags + 1.0);
    for (std::size_t i = static_cast<std::size_t>(l); i < s.size(); ++i)
      for (std::size_t j = 0; j < p; ++j)
        for (std::size_t k = 0; k < p; ++k)
          sum[j][k] += weight * (s[i][j] * s[i - l][k] + s[i - l][j] * s[i][k]);
  }
  return sum;
}

void check(const Vector& y, const Matrix& X, int lags, double tolerance) {
  if (X.size() != y.size()) throw std::invalid_argument("y and X differ in length");
  if (X.empty() || X.size() <= X[0].size()) throw std::invalid_argument("there are no more rows than columns");
  for (double count : y)
    if (!(count >= 0.0 && std::isfinite(count))) throw std::domain_error("a count is negative or not finite");
  if (lags < 0 || static_cast<std::size_t>(lags) >= y.size()) throw std::out_of_range("lags must lie between 0 and n - 1");
  if (!(tolerance > 0.0)) throw std::invalid_argument("tolerance must be positive");
}

}  // namespace

Vector Fit::predict(const Matrix& X, const std::optional<Vector>& offset) const {
  Vector mean;
  for (std::size_t i = 0; i < X.size(); ++i) {
    if (X[i].size() != coef.size()) throw std::invalid_argument("X needs " + std::to_string(coef.size()) + " columns");
    double linear = offset ? offset->at(i) : 0.0;
    for (std::size_t j = 0; j < coef.size(); ++j) linear += X[i][j] * coef[j];
    mean.push_back(std::exp(linear));
  }
  return mean;
}

Fit fit(const Vector& y, const Matrix& X, int lags, double tolerance) {
  check(y, X, lags, tolerance);
  const std::size_t n = X.size(), p = X[0].size();
  Fit found;
  found.coef.assign(p, 0.0);
  Vector mu(n), z(n);
  for (std::size_t i = 0; i < n; ++i) mu[i] = y[i] + 0.5;
  double change = 1.0 + tolerance;
  while (change > tolerance && found.iterations < most_iterations) {
    ++found.iterations;
    Vector right(p, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      z[i] = std::log(mu[i]) + (y[i] - mu[i]) / mu[i];
      for (std::size_t j = 0; j < p; ++j) right[j] += mu[i] * z[i] * X[i][j];
    }
    const Vector next = times(inverted(crossed(X, mu)), right);
    change = 0.0;
    for (std::size_t j = 0; j < p; ++j) change = std::max(change, std::fabs(next[j] - found.coef[j]));
    found.coef = next;
    mu = found.predict(X);
  }
  double pearson = 0.0;
  found.scores = X;
  for (std::size_t i = 0; i < n; ++i) {
    pearson += (y[i] - mu[i]) * (y[i] - mu[i]) / mu[i];
    for (std::size_t j = 0; j < p; ++j) found.scores[i][j] *= y[i] - mu[i];
  }
  const double divisor = static_cast<double>(n - p);
  found.dispersion = pearson / divisor;
  const Matrix inverse = inverted(crossed(X, mu));
  found.covariance = times(times(inverse, long_run(found.scores, lags)), inverse);
  for (std::size_t j = 0; j < p; ++j) {
    found.se.push_back(std::sqrt(found.dispersion * inverse[j][j]));
    found.robust_se.push_back(std::sqrt(found.covariance[j][j]));
  }
  return found;
}

Vector window_sums(const Vector& x, std::size_t rows, std::size_t columns, int width) {
  if (width < 1) throw std::invalid_argument("width must be at least 1");
  Vector sums(x.size(), 0.0);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t t = 0; t < columns; ++t)
      for (std::size_t k = 0; k < static_cast<std::size_t>(width) && k <= t; ++k)
        sums[r * columns + t] += x[r * columns + t - k];
  return sums;
}

}  // namespace poissonreg

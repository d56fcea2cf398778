/// @file
/// Poisson regression with standard errors for dependent counts.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

namespace poissonreg {

using Vector = std::vector<double>;
using Matrix = std::vector<std::vector<double>>;

/// The columns of the covariates are linearly dependent.
class singular_matrix : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fitted regression of counts.
class Fit {
 public:
  Vector coef;       ///< coefficients, p
  Matrix scores;     ///< contributions to the score, n by p, equation (3)
  Matrix covariance; ///< of the coefficients, p by p, equation (6)
  Vector robust_se;  ///< square roots of the diagonal of the covariance
  Vector se;         ///< standard errors under the dispersion, equation (5)
  double dispersion = 0.0;  ///< Pearson's, equation (4)
  int iterations = 0;

  /// @brief Expected counts at new covariates: exp(X b + offset).
  /// @param X m by p
  /// @param offset of each row; none where it is left out
  /// @throws std::invalid_argument if X has another number of columns than coefficients
  Vector predict(const Matrix& X, const std::optional<Vector>& offset = std::nullopt) const;
};

/// @brief Fits a Poisson regression with log link by iteratively reweighted least squares.
/// @param y counts, n
/// @param X covariates, n by p, row by row
/// @param lags the width of the lag window of the covariance, equation (6)
/// @param tolerance of the largest change of a coefficient
/// @throws std::invalid_argument if lengths differ, there are no more rows than columns, or tolerance is not positive
/// @throws std::domain_error if a count is negative or not finite
/// @throws std::out_of_range if lags is negative or not less than n
/// @throws singular_matrix if the columns of X are linearly dependent
Fit fit(const Vector& y, const Matrix& X, int lags = 0, double tolerance = 1e-10);

/// @brief Sums over a moving window: the sum of x over the last `width` places, as far as there are any.
/// @param x a series, row-major with `rows` series in `columns` places
Vector window_sums(const Vector& x, std::size_t rows, std::size_t columns, int width);

}  // namespace poissonreg

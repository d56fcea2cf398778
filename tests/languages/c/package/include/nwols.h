/**
 * @file
 * Least squares with standard errors for dependent errors, and the line of Theil and Sen.
 */
#ifndef NWOLS_H
#define NWOLS_H

#include <stddef.h>

/** What functions return. */
enum {
  NWOLS_OK = 0,
  NWOLS_LENGTHS,    /**< lengths that differ */
  NWOLS_TOO_FEW,    /**< no more rows than columns, or fewer than two points */
  NWOLS_BAD_LAGS,   /**< lags below 0, or not less than the number of rows */
  NWOLS_SINGULAR,   /**< columns that depend on each other, or no two different x */
  NWOLS_NOT_FINITE, /**< a number that is not finite */
  NWOLS_NO_MEMORY
};

/** A fitted regression. Free it with nwols_fit_free(). */
typedef struct nwols_fit nwols_fit;

/** A line through points. */
typedef struct {
  double slope;     /**< the median of the slopes between points, equation (6) */
  double intercept; /**< the median of y - slope x */
  int pairs;        /**< pairs of points with different x */
} nwols_line;

/** @brief The message of a code. */
const char *nwols_strerror(int code);

/**
 * @brief Least squares of y on X, equations (1) to (5).
 * @param[in] y observations, n
 * @param[in] X covariates, rows by cols, row by row
 * @param[in] lags width of the window of Newey and West
 * @param[out] fit the caller frees it
 * @return NWOLS_LENGTHS, NWOLS_TOO_FEW, NWOLS_BAD_LAGS, NWOLS_NOT_FINITE, NWOLS_SINGULAR or NWOLS_NO_MEMORY
 */
int nwols_estimate(const double *restrict y, size_t n, const double *restrict X, size_t rows, size_t cols, int lags,
                   nwols_fit **fit);
/** @brief Coefficients, cols. */
const double *nwols_fit_coef(const nwols_fit *fit);
/** @brief Newey-West standard errors, cols, equation (5). */
const double *nwols_fit_se(const nwols_fit *fit);
/** @brief Influence of each row on each coefficient, rows by cols, equation (4). */
const double *nwols_fit_influence(const nwols_fit *fit);
/** @brief The variance of the errors, equation (2). */
double nwols_fit_variance(const nwols_fit *fit);
/**
 * @brief Fitted values at new covariates.
 * @param[out] fitted rows
 * @return NWOLS_LENGTHS if X has another number of columns
 */
int nwols_fit_predict(const nwols_fit *fit, const double *X, size_t rows, size_t cols, double *fitted);
/** @brief Frees a fit; nothing happens to NULL. */
void nwols_fit_free(nwols_fit *fit);

/**
 * @brief The line of Theil and Sen.
 * @return NWOLS_LENGTHS, NWOLS_TOO_FEW, NWOLS_NOT_FINITE, NWOLS_SINGULAR or NWOLS_NO_MEMORY
 */
int nwols_theil_sen(const double *x, size_t n, const double *y, size_t m, nwols_line *line);

/**
 * @brief Mean and autocovariances up to a lag.
 * @param[out] mean one number
 * @param[out] autocovariances lags + 1 numbers, equation (7)
 * @return NWOLS_TOO_FEW or NWOLS_BAD_LAGS
 */
int nwols_moments(const double *x, size_t n, int lags, double *mean, double *autocovariances);

/** @brief The weight of a lag, equation (3). */
double nwols_weight(int lag, int lags);

#endif

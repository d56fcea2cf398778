# S5 to S8: drawn data, by definition and against transformed data.
source("shared.R")

claim_by_definition <- function(fit, data, lags = 3L) {
  known <- by_definition(data$y, data$X, lags)
  claim_close("C1", fit$coef, known$coef)
  claim_close("C9", fit$cov, known$cov)
}

scenario("S5",
  cov_with_zero_lags_is_heteroskedasticity_robust = function() {
    data <- draw_d(errors = function(e, X) e * abs(X[, 2]))
    fit <- ask("ols_hac", data$y, data$X, lags = 0L)
    # by its own formula, with residuals of R's least squares
    u <- qr.resid(qr(data$X), data$y)
    bread <- solve(crossprod(data$X))
    claim_close("C8", fit$cov, bread %*% crossprod(data$X * u) %*% bread)
    # and with the residuals that are returned
    meat <- (base::t(data$X) * fit$residuals^2) %*% data$X
    claim_close("C8", fit$cov, bread %*% meat %*% bread)
  }
)

scenario("S6",
  scaling_y_scales_coef_cov_se_and_residuals = function() {
    data <- draw_d()
    base_fit <- ask("ols_hac", data$y, data$X, lags = 3L)
    claim_by_definition(base_fit, data)
    for (c0 in c(-3, 1000)) {
      scaled <- ask("ols_hac", c0 * data$y, data$X, lags = 3L)
      claim_close("C1", scaled$coef, c0 * base_fit$coef)
      claim_close("C9", scaled$cov, c0^2 * base_fit$cov)
      claim_close("C9", scaled$se, abs(c0) * base_fit$se)
      claim_close("C1", scaled$residuals, c0 * base_fit$residuals)
    }
  }
)

scenario("S7",
  reordering_columns_of_X_reorders_coef_cov_and_se = function() {
    data <- draw_d()
    order <- c(2L, 0L, 3L, 1L) + 1L
    base_fit <- ask("ols_hac", data$y, data$X, lags = 3L)
    moved <- ask("ols_hac", data$y, data$X[, order], lags = 3L)
    claim_by_definition(base_fit, data)
    claim_close("C1", moved$coef, base_fit$coef[order])
    claim_close("C9", moved$cov, base_fit$cov[order, order])
    claim_close("C9", moved$se, base_fit$se[order])
  }
)

scenario("S8",
  adding_X_d_to_y_adds_d_to_coef_and_leaves_cov = function() {
    data <- draw_d()
    d <- c(1, -2, 0.5, 3)
    base_fit <- ask("ols_hac", data$y, data$X, lags = 3L)
    added <- ask("ols_hac", data$y + drop(data$X %*% d), data$X, lags = 3L)
    claim_by_definition(base_fit, data)
    claim_close("C1", added$coef - d, base_fit$coef)
    claim_close("C9", added$cov, base_fit$cov)
    claim_close("C9", added$se, base_fit$se)
    claim_close("C1", added$residuals, base_fit$residuals)
  }
)

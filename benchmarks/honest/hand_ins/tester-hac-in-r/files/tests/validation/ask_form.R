# S9 and S10: the form of what is returned, and hard input that must be answered.
source("shared.R")

within <- function(observed, expected, allowed = 1e-11) {
  claim_between("C10", expected - allowed, observed, expected + allowed)
}

# What holds of every answer.
claim_form <- function(fit) {
  claim_returns("C10", fit)
  claim_silent("C10", fit)
  claim_untouched("C10", fit)
  claim_repeatable("C10", fit)
  claim_finite("C10", fit)
  claim_same("C10", fit$cov, t(fit$cov))
}

# No eigenvalue below -1e-12 times the largest one.
claim_semidefinite <- function(fit) {
  values <- eigenvalues_of(fit$cov)
  claim_less("C10", -1e-12 * largest(values), values)
  claim_less("C10", 0, largest(values))
}

claim_consistent <- function(fit, X) {
  within(base::t(X) %*% fit$residuals, numeric(ncol(X)))
  within(fit$se^2 - diag(fit$cov), numeric(ncol(X)), 1e-14)
  within((fit$conf_int[, 1] + fit$conf_int[, 2]) / 2 - fit$coef, numeric(ncol(X)), 1e-13)
  claim_less("C10", fit$conf_int[, 1], fit$conf_int[, 2])
}

scenario("S9",
  public_names_and_signature = function() {
    claim_same("C10", exports(), c("HACResult", "ols_hac"))
    found <- signature_of("ols_hac")
    wanted <- c("y", "X", "lags", "level", "small_sample")
    claim_same("C10", length_of(found), 5L)
    for (i in 1:5) {
      claim_same("C10", found[[i]]$name, wanted[[i]])
      claim_same("C10", found[[i]]$keyword_only, i > 2L)
    }
    defaults <- c("None", "0.95", "False")
    for (i in 3:5) claim_same("C10", found[[i]]$default, defaults[[i - 2L]])
  },
  types_and_shapes_with_symmetric_positive_cov_by_lags = function() {
    data <- draw_d()
    for (lags in c(0L, 5L, 59L)) {
      fit <- ask("ols_hac", data$y, data$X, lags = lags)
      claim_form(fit)
      claim_semidefinite(fit)
      claim_consistent(fit, data$X)
      claim_same("C10", fit$lags, lags)
      claim_same("C10", dim_of(fit$conf_int), c(4L, 2L))
    }
  },
  types_and_shapes_with_default_arguments = function() {
    data <- draw_d()
    fit <- ask("ols_hac", data$y, data$X)
    claim_form(fit)
    claim_semidefinite(fit)
    claim_consistent(fit, data$X)
  },
  same_result_when_called_again = function() {
    data <- draw_d()
    first <- ask("ols_hac", data$y, data$X, lags = 5L, level = 0.9, small_sample = TRUE)
    between <- ask("ols_hac", data_b$y, data_b$X, lags = 3L)
    again <- ask("ols_hac", data$y, data$X, lags = 5L, level = 0.9, small_sample = TRUE)
    claim_form(first)
    claim_same("C10", again, first)
    within(between$cov, cov_b[["3"]])
  },
  small_sample_left_out_and_false_are_the_same = function() {
    left_out <- ask("ols_hac", data_b$y, data_b$X, lags = 1L)
    claim_form(left_out)
    claim_same("C10", ask("ols_hac", data_b$y, data_b$X, lags = 1L, small_sample = FALSE), left_out)
  },
  lists_of_integers_are_answered = function() {
    fit <- ask("ols_hac", as_list(as.integer(data_a$y)), as_rows(cbind(1L, 1:5)), lags = 1L)
    claim_form(fit)
    within(fit$coef, data_a$coef)
    within(fit$cov, cov_a[["1"]])
    within(fit$residuals, data_a$residuals)
  },
  arrays_of_integers_are_answered = function() {
    fit <- ask("ols_hac", as.integer(data_a$y), cbind(1L, 1:5), lags = 1L)
    claim_form(fit)
    within(fit$coef, data_a$coef)
    within(fit$cov, cov_a[["1"]])
    within(fit$residuals, data_a$residuals)
  },
  truth_value_column_in_a_list_of_rows_is_answered = function() {
    fit <- ask("ols_hac", as_list(as.integer(data_a$y)), lapply(1:5, function(i) list(TRUE, i)), lags = 1L)
    claim_form(fit)
    within(fit$coef, data_a$coef)
    within(fit$cov, cov_a[["1"]])
    within(fit$residuals, data_a$residuals)
  },
  truth_value_array_is_answered = function() {
    X <- cbind(TRUE, c(FALSE, TRUE, TRUE, FALSE, TRUE))
    known <- by_definition(data_a$y, X + 0, 1L)
    fit <- ask("ols_hac", data_a$y, X, lags = 1L)
    claim_form(fit)
    within(fit$coef, known$coef)
    within(fit$cov, known$cov)
    # and as y
    y <- c(TRUE, FALSE, TRUE, TRUE, FALSE)
    known <- by_definition(y + 0, data_a$X, 1L)
    fit <- ask("ols_hac", y, data_a$X, lags = 1L)
    claim_form(fit)
    within(fit$coef, known$coef)
    within(fit$cov, known$cov)
  },
  hard_input_is_answered_without_a_warning_or_nan = function() {
    units <- function(number) data_b$X * rep(c(1, number, 1), each = 12L)
    claim_form(ask("ols_hac", exact_y, data_b$X, lags = 3L))
    claim_form(ask("ols_hac", rep(4, 12L), data_b$X, lags = 3L))
    claim_form(ask("ols_hac", data_b$y, units(1e-15), lags = 3L))
    claim_form(ask("ols_hac", data_b$y, units(1e15), lags = 3L))
    claim_form(ask("ols_hac", rnorm(2L), matrix(1, 2L, 1L)))
    claim_form(ask("ols_hac", data_a$y, data_a$X, lags = 0L))
    claim_form(ask("ols_hac", data_a$y, data_a$X, lags = 4L))
  }
)

exact_y <- drop(data_b$X %*% c(1, -2, 0.5))
se_b <- c(0.6586087559434904, 0.21546901755054143, 0.2638763286698039)

scenario("S10",
  exact_fit_has_zero_se = function() {
    for (lags in list(NULL, 0L, 3L, 11L)) {
      fit <- ask("ols_hac", exact_y, data_b$X, lags = lags)
      claim_close("C1", fit$coef, c(1, -2, 0.5))
      claim_close("C4", fit$se, c(0, 0, 0))
    }
  },
  constant_y_has_zero_se = function() {
    for (lags in list(NULL, 3L)) {
      fit <- ask("ols_hac", rep(4, 12L), data_b$X, lags = lags)
      claim_close("C1", fit$coef, c(4, 0, 0))
      claim_close("C4", fit$se, c(0, 0, 0))
    }
  },
  # The numbers of this column are of order 1e14, so the relative tolerance decides without multiplying back.
  tiny_units_of_a_column_scale_its_coef_and_se = function() {
    units <- c(1, 1e-15, 1)
    fit <- ask("ols_hac", data_b$y, data_b$X * rep(units, each = 12L), lags = 3L)
    claim_close("C1", fit$coef, data_b$coef / units)
    claim_close("C4", fit$se, se_b / units)
  },
  # Those of this one are of order 1e-16: multiplied back, or the absolute tolerance would hide them.
  huge_units_of_a_column_scale_its_coef_and_se = function() {
    units <- c(1, 1e15, 1)
    fit <- ask("ols_hac", data_b$y, data_b$X * rep(units, each = 12L), lags = 3L)
    claim_close("C1", fit$coef * units, data_b$coef)
    claim_close("C4", fit$se * units, se_b)
  }
)

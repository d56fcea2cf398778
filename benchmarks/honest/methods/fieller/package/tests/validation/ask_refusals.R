# Errors: S13, S14, S15 and S19.
source("shared.R")

# The call with arguments replaced; NULL can be given, too. (A list, so that `a` is not taken for the beginning of a name.)
with_replaced <- function(name, usual, given) {
  for (one in names(given)) usual[one] <- given[one]
  do.call(ask, c(list(name), usual), quote = TRUE)
}
ci <- function(...) with_replaced("ratio_ci", list(a = 2, b = 1, vaa = 0.04, vbb = 0.01), list(...))
means <- function(...) with_replaced("ratio_means", list(x = FIRST, y = SECOND), list(...))
replaced <- function(f, argument, value, ...) do.call(f, c(stats::setNames(list(value), argument), list(...)), quote = TRUE)

scenario("S13",
  ratio_ci_refuses_missing_infinite_or_several_a_b_vaa_vbb_vab = function() {
    for (argument in c("a", "b", "vaa", "vbb", "vab")) {
      for (value in list(NA, NA_real_, NaN, Inf, -Inf, "1", TRUE, NULL, c(1, 2))) {
        claim_raises("E1", replaced(ci, argument, value))
      }
    }
  },
  ratio_ci_refuses_wrong_df = function() {
    for (value in list(0, -1, NA, NA_real_, "3", c(3, 4))) claim_raises("E2", ci(df = value))
    claim_raises("E9", ci(df = 0.001))
  },
  ratio_ci_refuses_wrong_level = function() {
    for (value in list(0, 1, 95, NA, NA_real_, c(0.9, 0.95))) claim_raises("E3", ci(level = value))
  },
  ratio_ci_refuses_wrong_method = function() {
    for (value in list("field", "Fieller", NA, NA_character_, 1)) claim_raises("E4", ci(method = value))
  },
  ratio_ci_refuses_negative_variance_vaa_vbb = function() {
    claim_raises("E5", ci(vaa = -0.01))
    claim_raises("E5", ci(vbb = -0.01))
  },
  ratio_ci_refuses_zero_denominator_b = function() claim_raises("E6", ci(b = 0)),
  ratio_ci_refuses_covariance_vab_that_is_too_large = function() {
    claim_raises("E7", ci(vab = 0.021))
    claim_raises("E7", ci(vab = -0.021))
    claim_raises("E7", ci(vbb = 0, vab = 0.01))
  },
  ratio_ci_refuses_zero_variance = function() {
    claim_raises("E8", ci(vaa = 0, vbb = 0))
    claim_raises("E8", ask("ratio_ci", 2, 1, 0.04, 0.01, 0.02))
    claim_raises("E8", ask("ratio_ci", 0, 1, 0, 0.01))
  },
  ratio_ci_looks_at_a_then_df_then_level_then_method_then_vaa_then_b = function() {
    claim_raises("E10", ci(a = NA, df = 0), message = "must be a single finite number")
    claim_raises("E10", ci(df = 0, level = 2), message = "'df' must be a single positive number")
    claim_raises("E10", ci(level = 2, method = "x"), message = "'level' must be a single number between 0 and 1")
    claim_raises("E10", ci(method = "x", vaa = -1), message = "'method' must be")
    claim_raises("E10", ci(vaa = -1, b = 0), message = "must not be negative")
    claim_raises("E10", ci(b = 0, vab = 1), message = "the denominator is zero")
  }
)

scenario("S14",
  ratio_means_refuses_x_or_y_that_is_no_numeric_vector = function() {
    for (argument in c("x", "y")) {
      no_vectors <- list(
        "a", c("3", "5", "4"), factor(c(3, 5, 4)), list(3, 5, 4), matrix(c(3, 5, 4), 3, 1), NULL, TRUE
      )
      for (value in no_vectors) claim_raises("E11", replaced(means, argument, value))
    }
  },
  ratio_means_refuses_missing_or_infinite_values_in_x_or_y = function() {
    for (value in c(NA, NaN, Inf, -Inf)) {
      claim_raises("E12", means(x = c(3, value, 4, 6)))
      claim_raises("E12", means(y = c(1, 2, value)))
    }
  },
  ratio_means_refuses_wrong_paired = function() {
    for (value in list(NA, 1, "TRUE", c(TRUE, FALSE))) claim_raises("E13", means(paired = value))
  },
  ratio_means_refuses_empty_or_single_x_or_y = function() {
    for (argument in c("x", "y")) {
      for (value in list(numeric(0), 1)) claim_raises("E14", replaced(means, argument, value))
    }
  },
  ratio_means_refuses_paired_x_and_y_of_different_length = function() claim_raises("E15", means(paired = TRUE)),
  ratio_means_refuses_y_of_mean_zero = function() claim_raises("E16", means(y = c(-1, 0, 1))),
  ratio_means_refuses_constant_or_proportional_samples_without_variance = function() {
    claim_raises("E17", means(x = c(4, 4, 4, 4), y = c(2, 2, 2)))
    claim_raises("E17", means(x = c(0, 0, 0, 0)))
    claim_raises("E17", ask("ratio_means", c(2, 4, 8), c(1, 2, 4), paired = TRUE))
    y <- c(1, 2, 4, 7)
    claim_raises("E17", ask("ratio_means", y / 3, y, paired = TRUE))
  },
  ratio_means_refuses_wrong_level_or_method = function() {
    claim_raises("E18", means(level = 1))
    claim_raises("E19", means(method = "welch"))
  }
)

# A linear model, asked for in the scenario; its coefficients wt and qsec unless they are replaced.
coefs <- function(fit, ...) with_replaced("ratio_coef", list(fit = fit, numerator = "wt", denominator = "qsec"), list(...))

scenario("S15",
  ratio_coef_refuses_a_fit_that_is_no_lm = function() {
    claim_raises("E20", coefs(ask("stats::glm", mpg ~ wt + qsec, data = CARS)))
    claim_raises("E20", coefs(ask("stats::lm", cbind(mpg, hp) ~ wt + qsec, data = CARS)))
    claim_raises("E20", coefs(ask("stats::aov", mpg ~ wt + qsec, data = CARS)))
    claim_raises("E20", coefs(list(coefficients = c(wt = -5, qsec = 1), df.residual = 29)))
    claim_raises("E20", coefs(NULL))
  },
  ratio_coef_refuses_numerator_or_denominator_that_is_no_single_text = function() {
    cars <- ask_cars()
    for (argument in c("numerator", "denominator")) {
      for (value in list(2, NA_character_, c("wt", "qsec"))) {
        claim_raises("E21", replaced(coefs, argument, value, fit = cars))
      }
    }
  },
  ratio_coef_refuses_numerator_or_denominator_that_names_no_coefficient = function() {
    cars <- ask_cars()
    for (argument in c("numerator", "denominator")) {
      for (value in c("hp", "w", "")) claim_raises("E22", replaced(coefs, argument, value, fit = cars))
    }
  },
  ratio_coef_refuses_equal_numerator_and_denominator = function() claim_raises("E23", coefs(ask_cars(), denominator = "wt")),
  ratio_coef_refuses_a_coefficient_that_is_missing_for_collinear_columns = function() {
    d <- cbind(CARS, w2 = 2 * CARS$wt)
    fit <- ask("stats::lm", mpg ~ wt + qsec + w2, data = d)
    claim_raises("E24", coefs(fit, numerator = "w2"))
    claim_raises("E24", coefs(fit, denominator = "w2"))
  },
  ratio_coef_refuses_a_fit_without_residual_df = function() {
    claim_raises("E25", coefs(ask("stats::lm", mpg ~ wt + qsec, data = CARS[1:3, ])))
  },
  ratio_coef_refuses_wrong_level_or_method = function() {
    cars <- ask_cars()
    claim_raises("E26", coefs(cars, level = 0))
    claim_raises("E27", coefs(cars, method = "wald"))
  },
  # A fit cannot be changed on its way to the package, so these are fits that are what the criteria want by themselves:
  # columns of zeros and ones, for which lm computes without rounding.
  ratio_coef_refuses_a_denominator_of_exactly_zero = function() {
    d <- data.frame(y = c(0, 1, 2), wt = c(0, 1, 1), qsec = c(1, 0, 0))
    here <- lm(y ~ 0 + qsec + wt, d)
    if (coef(here)[["qsec"]] != 0 || any(diag(vcov(here)) <= 0)) stop("the denominator is not exactly zero")
    claim_raises("E28", coefs(ask("stats::lm", y ~ 0 + qsec + wt, data = d)))
  },
  ratio_coef_refuses_residuals_of_zero_without_variance = function() {
    d <- data.frame(y = c(2, 3, 0), wt = c(1, 0, 0), qsec = c(0, 1, 0))
    if (any(residuals(lm(y ~ 0 + wt + qsec, d)) != 0)) stop("the residuals are not exactly zero")
    claim_raises("E29", coefs(ask("stats::lm", y ~ 0 + wt + qsec, data = d)))
  }
)

scenario("S19",
  confint_of_ratio_ci_refuses_wrong_level = function() {
    fit <- ci()
    for (value in list(0, 1, 95, NA, c(0.9, 0.95))) claim_raises("E30", ask(fit, "confint", level = value))
  },
  confint_of_ratio_ci_refuses_level_whose_quantile_is_not_finite = function() {
    claim_raises("E33", ask(ci(df = 0.01), "confint", level = 0.999))
  },
  confint_of_ratio_means_refuses_wrong_level = function() {
    fit <- means()
    for (value in list(0, 1, 95, NA)) claim_raises("E31", ask(fit, "confint", level = value))
  },
  confint_of_ratio_coef_refuses_wrong_level = function() {
    fit <- coefs(ask_cars())
    for (value in list(0, 1, 95, NA)) claim_raises("E32", ask(fit, "confint", level = value))
  }
)

# Arguments that are not allowed (S14): the calls listed under Edge cases, and calls with two faults, of which the one is
# reported that comes first in the lists of the interface.
source("definitions.R")

BAD_TRIMS <- list(-0.1, 0.5, 0.7, NA, NA_real_, NaN, Inf, -Inf, "0.2", c(0.1, 0.2), numeric(0), NULL)
NOT_NUMERIC <- list(
  "a", letters, c(TRUE, FALSE), c(NA, NA), factor(1:5), data.frame(a = c(1, 2, 3)), list(1, 2, 3), NULL
)
D <- data.frame(
  v = c(X, Y), g = rep(c("a", "b"), c(10, 7)), k = rep_len(c("c", "d"), 17), text = rep_len(letters, 17),
  one = "a", three = rep_len(c("a", "b", "c"), 17), stringsAsFactors = FALSE
)
D$holes <- ifelse(D$g == "b", NA, D$v)
D$both <- cbind(D$v, D$v)
infinite <- function(v, value) replace(v, 3, value)

scenario("S14",
  trimmed_mean_x_must_be_numeric = function() {
    for (x in NOT_NUMERIC) claim_raises("E1", ask("trimmed_mean", x))
    claim_raises("E1", ask("trimmed_mean", "a", trim = 2))
    claim_raises("E1", ask("trimmed_mean", character(0)))
  },
  trimmed_mean_trim_must_be_a_single_number = function() {
    for (trim in BAD_TRIMS) claim_raises("E2", ask("trimmed_mean", X, trim = trim))
    claim_raises("E2", ask("trimmed_mean", 1, trim = 0.5))
    claim_raises("E2", ask("trimmed_mean", c(1, NA, 3), trim = 0.5))
    claim_raises("E2", ask("trimmed_mean", c(1, Inf, 3), trim = -0.1))
  },
  trimmed_mean_not_enough_observations = function() {
    for (x in list(1, numeric(0), integer(0), NA_real_, Inf)) claim_raises("E3", ask("trimmed_mean", x))
  },
  trimmed_mean_infinite_values = function() {
    for (value in c(Inf, -Inf)) {
      claim_raises("E4", ask("trimmed_mean", infinite(X, value)))
      claim_raises("E4", ask("trimmed_mean", infinite(X, value), trim = 0))
      claim_raises("E4", ask("trimmed_mean", infinite(X, value), trim = 0.2))
    }
    claim_raises("E4", ask("trimmed_mean", infinite(rev(X), Inf), trim = 0.4))
  },
  yuen_test_formula_missing_or_incorrect = function() {
    for (formula in list(~ g, v ~ g + k, v ~ g:k, v ~ 1)) claim_raises("E5", ask("yuen_test", formula, D))
    claim_raises("E5", ask("yuen_test", text ~ g + k, D))
    claim_raises("E5", ask("yuen_test", v ~ g + k, D, trim = 0.7))
  },
  yuen_test_formula_response_must_be_numeric = function() {
    for (formula in list(text ~ g, both ~ g, cbind(v, v) ~ g)) claim_raises("E6", ask("yuen_test", formula, D))
    claim_raises("E6", ask("yuen_test", text ~ three, D))
  },
  yuen_test_formula_group_must_have_two_levels = function() {
    for (formula in list(v ~ one, v ~ three, holes ~ g)) claim_raises("E7", ask("yuen_test", formula, D))
    claim_raises("E7", ask("yuen_test", v ~ three, D, paired = TRUE))
    claim_raises("E7", ask("yuen_test", v ~ three, D, trim = 0.7))
  },
  yuen_test_unused_argument = function() {
    claim_raises("E8", ask("yuen_test", X, Y, paired = TRUE))
    claim_raises("E8", ask("yuen_test", X, Y, var.equal = TRUE))
    claim_raises("E8", ask("yuen_test", v ~ g, D, paired = TRUE))
    claim_raises("E8", ask("yuen_test", v ~ g, D, var.equal = TRUE))
    claim_raises("E8", ask("yuen_test", v ~ g, D, subset = 1:5))
    claim_raises("E8", ask("yuen_test", "a", Y, paired = TRUE))
    claim_raises("E8", ask("yuen_test", X, paired = TRUE))
    claim_raises("E8", ask("yuen_test", X, Y, trim = 0.7, paired = TRUE))
  },
  yuen_test_y_is_missing = function() {
    claim_raises("E9", ask("yuen_test", X))
    claim_raises("E9", ask("yuen_test", "a"))
    claim_raises("E9", ask("yuen_test", X, trim = 0.7))
  },
  yuen_test_x_must_be_numeric = function() {
    for (x in NOT_NUMERIC) claim_raises("E19", ask("yuen_test", x, Y))
    claim_raises("E19", ask("yuen_test", "a", "b"))
    claim_raises("E19", ask("yuen_test", "a", Y, trim = 0.7))
  },
  yuen_test_y_must_be_numeric = function() {
    for (y in NOT_NUMERIC) claim_raises("E10", ask("yuen_test", X, y))
    claim_raises("E10", ask("yuen_test", c(1, Inf), "a"))
    claim_raises("E10", ask("yuen_test", 1, "a", trim = 0.7))
  },
  yuen_test_trim_must_be_a_single_number = function() {
    for (trim in BAD_TRIMS) claim_raises("E20", ask("yuen_test", X, Y, trim = trim))
    claim_raises("E20", ask("yuen_test", v ~ g, D, trim = 0.5))
    claim_raises("E20", ask("yuen_test", X, Y, trim = 0.5, mu = NA, alternative = "both", conf.level = 95))
    claim_raises("E20", ask("yuen_test", infinite(X, Inf), 1, trim = 0.5))
  },
  yuen_test_mu_must_be_a_single_number = function() {
    for (mu in list(NA, NaN, Inf, -Inf, "0", c(0, 1), numeric(0), NULL)) {
      claim_raises("E11", ask("yuen_test", X, Y, mu = mu))
    }
    claim_raises("E11", ask("yuen_test", X, Y, mu = "0", alternative = "both", conf.level = 95))
  },
  yuen_test_alternative_unknown = function() {
    claim_raises("E12", ask("yuen_test", X, Y, alternative = "both"))
    claim_raises("E12", ask("yuen_test", X, Y, alternative = "both", conf.level = 95))
    claim_raises("E12", ask("yuen_test", infinite(X, Inf), Y, alternative = "more"))
    claim_raises("E12", ask("yuen_test", v ~ g, D, alternative = "both"))
  },
  yuen_test_conf.level_between_zero_and_one = function() {
    for (level in list(-0.1, 1.1, 95, NA, NaN, c(0.9, 0.95), "0.95", numeric(0), NULL)) {
      claim_raises("E13", ask("yuen_test", X, Y, conf.level = level))
    }
    claim_raises("E13", ask("yuen_test", infinite(X, Inf), 1, conf.level = 95))
  },
  yuen_test_infinite_values_of_x = function() {
    for (value in c(Inf, -Inf)) claim_raises("E22", ask("yuen_test", infinite(X, value), Y, trim = 0.2))
    claim_raises("E22", ask("yuen_test", infinite(X, Inf), infinite(Y, Inf)))
    claim_raises("E22", ask("yuen_test", Inf, 1))
  },
  yuen_test_infinite_values_of_y = function() {
    for (value in c(Inf, -Inf)) {
      claim_raises("E14", ask("yuen_test", X, infinite(Y, value)))
      claim_raises("E14", ask("yuen_test", Y, infinite(X, value), trim = 0.2))
    }
    claim_raises("E14", ask("yuen_test", 1, infinite(Y, Inf)))
  },
  yuen_test_not_enough_x_observations = function() {
    for (x in list(c(1, NA), numeric(0), 1, c(NA_real_, NaN))) claim_raises("E21", ask("yuen_test", x, Y))
    claim_raises("E21", ask("yuen_test", 1, 2))
  },
  yuen_test_not_enough_y_observations = function() {
    for (y in list(c(1, NA), numeric(0), 1, c(NA_real_, NaN))) claim_raises("E15", ask("yuen_test", X, y))
    claim_raises("E15", ask("yuen_test", c(1, 2, 3), 1, trim = 0.4))
  },
  yuen_test_not_enough_x_observations_left_after_trimming = function() {
    claim_raises("E16", ask("yuen_test", c(1, 2, 4), X, trim = 0.4))
    claim_raises("E16", ask("yuen_test", c(1, 2, 4), c(3, 5, 9), trim = 0.4))
    claim_raises("E16", ask("yuen_test", c(1, NA, 2, 4, NaN), X, trim = 0.4))
  },
  yuen_test_not_enough_y_observations_left_after_trimming = function() {
    claim_raises("E17", ask("yuen_test", X, c(1, 2, 4), trim = 0.4))
    claim_raises("E17", ask("yuen_test", X, c(1, NA, 2, 4, NaN), trim = 0.4))
    claim_raises("E17", ask("yuen_test", rep(5, 10), c(1, 1, 1), trim = 0.4))
  },
  yuen_test_constant_samples = function() {
    claim_raises("E18", ask("yuen_test", rep(5, 4), rep(7, 4)))
    claim_raises("E18", ask("yuen_test", rep(0, 5), rep(0, 5)))
    claim_raises("E18", ask("yuen_test", c(1, 5, 5, 5, 9), c(1, 5, 5, 5, 9), trim = 0.2))
    claim_raises("E18", ask("yuen_test", rep(0.1, 7), rep(0.3, 9)))
    claim_raises("E18", ask("yuen_test", rep(0.1, 7), rep(0.3, 9), trim = 0))
  }
)

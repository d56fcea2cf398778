# S11 to S20: every refusal by itself. Class and message are those of the criterion.
source("shared.R")

refused_a <- function(criterion, ..., y = data_a$y, X = data_a$X) claim_raises(criterion, ask("ols_hac", y, X, ...))
refused_b <- function(criterion, ..., y = data_b$y, X = data_b$X) claim_raises(criterion, ask("ols_hac", y, X, ...))
with_element <- function(x, at, value) {
  x[[at]] <- value
  x
}

scenario("S11",
  y_of_text_is_refused = function() {
    refused_a("C11", y = as.character(data_a$y))
    refused_a("C11", y = as_list(as.character(data_a$y)))
  },
  complex_X_is_refused = function() refused_a("C11", X = data_a$X + 1i),
  none_in_the_list_y_is_refused = function() refused_a("C11", y = list(1, 3, NULL, 5, 4)),
  ragged_list_of_rows_X_is_refused = function() {
    refused_a("C11", X = list(list(1, 1), list(1, 2), list(1), list(1, 4), list(1, 5)))
  }
)

scenario("S12",
  y_with_two_dimensions_is_refused = function() refused_a("C12", y = matrix(data_a$y, 5L, 1L)),
  y_as_a_single_number_is_refused = function() refused_a("C12", y = 3),
  X_with_one_dimension_is_refused = function() refused_a("C12", X = data_a$X[, 2]),
  X_with_three_dimensions_is_refused = function() refused_a("C12", X = array(data_a$X, c(5L, 2L, 1L))),
  y_of_another_length_is_refused = function() refused_a("C12", y = data_a$y[1:4]),
  X_without_a_column_is_refused = function() refused_a("C12", X = matrix(0, 5L, 0L))
)

too_few <- function(n, k) claim_raises("C13", ask("ols_hac", one_or_more(rnorm(n)), matrix(rnorm(n * k), n, k)))
one_or_more <- function(x) if (length(x) == 1L) one_element(x) else x

scenario("S13",
  n_equal_to_k_is_refused = function() too_few(3L, 3L),
  n_below_k_is_refused = function() too_few(2L, 3L),
  one_observation_and_one_column_is_refused = function() too_few(1L, 1L),
  no_rows_is_refused = function() too_few(0L, 2L),
  too_few_observations_are_reported_before_nan = function() {
    claim_raises("C13", ask("ols_hac", with_element(rnorm(3L), 2L, NaN), matrix(rnorm(9L), 3L, 3L)))
  }
)

scenario("S14",
  nan_in_y_is_refused = function() refused_a("C14", y = with_element(data_a$y, 3L, NaN)),
  infinity_in_X_is_refused = function() refused_a("C14", X = with_element(data_a$X, 8L, Inf)),
  minus_infinity_in_y_is_refused = function() refused_a("C14", y = with_element(data_a$y, 1L, -Inf)),
  masked_entry_in_y_is_refused = function() refused_a("C14", y = masked_array(data_a$y, 1:5 == 2L)),
  nan_in_X_is_reported_before_negative_lags = function() {
    refused_a("C14", X = with_element(data_a$X, 7L, NaN), lags = -1L)
  }
)

scenario("S15",
  fractional_lags_is_refused = function() refused_b("C15", lags = 4.5),
  float_lags_is_refused = function() refused_b("C15", lags = 4.0),
  truth_value_lags_is_refused = function() refused_b("C15", lags = TRUE),
  negative_lags_is_refused = function() refused_b("C15", lags = -1L),
  text_lags_is_refused = function() refused_b("C15", lags = "2")
)

scenario("S16",
  lags_of_n_or_more_is_refused = function() {
    for (lags in c(12L, 13L, 1000L)) refused_b("C16", lags = lags)
  },
  lags_equal_to_n_is_refused = function() refused_a("C16", lags = 5L)
)

scenario("S17",
  level_zero_or_one_is_refused = function() for (level in c(0, 1)) refused_a("C17", level = level),
  level_negative_or_in_percent_is_refused = function() {
    refused_a("C17", level = -0.1)
    refused_a("C17", level = 95L)
  },
  level_nan_is_refused = function() refused_a("C17", level = NaN),
  level_text_is_refused = function() refused_a("C17", level = "0.95"),
  level_none_is_refused = function() refused_a("C17", level = NULL)
)

scenario("S18",
  small_sample_number_is_refused = function() refused_a("C18", small_sample = 1L),
  small_sample_text_is_refused = function() refused_a("C18", small_sample = "no"),
  small_sample_none_is_refused = function() refused_a("C18", small_sample = NULL)
)

scenario("S19",
  repeated_column_is_collinear = function() for (j in 1:3) refused_b("C19", X = cbind(data_b$X, data_b$X[, j])),
  sum_of_two_columns_is_collinear = function() refused_b("C19", X = cbind(data_b$X, data_b$X[, 2] + data_b$X[, 3])),
  zero_column_is_collinear = function() refused_b("C19", X = cbind(data_b$X, 0)),
  second_constant_column_is_collinear = function() refused_b("C19", X = cbind(data_b$X, 7)),
  repeated_column_in_other_units_is_collinear = function() {
    for (j in 2:3) refused_b("C19", X = cbind(data_b$X, 1e-8 * data_b$X[, j]))
  }
)

scenario("S20",
  cov_beyond_the_range_of_floating_point_is_refused = function() refused_a("C20", y = 1e200 * data_a$y)
)

# Refusals and degenerate pairs: S9, S10, S11.
source("paired_definitions.R")

x <- worked$x
y <- worked$y
with_value <- function(values, at, what) {
  values[at] <- what
  values
}

scenario("S9",
  paired_is_not_a_single_true_or_false = function() {
    for (wrong in list(NA, NULL, 1, 0, "TRUE", c(TRUE, TRUE), logical(), NA_character_, 1L, list(TRUE))) {
      claim_raises("C21", ask("yuen_test", x, y, paired = wrong))
    }
    claim_raises("C21", ask("yuen_test", x, y, 0.2, 0, "two.sided", 0.95, 17))
    claim_raises("C21", ask("yuen_test", x, y, pair = NA))
  },
  paired_with_x_and_y_of_different_length = function() {
    claim_raises("C22", ask_paired(x, y[1:9]))
    claim_raises("C22", ask_paired(x[1:9], y))
    # as many values would be left
    claim_raises("C22", ask_paired(with_value(x, 4, NA), y[1:9]))
    claim_raises("C22", ask_paired(x[1:9], with_value(y, 10, NaN)))
    claim_raises("C22", ask_paired(matrix(x, 2), y[1:5]))
    claim_raises("C22", ask_paired(x, numeric()))
  },
  paired_with_fewer_than_two_complete_pairs = function() {
    claim_raises("C23", ask_paired(numeric(), numeric()))
    claim_raises("C23", ask_paired(3, 5))
    claim_raises("C23", ask_paired(with_value(x, 1:9, NA), y))
    claim_raises("C23", ask_paired(with_value(x, 1:5, NA), with_value(y, 6:9, NaN)))
    claim_raises("C23", ask_paired(with_value(x, 1:5, NA), with_value(y, 6:10, NA), trim = 0))
  },
  paired_with_fewer_than_two_values_left_after_trimming = function() {
    claim_raises("C24", ask_paired(c(1, 2, 4), c(3, 1, 9), trim = 0.4))
    claim_raises("C24", ask_paired(c(1, 2, 4, 8, 9), c(3, 1, 9, 2, 2), trim = 0.4))
    # three of the pairs are complete
    claim_raises("C24", ask_paired(with_value(x, 1:4, NA), with_value(y, 8:10, NA), trim = 0.4))
  },
  paired_with_infinite_values_of_x_in_a_complete_pair = function() {
    claim_raises("C25", ask_paired(with_value(x, 4, Inf), y))
    claim_raises("C25", ask_paired(with_value(x, 4, -Inf), y))
    claim_raises("C25", ask_paired(with_value(x, c(2, 4), c(NA, Inf)), y, trim = 0))
    claim_raises("C25", ask_paired(with_value(x, 4, Inf), with_value(y, 4, Inf)))
  },
  paired_with_infinite_values_of_y_in_a_complete_pair = function() {
    claim_raises("C26", ask_paired(x, with_value(y, 7, Inf)))
    claim_raises("C26", ask_paired(x, with_value(y, 7, -Inf)))
    # the one of x is in an incomplete pair
    claim_raises("C26", ask_paired(with_value(x, 1, Inf), with_value(y, c(1, 7), c(NA, Inf))))
  },
  order_of_the_checks_of_arguments_with_paired = function() {
    first <- function(message, call) claim_raises("C35", call, message = message)
    unused <- "unused argument"
    first(unused, ask("yuen_test", x, y, var.equal = TRUE, paired = TRUE))
    first(unused, ask("yuen_test", x, y, 0.2, 0, "two.sided", 0.95, TRUE, 1))
    first(unused, ask("yuen_test", x, paired = TRUE, var.equal = TRUE))
    first(unused, ask("yuen_test", x, y[1:9], conf.level = 2, paired = NA, var.equal = TRUE))
    first("y", ask("yuen_test", x, paired = TRUE))
    first("y", ask("yuen_test", x, paired = NA))
    first("x", ask("yuen_test", "a", y, paired = NA))
    first("y", ask("yuen_test", x, "b", paired = NA))
    first("trim", ask("yuen_test", x, y, trim = 0.7, paired = NA))
    first("trim", ask("yuen_test", x, y[1:9], trim = 0.7, conf.level = 2, paired = TRUE))
    first("alternative", ask("yuen_test", x, y, alternative = "other", paired = NA))
    first("alternative", ask("yuen_test", x, y, alternative = "other", conf.level = 2, paired = "yes"))
    first("conf.level", ask("yuen_test", x, y, conf.level = 2, paired = NA))
    first("conf.level", ask("yuen_test", x, y[1:9], conf.level = 2, paired = TRUE))
  },
  order_of_the_checks_of_pairs = function() {
    first <- function(message, call) claim_raises("C35", call, message = message)
    wrong <- "'paired' must be TRUE or FALSE"
    first(wrong, ask("yuen_test", x, y[1:9], paired = NA))
    first(wrong, ask("yuen_test", with_value(x, 2, Inf), y, paired = 1))
    first(wrong, ask("yuen_test", numeric(), numeric(), paired = NULL))
    first(wrong, ask("yuen_test", x, x, paired = "TRUE"))
    lengths <- "'x' and 'y' must have the same length"
    first(lengths, ask_paired(with_value(x, 2, Inf), y[1:9]))
    first(lengths, ask_paired(x, with_value(y[1:9], 2, -Inf)))
    first(lengths, ask_paired(numeric(), 1))
    first(lengths, ask_paired(c(1, 2, 3), c(4, 5), trim = 0.4))
    first(lengths, ask_paired(rep(1, 5), rep(1, 6)))
    first("'x' contains infinite values", ask_paired(with_value(x, 2, Inf), with_value(y, 1, Inf)))
    first("'x' contains infinite values", ask_paired(Inf, 1))
    first("'x' contains infinite values", ask_paired(c(-Inf, NA, 3), c(1, 2, NA)))
    first("'y' contains infinite values", ask_paired(1, -Inf))
    first("'y' contains infinite values", ask_paired(c(1, 2, 4), c(3, Inf, 9), trim = 0.4))
    first("not enough complete pairs", ask_paired(5, 5, trim = 0.4))
    first("not enough complete pairs", ask_paired(c(Inf, NA, 3), c(NA, 2, 4)))
    first("not enough observations left after trimming", ask_paired(c(1, 2, 4), c(1, 2, 4), trim = 0.4))
    first("data are essentially constant", ask_paired(x, x))
  },
  two_complete_pairs_with_trim_0_are_enough = function() {
    # the differences are -2 and -5: mean -3.5, standard error 1.5
    fit <- ask_paired(c(1, 2), c(3, 7), trim = 0)
    claim_near("C35", fit$statistic, -7 / 3)
    claim_near("C35", fit$parameter, 1)
    claim_silent("C35", fit)
    fit <- ask_paired(c(1, NA, 2, Inf), c(3, 4, 7, NaN), trim = 0)
    claim_near("C35", fit$statistic, -7 / 3)
  }
)

# All else by the formulas, and nothing warned.
claim_without_correlation <- function(x, y, trim, mu = 0) {
  expected <- by_definition(x, y, trim, mu)
  fit <- ask_paired(x, y, trim = trim, mu = mu)
  claim_same("C28", fit$correlation, NA_real_)
  claim_returns("C28", fit)
  claim_silent("C28", fit)
  claim_finite("C28", list(fit$statistic, fit$parameter, fit$p.value, fit$conf.int, fit$estimate, fit$stderr,
    fit$effect))
  claim_near("C28", fit$statistic, expected$statistic)
  claim_near("C28", fit$stderr, expected$stderr)
  claim_near("C28", fit$parameter, expected$df)
  claim_near("C28", fit$p.value, expected$p.value)
  claim_near("C28", fit$conf.int, expected$conf.int)
  claim_near("C28", fit$estimate, expected$estimate)
  claim_near("C28", fit$effect, expected$effect)
}

scenario("S10",
  paired_data_are_essentially_constant = function() {
    around_zero <- c(-3, -1, 0, 1, 2, 3.3, -2.2, 0.7)
    claim_raises("C27", ask_paired(x, x))
    claim_raises("C27", ask_paired(x, x, trim = 0))
    claim_raises("C27", ask_paired(x, x + 5))
    for (trim in c(0, 0.2, 0.25)) claim_raises("C27", ask_paired(around_zero, around_zero + 0.1, trim = trim))
    claim_raises("C27", ask_paired(around_zero + 0.1, around_zero))
    claim_raises("C27", ask_paired(rep(3, 8), rep(1, 8)))
    claim_raises("C27", ask_paired(rep(0, 8), rep(0, 8)))
    claim_raises("C27", ask_paired(c(-9, 1, 1, 1, 9), c(-8, 2, 2, 2, 7), trim = 0.2))
    # the difference is constant in the complete pairs only
    claim_raises("C27", ask_paired(c(x, 3), c(x + 1, NA)))
    # the Winsorised columns differ by 1 in every pair, the differences of x and y do not
    claim_raises("C27", ask_paired(x, y, trim = 0.4))
    # equal as Winsorised columns only
    claim_raises("C27", ask_paired(x, with_value(x, c(1, 10), c(-70, 19)), trim = 0.2))
    # a standard error of 1.26, and the limit of 10 eps times the largest value is 2.5
    claim_raises("C27", ask_paired(x + 2^50, y + 2^50))
  },
  correlation_is_missing_where_a_column_is_constant = function() {
    claim_without_correlation(rep(4, 5), c(0, 3, 4, 5, 10), 0.2)
    claim_without_correlation(c(0, 3, 4, 5, 10), rep(4, 5), 0.2)
    claim_without_correlation(rep(0, 10), y, 0.1)
    claim_without_correlation(rep(2.5, 10), x, 0, 1)
  },
  correlation_is_missing_where_a_column_is_constant_after_trimming = function() {
    claim_without_correlation(c(-9, 1, 1, 1, 9), c(0, 3, 4, 5, 10), 0.2)
    claim_without_correlation(c(0, 3, 4, 5, 10), c(-9, 1, 1, 1, 9), 0.2, -2)
  },
  correlation_is_there_where_no_column_is_constant_after_trimming = function() {
    ties <- c(0, 0, 5, 5, 5, 5, 9, 1)
    other <- c(2, 7, 1, 8, 3, 6, 4, 5)
    expected <- by_definition(ties, other, 0.25)
    fit <- ask_paired(ties, other, trim = 0.25)
    claim_near("C28", fit$correlation, expected$correlation)
    claim_near("C28", fit$statistic, expected$statistic)
    # far from 0, too: the standard error of 1.26 is some 500 times 10 eps times the largest value
    claim_finite("C28", ask_paired(x + 2^40, y + 2^40)$correlation)
  }
)

groups <- data.frame(value = c(x, y), group = rep(c("a", "b"), each = 10))

scenario("S11",
  paired_in_a_formula_by_name = function() {
    for (any in list(TRUE, FALSE, NA, NULL, 1, "TRUE")) {
      claim_raises("C29", ask("yuen_test", value ~ group, data = groups, paired = any))
    }
    claim_raises("C29", ask("yuen_test", value ~ group, groups, paired = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, data = groups, trim = 0.1, conf.level = 0.9, paired = FALSE))
  },
  paired_in_a_formula_by_an_abbreviation = function() {
    for (name in c("p", "pa", "pai", "pair", "paire")) {
      given <- c(list("yuen_test", value ~ group, data = groups), stats::setNames(list(TRUE), name))
      claim_raises("C29", do.call(ask, given, quote = TRUE))
    }
    claim_raises("C29", ask("yuen_test", value ~ group, data = groups, pair = FALSE))
  },
  paired_in_a_formula_by_position = function() {
    claim_raises("C29", ask("yuen_test", value ~ group, groups, 0.2, 0, "two.sided", 0.95, TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, groups, 0.2, 0, "two.sided", 0.95, FALSE))
    claim_raises("C29", ask("yuen_test", value ~ group, data = groups, 0.2, 0, "less", 0.9, TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, groups, 0.2, 0, "less", 0.9, 17))
  },
  paired_in_a_formula_is_refused_before_anything_else = function() {
    three <- data.frame(value = x, group = rep(c("a", "b", "c"), c(4, 3, 3)))
    claim_raises("C29", ask("yuen_test", ~ group, data = groups, paired = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ 1, data = groups, paired = FALSE))
    claim_raises("C29", ask("yuen_test", value ~ group + value, data = groups, paired = TRUE))
    claim_raises("C29", ask("yuen_test", group ~ value, data = groups, paired = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, data = three, paired = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, data = groups, trim = 0.7, paired = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ group, data = groups, paired = TRUE, var.equal = TRUE))
    claim_raises("C29", ask("yuen_test", value ~ nothing, data = groups, pair = TRUE))
  }
)

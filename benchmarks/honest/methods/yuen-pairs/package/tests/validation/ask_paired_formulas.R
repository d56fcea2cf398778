# The paired form against its formulas: S1, S2, S6.
source("paired_definitions.R")

claim_by_formulas <- function(fit, expected) {
  claim_close("C1", fit$statistic, expected$statistic)
  claim_close("C2", fit$stderr, expected$stderr)
  claim_close("C3", fit$parameter, expected$df)
  claim_close("C6", fit$correlation, expected$correlation)
  claim_close("C7", fit$estimate, expected$estimate)
}

scenario("S1",
  paired_case_worked_by_hand = function() {
    by_hand <- list(statistic = 1.317615691736824, stderr = sqrt(1.6), df = 5, correlation = 498 / sqrt(818 * 418),
      estimate = c(58 / 6, 8))
    claim_by_formulas(ask_paired(worked$x, worked$y, trim = 0.2), by_hand)
    # the default of trim is 0.2
    claim_by_formulas(ask_paired(worked$x, worked$y), by_hand)
    claim_close("C1", ask_paired(worked$x, worked$y, trim = 0.2)$statistic, (5 / 3) / sqrt(1.6))
  },
  paired_statistic_and_correlation_do_not_depend_on_the_order_of_the_pairs = function() {
    by_hand <- list(statistic = 1.317615691736824, stderr = sqrt(1.6), df = 5, correlation = 498 / sqrt(818 * 418),
      estimate = c(58 / 6, 8))
    for (order in list(10:1, c(4, 9, 1, 7, 10, 2, 6, 3, 8, 5), c(6, 2, 10, 1, 5, 9, 3, 8, 4, 7))) {
      claim_by_formulas(ask_paired(worked$x[order], worked$y[order], trim = 0.2), by_hand)
    }
  },
  paired_statistic_and_correlation_depend_on_which_values_of_x_and_y_are_a_pair = function() {
    sorted_alone <- base::sort(worked$y)
    claim_by_formulas(ask_paired(worked$x, sorted_alone, trim = 0.2), by_definition(worked$x, sorted_alone, 0.2))
    reversed <- base::rev(worked$y)
    claim_by_formulas(ask_paired(worked$x, reversed, trim = 0.2), by_definition(worked$x, reversed, 0.2))
  },
  correlation_of_a_column_and_its_linear_function = function() {
    x <- worked$x
    claim_close("C6", ask_paired(x, 2 * x + 3, trim = 0.2)$correlation, 1)
    claim_close("C6", ask_paired(x, -x, trim = 0.2)$correlation, -1)
    claim_close("C6", ask_paired(x, -x, trim = 0)$correlation, -1)
    # the exchange of x and y leaves it as it is
    claim_close("C6", ask_paired(worked$y, x, trim = 0.2)$correlation, 498 / sqrt(818 * 418))
  }
)

scenario("S2",
  paired_results_by_the_formulas_over_trim_mu_alternative_and_conf.level = function() {
    for_each_set_and_share(function(x, y, trim, number) {
      s <- in_turn(SETTINGS, number)
      expected <- by_definition(x, y, trim, s$mu, s$alternative, s$level)
      fit <- ask_paired(x, y, trim = trim, mu = s$mu, alternative = s$alternative, conf.level = s$level)
      claim_by_formulas(fit, expected)
      claim_close("C4", fit$p.value, expected$p.value)
      claim_close("C5", fit$conf.int, expected$conf.int)
      claim_close("C8", fit$effect, expected$effect)
    })
  },
  effect_with_paired_is_the_effect_without_paired = function() {
    sets <- data_sets()
    for (i in seq_along(sets)) {
      set <- sets[[i]]
      trim <- in_turn(set$shares, i)
      fit <- ask_paired(set$x, set$y, trim = trim, mu = in_turn(c(0, 0.7), i))
      claim_close("C8", fit$effect, ask("yuen_test", set$x, set$y, trim = trim)$effect)
    }
  },
  p.value_is_one_minus_conf.level_where_mu_is_a_limit_of_conf.int = function() {
    sets <- data_sets()
    for (i in seq_along(sets)) {
      set <- sets[[i]]
      trim <- in_turn(set$shares, i)
      s <- in_turn(SETTINGS[c(1, 3, 5, 7, 9, 11)], i)
      limits <- by_definition(set$x, set$y, trim, 0, s$alternative, s$level)$conf.int
      mu <- limits[is.finite(limits)][[1]]
      fit <- ask_paired(set$x, set$y, trim = trim, mu = mu, alternative = s$alternative, conf.level = s$level)
      claim_close("C4", fit$p.value, 1 - s$level)
      claim_close("C5", fit$conf.int, limits)
    }
  }
)

scenario("S6",
  paired_statistic_trims_the_columns_and_not_the_differences = function() {
    x <- worked$x
    y <- worked$y
    x[[1]] <- 102
    y[[1]] <- 101
    # as the specification prints it; a test of the differences would give 1.4142
    claim_close("C18", ask_paired(x, y, trim = 0.2)$statistic, 1.462145976005249)
    claim_close("C18", ask_paired(x, y, trim = 0.2)$statistic, by_definition(x, y, 0.2)$statistic)
    # the same in another pair
    x <- worked$x
    y <- worked$y
    x[[5]] <- x[[5]] + 100
    y[[5]] <- y[[5]] + 100
    claim_close("C18", ask_paired(x, y, trim = 0.2)$statistic, by_definition(x, y, 0.2)$statistic)
  }
)

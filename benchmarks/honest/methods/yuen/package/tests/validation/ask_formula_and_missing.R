# Missing values (S9) and the formula method (S10).
source("definitions.R")

like <- function(criterion, fit, other, names) {
  claim_close(criterion, lapply(names, function(name) fit[[name]]), lapply(names, function(name) other[[name]]))
}
REST <- c("statistic", "parameter", "p.value", "conf.int", "estimate", "stderr")

scenario("S9",
  trimmed_mean_with_missing_values_is_missing = function() {
    complete <- ask("trimmed_mean", Y)  # 5, exactly
    for (v in list(
      append(X, NA, 1), append(X, NaN, 1), c(Y, NaN), c(NA, Y), c(1L, NA, 3L), c(1, NA, Inf), c(NA_real_, NA_real_)
    )) {
      fit <- ask("trimmed_mean", v)
      claim_same("C21", list(fit$estimate, complete$estimate), list(NA_real_, 5))
      claim_silent("C21", fit)
      # the sample without missing values 3 3 3 has the standard error 0
      claim_same("C22", list(fit$stderr, ask("trimmed_mean", c(3, 3, 3))$stderr), list(NA_real_, 0))
    }
  },
  yuen_test_drops_missing_values_of_each_sample = function() {
    complete <- ask("yuen_test", X, Y)
    wanted <- yuen_by_definition(X, Y)
    for (pair in list(
      list(append(X, NA, 1), c(Y, NaN)), list(c(NaN, X), Y), list(X, c(NA, NA, NaN, Y)),
      list(c(X, rep(NA, 20)), c(rep(NaN, 9), Y))
    )) {
      fit <- ask("yuen_test", pair[[1]], pair[[2]])
      like("C23", fit, complete, REST)
      like("C23", fit, wanted, "statistic")
      like("C24", fit, complete, "effect")
      like("C24", fit, wanted, "effect")
    }
  },
  yuen_test_formula_drops_rows_with_missing_response_or_group = function() {
    complete <- ask("yuen_test", X, Y)
    for (d in with_missing_rows()) {
      fit <- ask("yuen_test", value ~ group, d)
      like("C34", fit, complete, REST)
      like("C34", fit, yuen_by_definition(X, Y), c("statistic", "effect"))
    }
  }
)

# The worked example with rows that are to be dropped: two without a response, one without a group, and the only row of a
# third group, whose response is missing. The group as a factor and as text.
with_missing_rows <- function() {
  value <- c(X[1], NA, X[-1], 1000, Y[1:3], NaN, Y[4:7], NA)
  group <- c("a", "a", rep("a", 9), NA, "b", "b", "b", "b", rep("b", 4), "c")
  list(
    data.frame(value = value, group = factor(group, levels = c("a", "b", "c"))),
    data.frame(value = value, group = group, stringsAsFactors = FALSE)
  )
}

# The example with the rows of y first.
reversed_rows <- function(first, second) {
  data.frame(value = c(Y, X), group = rep(c(second, first), c(length(Y), length(X))), stringsAsFactors = FALSE)
}

by_formula <- function(d, x, y, a, b, alternative = "two.sided", ...) {
  fit <- ask("yuen_test", value ~ group, d, alternative = alternative, ...)
  two <- ask("yuen_test", x, y, alternative = alternative, ...)
  like("C32", fit, two, setdiff(REST, "conf.int"))
  ends <- list(
    if (alternative == "less") -Inf else two$conf.int[1], if (alternative == "greater") Inf else two$conf.int[2]
  )
  claim_close("C32", list(fit$conf.int[1], fit$conf.int[2]), ends)
  like("C33", fit, two, "effect")
  claim_same("C36", fit$data.name, "value by group")
  claim_same("C39", list(names_of(fit$estimate), names_of(fit$null.value)), list(
    paste("trimmed mean in group", c(a, b)),
    list(paste("difference in trimmed means between group", a, "and group", b))
  ))
  fit
}

scenario("S10",
  yuen_test_formula_with_sleep = function() {
    fit <- ask("yuen_test", extra ~ group, sleep)
    x <- sleep$extra[sleep$group == "1"]
    y <- sleep$extra[sleep$group == "2"]
    like("C32", fit, ask("yuen_test", x, y), REST)
    like("C32", fit, yuen_by_definition(x, y), c("statistic", "p.value", "estimate"))
    like("C33", fit, ask("yuen_test", x, y), "effect")
    like("C33", fit, yuen_by_definition(x, y), "effect")
    claim_close("C29", fit$null.value, 0)
    claim_same("C36", fit$data.name, "extra by group")
    claim_same("C39", list(names_of(fit$estimate), names_of(fit$null.value)), list(
      c("trimmed mean in group 1", "trimmed mean in group 2"),
      list("difference in trimmed means between group 1 and group 2")
    ))
  },
  yuen_test_formula_text_group_is_sorted = function() {
    by_formula(reversed_rows("a", "b"), X, Y, "a", "b")
    # the rows of x are now of the group that comes second
    by_formula(reversed_rows("b", "a"), Y, X, "a", "b")
  },
  yuen_test_formula_number_group_is_sorted_as_numbers = function() {
    d <- reversed_rows("a", "b")
    d$group <- ifelse(d$group == "a", 9, 10)
    by_formula(d, X, Y, "9", "10")
  },
  yuen_test_formula_factor_levels_in_their_order_without_unused_level = function() {
    d <- reversed_rows("a", "b")
    d$group <- factor(d$group, levels = c("b", "a", "c"))
    by_formula(d, Y, X, "b", "a")
    d$group <- factor(d$group, levels = c("c", "b", "a"))
    by_formula(d, Y, X, "b", "a")
  },
  yuen_test_formula_passes_trim_mu_alternative_and_conf.level = function() {
    d <- reversed_rows("a", "b")
    for (alternative in ALTERNATIVES) {
      fit <- by_formula(d, X, Y, "a", "b", trim = 0.1, mu = 0.25, alternative = alternative, conf.level = 0.8)
      wanted <- yuen_by_definition(X, Y, 0.1, 0.25, alternative, 0.8)
      like("C32", fit, wanted, c("statistic", "p.value", "estimate"))
      like("C33", fit, wanted, "effect")
      claim_close("C29", fit$null.value, 0.25)
    }
  },
  yuen_test_formula_with_a_calculated_response = function() {
    d <- reversed_rows("a", "b")
    fit <- ask("yuen_test", log(value) ~ group, d)
    like("C32", fit, ask("yuen_test", log(X), log(Y)), "statistic")
    like("C33", fit, yuen_by_definition(log(X), log(Y)), "effect")
  }
)

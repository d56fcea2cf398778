# The parts of the result, its texts, the list of arguments and silence: S12.
source("paired_definitions.R")

x <- worked$x
y <- worked$y
PARTS <- c("statistic", "parameter", "p.value", "conf.int", "estimate", "null.value", "stderr", "alternative",
  "method", "data.name", "effect")
METHOD <- "Yuen's paired test for trimmed means (trim = %s)"

claim_names <- function(fit) {
  claim_same("C31", names_of(fit), c(PARTS, "correlation"))
  claim_same("C31", names_of(fit$statistic), "t")
  claim_same("C31", names_of(fit$parameter), "df")
  claim_same("C31", names_of(fit$estimate), c("trimmed mean of x", "trimmed mean of y"))
  claim_same("C31", names_of(fit$null.value), "difference in trimmed means")
}
claim_worked <- function(criterion, fit) {
  claim_near(criterion, fit$statistic, (5 / 3) / sqrt(1.6))
  claim_near(criterion, fit$parameter, 5)
  claim_near(criterion, fit$estimate, c(58 / 6, 8))
  claim_near(criterion, fit$correlation, 498 / sqrt(818 * 418))
}
# What has no name, and its value in the worked case.
without_names <- function(p, stderr, effect, correlation) {
  given <- list(p, stderr, effect, correlation)
  known <- by_definition(worked$x, worked$y, 0.2)
  known <- c(known$p.value, known$stderr, known$effect, known$correlation)
  bare <- vapply(given, function(one) is.double(one) && length(one) == 1L && is.null(names(one)), NA)
  all(bare) && all(abs(unlist(given) - known) < 1e-12)
}
# The print shows the test and neither effect nor correlation.
print_without_effect_and_correlation <- function(shown) {
  shown <- paste(unlist(shown), collapse = "\n")
  wanted <- c("Yuen's paired test for trimmed means (trim = 0.2)", "t = 1.3176, df = 5, p-value = 0.2448",
    "alternative hypothesis: true difference in trimmed means is not equal to 0", "95 percent confidence interval:",
    "trimmed mean of x trimmed mean of y")
  found <- vapply(wanted, grepl, NA, x = shown, fixed = TRUE)
  all(found) && !grepl("effect|correlation|0\\.85165", shown)
}

scenario("S12",
  method_and_data.name_with_paired = function() {
    for (trim in c(0, 0.1, 0.2, 0.25, 0.3, 1 / 3)) {
      fit <- ask_paired(x, y, trim = trim)
      claim_same("C30", fit$method, sprintf(METHOD, format(trim)))
    }
    fit <- ask("yuen_test", x, y, paired = TRUE)
    claim_same("C30", fit$method, sprintf(METHOD, "0.2"))
    # the two expressions, as the call without paired writes them
    claim_same("C30", fit$data.name, ask("yuen_test", x, y)$data.name)
    missing <- c(x[1:9], NA)
    claim_same("C30", ask("yuen_test", missing, y, paired = TRUE)$data.name, ask("yuen_test", missing, y)$data.name)
  },
  parts_and_names_with_paired = function() {
    fit <- ask_paired(x, y)
    claim_returns("C31", fit)
    claim_names(fit)
    claim_worked("C31", fit)
    claim_observe("C31", without_names, fit$p.value, fit$stderr, fit$effect, fit$correlation)
    claim_same("C31", length_of(fit$conf.int), 2L)
    claim_same("C31", fit$alternative, "two.sided")
    claim_near("C31", fit$null.value, 0)
    claim_names(ask_paired(x, y, trim = 0, conf.level = 0.8))
  },
  null.value_and_alternative_with_paired = function() {
    fit <- ask_paired(x, y, mu = 1, alternative = "g")
    claim_names(fit)
    claim_near("C31", fit$null.value, 1)
    claim_same("C31", fit$alternative, "greater")
    claim_same("C31", ask_paired(x, y, alternative = "l")$alternative, "less")
    claim_same("C31", ask_paired(x, y, alternative = "two")$alternative, "two.sided")
    claim_near("C31", fit$statistic, by_definition(x, y, 0.2, 1)$statistic)
    claim_near("C31", fit$p.value, by_definition(x, y, 0.2, 1, "greater")$p.value)
  },
  no_correlation_without_paired = function() {
    claim_same("C31", names_of(ask("yuen_test", x, y)), PARTS)
    claim_same("C31", names_of(ask("yuen_test", x, y, paired = FALSE)), PARTS)
    groups <- data.frame(value = c(x, y), group = rep(c("a", "b"), each = 10))
    claim_same("C31", names_of(ask("yuen_test", value ~ group, data = groups)), PARTS)
  },
  matrix_whole_numbers_and_names_of_values_with_paired = function() {
    named <- stats::setNames(x, letters[1:10])
    for (fit in list(ask_paired(matrix(x, 2), matrix(y, 5)), ask_paired(matrix(x, 10), y),
      ask_paired(as.integer(x), as.integer(y)), ask_paired(named, stats::setNames(y, LETTERS[1:10])),
      ask_paired(named, y))) {
      claim_names(fit)
      claim_worked("C31", fit)
    }
  },
  correlation_lies_between_its_limits = function() {
    for (trim in c(0, 0.1, 0.2)) {
      for (other in list(2 * x + 3, 0.1 * x + 0.7, -x, x / 3, -0.3 * x + 1 / 7)) {
        claim_between("C31", -1, ask_paired(x, other, trim = trim)$correlation, 1)
      }
    }
  },
  print_with_paired = function() {
    shown <- text_of(ask_paired(x, y))
    claim_observe("C31", print_without_effect_and_correlation, shown)
    claim_contains("C31", text_of(ask_paired(x, y, conf.level = 0.8)), "80 percent confidence interval:")
    claim_contains("C31", text_of(ask_paired(x, y, conf.level = 0.99, alternative = "less")),
      "99 percent confidence interval:")
  },
  paired_leaves_its_arguments_alone_and_is_silent = function() {
    missing <- c(x[1:9], NA)
    for (fit in list(ask_paired(x, y), ask_paired(missing, y, trim = 0, mu = 1, alternative = "less"),
      ask_paired(as.integer(x), c(y[1:8], NaN, 3), conf.level = 0.8), ask_paired(matrix(x, 2), matrix(y, 2)))) {
      claim_silent("C32", fit)
      claim_untouched("C32", fit)
      claim_repeatable("C32", fit)
    }
  },
  signature_of_the_generic = function() {
    arguments <- signature_of("yuen_test")
    claim_same("C33", length_of(arguments), 2L)
    claim_same("C33", arguments[[1]]$name, "x")
    claim_same("C33", arguments[[2]]$name, "...")
  },
  paired_is_the_seventh_argument_after_conf.level = function() {
    expected <- by_definition(x, y, 0.1, 0.7, "less", 0.8)
    fits <- list(
      ask("yuen_test", x, y, 0.1, 0.7, "less", 0.8, TRUE),
      ask("yuen_test", x, y, 0.1, 0.7, "less", conf.level = 0.8, TRUE),
      ask("yuen_test", x, y, trim = 0.1, mu = 0.7, alternative = "less", conf.level = 0.8, pair = TRUE),
      ask("yuen_test", x, y, trim = 0.1, mu = 0.7, alternative = "less", conf.level = 0.8, paired = TRUE)
    )
    for (fit in fits) {
      claim_near("C33", fit$statistic, expected$statistic)
      claim_near("C33", fit$p.value, expected$p.value)
      claim_near("C33", fit$conf.int[[2]], expected$conf.int[[2]])
      claim_near("C33", fit$correlation, expected$correlation)
      claim_same("C33", fit$method, sprintf(METHOD, "0.1"))
    }
    # and FALSE where it is not given
    plain <- ask("yuen_test", x, y, 0.1, 0.7, "less", 0.8)
    claim_same("C33", ask("yuen_test", x, y, 0.1, 0.7, "less", 0.8, FALSE), plain)
    claim_same("C33", names_of(plain), PARTS)
  },
  formula_has_the_arguments_that_it_had = function() {
    groups <- data.frame(value = c(x, y), group = rep(c("a", "b"), each = 10))
    claim_same("C33", ask("yuen_test", formula = value ~ group, data = groups)$statistic,
      ask("yuen_test", x, y)$statistic)
    claim_same("C33", ask("yuen_test", value ~ group, groups, 0.1, 0.7, "less", 0.8)$p.value,
      ask("yuen_test", x, y, 0.1, 0.7, "less", 0.8)$p.value)
  }
)

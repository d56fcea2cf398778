# Smallest, constant, large and very small values (S15), what must not be touched (S16), and the package as it is (S17).
source("definitions.R")

scenario("S15",
  yuen_test_of_smallest_samples = function() {
    for (case in list(
      list(c(1, 3), c(2, 7), 0.2), list(c(1, 2, 4, 9), c(0, 3, 5, 6), 0.25), list(c(9, 1, 2, 4), c(6, 3, 0, 5), 0.25)
    )) {
      fit <- ask("yuen_test", case[[1]], case[[2]], trim = case[[3]])
      wanted <- yuen_by_definition(case[[1]], case[[2]], case[[3]])
      claim_close("C43", list(fit$statistic, fit$effect), list(wanted$statistic, wanted$effect))
      claim_close("C44", fit$parameter, wanted$parameter)
    }
  },
  yuen_test_with_one_constant_sample = function() {
    constant <- rep(5, 5)
    x_constant <- ask("yuen_test", constant, Y)
    y_constant <- ask("yuen_test", Y, constant)
    # both trimmed means are 5: a statistic of 0
    claim_close("C43", list(x_constant$statistic, y_constant$statistic), list(0, 0))
    claim_close("C44", list(x_constant$parameter, y_constant$parameter), list(4, 4))
    wanted <- yuen_by_definition(constant, X)
    fit <- ask("yuen_test", constant, X)
    claim_close("C43", list(fit$statistic, fit$effect), list(wanted$statistic, wanted$effect))
    claim_close("C44", fit$parameter, 5)
    other <- ask("yuen_test", X, constant)
    claim_close("C43", list(other$statistic, other$effect), list(-wanted$statistic, -wanted$effect))
    claim_close("C44", other$parameter, 5)
  },
  yuen_test_of_large_integer_values = function() {
    fit <- ask("yuen_test", 1:10 * 200000000L, 1:7 * 300000000L)
    wanted <- yuen_by_definition(2 * (1:10), 3 * (1:7))
    claim_close("C43", list(fit$statistic, fit$effect), list(wanted$statistic, wanted$effect))
    claim_close("C44", fit$parameter, wanted$parameter)
  },
  yuen_test_of_values_on_extreme_scale = function() {
    wanted <- yuen_by_definition(X, Y)
    for (factor in c(1e-100, 1e100)) {
      fit <- ask("yuen_test", X * factor, Y * factor)
      claim_close("C43", list(fit$statistic, fit$effect), list(wanted$statistic, wanted$effect))
      claim_close("C44", fit$parameter, wanted$parameter)
    }
  },
  trimmed_mean_stderr_of_constant_values_is_zero = function() {
    for (trim in c(0, 0.2, 0.4)) claim_close("C45", ask("trimmed_mean", rep(5, 5), trim = trim)$stderr, 0)
    claim_close("C45", ask("trimmed_mean", c(5, 5))$stderr, 0)
  }
)

scenario("S16",
  yuen_test_leaves_its_arguments = function() {
    d <- data.frame(value = c(X, Y), group = rep(c("a", "b"), c(10, 7)), stringsAsFactors = FALSE)
    for (fit in list(ask("yuen_test", rev(X), rev(Y)), ask("yuen_test", value ~ group, d))) {
      claim_untouched("C42", fit)
      claim_repeatable("C42", fit)
      claim_silent("C42", fit)
    }
  },
  trimmed_mean_leaves_its_arguments = function() {
    fit <- ask("trimmed_mean", rev(X))
    claim_untouched("C42", fit)
    claim_repeatable("C42", fit)
    claim_silent("C42", fit)
  },
  yuen_test_twice_is_the_same = function() {
    first <- seeded(1, ask("yuen_test", X, Y))
    second <- seeded(2, ask("yuen_test", X, Y))
    claim_same("C42", first, second)
  }
)

scenario("S17",
  package_exports_trimmed_mean_and_yuen_test = function() {
    exports()
    ask("trimmed_mean", X)
    ask("yuen_test", X, Y)
  }
)

# The worked example (S1), the number trimmed (S8), the constant of the effect (S4) and normal quantiles (S5).
source("definitions.R")

scenario("S1",
  trimmed_mean_estimate_and_stderr_with_default_trim = function() {
    for (v in list(X, Y)) {
      # as numbers, as whole numbers, as a matrix, with names, in another order
      forms <- list(v, as.integer(v), matrix(v, ncol = 1), setNames(v, letters[seq_along(v)]), rev(v))
      answers <- lapply(forms, function(form) ask("trimmed_mean", form))
      claim_close("C14", each(answers, "estimate"), rep(list(mean_by_definition(v, 0.2)), length(forms)))
      claim_close("C15", each(answers, "stderr"), rep(list(one_standard_error(v, 0.2)), length(forms)))
    }
  },
  trimmed_mean_stderr_printed_in_the_specification = function() {
    claim_close("C14", ask("trimmed_mean", X)$estimate, 58 / 6)
    claim_close("C14", ask("trimmed_mean", Y)$estimate, 5)
    claim_close("C15", ask("trimmed_mean", X)$stderr, sqrt(818 / 45 / 10) / 0.6)
    claim_close("C15", ask("trimmed_mean", Y)$stderr, sqrt(101 / 21 / 7) / 0.6)
  },
  yuen_test_with_default_arguments = function() {
    fit <- ask("yuen_test", X, Y)
    claim_close("C16", fit$stderr, sqrt(818 / 150 + 101 / 70))
    claim_close("C17", fit$statistic, (58 / 6 - 5) / sqrt(818 / 150 + 101 / 70))
    claim_close("C18", fit$parameter, (818 / 150 + 101 / 70)^2 / ((818 / 150)^2 / 5 + (101 / 70)^2 / 4))
    expected <- yuen_by_definition(X, Y)
    claim_close("C25", fit$p.value, expected$p.value)
    claim_close("C26", fit$conf.int, expected$conf.int)
    claim_close("C28", fit$estimate, c(58 / 6, 5))
    claim_close("C28", list(fit$estimate[1], fit$estimate[2]), list(
      ask("trimmed_mean", X)$estimate, ask("trimmed_mean", Y)$estimate
    ))
  },
  yuen_test_effect_pools_winsorised_variances_by_n_minus_one = function() {
    pooled <- (9 * 818 / 45 + 6 * 101 / 21) / 15
    claim_close("C8", ask("yuen_test", X, Y)$effect, constant_by_integration(0.2) * (58 / 6 - 5) / sqrt(pooled))
  },
  yuen_test_of_integer_matrix_and_named_values = function() {
    expected <- yuen_by_definition(X, Y)
    answers <- list(
      ask("yuen_test", as.integer(X), as.integer(Y)),
      ask("yuen_test", matrix(X, 2), matrix(Y, 1)),
      ask("yuen_test", setNames(X, letters[1:10]), setNames(Y, LETTERS[1:7]))
    )
    claim_close("C17", each(answers, "statistic"), rep(list(expected$statistic), 3))
    claim_close("C18", each(answers, "parameter"), rep(list(expected$parameter), 3))
    claim_close("C8", each(answers, "effect"), rep(list(expected$effect), 3))
  }
)

scenario("S8",
  trimmed_mean_number_trimmed_is_floor_in_floating_point = function() {
    squares <- (1:100)^2
    shifted <- squares + 0.5
    fits <- list(ask("trimmed_mean", squares, trim = 0.29), ask("trimmed_mean", shifted, trim = 0.29))
    claim_close("C19", each(fits, "estimate"), list(sum(squares[29:72]) / 44, sum(shifted[29:72]) / 44))
    claim_close("C19", each(fits, "estimate"), list(mean(squares, trim = 0.29), mean(shifted, trim = 0.29)))
    fit <- ask("yuen_test", squares, shifted, trim = 0.29)
    claim_close("C19", fit$estimate, c(2711.5, 2712))
  },
  yuen_test_parameter_number_trimmed_is_floor_in_floating_point = function() {
    squares <- (1:100)^2
    fit <- ask("yuen_test", squares, squares + 0.5, trim = 0.29)
    # equal Winsorised variances and h = 44 in both: 2 (h - 1)
    claim_close("C20", fit$parameter, 86)
    # unequal ones
    other <- ask("yuen_test", squares, sqrt(squares), trim = 0.29)
    claim_close("C20", other$parameter, yuen_by_definition(squares, sqrt(squares), 0.29)$parameter)
  }
)

scenario("S4",
  yuen_test_effect_is_the_constant_of_the_note = function() {
    u <- c(-10, -1, 0, 1, 10)
    claim_close("C7", ask("yuen_test", u, u - 1, trim = 0.2)$effect)
  },
  yuen_test_effect_constant_for_every_trim = function() {
    u <- c(-10, -1, 0, 1, 10)
    claim_close("C11", ask("yuen_test", u, u - 1, trim = 0.2)$effect, constant_by_integration(0.2))
    scaled <- u / sqrt(sum((u - mean(u))^2) / 4)
    claim_close("C11", ask("yuen_test", scaled, scaled - 1, trim = 0)$effect, 1)
    v <- c(-10, -8, -3, -2, -1, 1, 2, 3, 8, 10)
    for (trim in c(0.1, 0.25, 0.3, 0.4)) {
      difference <- mean_by_definition(v, trim) - mean_by_definition(v - 1, trim)
      fit <- ask("yuen_test", v, v - 1, trim = trim)
      recovered <- fit$effect * (pooled_spread(v, v - 1, trim) / difference)
      claim_close("C11", recovered, constant_by_integration(trim))
    }
  }
)

scenario("S5",
  yuen_test_effect_of_normal_samples_is_cohens_d = function() {
    z <- qnorm(ppoints(20000))
    for (trim in c(0.1, 0.2, 0.3)) {
      for (s in c(1, 3)) {
        shares <- lapply(c(0.5, 1, 2), function(d) ask("yuen_test", s * (z + d), s * z, trim = trim)$effect / d)
        claim_close("C12", shares, list(1, 1, 1))
      }
    }
  }
)

# Relations between calls: shift and factor (S3), one-sided p-values (S6), symmetries (S12), interval and test (S13).
source("definitions.R")

TRIMS <- c(0, 0.1, 0.2, 0.4)

scenario("S3",
  yuen_test_statistic_of_shifted_samples = function() {
    for (i in 1:30) {
      pair <- sixty_fourths()
      for (j in seq_along(TRIMS)) {
        mu <- c(0, 0.25)[(i + j) %% 2 + 1]
        of <- function(shift) ask("yuen_test", pair$x + shift, pair$y + shift, trim = TRIMS[j], mu = mu)$statistic
        base <- of(0)
        claim_close("C5", list(of(-1000), of(17)), list(base, base))
      }
    }
  },
  yuen_test_statistic_of_scaled_samples_and_mu = function() {
    for (i in 1:30) {
      pair <- sixty_fourths()
      for (j in seq_along(TRIMS)) {
        mu <- c(0, 0.25)[(i + j) %% 2 + 1]
        of <- function(f) ask("yuen_test", pair$x * f, pair$y * f, trim = TRIMS[j], mu = mu * f)$statistic
        base <- of(1)
        claim_close("C6", list(of(1e-6), of(1 / 3), of(1e6)), list(base, base, base))
      }
    }
  }
)

# Normal and exponential samples; shifts of multiples of 1/64 are exact.
sixty_fourths <- function() {
  drawn_pair(function() {
    n <- drawn_sizes(5, 40, TRIMS)
    list(x = round(64 * rnorm(n[1], 1, 1.5)) / 64, y = round(64 * rexp(n[2])) / 64)
  }, TRIMS)
}

scenario("S6",
  yuen_test_p.value_less_and_greater_sum_to_one = function() {
    for (difference in seq(0, 3, length.out = 30)) {
      n <- drawn_sizes(5, 40, TRIMS)
      x <- rnorm(n[1], difference)
      y <- rnorm(n[2])
      for (trim in TRIMS) {
        for (mu in c(0, 0.5)) {
          less <- ask("yuen_test", x, y, trim = trim, mu = mu, alternative = "less")
          greater <- ask("yuen_test", x, y, trim = trim, mu = mu, alternative = "greater")
          claim_close("C13", less$p.value + greater$p.value, 1)
        }
      }
    }
  }
)

normal_pair <- function(low, high, spread = 1) {
  n <- sample(low:high, 2, replace = TRUE)
  list(x = rnorm(n[1], 0.8 * spread, spread), y = rnorm(n[2], 0, 1.5 * spread))
}

NUMBERS <- c("statistic", "parameter", "p.value", "conf.int", "estimate", "stderr", "effect")
several <- function(fit) lapply(NUMBERS, function(name) fit[[name]])

scenario("S12",
  yuen_test_of_exchanged_samples_changes_the_sign = function() {
    for (i in 1:20) {
      pair <- normal_pair(10, 30)
      fit <- ask("yuen_test", pair$x, pair$y)
      swapped <- ask("yuen_test", pair$y, pair$x)
      claim_close(
        "C30",
        list(
          swapped$statistic, swapped$conf.int[1], swapped$conf.int[2], swapped$effect, swapped$parameter, swapped$p.value
        ),
        list(-fit$statistic, -fit$conf.int[2], -fit$conf.int[1], -fit$effect, fit$parameter, fit$p.value)
      )
    }
  },
  yuen_test_order_of_values_and_extreme_values_do_not_matter = function() {
    for (i in 1:20) {
      pair <- normal_pair(10, 30)
      fit <- ask("yuen_test", pair$x, pair$y)
      claim_close("C31", several(ask("yuen_test", sample(pair$x), sample(pair$y))), several(fit))
      claim_close("C31", several(ask("yuen_test", further_up(pair$x), further_down(pair$y))), several(fit))
    }
  },
  trimmed_mean_order_of_values_and_extreme_values_do_not_matter = function() {
    for (i in 1:20) {
      pair <- normal_pair(10, 30)
      for (v in list(list(pair$x, further_up(pair$x)), list(pair$y, further_down(pair$y)))) {
        fit <- ask("trimmed_mean", v[[1]])
        for (other in list(sample(v[[1]]), v[[2]])) {
          moved <- ask("trimmed_mean", other)
          claim_close("C31", list(moved$estimate, moved$stderr), list(fit$estimate, fit$stderr))
        }
      }
    }
  }
)
further_up <- function(v) replace(v, which.max(v), 1e6)
further_down <- function(v) replace(v, which.min(v), -1e6)

# Which ends of an interval are finite.
finite_ends <- function(alternative) switch(alternative, two.sided = 1:2, less = 2L, greater = 1L)

# The ends that the package gives are tested by the package.
ends_have_p_value_of_the_level <- function(ask, xs, ys) {
  found <- numeric()
  for (i in seq_along(xs)) {
    for (alternative in c("two.sided", "less", "greater")) {
      of <- function(...) ask("yuen_test", xs[[i]], ys[[i]], trim = 0.2, alternative = alternative, conf.level = 0.9, ...)
      ends <- as.double(unlist(of()$conf.int))
      for (j in finite_ends(alternative)) {
        end <- ends[j]
        found <- c(found, if (is.finite(end)) as.double(of(mu = end)$p.value) else NA_real_)
      }
    }
  }
  list(found, rep(1 - 0.9, 4 * length(xs)))
}

scenario("S13",
  yuen_test_p.value_at_the_ends_of_its_own_conf.int = function() {
    pairs <- lapply(1:20, function(i) normal_pair(8, 30, spread = 0.1))
    claim_dialogue("C27", ends_have_p_value_of_the_level, each(pairs, "x"), each(pairs, "y"))
  },
  yuen_test_p.value_at_the_ends_of_conf.int_by_definition = function() {
    for (i in 1:20) {
      pair <- normal_pair(8, 30, spread = 0.1)
      for (alternative in ALTERNATIVES) {
        ends <- yuen_by_definition(pair$x, pair$y, 0.2, 0, alternative, 0.9)$conf.int[finite_ends(alternative)]
        fits <- lapply(ends, function(end) {
          ask("yuen_test", pair$x, pair$y, trim = 0.2, mu = end, alternative = alternative, conf.level = 0.9)
        })
        claim_close("C27", each(fits, "p.value"), rep(list(1 - 0.9), length(ends)))
      }
    }
  }
)

# What the source states of the paired form: S3, S4, S5, S7, S13.
source("paired_definitions.R")

claim_paired_t <- function(x, y, mu, alternative, level) {
  known <- stats::t.test(x, y, paired = TRUE, mu = mu, alternative = alternative, conf.level = level)
  fit <- ask_paired(x, y, trim = 0, mu = mu, alternative = alternative, conf.level = level)
  claim_close("C9", fit$statistic, unname(known$statistic))
  claim_close("C10", fit$parameter, unname(known$parameter))
  claim_close("C11", fit$p.value, known$p.value)
  claim_close("C12", fit$conf.int, as.vector(known$conf.int))
}
missing_at <- function(x, places, what) {
  x[places] <- what
  x
}

scenario("S3",
  paired_with_trim_0_is_the_paired_t_test = function() {
    sets <- data_sets()
    for (i in seq_along(sets)) {
      for (s in list(in_turn(SETTINGS, i), in_turn(SETTINGS, i + 7))) {
        claim_paired_t(sets[[i]]$x, sets[[i]]$y, s$mu, s$alternative, s$level)
      }
    }
  },
  paired_with_trim_0_and_missing_values_is_the_paired_t_test = function() {
    sets <- data_sets()
    for (i in seq_along(sets)) {
      x <- sets[[i]]$x
      y <- sets[[i]]$y
      in_x <- sample(length(x), sample(2, 1))
      in_y <- sample(length(y), sample(2, 1))
      where <- in_turn(c("x", "y", "both"), i)
      if (where != "y") x <- missing_at(x, in_x, in_turn(c(NA, NaN), i))
      if (where != "x") y <- missing_at(y, in_y, in_turn(c(NaN, NA), i + i %/% 3))
      s <- in_turn(SETTINGS, i + 3)
      claim_paired_t(x, y, s$mu, s$alternative, s$level)
    }
  }
)

scenario("S4",
  exchange_of_x_and_y_reverses_the_sign_of_statistic_and_conf.int = function() {
    for_each_set_and_share(function(x, y, trim, number) {
      alternative <- in_turn(ALTERNATIVES, number)
      mu <- in_turn(c(0, 0, 0, 0.7, 0.7, 0.7), number)
      one <- ask_paired(x, y, trim = trim, mu = mu, alternative = alternative)
      other <- ask_paired(y, x, trim = trim, mu = -mu, alternative = REVERSED[[alternative]])
      claim_close("C13", one$statistic, -other$statistic)
      # an infinite limit is given as such: two answers that are no finite numbers do not confirm each other
      a <- one$conf.int
      b <- other$conf.int
      switch(alternative,
        two.sided = claim_close("C14", list(a[[1]], a[[2]]), list(-b[[2]], -b[[1]])),
        less = claim_close("C14", list(a[[1]], a[[2]], b[[2]]), list(-Inf, -b[[1]], Inf)),
        greater = claim_close("C14", list(a[[1]], a[[2]], b[[1]]), list(-b[[2]], Inf, -Inf))
      )
    })
  }
)

scenario("S5",
  one_number_added_to_all_values_of_x_and_y_leaves_the_paired_statistic = function() {
    grid <- lapply(data_sets(), function(set) {
      set$x <- round(set$x * 1024) / 1024
      set$y <- round(set$y * 1024) / 1024
      set
    })
    for_each_set_and_share(function(x, y, trim, number) {
      # five shares and three numbers: in the course of the data sets every one meets every other
      added <- in_turn(c(100, -37.5, 1000), number)
      mu <- in_turn(c(0, 0, 0, 0.75), number)
      plain <- ask_paired(x, y, trim = trim, mu = mu)
      moved <- ask_paired(x + added, y + added, trim = trim, mu = mu)
      claim_close("C17", moved$statistic, plain$statistic)
      claim_close("C17", moved$statistic, by_definition(x, y, trim, mu)$statistic)
    }, grid)
  }
)

# The call with incomplete pairs against the one from which they were taken out beforehand.
claim_complete_pairs <- function(x, y, trim, mu = 0) {
  complete <- !is.na(x) & !is.na(y)
  all_pairs <- ask_paired(x, y, trim = trim, mu = mu)
  taken_out <- ask_paired(x[complete], y[complete], trim = trim, mu = mu)
  claim_close("C19", all_pairs$statistic, taken_out$statistic)
  claim_close("C20", all_pairs$correlation, taken_out$correlation)
  claim_close("C19",
    list(all_pairs$estimate, all_pairs$stderr, all_pairs$parameter, all_pairs$p.value, all_pairs$conf.int),
    list(taken_out$estimate, taken_out$stderr, taken_out$parameter, taken_out$p.value, taken_out$conf.int))
  claim_close("C8", all_pairs$effect, ask("yuen_test", x[complete], y[complete], trim = trim)$effect)
}
# Data of which enough is left, with `spoil(x, y)` giving them their missing values.
with_incomplete_pairs <- function(spoil) {
  sets <- data_sets()
  sets <- sets[vapply(sets, function(set) length(set$x) >= 14, NA)]
  for (i in seq_along(sets)[seq_len(min(10, length(sets)))]) {
    set <- sets[[i]]
    trim <- in_turn(set$shares, i)
    repeat {
      spoilt <- spoil(set$x, set$y)
      complete <- !is.na(spoilt$x) & !is.na(spoilt$y)
      if (is_usable(spoilt$x[complete], spoilt$y[complete], trim)) break
      if (trim > 0.25) trim <- 0.2
    }
    claim_complete_pairs(spoilt$x, spoilt$y, trim, in_turn(c(0, 0.7), i))
  }
}

scenario("S7",
  paired_with_missing_values_in_x_only = function() {
    with_incomplete_pairs(function(x, y) list(x = missing_at(x, sample(length(x), 3), NA), y = y))
  },
  paired_with_missing_values_in_y_only = function() {
    with_incomplete_pairs(function(x, y) list(x = x, y = missing_at(y, sample(length(y), 3), NA)))
  },
  paired_with_nan_as_missing_values = function() {
    with_incomplete_pairs(function(x, y) {
      list(x = missing_at(x, sample(length(x), 1), NaN), y = missing_at(y, sample(length(y), 2), NaN))
    })
  },
  paired_with_both_members_of_a_pair_missing = function() {
    with_incomplete_pairs(function(x, y) {
      at <- sample(length(x), 2)
      list(x = missing_at(x, at, c(NA, NaN)), y = missing_at(y, at, c(NA, NA)))
    })
  },
  paired_with_different_numbers_of_missing_values_in_x_and_y = function() {
    with_incomplete_pairs(function(x, y) {
      at <- sample(length(x), 4)
      list(x = missing_at(x, at[1:3], NA), y = missing_at(y, at[3:4], NA))
    })
  },
  paired_with_infinite_values_in_incomplete_pairs = function() {
    with_incomplete_pairs(function(x, y) {
      at <- sample(length(x), 2)
      x[at] <- c(Inf, NA)
      y[at] <- c(NA, -Inf)
      list(x = x, y = y)
    })
  },
  paired_with_one_value_missing_in_the_worked_case = function() {
    claim_complete_pairs(missing_at(worked$x, 10, NA), worked$y, 0.2)
    claim_complete_pairs(worked$x, missing_at(worked$y, 2, NA), 0.2)
    claim_complete_pairs(missing_at(worked$x, 3, NA), missing_at(worked$y, 8, NaN), 0.2, 1)
  }
)

scenario("S13",
  paired_statistic_p.value_effect_and_correlation_do_not_depend_on_the_scale = function() {
    for (mu in c(1, 0)) {
      plain <- ask_paired(worked$x, worked$y, trim = 0.2, mu = mu)
      expected <- by_definition(worked$x, worked$y, 0.2, mu)
      for (scale in 2^c(-600, -300, 300, 600)) {
        fit <- ask_paired(worked$x * scale, worked$y * scale, trim = 0.2, mu = mu * scale)
        claim_close("C34", list(fit$statistic, fit$p.value, fit$effect, fit$correlation),
          list(plain$statistic, plain$p.value, plain$effect, plain$correlation))
        claim_close("C34", list(fit$statistic, fit$p.value, fit$effect, fit$correlation),
          list(expected$statistic, expected$p.value, expected$effect, expected$correlation))
      }
    }
  },
  paired_statistic_with_mu_0_does_not_depend_on_a_large_number_added_to_x_and_y = function() {
    fit <- ask_paired(worked$x + 2^40, worked$y + 2^40, trim = 0.2)
    claim_close("C34", fit$statistic, (5 / 3) / sqrt(1.6))
    claim_close("C34", fit$statistic, ask_paired(worked$x, worked$y, trim = 0.2)$statistic)
  }
)

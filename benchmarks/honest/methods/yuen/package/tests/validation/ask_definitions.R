# All results against the definitions (S7).
source("definitions.R")

SHARES <- c(0.1, 0.2, 0.25, 0.33, 0.4)

pairs_of_samples <- function() {
  lapply(1:40, function(i) {
    drawn_pair(function() {
      n <- drawn_sizes(5, 40, SHARES, unequal = TRUE)
      list(x = rt(n[1], 3), y = 2 * rexp(n[2]))
    }, SHARES)
  })
}

scenario("S7",
  trimmed_mean_estimate_and_stderr_by_definition = function() {
    for (pair in pairs_of_samples()) {
      for (trim in SHARES) {
        fits <- list(ask("trimmed_mean", pair$x, trim = trim), ask("trimmed_mean", pair$y, trim = trim))
        claim_close("C14", each(fits, "estimate"), lapply(unname(pair), mean_by_definition, trim))
        claim_close("C14", each(fits, "estimate"), lapply(unname(pair), function(v) mean(v, trim = trim)))
        claim_close("C15", each(fits, "stderr"), lapply(unname(pair), one_standard_error, trim))
        fit <- ask("yuen_test", pair$x, pair$y, trim = trim)
        claim_close("C28", list(fit$estimate[1], fit$estimate[2]), each(fits, "estimate"))
      }
    }
  },
  yuen_test_by_definition_for_every_trim_alternative_mu_and_conf.level = function() {
    settings <- expand.grid(mu = c(0, -0.7), level = c(0.95, 0.6))
    pairs <- pairs_of_samples()
    for (i in seq_along(pairs)) {
      x <- pairs[[i]]$x
      y <- pairs[[i]]$y
      for (j in seq_along(SHARES)) {
        # each alternative with each of the four settings in turn: all combinations occur for ten pairs
        rows <- lapply(seq_along(ALTERNATIVES), function(a) {
          row <- settings[(i + j + a) %% 4 + 1, ]
          list(alternative = ALTERNATIVES[a], mu = row$mu, level = row$level)
        })
        fits <- lapply(rows, function(row) {
          ask("yuen_test", x, y,
            trim = SHARES[j], mu = row$mu, alternative = row$alternative, conf.level = row$level
          )
        })
        wanted <- lapply(rows, function(row) yuen_by_definition(x, y, SHARES[j], row$mu, row$alternative, row$level))
        claim_close("C16", each(fits, "stderr"), each(wanted, "stderr"))
        claim_close("C17", each(fits, "statistic"), each(wanted, "statistic"))
        claim_close("C18", each(fits, "parameter"), each(wanted, "parameter"))
        claim_close("C25", each(fits, "p.value"), each(wanted, "p.value"))
        claim_close("C26", each(fits, "conf.int"), each(wanted, "conf.int"))
        claim_close("C28", each(fits, "estimate"), each(wanted, "estimate"))
        claim_close("C29", each(fits, "null.value"), each(wanted, "null.value"))
        claim_close("C10", each(fits, "effect"), each(wanted, "effect"))
      }
    }
  }
)

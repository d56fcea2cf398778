# With trim = 0 the test is Welch's (S2). REF1 is stats::t.test.
source("definitions.R")

welch <- function(x, y, settings) {
  do.call(stats::t.test, c(list(x, y), settings))
}
numbers <- function(v) as.vector(unname(v), "double")

claim_like_welch <- function(x, y, rows) {
  fits <- lapply(rows, function(row) do.call(ask, c(list("yuen_test", x, y, trim = 0), row)))
  tests <- lapply(rows, function(row) welch(x, y, row))
  expected <- function(name) lapply(each(tests, name), numbers)
  claim_close("C1", each(fits, "statistic"), expected("statistic"))
  claim_close("C1", each(fits, "stderr"), expected("stderr"))
  claim_close("C2", each(fits, "parameter"), expected("parameter"))
  claim_close("C3", each(fits, "p.value"), expected("p.value"))
  claim_close("C4", each(fits, "conf.int"), expected("conf.int"))
  a <- x[!is.na(x)]
  b <- y[!is.na(y)]
  pooled <- ((length(a) - 1) * var(a) + (length(b) - 1) * var(b)) / (length(a) + length(b) - 2)
  claim_close("C9", each(fits, "effect"), rep(list((mean(a) - mean(b)) / sqrt(pooled)), length(fits)))
}

settings_of <- function(levels, mus = c(0, 0.25)) {
  rows <- expand.grid(alternative = ALTERNATIVES, mu = mus, conf.level = levels, stringsAsFactors = FALSE)
  lapply(seq_len(nrow(rows)), function(i) as.list(rows[i, ]))
}

drawn <- function() {
  n <- drawn_sizes(5, 40, 0, unequal = TRUE)
  list(x = rnorm(n[1], 3, 2), y = rexp(n[2]))
}

scenario("S2",
  yuen_test_without_trim_is_welch = function() {
    for (i in 1:30) {
      pair <- drawn()
      claim_like_welch(pair$x, pair$y, settings_of(c(0.95, 0.8)))
    }
  },
  yuen_test_without_trim_is_welch_with_missing_values = function() {
    pair <- drawn()
    x <- c(NA, pair$x, NaN)
    y <- c(pair$y[1:2], NaN, NA, pair$y[-(1:2)])
    claim_like_welch(x, y, settings_of(c(0.95, 0.8)))
  },
  yuen_test_without_trim_conf.level_zero_and_one = function() {
    pair <- drawn()
    claim_like_welch(pair$x, pair$y, settings_of(c(0, 1), mus = 0))
  }
)

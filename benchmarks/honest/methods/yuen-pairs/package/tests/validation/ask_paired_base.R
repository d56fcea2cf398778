# Without paired, and with paired = FALSE, everything is as it was: S8.
source("paired_definitions.R")

# Samples as vectors: the pairs of a data set, and also with missing values and of different lengths.
vectors <- function() {
  sets <- data_sets()
  lapply(seq_along(sets), function(i) {
    x <- sets[[i]]$x
    y <- sets[[i]]$y
    if (i %% 3 == 0) x[sample(length(x), 1)] <- NA
    if (i %% 3 == 1) y[sample(length(y), 1)] <- NaN
    if (i %% 2 == 0) y <- c(y, rnorm(3, mean(y, na.rm = TRUE)))
    list(x = x, y = y, trim = in_turn(c(0, 0.1, 0.2, 0.25), i))
  })
}
as_groups <- function(x, y) data.frame(value = c(x, y), group = rep(c("a", "b"), c(length(x), length(y))))

scenario("S8",
  vectors_without_paired_are_as_before = function() {
    for (set in vectors()) claim_unchanged("C15", ask("yuen_test", set$x, set$y))
    sets <- vectors()
    for (i in seq_along(sets)) {
      s <- in_turn(SETTINGS, i)
      set <- sets[[i]]
      claim_unchanged("C15", ask("yuen_test", set$x, set$y, trim = set$trim, mu = s$mu, alternative = s$alternative,
        conf.level = s$level))
      claim_unchanged("C15", ask("yuen_test", set$x, set$y, set$trim, s$mu, s$alternative, s$level))
    }
    set <- sets[[1]]
    claim_unchanged("C15", ask("yuen_test", set$x, set$y, 0.1))
    claim_unchanged("C15", ask("yuen_test", set$x, set$y, 0.1, 0.5))
    claim_unchanged("C15", ask("yuen_test", set$x, set$y, 0.1, 0.5, "less"))
    claim_unchanged("C15", ask("yuen_test", x = set$x, y = set$y, trim = 0.4))
    claim_unchanged("C15", ask("yuen_test", 1:12, c(3L, 5L, 4L, 9L, 2L, 2L, 8L)))
    claim_unchanged("C15", ask("yuen_test", matrix(worked$x, 2), c(a = 1, b = 6, c = 3, d = 8, e = 5)))
  },
  formulas_without_paired_are_as_before = function() {
    sets <- vectors()
    for (i in seq_along(sets)[1:12]) {
      d <- as_groups(sets[[i]]$x, sets[[i]]$y)
      s <- in_turn(SETTINGS, i)
      claim_unchanged("C15", ask("yuen_test", value ~ group, d))
      claim_unchanged("C15", ask("yuen_test", value ~ group, data = d, trim = sets[[i]]$trim, mu = s$mu,
        alternative = s$alternative, conf.level = s$level))
    }
    d <- as_groups(worked$x, worked$y)
    claim_unchanged("C15", ask("yuen_test", value ~ group, d, 0.1, 0.5, "less", 0.9))
    claim_unchanged("C15", ask("yuen_test", log(value) ~ factor(group), data = d))
    d$group <- factor(d$group, levels = c("b", "a"))
    claim_unchanged("C15", ask("yuen_test", value ~ group, data = d))
  },
  refusals_without_paired_are_as_before = function() {
    x <- worked$x
    y <- worked$y
    d <- as_groups(x, y)
    three <- data.frame(value = x, group = rep(c("a", "b", "c"), c(4, 3, 3)))
    refused <- list(
      ask("yuen_test", x),
      ask("yuen_test", "a", y), ask("yuen_test", x, "b"), ask("yuen_test", x, NULL),
      ask("yuen_test", x, y, trim = 0.5), ask("yuen_test", x, y, trim = -0.1), ask("yuen_test", x, y, trim = NA),
      ask("yuen_test", x, y, trim = c(0.1, 0.2)),
      ask("yuen_test", x, y, mu = "a"), ask("yuen_test", x, y, mu = Inf),
      ask("yuen_test", x, y, alternative = "other"), ask("yuen_test", x, y, conf.level = 1),
      ask("yuen_test", x, y, conf.level = NA), ask("yuen_test", x, y, var.equal = TRUE),
      ask("yuen_test", c(x, Inf), y), ask("yuen_test", x, c(-Inf, y)), ask("yuen_test", c(x, Inf), c(y, Inf)),
      ask("yuen_test", numeric(), y), ask("yuen_test", x, 1), ask("yuen_test", c(1, NA), y),
      ask("yuen_test", c(1, 2, 3), y, trim = 0.4), ask("yuen_test", x, c(1, 2, 3, 4, 5), trim = 0.4),
      ask("yuen_test", rep(1, 8), rep(2, 8)), ask("yuen_test", rep(0, 8), rep(0, 9)),
      ask("yuen_test", c(-9, 1, 1, 1, 9), c(-8, 2, 2, 2, 7)),
      ask("yuen_test", ~ group, d), ask("yuen_test", value ~ 1, d), ask("yuen_test", value ~ group, three),
      ask("yuen_test", value ~ group + value, d), ask("yuen_test", group ~ value, d),
      ask("yuen_test", value ~ group, d, trim = 0.5), ask("yuen_test", value ~ group, d, conf.level = 2),
      ask("yuen_test", value ~ group, d, var.equal = TRUE)
    )
    for (one in refused) claim_unchanged("C15", one)
    # equal samples are refused in the paired form only
    claim_unchanged("C15", ask("yuen_test", x, x))
    claim_unchanged("C15", ask("yuen_test", x, x + 1))
  },
  paired_false_is_the_default = function() {
    sets <- vectors()
    for (i in seq_along(sets)) {
      set <- sets[[i]]
      s <- in_turn(SETTINGS, i)
      claim_same("C16",
        ask("yuen_test", set$x, set$y, trim = set$trim, mu = s$mu, alternative = s$alternative, conf.level = s$level,
          paired = FALSE),
        ask("yuen_test", set$x, set$y, trim = set$trim, mu = s$mu, alternative = s$alternative, conf.level = s$level))
    }
    for (set in sets[1:4]) {
      claim_same("C16", ask("yuen_test", set$x, set$y, paired = FALSE), ask("yuen_test", set$x, set$y))
    }
    # samples that only the paired form refuses
    x <- worked$x
    claim_same("C16", ask("yuen_test", x, x + 1, paired = FALSE), ask("yuen_test", x, x + 1))
    claim_same("C16", ask("yuen_test", x, worked$y[1:7], paired = FALSE), ask("yuen_test", x, worked$y[1:7]))
    claim_same("C16", names_of(ask("yuen_test", x, worked$y, paired = FALSE)),
      names_of(ask("yuen_test", x, worked$y)))
  }
)

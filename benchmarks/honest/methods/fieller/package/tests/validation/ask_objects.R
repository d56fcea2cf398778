# confint, print and the object itself: S11, S12, S17, S18.
source("shared.R")

# ---- confint --------------------------------------------------------------------------------------------------------

# The rows that confint gives for a set of this type with these limits (promises), and as a check that the object is the
# one that was asked for its estimate.
claim_rows <- function(criterion, rows, type, limits, fit, estimate) {
  ends <- switch(type,
    interval = list(limits[1], limits[2]),
    complement = list(-Inf, limits[1], limits[2], Inf),
    line = list(-Inf, Inf),
    from = list(limits[1], Inf),
    up_to = list(-Inf, limits[2])
  )
  shape <- c(length(ends) / 2, 2)
  cells <- lapply(seq_along(ends), function(i) rows[(i + 1) %/% 2, 2 - i %% 2])
  claim_close(criterion, c(list(dim_of(rows), fit$estimate), cells), c(list(shape, estimate), ends))
}

# Sees the names: columns lower and upper, no row names. `rows` of a set with these limits.
confint_names <- function(rows, limits, type) {
  named <- is.matrix(rows) && identical(dimnames(rows), list(NULL, c("lower", "upper")))
  ends <- if (type == "complement") c(-Inf, limits[2], limits[1], Inf) else limits
  list(c(as.numeric(named), as.numeric(rows)), c(1, ends))
}

scenario("S11",
  confint_of_ratio_ci_has_one_row_for_each_piece = function() {
    rows_at_own_level <- function(type, estimate, ...) {
      fit <- ask("ratio_ci", ...)
      claim_rows("C29", ask(fit, "confint"), type, fit$limits, fit, estimate)
      claim_rows("C29", ask(fit, "confint", parm = 1), type, fit$limits, fit, estimate)
    }
    rows_at_own_level("interval", 2, 2, 1, 0.04, 0.01, level = L2)
    rows_at_own_level("complement", 2, 2, 1, 0.04, 1, level = L2)
    rows_at_own_level("line", 1, 1, 1, 4, 1, level = L2)
    rows_at_own_level("from", 3, 3, 1, 1, 1, df = 1, level = 0.5)
    rows_at_own_level("up_to", -3, -3, 1, 1, 1, df = 1, level = 0.5)
    rows_at_own_level("interval", 2, 2, 1, 0.04, 0.01, level = L2, method = "delta")
  },
  confint_of_ratio_ci_has_columns_lower_and_upper_and_no_row_names = function() {
    interval <- ask("ratio_ci", 2, 1, 0.04, 0.01, level = L2)
    complement <- ask("ratio_ci", 2, 1, 0.04, 1, level = L2)
    claim_observe("C29", confint_names, ask(interval, "confint"), interval$limits, "interval")
    claim_observe("C29", confint_names, ask(complement, "confint"), complement$limits, "complement")
  },
  confint_of_ratio_ci_at_another_level = function() {
    fit <- ask("ratio_ci", 2, 1, 0.04, 0.01, df = 7)
    for (level in c(0.5, 0.9, 0.99)) {
      other <- ask("ratio_ci", 2, 1, 0.04, 0.01, df = 7, level = level)
      claim_rows("C30", ask(fit, "confint", level = level), "interval", other$limits, fit, 2)
    }
    # at level 0.5 the complement of the table is an interval
    fit <- ask("ratio_ci", 2, 1, 0.04, 1, level = L2)
    other <- ask("ratio_ci", 2, 1, 0.04, 1, level = 0.5)
    claim_rows("C30", ask(fit, "confint", level = 0.5), "interval", other$limits, fit, 2)
  },
  confint_of_ratio_means_and_ratio_coef_at_another_level = function() {
    for (method in c("fieller", "delta")) {
      fit <- ask("ratio_means", FIRST, SECOND, method = method)
      other <- ask("ratio_means", FIRST, SECOND, level = 0.9, method = method)
      claim_rows("C40", ask(fit, "confint", level = 0.9), "interval", other$limits, fit, 2.25)
    }
    cars <- ask_cars()
    fit <- ask("ratio_coef", cars, "wt", "qsec")
    other <- ask("ratio_coef", cars, "wt", "qsec", level = 0.9)
    here <- coef(lm(mpg ~ wt + qsec, CARS))
    claim_rows("C40", ask(fit, "confint", level = 0.9), "interval", other$limits, fit, here[["wt"]] / here[["qsec"]])
  }
)

# ---- print ----------------------------------------------------------------------------------------------------------

three_lines <- function(estimate, level, method, type, set, g, df) {
  written <- function(number) format(number, digits = 4)
  paste(c(
    paste0("Ratio: ", written(estimate)),
    paste0(written(100 * level), "% confidence set (", method, ", ", type, "): ", set),
    paste0("g = ", written(g), ", df = ", written(df))
  ), collapse = "\n")
}
closed <- function(lower, upper) paste0("[", format(lower, digits = 4), ", ", format(upper, digits = 4), "]")

scenario("S12", print_of_ratio_ci_ratio_means_and_ratio_coef_writes_three_lines_and_returns_the_object = function() {
  printed <- function(fit, text) {
    # 4 digits are also what print takes by default where options(digits = 7)
    claim_same("C31", text_of(fit), text)
    shown <- ask(fit, "print", digits = 4)
    claim_same("C32", shown, fit)
    claim_returns("C32", shown)
  }
  printed(
    ask("ratio_ci", 2, 1, 0.04, 0.01, level = L2),
    "Ratio: 2\n95.45% confidence set (fieller, interval): [1.5, 2.667]\ng = 0.04, df = Inf"
  )
  ends <- vapply((-2 + c(-2, 2) * sqrt(3.88)) / 3, format, "", digits = 4)
  set <- paste0("(-Inf, ", ends[1], "] or [", ends[2], ", Inf)")
  printed(ask("ratio_ci", 2, 1, 0.04, 1, level = L2), three_lines(2, L2, "fieller", "complement", set, 4, Inf))
  printed(ask("ratio_ci", 1, 1, 4, 1, level = L2), three_lines(1, L2, "fieller", "line", "(-Inf, Inf)", 4, Inf))
  printed(
    ask("ratio_ci", 3, 1, 1, 1, df = 1, level = 0.5), three_lines(3, 0.5, "fieller", "half-line", "[1.333, Inf)", 1, 1)
  )
  t <- t_of(0.95, Inf)
  set <- closed(2 - t * sqrt(0.08), 2 + t * sqrt(0.08))
  printed(
    ask("ratio_ci", 2, 1, 0.04, 0.01, method = "delta"),
    three_lines(2, 0.95, "delta", "interval", set, t^2 * 0.01, Inf)
  )
  d <- with_set(of_independent(FIRST, SECOND))
  printed(
    ask("ratio_means", FIRST, SECOND),
    three_lines(2.25, 0.95, "fieller", "interval", closed(d$lower, d$upper), d$t^2 * d$vbb / d$b^2, d$df)
  )
  d <- with_set(of_model(lm(mpg ~ wt + qsec, CARS), "wt", "qsec"))
  printed(
    ask("ratio_coef", ask_cars(), "wt", "qsec"),
    three_lines(d$a / d$b, 0.95, "fieller", "interval", closed(d$lower, d$upper), d$t^2 * d$vbb / d$b^2, 29)
  )
})

# ---- the object -----------------------------------------------------------------------------------------------------

# The calls of S1 with their types.
CALLS <- list(
  list("interval", 2, 1, 0.04, 0.01, 0), list("interval", 1, 2, 0.01, 0.04, 0), list("interval", -2, 1, 0.04, 0.01, 0),
  list("interval", 2, -1, 0.04, 0.01, 0), list("interval", 4, 2, 1, 0.25, 0.1), list("complement", 2, 1, 0.04, 1, 0),
  list("interval", 1, 2, 1, 0.04, 0), list("line", 1, 1, 4, 1, 0), list("interval", 2, 1, 0.04, 0, 0),
  list("interval", 2, 1, 0, 0.01, 0)
)

claim_form <- function(fit, type) {
  claim_returns("C35", fit)
  claim_same("C35", names_of(fit), as.list(FIELDS))
  claim_same("C35", list(fit$type, length_of(fit$limits)), list(type, 2))
  claim_less("C35", fit$limits[1], fit$limits[2])
  # print shows a vector without names behind [1], one with names below them
  claim_contains("C35", text_of(fit$limits), "[1]")
}

scenario("S17",
  ratio_ci_ratio_means_and_ratio_coef_give_an_object_with_fields_in_order = function() {
    for (one in CALLS) claim_form(do.call(ask, c("ratio_ci", one[-1], level = L2)), one[[1]])
    claim_form(ask("ratio_ci", 3, 1, 1, 1, df = 1, level = 0.5), "half-line")
    claim_form(ask("ratio_ci", 2, 1, 0.04, 1, level = L2, method = "delta"), "interval")
    claim_form(ask("ratio_means", FIRST, SECOND), "interval")
    pairs <- with_set(of_pairs(FIRST, PAIR))
    claim_form(ask("ratio_means", FIRST, PAIR, paired = TRUE), pairs$type)
    claim_form(ask("ratio_coef", ask_cars(), "wt", "qsec"), "interval")
  },
  ratio_ci_ratio_means_and_ratio_coef_leave_arguments_and_fieller_is_the_default_method = function() {
    cars <- ask_cars()
    both <- list(
      list(ask("ratio_ci", 2, 1, 0.04, 0.01), ask("ratio_ci", 2, 1, 0.04, 0.01, method = "fieller")),
      list(ask("ratio_means", FIRST, SECOND), ask("ratio_means", FIRST, SECOND, method = "fieller")),
      list(
        ask("ratio_means", FIRST, PAIR, paired = TRUE), ask("ratio_means", FIRST, PAIR, paired = TRUE, method = "fieller")
      ),
      list(ask("ratio_coef", cars, "wt", "qsec"), ask("ratio_coef", cars, "wt", "qsec", method = "fieller"))
    )
    for (two in both) {
      claim_same("C36", two[[1]], two[[2]])
      claim_untouched("C36", two[[1]])
      claim_silent("C36", two[[1]])
      claim_repeatable("C36", two[[1]])
    }
    # the state of the random numbers does not matter either
    claim_same("C36", seeded(1, ask("ratio_means", FIRST, SECOND)), seeded(2, ask("ratio_means", FIRST, SECOND)))
  },
  ratio_ci_keeps_a_b_vaa_vbb_vab_df_level_and_method_as_given_without_names = function() {
    kept <- function(fit, ...) {
      claim_same("C37", list(fit$a, fit$b, fit$vaa, fit$vbb, fit$vab, fit$df, fit$level, fit$method), list(...))
      claim_returns("C37", fit)
    }
    for (one in CALLS) {
      fit <- do.call(ask, c("ratio_ci", one[-1], level = L2))
      do.call(kept, c(list(fit), one[-1], list(Inf, L2, "fieller")))
    }
    kept(ask("ratio_ci", 2, 1, 0.04, 1, 0.1, 7.5, 0.9, "delta"), 2, 1, 0.04, 1, 0.1, 7.5, 0.9, "delta")
    kept(ask("ratio_ci", 3L, 1L, 1L, 1L, df = 1L, level = 0.5), 3, 1, 1, 1, 0, 1, 0.5, "fieller")
    named <- ask("ratio_ci",
      c(dose = 2), c(weight = 1), c(p = 0.04), c(q = 0.01), vab = c(r = 0.005), df = c(n = 7), level = c(l = 0.9)
    )
    kept(named, 2, 1, 0.04, 0.01, 0.005, 7, 0.9, "fieller")
    for (field in c("estimate", "a", "b", "vaa", "vbb", "vab", "df", "level")) {
      claim_contains("C37", text_of(named[[field]]), "[1]")
    }
  },
  ratio_means_keeps_a_and_b = function() {
    independent <- ask("ratio_means", FIRST, SECOND)
    paired <- ask("ratio_means", FIRST, PAIR, paired = TRUE)
    x <- rnorm(12, 3)
    y <- rnorm(9, 2)
    drawn <- ask("ratio_means", x, y)
    claim_close("C38",
      list(independent$a, independent$b, paired$a, paired$b, drawn$a, drawn$b), list(4.5, 2, 4.5, 2.5, mean(x), mean(y))
    )
  },
  ratio_coef_keeps_a_b_vaa_vbb_and_vab = function() {
    cars <- ask_cars()
    here <- lm(mpg ~ wt + qsec, CARS)
    for (pair in list(c("wt", "qsec"), c("qsec", "wt"), c("(Intercept)", "wt"))) {
      fit <- ask("ratio_coef", cars, pair[1], pair[2])
      d <- of_model(here, pair[1], pair[2])
      claim_close("C39", list(fit$a, fit$b, fit$vaa, fit$vbb, fit$vab), list(d$a, d$b, d$vaa, d$vbb, d$vab))
    }
  }
)

# What S18 says is decided by R CMD check; this only has the package answer.
scenario("S18", ratio_ci_estimate_of_the_package = function() {
  ask("ratio_ci", 2, 1, 0.04, 0.01)
})

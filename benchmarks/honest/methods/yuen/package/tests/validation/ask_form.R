# Form and printing of the object (S11).
source("definitions.R")

TITLE <- "Yuen's two-sample test for trimmed means (trim = %s)"
COMPONENTS <- c(
  "statistic", "parameter", "p.value", "conf.int", "estimate", "null.value", "stderr", "alternative", "method",
  "data.name", "effect"
)

# An object of class htest as the definitions have it, for R's own method to print.
page_by_definition <- function(trim, mu = 0, alternative = "two.sided", level = 0.95, names = c("x", "y")) {
  wanted <- yuen_by_definition(X, Y, trim, mu, alternative, level)
  test <- list(
    statistic = c(t = wanted$statistic), parameter = c(df = wanted$parameter), p.value = wanted$p.value,
    conf.int = structure(wanted$conf.int, conf.level = level),
    estimate = setNames(wanted$estimate, paste("trimmed mean of", names)),
    null.value = c("difference in trimmed means" = mu), alternative = alternative,
    method = sprintf(TITLE, format(trim)), data.name = paste(names, collapse = " and ")
  )
  trimws(capture.output(print(structure(test, class = "htest"))))
}
# The lines without the one of the data, which names expressions, and without empty ones.
lines_known <- function(page) page[nzchar(page) & !startsWith(page, "data:")]

# ---- what only code can see --------------------------------------------------------------------------------------------

# Names of components, names of their elements, and every value with them. conf.level is seen on the printed page.
has_the_form <- function(fit, other, wanted) {
  near <- function(name) {
    found <- as.double(unlist(fit[[name]]))
    length(found) == length(wanted[[name]]) && isTRUE(all(abs(found - wanted[[name]]) <= 1e-10))
  }
  identical(names(fit), COMPONENTS) &&
    identical(names(fit$statistic), "t") &&
    identical(names(fit$parameter), "df") &&
    identical(names(fit$estimate), c("trimmed mean of x", "trimmed mean of y")) &&
    identical(names(fit$null.value), "difference in trimmed means") &&
    is.null(names(fit$p.value)) && is.null(names(fit$conf.int)) &&
    is.null(names(fit$stderr)) && is.null(names(fit$effect)) &&
    near("statistic") && near("parameter") && near("p.value") && near("conf.int") && near("estimate") &&
    near("null.value") && near("stderr") && near("effect") &&
    identical(as.character(fit$alternative), wanted$alternative) &&
    identical(as.character(fit$method), wanted$method) &&
    identical(as.character(fit$data.name), as.character(other)) &&
    grepl(" and ", as.character(other), fixed = TRUE)
}

# data.name of two calls with the same samples. How the calls are written out is not known here: with the values
# themselves (perhaps quoted), which R then writes as deparse does, or with variables, the same ones in both calls.
names_two_expressions <- function(first, second, x, y) {
  found <- c(as.character(first), as.character(second))
  found <- gsub("(base::)?quote\\((c\\([^()]*\\))\\)", "\\2", found)
  written <- paste(deparse1(as.double(x)), "and", deparse1(as.double(y)))
  halves <- strsplit(found[2], " and ", fixed = TRUE)[[1]]
  variable <- "^(`[^`]+`|[A-Za-z.][A-Za-z0-9._$]*(\\[\\[?[^] ]+\\]\\]?)?)$"
  variables <- length(halves) == 2 && all(grepl(variable, halves)) && halves[1] != halves[2]
  expected <- if (found[1] != written && variables) found[2] else written
  list(found, rep(expected, 2))
}

# The page has these lines in this order, a line of the data among them, and no other.
page_has_these_lines_only <- function(page, wanted) {
  found <- trimws(unlist(strsplit(paste(unlist(page), collapse = "\n"), "\n", fixed = TRUE)))
  found <- found[nzchar(found)]
  data <- startsWith(found, "data:")
  sum(data) == 1 && which(data) == 2 && identical(found[!data], as.character(unlist(wanted)))
}

# A list of two plain numbers, near what they should be.
is_list_of_two_numbers <- function(fit, estimate, stderr) {
  identical(names(fit), c("estimate", "stderr")) &&
    is.numeric(fit$estimate) && is.numeric(fit$stderr) &&
    length(fit$estimate) == 1 && length(fit$stderr) == 1 &&
    is.null(names(fit$estimate)) && is.null(names(fit$stderr)) &&
    isTRUE(abs(fit$estimate - estimate) <= 1e-10) && isTRUE(abs(fit$stderr - stderr) <= 1e-10)
}

# ---- questions ---------------------------------------------------------------------------------------------------------

scenario("S11",
  yuen_test_method_names_the_trim = function() {
    claim_same("C35", ask("yuen_test", X, Y)$method, sprintf(TITLE, "0.2"))
    for (trim in c(0.2, 0.25, 0)) {
      claim_same("C35", ask("yuen_test", X, Y, trim = trim)$method, sprintf(TITLE, format(trim)))
    }
    d <- data.frame(value = c(X, Y), group = rep(c("a", "b"), c(10, 7)), stringsAsFactors = FALSE)
    claim_same("C35", ask("yuen_test", value ~ group, d, trim = 0.25)$method, sprintf(TITLE, "0.25"))
  },
  yuen_test_data.name_of_two_samples = function() {
    first <- ask("yuen_test", X, Y)
    second <- ask("yuen_test", X, Y, alternative = "less")
    claim_observe("C36", names_two_expressions, first$data.name, second$data.name, X, Y)
  },
  yuen_test_data.name_of_a_formula = function() {
    d <- data.frame(value = c(X, Y), group = rep(c("a", "b"), c(10, 7)), stringsAsFactors = FALSE)
    claim_same("C36", ask("yuen_test", value ~ group, d)$data.name, "value by group")
  },
  yuen_test_alternative_is_the_full_word = function() {
    claim_same("C37", ask("yuen_test", X, Y)$alternative, "two.sided")
    for (alternative in ALTERNATIVES) {
      for (given in c(alternative, substr(alternative, 1, 1), substr(alternative, 1, 3))) {
        claim_same("C37", ask("yuen_test", X, Y, alternative = given)$alternative, alternative)
      }
    }
  },
  yuen_test_components_order_names_and_class = function() {
    other <- ask("yuen_test", X, Y, conf.level = 0.9)$data.name
    for (trim in c(0.2, 0.25, 0)) {
      for (alternative in ALTERNATIVES) {
        fit <- ask("yuen_test", X, Y, trim = trim, alternative = alternative)
        wanted <- yuen_by_definition(X, Y, trim, 0, alternative)
        wanted$alternative <- alternative
        wanted$method <- sprintf(TITLE, format(trim))
        if (alternative == "two.sided") claim_observe("C38", has_the_form, fit, other, wanted)
        claim_returns("C38", fit)
        claim_silent("C38", fit)
        claim_same("C38", list(names_of(fit$statistic), names_of(fit$parameter)), list(list("t"), list("df")))
      }
    }
  },
  yuen_test_conf.int_has_the_conf.level = function() {
    for (alternative in ALTERNATIVES) {
      for (level in c(0.95, 0.8, 0.9)) {
        page <- text_of(ask("yuen_test", X, Y, alternative = alternative, conf.level = level))
        claim_contains("C38", page, paste(format(100 * level), "percent confidence interval:"))
      }
    }
  },
  yuen_test_names_of_estimate_and_null.value = function() {
    for (alternative in ALTERNATIVES) {
      fit <- ask("yuen_test", X, Y, alternative = alternative, mu = 0.5)
      claim_same("C39", list(names_of(fit$estimate), names_of(fit$null.value)), list(
        c("trimmed mean of x", "trimmed mean of y"), list("difference in trimmed means")
      ))
    }
  },
  yuen_test_printed_page = function() {
    for (trim in c(0.2, 0.25, 0)) {
      for (alternative in ALTERNATIVES) {
        page <- text_of(ask("yuen_test", X, Y, trim = trim, mu = 0.5, alternative = alternative, conf.level = 0.9))
        wanted <- lines_known(page_by_definition(trim, 0.5, alternative, 0.9))
        for (line in wanted) claim_contains("C40", page, line)
        claim_contains("C40", page, "data:  ")
        if (alternative == "two.sided") claim_observe("C40", page_has_these_lines_only, page, wanted)
      }
    }
    page <- text_of(ask("yuen_test", X, Y))
    for (line in lines_known(page_by_definition(0.2))) claim_contains("C40", page, line)
    claim_contains("C40", page, "t = 1.7771, df = 7.3525, p-value = 0.1168")
    d <- data.frame(value = c(X, Y), group = rep(c("a", "b"), c(10, 7)), stringsAsFactors = FALSE)
    claim_contains("C40", text_of(ask("yuen_test", value ~ group, d)), "data:  value by group")
  },
  yuen_test_printed_line_without_trim_is_that_of_welch = function() {
    for (alternative in ALTERNATIVES) {
      page <- trimws(capture.output(print(stats::t.test(X, Y, alternative = alternative))))
      line <- page[startsWith(page, "t = ")]
      stopifnot(length(line) == 1)
      claim_contains("C40", text_of(ask("yuen_test", X, Y, trim = 0, alternative = alternative)), line)
    }
  },
  trimmed_mean_is_a_list_of_estimate_and_stderr = function() {
    for (v in list(X, setNames(X, letters[1:10]), as.integer(X), matrix(X, 2))) {
      fit <- ask("trimmed_mean", v)
      claim_returns("C41", fit)
      claim_silent("C41", fit)
      claim_same("C41", names_of(fit), c("estimate", "stderr"))
    }
    named <- ask("trimmed_mean", setNames(X, letters[1:10]))
    claim_observe("C41", is_list_of_two_numbers, named, mean_by_definition(X, 0.2), one_standard_error(X, 0.2))
  }
)

# The criteria of this validation suite, frozen before anybody wrote the package or the tests.
#
# Put here by StatsClaw; a change is overwritten. A test names its scenarios before a colon, as in
# test_that("S1: the mean of constants", { ... }), and answers a criterion with one of
#   criterion("C1")$close(observed, expected)        numbers, vectors, matrices, against the frozen tolerance
#   criterion("C1")$value(number)                    against the frozen bounds
#   criterion("C1")$raises(function() call())        the frozen condition class, with the frozen words in its message
#   criterion("C1")$warns(function() call())         likewise
#   criterion("C1")$holds(condition)
# The comparison is made here and made again from what is recorded.

.frozen_criteria <- list()

criterion <- function(name) {
  frozen <- .frozen_criteria[[name]]
  if (is.null(frozen)) stop(sprintf("there is no criterion '%s' in the specification", name), call. = FALSE)
  test <- ""
  for (frame in sys.frames()) {
    if (exists("desc", envir = frame, inherits = FALSE) && is.character(frame$desc)) test <- frame$desc[1]
  }
  scenarios <- if (grepl(":", test, fixed = TRUE)) trimws(strsplit(sub(":.*", "", test), ",")[[1]]) else character()
  text <- function(x) {
    x <- gsub("\\", "\\\\", paste(x, collapse = " "), fixed = TRUE)
    x <- gsub("\"", "\\\"", x, fixed = TRUE)
    paste0("\"", substr(gsub("[[:cntrl:]]+", " ", x), 1, 1000), "\"")
  }
  number <- function(x) if (is.null(x)) "null" else sprintf("%.17g", x)
  record <- function(rule, observed = NULL, expected = NULL, size = 1L, held = NULL, error_class = "", said = "") {
    place <- Sys.getenv("STATSCLAW_EVIDENCE")
    if (!nzchar(place)) return(invisible())
    cat(sprintf(
      paste0("{\"criterion\": %s, \"test\": %s, \"scenarios\": [%s], \"rule\": %s, \"observed\": %s, ",
             "\"expected\": %s, \"size\": %d, \"held\": %s, \"error_class\": %s, \"said\": %s}\n"),
      text(name), text(test), paste(vapply(scenarios, text, ""), collapse = ", "), text(rule), number(observed),
      number(expected), as.integer(size), if (is.null(held)) "null" else tolower(isTRUE(held)),
      text(error_class), text(said)), file = place, append = TRUE)
  }
  excess <- function(observed, expected) {
    tolerance <- frozen$tolerance
    gap <- abs(observed - expected)
    if (!is.null(tolerance$lre)) {
      scale <- ifelse(expected == 0, 1, abs(expected))
      beyond <- tolerance$lre - pmin(15, -log10(gap / scale))
    } else {
      beyond <- gap - max(tolerance$absolute, 0) - max(tolerance$relative, 0) * abs(expected)
    }
    same <- (is.na(observed) & is.na(expected)) | (!is.na(observed) & !is.na(expected) & observed == expected)
    ifelse(same, -Inf, ifelse(is.finite(observed) & is.finite(expected), beyond, Inf))
  }
  pass <- function(ok, message) testthat::expect(ok, paste0(name, ": ", message))
  matches <- function(condition) {
    said <- conditionMessage(condition)
    classes <- class(condition)
    fits <- frozen$error %in% classes || (frozen$error == "error" && "simpleError" %in% classes) ||
      (frozen$error == "warning" && "simpleWarning" %in% classes)
    record(if (inherits(condition, "warning")) "warns" else "raises",
           error_class = if (fits) frozen$error else classes[1], said = said)
    pass(fits && grepl(frozen$message, said, fixed = TRUE), paste("another condition:", classes[1], said))
  }
  list(
    close = function(observed, expected) {
      if (length(observed) != length(expected) || !length(observed) || !identical(dim(observed), dim(expected))) {
        said <- sprintf("%d values were compared with %d", length(observed), length(expected))
        record("close", size = 0L, held = FALSE, said = said)
        return(pass(FALSE, said))
      }
      observed <- as.numeric(observed)
      expected <- as.numeric(expected)
      beyond <- excess(observed, expected)
      worst <- which.max(beyond)
      if (is.finite(observed[worst]) && is.finite(expected[worst])) {
        record("close", observed[worst], expected[worst], size = length(observed))
      } else {
        said <- paste(format(observed[worst]), "against", format(expected[worst]))
        record("close", size = length(observed), held = beyond[worst] <= 0, said = said)
      }
      pass(beyond[worst] <= 0, "beyond the frozen tolerance")
    },
    value = function(x) {
      x <- as.numeric(x)
      if (length(x) != 1L || !is.finite(x)) {
        record("value", held = FALSE, said = paste(format(x), collapse = " "))
        return(pass(FALSE, "not one finite number"))
      }
      record("value", x)
      pass((is.null(frozen$low) || x >= frozen$low) && (is.null(frozen$high) || x <= frozen$high), "beyond the bounds")
    },
    raises = function(call) {
      found <- tryCatch({ call(); NULL }, error = function(e) e)
      if (is.null(found)) {
        record("raises", said = "nothing was raised")
        return(pass(FALSE, "nothing was raised"))
      }
      matches(found)
    },
    warns = function(call) {
      found <- NULL
      withCallingHandlers(call(), warning = function(w) {
        if (is.null(found)) found <<- w
        invokeRestart("muffleWarning")
      })
      if (is.null(found)) {
        record("warns", said = "there was no warning")
        return(pass(FALSE, "there was no warning"))
      }
      matches(found)
    },
    holds = function(condition) {
      held <- isTRUE(as.logical(condition))
      record("holds", held = held)
      pass(held, "it does not hold")
    }
  )
}

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

criterion <- local({
  .frozen_criteria <- list()

  # What a package says may hold any bytes.
  readable <- function(x) iconv(enc2utf8(paste(x, collapse = " ")), "UTF-8", "UTF-8", sub = "?")

  # As a JSON string of ASCII letters.
  text <- function(x, longest = 1000L) {
    codes <- utf8ToInt(readable(x))
    codes <- codes[seq_len(min(length(codes), longest))]
    letters <- vapply(codes, function(code) {
      if (code > 0xFFFF) {
        sprintf("\\u%04x\\u%04x", 0xD800L + (code - 0x10000L) %/% 0x400L, 0xDC00L + (code - 0x10000L) %% 0x400L)
      } else if (code < 32L || code > 126L || code %in% c(34L, 92L)) {
        sprintf("\\u%04x", code)
      } else {
        intToUtf8(code)
      }
    }, "")
    paste0("\"", paste(letters, collapse = ""), "\"")
  }

  # The innermost variable of that name in the frames of testthat itself.
  told_by_testthat <- function(name) {
    found <- ""
    for (number in seq_len(sys.nframe())) {
      frame <- sys.frame(number)
      if (identical(environment(sys.function(number)), asNamespace("testthat")) &&
          exists(name, envir = frame, inherits = FALSE)) {
        value <- get(name, envir = frame, inherits = FALSE)
        if (is.character(value) && length(value) == 1L) found <- value
      }
    }
    found
  }

  # Numbers without their arrangement: tables and lists by column, complex numbers by their two parts.
  flat <- function(x) {
    if (is.list(x)) x <- unlist(x, use.names = FALSE)
    if (is.complex(x)) c(Re(x), Im(x)) else as.numeric(x)
  }
  shape <- function(x) {
    found <- if (length(dim(x)) > 1L) dim(x) else length(if (is.list(x)) unlist(x) else x)
    paste(found, collapse = " x ")
  }

  function(name) {
    frozen <- if (is.character(name) && length(name) == 1L) .frozen_criteria[[name]]
    if (is.null(frozen)) {
      stop(sprintf("there is no criterion '%s' in the specification", paste(name, collapse = " ")), call. = FALSE)
    }
    words <- told_by_testthat("test")
    if (!nzchar(words)) words <- told_by_testthat("desc")
    words <- substr(gsub("[[:cntrl:]]+", " ", readable(words)), 1, 500)  # as the report has it
    scenarios <- if (grepl(":", words, fixed = TRUE)) trimws(strsplit(sub(":.*", "", words), ",")[[1]])
    file <- told_by_testthat("path")
    test <- if (grepl("[.][rR]$", file)) paste0(file, "::", words) else words

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
    excess <- function(observed, expected, tolerance = frozen$tolerance) {
      gap <- abs(observed - expected)
      if (!is.null(tolerance$lre)) {
        scale <- ifelse(expected == 0, 1, abs(expected))
        beyond <- tolerance$lre - pmin(15, -log10(gap / scale))
      } else {
        beyond <- gap - max(tolerance$absolute, 0) - max(tolerance$relative, 0) * abs(expected)
      }
      same <- (is.na(observed) & is.na(expected)) | (!is.na(observed) & !is.na(expected) & observed == expected)
      ifelse(is.finite(observed) & is.finite(expected), beyond, ifelse(same, -Inf, Inf))
    }
    # What is recorded: farthest off by any measure, and the largest; beyond the tolerance by most last.
    told <- function(observed, expected, worst) {
      off <- excess(observed, expected, list())
      size <- ifelse(expected == 0 | !is.finite(expected), 1, abs(expected))
      largest <- which.max(ifelse(is.finite(expected), abs(expected), -1))
      c(setdiff(c(largest, which.max(off), which.max(off / size)), worst), worst)
    }
    pass <- function(ok, message) testthat::expect(ok, paste0("criterion ", name, ": ", message))
    # As testthat itself says it: direction and size can be read from that.
    missed <- function(words, observed, expected) {
      listed <- function(x) paste(sprintf("%.17g", x), collapse = " ")
      paste0(words, "\n`actual`: ", listed(observed), "\n`expected`: ", listed(expected))
    }
    # What is farthest off, above and below.
    farthest <- function(observed, expected, beyond) {
      bad <- which(beyond > 0)
      if (!all(is.finite(c(observed[bad], expected[bad])))) return("not finite where a number is due")
      off <- abs(observed - expected) / abs(expected)
      chosen <- vapply(split(bad, observed[bad] > expected[bad]), function(side) side[which.max(off[side])], 1L)
      missed("beyond the frozen tolerance", observed[chosen], expected[chosen])
    }

    fits <- function(condition) {
      classes <- class(condition)
      frozen$error %in% classes || (frozen$error == "error" && "simpleError" %in% classes) ||
        (frozen$error == "warning" && "simpleWarning" %in% classes)
    }
    message_of <- function(condition) readable(conditionMessage(condition))
    says <- function(condition) grepl(frozen$message, message_of(condition), fixed = TRUE)
    # The first that is wholly as asked, or of the class that is asked, or at all.
    answered <- function(rule, conditions) {
      if (!length(conditions)) {
        record(rule, said = if (rule == "raises") "nothing was raised" else "there was no warning")
        return(pass(FALSE, paste("the call did not throw the expected", if (rule == "raises") "error" else "warning")))
      }
      rank <- vapply(conditions, function(found) 2 * fits(found) + (fits(found) && says(found)), 0)
      chosen <- conditions[[which.max(rank)]]
      found <- if (fits(chosen)) frozen$error else class(chosen)[1]
      record(rule, error_class = found, said = message_of(chosen))
      instead <- if (fits(chosen)) "Regex pattern did not match; it says" else paste("another condition,", found)
      pass(fits(chosen) && says(chosen), paste0(instead, ": ", message_of(chosen)))
    }

    list(
      close = function(observed, expected) {
        shapes <- c(shape(observed), shape(expected))
        observed <- flat(observed)
        expected <- flat(expected)
        if (shapes[1] != shapes[2] || length(observed) != length(expected) || !length(observed)) {
          said <- sprintf("values of shape %s were compared with values of shape %s", shapes[1], shapes[2])
          record("close", size = 0L, held = FALSE, said = said)
          return(pass(FALSE, said))
        }
        beyond <- excess(observed, expected)
        worst <- which.max(beyond)
        for (one in told(observed, expected, worst)) {
          if (is.finite(observed[one]) && is.finite(expected[one])) {
            record("close", observed[one], expected[one], size = length(observed))
          } else {
            said <- paste(format(observed[one]), "against", format(expected[one]))
            record("close", size = length(observed), held = beyond[one] <= 0, said = said)
          }
        }
        pass(beyond[worst] <= 0, farthest(observed, expected, beyond))
      },
      value = function(number) {
        x <- flat(number)
        if (length(x) != 1L || !is.finite(x)) {
          record("value", held = FALSE, said = paste(format(x), collapse = " "))
          return(pass(FALSE, "not one finite number"))
        }
        record("value", x)
        low <- max(frozen$low, -Inf)
        high <- min(frozen$high, Inf)
        pass(x >= low && x <= high, missed("beyond the frozen bound", x, if (x < low) low else high))
      },
      raises = function(action) {
        found <- tryCatch({
          if (is.function(action)) action()
          NULL
        }, error = function(e) e)
        if (inherits(found, "expectation")) return(testthat::exp_signal(found))  # a failed comparison is no answer
        answered("raises", if (is.null(found)) list() else list(found))
      },
      warns = function(action) {
        found <- list()
        withCallingHandlers(if (is.function(action)) action(), warning = function(w) {
          found[[length(found) + 1L]] <<- w
          invokeRestart("muffleWarning")
        })
        answered("warns", found)
      },
      holds = function(condition) {
        held <- isTRUE(as.logical(condition))
        record("holds", held = held)
        pass(held, "it does not hold")
      }
    )
  }
})
lockEnvironment(environment(criterion), bindings = TRUE)

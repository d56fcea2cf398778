# The R side of a study: Rscript --vanilla worker.R STUDY.R INPUT OUTPUT CAPTURE
#
# INPUT and OUTPUT are numbers of open file descriptors, CAPTURE is the file that standard output and error go to.
# What is said on both is binary, little-endian, so every number arrives exactly as it was:
#   in, once:     the cells of the grid (see read_cells), the seconds a method may take (0: no limit), and the parameters
#                 whose truth depends on the data
#   in, a batch:  int32 cell, first, count, a 1 or 0 for every method that is wanted or not, then for each replication 7
#                 int32 of .Random.seed for the data and for every method
#   out:          eight doubles (kind, replication, method, status, warnings, then the lengths of what follows: values,
#                 bytes of names, bytes of text), the values, the names (NUL after each; none: as last time), the text
# A message follows every data-generating process and every method, so whoever reads knows where the process died.
#
# Everything lives below baseenv(): what the study defines or masks in the global environment does not reach it.
local(envir = new.env(parent = baseenv()), {
  HELLO <- 0; DATA <- 1; METHOD <- 2; LOADED <- 3
  OK <- 0; EXCEPTION <- 1; TIMEOUT <- 4; NO_DATA <- 6
  FIELDS <- c("estimate", "se", "low", "high", "reject", "draws")
  MOST_TEXT <- 4000L; MOST_CALLS <- 20L; MOST_WARNINGS <- 5L

  arguments <- commandArgs(trailingOnly = TRUE)
  capture <- arguments[[4L]]
  open_descriptor <- function(number, mode) file(paste0("/dev/fd/", number), mode, raw = TRUE)
  input <- open_descriptor(arguments[[2L]], "rb")
  output <- open_descriptor(arguments[[3L]], "wb")

  # ---- what is read ------------------------------------------------------------------------------------------------
  read_integers <- function(n) {
    words <- readBin(input, "integer", n, size = 4L, endian = "little")
    if (length(words) < n) quit("no", status = 0L, runLast = FALSE) # nobody is there any more
    words
  }
  read_number <- function() readBin(input, "double", 1L, endian = "little")
  read_text <- function() {
    text <- rawToChar(readBin(input, "raw", read_integers(1L)))
    Encoding(text) <- "UTF-8"
    text
  }
  # A level is 0 and a double, 1 and a double that stands for a logical, or 2 and a text.
  read_level <- function() switch(read_integers(1L) + 1L, read_number(), read_number() != 0, read_text())
  read_cell <- function(axes) {
    cell <- list()
    for (axis in axes) cell[[axis]] <- read_level()
    cell
  }
  read_cells <- function() {
    axes <- character()
    for (i in seq_len(read_integers(1L))) axes[[i]] <- read_text()
    lapply(seq_len(read_integers(1L)), function(i) read_cell(axes))
  }

  # ---- what is written ---------------------------------------------------------------------------------------------
  send <- function(kind, replication, method, status, warnings, values, names = NULL, text = NULL) {
    header <- c(kind, replication, method, status, warnings, length(values), length(names), length(text))
    writeBin(c(header, values), output, 8L, "little")
    if (length(names)) writeBin(names, output)
    if (length(text)) writeBin(text, output)
    flush.connection(output)
  }
  # closeAllConnections() in a study closes ours too; the descriptors stay open
  reopen <- function() {
    is_open <- function(connection) tryCatch(isOpen(connection), error = function(e) FALSE)
    if (!is_open(output)) output <<- open_descriptor(arguments[[3L]], "wb")
    if (!is_open(input)) input <<- open_descriptor(arguments[[2L]], "rb")
  }
  as_bytes <- function(text) charToRaw(enc2utf8(text))
  bytes_of_names <- function(names) unlist(lapply(names, function(name) c(as_bytes(name), as.raw(0L))))

  # ---- what the study printed --------------------------------------------------------------------------------------
  # file.size() takes ten times as long as what it calls
  printed <- function() .Internal(file.info(capture, FALSE))[[1L]]
  if (!identical(tryCatch(printed(), error = function(e) NULL), 0)) printed <- function() file.size(capture)
  # Start and end of it; the file is then emptied, so that it only ever holds what the present method printed.
  take_printed <- function(size) {
    connection <- file(capture, "rb")
    text <- readBin(connection, "raw", min(size, MOST_TEXT / 2))
    if (size > MOST_TEXT) {
      text <- c(text, as_bytes(sprintf("\n[... %.0f bytes left out ...]\n", size - MOST_TEXT)))
      seek(connection, size - MOST_TEXT / 2)
    }
    text <- c(text, readBin(connection, "raw", MOST_TEXT / 2))
    close(connection)
    close(file(capture, "wb"))
    text[text != as.raw(0L)]
  }

  # ---- what went wrong ---------------------------------------------------------------------------------------------
  warned <- 0L; warning_texts <- character(); calls <- NULL
  short <- function(text) {
    text <- iconv(text, to = "UTF-8", sub = "byte")
    if (is.na(text)) "NA" else if (nchar(text) > 1000L) paste0(substr(text, 1L, 1000L), " ...") else text
  }
  in_words <- function(condition) {
    call <- conditionCall(condition)
    where <- if (is.null(call)) "" else paste0(" in ", short(deparse(call, nlines = 1L)[[1L]]))
    paste0(where, ": ", short(paste(conditionMessage(condition), collapse = "\n")))
  }
  on_warning <- function(condition) {
    warned <<- warned + 1L
    if (warned <= MOST_WARNINGS) warning_texts <<- c(warning_texts, paste0("Warning", in_words(condition)))
    tryInvokeRestart("muffleWarning")
  }
  absent <- character() # packages that were wanted and are not installed
  on_error <- function(condition) {
    calls <<- sys.calls()[-sys.nframe()]
    if (inherits(condition, "packageNotFoundError")) absent <<- union(absent, as.character(condition$package))
  }
  traceback_text <- function() {
    # the innermost are those of the handler, the outermost those of this file
    stack <- Filter(function(call) !any(vapply(HANDLING, identical, NA, call[[1L]])), calls)
    stack <- stack[seq_along(stack) > outermost]
    half <- MOST_CALLS %/% 2L
    if (length(stack) > MOST_CALLS) stack <- c(stack[seq_len(half)], stack[length(stack) - (half - 1L):0L])
    vapply(stack, function(call) paste0("  ", short(deparse(call, nlines = 1L)[[1L]])), "")
  }
  HANDLING <- list(quote(h), quote(.handleSimpleError))
  outermost <- 0L
  trouble <- function(error, out) {
    lines <- character()
    if (!is.null(error)) lines <- c(paste0("Error", in_words(error)), "Calls, outermost first:", traceback_text())
    if (warned) lines <- c(lines, warning_texts)
    if (warned > MOST_WARNINGS) lines <- c(lines, sprintf("and %d more warnings", warned - MOST_WARNINGS))
    text <- if (length(lines)) as_bytes(paste0(paste(lines, collapse = "\n"), "\n")) else raw()
    if (length(out)) text <- c(text, as_bytes("It printed:\n"), out)
    text
  }

  # ---- what a method returned --------------------------------------------------------------------------------------
  refuse <- function(...) stop(sprintf(...), call. = FALSE)
  check_shape <- function(result) {
    if (!is.list(result) || is.object(result)) refuse("a method returns a named list, not %s", class(result)[[1L]])
    if (!length(result)) refuse("a method returned an empty list")
    if (is.null(names(result)) || any(names(result) == "")) refuse("every element a method returns needs a name")
    if (anyDuplicated(names(result))) refuse("'%s' is returned twice", names(result)[anyDuplicated(names(result))])
    for (name in names(result)) {
      value <- result[[name]]
      if (is.list(value)) {
        unknown <- setdiff(if (length(value) && is.null(names(value))) "" else names(value), FIELDS)
        if (length(unknown)) {
          refuse("'%s' has a field '%s'; known are %s", name, unknown[[1L]], paste(FIELDS, collapse = ", "))
        }
        for (field in setdiff(names(value), "draws")) check_number(value[[field]], paste0(name, "$", field))
        if (!is.null(value$draws) && !is.numeric(value$draws)) refuse("'%s$draws' is not a numeric vector", name)
        if (!is.null(value$draws) && !length(value$draws)) refuse("'%s$draws' is empty", name)
        if (length(dim(value$draws)) > 2L) refuse("'%s$draws' has more than two dimensions", name)
      } else {
        check_number(value, name)
      }
    }
  }
  check_number <- function(value, name) {
    if (is.null(value)) return()
    if (!(is.numeric(value) || is.logical(value)) || is.object(value)) refuse("'%s' is not a number", name)
    if (length(value) != 1L) refuse("'%s' has length %d, not 1", name, length(value))
  }
  # A matrix of draws is chains by draws; it goes as rows, columns, elements.
  with_draws <- function(flat) {
    flat <- flat[lengths(flat) > 0L]
    at <- grep("\\.draws$", names(flat))
    flat[at] <- lapply(flat[at], function(x) c(if (is.matrix(x)) dim(x) else c(1, length(x)), as.double(x)))
    flat
  }
  known_shapes <- NULL
  # Values in the order of their names; the names only where they are not those of the last time.
  flatten <- function(result, method) {
    flat <- unlist(result, recursive = FALSE)
    names <- names(flat)
    ordinary <- !is.null(names) && !any(lengths(flat) != 1L) && identical(names, known_shapes[[method]])
    if (!ordinary) {
      check_shape(result)
      flat <- with_draws(as.list(flat))
      if (!length(flat)) refuse("a method returned only NULL")
      names <- names(flat)
    }
    values <- unlist(flat, use.names = FALSE)
    if (ordinary && !(is.numeric(values) || is.logical(values))) check_shape(result)
    same <- identical(names, known_shapes[[method]])
    known_shapes[method] <<- list(names)
    list(as.double(values), if (!same) bytes_of_names(names))
  }

  # ---- the study ---------------------------------------------------------------------------------------------------
  load_study <- function(path) {
    sys.source(path, envir = globalenv(), keep.source = FALSE)
    found <- function(name, mode) get0(name, globalenv(), mode = mode, inherits = FALSE)
    dgp <<- found("dgp", "function")
    methods <<- found("methods", "list")
    truth <<- found("truth", "function")
    if (is.null(dgp)) refuse("it defines no function dgp(cell)")
    if (!length(methods) || is.null(names(methods))) {
      refuse("it defines no methods: methods <- list(name = function(data, cell) ...)")
    }
    for (name in names(methods)) if (!is.function(methods[[name]])) refuse("methods$%s is not a function", name)
  }
  dgp <- NULL; methods <- NULL; truth <- NULL; of_data <- character()
  # The truth of a parameter that depends on the data which were drawn.
  true_values <- function(data, cell) {
    if (is.null(truth)) refuse("the truth of %s depends on the data, and there is no function truth(data, cell)", of_data[[1L]])
    values <- as.list(truth(data, cell))
    vapply(of_data, function(name) {
      check_number(values[[name]], paste0("truth of ", name))
      if (is.null(values[[name]]) || !is.finite(values[[name]])) refuse("truth() gives no finite number for '%s'", name)
      as.double(values[[name]])
    }, 0, USE.NAMES = FALSE)
  }
  takes_cell <- function(f) is.primitive(f) || length(formals(f)) > 1L || "..." %in% names(formals(f))

  hello <- function() {
    problem <- tryCatch({
      load_study(arguments[[1L]])
      NULL
    }, error = function(e) c(as_bytes(short(conditionMessage(e))), as.raw(32L)))
    size <- printed()
    said <- if (size > 0) take_printed(size)
    if (is.null(problem)) {
      send(HELLO, 0, 0, OK, 0, double(), bytes_of_names(names(methods)))
    } else {
      send(HELLO, 0, 0, EXCEPTION, 0, double(), text = c(problem, said))
    }
  }

  # Request -1: what is loaded that was not said before, one line for each: kind, name, version, folder.
  told <- character()
  tell_loaded <- function() {
    line <- function(...) paste(..., sep = "\t")
    lines <- if (!length(told)) line("R", "R", paste(R.version$major, R.version$minor, sep = "."), R.home())
    for (name in setdiff(loadedNamespaces(), c(told, "base"))) {
      path <- tryCatch(getNamespaceInfo(name, "path"), error = function(e) NULL)
      if (is.null(path) || !nzchar(path)) next
      lines <- c(lines, line("R package", name, "", normalizePath(path, mustWork = FALSE)))
    }
    libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
    for (name in setdiff(absent, c(told, loadedNamespaces()))) lines <- c(lines, line("R package", name, "missing", libraries))
    told <<- c("base", loadedNamespaces(), absent)
    send(LOADED, 0, 0, OK, 0, double(), text = if (length(lines)) as_bytes(paste(lines, collapse = "\n")))
  }

  now <- function() as.double(Sys.time())

  # One batch. All of it runs below one handler; after an error it goes on with the next method.
  run_batch <- function(cell, first, count, wanted, states, limit) {
    steps <- c(0L, wanted)
    width <- length(order) + 1L
    replication <- 0L; step <- 1L; method <- 0L; begun <- 0
    data <- NULL; ended_at <- NULL; result <- NULL
    advance <- function() {
      step <<- step + 1L
      if (step > length(steps)) {
        step <<- 1L
        replication <<- replication + 1L
      }
    }
    begin <- function() {
      if (warned) {
        warned <<- 0L
        warning_texts <<- character()
      }
      assign(".Random.seed", states[, replication * width + method + 1L], envir = globalenv())
      if (limit > 0) setTimeLimit(elapsed = limit, transient = TRUE)
      if (method) begun <<- now()
    }
    finish <- function(status, values, names = NULL, error = NULL) {
      size <- printed()
      text <- if (size > 0 || warned || !is.null(error)) trouble(error, if (size > 0) take_printed(size))
      send(if (method) METHOD else DATA, first + replication, method, status, warned, values, names, text)
    }
    draw_data <- function() {
      before <- states[, replication * width + 1L]
      data <<- dgp(cell)
      true <- if (length(of_data)) true_values(data, cell)
      if (limit > 0) setTimeLimit()
      after <- get0(".Random.seed", globalenv(), inherits = FALSE)
      # the end of the stream is another in every replication, unless the process seeds itself
      ignored <- identical(after, before) || (!is.null(ended_at) && identical(after, ended_at))
      ended_at <<- after
      finish(OK, c(0, ignored, true))
    }
    apply_method <- function() {
      f <- functions[[method]]
      result <- if (with_cell[[method]]) f(data, cell) else f(data)
      seconds <- now() - begun
      if (limit > 0) {
        setTimeLimit()
        if (seconds > limit) return(finish(TIMEOUT, seconds))
      }
      flat <- flatten(result, method)
      finish(OK, c(seconds, flat[[1L]]), flat[[2L]])
    }
    go_on <- function() {
      while (replication < count) {
        method <<- steps[[step]]
        begin()
        if (method) apply_method() else draw_data()
        advance()
      }
    }
    failed <- function(error) {
      setTimeLimit()
      reopen()
      if (method) known_shapes[method] <<- list(NULL) # it may not have been sent
      seconds <- now() - begun
      late <- limit > 0 && seconds >= limit
      finish(if (!method) NO_DATA else if (late) TIMEOUT else EXCEPTION, seconds, error = error)
      # without data there is nothing to apply the methods to
      if (!method) step <<- length(steps)
      advance()
    }
    outermost <<- sys.nframe() + 7L
    while (replication < count) {
      tryCatch(withCallingHandlers(go_on(), warning = on_warning, error = on_error), error = failed)
    }
  }

  hello()
  cells <- read_cells()
  order <- vapply(seq_len(read_integers(1L)), function(i) read_text(), "")
  limit <- read_number()
  of_data <- vapply(seq_len(read_integers(1L)), function(i) read_text(), "")
  known_shapes <- vector("list", length(order))
  functions <- unname(methods[order])
  with_cell <- vapply(functions, takes_cell, NA)
  RNGkind("L'Ecuyer-CMRG", "Inversion", "Rejection")
  repeat {
    request <- read_integers(3L)
    if (request[[1L]] == -1L) {
      reopen()
      tell_loaded()
      next
    }
    wanted <- which(read_integers(length(order)) == 1L)
    states <- matrix(read_integers(7L * (length(order) + 1L) * request[[3L]]), nrow = 7L)
    run_batch(cells[[request[[1L]] + 1L]], request[[2L]], request[[3L]], wanted, states, limit)
  }
})

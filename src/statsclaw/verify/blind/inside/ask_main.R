# Runs an author's questions: Rscript --vanilla ask_main.R ask|see|talk|study FOLDER SETTINGS OUTPUT [INPUT]
#
# The R side of ask_main.py:
# check: for the author, with `Rscript ask_main.R check FOLDER`: says what is asked and claimed, and what is not yet.
# try: likewise of a study, with `Rscript ask_main.R try FILE`.
# ask: every scenario once; what was asked and claimed goes to OUTPUT.
# see: one function on answers that stand in SETTINGS; what it returned goes to OUTPUT.
# study: draws the replications that INPUT asks for; what to ask about them and to record goes to OUTPUT.
# talk: one dialogue; its calls go to OUTPUT, the answers come by INPUT, what it returned goes to OUTPUT.
# SETTINGS is a frame of statsclaw_wire.R. No package is here, and in `ask` no answer either.
local(envir = new.env(parent = baseenv()), {
  here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]]))
  inside <- new.env(parent = baseenv())
  for (name in c("statsclaw_wire.R", "statsclaw_ask.R")) sys.source(file.path(here, name), inside, keep.source = FALSE)
  inside$register()
  attach(c(mget(inside$author_names, inside), inside$masks), name = "statsclaw_ask", warn.conflicts = FALSE)
  book <- inside$book
  restored <- inside$restored
  options(warn = 1, keep.source = TRUE)
  if (!l10n_info()[["UTF-8"]]) suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))

  # One 31-bit number from the seeds of the scenario and of the run, without a loss: every product is below 2^53.
  PRIMES <- c(7919, 104729)
  seed <- function(seeds) {
    modulus <- 2147483647
    mixed <- 1
    factors <- rep_len(PRIMES, length(seeds))
    for (i in seq_along(seeds)) mixed <- (mixed + as.double(seeds[[i]]) %% modulus * factors[[i]]) %% modulus
    seed_exactly(mixed)
  }
  seed_exactly <- function(number) {
    RNGkind("Mersenne-Twister", "Inversion", "Rejection")
    set.seed(number)
  }

  # ---- an author's file ----------------------------------------------------------------------------------------------
  line <- NULL
  # A file lives in an environment of its own; what it sources goes where R puts it, the global environment.
  load <- function(folder, name) {
    book$file <- name
    book$place <- new.env(parent = globalenv())
    path <- normalizePath(file.path(folder, name))
    from <- setwd(dirname(path))
    on.exit(setwd(from))
    line <<- NULL
    parts <- parse(path, keep.source = TRUE, encoding = "UTF-8")
    places <- attr(parts, "srcref")
    for (i in seq_along(parts)) {
      line <<- places[[i]][[1L]]
      eval(parts[[i]], book$place)
    }
    book$place
  }
  # What went wrong, in a line with its place; nothing where nothing did.
  told <- function(work) {
    problem <- caught(work)
    if (!is.null(problem)) cat(problem, "\n", file = stderr())
    problem
  }
  caught <- function(work) {
    calls <- list()
    problem <- tryCatch({
      withCallingHandlers(work(), error = function(e) calls <<- sys.calls())
      NULL
    }, error = in_words)
    if (is.null(problem)) return(NULL)
    lines <- Filter(Negate(is.null), lapply(calls, function(call) attr(call, "srcref")))
    where <- if (length(lines)) lines[[length(lines)]][[1L]] else line
    paste0(problem, if (!is.null(where)) sprintf(" (line %d)", where))
  }
  in_words <- function(e) substr(paste0(class(e)[[1L]], ": ", paste(conditionMessage(e), collapse = "\n")), 1L, 980L)

  # ---- questions -----------------------------------------------------------------------------------------------------
  ask <- function(folder, settings) {
    for (name in settings$files) {
      problem <- told(function() load(folder, name))
      if (!is.null(problem)) return(list(problem = paste0(name, ": ", problem)))
    }
    from <- getwd()
    line <<- NULL
    for (row in book$scenarios) {
      book$scenario <- row$name
      book$case <- row$case
      book$file <- row$file
      book$place <- row$place
      own <- settings$seeds[[row$name]]
      seed(list(if (is.null(own)) 0 else own, settings$seed))
      setwd(dirname(normalizePath(file.path(folder, row$file))))
      problem <- told(row$f)
      setwd(from)
      if (!is.null(problem)) return(list(problem = sprintf("%s, %s (%s): %s", row$file, row$case, row$name, problem)))
    }
    list(calls = book$calls, claims = book$claims)
  }

  see <- function(folder, settings) {
    returned(function() {
      place <- load(folder, settings$file)
      setwd(file.path(folder, dirname(settings$file)))
      f <- get(settings[["function"]], place, mode = "function")
      do.call(f, lapply(settings$arguments, restored, further), quote = TRUE)
    })
  }

  talk <- function(folder, settings, incoming, outgoing) {
    asked <- function(...) {
      given <- list(...)
      if (!inside$is_single_text(given[[1L]])) inside$misasked("a call begins with the name of a function")
      inside$send(outgoing, c(list(`function` = given[[1L]]), inside$arguments_of(given[-1L])))
      reply <- inside$receive(incoming)
      if (is.null(reply)) quit("no", status = 1L, runLast = FALSE)
      if (!is.null(reply$error)) stop(sprintf("%s: %s", reply$error$classes[[1L]], reply$error$message), call. = FALSE)
      restored(reply$value, further)
    }
    returned(function() {
      place <- load(folder, settings$file)
      setwd(file.path(folder, dirname(settings$file)))
      f <- get(settings[["function"]], place, mode = "function")
      seed(settings$seeds)
      do.call(f, c(list(asked), lapply(settings$arguments, restored, further)), quote = TRUE)
    })
  }

  # ---- a study -------------------------------------------------------------------------------------------------------
  # Draws the data of replications and says what to ask about them, for as long as it is asked to.
  study <- function(folder, settings, incoming, outgoing) {
    found <- study_in(folder, settings$file, as.character(unlist(settings$methods)))
    inside$send(outgoing, if (is.null(found$problem)) list(ready = TRUE) else list(problem = found$problem))
    while (!is.null(request <- inside$receive(incoming))) {
      cell <- lapply(request$cell, restored)
      for (row in request$replications) {
        inside$send(outgoing, c(list(replication = row[[1L]]), replication(found, cell, row[[2L]], row[[3L]])))
      }
    }
  }
  study_in <- function(folder, file, wanted) {
    problem <- told(function() load(folder, file))
    if (!is.null(problem)) return(list(problem = problem))
    line <<- NULL
    setwd(dirname(file.path(folder, file)))
    draw <- defined("draw", "function")
    methods <- defined("methods", "list")
    complete <- setequal(names(methods), wanted) && inside$are_named_functions(methods)
    if (is.null(draw) || !complete) {
      wanted <- paste(wanted, collapse = ", ")
      return(list(problem = sprintf("it has no function draw, or no list methods of functions called %s", wanted)))
    }
    list(draw = draw, methods = methods)
  }
  # By the file itself or by what it sourced.
  defined <- function(name, mode) {
    for (place in list(book$place, globalenv())) {
      if (exists(name, place, mode = mode, inherits = FALSE)) return(get(name, place, mode = mode, inherits = FALSE))
    }
  }
  replication <- function(study, cell, number, seeds) {
    data <- NULL
    problem <- caught(function() {
      seed_exactly(number)
      data <<- study$draw(cell)
    })
    if (!is.null(problem)) return(list(problem = problem))
    said <- lapply(names(seeds), function(name) of_method(name, study$methods[[name]], data, cell, seeds[[name]]))
    list(methods = stats::setNames(said, names(seeds)))
  }
  of_method <- function(name, f, data, cell, number) {
    book$calls <- list()
    book$scenario <- "study"
    book$case <- name
    record <- NULL
    problem <- caught(function() {
      seed_exactly(number)
      takes <- if ("..." %in% names(formals(f))) 3L else length(formals(f))
      record <<- inside$node(with_names(do.call(f, list(data, cell, number)[seq_len(min(takes, 3L))], quote = TRUE)))
      inside$encode(record)
    })
    if (is.null(problem)) list(calls = book$calls, record = record) else list(problem = problem)
  }
  # c(estimate = 1, se = 2) and list(estimate = 1, se = 2) are the same; a list of nothing records nothing.
  PARTS <- c("estimate", "se", "low", "high", "reject", "p")
  with_names <- function(record) {
    if (is_named_vector(record)) record <- as.list(record)
    if (!is.list(record) || is.object(record)) return(record)
    if (!length(record)) return(inside$empty_names())
    lapply(record, function(part) if (is_named_vector(part) && all(names(part) %in% PARTS)) as.list(part) else part)
  }
  is_named_vector <- function(x) is.atomic(x) && !is.null(names(x)) && is.null(dim(x))

  # ---- for the author ------------------------------------------------------------------------------------------------
  # specification.json beside us: as the engine writes it, JSON says in R's own words nearly the same.
  specification <- function() {
    text <- paste(readLines(file.path(here, "specification.json"), encoding = "UTF-8"), collapse = "\n")
    tokens <- regmatches(text, gregexpr('"(\\\\.|[^"\\\\])*"|[][{},:]|[^][{},:[:space:]"]+', text))[[1L]]
    words <- c(`{` = "list(", `[` = "list(", `}` = ")", `]` = ")", `:` = "=")
    words <- c(words, true = "TRUE", false = "FALSE", null = "NULL")
    known <- tokens %in% names(words)
    tokens[known] <- words[tokens[known]]
    eval(parse(text = sub("^(-?[0-9]{1,9})$", "\\1L", tokens), keep.source = FALSE), baseenv())
  }
  listed <- function(what, names) if (length(names)) paste0(what, ": ", paste(names, collapse = ", "))
  in_order <- function(names) sort(unique(as.character(names)), method = "radix")

  # What the questions in a folder come to, by the scenarios and criteria of the specification.
  check <- function(folder) {
    known <- specification()
    files <- in_order(list.files(folder, "^ask_.*\\.R$", recursive = TRUE))
    found <- ask(folder, list(files = files, seeds = known$scenarios, seed = 0L))
    if (!is.null(found$problem)) return(paste("problem:", found$problem))
    at <- function(rows, name) vapply(rows, function(row) row[[name]], "")
    pairs <- function(criteria, scenarios) if (length(scenarios)) paste(criteria, "in", scenarios)
    wanted <- unlist(lapply(names(known$criteria), function(name) pairs(name, known$criteria[[name]]$scenarios)))
    claimed <- at(found$claims, "criterion")
    c(
      sprintf("%d files, %d calls, %d claims", length(files), length(found$calls), length(found$claims)),
      listed("cannot decide its criterion", in_order(unlist(lapply(found$claims, misfit_of, known$criteria)))),
      listed("not in the interface", in_order(unlist(lapply(found$calls, unnamed, found$claims, known$functions)))),
      listed("not claimed yet", setdiff(wanted, pairs(claimed, at(found$claims, "scenario")))),
      listed("no criterion of the specification", in_order(setdiff(claimed, names(known$criteria)))),
      listed("nothing asked in", in_order(setdiff(names(known$scenarios), at(c(found$calls, found$claims), "scenario"))))
    )
  }
  # Rules of criteria that only some kinds of claims decide, but for code that sees answers.
  DECIDES <- list(
    close = "close", equals = c("close", "same"), raises = "raises", warns = "warns", `at most` = "value",
    `at least` = "value", between = "value", `same as base` = "unchanged"
  )
  misfit_of <- function(claim, criteria) {
    rule <- criteria[[claim$criterion]]$rule
    if (is.null(rule) || claim$rule %in% c("observe", "dialogue")) return(NULL)
    others <- c("close", "value", "unchanged")
    fits <- if (rule %in% names(DECIDES)) claim$rule %in% DECIDES[[rule]] else !claim$rule %in% others
    if (!fits) sprintf("%s for %s (%s)", claim$rule, claim$criterion, rule)
  }

  # The function, or its argument, that cannot be asked. Methods and parts are looked at when it is handed in.
  unnamed <- function(call, claims, functions) {
    name <- call[["function"]]
    if (is.null(functions) || call$what != "call" || !is.null(call[["on"]])) return(NULL)
    if (!name %in% names(functions)) return(name)
    raising <- function(claim) claim$rule == "raises" && claim$call == call$id
    if (is.null(functions[[name]]) || any(vapply(claims, raising, TRUE))) return(NULL)
    known <- as.character(unlist(functions[[name]]))
    others <- setdiff(names(call$named), known)
    if (length(others)) return(paste(others[[1L]], "of", name))
    if (length(call$arguments) > length(known)) sprintf("%d arguments of %s", length(call$arguments), name)
  }

  # One replication of every cell of a study, as far as it goes without a package.
  attempt <- function(path) {
    known <- specification()
    names <- as.character(unlist(known$methods))
    found <- study_in(dirname(path), basename(path), names)
    if (!is.null(found$problem)) return(paste("problem:", found$problem))
    lines <- character()
    for (cell in known$cells) {
      where <- paste0(names(cell), "=", unlist(cell), collapse = ", ")
      drawn <- replication(found, cell, 1L, stats::setNames(rep(list(1L), length(names)), names))
      if (!is.null(drawn$problem)) return(sprintf("problem in %s: %s", where, drawn$problem))
      for (name in names) {
        said <- drawn$methods[[name]]
        if (!is.null(said$problem)) return(sprintf("problem in %s, %s: %s", where, name, said$problem))
        calls <- vapply(said$calls, function(call) call[["function"]], "")
        calls <- if (length(calls)) paste(calls, collapse = ", ") else "nothing"
        lines <- c(lines, sprintf("%s %s: asks %s; records %s", where, name, calls, recorded(said$record)))
      }
    }
    lines
  }
  recorded <- function(record) {
    if (inside$is_extra(record) || is.null(names(record))) return("nothing that has a name")
    columns <- lapply(names(record), function(name) {
      part <- record[[name]]
      if (is.list(part) && !inside$is_extra(part) && length(names(part))) paste0(name, ".", names(part)) else name
    })
    paste(unlist(columns), collapse = ", ")
  }

  returned <- function(work) {
    tryCatch({
      found <- list(work())
      inside$encode(found)
      list(returned = found[[1L]])
    }, error = function(e) {
      cat(in_words(e), "\n", file = stderr())
      list(problem = in_words(e))
    })
  }
  further <- function(kind, value) if (kind == "object") restored(value$fields, further) else value

  given <- commandArgs(trailingOnly = TRUE)
  if (given[[1L]] %in% c("check", "try")) {
    path <- normalizePath(given[[2L]])
    said <- if (given[[1L]] == "check") check(path) else attempt(path)
    cat(said, sep = "\n")
    quit("no", status = as.integer(startsWith(said[[1L]], "problem")), runLast = FALSE)
  }
  folder <- normalizePath(given[[2L]])
  source <- file(given[[3L]], "rb", raw = TRUE)
  settings <- inside$receive(source)
  close(source)
  output <- file(given[[4L]], "wb", raw = TRUE)
  input <- if (given[[1L]] %in% c("talk", "study")) file(given[[5L]], "rb", raw = TRUE)
  if (given[[1L]] == "study") {
    study(folder, settings, input, output)
    quit("no", status = 0L, runLast = FALSE)
  }
  found <- switch(given[[1L]],
    ask = ask(folder, settings),
    see = see(folder, settings),
    talk = talk(folder, settings, input, output)
  )
  inside$send(output, found)
  quit("no", status = 0L, runLast = FALSE)
})

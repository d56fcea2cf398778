# Holds the package and answers calls: Rscript --vanilla worker.R INPUT OUTPUT SITE PACKAGE
#
# The R side of worker.py. INPUT and OUTPUT are pipes with frames of statsclaw_wire.R; what is asked and answered is in
# docs/reference/worker-protocol.md. Everything lives below baseenv(): what the package defines does not reach it.
local(envir = new.env(parent = baseenv()), {
  LONGEST_TEXT <- 4000L
  MOST_WARNINGS <- 200L

  here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[[1L]]))
  wire <- new.env(parent = baseenv())
  sys.source(file.path(here, "statsclaw_wire.R"), wire)
  extra <- wire$extra

  given <- commandArgs(trailingOnly = TRUE)
  site <- given[[3L]]
  package <- given[[4L]]
  input <- file(given[[1L]], "rb", raw = TRUE)
  output <- file(given[[2L]], "wb", raw = TRUE)
  printed <- tempfile("printed")
  kept <- new.env(parent = emptyenv())
  now <- function() as.double(Sys.time())
  measured <- Sys.getenv("STATSCLAW_COVERAGE")
  Sys.unsetenv("STATSCLAW_COVERAGE")

  # ---- what is printed ---------------------------------------------------------------------------------------------
  # What R prints is diverted. What compiled code and other programs print goes past R to the file that the process was
  # started with, if it is one.
  descriptor <- "/proc/self/fd/1"
  in_file <- isTRUE(utils::file_test("-f", descriptor))
  past_r <- function() {
    flush(getConnection(1L))
    file.size(descriptor)
  }
  begin_capture <- function() {
    begun <- if (in_file) past_r()
    capture <- file(printed, "wb")
    sink(capture)
    sink(capture, type = "message")
    list(connection = capture, begun = begun)
  }
  end_capture <- function(capture) {
    sink(type = "message")
    while (sink.number() > 0L) sink()
    # the package may have closed it
    tryCatch(close(capture$connection), error = function(e) NULL)
    bytes <- if (file.exists(printed)) readBin(printed, "raw", 4L * LONGEST_TEXT) else raw()
    if (in_file && past_r() > capture$begun) bytes <- c(bytes, read_from(descriptor, capture$begun))
    short(rawToChar(bytes[bytes != as.raw(0L)]))
  }
  read_from <- function(path, place) {
    source <- file(path, "rb")
    on.exit(close(source))
    seek(source, place)
    readBin(source, "raw", 4L * LONGEST_TEXT)
  }
  short <- function(text) {
    text <- wire$as_utf8(paste(text, collapse = "\n"))
    Encoding(text) <- "UTF-8"
    if (validUTF8(text)) substr(text, 1L, LONGEST_TEXT) else ""
  }
  condition <- function(of) {
    message <- tryCatch(conditionMessage(of), error = function(e) "")
    list(classes = as.list(utils::head(class(of), 20L)), message = short(as.character(message)))
  }

  # closeAllConnections() of a package spares the two that we talk by
  spare_ours <- function() {
    spared <- c(0:2, as.integer(input), as.integer(output))
    replacement <- function() {
      sink(type = "message")
      while (sink.number() > 0L) sink()
      for (number in setdiff(getAllConnections(), spared)) close(getConnection(number))
      invisible()
    }
    unlockBinding("closeAllConnections", baseenv())
    assign("closeAllConnections", replacement, baseenv())
    lockBinding("closeAllConnections", baseenv())
  }

  # ---- the package -------------------------------------------------------------------------------------------------
  load_package <- function() {
    .libPaths(c(site, .libPaths()))
    capture <- begin_capture()
    on.exit(end_capture(capture))
    tryCatch({
      suppressWarnings(library(package, lib.loc = .libPaths(), character.only = TRUE, warn.conflicts = FALSE))
      if (measured != "") measure()
      NULL
    }, error = function(e) e)
  }
  refuse <- function(...) stop(sprintf(...), call. = FALSE)
  # Of the package; of R itself where the name says so: those make what packages are given.
  exported <- function(name) {
    parts <- strsplit(name, "::", fixed = TRUE)[[1L]]
    if (length(parts) == 2L) return(getExportedValue(parts[[1L]], parts[[2L]]))
    if (!name %in% getNamespaceExports(package)) refuse("'%s' is not exported by '%s'", name, package)
    getExportedValue(package, name)
  }
  exports <- function() {
    names <- getNamespaceExports(package)
    as.list(sort(names[!startsWith(names, ".__")], method = "radix"))
  }
  signature <- function(name) {
    f <- exported(name)
    if (!is.function(f)) refuse("'%s' is not a function", name)
    rows <- as.list(formals(args(f)))
    dots <- match("...", names(rows), nomatch = length(rows))
    lapply(seq_along(rows), function(i) {
      none <- identical(rows[[i]], quote(expr = ))
      default <- if (!none) paste(deparse(rows[[i]], 500L), collapse = " ")
      list(name = names(rows)[[i]], default = default, keyword_only = i > dots)
    })
  }

  # A method of an answer: a function it holds (R6, reference classes, closures), or the generic of that name.
  method <- function(object, name) {
    own <- if (is.environment(object) || is.list(object)) tryCatch(field(object, name)[[1L]], error = function(e) NULL)
    if (is.function(own)) return(list(own, list()))
    generic <- if (name %in% getNamespaceExports(package)) getExportedValue(package, name)
    # what the package imports, then base, then what is attached: stats, methods, utils
    if (is.null(generic)) generic <- get0(name, parent.env(asNamespace(package)), mode = "function")
    if (!is.function(generic)) refuse("could not find function \"%s\"", name)
    list(generic, list(object))
  }

  # The call is made of names, not of values: match.call() and substitute() then show what a person would have written.
  invoke <- function(name, f, arguments) {
    frame <- new.env(parent = globalenv())
    assign(name, f, frame)
    symbols <- variable_names(f, arguments, name)
    for (i in seq_along(arguments)) assign(symbols[[i]], arguments[[i]], frame)
    call <- as.call(c(list(as.name(name)), structure(lapply(symbols, as.name), names = names(arguments))))
    # below R's own evaluator, so that the frame is what parent.frame() finds
    eval(call, frame)
  }
  variable_names <- function(f, arguments, taken) {
    labels <- names(arguments)
    if (is.null(labels)) labels <- character(length(arguments))
    open <- labels == ""
    known <- setdiff(names(formals(args(f))), labels)
    known <- known[cumsum(known == "...") == 0L]
    labels[open] <- utils::head(c(known, paste0("argument", seq_len(sum(open)))), sum(open))
    labels[labels == taken] <- paste0(taken, "_")
    make.unique(labels)
  }

  # ---- coverage ----------------------------------------------------------------------------------------------------
  # Where the engine asks for it, covr puts a counter into every expression. What they counted is written when the
  # process ends, also where the package ends it: by file, rows of first line, byte, last line, byte, reached or not.
  measure <- function() {
    if (!requireNamespace("covr", quietly = TRUE)) return(write_coverage("{\"missing\": \"covr\"}"))
    covr <- asNamespace("covr")
    covr$trace_environment(asNamespace(package))
    reg.finalizer(kept, function(e) write_coverage(counted(as.list(covr$.counters))), onexit = TRUE)
  }
  counted <- function(counters) {
    files <- vapply(counters, function(one) attr(one$srcref, "srcfile")$filename, "")
    files <- gsub("([\\\\\"])", "\\\\\\1", enc2utf8(files))
    row <- function(one) paste0("[", paste(c(one$srcref[1:4], as.integer(one$value > 0)), collapse = ","), "]")
    by_file <- vapply(split(vapply(counters, row, ""), files), paste, "", collapse = ",")
    # not by sprintf, which has a longest text
    parts <- paste0("\"", names(by_file), "\": [", by_file, "]", recycle0 = TRUE, collapse = ",\n")
    paste0("{\"files\": {", parts, "}}")
  }
  write_coverage <- function(text) {
    place <- sprintf("%s-%d.json", measured, Sys.getpid())
    writeLines(text, paste0(place, ".part"), useBytes = TRUE)
    file.rename(paste0(place, ".part"), place)
  }

  # ---- values ------------------------------------------------------------------------------------------------------
  further <- function(kind, value) {
    if (kind != "answer") refuse("an argument of the kind '%s'", kind)
    id <- as.character(value$call)
    if (!exists(id, kept, inherits = FALSE)) refuse("call %s has no answer", id)
    found <- kept[[id]]$value
    for (step in value$path) found <- part(found, step)
    found
  }
  part <- function(value, step) {
    if (is.numeric(step)) return(value[[step + 1L]])
    found <- field(value, step)
    if (!length(found)) refuse("the answer has no part '%s'", step)
    found[[1L]]
  }
  # The field in a list, nothing in it where the object has none of that name. Users read it by `$`; where the class has a
  # `$` or a `[[` of its own, all ways that users have must agree.
  field <- function(value, name) {
    bare <- below(value, name)
    if (!is.object(value) || is.atomic(value)) return(bare)
    ways <- ways_of(value)
    if (!length(ways)) return(bare)
    found <- lapply(ways, function(way) tryCatch(list(do.call(way, list(value, name))), error = function(e) list()))
    if (isS4(value) || length(ways) < 2L) found <- c(found, list(bare))
    found <- Filter(function(part) length(part) && !is.null(part[[1L]]), found)
    seen <- unique(lapply(found, function(part) encoded(plain(part[[1L]], 0L))))
    if (length(seen) > 1L) refuse("'%s' is one thing by `%s` and another otherwise", name, ways[[1L]])
    if (length(found)) found[[1L]] else bare
  }
  # Of `$` and `[[`, those that the class has of its own. Looked up once for each class.
  known_ways <- new.env(hash = TRUE, parent = emptyenv())
  ways_of <- function(value) {
    key <- paste(c(isS4(value), class(value)), collapse = "\r")
    if (is.null(known_ways[[key]])) {
      known_ways[[key]] <- list(c(if (has_own("$", value)) "$", if (has_own("[[", value)) "[["))
    }
    known_ways[[key]][[1L]]
  }
  has_own <- function(way, value) {
    if (isS4(value)) return(methods::hasMethod(way, class(value)))
    own <- function(class) !is.null(utils::getS3method(way, class, optional = TRUE, envir = asNamespace(package)))
    any(vapply(class(value), own, NA))
  }
  below <- function(value, name) {
    if (isS4(value) && name %in% methods::slotNames(value)) return(list(methods::slot(value, name)))
    if (is.environment(value)) return(if (exists(name, value, inherits = FALSE)) list(get(name, value)) else list())
    if (!is.list(value) && !is.atomic(value)) return(list())
    bare <- unclass(value)
    if (name %in% names(bare)) list(bare[[name]]) else list()
  }
  # `fields`: names; of a field that is an object itself, a list of its name and its fields. `*`: all that it holds.
  described <- function(value, fields) {
    if (is.null(fields)) return(plain(value, 0L))
    has_fields <- isS4(value) || is.environment(value) || (is.list(value) && is.object(value) && !is.data.frame(value))
    if (identical(unlist(fields), "*") && !has_fields) return(plain(value, 0L))
    whole <- vapply(fields, identical, NA, "*")
    names <- vapply(fields[!whole], function(row) if (is.list(row)) row$name else row, "")
    if (any(whole)) names <- union(names, held(value))
    below <- list()
    for (row in fields) if (is.list(row)) below[[row$name]] <- row$fields
    found <- lapply(names, function(name) field(value, name))
    names(found) <- names
    there <- lengths(found) > 0L
    values <- lapply(names[there], function(name) {
      part <- found[[name]][[1L]]
      if (is.null(below[[name]]) || is.null(part)) plain(part, 0L) else described(part, below[[name]])
    })
    names(values) <- names[there]
    if (!length(values)) values <- wire$empty_names()
    classes <- if (isS4(value)) methods::is(value) else class(value)
    extra("object", list(classes = as.list(classes), fields = values, missing = as.list(names(found)[!there])))
  }
  held <- function(value) {
    names <- if (isS4(value)) methods::slotNames(value) else if (is.environment(value)) ls(value) else names(unclass(value))
    names[nzchar(names) & !startsWith(names, ".")]
  }
  # What can be handed over; of anything else, also inside of lists, its type.
  plain <- function(value, depth) {
    bytes <- encoded(value)
    if (!is.null(bytes)) return(bytes)
    if (is.function(value)) return(extra("method", class(value)[[1L]]))
    if (typeof(value) != "list" || is.data.frame(value) || !is.null(dim(value)) || depth > 20L) {
      return(extra("opaque", class(value)[[1L]]))
    }
    lapply(unclass(value), plain, depth + 1L)
  }
  # Its bytes; nothing where it cannot be handed over.
  encoded <- function(value) {
    tryCatch(wire$encoded_before(value), unsendable = function(e) NULL, stackOverflowError = function(e) NULL)
  }
  # What a value holds, to be compared later: of an earlier answer that R does not copy, its declared fields.
  content <- function(value) {
    fields <- if (is.environment(value)) fields_of(value)
    if (!length(fields)) return(serialize(value, NULL, version = 2L))
    encoded(lapply(fields, function(name) lapply(below(value, name), plain, 0L)))
  }
  fields_of <- function(value) {
    same <- vapply(ls(kept), function(id) identical(kept[[id]]$value, value), NA)
    if (any(same)) kept[[names(which(same))[[1L]]]]$fields
  }
  # ---- figures -----------------------------------------------------------------------------------------------------
  # Whether a figure renders, and its layers with their data: of ggplot2 by its own tables, of R's own graphics by what
  # was drawn while the function ran.
  open_page <- function() {
    while (grDevices::dev.cur() > 1L) grDevices::dev.off()
    grDevices::pdf(NULL)
    grDevices::dev.control("enable")
  }
  figure <- function(value) {
    on.exit(while (grDevices::dev.cur() > 1L) grDevices::dev.off())
    found <- tryCatch(
      if (inherits(value, "ggplot")) of_ggplot(value) else of_page(),
      error = function(e) list(rendered = FALSE, why = short(conditionMessage(e)))
    )
    extra("object", list(classes = list("figure"), fields = found, missing = list()))
  }
  of_ggplot <- function(value) {
    ggplot2 <- asNamespace("ggplot2")
    built <- ggplot2$ggplot_build(value)
    grid::grid.draw(ggplot2$ggplot_gtable(built))
    kinds <- vapply(value$layers, function(layer) tolower(sub("^Geom", "", class(layer$geom)[[1L]])), "")
    label <- function(name) { text <- value$labels[[name]]; if (is.character(text)) text else "" }
    drawn(kinds, lapply(built$data, function(rows) list(x = rows$x, y = rows$y)), label("title"), label("x"), label("y"))
  }
  # The names of R's own drawing, as they stand in the list of what a page shows, and what they draw.
  of_page <- function() {
    steps <- lapply(grDevices::recordPlot()[[1L]], function(step) as.list(step[[2L]]))
    if (!length(steps)) return(list(rendered = FALSE, why = "nothing was drawn"))
    name <- function(step) tryCatch(step[[1L]]$name, error = function(e) "")
    calls <- vapply(steps, function(step) { found <- name(step); if (is.character(found)) found else "" }, "")
    layers <- steps[calls %in% c("C_plotXY", "C_rect", "C_segments")]
    kinds <- vapply(layers, function(step) {
      switch(name(step), C_rect = "bars", C_segments = "segments",
        if (identical(step[[3L]], "l")) "line" else if (identical(step[[3L]], "n")) "" else "points")
    }, "")
    data <- lapply(layers, function(step) {
      if (name(step) == "C_plotXY") return(list(x = as.double(step[[2L]]$x), y = as.double(step[[2L]]$y)))
      list(x = as.double(step[[2L]]), y = as.double(step[[if (name(step) == "C_rect") 5L else 3L]]))
    })
    titles <- Filter(function(step) name(step) == "C_title", steps)
    text <- function(i) { found <- if (length(titles)) titles[[1L]][[i]]; if (is.character(found)) found[[1L]] else "" }
    drawn(kinds[kinds != ""], data[kinds != ""], text(2L), text(4L), text(5L))
  }
  drawn <- function(kinds, data, title, xlabel, ylabel) {
    found <- list(rendered = TRUE, layers = length(kinds), kinds = as.list(kinds), title = title, xlabel = xlabel,
      ylabel = ylabel)
    for (i in seq_along(kinds)) {
      sides <- lapply(data[[i]], function(side) wire$as_array(as.double(side)))
      found[[paste0("layer", i)]] <- c(list(kind = kinds[[i]]), sides)
    }
    found
  }
  is_generator <- function(value) wire$is_extra(value) && value$kind == "generator"

  # ---- one request -------------------------------------------------------------------------------------------------
  seed <- function(number) {
    RNGkind("Mersenne-Twister", "Inversion", "Rejection")
    set.seed(if (abs(number) <= .Machine$integer.max) number else number %% .Machine$integer.max)
  }
  GARBAGE <- 4 * 2^20
  lowest <- 0
  status <- function() {
    line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
    as.double(gsub("[^0-9]", "", line)) * 1024
  }
  peak <- function() tryCatch(status(), error = function(e) sum(gc()[, 6L]) * 2^20)
  in_use <- function() {
    cat("5", file = "/proc/self/clear_refs")
    status()
  }
  # From here on the peak counts anew, where the kernel can do that. What is in use now, in bytes. Garbage would hide what
  # the call takes; it is collected only where there may be much of it, because that takes longer than a small call.
  reset_peak <- function(given) {
    tryCatch(suppressWarnings({
      resting <- in_use()
      if (given > GARBAGE || resting > lowest + GARBAGE) {
        gc()
        resting <- in_use()
      }
      if (given <= GARBAGE) lowest <<- resting
      resting
    }), error = function(e) 0)
  }

  perform <- function(request, on, arguments) {
    what <- if (is.null(request$what)) "call" else request$what
    name <- request[["function"]]
    switch(what,
      exports = exports(),
      signature = signature(name),
      text = paste(utils::capture.output(invoke("print", print, arguments)), collapse = "\n"),
      if (is.null(on)) {
        f <- exported(name)
        if (!is.function(f)) refuse("'%s' is not a function", name)
        invoke(sub("^.*::", "", name), f, arguments)
      } else {
        invoke(name, on[[1L]], c(on[[2L]], arguments))
      }
    )
  }
  # Positional arguments, then those with names; generators are left out and seed R's own.
  given_arguments <- function(request) {
    named <- request$named
    places <- c(as.character(seq_along(request$arguments) - 1L), names(named))
    all <- c(request$arguments, named)
    if (is.null(names(all)) && length(all)) names(all) <- character(length(all))
    random <- vapply(all, is_generator, NA)
    list(values = lapply(all[!random], wire$restored, further), places = places[!random],
      seeds = lapply(all[random], function(one) one$value$seed))
  }

  muffling <- function(w) Find(function(one) one$name == "muffleWarning", computeRestarts(w))

  performed <- function(request) {
    begun <- now()
    reply <- list(changed = list())
    changed <- function() list()
    caught <- list()
    # One that is only signalled, and not muffled by anybody, is seen by no user.
    on_warning <- function(w) {
      if (is.null(muffling(w))) return()
      if (length(caught) < MOST_WARNINGS) caught[[length(caught) + 1L]] <<- condition(w)
      invokeRestart(muffling(w))
    }
    # An error that is only signalled ends nothing where nobody waits for it. Of those that came before the end, the first is
    # what whoever waits would have caught.
    first <- NULL
    on_error <- function(e) {
      if (is.null(first)) first <<- e
      options(show.error.messages = FALSE)
    }
    messages <- getOption("show.error.messages")
    on.exit(options(show.error.messages = messages))
    answer <- function() {
      if (!is.null(failure)) stop(failure)
      made <- given_arguments(request)
      on <- if (!is.null(request$on)) method(wire$restored(request$on, further), request[["function"]])
      before <- lapply(made$values, content)
      changed <<- function() {
        after <- lapply(made$values, content)
        as.list(made$places[!vapply(seq_along(after), function(i) identical(before[[i]], after[[i]]), NA)])
      }
      for (number in c(list(request$seed), made$seeds)) if (!is.null(number)) seed(number)
      resting <- if (!isFALSE(request$measured)) reset_peak(sum(lengths(before)))
      begun <<- now()
      if (isTRUE(request$figure)) open_page()
      shown <- withCallingHandlers(withVisible(perform(request, on, made$values)), warning = on_warning)
      value <- shown$value
      reply$seconds <<- now() - begun
      reply$visible <<- shown$visible
      if (!is.null(resting)) reply$peak <<- peak() - resting
      reply$changed <<- changed()
      assign(as.character(request$id), list(value = value, fields = request$fields), kept)
      reply["value"] <<- list(if (isTRUE(request$figure)) figure(value) else described(value, request$fields))
      NULL
    }
    problem <- withRestarts(withCallingHandlers(answer(), error = on_error), abort = function() {
      condition(if (is.null(first)) simpleError(sub("^Error[^:]*: ", "", geterrmessage())) else first)
    })
    if (is.null(reply$seconds)) reply$seconds <- now() - begun
    if (!is.null(problem)) {
      if (!length(reply$changed)) reply$changed <- changed()
      reply$value <- NULL
      reply$error <- problem
    }
    reply$warnings <- caught
    reply
  }

  answered <- function(request) {
    capture <- begin_capture()
    reply <- performed(request)
    reply$printed <- end_capture(capture)
    reply$id <- request$id
    reply
  }

  # Texts are UTF-8, also where the machine was set up without a language.
  if (!l10n_info()[["UTF-8"]]) suppressWarnings(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
  spare_ours()
  failure <- load_package()
  repeat {
    request <- wire$receive(input)
    if (is.null(request) || request$do == "end") break
    if (request$do == "forget") {
      rm(list = ls(kept, all.names = TRUE), envir = kept)
    } else {
      wire$send(output, answered(request))
    }
  }
  quit("no", status = 0L, runLast = FALSE)
})

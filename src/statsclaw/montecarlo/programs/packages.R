# What the code of installed R packages is: Rscript --vanilla packages.R FOLDER PACKAGE...
#
# PACKAGE is the folder of an installed package. Into FOLDER goes one file for each, "1", "2", ..., that is the same
# whenever the same sources were installed: functions as text, without byte code, source references and addresses,
# which differ from one installation to the next. Objects are read from the package's file, so they are as they were
# before .onLoad ran. A package that cannot be read has no file.
local(envir = new.env(parent = baseenv()), {
  DEPARSE <- c("keepNA", "keepInteger", "niceNames", "digits17")
  SOURCES <- c("srcref", "srcfile", "wholeSrcref")
  # tables that other packages write into
  SHARED <- c(".__NAMESPACE__.", ".__S3MethodsTable__.", ".MTable", ".AllMTable", ".SigLength", ".SigArgs")
  arguments <- commandArgs(trailingOnly = TRUE)
  packages <- arguments[-1L]
  .libPaths(unique(c(.libPaths(), dirname(packages))))

  seen <- list(); out <- NULL
  say <- function(...) writeLines(c(...), out, useBytes = TRUE)
  is_shared <- function(x) {
    isNamespace(x) || identical(x, globalenv()) || identical(x, emptyenv()) || identical(x, baseenv()) ||
      !is.null(attr(x, "name", exact = TRUE))
  }
  add_attributes <- function(x, depth) {
    kept <- attributes(x)
    for (name in setdiff(names(kept), SOURCES)) {
      say(paste("@", name))
      add(kept[[name]], depth)
    }
  }
  add_environment <- function(x, depth, top = FALSE) {
    if (!top) {
      if (is_shared(x)) return(say(paste("environment", environmentName(x))))
      for (place in seq_along(seen)) if (identical(seen[[place]], x)) return(say(paste("environment", place)))
      seen[[length(seen) + 1L]] <<- x
    }
    for (name in setdiff(ls(x, all.names = TRUE, sorted = TRUE), SHARED)) {
      say(paste("$", name))
      add(tryCatch(get(name, x, inherits = FALSE), error = function(e) NULL), depth)
    }
  }
  add <- function(x, depth) {
    depth <- depth + 1L
    if (depth > 50L) return(say("deeper"))
    switch(typeof(x),
      closure = {
        say(deparse(x, control = DEPARSE))
        add_environment(environment(x), depth)
        add_attributes(x, depth)
      },
      environment = add_environment(x, depth),
      list = , expression = {
        say(paste(typeof(x), length(x)))
        for (element in as.list(x)) add(element, depth)
        add_attributes(x, depth)
      },
      S4 = add_attributes(x, depth),
      logical = , integer = , double = , complex = , raw = {
        say(paste(typeof(x), length(x)))
        writeBin(as.vector(x), out)
        add_attributes(x, depth)
      },
      character = {
        say(paste("character", length(x)), enc2utf8(as.vector(x)))
        add_attributes(x, depth)
      },
      externalptr = , weakref = say(typeof(x)),
      say(deparse(x, control = DEPARSE))
    )
  }
  read <- function(path, to) {
    loadNamespace(basename(path)) # what its objects refer to
    seen <<- list()
    out <<- file(to, "wb")
    on.exit(close(out))
    for (part in c(basename(path), "sysdata")) {
      base <- file.path(path, "R", part)
      if (!file.exists(paste0(base, ".rdx"))) next
      objects <- new.env()
      lazyLoad(base, objects)
      add_environment(objects, 0L, top = TRUE)
    }
  }
  for (number in seq_along(packages)) {
    to <- file.path(arguments[[1L]], number)
    tryCatch(
      suppressMessages(suppressWarnings(read(packages[[number]], to))),
      error = function(e) unlink(to)
    )
  }
})

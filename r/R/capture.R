# Functions as text that stands alone: with the variables and functions they use, and the packages those come from.
#
# A name that a function uses and does not define is looked up where the function was defined. What stands in the global
# environment is written at the top of the file. What stands in the frame of a function that made it (a closure) is
# written into a local() around it, so that two functions may hold different values under one name. Values are copied:
# short ones are written out, others are saved in files beside the study.

DEFAULT_PACKAGES <- c("base", "methods", "datasets", "utils", "grDevices", "graphics", "stats")
SHORT <- 2000 # bytes of a value that is written out

new_capture <- function(stem) {
  list2env(
    list(stem = stem, top = list(), packages = character(), saved = list(), missing = character(), open = list(),
      own = c("dgp", "methods")), # names that the study file itself defines
    parent = emptyenv()
  )
}

# The text of a function; `state` learns what must stand at the top of the file.
function_text <- function(f, state, name) {
  if (is.primitive(f)) return(primitive_name(deparse(f)[[1L]]))
  home <- environment(f)
  if (isNamespace(home)) return(namespace_text(f, home, state, name))
  if (isNamespace(topenv(home)) || any(vapply(state$open, identical, NA, f))) return(saved_text(f, state, name))
  state$open <- c(state$open, f)
  frame <- list()
  waiting <- free_names(f)
  seen <- character()
  while (length(waiting)) {
    each <- waiting[[1L]]
    waiting <- waiting[-1L]
    if (each$name %in% seen) next
    seen <- c(seen, each$name)
    found <- find_home(each$name, home, each$mode)
    if (is.null(found)) {
      state$missing <- c(state$missing, paste0(each$name, if (each$mode == "function") "()"))
    } else if (identical(found, globalenv())) {
      capture_top(each, state)
    } else if (!is_attached(found)) {
      value <- get(each$name, envir = found, mode = each$mode, inherits = FALSE)
      if (is.function(value) && identical(environment(value), home)) {
        frame[[each$name]] <- plain_text(value)
        waiting <- c(waiting, free_names(value))
      } else {
        frame[[each$name]] <- value_text(value, state, each$name)
      }
    } else {
      package <- grep("^package:", environmentName(found), value = TRUE)
      state$packages <- union(state$packages, setdiff(sub("^package:", "", package), DEFAULT_PACKAGES))
    }
  }
  state$open <- state$open[-length(state$open)]
  text <- plain_text(f)
  state$packages <- union(state$packages, packages_named(text))
  if (!length(frame)) return(text)
  lines <- sprintf("  %s <- %s", vapply(names(frame), r_name, ""), unlist(frame))
  paste0("local({\n", paste(lines, collapse = "\n"), "\n  ", text, "\n})")
}

capture_top <- function(each, state) {
  if (!is.null(state$top[[each$name]])) return(invisible())
  if (each$name %in% state$own) {
    stop(sprintf("the study file itself defines `%s`: rename the variable of that name", each$name), call. = FALSE)
  }
  state$top[[each$name]] <- "" # it may use itself
  value <- get(each$name, envir = globalenv(), mode = each$mode, inherits = FALSE)
  state$top[[each$name]] <- value_text(value, state, each$name)
}

# Names that a function uses and does not define, functions and others.
free_names <- function(f) {
  found <- codetools::findGlobals(f, merge = FALSE)
  c(
    lapply(found$functions, function(name) list(name = name, mode = "function")),
    lapply(found$variables, function(name) list(name = name, mode = "any"))
  )
}

# The environment a name is found in; NULL where it is in none.
find_home <- function(name, from, mode) {
  while (!identical(from, emptyenv())) {
    if (exists(name, envir = from, mode = mode, inherits = FALSE)) return(from)
    from <- parent.env(from)
  }
  NULL
}

is_attached <- function(home) identical(home, baseenv()) || !is.null(attr(home, "name")) || isNamespace(home)

value_text <- function(value, state, name) {
  if (is.function(value)) return(function_text(value, state, name))
  kind <- typeof(value)
  if (inherits(value, "connection") || kind %in% c("externalptr", "weakref")) {
    line <- "`%s` is of class %s, which cannot be saved with the study: make it inside the function"
    stop(sprintf(line, name, class(value)[[1L]]), call. = FALSE)
  }
  if (kind %in% c("environment", "S4", "language", "symbol", "promise") || size_of(value) > SHORT) {
    return(saved_text(value, state, name))
  }
  for (control in list(c("keepNA", "keepInteger", "niceNames", "showAttributes"), c("all", "hexNumeric"))) {
    text <- paste(deparse(value, control = control), collapse = "\n")
    again <- tryCatch(eval(parse(text = text, keep.source = FALSE), baseenv()), error = function(e) NULL)
    if (is.null(value) || (!is.null(again) && identical(again, value))) return(text)
  }
  saved_text(value, state, name)
}

size_of <- function(value) length(serialize(value, NULL))

saved_text <- function(value, state, name) {
  file <- sprintf("%s.%s.rds", state$stem, gsub("[^A-Za-z0-9_]", "_", name))
  while (!is.null(state$saved[[file]])) file <- sub("\\.rds$", "_.rds", file)
  state$saved[[file]] <- list(value)
  sprintf("readRDS(%s)", deparse(file))
}

# As it was written, where that is known and is what the function does; else as R writes it.
plain_text <- function(f) {
  written <- paste(as.character(attr(f, "srcref")), collapse = "\n")
  if (nzchar(written) && means(written, f)) return(written)
  for (control in list(c("keepNA", "keepInteger", "niceNames", "showAttributes", "digits17"), c("all", "hexNumeric"))) {
    text <- paste(deparse(f, control = setdiff(control, "useSource")), collapse = "\n")
    if (means(text, f)) break
  }
  text
}

means <- function(text, f) {
  again <- tryCatch(eval(parse(text = text, keep.source = FALSE), baseenv()), error = function(e) NULL)
  if (!is.function(again)) return(FALSE)
  plain <- function(each) list(without_source(body(each)), formals(each))
  identical(plain(again), plain(f))
}

without_source <- function(code) body(removeSource(as.function(list(code))))

namespace_text <- function(f, home, state, name) {
  package <- environmentName(home)
  names <- ls(home, all.names = TRUE)
  same <- names[vapply(names, function(each) identical(home[[each]], f), NA)]
  if (!length(same)) return(saved_text(f, state, name))
  state$packages <- union(state$packages, setdiff(package, DEFAULT_PACKAGES))
  exported <- intersect(same, if (package == "base") names else getNamespaceExports(home))
  if (length(exported)) return(paste0(package, "::", r_name(exported[[1L]])))
  paste0(package, ":::", r_name(same[[1L]]))
}

primitive_name <- function(text) r_name(sub('^\\.Primitive\\("(.*)"\\)$', "\\1", text))

r_name <- function(name) if (make.names(name) == name) name else paste0("`", gsub("`", "\\`", name, fixed = TRUE), "`")

# Packages that a text names itself: MASS::rlm
packages_named <- function(text) {
  found <- regmatches(text, gregexpr("[A-Za-z][A-Za-z0-9.]*(?=:::?[`A-Za-z.])", text, perl = TRUE))[[1L]]
  setdiff(unique(found), DEFAULT_PACKAGES)
}

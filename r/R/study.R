mc_study <- function(file, grid = list(), draw, methods, truth, replications, seed, criteria = list(),
                     packages = character(), files = character(), name = NULL, level = NULL, timeout = NULL,
                     cap = NULL, failures_allowed = NULL, mcse = NULL, leave_out = list(),
                     common_random_numbers = FALSE, description = NULL) {
  file <- paste0(file_path_sans_ext(path.expand(file)), ".toml")
  stem <- file_path_sans_ext(basename(file))
  check_functions(draw, methods)
  check_grid(grid)
  state <- new_capture(stem)
  of_data <- if (is.list(truth) && !is.data.frame(truth)) Filter(is.function, truth)
  program <- program_lines(draw, methods, packages, state, of_data)
  tell_capture(state)
  by_cell <- is.function(replications) || !is.null(names(replications))
  study <- list(name = if (is.null(name)) stem else name, replications = if (!by_cell) replications, seed = seed,
    level = level, timeout = timeout, cap = cap, failures_allowed = failures_allowed, description = description,
    common_random_numbers = if (common_random_numbers) TRUE)
  own <- names(state$saved)
  if (length(of_data)) truth[names(of_data)] <- "data" # the study file says which, truth() in the R file says what
  if (!is.null(names(leave_out))) leave_out <- list(leave_out)
  extra <- c(inline_line("mcse", mcse), leave_out_line(leave_out, grid))
  cells <- cells_of_grid(grid, leave_out)
  design <- design_lines(study, names(methods), grid, truth, criteria, c(files, own), stem, if (by_cell) replications,
    extra, cells)
  code <- file.path(dirname(file), paste0(stem, ".R"))
  for (each in c(file, code)) check_untouched(each, file)
  if (!dir.exists(dirname(file))) dir.create(dirname(file), recursive = TRUE)
  for (each in names(state$saved)) saveRDS(state$saved[[each]][[1L]], file.path(dirname(file), each), version = 2)
  write_marked(program, code)
  write_marked(design, file)
  made <- structure(class = "mc_study", list(file = file, code = code, packages = state$packages, saved = own))
  made
}

METRICS <- c(
  "bias", "relative_bias", "standardised_bias", "median_bias", "empse", "robust_empse", "quantile_range", "modse",
  "mse", "rmse", "relative_error_modse", "se_ratio", "rms_se_ratio", "coverage", "be_coverage", "width",
  "rejection", "time", "median_time", "failure_rate", "convergence_rate", "mean", "relative_precision", "agreement",
  "difference", "speed_ratio", "rate", "trend"
)

mc_criterion <- function(id, metric, method, parameter = NULL, low = NULL, high = NULL, cells = list(), field = NULL,
                         unit = NULL, reference = NULL, axis = NULL, of = NULL, minus = NULL, source = NULL) {
  for (name in c(metric, of)) if (!name %in% METRICS) {
    stop(sprintf("criterion %s: there is no metric \"%s\": %s", id, name, meant(name, METRICS)), call. = FALSE)
  }
  structure(class = "mc_criterion", list(id = id, metric = metric, method = method, parameter = parameter, low = low,
    high = high, cells = cells, field = field, unit = unit, reference = reference, axis = axis, of = of, minus = minus,
    source = source))
}

# The nearest name that there is, or all of them.
meant <- function(name, known) {
  near <- known[[which.min(adist(name, known))]]
  if (adist(name, near) <= nchar(name) / 2) return(sprintf("did you mean \"%s\"?", near))
  paste("there are", paste(known, collapse = ", "))
}

print.mc_criterion <- function(x, ...) {
  of <- c(if (!is.null(x$of)) x$of, if (is.null(x$parameter)) x$field else x$parameter)
  about <- c(x$metric, if (length(of)) paste("of", paste(of, collapse = " of ")),
    if (!is.null(x$axis)) paste("along", x$axis), paste("by", x$method), if (!is.null(x$reference)) paste("against", x$reference),
    if (!is.null(x$minus)) paste("minus", x$minus))
  band <- if (is.null(x$low)) c("at most", x$high) else if (is.null(x$high)) c("at least", x$low)
    else c("between", x$low, "and", x$high)
  levels <- vapply(x$cells, paste, "", collapse = " or ")
  where <- if (length(levels)) paste("in", paste(names(levels), levels, sep = " = ", collapse = ", "))
  said <- paste(c(about, band, if (identical(x$unit, "empse")) "EmpSE", where), collapse = " ")
  cat("<criterion> ", x$id, ": ", said, "\n", sep = "")
  invisible(x)
}

print.mc_study <- function(x, ...) {
  cat("<study> ", x$file, " with ", x$code, "\n", sep = "")
  if (length(x$saved)) cat("  with ", paste(x$saved, collapse = ", "), "\n", sep = "")
  cat("  mc_run() runs it; so does: statsclaw mc run ", x$file, "\n", sep = "")
  invisible(x)
}

check_functions <- function(draw, methods) {
  if (!is.function(draw)) stop("`draw` must be a function(cell) that returns the data", call. = FALSE)
  named <- is.list(methods) && length(methods) && !is.null(names(methods)) && all(nzchar(names(methods)))
  if (!named || !all(vapply(methods, is.function, NA))) {
    stop("`methods` must be a named list of functions(data, cell)", call. = FALSE)
  }
}

# Every combination of levels, but for those that are left out, in the order of the engine.
cells_of_grid <- function(grid, leave_out) {
  cells <- expand.grid(rev(as.list(grid)), stringsAsFactors = FALSE, KEEP.OUT.ATTRS = FALSE)
  cells <- cells[rev(seq_along(cells))]
  for (combination in leave_out) {
    fits <- lapply(names(combination), function(axis) cells[[axis]] %in% combination[[axis]])
    cells <- cells[!Reduce(`&`, fits), , drop = FALSE]
  }
  cells
}

check_grid <- function(grid) {
  if (is.data.frame(grid)) {
    stop("`grid` is a list of axes with their levels, not a data frame of cells: list(n = c(20, 50), errors = \"t3\") ",
      "makes every combination", call. = FALSE)
  }
  for (axis in names(grid)) {
    if (twice <- anyDuplicated(grid[[axis]])) {
      stop(sprintf("`grid$%s` has the level %s twice", axis, format(grid[[axis]][[twice]])), call. = FALSE)
    }
  }
}

# ---- study.R ---------------------------------------------------------------------------------------------------------

program_lines <- function(draw, methods, packages, state, of_data = NULL) {
  state$packages <- union(packages, state$packages)
  if (length(of_data)) state$own <- c(state$own, "truth")
  dgp <- function_text(draw, state, "dgp")
  texts <- vapply(names(methods), function(each) function_text(methods[[each]], state, each), "")
  listed <- paste0("  ", vapply(names(methods), r_name, ""), " = ", texts)
  truths <- vapply(names(of_data), function(each) {
    given <- if (length(formals(of_data[[each]])) == 1L) "(data)" else "(data, cell)"
    sprintf("  %s = (%s)%s", r_name(each), function_text(of_data[[each]], state, each), given)
  }, "")
  top <- sprintf("%s <- %s", vapply(names(state$top), r_name, ""), unlist(state$top))
  c(
    "# Data and methods. Every replication has its own stream: do not call set.seed().",
    "",
    c(sprintf("library(%s)", state$packages), if (length(state$packages)) ""),
    c(rbind(top, rep("", length(top)))),
    paste("dgp <-", dgp),
    "",
    "methods <- list(",
    paste(listed, collapse = ",\n"),
    ")",
    if (length(truths)) c("", "truth <- function(data, cell) list(", paste(truths, collapse = ",\n"), ")")
  )
}

tell_capture <- function(state) {
  if (length(state$top)) message("written into the study: ", paste(names(state$top), collapse = ", "))
  if (length(state$saved)) message("saved beside the study: ", paste(names(state$saved), collapse = ", "))
  missing <- unique(state$missing)
  calls <- grepl("()", missing, fixed = TRUE)
  if (any(calls)) {
    warning("not found, and needed when the study runs unless a package means something else by it: ",
      paste(missing[calls], collapse = ", "), call. = FALSE)
  }
  if (any(!calls)) message("not found, so taken for columns of data: ", paste(missing[!calls], collapse = ", "))
}

# ---- study.toml ------------------------------------------------------------------------------------------------------

design_lines <- function(study, methods, grid, truth, criteria, files, stem, replications, extra, cells) {
  plain <- study[!vapply(study, is.null, NA)]
  c(
    vapply(names(plain), function(key) toml_line(key, toml_scalar(plain[[key]])), ""),
    toml_line("methods", toml_array(methods)),
    extra,
    "",
    "[program]",
    toml_line("r", toml_text(paste0(stem, ".R"))),
    if (length(files)) toml_line("files", toml_array(files)),
    "",
    "[grid]",
    vapply(names(grid), function(axis) toml_line(axis, toml_array(grid[[axis]])), ""),
    if (!is.null(replications)) table_lines("[replications]", replications_of(replications, cells)),
    truth_lines(truth, cells),
    unlist(lapply(if (is.character(criteria$id)) list(criteria) else criteria, criterion_lines))
  )
}

# key = { a = 1, b = [2, 3] }; nothing without values.
inline_line <- function(key, values) if (length(values)) toml_line(key, inline_table(values, key))

inline_table <- function(values, key) {
  if (is.null(names(values)) || !all(nzchar(names(values)))) {
    stop(sprintf("`%s` needs names, such as %s", key,
      if (key == "mcse") "c(coverage = 0.005)" else "list(list(n = 20, p = c(10, 20)))"), call. = FALSE)
  }
  text <- function(value) if (length(value) == 1L) toml_scalar(value) else toml_array(value)
  pairs <- vapply(names(values), function(each) toml_line(each, text(values[[each]])), "")
  sprintf("{ %s }", paste(pairs, collapse = ", "))
}

leave_out_line <- function(leave_out, grid) {
  if (!length(leave_out)) return(NULL)
  for (axis in unlist(lapply(leave_out, names))) if (!axis %in% names(grid)) {
    stop(sprintf("`leave_out` names the axis %s, which `grid` does not have", axis), call. = FALSE)
  }
  toml_line("leave_out", sprintf("[%s]", paste(vapply(leave_out, inline_table, "", key = "leave_out"), collapse = ", ")))
}

# A list for all cells, a data frame with levels and values, or a function of the cell.
truth_lines <- function(truth, cells) {
  if (is.function(truth)) {
    levels <- lapply(seq_len(max(1L, nrow(cells))), function(row) as.list(cells[row, , drop = FALSE]))
    rows <- lapply(levels, function(cell) c(cell, as.list(truth(cell))))
    if (!length(cells)) return(table_lines("[truth]", as.list(truth(list()))))
  } else if (is.data.frame(truth)) {
    rows <- lapply(seq_len(nrow(truth)), function(row) as.list(truth[row, , drop = FALSE]))
  } else {
    return(table_lines("[truth]", as.list(truth)))
  }
  unlist(lapply(rows, function(row) table_lines("[[truth]]", row)))
}

# By the names of cells, such as n=20.
replications_of <- function(replications, cells) {
  if (!is.function(replications)) return(as.list(replications))
  if (!length(cells)) return(list(all = replications(list())))
  levels <- lapply(seq_len(nrow(cells)), function(row) as.list(cells[row, , drop = FALSE]))
  name <- function(cell) paste(names(cell), gsub("\"", "", vapply(cell, toml_scalar, "")), sep = "=", collapse = ",")
  structure(lapply(levels, replications), names = vapply(levels, name, ""))
}

table_lines <- function(head, values) {
  if (is.null(names(values)) || !all(nzchar(names(values)))) {
    if (head == "[replications]") {
      stop("`replications` needs the names of cells: c(all = 500, \"n=20\" = 2000)", call. = FALSE)
    }
    stop("`truth` needs the names of the parameters: list(mu = 1)", call. = FALSE)
  }
  c("", head, vapply(names(values), function(key) toml_line(key, toml_scalar(values[[key]])), ""))
}

criterion_lines <- function(criterion) {
  given <- criterion[!vapply(criterion, is.null, NA)]
  cells <- given$cells
  given$cells <- NULL
  lines <- vapply(names(given), function(key) toml_line(key, toml_scalar(given[[key]])), "")
  pairs <- vapply(names(cells), function(axis) toml_line(axis, toml_array(cells[[axis]])), "")
  if (length(pairs)) lines <- c(lines, sprintf("cells = { %s }", paste(pairs, collapse = ", ")))
  c("", "[[criterion]]", lines)
}

# ---- files that mc_study() writes again, unless a person changed them ------------------------------------------------

MARK <- "# Written by statsclaw::mc_study(), which writes it again; remove this line to keep your changes."

hash_of <- function(lines) {
  file <- tempfile()
  on.exit(unlink(file))
  write_lines(lines, file)
  unname(md5sum(file))
}

write_lines <- function(lines, file) {
  open <- file(file, "wb")
  on.exit(close(open))
  writeBin(charToRaw(paste0(paste(enc2utf8(lines), collapse = "\n"), "\n")), open)
}

write_marked <- function(lines, file) {
  lines <- unlist(strsplit(paste(enc2utf8(lines), collapse = "\n"), "\n", fixed = TRUE))
  lines <- c(paste(MARK, hash_of(lines)), lines)
  there <- if (file.exists(file)) readLines(file, warn = FALSE, encoding = "UTF-8")
  if (!identical(there, lines)) write_lines(lines, file)
}

check_untouched <- function(file, study) {
  if (!file.exists(file)) return(invisible())
  lines <- readLines(file, warn = FALSE, encoding = "UTF-8")
  if (!length(lines) || !startsWith(lines[[1L]], MARK)) {
    stop(file, " is there already and was not written by mc_study(): it was not touched. Give another name.",
      call. = FALSE)
  }
  if (!identical(lines[[1L]], paste(MARK, hash_of(lines[-1L])))) {
    stop(file, " was edited since mc_study() wrote it: it was not touched. Run it as it is with mc_run(\"", study,
      "\"), or remove it.", call. = FALSE)
  }
}

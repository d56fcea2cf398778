# What is written for others: tables, the page of a study, replications in a file.

mc_table <- function(study, metric = NULL, format = c("markdown", "latex", "html", "csv"), file = NULL, out = NULL) {
  format <- match.arg(format)
  lines <- engine(c("table", study_file(study), out_of(out), paste0("--", format), repeated("--metric", metric),
    if (!is.null(file)) c("--file", path.expand(file))))
  if (is.null(file)) cat(lines, sep = "\n")
  invisible(if (is.null(file)) as.character(lines) else file)
}

mc_report <- function(study, file = NULL, theme = c("journal", "grey", "slides"), out = NULL, open = interactive()) {
  lines <- engine(c("report", study_file(study), out_of(out), "--theme", match.arg(theme),
    if (!is.null(file)) c("--file", path.expand(file))))
  if (open) browseURL(paste0("file://", normalizePath(lines[[1L]])))
  invisible(lines[[1L]])
}

mc_export <- function(study, file, wide = FALSE, streams = FALSE, out = NULL) {
  kind <- tolower(sub(".*[.]", "", basename(file)))
  if (!kind %in% c("csv", "rds", "parquet")) {
    stop("`file` must end in .csv, .rds or .parquet, which says how it is written", call. = FALSE)
  }
  lines <- engine(c("export", study_file(study), out_of(out), paste0("--", kind), "--to", path.expand(file),
    if (wide) "--wide", if (streams) "--streams"))
  cat(lines, sep = "\n")
  invisible(file)
}

repeated <- function(option, values) as.vector(rbind(rep(option, length(values)), values))

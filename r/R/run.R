mc_run <- function(study, replications = NULL, workers = NULL, sequential = FALSE, apart = FALSE, redo = FALSE,
                   accept = FALSE, out = NULL, progress = interactive(), go_on = FALSE) {
  file <- study_file(study)
  number <- function(value) format(value, scientific = FALSE, trim = TRUE)
  arguments <- c("run", file,
    if (!is.null(replications)) c("--replications", number(replications)),
    if (!is.null(workers)) c("--workers", number(workers)),
    if (sequential) "--sequential", if (apart) "--apart", if (redo) "--redo", if (accept) "--accept",
    if (go_on) "--go-on",
    out_of(out),
    if (progress) "--verbose")
  tell <- function(line) if (!startsWith(line, "Next: ")) cat(in_r(line), "\n", sep = "")
  engine(arguments, tell = tell)
  invisible(study)
}

mc_summary <- function(study, metric = NULL, out = NULL) {
  lines <- engine(c("summary", study_file(study), out_of(out), "--format", "csv"))
  rows <- read.csv(text = lines, stringsAsFactors = FALSE, na.strings = "", check.names = FALSE)
  if (!is.null(metric)) {
    unknown <- setdiff(metric, rows$metric)
    if (length(unknown)) {
      stop(sprintf("there is no metric \"%s\" in the summary: %s", unknown[[1L]], meant(unknown[[1L]], unique(rows$metric))),
        call. = FALSE)
    }
    rows <- rows[rows$metric %in% metric, , drop = FALSE]
    rownames(rows) <- NULL
  }
  rows
}

mc_verdict <- function(study, out = NULL) {
  lines <- engine(c("verdict", study_file(study), out_of(out), "--json"), allowed = c(0L, 5L))
  said <- read_json(paste(lines, collapse = "\n"))
  found <- said$criteria
  text <- function(name) vapply(found, function(each) as.character(each[[name]])[1L], "")
  rows <- data.frame(id = text("id"), verdict = text("verdict"), rule = text("rule"), by = text("by"), stringsAsFactors = FALSE)
  wrong <- vapply(said$findings$rows, function(each) each$text, "")
  structure(rows, cells = cells_of(found), wrong = wrong, unnoticed = unnoticed_of(said$unnoticed),
    text = in_r(said$text), class = c("mc_verdict", "data.frame"))
}

# Of each criterion that passed, the largest fault that it would have passed with; NA: the most that was tried.
unnoticed_of <- function(rows) {
  fields <- c("criterion", "perturbation", "direction", "rule")
  columns <- lapply(fields, function(field) vapply(rows, function(each) as.character(each[[field]]), ""))
  smallest <- vapply(rows, function(each) if (is.null(each$smallest)) NA_real_ else each$smallest, 0)
  data.frame(structure(columns, names = fields), smallest = smallest, stringsAsFactors = FALSE)
}

cells_of <- function(found) {
  fields <- c(cell = "", value = 0, mcse = 0, literal = "", interval_verdict = "", sequential = "", replications = 0,
    failures = 0)
  numbers <- c("value", "mcse", "replications", "failures")
  rows <- lapply(found, function(criterion) {
    do.call(rbind, lapply(criterion$cells, function(each) {
      values <- lapply(names(fields), function(field) {
        value <- each[[field]]
        if (field %in% numbers) if (is.null(value)) NA_real_ else as.numeric(value) else as.character(value)
      })
      data.frame(id = criterion$id, structure(values, names = names(fields)), stringsAsFactors = FALSE)
    }))
  })
  do.call(rbind, rows)
}

print.mc_verdict <- function(x, ...) {
  said <- attr(x, "text")
  if (!is.null(said)) {
    cat(said, "\n", sep = "")
    return(invisible(x))
  }
  for (row in seq_len(nrow(x))) cat(format(x$verdict[[row]], width = 9L), " ", x$rule[[row]], "\n", sep = "")
  invisible(x)
}

# What a study could detect, how far it is, its methods beside each other, one replication again.

mc_plan <- function(study, pilot = FALSE, out = NULL) said(c("plan", study_file(study), out_of(out), if (pilot) "--pilot"))

mc_sbc <- function(study, error = 0.01, out = NULL) {
  said(c("sbc", study_file(study), out_of(out), "--error", format(error, scientific = FALSE)))
}

mc_replay <- function(study, cell, replication, method = NULL, out = NULL) {
  if (is.list(cell)) cell <- paste(names(cell), gsub("\"", "", vapply(cell, toml_scalar, "")), sep = "=", collapse = ",")
  said(c("replay", study_file(study), out_of(out), "--cell", cell, "--rep", format(replication, scientific = FALSE),
    if (!is.null(method)) c("--method", method)))
}

# Prints what the engine says, and returns it. Status 5: something is not as it should be, which the text says.
said <- function(arguments) {
  lines <- vapply(as.character(engine(arguments, allowed = c(0L, 5L))), in_r, "", USE.NAMES = FALSE)
  cat(lines, sep = "\n")
  invisible(lines)
}

mc_status <- function(study, out = NULL) {
  told <- read_json(paste(engine(c("status", study_file(study), out_of(out), "--json")), collapse = "\n"))
  rows <- lapply(told$cells, function(each) {
    data.frame(cell_name = each$cell, done = each$done, planned = each$planned, left = each$left,
      failures = sum(unlist(each$failures)), warnings = sum(unlist(each$warnings)), stringsAsFactors = FALSE)
  })
  for (change in told$changed) message("changed since: ", in_r(change))
  do.call(rbind, rows)
}

mc_compare <- function(study, method = NULL, reference = NULL, metric = NULL, out = NULL) {
  lines <- engine(c("compare", study_file(study), method, out_of(out), if (!is.null(reference)) c("--against", reference),
    repeated("--metric", metric), "--csv"))
  read.csv(text = lines, stringsAsFactors = FALSE, na.strings = "", check.names = FALSE)
}

# The error is the jackknife's, as the engine computes that of metrics of a study: delete-one up to 400 replications,
# of more delete-a-block with 400 blocks.
mc_metric <- function(study, metric, out = NULL) {
  if (!is.function(metric)) stop("`metric` must be a function, such as function(estimate, truth) ...", call. = FALSE)
  given <- formals(metric)
  wanted <- names(given)[vapply(given, function(each) identical(each, quote(expr = )), NA)]
  d <- mc_results(study, out = out)
  unknown <- setdiff(wanted, names(d))
  if (length(unknown)) {
    columns <- setdiff(names(d), c("cell", "cell_name", "method", "replication", "parameter", "status", "problem"))
    stop(sprintf("there is no column \"%s\" in mc_results(): %s", unknown[[1L]], meant(unknown[[1L]], columns)), call. = FALSE)
  }
  groups <- split(d, factor(paste(d$cell, d$method, d$parameter, sep = "\r"),
    unique(paste(d$cell, d$method, d$parameter, sep = "\r"))))
  rows <- lapply(groups, function(rows) {
    kept <- rows[rows$status == "ok" & !Reduce(`|`, lapply(wanted, function(name) is.na(rows[[name]])), FALSE), ]
    if (!nrow(kept)) return(NULL)
    found <- jackknife(metric, kept[wanted])
    data.frame(cell_name = rows$cell_name[[1L]], method = rows$method[[1L]], parameter = rows$parameter[[1L]],
      value = found[[1L]], mcse = found[[2L]], n = nrow(kept), failures = nrow(rows) - nrow(kept), stringsAsFactors = FALSE)
  })
  found <- do.call(rbind, rows)
  rownames(found) <- NULL
  found
}

jackknife <- function(metric, columns) {
  value <- function(rows) {
    found <- do.call(metric, as.list(columns[rows, , drop = FALSE]))
    if (!is.numeric(found) || length(found) != 1L) stop("`metric` must return one number", call. = FALSE)
    as.double(found)
  }
  count <- nrow(columns)
  whole <- value(seq_len(count))
  if (count < 2L) return(c(whole, NA))
  edges <- floor(seq(0, count, length.out = min(count, 400L) + 1L))
  times <- count / diff(edges)
  left <- vapply(seq_along(times), function(at) value(-((edges[[at]] + 1):edges[[at + 1L]])), 0)
  pseudo <- times * whole - (times - 1) * left
  centre <- length(left) * whole - sum((1 - 1 / times) * left)
  c(whole, sqrt(mean((pseudo - centre)^2 / (times - 1))))
}

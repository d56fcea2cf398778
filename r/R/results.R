mc_results <- function(study, wide = FALSE, streams = FALSE, out = NULL) {
  file <- tempfile("statsclaw-", fileext = ".rds")
  on.exit(unlink(file))
  engine(c("export", study_file(study), out_of(out), "--rds", "--to", file,
    if (wide) "--wide", if (streams) "--streams"))
  readRDS(file)
}

mc_failures <- function(study, out = NULL) {
  groups <- read_json(paste(engine(c("failures", study_file(study), out_of(out), "--json")), collapse = "\n"))
  rows <- lapply(Filter(function(each) each$kind != "warning", groups), function(each) {
    numbers <- lapply(each$cells, as.numeric)
    data.frame(cell_name = rep(names(numbers), lengths(numbers)), method = each$method,
      replication = unlist(numbers, use.names = FALSE), status = each$kind,
      problem = unlist(each$texts, use.names = FALSE), stringsAsFactors = FALSE)
  })
  none <- data.frame(cell_name = character(), method = character(), replication = numeric(), status = character(),
    problem = character(), stringsAsFactors = FALSE)
  do.call(rbind, c(list(none), rows))
}

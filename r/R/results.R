mc_results <- function(study, wide = FALSE, streams = FALSE, out = NULL) {
  file <- tempfile("statsclaw-", fileext = ".rds")
  on.exit(unlink(file))
  engine(c("export", study_file(study), out_of(out), "--rds", "--to", file,
    if (wide) "--wide", if (streams) "--streams"))
  readRDS(file)
}

mc_failures <- function(study, out = NULL) {
  found <- mc_results(study, wide = TRUE, out = out)
  found <- found[found$status != "ok", c("cell_name", "method", "replication", "status", "problem")]
  rownames(found) <- NULL
  found
}

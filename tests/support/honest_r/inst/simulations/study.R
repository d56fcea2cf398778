library(rpkg)

out <- commandArgs(trailingOnly = TRUE)[1]
seed <- as.integer(Sys.getenv("STATSCLAW_SEED", "20260101"))
first <- as.integer(Sys.getenv("STATSCLAW_FIRST", "0"))
count <- as.integer(Sys.getenv("STATSCLAW_REPLICATIONS", "1000"))

RNGkind("L'Ecuyer-CMRG")
set.seed(seed)
stream <- .Random.seed
for (skipped in seq_len(first)) stream <- parallel::nextRNGStream(stream)

found <- matrix(NA_real_, count, 4)
for (replication in seq_len(count)) {
  assign(".Random.seed", stream, envir = globalenv())
  x <- rnorm(40, mean = 1, sd = 2)
  fit <- tryCatch(mean_interval(x), error = function(e) NULL)
  if (!is.null(fit)) found[replication, ] <- c(fit$mean, fit$se, fit$low, fit$high)
  stream <- parallel::nextRNGStream(stream)
}

listed <- function(x) paste0("[", paste(x, collapse = ", "), "]")
numbers <- function(x) listed(ifelse(is.na(x), "null", sprintf("%.17g", x)))
names <- c("mu.estimate", "mu.se", "mu.low", "mu.high")
columns <- vapply(1:4, function(i) sprintf("\"%s\": %s", names[i], numbers(found[, i])), "")
writeLines(c(
  sprintf("{\"seed\": %d, \"cells\": [{\"cell\": \"n=40\", \"method\": \"interval\",", seed),
  sprintf("\"replication\": %s,", listed(first + seq_len(count) - 1L)),
  sprintf("\"failed\": %s,", listed(ifelse(is.na(found[, 1]), "true", "false"))),
  sprintf("\"columns\": {%s}}]}", paste(columns, collapse = ", "))
), out)

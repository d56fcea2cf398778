# Steps of probit_mh for every line "seed, parameters, outcomes" on standard input: the last draw on a line of output.
arguments <- commandArgs(trailingOnly = TRUE)
library(probitr, lib.loc = arguments[1])
X <- as.matrix(utils::read.csv(arguments[2], header = FALSE))
dimnames(X) <- NULL
k <- ncol(X)
steps <- as.integer(arguments[3])
input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  said <- as.numeric(strsplit(line, " ")[[1]])
  set.seed(said[1])
  fit <- suppressWarnings(probit_mh(
    X, said[-seq_len(k + 1)], n_iter = steps, burn_in = 0, beta0 = rep(0, k), Sigma0 = diag(k), init = said[1 + seq_len(k)]
  ))
  cat(sprintf("%.17g", fit$beta_draws[steps, ]), "\n")
  flush(stdout())
}

# Seconds for one fit: the package, glm, and the kernel. Arguments: library with the package, kernel.so, repetitions.
args <- commandArgs(trailingOnly = TRUE)
library(probitr, lib.loc = args[1])
dyn.load(args[2])
repetitions <- as.integer(args[3])
median_of <- function(expression, times) {
  call <- substitute(expression)
  frame <- parent.frame()
  median(vapply(seq_len(times), function(i) {
    begun <- proc.time()[["elapsed"]]
    inner <- max(1L, attr(times, "inner"))
    for (j in seq_len(inner)) eval(call, frame)
    (proc.time()[["elapsed"]] - begun) / inner
  }, 0))
}
several <- function(times, inner = 1L) structure(times, inner = inner)
for (n in c(200L, 500L, 1000L, 5000L)) {
  set.seed(n)
  x <- cbind(1, rnorm(n))
  y <- as.numeric(x %*% c(-1, 0.5) + rnorm(n) > 0)
  many <- several(repetitions, as.integer(max(5, 200000 / n)))
  once <- several(repetitions)
  start <- probit_mle(x, y)$coefficients
  found <- list(
    mle_package = median_of(probit_mle(x, y), many),
    mle_glm = median_of(glm.fit(x, y, family = binomial(link = "probit")), several(repetitions, 50L)),
    mle_kernel = median_of(.C("kernel_mle", x, n, 2L, y, double(2), double(2), double(1)), many),
    gibbs_package = median_of(probit_gibbs(x, y, n_iter = 3500L, burn_in = 500L), once),
    gibbs_kernel = median_of(.C("kernel_gibbs", x, n, 2L, y, 3500L, 500L, 100, 1, double(6000)), once),
    mh_package = median_of(probit_mh(x, y, n_iter = 10000L, burn_in = 2000L, scale = 2.4), once),
    mh_kernel = median_of(
      .C("kernel_mh", x, n, 2L, y, 10000L, 2000L, 100, 2.4, start, 1, double(16000), double(1)), once
    )
  )
  for (name in names(found)) cat(sprintf("r_%s_s_n%d: %.9f\n", name, n, found[[name]]))
}

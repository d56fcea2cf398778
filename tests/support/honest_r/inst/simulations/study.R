draw <- function(cell) rnorm(cell$n, mean = 1, sd = 2)

methods <- list(
  interval = function(data, cell) {
    found <- ask("mean_interval", data)
    list(mu = list(estimate = found$mean, se = found$se, low = found$low, high = found$high))
  }
)

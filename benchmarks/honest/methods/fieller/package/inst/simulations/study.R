# Coverage of confidence sets for the ratio of two means: how one replication is drawn, and what is asked about it.
#
# Two independent normal samples, x for the numerator and y for the denominator. The ratio of the means is 2 in every
# setting. Fieller's set and the delta interval are asked for the same samples.

settings <- data.frame(
  row.names = c("A3", "A4", "A4r"),
  size_x = c(15, 10, 40), mean_x = c(2, 4, 4), sd_x = c(1, 3, 1),
  size_y = c(25, 40, 10), mean_y = c(1, 2, 2), sd_y = c(1, 1, 3)
)
true_ratio <- 2
stopifnot(settings$mean_x / settings$mean_y == true_ratio)

draw <- function(cell) {
  stopifnot(cell$setting %in% row.names(settings))
  s <- settings[cell$setting, ]
  x <- rnorm(s$size_x, s$mean_x, s$sd_x)
  y <- rnorm(s$size_y, s$mean_y, s$sd_y)
  list(x = x, y = y)
}

# What is recorded of a set. Its connected pieces are the rows of confint(): one, or two for a complement, so that the
# limits of the object would not do. Limits are not recorded: an unbounded set has an infinite one, and a number that is
# not finite would make a failure of it, which it is not.
recorded <- function(set) {
  pieces <- ask(set, "confint")
  lower <- pieces[, 1]
  upper <- pieces[, 2]
  # 1 * makes numbers of truth values; the product is 1 where both hold in the same row.
  holds <- 1 * (lower <= true_ratio) * (true_ratio <= upper)
  list(
    rho = list(estimate = set$estimate),
    inside = max(holds),
    unbounded = 1 * (set$type != "interval")
  )
}

# The level is 0.95 and the samples are independent, both by default.
methods <- list(
  fieller = function(data, cell) recorded(ask("ratio_means", data$x, data$y, method = "fieller")),
  delta = function(data, cell) recorded(ask("ratio_means", data$x, data$y, method = "delta"))
)

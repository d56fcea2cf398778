plain_mean <- function(x) {
  if (length(x) == 0) stop("there are no numbers", call. = FALSE)
  sum(x) / length(x)
}

mean_interval <- function(x, level = 0.95) {
  n <- length(x)
  if (n < 2) stop("an interval needs at least two numbers", call. = FALSE)
  if (!(level > 0 && level < 1)) stop("the level must lie between 0 and 1", call. = FALSE)
  m <- plain_mean(x)
  se <- sqrt(sum((x - m)^2) / (n - 1) / n)
  z <- qnorm((1 + level) / 2)
  list(mean = m, se = se, low = m - z * se, high = m + z * se)
}

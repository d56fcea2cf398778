# What the questions about the paired form share: the data, and the definitions written a second time.

# ---- the definitions ------------------------------------------------------------------------------------------------
# By other ways than the formulas of the specification where there is one: the trimmed mean is that of base R, and the
# standard error is taken from the variance of the differences of the two Winsorised columns, v - w, whose variance is
# s_v^2 + s_w^2 - 2 s_vw. The columns are Winsorised each by itself and stay in the order of the pairs.

winsorised <- function(x, trim) {
  n <- length(x)
  k <- floor(n * trim)
  s <- base::sort(x)
  pmin(pmax(x, s[[k + 1]]), s[[n - k]])
}

# The standard deviation of a standard normal variable Winsorised at its quantiles trim and 1 - trim.
normal_constant <- function(trim) {
  if (trim == 0) return(1)
  z <- stats::qnorm(trim, lower.tail = FALSE)
  inner <- stats::integrate(function(u) u^2 * stats::dnorm(u), -z, z, rel.tol = 1e-13)$value
  sqrt(inner + 2 * trim * z^2)
}

by_definition <- function(x, y, trim = 0.2, mu = 0, alternative = "two.sided", level = 0.95) {
  n <- length(x)
  h <- n - 2 * floor(n * trim)
  v <- winsorised(x, trim)
  w <- winsorised(y, trim)
  means <- c(base::mean(x, trim = trim), base::mean(y, trim = trim))
  difference <- means[[1]] - means[[2]]
  stderr <- sqrt((n - 1) * stats::var(v - w) / (h * (h - 1)))
  df <- h - 1
  t <- (difference - mu) / stderr
  q <- stats::qt(if (alternative == "two.sided") (1 + level) / 2 else level, df)
  list(
    estimate = means, difference = difference, stderr = stderr, df = df, statistic = t,
    p.value = switch(alternative,
      two.sided = 2 * stats::pt(-abs(t), df),
      less = stats::pt(t, df),
      greater = stats::pt(t, df, lower.tail = FALSE)
    ),
    conf.int = switch(alternative,
      two.sided = difference + c(-1, 1) * q * stderr,
      less = c(-Inf, difference + q * stderr),
      greater = c(difference - q * stderr, Inf)
    ),
    correlation = if (stats::sd(v) > 0 && stats::sd(w) > 0) stats::cor(v, w) else NA_real_,
    effect = normal_constant(trim) * difference / sqrt((stats::var(v) + stats::var(w)) / 2)
  )
}

# ---- the data -------------------------------------------------------------------------------------------------------

worked <- list(
  x = c(2, 4, 5, 7, 9, 10, 12, 15, 18, 40),
  y = c(1, 6, 3, 8, 4, 9, 14, 11, 10, 13)
)

SHARES <- c(0, 0.1, 0.2, 0.25, 0.4)
ALTERNATIVES <- c("two.sided", "less", "greater")
REVERSED <- c(two.sided = "two.sided", less = "greater", greater = "less")

# Whether the tolerances can be met: with so small a standard error the rounding of the data alone would be seen.
is_usable <- function(x, y, shares) {
  all(vapply(shares, function(trim) {
    columns <- c(stats::sd(winsorised(x, trim)), stats::sd(winsorised(y, trim)))
    min(columns) > 0.02 && by_definition(x, y, trim)$stderr > 0.02
  }, NA))
}

draw_set <- function(lengths, shares, whole = FALSE) {
  repeat {
    n <- sample(lengths, 1)
    z <- rnorm(n)
    e <- rnorm(n)
    x <- 2 * z + e
    y <- z + exp(rnorm(n))
    if (whole) {
      x <- round(x)
      y <- round(y)
    }
    if (is_usable(x, y, shares)) return(list(x = x, y = y, shares = shares))
  }
}

# 20 data sets, and five more of whole numbers, which have ties.
data_sets <- function() {
  c(
    lapply(1:20, function(i) draw_set(8:40, SHARES)),
    lapply(1:5, function(i) draw_set(20:40, SHARES[SHARES < 0.4], whole = TRUE))
  )
}

# Every data set with every one of its shares, in one row each; `number` counts the rows, so that other settings can
# be taken in turn.
for_each_set_and_share <- function(f, sets = data_sets()) {
  number <- 0
  for (set in sets) {
    for (trim in set$shares) {
      number <- number + 1
      f(set$x, set$y, trim, number)
    }
  }
}
in_turn <- function(values, number) values[[(number - 1) %% length(values) + 1]]

# Hypothesised difference, alternative and level, in all their combinations.
SETTINGS <- apply(expand.grid(mu = c(0, 0.7), alternative = ALTERNATIVES, level = c(0.95, 0.8),
  stringsAsFactors = FALSE), 1, function(row) {
  list(mu = as.numeric(row[["mu"]]), alternative = row[["alternative"]], level = as.numeric(row[["level"]]))
})

ask_paired <- function(x, y, ...) ask("yuen_test", x, y, ..., paired = TRUE)

# Within a part in 10^10 of a value, for criteria that hold or do not.
claim_near <- function(criterion, observed, expected) {
  margin <- 1e-10 * pmax(1, abs(expected))
  claim_between(criterion, expected - margin, observed, expected + margin)
}

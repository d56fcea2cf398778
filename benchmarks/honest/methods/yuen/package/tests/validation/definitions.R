# The definitions (1) to (6) of the specification, written out a second way, and what the questions share. Winsorising is
# done by limiting values to an interval, the constant of (6) is a numerical integral.

trimmed_number <- function(n, trim) floor(n * trim)
left_number <- function(n, trim) n - 2 * trimmed_number(n, trim)

mean_by_definition <- function(x, trim) {
  n <- length(x)
  k <- trimmed_number(n, trim)
  kept <- sort(as.double(x))[(k + 1):(n - k)]
  sum(kept) / length(kept)
}

winsorised <- function(x, trim) {
  n <- length(x)
  k <- trimmed_number(n, trim)
  ordered <- sort(as.double(x))
  pmin(pmax(ordered, ordered[k + 1]), ordered[n - k])
}

winsorised_variance <- function(x, trim) {
  w <- winsorised(x, trim)
  sum((w - sum(w) / length(w))^2) / (length(w) - 1)
}

# (3), with the share itself and not k / n
one_standard_error <- function(x, trim) sqrt(winsorised_variance(x, trim) / length(x)) / (1 - 2 * trim)

# c(trim): a standard normal variable, limited to its quantiles trim and 1 - trim, has this standard deviation.
constant_by_integration <- function(trim) {
  if (trim == 0) return(1)
  limit <- qnorm(trim, lower.tail = FALSE)
  inner <- integrate(function(z) z^2 * dnorm(z), 0, limit, rel.tol = 1e-12)$value
  sqrt(2 * inner + 2 * trim * limit^2)
}

pooled_spread <- function(x, y, trim) {
  n1 <- length(x)
  n2 <- length(y)
  variance <- ((n1 - 1) * winsorised_variance(x, trim) + (n2 - 1) * winsorised_variance(y, trim)) / (n1 + n2 - 2)
  sqrt(variance)
}

yuen_by_definition <- function(x, y, trim = 0.2, mu = 0, alternative = "two.sided", level = 0.95) {
  part <- function(v) {
    h <- left_number(length(v), trim)
    list(m = mean_by_definition(v, trim), h = h, d = (length(v) - 1) * winsorised_variance(v, trim) / (h * (h - 1)))
  }
  a <- part(x)
  b <- part(y)
  se <- sqrt(a$d + b$d)
  nu <- (a$d + b$d)^2 / (a$d^2 / (a$h - 1) + b$d^2 / (b$h - 1))
  difference <- a$m - b$m
  statistic <- (difference - mu) / se
  p <- switch(alternative,
    two.sided = 2 * pt(abs(statistic), nu, lower.tail = FALSE),
    less = pt(statistic, nu),
    greater = pt(statistic, nu, lower.tail = FALSE)
  )
  reach <- function(tail) if (tail == 0) Inf else se * qt(tail, nu, lower.tail = FALSE)
  interval <- switch(alternative,
    two.sided = difference + c(-1, 1) * reach((1 - level) / 2),
    less = c(-Inf, difference + reach(1 - level)),
    greater = c(difference - reach(1 - level), Inf)
  )
  list(
    statistic = statistic, parameter = nu, p.value = p, conf.int = interval, estimate = c(a$m, b$m), null.value = mu,
    stderr = se, effect = constant_by_integration(trim) * difference / pooled_spread(x, y, trim)
  )
}

ALTERNATIVES <- c("two.sided", "less", "greater")

# The worked example of the specification.
X <- c(2, 4, 5, 7, 9, 10, 12, 15, 18, 40)
Y <- c(1, 3, 4, 4, 6, 8, 9)

# Sizes from low to high that leave at least two values at every share, unequal where that is wanted.
drawn_sizes <- function(low, high, trims, unequal = FALSE) {
  repeat {
    n <- sample(low:high, 2, replace = TRUE)
    left <- outer(n, trims, left_number)
    if (all(left >= 2) && !(unequal && n[1] == n[2])) return(n)
  }
}

# A pair of samples from `draw`, drawn again where a statistic could not be computed to ten decimals by anybody: where
# values near the middle almost coincide in both samples. No answer decides about this.
drawn_pair <- function(draw, trims) {
  repeat {
    pair <- draw()
    fine <- vapply(trims, function(trim) {
      spread <- min(winsorised_variance(pair$x, trim), winsorised_variance(pair$y, trim))
      spread > 1e-4 && abs(yuen_by_definition(pair$x, pair$y, trim)$statistic) < 50
    }, NA)
    if (all(fine)) return(pair)
  }
}

# The same part of several answers, or of several expectations.
each <- function(rows, name) lapply(rows, function(row) row[[name]])

# What the questions share: the set by its definition, draws, and claims about many answers at once.

t_of <- function(level, df) qt((1 - level) / 2, df, lower.tail = FALSE)
L2 <- 2 * pnorm(2) - 1

# ---- Fieller's set by a second way ----------------------------------------------------------------------------------

# The statistic; `rho` may be a promise.
statistic <- function(rho, d) (d$a - rho * d$b) / sqrt(d$vaa - rho * (2 * d$vab) + rho^2 * d$vbb)

# The set {rho: |T(rho)| <= t}, for g other than 1. Its type comes from two facts about T, not from a discriminant with g:
# |T| tends to |b| / sqrt(vbb) far out, and the largest T^2 is w' V^-1 w for w = (a, b) (Cauchy and Schwarz). Its limits are
# the roots of (b^2 - t^2 vbb) rho^2 - 2 (a b - t^2 vab) rho + (a^2 - t^2 vaa), without differences of nearly equal numbers.
fieller_set <- function(d) {
  with(d, {
    second <- (b - t * sqrt(vbb)) * (b + t * sqrt(vbb))
    first <- a * b - t^2 * vab
    constant <- (a - t * sqrt(vaa)) * (a + t * sqrt(vaa))
    determinant <- vaa * vbb - vab^2
    form <- a^2 * vbb - 2 * a * b * vab + b^2 * vaa
    bounded <- abs(b) > t * sqrt(vbb)
    line <- !bounded & form <= t^2 * determinant
    root <- t * sqrt(pmax(form - t^2 * determinant, 0))
    q <- first + ifelse(first < 0, -root, root)
    lower <- ifelse(line, -Inf, pmin(q / second, constant / q))
    upper <- ifelse(line, Inf, pmax(q / second, constant / q))
    data.frame(type = ifelse(bounded, "interval", ifelse(line, "line", "complement")), lower = lower, upper = upper)
  })
}

# By how many parts in a thousand |T| moves when a limit moves by one part in a thousand. Its reciprocal is the condition
# of the limit: below 1e-6 a double cannot hold the limit to 1e-8, though it can hold |T|.
elasticity <- function(rho, d) {
  numerator <- d$a - rho * d$b
  variance <- d$vaa - 2 * rho * d$vab + rho^2 * d$vbb
  found <- abs(rho * (-d$b / numerator - (rho * d$vbb - d$vab) / variance))
  ifelse(is.finite(found), found, 0)
}

with_set <- function(d) {
  d <- cbind(d, fieller_set(d))
  d$sound <- pmin(elasticity(d$lower, d), elasticity(d$upper, d))
  # where rounding moves a limit by less than 1e-11, so that 1e-9 can be asked of the limit itself
  d$steady <- pmax(abs(d$lower) / elasticity(d$lower, d), abs(d$upper) / elasticity(d$upper, d)) < 1e4
  d
}

# a, b normal; a covariance matrix with a squared correlation of 0.9 at most; df from 3 to 40 and Inf.
draw_estimates <- function(count) {
  rows <- vapply(seq_len(count), function(i) {
    w <- rnorm(2, sd = 2)
    repeat {
      v <- crossprod(matrix(rnorm(4), 2))
      if (v[1, 2]^2 <= 0.9 * v[1, 1] * v[2, 2]) break
    }
    c(a = w[1], b = w[2], vaa = v[1, 1], vbb = v[2, 2], vab = v[1, 2], df = sample(c(3:40, Inf), 1))
  }, numeric(6))
  d <- as.data.frame(base::t(rows))
  d$t <- t_of(0.95, d$df)
  d
}

# ---- many calls -----------------------------------------------------------------------------------------------------

batches <- function(rows, size = 50) split(rows, (seq_along(rows) - 1) %/% size)
each <- function(fits, name) unname(lapply(fits, function(fit) fit[[name]]))
# lower limits in the first row, upper limits in the second
stacked <- function(fits) transposed(each(fits, "limits"))
limits_of <- function(d) lapply(seq_len(nrow(d)), function(i) c(d$lower[i], d$upper[i]))

ask_ratio <- function(d, level = 0.95, ...) {
  lapply(seq_len(nrow(d)), function(i) {
    ask("ratio_ci", d$a[i], d$b[i], d$vaa[i], d$vbb[i], vab = d$vab[i], df = d$df[i], level = level, ...)
  })
}
ask_swapped <- function(d) {
  names(d)[match(c("a", "b", "vaa", "vbb"), names(d))] <- c("b", "a", "vbb", "vaa")
  ask_ratio(d)
}

FAR <- paste(
  "the double next to such a limit already differs by more than the tolerance allows to tell: the statistic hardly",
  "depends on a limit that is far out (or next to zero), so that only the statistic is claimed here"
)

# |T| is t at both limits; where their condition allows it, the limits are also those of the second way: a limit that has
# moved is then seen even where |T| is flat.
claim_statistic <- function(criterion, fits, d, least = 1e-6) {
  bounded <- is.finite(d$lower)
  for (rows in batches(which(bounded & d$sound >= least))) {
    m <- stacked(fits[rows])
    r <- as.list(d[rows, ])
    claim_close(criterion, list(abs(statistic(m, r)), m), list(rbind(r$t, r$t), rbind(r$lower, r$upper)))
  }
  for (rows in batches(which(bounded & d$sound < least))) {
    r <- as.list(d[rows, ])
    claim_close(criterion, abs(statistic(stacked(fits[rows]), r)), rbind(r$t, r$t), part = FAR)
  }
}

# p-value of the two-sided test at both limits. Near its limit p is 0.05 - 2 f(t) (|T| - t), f the density of Student's t;
# this is within 1e-9 of 0.05 just where p is, because what is left out is of the order 1e-18, and it is monotone in |T|.
p_value <- function(absolute, t, df) 0.05 - 2 * dt(t, df) * (absolute - t)

claim_types <- function(criterion, fits, types) {
  for (rows in batches(seq_along(fits))) claim_same(criterion, each(fits[rows], "type"), as.list(types[rows]))
}
claim_each <- function(criterion, fits, name, expected) {
  for (rows in batches(seq_along(fits))) claim_close(criterion, each(fits[rows], name), as.list(expected[rows]))
}

# The limits after swapping are the reciprocals in increasing order, and those of the second way; the line stays the line.
claim_reciprocals <- function(criterion, fits, swapped, d, least = 1e-5) {
  relation <- lapply(fits, function(fit) sort(1 / fit$limits))
  own <- lapply(limits_of(d), function(both) sort(1 / both))
  for (rows in batches(which(d$type != "line" & d$sound >= least))) {
    limits <- each(swapped[rows], "limits")
    claim_close(criterion, c(limits, limits), c(relation[rows], own[rows]))
  }
  for (rows in batches(which(d$type != "line" & d$sound < least))) {
    claim_close(criterion, each(swapped[rows], "limits"), relation[rows])
  }
  for (rows in batches(which(d$type == "line"))) {
    claim_close(criterion, each(swapped[rows], "limits"), rep(list(c(-Inf, Inf)), length(rows)))
  }
}

# ---- the samples and the fit that several scenarios use -------------------------------------------------------------

FIRST <- c(3, 5, 4, 6)
SECOND <- c(1, 2, 3)
PAIR <- c(1, 2, 3, 4)
CARS <- datasets::mtcars[c("mpg", "wt", "qsec", "hp")]
FIELDS <- c("estimate", "limits", "type", "g", "df", "level", "method", "a", "b", "vaa", "vbb", "vab")

ask_cars <- function() ask("stats::lm", mpg ~ wt + qsec, data = CARS)

# Estimates, variances and degrees of freedom of independent samples (R1) and of pairs.
of_independent <- function(x, y) {
  r <- mean(x) / mean(y)
  df <- unname(t.test(x, r * y)$parameter)
  data.frame(
    a = mean(x), b = mean(y), vaa = var(x) / length(x), vbb = var(y) / length(y), vab = 0, df = df, t = t_of(0.95, df)
  )
}
of_pairs <- function(x, y) {
  n <- length(x)
  v <- cov(cbind(x, y)) / n
  data.frame(
    a = mean(x), b = mean(y), vaa = v[1, 1], vbb = v[2, 2], vab = v[1, 2], df = n - 1, t = t_of(0.95, n - 1)
  )
}
# Estimates and variances of two coefficients.
of_model <- function(fit, numerator, denominator) {
  v <- vcov(fit)
  data.frame(
    a = coef(fit)[[numerator]], b = coef(fit)[[denominator]], vaa = v[numerator, numerator],
    vbb = v[denominator, denominator], vab = v[numerator, denominator], df = df.residual(fit),
    t = t_of(0.95, df.residual(fit))
  )
}

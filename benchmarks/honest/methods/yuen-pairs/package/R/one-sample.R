# Internal helpers: one sample, and the checks that both functions share.

# Power of two next below `a` >= 0, kept within the range of normalised doubles.
# Dividing by it is exact, so it changes no result; it keeps squares of very
# large or very small data from overflowing or underflowing.
power_of_two <- function(a) {
  if (a < .Machine$double.xmin) {
    return(.Machine$double.xmin)
  }
  2^min(floor(log2(a)), .Machine$double.max.exp - 1)
}

# Trimmed mean (1) and Winsorised variance (2) of one sample of doubles without
# missing or infinite values, length(x) >= 2.
#
# Returns n, h, the trimmed mean `mean` in the units of the data, and in units
# of `scale` (of `scale`^2 for the variance): the trimmed mean as the unevaluated
# sum `centre` + `offset` and the Winsorised variance `var`. `centre` is a
# value of the sample. Differences from it are exact where the data have a large
# common shift, so that no digits of the spread are lost to the shift. `lower`
# and `upper` are the smallest and the largest value kept, in the units of the
# data: the limits to which the sample is Winsorised. `var` is taken from the
# sorted values; what depends on their places must not use their order.
one_sample <- function(x, trim) {
  n <- length(x)
  # As floating point gives it, like mean(x, trim = trim): no tolerance.
  k <- floor(n * trim)
  h <- n - 2 * k
  kept <- sort(x)[seq.int(k + 1, n - k)]
  lower <- kept[1L]
  upper <- kept[h]
  scale <- power_of_two(max(abs(lower), abs(upper)))
  kept <- kept / scale
  centre <- kept[(h + 1) %/% 2]
  deviation <- kept - centre
  offset <- mean(deviation)
  winsorised <- c(rep(deviation[1L], k), deviation, rep(deviation[h], k))
  list(
    n = n,
    h = h,
    mean = scale * (centre + offset),
    scale = scale,
    centre = centre,
    offset = offset,
    var = stats::var(winsorised),
    lower = lower,
    upper = upper
  )
}

# The sample `x`, Winsorised, every value at its own place, as deviations from
# the centre of the sample in units of its scale; `s` is one_sample(x, trim). The
# limits come first, so that no outlying value leaves the range of doubles.
winsorised_deviations <- function(x, s) {
  pmin(pmax(x, s$lower), s$upper) / s$scale - s$centre
}

# Standard deviation c(trim) of a standard normal variable Winsorised at its
# quantiles trim and 1 - trim. pchisq(z^2, 3) is the integral of u^2 phi(u) from
# -z to z, (1 - 2 trim) - 2 z phi(z), without the cancellation near trim = 0.5.
winsorised_normal_sd <- function(trim) {
  if (trim == 0) {
    return(1)
  }
  z <- stats::qnorm(trim, lower.tail = FALSE)
  sqrt(stats::pchisq(z^2, df = 3) + 2 * trim * z^2)
}

is_finite_number <- function(x) {
  is.numeric(x) && length(x) == 1L && is.finite(x)
}

check_sample <- function(x, name) {
  if (!is.numeric(x)) {
    stop("'", name, "' must be numeric", call. = FALSE)
  }
}

check_finite <- function(x, name) {
  if (any(is.infinite(x))) {
    stop("'", name, "' contains infinite values", call. = FALSE)
  }
}

check_number_of_values <- function(x, name) {
  if (length(x) < 2L) {
    stop("not enough '", name, "' observations", call. = FALSE)
  }
}

check_left_after_trimming <- function(h, name) {
  if (h < 2) {
    stop("not enough '", name, "' observations left after trimming",
         call. = FALSE)
  }
}

# Returns trim as a plain number.
check_trim <- function(trim) {
  if (!is_finite_number(trim) || trim < 0 || trim >= 0.5) {
    stop("'trim' must be a single number, at least 0 and less than 0.5",
         call. = FALSE)
  }
  as.double(trim)
}

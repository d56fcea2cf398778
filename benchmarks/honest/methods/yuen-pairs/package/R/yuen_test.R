#' Yuen's Test for Trimmed Means of Two Samples or of Pairs
#'
#' Tests whether the trimmed means of two independent samples, or of the two
#' columns of paired data, differ by a given number, without assuming equal
#' variances, and gives a confidence interval for their difference and a robust
#' standardised effect; for pairs also the Winsorised correlation.
#'
#' \strong{Independent samples.} For sample \eqn{j} let \eqn{n_j} be the number
#' of values that are not missing,
#' \eqn{k_j = \lfloor n_j\gamma \rfloor} with \eqn{\gamma} the share \code{trim},
#' \eqn{h_j = n_j - 2k_j}, \eqn{m_j} the trimmed mean and \eqn{s_{wj}^2} the
#' Winsorised variance (see \code{\link{trimmed_mean}}). With
#' \deqn{d_j = \frac{(n_j - 1) s_{wj}^2}{h_j (h_j - 1)}}{d_j = (n_j - 1) s_wj^2 / (h_j (h_j - 1))}
#' the statistic is
#' \deqn{T = \frac{m_1 - m_2 - \mu}{\sqrt{d_1 + d_2}}}{T = (m_1 - m_2 - mu) / sqrt(d_1 + d_2)}
#' and is referred to Student's t distribution with
#' \deqn{\nu = \frac{(d_1 + d_2)^2}{d_1^2/(h_1 - 1) + d_2^2/(h_2 - 1)}}{nu = (d_1 + d_2)^2 / (d_1^2 / (h_1 - 1) + d_2^2 / (h_2 - 1))}
#' degrees of freedom. The confidence interval holds all values of \code{mu} that
#' the test does not reject. With \code{trim = 0} the test is Welch's.
#'
#' \strong{Pairs.} With \code{paired = TRUE} value \eqn{i} of \code{x} and value
#' \eqn{i} of \code{y} are a pair. Let \eqn{n} be the number of complete pairs,
#' \eqn{k = \lfloor n\gamma \rfloor}, \eqn{h = n - 2k}, \eqn{m_x} and \eqn{m_y}
#' the trimmed means of the two columns, and \eqn{v_i} and \eqn{w_i} the
#' Winsorised values of \code{x} and of \code{y}, each left at the place of its
#' pair. Each column is trimmed and Winsorised by itself. With
#' \deqn{s_{vw} = \frac{1}{n - 1} \sum_{i=1}^n (v_i - \bar v)(w_i - \bar w), \qquad (1)}{s_vw = sum((v_i - mean(v)) (w_i - mean(w))) / (n - 1),  (1)}
#' \eqn{s_v^2} and \eqn{s_w^2} the same with \eqn{v} twice and \eqn{w} twice, and
#' \deqn{(d_x, d_y, d_{xy}) = \frac{n - 1}{h(h - 1)} (s_v^2, s_w^2, s_{vw}), \qquad (2)}{(d_x, d_y, d_xy) = (n - 1) / (h (h - 1)) (s_v^2, s_w^2, s_vw),  (2)}
#' the statistic is
#' \deqn{T = \frac{m_x - m_y - \mu}{\sqrt{d_x + d_y - 2 d_{xy}}} \qquad (3)}{T = (m_x - m_y - mu) / sqrt(d_x + d_y - 2 d_xy)  (3)}
#' and is referred to Student's t distribution with \eqn{h - 1} degrees of
#' freedom. With \eqn{q} the quantile of that distribution at
#' \eqn{(1 + \ell)/2}, \eqn{\ell} the level \code{conf.level}, the two-sided
#' confidence interval is
#' \deqn{m_x - m_y \pm q \sqrt{d_x + d_y - 2 d_{xy}}; \qquad (4)}{m_x - m_y +/- q sqrt(d_x + d_y - 2 d_xy);  (4)}
#' for a one-sided alternative \eqn{q} is the quantile at \eqn{\ell} and the
#' other end is infinite. The component \code{correlation} is the Winsorised
#' correlation
#' \deqn{r_w = \frac{s_{vw}}{s_v s_w}. \qquad (5)}{r_w = s_vw / (s_v s_w).  (5)}
#'
#' With \code{trim = 0} this is the paired t test,
#' \code{t.test(x, y, paired = TRUE)}. Otherwise, as soon as a value is trimmed,
#' it is \emph{not} the one-sample trimmed test of the differences
#' \code{x - y}: the differences are never trimmed. A number that is added to
#' both members of all pairs moves the two trimmed means and changes nothing
#' else. A number that is added to both members of one pair does change the
#' result, since each column is trimmed by itself; only with \code{trim = 0} does
#' it leave the test as it is.
#'
#' \code{paired} cannot be used with a formula, which does not say which values
#' are a pair. It stands after \code{conf.level}, not where \code{t.test} has
#' it: give it by name.
#'
#' \strong{How many values are trimmed.} \eqn{k_j}, and \eqn{k} for pairs, is
#' \code{floor(n * trim)} as floating point gives it, the same number as in
#' \code{mean(x, trim = trim)}.
#' With \code{n = 100} and \code{trim = 0.29} it is 28, since \code{100 * 0.29}
#' is a little less than 29 in floating point.
#'
#' \strong{Standard error.} The component \code{stderr} is the denominator of
#' the statistic. For independent samples, it and the standard errors of
#' \code{\link{trimmed_mean}} rest on two different estimates of the variance
#' of a trimmed mean and do not add up: \code{stderr} is not the root of the sum of the squared standard errors of
#' two calls of \code{trimmed_mean}, except with \code{trim = 0}. For samples
#' whose \code{n * trim} is not a whole number those of \code{trimmed_mean} are
#' on average too large.
#'
#' \strong{Effect.} The component \code{effect} is
#' \deqn{c(\gamma)\,\frac{m_1 - m_2}{s_w}, \qquad s_w^2 = \frac{(n_1 - 1) s_{w1}^2 + (n_2 - 1) s_{w2}^2}{n_1 + n_2 - 2},}{c(gamma) (m_1 - m_2) / s_w, s_w^2 = ((n_1 - 1) s_w1^2 + (n_2 - 1) s_w2^2) / (n_1 + n_2 - 2),}
#' so the two Winsorised variances are pooled with the weights \eqn{n_j - 1};
#' \code{mu} is not subtracted. For pairs it is the same, with
#' \eqn{n_1 = n_2 = n}: \eqn{s_w^2} is then the plain mean of the two Winsorised
#' variances, the correlation does not enter, and the effect is what
#' \code{yuen_test} without \code{paired} gives for the complete pairs.
#'
#' The constant \eqn{c(\gamma)} is the standard
#' deviation of a standard normal variable Winsorised at its quantiles
#' \eqn{\gamma} and \eqn{1 - \gamma}: with normal data of equal variance the
#' effect is on the scale of the difference in units of the standard deviation.
#' This holds for long samples. With short ones whose \code{n * trim} is a whole
#' number the Winsorised standard deviation is a little too small on average, so
#' that the effect is a little too large. If \code{n * trim} is not a whole
#' number, a smaller share than \code{trim} is Winsorised, which works the other
#' way: the Winsorised standard deviation of a short sample can then be too large
#' and the effect too small. Neither \code{effect} nor \code{correlation} is
#' printed; see the examples.
#'
#' \strong{Missing values.} Missing values (\code{NA} and \code{NaN}) are dropped
#' from each sample by itself, before anything is counted. With
#' \code{paired = TRUE} pairs are left out instead: both members, if one of them
#' is missing. An infinite value in such a pair is left out with it. The formula
#' method drops rows with a missing response or a missing group, whatever
#' \code{options("na.action")} says. (\code{\link{trimmed_mean}} answers
#' \code{NA} instead.)
#'
#' @param x a numeric vector, the first sample, or the first members of the
#'   pairs; a matrix is treated as the vector of its values, and names are
#'   ignored. Or a formula, see below.
#' @param y a numeric vector, the second sample, or the second members of the
#'   pairs, in the same order as the first.
#' @param trim the share of the values that is trimmed at each end of each
#'   sample, a single number, at least 0 and less than 0.5.
#' @param mu the difference of the trimmed means under the null hypothesis, a
#'   single finite number. It enters the statistic and the p-value, but neither
#'   the interval nor the effect.
#' @param alternative the alternative hypothesis: \code{"two.sided"} (the
#'   default), \code{"less"} or \code{"greater"}, which may be abbreviated.
#'   \code{"greater"} is the alternative that the trimmed mean of \code{x} is
#'   larger than that of \code{y} by more than \code{mu}.
#' @param conf.level the level of the confidence interval, a single number
#'   between 0 and 1.
#' @param paired whether value \eqn{i} of \code{x} and value \eqn{i} of \code{y}
#'   are a pair, a single \code{TRUE} or \code{FALSE}. It cannot be used with a
#'   formula.
#' @param formula a formula \code{response ~ group} with a numeric response and
#'   a group that has exactly two different values. The difference is that of the
#'   first level minus the second, in the order of the levels of a factor (of the
#'   sorted values, if the group is not a factor). Levels that do not occur are
#'   left out.
#' @param data a data frame with the variables of \code{formula}. If it is left
#'   out, they are taken from where the formula was written.
#' @param ... for the formula method, the arguments \code{trim}, \code{mu},
#'   \code{alternative} and \code{conf.level} of the default method, but not
#'   \code{paired}, which is an error there. The default method accepts no
#'   further arguments: any is an error.
#'
#' @return An object of class \code{"htest"}, a list with the components
#' \describe{
#'   \item{\code{statistic}}{the statistic, with the name \code{t}.}
#'   \item{\code{parameter}}{its degrees of freedom, with the name \code{df}.}
#'   \item{\code{p.value}}{the p-value.}
#'   \item{\code{conf.int}}{the confidence interval for the difference of the
#'     trimmed means, \code{x} minus \code{y}, with the attribute
#'     \code{conf.level}. One end is infinite for the one-sided alternatives.}
#'   \item{\code{estimate}}{the two trimmed means.}
#'   \item{\code{null.value}}{\code{mu}.}
#'   \item{\code{stderr}}{the standard error of the difference, the denominator
#'     of the statistic.}
#'   \item{\code{alternative}}{the alternative, as the full word.}
#'   \item{\code{method}}{the name of the test with the share trimmed.}
#'   \item{\code{data.name}}{the names of the data.}
#'   \item{\code{effect}}{the robust effect, which is not printed.}
#'   \item{\code{correlation}}{only with \code{paired = TRUE}: the Winsorised
#'     correlation, a number from -1 to 1, which is not printed. It is
#'     \code{NA} if all Winsorised values of one column are equal.}
#' }
#' Besides arguments that are not as described, it is an error if a sample has an
#' infinite value, has fewer than two values that are not missing or fewer than
#' two left after trimming, or if both samples are constant after Winsorising, to
#' rounding. One sample may be constant.
#'
#' With \code{paired = TRUE} it is an error if \code{x} and \code{y} have
#' different numbers of values (missing ones are counted), if a complete pair has
#' an infinite value, if there are fewer than two complete pairs or fewer than
#' two values of each column left after trimming, or if the standard error is
#' zero, to rounding, as it is where \code{y} is \code{x} plus a constant. One
#' column may be constant. With a formula, \code{paired} is an error, whatever its
#' value.
#'
#' @references
#' Yuen, K. K. (1974). The two-sample trimmed t for unequal population
#' variances. \emph{Biometrika}, \bold{61}, 165--170.
#'
#' @seealso \code{\link{trimmed_mean}} for one sample;
#'   \code{\link[stats]{t.test}} for Welch's test and the paired t test.
#'
#' @examples
#' # two samples; the first has an outlier
#' x <- c(2.1, 2.9, 3.3, 3.4, 3.8, 4.0, 4.4, 4.6, 5.2, 21.7)
#' y <- c(3.9, 4.6, 4.9, 5.3, 5.5, 5.8, 6.1, 6.4, 7.0, 7.7, 8.2)
#' yuen_test(x, y)
#' yuen_test(x, y, trim = 0.1, alternative = "less")
#'
#' # the effect is a component that is not printed
#' yuen_test(x, y)$effect
#'
#' # a formula
#' yuen_test(extra ~ group, data = sleep)
#'
#' # pairs: the same ten persons with two drugs
#' drug1 <- sleep$extra[sleep$group == 1]
#' drug2 <- sleep$extra[sleep$group == 2]
#' pairs <- yuen_test(drug1, drug2, paired = TRUE)
#' pairs
#' pairs$effect
#' pairs$correlation
#'
#' @export
yuen_test <- function(x, ...) {
  UseMethod("yuen_test")
}

#' @rdname yuen_test
#' @method yuen_test default
#' @export
yuen_test.default <- function(x, y, trim = 0.2, mu = 0,
                              alternative = c("two.sided", "less", "greater"),
                              conf.level = 0.95, paired = FALSE, ...) {
  if (...length() > 0L) {
    stop_unused(match.call(expand.dots = FALSE)$...)
  }
  if (missing(y)) {
    stop("'y' is missing, with no default", call. = FALSE)
  }
  data_name <- paste(deparse1(substitute(x)), "and", deparse1(substitute(y)))

  check_sample(x, "x")
  check_sample(y, "y")
  trim <- check_trim(trim)
  if (!is_finite_number(mu)) {
    stop("'mu' must be a single number", call. = FALSE)
  }
  mu <- as.double(mu)
  alternative <- match_alternative(alternative)
  if (!is_finite_number(conf.level) || conf.level < 0 || conf.level > 1) {
    stop("'conf.level' must be a single number between 0 and 1", call. = FALSE)
  }
  conf.level <- as.double(conf.level)
  if (!isTRUE(paired) && !isFALSE(paired)) {
    stop("'paired' must be TRUE or FALSE", call. = FALSE)
  }

  x <- as.double(x)
  y <- as.double(y)
  if (paired) {
    if (length(x) != length(y)) {
      stop("'x' and 'y' must have the same length", call. = FALSE)
    }
    complete <- !is.na(x) & !is.na(y)
    x <- x[complete]
    y <- y[complete]
  } else {
    x <- x[!is.na(x)]
    y <- y[!is.na(y)]
  }
  check_finite(x, "x")
  check_finite(y, "y")
  if (paired) {
    if (length(x) < 2L) {
      stop("not enough complete pairs", call. = FALSE)
    }
  } else {
    check_number_of_values(x, "x")
    check_number_of_values(y, "y")
  }

  s1 <- one_sample(x, trim)
  s2 <- one_sample(y, trim)
  if (paired) {
    # Both columns have the same number of values, and so the same h.
    if (s1$h < 2) {
      stop("not enough observations left after trimming", call. = FALSE)
    }
  } else {
    check_left_after_trimming(s1$h, "x")
    check_left_after_trimming(s2$h, "y")
  }

  # From here on in units of the larger of the two scales, a power of two.
  scale <- max(s1$scale, s2$scale)
  f1 <- s1$scale / scale
  f2 <- s2$scale / scale
  var1 <- s1$var * f1^2
  var2 <- s2$var * f2^2

  if (paired) {
    a <- winsorised_deviations(x, s1)
    b <- winsorised_deviations(y, s2)
    # d_x + d_y - 2 d_xy as one variance: that of the differences of the
    # Winsorised values, which are not Winsorised differences.
    d <- (s1$n - 1) * stats::var(f1 * a - f2 * b) / (s1$h * (s1$h - 1))
    df <- s1$h - 1
    size <- max(abs(c(s1$lower, s1$upper, s2$lower, s2$upper))) / scale
  } else {
    d1 <- (s1$n - 1) * var1 / (s1$h * (s1$h - 1))
    d2 <- (s2$n - 1) * var2 / (s2$h * (s2$h - 1))
    d <- d1 + d2
    df <- 1 / ((d1 / d)^2 / (s1$h - 1) + (d2 / d)^2 / (s2$h - 1))
    size <- max(abs(f1 * (s1$centre + s1$offset)),
                abs(f2 * (s2$centre + s2$offset)))
  }
  stderr <- sqrt(d)
  if (stderr <= 10 * .Machine$double.eps * size) {
    stop("data are essentially constant", call. = FALSE)
  }

  # The centres are values of the data. What they have in common cancels before
  # the offsets, which carry the last digits, are added.
  centres <- f1 * s1$centre - f2 * s2$centre
  offsets <- f1 * s1$offset - f2 * s2$offset
  difference <- centres + offsets
  statistic <- ((centres - mu / scale) + offsets) / stderr

  p_value <- switch(
    alternative,
    two.sided = 2 * stats::pt(-abs(statistic), df),
    less = stats::pt(statistic, df),
    greater = stats::pt(statistic, df, lower.tail = FALSE)
  )
  # The quantiles at (1 + L)/2 and L, from the upper tail.
  tail <- if (alternative == "two.sided") (1 - conf.level) / 2 else 1 - conf.level
  margin <- stats::qt(tail, df, lower.tail = FALSE) * stderr
  conf_int <- scale * switch(
    alternative,
    two.sided = c(difference - margin, difference + margin),
    less = c(-Inf, difference + margin),
    greater = c(difference - margin, Inf)
  )
  attr(conf_int, "conf.level") <- conf.level

  pooled <- ((s1$n - 1) * var1 + (s2$n - 1) * var2) / (s1$n + s2$n - 2)
  effect <- winsorised_normal_sd(trim) * difference / sqrt(pooled)

  result <- list(
    statistic = c(t = statistic),
    parameter = c(df = df),
    p.value = p_value,
    conf.int = conf_int,
    estimate = c("trimmed mean of x" = s1$mean, "trimmed mean of y" = s2$mean),
    null.value = c("difference in trimmed means" = mu),
    stderr = scale * stderr,
    alternative = alternative,
    method = paste0("Yuen's ", if (paired) "paired" else "two-sample",
                    " test for trimmed means (trim = ", format(trim), ")"),
    data.name = data_name,
    effect = effect
  )
  if (paired) {
    # cor() would warn about a column without spread.
    constant <- s1$lower == s1$upper || s2$lower == s2$upper
    result$correlation <- if (constant) NA_real_ else stats::cor(a, b)
  }
  structure(result, class = "htest")
}

#' @rdname yuen_test
#' @method yuen_test formula
#' @export
yuen_test.formula <- function(formula, data, ...) {
  # The dots as they are here, unevaluated, also those of a wrapper.
  if (uses_paired(as.list(substitute(list(...)))[-1L])) {
    stop("'paired' cannot be used with a formula", call. = FALSE)
  }
  if (missing(formula) || length(formula) != 3L) {
    stop_formula()
  }
  call <- match.call(expand.dots = FALSE)
  dots <- call$...
  caller <- parent.frame()

  call <- call[c(1L, match(c("formula", "data"), names(call), 0L))]
  call[[1L]] <- quote(stats::model.frame)
  call$formula <- formula
  call$na.action <- quote(stats::na.omit)
  frame <- tryCatch(eval(call, caller), error = identity)
  if (inherits(frame, "error")) {
    # model.frame refuses responses such as lists and functions by itself.
    response <- tryCatch(
      eval(formula[[2L]], eval(call$data, caller), environment(formula)),
      error = function(e) 0
    )
    if (!is.numeric(response)) {
      stop_response()
    }
    stop(frame)
  }

  if (length(frame) != 2L || attr(attr(frame, "terms"), "response") != 1L ||
      NCOL(frame[[2L]]) != 1L) {
    stop_formula()
  }
  response <- frame[[1L]]
  if (!is.numeric(response) || NCOL(response) != 1L) {
    stop_response()
  }
  group <- factor(frame[[2L]])
  if (nlevels(group) != 2L) {
    stop("grouping factor must have exactly 2 levels", call. = FALSE)
  }
  # The samples come from the formula.
  samples <- names(dots) %in% c("x", "y")
  if (any(samples)) {
    stop_unused(dots[samples])
  }

  parts <- split(as.double(response), group)
  result <- yuen_test.default(x = parts[[1L]], y = parts[[2L]], ...)
  groups <- paste("group", levels(group))
  names(result$estimate) <- paste("trimmed mean in", groups)
  names(result$null.value) <- paste("difference in trimmed means between",
                                    paste(groups, collapse = " and "))
  result$data.name <- paste(names(frame), collapse = " by ")
  result
}

# Whether R would match one of `dots`, the unevaluated arguments of the formula
# method as a list, to `paired` of the default method.
uses_paired <- function(dots) {
  labels <- names(dots)
  if (is.null(labels)) {
    labels <- character(length(dots))
  }
  if (any(nzchar(labels) & startsWith("paired", labels))) {
    return(TRUE)
  }
  # By position. The values do not matter; dummies also stand for arguments left
  # empty, which match.call would drop.
  labels <- labels[!labels %in% c("x", "y")]
  values <- stats::setNames(rep(list(0), length(labels)), labels)
  call <- as.call(c(list(quote(yuen_test), x = 0, y = 0), values))
  # Where R cannot match them, as with one name given twice, this is not the
  # place to say so.
  matched <- tryCatch(match.call(yuen_test.default, call),
                      error = function(e) NULL)
  "paired" %in% names(matched)
}

# match.arg, with one message for everything that it refuses.
match_alternative <- function(alternative) {
  force(alternative)
  choices <- c("two.sided", "less", "greater")
  tryCatch(
    match.arg(alternative, choices),
    error = function(e) {
      stop("'alternative' should be one of ",
           paste0("\"", choices, "\"", collapse = ", "), call. = FALSE)
    }
  )
}

# `dots`: the unevaluated arguments, as a list. They are reported by name, and
# those without a name by their expression.
stop_unused <- function(dots) {
  labels <- vapply(dots, deparse1, "")
  named <- nzchar(names(dots))
  labels[named] <- names(dots)[named]
  stop(if (length(labels) > 1L) "unused arguments (" else "unused argument (",
       paste(labels, collapse = ", "), ")", call. = FALSE)
}

stop_formula <- function() {
  stop("'formula' missing or incorrect", call. = FALSE)
}

stop_response <- function() {
  stop("response must be a numeric vector", call. = FALSE)
}

# Pairs with an outlier in each column, at different places, and with ties.
pair_x <- c(2.1, 9.9, 3.3, 3.4, 3.8, 4.0, -7.5, 4.6, 5.2, 21.7, 4.0, 6.1)
pair_y <- c(2.6, 6.4, 3.1, 4.9, 3.8, 5.3, -1.2, 4.4, 31.0, 12.2, 4.4, 5.8)
sides <- c("two.sided", "less", "greater")

# A plain second computation, straight from the formulas (1) to (5).
reference_paired <- function(x, y, trim, mu = 0, level = 0.95) {
  n <- length(x)
  k <- floor(n * trim)
  h <- n - 2 * k
  v <- pmin(pmax(x, sort(x)[k + 1]), sort(x)[n - k])
  w <- pmin(pmax(y, sort(y)[k + 1]), sort(y)[n - k])
  s <- function(a, b) sum((a - mean(a)) * (b - mean(b))) / (n - 1)
  d <- (n - 1) / (h * (h - 1)) * c(s(v, v), s(w, w), s(v, w))
  se <- sqrt(d[1] + d[2] - 2 * d[3])
  dm <- mean(x, trim = trim) - mean(y, trim = trim)
  t <- (dm - mu) / se
  list(
    m = c(mean(x, trim = trim), mean(y, trim = trim)), se = se, t = t,
    df = h - 1,
    p = c(two.sided = 2 * pt(-abs(t), h - 1), less = pt(t, h - 1),
          greater = pt(-t, h - 1)),
    ci = list(two.sided = dm + c(-1, 1) * qt((1 + level) / 2, h - 1) * se,
              less = c(-Inf, dm + qt(level, h - 1) * se),
              greater = c(dm - qt(level, h - 1) * se, Inf)),
    r = s(v, w) / sqrt(s(v, v) * s(w, w)),
    effect = reference_yuen(x, y, trim)$effect
  )
}

test_that("the plain formulas are met", {
  for (trim in c(0, 0.1, 0.2, 0.25, 0.33, 0.4)) {
    for (mu in c(0, -1.5)) {
      ref <- reference_paired(pair_x, pair_y, trim, mu, 0.9)
      for (alt in sides) {
        r <- yuen_test(pair_x, pair_y, trim, mu, alt, 0.9, TRUE)
        expect_equal(unname(r$estimate), ref$m, tolerance = 1e-12)
        expect_equal(r$stderr, ref$se, tolerance = 1e-12)
        expect_equal(unname(r$statistic), ref$t, tolerance = 1e-12)
        expect_identical(unname(r$parameter), ref$df)
        expect_equal(r$p.value, ref$p[[alt]], tolerance = 1e-11)
        expect_equal(as.vector(r$conf.int), ref$ci[[alt]], tolerance = 1e-12)
        expect_equal(r$effect, ref$effect, tolerance = 1e-9)
        expect_equal(r$correlation, ref$r, tolerance = 1e-12)
      }
    }
  }
})

test_that("a case worked by hand comes out", {
  # k = 1, h = 3; v = 2 2 3 4 4, w = 4 2 2 3 4 at the places of the pairs;
  # sums of squares 4 and 4, of products 1
  r <- yuen_test(1:5, c(9, 1, 2, 3, 4), paired = TRUE)
  expect_equal(r$estimate, c("trimmed mean of x" = 3, "trimmed mean of y" = 3))
  expect_equal(r$stderr, 1, tolerance = 1e-15)
  expect_identical(r$statistic, c(t = 0))
  expect_identical(r$parameter, c(df = 2))
  expect_equal(r$p.value, 1)
  expect_equal(r$correlation, 0.25, tolerance = 1e-15)
  # v and w are 2 2 3 4 4 and 9 3 5 3 9: squares 4, 36.8, products 0
  r <- yuen_test(1:5, c(12, 3, 5, 2, 9), paired = TRUE)
  expect_equal(r$stderr, sqrt((4 + 36.8) / 6), tolerance = 1e-15)
  expect_equal(r$correlation, 0, tolerance = 1e-15)
})

test_that("trim = 0 is the paired t test", {
  for (alt in sides) {
    r <- yuen_test(pair_x, pair_y, trim = 0, mu = 0.3, alternative = alt,
                   paired = TRUE)
    s <- t.test(pair_x, pair_y, mu = 0.3, alternative = alt, paired = TRUE)
    for (part in c("statistic", "parameter", "p.value", "conf.int", "stderr")) {
      expect_equal(r[[part]], s[[part]], tolerance = 1e-12)
    }
    expect_equal(r$correlation, cor(pair_x, pair_y), tolerance = 1e-12)
  }
})

test_that("it is not the one-sample trimmed test of the differences", {
  d <- pair_x - pair_y
  r <- yuen_test(pair_x, pair_y, paired = TRUE)
  expect_gt(abs(r$estimate[[1]] - r$estimate[[2]] - mean(d, trim = 0.2)), 0.01)
})

test_that("the object has the components, names and texts of the interface", {
  r <- yuen_test(pair_x, pair_y, mu = c(a = 1L), alternative = "g", paired = TRUE)
  expect_s3_class(r, "htest", exact = TRUE)
  expect_identical(names(r), c(
    "statistic", "parameter", "p.value", "conf.int", "estimate", "null.value",
    "stderr", "alternative", "method", "data.name", "effect", "correlation"
  ))
  expect_identical(names(r$statistic), "t")
  expect_identical(names(r$parameter), "df")
  expect_identical(names(r$estimate), c("trimmed mean of x", "trimmed mean of y"))
  expect_identical(r$null.value, c("difference in trimmed means" = 1))
  for (part in c("p.value", "stderr", "effect", "correlation")) {
    expect_null(attributes(r[[part]]))
  }
  expect_identical(attributes(r$conf.int), list(conf.level = 0.95))
  expect_identical(r$alternative, "greater")
  expect_identical(r$method, "Yuen's paired test for trimmed means (trim = 0.2)")
  expect_identical(r$data.name, "pair_x and pair_y")
  text <- paste(capture.output(print(r)), collapse = "\n")
  expect_match(text, "Yuen's paired test for trimmed means (trim = 0.2)",
               fixed = TRUE)
  expect_false(grepl("effect|correlation", text))
})

test_that("paired = FALSE is as without it, and paired may be abbreviated", {
  r <- yuen_test(pair_x, pair_y)
  expect_identical(yuen_test(pair_x, pair_y, paired = FALSE), r)
  expect_identical(yuen_test(pair_x, pair_y, 0.2, 0, "t", 0.95, FALSE), r)
  expect_false("correlation" %in% names(r))
  r <- yuen_test(pair_x, pair_y, paired = TRUE)
  expect_identical(yuen_test(pair_x, pair_y, p = TRUE), r)
  expect_identical(yuen_test(pair_x, pair_y, 0.2, 0, "t", 0.95, TRUE), r)
  expect_identical(yuen_test(pair_x, pair_y, paired = c(a = TRUE)), r)
})

test_that("the effect is that of the columns of the complete pairs", {
  x <- c(pair_x, NA, 3, 40)
  y <- c(pair_y, 7, NaN, 1)
  ok <- !is.na(x) & !is.na(y)
  r <- yuen_test(x, y, paired = TRUE, mu = 2)
  expect_identical(r$effect, yuen_test(x[ok], y[ok])$effect)
  expect_identical(r$estimate, yuen_test(x[ok], y[ok])$estimate)
})

test_that("incomplete pairs are left out, with the infinite values in them", {
  a <- yuen_test(pair_x, pair_y, paired = TRUE)
  x <- append(c(NA, pair_x, NaN, NA, -Inf), 5, after = 4)
  y <- append(c(Inf, pair_y, 1, NaN, NaN), NA, after = 4)
  expect_silent(b <- yuen_test(x, y, paired = TRUE))
  b$data.name <- a$data.name
  expect_identical(b, a)
})

test_that("exchanging the columns turns the signs exactly", {
  for (f in c(1, 1e-3, 2^300)) {
    a <- yuen_test(pair_x, f * pair_y, paired = TRUE)
    b <- yuen_test(f * pair_y, pair_x, paired = TRUE)
    expect_identical(a$stderr, b$stderr)
    expect_identical(a$statistic, -b$statistic)
    expect_identical(a$parameter, b$parameter)
    expect_identical(a$p.value, b$p.value)
    expect_identical(as.vector(a$conf.int), -rev(as.vector(b$conf.int)))
    expect_equal(a$correlation, b$correlation, tolerance = 1e-15)
  }
})

test_that("the order of the pairs does not matter, the pairing does", {
  a <- yuen_test(pair_x, pair_y, paired = TRUE)
  i <- c(7, 2, 12, 5, 1, 9, 10, 3, 11, 6, 8, 4)
  b <- yuen_test(pair_x[i], pair_y[i], paired = TRUE)
  for (part in c("statistic", "stderr", "effect", "correlation")) {
    expect_equal(b[[part]], a[[part]], tolerance = 1e-14)
  }
  expect_false(isTRUE(all.equal(
    yuen_test(pair_x, pair_y[i], paired = TRUE)$stderr, a$stderr
  )))
})

test_that("a number added to all pairs changes nothing, added to one it does", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6)
  y <- c(11, 2, 14, 6, 15, 9, 10, 19, 3, 7)
  a <- yuen_test(x, y, paired = TRUE)
  b <- yuen_test(x + 2^45, y + 2^45, paired = TRUE)
  for (part in c("statistic", "p.value", "conf.int", "stderr", "effect",
                 "correlation")) {
    expect_equal(b[[part]], a[[part]], tolerance = 1e-13)
  }
  s <- yuen_test(x + 2^45, y, mu = 2^45, paired = TRUE)
  expect_equal(s$statistic, a$statistic, tolerance = 1e-13)
  one <- replace(numeric(10), 5, 100)
  b <- yuen_test(x + one, y + one, paired = TRUE)
  expect_false(isTRUE(all.equal(b$statistic, a$statistic)))
  b <- yuen_test(x + one, y + one, trim = 0, paired = TRUE)
  expect_equal(b$statistic, yuen_test(x, y, trim = 0, paired = TRUE)$statistic)
})

test_that("the scale does not matter, also where squares leave the range", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6)
  y <- c(11, 2, 14, 6, 15, 9, 10, 19, 3, 7)
  a <- yuen_test(x, y, mu = 1, paired = TRUE)
  for (f in 2^c(-1000, -600, -300, 300, 600, 1000)) {
    b <- yuen_test(x * f, y * f, mu = f, paired = TRUE)
    for (part in c("statistic", "p.value", "effect", "correlation")) {
      expect_equal(b[[part]], a[[part]], tolerance = 1e-13)
    }
    expect_equal(b$stderr / f, a$stderr, tolerance = 1e-13)
    expect_equal(as.vector(b$conf.int) / f, as.vector(a$conf.int),
                 tolerance = 1e-13)
  }
  # columns of very different size keep their correlation
  b <- yuen_test(x * 2^600, y * 2^-600, paired = TRUE)
  expect_equal(b$correlation, a$correlation, tolerance = 1e-13)
  # a trimmed value that leaves the range in units of the rest
  b <- yuen_test(replace(x, 7, .Machine$double.xmax) * 2^-3,
                 y * 2^-1000, paired = TRUE)
  expect_true(is.finite(b$stderr))
  b <- yuen_test(replace(x * 2^-1000, 7, 1e300), y * 2^-1000, mu = 2^-1000,
                 paired = TRUE)
  expect_equal(b$statistic, a$statistic, tolerance = 1e-13)
})

test_that("highly correlated columns keep their digits", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6) * 1024
  e <- c(1, -3, 2, 0, 5, -1, 2, -2, 4, 1) * 2^-20
  r <- yuen_test(x, x + e, trim = 0, paired = TRUE)
  expect_equal(r$stderr, sd(e) / sqrt(10), tolerance = 1e-12)
  expect_gte(r$correlation, 0.999999)
  expect_lte(r$correlation, 1)
})

test_that("interval and test agree: an end as mu has the p-value 1 - level", {
  for (alt in sides) {
    ci <- yuen_test(pair_x, pair_y, alternative = alt, conf.level = 0.9,
                    paired = TRUE)$conf.int
    for (end in ci[is.finite(ci)]) {
      p <- yuen_test(pair_x, pair_y, mu = end, alternative = alt, paired = TRUE)
      expect_equal(p$p.value, 0.1, tolerance = 1e-10)
    }
  }
  a <- yuen_test(pair_x, pair_y, paired = TRUE)
  b <- yuen_test(pair_x, pair_y, mu = 3, paired = TRUE)
  for (part in c("conf.int", "effect", "correlation", "stderr")) {
    expect_identical(a[[part]], b[[part]])
  }
})

test_that("the levels 0 and 1 give what the formula gives", {
  ends <- function(alt, level) {
    as.vector(yuen_test(pair_x, pair_y, alternative = alt, conf.level = level,
                        paired = TRUE)$conf.int)
  }
  expect_identical(ends("two.sided", 1), c(-Inf, Inf))
  expect_identical(ends("less", 1), c(-Inf, Inf))
  expect_equal(ends("two.sided", 0),
               rep(mean(pair_x, 0.2) - mean(pair_y, 0.2), 2))
  expect_identical(ends("less", 0), c(-Inf, -Inf))
  expect_identical(ends("greater", 0), c(Inf, Inf))
})

test_that("one column may be constant; then there is no correlation", {
  for (x in list(rep(4, 12), c(-9, rep(4, 9), 7, 50))) {
    expect_silent(r <- yuen_test(x, pair_y, paired = TRUE))
    expect_identical(r$correlation, NA_real_)
    expect_true(is.finite(r$statistic))
    expect_silent(r <- yuen_test(pair_y, x, paired = TRUE))
    expect_identical(r$correlation, NA_real_)
  }
})

test_that("essentially constant differences are refused", {
  msg <- "^data are essentially constant$"
  for (shift in c(0, 1, -0.1, 1e6, 1 / 3)) {
    expect_error(yuen_test(pair_x, pair_x + shift, paired = TRUE), msg,
                 class = "simpleError")
  }
  expect_error(yuen_test(rep(0, 5), rep(0, 5), paired = TRUE), msg)
  expect_error(yuen_test(rep(1, 5), rep(2, 5), paired = TRUE), msg)
  # after Winsorising only
  expect_error(yuen_test(c(-9, 1, 1, 1, 9), c(10, 3, 3, 3, 0), paired = TRUE), msg)
  # y = -x is not constant
  expect_equal(yuen_test(1:9, -(1:9), paired = TRUE)$correlation, -1)
})

test_that("short samples: two values left is enough", {
  r <- yuen_test(c(1, 4), c(2, 3), paired = TRUE)
  expect_identical(r$parameter, c(df = 1))
  expect_equal(r$stderr, t.test(c(1, 4), c(2, 3), paired = TRUE)$stderr)
  r <- yuen_test(c(1, 4, 2, 8), c(2, 3, 9, 5), trim = 0.25, paired = TRUE)
  expect_identical(r$parameter, c(df = 1))
})

test_that("integers, matrices and names are plain numbers", {
  x <- c(2e9, 1.9e9, 2.1e9, 1.8e9)
  y <- c(1e9, 1.1e9, 1.3e9, 2e9)
  plain <- yuen_test(x, y, paired = TRUE)
  r <- yuen_test(as.integer(x), matrix(y, 2), paired = TRUE)
  expect_equal(r$statistic, plain$statistic)
  names(x) <- letters[1:4]
  r <- yuen_test(x, y, paired = TRUE)
  expect_identical(r, plain)
})

test_that("errors of the paired form", {
  x <- pair_x
  y <- pair_y
  for (bad in list(NA, NULL, 1, 0, "TRUE", c(TRUE, FALSE), logical(0),
                   list(TRUE), NA_character_)) {
    expect_error(yuen_test(x, y, paired = bad),
                 "^'paired' must be TRUE or FALSE$", class = "simpleError")
  }
  p <- function(...) yuen_test(..., paired = TRUE)
  msg <- "^'x' and 'y' must have the same length$"
  expect_error(p(x, y[-1]), msg, class = "simpleError")
  expect_error(p(c(x, NA), y), msg)
  expect_error(p(x, numeric(0)), msg)
  expect_error(p(replace(x, 3, Inf), y), "^'x' contains infinite values$",
               class = "simpleError")
  expect_error(p(x, replace(y, 3, -Inf)), "^'y' contains infinite values$",
               class = "simpleError")
  msg <- "^not enough complete pairs$"
  expect_error(p(numeric(0), numeric(0)), msg, class = "simpleError")
  expect_error(p(1, 2), msg)
  expect_error(p(c(1, NA, 3), c(NA, 2, 3)), msg)
  expect_error(p(1:3, 3:1, trim = 0.4),
               "^not enough observations left after trimming$",
               class = "simpleError")
})

test_that("errors come in the order of the interface", {
  p <- function(...) yuen_test(..., paired = TRUE)
  expect_error(p("a", foo = 1), "^unused argument \\(foo\\)$")
  expect_error(p("a", trim = 7), "'y' is missing")
  expect_error(p("a", "b"), "'x' must be numeric")
  expect_error(p(1, "b", trim = 7), "'y' must be numeric")
  expect_error(yuen_test(Inf, 1:2, 0.2, 0, "l", 7, NA), "'conf.level' must")
  expect_error(yuen_test(Inf, 1:2, 0.2, 0, "l", 0.9, NA), "'paired' must")
  expect_error(p(Inf, c(NA, 1)), "same length")
  expect_error(p(c(NA, Inf), c(1, Inf)), "'x' contains")
  expect_error(p(c(NA, 1), c(1, Inf)), "'y' contains")
  expect_error(p(c(1, NA, 1), c(1, 1, NA), 0.4), "not enough complete pairs")
  expect_error(p(c(1, 1, 1), c(1, 1, 1), 0.4), "left after trimming")
  expect_error(p(c(1, 1), c(1, 1), 0.4), "essentially constant")
})

test_that("a formula refuses any use of paired, before everything else", {
  d <- data.frame(value = c(pair_x, pair_y), arm = rep(c("a", "b"), each = 12))
  msg <- "^'paired' cannot be used with a formula$"
  f <- value ~ arm
  for (value in list(TRUE, FALSE, NA, NULL, "a")) {
    expect_error(yuen_test(f, d, paired = value), msg, class = "simpleError")
    expect_error(yuen_test(f, d, pair = value), msg)
    expect_error(yuen_test(f, d, p = value), msg)
    expect_error(yuen_test(f, d, 0.2, 0, "less", 0.9, value), msg)
  }
  expect_error(yuen_test(f, d, paired = ), msg)
  expect_error(yuen_test(f, d, 0, "less", 0.9, TRUE, trim = 0.1), msg)
  expect_error(yuen_test(f, d, "less", 0.9, TRUE, tr = 0.1, m = 0), msg)
  expect_error(yuen_test(f, d, 0.2, 0, "less", 0.9, TRUE, 8), msg)
  expect_error(yuen_test(f, 0.2, 0, "less", 0.9, TRUE, data = d), msg)
  expect_error(yuen_test(f, paired = TRUE), msg)
  # before everything else, and without evaluating anything
  expect_error(yuen_test(~ arm, d, paired = TRUE), msg)
  expect_error(yuen_test(absent ~ arm, stop("data"), paired = stop("paired")), msg)
  expect_error(yuen_test(f, d, foo = 1, y = 3, paired = TRUE), msg)
  expect_error(yuen_test(f, d, paired = TRUE, paired = FALSE), msg)
  expect_error(yuen_test(f, d, trim = 0, trim = 0, paired = FALSE), msg)
  # wrappers
  wrap <- function(...) yuen_test(...)
  outer <- function(...) wrap(...)
  expect_error(wrap(f, d, paired = TRUE), msg)
  expect_error(outer(f, d, pa = FALSE), msg)
  expect_error(outer(f, d, 0.2, 0, "less", 0.9, TRUE), msg)
  expect_error(do.call(yuen_test, list(f, d, paired = TRUE)), msg)
  expect_error(lapply(list(f), yuen_test, d, paired = FALSE), msg)
})

test_that("other calls with a formula stay as they are", {
  d <- data.frame(value = c(pair_x, pair_y), arm = rep(c("a", "b"), each = 12))
  f <- value ~ arm
  wrap <- function(...) yuen_test(...)
  r <- yuen_test(f, d, trim = 0.1, mu = 1, alternative = "less", conf.level = 0.8)
  expect_identical(yuen_test(f, d, 0.1, 1, "less", 0.8), r)
  expect_identical(wrap(f, d, 0.1, 1, "less", 0.8), r)
  expect_identical(yuen_test(f, d, 1, "l", 0.8, t = 0.1), r)
  expect_equal(r$p.value, yuen_test(pair_x, pair_y, 0.1, 1, "less", 0.8)$p.value)
  expect_error(yuen_test(f, d, pairs = TRUE), "^unused argument \\(pairs\\)$")
  expect_error(yuen_test(f, d, y = 1, 0.2, 0, "l", 0.9),
               "^unused argument \\(y\\)$")
  expect_error(yuen_test(f, d, trim = 0, trim = 0), "matched by multiple")
  expect_error(yuen_test(~ arm, d), "'formula' missing or incorrect")
})

test_that("nothing outside is changed", {
  set.seed(1)
  seed <- .Random.seed
  before <- options()
  x <- pair_x
  expect_silent(yuen_test(x, pair_y, paired = TRUE))
  expect_identical(.Random.seed, seed)
  expect_identical(options(), before)
  expect_identical(x, pair_x)
})

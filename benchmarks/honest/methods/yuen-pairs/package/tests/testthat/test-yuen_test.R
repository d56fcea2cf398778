alternatives <- c("two.sided", "less", "greater")

test_that("the plain formulas are met", {
  for (trim in c(0, 0.1, 0.2, 0.25, 0.33, 0.4)) {
    for (mu in c(0, -1.5)) {
      ref <- reference_yuen(sample_x, sample_y, trim, mu, 0.9)
      for (alt in alternatives) {
        r <- yuen_test(sample_x, sample_y, trim, mu, alt, 0.9)
        expect_equal(unname(r$estimate), ref$m, tolerance = 1e-12)
        expect_equal(r$stderr, ref$se, tolerance = 1e-12)
        expect_equal(unname(r$statistic), ref$t, tolerance = 1e-12)
        expect_equal(unname(r$parameter), ref$nu, tolerance = 1e-12)
        expect_equal(r$p.value, ref$p[[alt]], tolerance = 1e-11)
        expect_equal(as.vector(r$conf.int), ref$ci[[alt]], tolerance = 1e-12)
        expect_equal(r$effect, ref$effect, tolerance = 1e-9)
      }
    }
  }
})

test_that("trim = 0 is Welch's test", {
  for (alt in alternatives) {
    r <- yuen_test(sample_x, sample_y, trim = 0, mu = 0.3, alternative = alt)
    w <- t.test(sample_x, sample_y, mu = 0.3, alternative = alt)
    for (part in c("statistic", "parameter", "p.value", "conf.int", "stderr")) {
      expect_equal(r[[part]], w[[part]], tolerance = 1e-12)
    }
    se <- c(trimmed_mean(sample_x, 0)$stderr, trimmed_mean(sample_y, 0)$stderr)
    expect_equal(r$stderr, sqrt(sum(se^2)), tolerance = 1e-12)
    expect_identical(r$data.name, w$data.name)
  }
})

test_that("a case worked by hand comes out", {
  # Winsorised sums of squares: x 42.5 (n 10, h 6), y = 0..4 with k = 1: 1 1 2 3 3
  r <- yuen_test(1:10, 0:4)
  d <- c(42.5 / 30, 4 / 6)
  expect_equal(r$stderr, sqrt(sum(d)), tolerance = 1e-14)
  expect_equal(unname(r$statistic), 3.5 / sqrt(sum(d)), tolerance = 1e-14)
  expect_equal(unname(r$parameter), sum(d)^2 / (d[1]^2 / 5 + d[2]^2 / 2),
               tolerance = 1e-14)
  z <- qnorm(0.8)
  const <- sqrt(0.6 - 2 * z * dnorm(z) + 0.4 * z^2)
  expect_equal(r$effect, const * 3.5 / sqrt(46.5 / 13), tolerance = 1e-13)
})

test_that("the object has the components, names and texts of the interface", {
  r <- yuen_test(sample_x, sample_y, mu = c(a = 1L), alternative = "g")
  expect_s3_class(r, "htest", exact = TRUE)
  expect_identical(names(r), c(
    "statistic", "parameter", "p.value", "conf.int", "estimate", "null.value",
    "stderr", "alternative", "method", "data.name", "effect"
  ))
  expect_identical(names(r$statistic), "t")
  expect_identical(names(r$parameter), "df")
  expect_identical(names(r$estimate), c("trimmed mean of x", "trimmed mean of y"))
  expect_identical(r$null.value, c("difference in trimmed means" = 1))
  for (part in c("p.value", "stderr", "effect", "conf.int")) {
    expect_null(names(r[[part]]))
  }
  expect_identical(attributes(r$conf.int), list(conf.level = 0.95))
  expect_identical(r$alternative, "greater")
  expect_identical(r$method,
                   "Yuen's two-sample test for trimmed means (trim = 0.2)")
  expect_identical(yuen_test(sample_x, sample_y, 0)$method,
                   "Yuen's two-sample test for trimmed means (trim = 0)")
  expect_identical(r$data.name, "sample_x and sample_y")
  expect_identical(yuen_test(sample_x + 1, y = rev(sample_y))$data.name,
                   "sample_x + 1 and rev(sample_y)")
})

test_that("R's own method prints it, without the effect", {
  out <- capture.output(print(yuen_test(sample_x, sample_y)))
  text <- paste(out, collapse = "\n")
  expect_match(text, "Yuen's two-sample test for trimmed means (trim = 0.2)",
               fixed = TRUE)
  expect_match(text, "true difference in trimmed means is not equal to 0")
  expect_match(text, "95 percent confidence interval")
  expect_false(grepl("effect", text))
  expect_null(getS3method("print", "yuen_test", optional = TRUE))
})

test_that("interval and test agree: an end as mu has the p-value 1 - level", {
  ci <- yuen_test(sample_x, sample_y, conf.level = 0.9)$conf.int
  for (end in ci) {
    expect_equal(yuen_test(sample_x, sample_y, mu = end)$p.value, 0.1,
                 tolerance = 1e-10)
  }
  for (alt in c("less", "greater")) {
    ci <- yuen_test(sample_x, sample_y, alternative = alt)$conf.int
    p <- yuen_test(sample_x, sample_y, mu = ci[is.finite(ci)], alternative = alt)
    expect_equal(p$p.value, 0.05, tolerance = 1e-10)
  }
})

test_that("mu leaves interval and effect alone", {
  a <- yuen_test(sample_x, sample_y)
  b <- yuen_test(sample_x, sample_y, mu = 3)
  expect_identical(a$conf.int, b$conf.int)
  expect_identical(a$effect, b$effect)
})

test_that("the levels 0 and 1 give what the formula gives", {
  ends <- function(alt, level) {
    as.vector(yuen_test(sample_x, sample_y, alternative = alt,
                        conf.level = level)$conf.int)
  }
  expect_identical(ends("two.sided", 1), c(-Inf, Inf))
  expect_identical(ends("less", 1), c(-Inf, Inf))
  expect_identical(ends("greater", 1L), c(-Inf, Inf))
  expect_equal(ends("two.sided", 0), rep(mean(sample_x, 0.2) - mean(sample_y, 0.2), 2))
  expect_identical(ends("less", 0), c(-Inf, -Inf))
  expect_identical(ends("greater", 0), c(Inf, Inf))
})

test_that("far tails keep their digits", {
  x <- sample_x + 1000
  r <- yuen_test(x, sample_y, alternative = "greater")
  expect_gt(r$p.value, 0)
  expect_equal(r$p.value, pt(-unname(r$statistic), unname(r$parameter)),
               tolerance = 1e-12)
})

test_that("swapping the samples turns the signs", {
  a <- yuen_test(sample_x, sample_y)
  b <- yuen_test(sample_y, sample_x)
  expect_equal(unname(a$statistic), -unname(b$statistic))
  expect_equal(a$effect, -b$effect)
  expect_equal(as.vector(a$conf.int), -rev(as.vector(b$conf.int)))
  expect_equal(a$p.value, b$p.value)
})

test_that("a large common shift changes nothing", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6)
  y <- c(11, 2, 14, 6, 15, 9, 10, 19)
  a <- yuen_test(x, y)
  b <- yuen_test(x + 2^45, y + 2^45)
  for (part in c("statistic", "parameter", "p.value", "conf.int", "stderr",
                 "effect")) {
    expect_equal(a[[part]], b[[part]], tolerance = 1e-13)
  }
  # a shift of x alone, taken back by mu
  s <- yuen_test(x + 2^45, y, mu = 2^45)
  expect_equal(s$statistic, a$statistic, tolerance = 1e-13)
})

test_that("the scale does not matter, also where squares leave the range", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6)
  y <- c(11, 2, 14, 6, 15, 9, 10, 19)
  a <- yuen_test(x, y, mu = 1)
  for (f in 2^c(-1000, -600, -300, 300, 600, 1000)) {
    b <- yuen_test(x * f, y * f, mu = f)
    for (part in c("statistic", "parameter", "p.value", "effect")) {
      expect_equal(b[[part]], a[[part]], tolerance = 1e-13)
    }
    expect_equal(b$stderr / f, a$stderr, tolerance = 1e-13)
    expect_equal(b$estimate / f, a$estimate, tolerance = 1e-13)
    expect_equal(as.vector(b$conf.int) / f, as.vector(a$conf.int),
                 tolerance = 1e-13)
  }
  # samples of very different size keep their own estimates
  b <- yuen_test(x * 2^600, y * 2^-600)
  expect_equal(b$estimate[[2]] / 2^-600, a$estimate[[2]], tolerance = 1e-13)
  expect_equal(b$parameter[[1]], 5)
  b <- yuen_test(rep(0, 5), y * 2^-600)
  expect_equal(b$statistic, yuen_test(rep(0, 5), y)$statistic, tolerance = 1e-13)
})

test_that("the constant of the effect is right over the whole range", {
  sd_w <- trimr:::winsorised_normal_sd
  expect_identical(sd_w(0), 1)
  expect_equal(round(sd_w(0.2), 3), 0.642)
  for (g in c(1e-10, 1e-4, 0.01, 0.1, 0.25, 0.4)) {
    z <- qnorm(g, lower.tail = FALSE)
    expect_equal(sd_w(g)^2, (1 - 2 * g) - 2 * z * dnorm(z) + 2 * g * z^2,
                 tolerance = 1e-12)
  }
  # near 0.5: c^2 = z^2 - (2/3) (2 / sqrt(2 pi)) z^3 + ...
  z <- qnorm(0.5 - 1e-6, lower.tail = FALSE)
  expect_equal(sd_w(0.5 - 1e-6)^2 / z^2, 1 - 4 * z / (3 * sqrt(2 * pi)),
               tolerance = 1e-10)
})

test_that("missing values are dropped from each sample by itself", {
  a <- yuen_test(sample_x, sample_y)
  xm <- c(NA, sample_x[1:4], NaN, sample_x[5:10])
  ym <- c(sample_y, NA)
  expect_silent(b <- yuen_test(xm, ym))
  b$data.name <- a$data.name
  expect_identical(b, a)
})

test_that("integers, matrices and names are plain numbers", {
  x <- c(2e9, 1.9e9, 2.1e9, 1.8e9, 2.05e9)
  y <- c(1e9, 1.1e9, 1.3e9, 2e9)
  plain <- yuen_test(x, y)
  expect_equal(yuen_test(as.integer(x), as.integer(y))$statistic, plain$statistic)
  expect_equal(yuen_test(as.matrix(x), matrix(y, 2))$statistic, plain$statistic)
  names(x) <- letters[1:5]
  expect_identical(names(yuen_test(x, y)$statistic), "t")
  expect_identical(names(yuen_test(x, y)$estimate), names(plain$estimate))
})

test_that("one sample may be constant, two may not", {
  r <- yuen_test(rep(4, 6), sample_y)
  h <- 9
  expect_equal(unname(r$parameter), h - 1)
  expect_true(is.finite(r$effect))
  msg <- "data are essentially constant"
  expect_error(yuen_test(rep(1, 5), rep(2, 5)), msg)
  expect_error(yuen_test(rep(0, 5), rep(0, 5)), msg)
  expect_error(yuen_test(rep(0.1, 5), 0.1 + c(0, 0, 1e-17, 2e-17, 0)), msg)
  # constant after Winsorising only
  expect_error(yuen_test(c(-9, 1, 1, 1, 9), c(0, 3, 3, 3, 10)), msg)
})

test_that("errors of the default method", {
  x <- sample_x
  y <- sample_y
  expect_error(yuen_test(x, y, foo = 1), "^unused argument.*foo",
               class = "simpleError")
  expect_error(yuen_test(x, y, paired = TRUE, var.equal = TRUE),
               "^unused argument \\(var.equal\\)$")
  expect_error(yuen_test(x, y, 0.2, 0, "less", 0.9, 17),
               "'paired' must be TRUE or FALSE")
  expect_error(yuen_test(x, y, 0.2, 0, "less", 0.9, FALSE, 17),
               "^unused argument \\(17\\)$")
  expect_error(yuen_test(x), "'y' is missing")
  for (bad in list("a", TRUE, factor(1:3), data.frame(a = 1:3), list(1), NULL,
                   c(NA, NA))) {
    expect_error(yuen_test(bad, y), "'x' must be numeric")
    expect_error(yuen_test(x, bad), "'y' must be numeric")
  }
  for (bad in list(-0.1, 0.5, NA_real_, NaN, Inf, "0.2", TRUE, NULL, c(0, 0.1))) {
    expect_error(yuen_test(x, y, trim = bad), "'trim' must be a single number")
  }
  for (bad in list(NA_real_, NaN, Inf, "0", TRUE, NULL, c(0, 1))) {
    expect_error(yuen_test(x, y, mu = bad), "'mu' must be a single number")
  }
  for (bad in list("both", "", "lesser", NA_character_, 1, TRUE, character(0),
                   c("less", "greater"), list("less"))) {
    expect_error(yuen_test(x, y, alternative = bad), "should be one of")
  }
  for (bad in list(-0.1, 1.1, NA_real_, NaN, Inf, "0.9", TRUE, NULL, c(0.9, 0.95))) {
    expect_error(yuen_test(x, y, conf.level = bad),
                 "'conf.level' must be a single number between 0 and 1")
  }
  expect_error(yuen_test(c(x, Inf), y), "'x' contains infinite values")
  expect_error(yuen_test(x, c(y, -Inf)), "'y' contains infinite values")
  expect_error(yuen_test(c(1, NA, NaN), y), "not enough 'x' observations")
  expect_error(yuen_test(x, numeric(0)), "not enough 'y' observations")
  expect_error(yuen_test(1:3, y, trim = 0.4),
               "not enough 'x' observations left after trimming")
  expect_error(yuen_test(x, 1:3, trim = 0.4),
               "not enough 'y' observations left after trimming")
})

test_that("errors come in the order of the interface", {
  # each call breaks everything from some check on; the first one is reported
  expect_error(yuen_test("a", foo = 1), "^unused argument")
  expect_error(yuen_test("a", trim = 7), "'y' is missing")
  expect_error(yuen_test("a", "b", 7, NA, "q", 7), "'x' must be numeric")
  expect_error(yuen_test(Inf, "b", 7, NA, "q", 7), "'y' must be numeric")
  expect_error(yuen_test(Inf, Inf, 7, NA, "q", 7), "'trim' must")
  expect_error(yuen_test(Inf, Inf, 0.4, NA, "q", 7), "'mu' must")
  expect_error(yuen_test(Inf, Inf, 0.4, 0, "q", 7), "should be one of")
  expect_error(yuen_test(Inf, Inf, 0.4, 0, "l", 7), "'conf.level' must")
  expect_error(yuen_test(Inf, Inf, 0.4), "'x' contains")
  expect_error(yuen_test(1, Inf, 0.4), "'y' contains")
  expect_error(yuen_test(1, 1, 0.4), "^not enough 'x' observations$")
  expect_error(yuen_test(c(1, 1, 1), 1, 0.4), "^not enough 'y' observations$")
  expect_error(yuen_test(c(1, 1, 1), c(1, 1, 1), 0.4), "'x'.*left after trimming")
  expect_error(yuen_test(c(1, 1), c(1, 1, 1), 0.4), "'y'.*left after trimming")
  expect_error(yuen_test(c(1, 1), c(1, 1), 0.4), "essentially constant")
})

test_that("abbreviations of alternative are completed", {
  for (alt in alternatives) {
    r <- yuen_test(sample_x, sample_y, alternative = substr(alt, 1, 1))
    expect_identical(r$alternative, alt)
  }
})

test_that("nothing outside is changed", {
  set.seed(1)
  seed <- .Random.seed
  before <- options()
  x <- sample_x
  expect_silent(yuen_test(x, sample_y))
  expect_silent(trimmed_mean(x))
  expect_identical(.Random.seed, seed)
  expect_identical(options(), before)
  expect_identical(x, sample_x)
})

test_that("generic and methods are as the interface says", {
  expect_identical(formals(yuen_test), as.pairlist(alist(x = , ... = )))
  expect_identical(
    formals(getS3method("yuen_test", "default")),
    as.pairlist(alist(x = , y = , trim = 0.2, mu = 0,
                      alternative = c("two.sided", "less", "greater"),
                      conf.level = 0.95, paired = FALSE, ... = ))
  )
  expect_identical(formals(getS3method("yuen_test", "formula")),
                   as.pairlist(alist(formula = , data = , ... = )))
  expect_setequal(getNamespaceExports("trimr"), c("trimmed_mean", "yuen_test"))
})

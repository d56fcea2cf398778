test_that("a case worked by hand comes out", {
  # k = 2, h = 6; Winsorised 3 3 3 4 5 6 7 8 8 8, sum of squares 42.5
  r <- trimmed_mean(c(7, 1, 10, 4, 2, 9, 3, 8, 5, 6))
  expect_identical(names(r), c("estimate", "stderr"))
  expect_equal(r$estimate, 5.5, tolerance = 1e-14)
  expect_equal(r$stderr, sqrt(42.5 / 9 / (0.6^2 * 10)), tolerance = 1e-14)
})

test_that("the plain formulas are met for several lengths and shares", {
  for (trim in c(0, 0.05, 0.1, 0.2, 0.25, 0.33, 0.4, 0.49)) {
    for (n in c(2, 3, 5, 7, 10, 13)) {
      x <- rev(sample_y)[seq_len(n)]
      r <- trimmed_mean(x, trim)
      ref <- reference_one(x, trim)
      expect_equal(r$estimate, ref$m, tolerance = 1e-13)
      expect_equal(r$stderr, sqrt(ref$v / ((1 - 2 * trim)^2 * n)),
                   tolerance = 1e-13)
    }
  }
})

test_that("trim = 0 gives mean and sd / sqrt(n)", {
  r <- trimmed_mean(sample_x, 0)
  expect_equal(r$estimate, mean(sample_x), tolerance = 1e-14)
  expect_equal(r$stderr, sd(sample_x) / sqrt(10), tolerance = 1e-14)
})

test_that("the number trimmed is that of floating point", {
  x <- (1:100)^2
  expect_equal(trimmed_mean(x, 0.29)$estimate, mean(x[29:72]), tolerance = 1e-14)
  for (trim in seq(0, 0.49, by = 0.01)) {
    expect_equal(trimmed_mean(x, trim)$estimate, mean(x, trim = trim),
                 tolerance = 1e-13)
  }
})

test_that("a share just below one half leaves one value", {
  r <- trimmed_mean(c(9, 1, 5), 0.5 - 2^-54)
  expect_identical(r, list(estimate = 5, stderr = 0))
  for (n in 2:300) {
    expect_true(is.finite(trimmed_mean(seq_len(n), 0.5 - 2^-54)$estimate))
  }
})

test_that("missing values give NA for both, after the checks that precede", {
  na <- list(estimate = NA_real_, stderr = NA_real_)
  expect_silent(r <- trimmed_mean(c(1, NA, 3)))
  expect_identical(r, na)
  expect_identical(trimmed_mean(c(1, NaN)), na)
  expect_identical(trimmed_mean(c(NA, 1L)), na)
  expect_identical(trimmed_mean(c(1, NA, Inf)), na)
  expect_error(trimmed_mean(NA_real_), "not enough 'x' observations")
  expect_error(trimmed_mean(c(1, NA), 0.5), "'trim' must be a single number")
  expect_error(trimmed_mean(c(NA, NA)), "'x' must be numeric")
})

test_that("constant values have the standard error 0", {
  for (v in c(0, 0.1, 1 / 3, -1e200, 1e-310)) {
    for (n in c(2, 3, 10, 97)) {
      expect_identical(trimmed_mean(rep(v, n)), list(estimate = v, stderr = 0))
    }
  }
})

test_that("integers, matrices and names are plain numbers", {
  x <- c(2e9, 1.9e9, 2.1e9, 1.8e9, 2.05e9)
  expect_identical(trimmed_mean(as.integer(x)), trimmed_mean(x))
  expect_identical(trimmed_mean(matrix(sample_x, 2)), trimmed_mean(sample_x))
  named <- sample_x
  names(named) <- letters[1:10]
  expect_identical(trimmed_mean(named, c(a = 0.2)), trimmed_mean(sample_x))
})

test_that("shift and scale do what they should, also at the limits", {
  x <- c(3, 9, -4, 1, 7, 2, 12, 5, 8, 6)
  r <- trimmed_mean(x)
  expect_equal(trimmed_mean(x + 2^50)$stderr, r$stderr, tolerance = 1e-14)
  for (f in 2^c(-1000, -600, 600, 1000)) {
    s <- trimmed_mean(x * f)
    expect_equal(s$estimate / f, r$estimate, tolerance = 1e-14)
    expect_equal(s$stderr / f, r$stderr, tolerance = 1e-14)
  }
  big <- .Machine$double.xmax
  expect_equal(trimmed_mean(c(big, big, -big, -big))$estimate, 0)
  # an outlier that is trimmed does not matter, however large it is
  expect_equal(trimmed_mean(c(x, 1e300, -1e300), 0.1),
               trimmed_mean(c(x, 100, -100), 0.1))
})

test_that("errors are raised, in order", {
  for (bad in list("a", c(TRUE, FALSE), factor(1:3), data.frame(a = 1:3),
                   list(1, 2), NULL, as.Date("2020-01-01") + 0:3)) {
    expect_error(trimmed_mean(bad, trim = 7), "'x' must be numeric",
                 class = "simpleError")
  }
  for (bad in list(-0.1, 0.5, 0.7, NA_real_, NaN, Inf, -Inf, "0.2", TRUE, NULL,
                   numeric(0), c(0.1, 0.2), list(0.2), NA)) {
    expect_error(trimmed_mean(Inf, bad), "'trim' must be a single number",
                 class = "simpleError")
  }
  expect_error(trimmed_mean(Inf), "not enough 'x' observations")
  expect_error(trimmed_mean(numeric(0)), "not enough 'x' observations")
  expect_error(trimmed_mean(c(1, Inf)), "'x' contains infinite values")
  expect_error(trimmed_mean(c(1, 2, -Inf)), "'x' contains infinite values")
})

test_that("formals are those of the interface", {
  expect_identical(formals(trimmed_mean), as.pairlist(alist(x = , trim = 0.2)))
})

t <- qnorm(0.975)
interval <- ratio_ci(2, 1, 0.16 / t^2, 0.04 / t^2)
complement <- ratio_ci(6, 1, 1 / t^2, 4 / t^2)
line <- ratio_ci(1, 1, 1, 1)
lines_of <- function(x, ...) capture.output(print(x, ...))

test_that("confint gives one row for each piece", {
  cols <- list(NULL, c("lower", "upper"))
  expect_identical(confint(interval),
                   matrix(interval$limits, 1, 2, dimnames = cols))
  l <- complement$limits
  expect_identical(confint(complement),
                   matrix(c(-Inf, l[2], l[1], Inf), 2, 2, dimnames = cols))
  expect_identical(confint(line), matrix(c(-Inf, Inf), 1, 2, dimnames = cols))
  half <- interval
  half$type <- "half-line"
  half$limits <- c(-Inf, 2)
  expect_identical(confint(half), matrix(c(-Inf, 2), 1, 2, dimnames = cols))
})

test_that("confint at another level computes anew", {
  for (method in c("fieller", "delta")) {
    x <- ratio_ci(2, 1, 0.04, 0.1, 0.01, df = 6, level = 0.8, method = method)
    y <- ratio_ci(2, 1, 0.04, 0.1, 0.01, df = 6, level = 0.99, method = method)
    expect_identical(confint(x, level = 0.99), confint(y))
    expect_identical(confint(x, "anything", c(l = 0.99), 1, 2), confint(y))
    expect_identical(confint(x, level = 0.8), confint(x))
  }
  x <- ratio_means(c(1, 2, 4), c(3, 4, 9, 4))
  expect_identical(confint(x, level = 0.5),
                   confint(ratio_means(c(1, 2, 4), c(3, 4, 9, 4), level = 0.5)))
})

test_that("confint checks the level and the quantile", {
  for (v in list(0, 1, NA, "0.9", c(0.8, 0.9), NULL, TRUE)) {
    expect_error(confint(interval, level = v),
                 "^'level' must be a single number between 0 and 1")
  }
  x <- ratio_ci(1, 1, 1, 1, df = 0.01, level = 0.5)
  expect_error(confint(x, level = 1 - 1e-8), "quantile")
})

test_that("print writes three lines", {
  expect_identical(lines_of(interval),
                   c("Ratio: 2",
                     "95% confidence set (fieller, interval): [1.5, 2.667]",
                     "g = 0.04, df = Inf"))
  out <- lines_of(complement, digits = 3)
  expect_identical(out,
                   c("Ratio: 6",
                     paste("95% confidence set (fieller, complement):",
                           "(-Inf, -5.96] or [1.96, Inf)"),
                     "g = 4, df = Inf"))
  expect_identical(
    lines_of(line, digits = 3)[2],
    "95% confidence set (fieller, line): (-Inf, Inf)"
  )
  half <- interval
  half$type <- "half-line"
  half$limits <- c(-Inf, 2.5)
  expect_identical(lines_of(half)[2],
                   "95% confidence set (fieller, half-line): (-Inf, 2.5]")
  half$limits <- c(-2.5, Inf)
  expect_identical(lines_of(half)[2],
                   "95% confidence set (fieller, half-line): [-2.5, Inf)")
  x <- ratio_ci(1, 3, 1, 0, df = 7.123456, level = 0.999, method = "delta")
  expect_match(lines_of(x)[2], "^99.9% confidence set \\(delta, interval\\): ")
  expect_identical(lines_of(x, digits = 3)[3], "g = 0, df = 7.12")
})

test_that("print returns the object invisibly", {
  capture.output(shown <- withVisible(print(interval)))
  expect_false(shown$visible)
  expect_identical(shown$value, interval)
})

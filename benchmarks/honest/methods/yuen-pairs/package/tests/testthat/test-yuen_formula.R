frame <- data.frame(
  value = c(sample_x, sample_y),
  arm = factor(rep(c("B", "A"), c(10, 13)), levels = c("C", "B", "A"))
)

strip <- function(r) {
  r <- unclass(r)
  r$data.name <- NULL
  names(r$estimate) <- names(r$null.value) <- NULL
  r
}

test_that("first level minus second, unused levels left out", {
  r <- yuen_test(value ~ arm, frame)
  expect_equal(strip(r), strip(yuen_test(sample_x, sample_y)))
  expect_s3_class(r, "htest", exact = TRUE)
  expect_identical(names(r), names(yuen_test(sample_x, sample_y)))
  expect_identical(names(r$estimate),
                   c("trimmed mean in group B", "trimmed mean in group A"))
  expect_identical(names(r$null.value),
                   "difference in trimmed means between group B and group A")
  expect_identical(r$data.name, "value by arm")
})

test_that("a group that is not a factor is sorted", {
  d <- frame
  d$arm <- as.character(d$arm)
  expect_equal(strip(yuen_test(value ~ arm, d)), strip(yuen_test(sample_y, sample_x)))
  d$arm <- ifelse(d$arm == "A", 10, 9)
  r <- yuen_test(value ~ arm, d)
  expect_identical(names(r$estimate),
                   c("trimmed mean in group 9", "trimmed mean in group 10"))
  d$arm <- d$arm == 10
  expect_equal(strip(yuen_test(value ~ arm, d)), strip(yuen_test(sample_x, sample_y)))
})

test_that("arguments go to the default method", {
  r <- yuen_test(value ~ arm, data = frame, trim = 0.1, mu = 1,
                 alternative = "less", conf.level = 0.8)
  s <- yuen_test(sample_x, sample_y, 0.1, 1, "less", 0.8)
  expect_equal(strip(r), strip(s))
  expect_equal(strip(yuen_test(formula = value ~ arm, data = frame)),
               strip(yuen_test(sample_x, sample_y)))
})

test_that("data may be left out, and the caller may be a function", {
  make <- function() {
    v <- frame$value
    g <- frame$arm
    v ~ g
  }
  f <- make()
  r <- yuen_test(f)
  expect_equal(strip(r), strip(yuen_test(sample_x, sample_y)))
  expect_identical(r$data.name, "v by g")
  wrap <- function(...) yuen_test(...)
  expect_equal(wrap(f), r)
  inner <- function(form, dat, share) yuen_test(form, dat, trim = share)
  expect_equal(strip(inner(value ~ arm, frame, 0.1)),
               strip(yuen_test(sample_x, sample_y, 0.1)))
  expect_equal(strip(do.call(yuen_test, list(value ~ arm, frame))), strip(r))
  expect_error(wrap(value ~ arm, frame, foo = 1), "^unused argument")
})

test_that("transformed responses, dots and one-column matrices work", {
  d <- frame[frame$value > 0, ]
  r <- yuen_test(log(value) ~ arm, d)
  expect_identical(r$data.name, "log(value) by arm")
  expect_equal(strip(r), strip(yuen_test(log(sample_x),
                                         log(sample_y[sample_y > 0]))))
  expect_equal(yuen_test(value ~ ., frame), yuen_test(value ~ arm, frame))
  s <- yuen_test(scale(value, scale = FALSE) ~ arm, frame)
  expect_equal(s$statistic, yuen_test(value ~ arm, frame)$statistic)
})

test_that("rows with missing values are dropped, whatever na.action says", {
  d <- rbind(frame, data.frame(value = c(NA, NaN, 5, 99),
                               arm = factor(c("A", "B", NA, NA))))
  r <- yuen_test(value ~ arm, frame)
  old <- options(na.action = "na.fail")
  on.exit(options(old))
  expect_equal(yuen_test(value ~ arm, d), r)
  options(na.action = "na.pass")
  expect_equal(yuen_test(value ~ arm, d), r)
  d$arm <- addNA(d$arm)
  expect_equal(yuen_test(value ~ arm, d), r)
})

test_that("errors of the formula method come first, in order", {
  d <- frame
  d$b <- rep(1:2, length.out = 23)
  d$text <- as.character(d$value)
  d$flag <- d$value > 4
  d$list <- as.list(d$value)
  d$three <- rep(1:3, length.out = 23)
  d$one <- 1
  msg <- "'formula' missing or incorrect"
  expect_error(yuen_test(~ arm, d), msg, class = "simpleError")
  expect_error(yuen_test(text ~ arm + b, d, foo = 1), msg)
  expect_error(yuen_test(value ~ arm:b, d), msg)
  expect_error(yuen_test(value ~ arm * b, d), msg)
  expect_error(yuen_test(text ~ 1, d), msg)
  expect_error(yuen_test(value ~ cbind(b, three), d), msg)
  msg <- "response must be a numeric vector"
  expect_error(yuen_test(text ~ three, d, foo = 1), msg, class = "simpleError")
  expect_error(yuen_test(flag ~ arm, d), msg)
  expect_error(yuen_test(arm ~ b, d), msg)
  expect_error(yuen_test(list ~ arm, d), msg)
  expect_error(yuen_test(mean ~ arm, d), msg)
  expect_error(yuen_test(cbind(value, value) ~ arm, d), msg)
  msg <- "grouping factor must have exactly 2 levels"
  expect_error(yuen_test(value ~ three, d, foo = 1), msg, class = "simpleError")
  expect_error(yuen_test(value ~ one, d, trim = 7), msg)
  d$three[d$value > 0] <- NA
  expect_error(yuen_test(value ~ three, d), msg)
  d$value <- NA_real_
  expect_error(yuen_test(value ~ arm, d), msg)
})

test_that("errors of the default method come after", {
  expect_error(yuen_test(value ~ arm, frame, foo = 1, trim = 7),
               "^unused argument.*foo")
  expect_error(yuen_test(value ~ arm, frame, subset = value > 3), "^unused argument")
  expect_error(yuen_test(value ~ arm, frame, y = 1), "^unused argument")
  expect_error(yuen_test(value ~ arm, frame, trim = 7), "'trim' must")
  d <- frame
  d$value[1] <- Inf
  expect_error(yuen_test(value ~ arm, d), "'x' contains infinite values")
  expect_error(yuen_test(value ~ arm, frame[c(1, 11:23), ]),
               "not enough 'x' observations")
  expect_error(yuen_test(absent ~ arm, frame), "absent")
})

fields <- c("estimate", "limits", "type", "g", "df", "level", "method",
            "a", "b", "vaa", "vbb", "vab")

quantile_of <- function(df, level) qt((1 - level) / 2, df, lower.tail = FALSE)

# the definition of Fieller's set
holds <- function(rho0, x) {
  t <- quantile_of(x$df, x$level)
  (x$a - rho0 * x$b)^2 <=
    t^2 * (x$vaa - 2 * rho0 * x$vab + rho0^2 * x$vbb)
}

within_set <- function(rho0, x) {
  l <- x$limits
  if (x$type == "complement") {
    rho0 <= l[1] | rho0 >= l[2]
  } else {
    rho0 >= l[1] & rho0 <= l[2]
  }
}

test_that("the object has the fields of the interface, in order", {
  x <- ratio_ci(c(one = 2L), 1, 0.04, 0.01, 0.005, df = 12, level = 0.9)
  expect_identical(class(x), "ratioci")
  expect_identical(names(x), fields)
  expect_identical(names(attributes(x)), c("names", "class"))
  expect_identical(x$estimate, 2)
  expect_null(names(x$limits))
  expect_length(x$limits, 2L)
  expect_identical(x$a, 2)
  expect_identical(x[c("b", "vaa", "vbb", "vab", "df", "level", "method")],
                   list(b = 1, vaa = 0.04, vbb = 0.01, vab = 0.005, df = 12,
                        level = 0.9, method = "fieller"))
})

test_that("a case worked out by hand", {
  t <- qnorm(0.975)
  x <- ratio_ci(2, 1, 0.16 / t^2, 0.04 / t^2)
  expect_equal(x$limits, c(1.5, 8 / 3), tolerance = 1e-14)
  expect_equal(x$g, 0.04, tolerance = 1e-14)
  expect_identical(x$type, "interval")

  # g = 4, A = -3, B = 6, C = 35: limits (6 -+ sqrt(141)) / -3
  x <- ratio_ci(6, 1, 1 / t^2, 4 / t^2)
  expect_identical(x$type, "complement")
  expect_equal(x$limits, sort((6 + c(-1, 1) * sqrt(141)) / -3),
               tolerance = 1e-14)
  expect_equal(x$g, 4, tolerance = 1e-14)

  x <- ratio_ci(1, 1, 4 / t^2, 4 / t^2)
  expect_identical(x$type, "line")
  expect_identical(x$limits, c(-Inf, Inf))
})

test_that("the limits are those of the closed form", {
  set.seed(7)
  for (i in 1:200) {
    a <- rnorm(1)
    b <- rnorm(1)
    vaa <- rexp(1)
    vbb <- rexp(1)
    vab <- runif(1, -0.95, 0.95) * sqrt(vaa * vbb)
    df <- sample(c(3.5, 20, Inf), 1)
    level <- sample(c(0.3, 0.8, 0.95), 1)
    t <- quantile_of(df, level)
    g <- t^2 * vbb / b^2
    r <- a / b
    d <- vaa - 2 * r * vab + r^2 * vbb - g * (vaa - vab^2 / vbb)
    x <- ratio_ci(a, b, vaa, vbb, vab, df, level)
    expect_equal(x$g, g)
    if (d < 0) {
      expect_identical(x$type, "line")
    } else {
      expect_identical(x$type, if (g < 1) "interval" else "complement")
      limits <- (r - g * vab / vbb + c(-1, 1) * t / abs(b) * sqrt(d)) / (1 - g)
      expect_equal(x$limits, sort(limits), tolerance = 1e-7)
    }
  }
})

test_that("the set is the set of the definition", {
  set.seed(11)
  grid <- c(-10^seq(4, -3, length.out = 200), 0, 10^seq(-3, 4, length.out = 200))
  seen <- character()
  for (i in 1:200) {
    vaa <- rexp(1)
    vbb <- rexp(1)
    x <- ratio_ci(2 * rnorm(1), 3 * rnorm(1), vaa, vbb,
                  runif(1, -1, 1) * sqrt(vaa * vbb), df = 9)
    seen <- c(seen, x$type)
    expect_identical(within_set(grid, x), holds(grid, x))
  }
  expect_setequal(seen, c("interval", "complement", "line"))
})

test_that("g of exactly 1 gives a half-line or the line", {
  # with b = t and vbb = 1, h = t (1 / t), which is 1 at most levels
  levels <- c(0.95, 0.9, 0.99, 0.8, 0.85, 0.5)
  quantiles <- quantile_of(Inf, levels)
  exact <- which(quantiles * (1 / quantiles) == 1)
  expect_gt(length(exact), 0L)
  for (i in exact) {
    level <- levels[i]
    t <- quantiles[i]
    end <- (9 - t^2) / (2 * 3 * t)
    x <- ratio_ci(3, t, 1, 1, level = level)
    expect_identical(x$type, "half-line")
    expect_identical(x$g, 1)
    expect_equal(x$limits, c(end, Inf), tolerance = 1e-14)
    y <- ratio_ci(-3, t, 1, 1, level = level)
    expect_identical(y$type, "half-line")
    expect_equal(y$limits, c(-Inf, -end), tolerance = 1e-14)
    expect_identical(ratio_ci(3, -t, 1, 1, level = level)$limits, y$limits)
    expect_identical(ratio_ci(-3, -t, 1, 1, level = level)$limits, x$limits)
    # a covariance: B = 3 t - t^2 vab, C as before
    z <- ratio_ci(3, t, 1, 1, 0.5, level = level)
    expect_equal(z$limits, c((9 - t^2) / (2 * (3 * t - t^2 / 2)), Inf),
                 tolerance = 1e-14)
    # B = 0
    zero <- ratio_ci(0, t, 1, 1, level = level)
    expect_identical(zero$type, "line")
    expect_identical(zero$limits, c(-Inf, Inf))
    # the definition
    expect_true(holds(x$limits[1] + 1e-6, x))
    expect_true(holds(1e5, x))
    expect_false(holds(x$limits[1] - 1e-6, x))
    # methods
    expect_identical(confint(y),
                     matrix(y$limits, 1, dimnames = list(NULL, c("lower", "upper"))))
    expect_match(capture.output(print(x))[2], "half-line\\): \\[.*, Inf\\)$")
    expect_match(capture.output(print(y))[2], "half-line\\): \\(-Inf, .*\\]$")
  }
})

test_that("next to g = 1 the near limit keeps its digits", {
  t <- qnorm(0.975)
  near <- (9 - t^2) / 6
  for (delta in c(-1e-8, -1e-11, -1e-14, 1e-14, 1e-11, 1e-8)) {
    x <- ratio_ci(3, 1, 1, (1 + delta) / t^2)
    expect_identical(x$type, if (delta < 0) "interval" else "complement")
    limit <- x$limits[which.min(abs(x$limits))]
    expect_equal(limit, near, tolerance = 10 * abs(delta) + 1e-14)
    expect_equal(sign(x$limits[which.max(abs(x$limits))]), -sign(delta))
  }
})

test_that("variances of zero", {
  t <- qt(0.975, 8)
  # a known denominator
  x <- ratio_ci(3, -2, 0.25, 0, df = 8)
  expect_identical(x$g, 0)
  expect_identical(x$type, "interval")
  expect_equal(x$limits, -1.5 + c(-1, 1) * t * 0.25, tolerance = 1e-14)
  expect_equal(ratio_ci(3, -2, 0.25, 0, df = 8, method = "delta")$limits,
               x$limits, tolerance = 1e-14)
  # a known numerator: the inverse of the interval of b
  x <- ratio_ci(3, 2, 0, 0.04, df = 8)
  expect_equal(x$limits, 3 / (2 + c(1, -1) * t * 0.2), tolerance = 1e-14)
  x <- ratio_ci(3, 2, 0, 4, df = 8)
  expect_identical(x$type, "complement")
  expect_equal(x$limits, 3 / (2 + c(-1, 1) * t * 2), tolerance = 1e-14)
  # an estimate of zero
  x <- ratio_ci(0, 2, 0.04, 0.01)
  expect_identical(x$estimate, 0)
  expect_equal(x$limits[1], -x$limits[2])
})

test_that("delta interval", {
  t <- qt(0.95, 5)
  x <- ratio_ci(3, -2, 0.5, 0.3, 0.1, df = 5, level = 0.9, method = "delta")
  r <- -1.5
  v <- (0.5 - 2 * r * 0.1 + r^2 * 0.3) / 4
  expect_equal(x$limits, r + c(-1, 1) * t * sqrt(v), tolerance = 1e-14)
  expect_equal(x$g, t^2 * 0.3 / 4, tolerance = 1e-14)
  expect_identical(x$type, "interval")
  expect_identical(x$method, "delta")
  # still an interval where Fieller's set is unbounded
  x <- ratio_ci(1, 1, 1, 1, method = "delta")
  expect_identical(x$type, "interval")
  expect_gt(x$g, 1)
})

test_that("the sets follow signs, scales and swaps", {
  for (method in c("fieller", "delta")) {
    x <- ratio_ci(3, 2, 0.5, 0.2, 0.1, 7, method = method)
    y <- ratio_ci(-3, 2, 0.5, 0.2, -0.1, 7, method = method)
    expect_identical(y$limits, -rev(x$limits))
    y <- ratio_ci(-3, -2, 0.5, 0.2, 0.1, 7, method = method)
    expect_identical(y$limits, x$limits)
    for (s in 2^c(-400, -100, 100, 400)) {
      y <- ratio_ci(3 * s, 2 * s, 0.5 * s^2, 0.2 * s^2, 0.1 * s^2, 7,
                    method = method)
      expect_identical(y$limits, x$limits)
      expect_identical(y$g, x$g)
    }
  }
  # the set of the inverse ratio
  x <- ratio_ci(30, 20, 0.5, 0.2, 0.1, 7)
  y <- ratio_ci(20, 30, 0.2, 0.5, 0.1, 7)
  expect_equal(y$limits, rev(1 / x$limits), tolerance = 1e-14)
})

test_that("extreme input gives finite answers where there are any", {
  # a denominator next to zero, squares of which underflow
  x <- ratio_ci(10, 1e-300, 1, 1)
  expect_identical(x$type, "complement")
  end <- sqrt(100 - qnorm(0.975)^2) / qnorm(0.975)
  expect_equal(x$limits, c(-end, end), tolerance = 1e-14)
  expect_identical(x$g, Inf)
  expect_identical(ratio_ci(1, 1e-300, 1, 1)$type, "line")
  expect_identical(ratio_ci(1, 5e-324, 1e300, 1e300)$type, "line")
  # very precise estimates: the variances underflow in the scale of a and b
  x <- ratio_ci(3e200, 1e200, 1, 1)
  expect_equal(x$limits, c(3, 3), tolerance = 1e-15)
  # ratios beyond the range of doubles are infinite, never NaN
  for (method in c("fieller", "delta")) {
    x <- ratio_ci(1e300, 1e-300, 1, 0, method = method)
    expect_identical(x$estimate, Inf)
    expect_identical(x$limits, c(Inf, Inf))
    x <- ratio_ci(-1e300, 1e-300, 1e300, 1e300, method = method)
    expect_false(anyNA(x$limits))
    x <- ratio_ci(0, 1e-300, 1e300, 0, method = method)
    expect_identical(x$limits, c(-Inf, Inf))
  }
  # a level so small that the quantile is zero
  for (method in c("fieller", "delta")) {
    x <- ratio_ci(-0, 2, 1, 1, level = 1e-300, method = method)
    expect_identical(x$limits, c(0, 0))
    expect_identical(1 / x$limits, c(Inf, Inf))
    expect_identical(1 / x$estimate, Inf)
    x <- ratio_ci(1, 3, 1, 1, level = 1e-300, method = method)
    expect_identical(x$limits, c(1, 1) / 3)
  }
  # few degrees of freedom: a quantile next to the root of the largest double
  x <- ratio_ci(1, 1, 1, 1, df = 0.0085)
  expect_true(is.finite(qt(0.975, 0.0085)^2))
  expect_identical(x$type, "line")
  expect_identical(ratio_ci(1, 1, 0, 1, df = 0.0085)$type, "complement")
})

test_that("perfect correlation is computed unless in proportion", {
  x <- ratio_ci(5, 2, 4, 1, 2)
  t <- qnorm(0.975)
  # T(rho0) = (5 - 2 rho0) / |2 - rho0|: g = t^2 / 4
  expect_equal(x$limits, sort((5 + c(1, -1) * 2 * t) / (2 + c(1, -1) * t)),
               tolerance = 1e-13)
  expect_silent(ratio_ci(5, 2, 4, 1, 2 * (1 + 1e-9)))
  expect_error(ratio_ci(4, 2, 4, 1, 2), "no variance")
  expect_error(ratio_ci(-0.3, 0.1, 0.09, 0.01, -0.03), "no variance")
})

test_that("errors and their order", {
  bad <- list(NULL, numeric(), c(1, 2), NA, NA_real_, NaN, Inf, -Inf, TRUE, "1",
              factor(1), list(1), 1i)
  for (v in bad) {
    for (name in c("a", "b", "vaa", "vbb", "vab")) {
      args <- list(a = 1, b = 1, vaa = 1, vbb = 1, vab = 0)
      args[name] <- list(v)
      expect_error(do.call(ratio_ci, args),
                   paste0("^'", name, "' must be a single finite number"))
    }
  }
  for (v in list(NULL, 0, -1, NA_real_, NaN, NA, c(1, 2), "3", TRUE)) {
    expect_error(ratio_ci(1, 1, 1, 1, df = v),
                 "^'df' must be a single positive number")
  }
  for (v in list(NULL, 0, 1, -1, 2, NA_real_, NaN, c(0.9, 0.95), "0.9", TRUE)) {
    expect_error(ratio_ci(1, 1, 1, 1, level = v),
                 "^'level' must be a single number between 0 and 1")
  }
  for (v in list(NULL, "f", "Delta", NA_character_, NA, 1,
                 c("delta", "fieller"), factor("delta"), character())) {
    expect_error(ratio_ci(1, 1, 1, 1, method = v), "^'method' must be")
  }
  expect_error(ratio_ci(1, 0, -1, -1), "^'vaa' must not be negative")
  expect_error(ratio_ci(1, 0, 1, -1), "^'vbb' must not be negative")
  expect_error(ratio_ci(1, 0, 1, 1, 2), "the denominator is zero")
  expect_error(ratio_ci(1, -0, 1, 1), "the denominator is zero")
  expect_error(ratio_ci(1, 1, 1, 1, 1.001), "positive semidefinite")
  expect_error(ratio_ci(1, 1, 1, 1, -1.001), "positive semidefinite")
  expect_error(ratio_ci(1, 1, 0, 1, 1e-300), "positive semidefinite")
  expect_error(ratio_ci(1, 1, 0, 0, df = 1e-300), "no variance")
  expect_error(ratio_ci(0, 1, 0, 1), "no variance")
  expect_warning(
    expect_error(ratio_ci(1, 1, 1, 1, df = 1e-300, level = 1e-17), "quantile"),
    NA
  )
  expect_error(ratio_ci(1, 1, 1, 1, df = 1e-3), "quantile")
  # order
  expect_error(ratio_ci("a", NA, 1, 1, df = 0), "^'a'")
  expect_error(ratio_ci(1, 0, -1, 1, df = 0, level = 2, method = "x"), "^'df'")
  expect_error(ratio_ci(1, 0, -1, 1, level = 2, method = "x"), "^'level'")
  expect_error(ratio_ci(1, 0, -1, 1, method = "x"), "^'method'")
  e <- tryCatch(ratio_ci(1, 0, 1, 1), error = identity)
  expect_identical(class(e), c("simpleError", "error", "condition"))
  expect_null(conditionCall(e))
})

test_that("no random numbers are drawn", {
  set.seed(1)
  before <- .Random.seed
  ratio_ci(1, 1, 1, 1)
  ratio_means(1:5, c(2, 3, 5))
  expect_identical(.Random.seed, before)
})

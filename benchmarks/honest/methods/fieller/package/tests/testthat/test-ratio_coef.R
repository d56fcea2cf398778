fit <- lm(dist ~ speed, data = cars)

test_that("estimates, variances and degrees of freedom are those of the fit", {
  x <- ratio_coef(fit, "(Intercept)", "speed", level = 0.9)
  v <- vcov(fit)
  expect_identical(x, ratio_ci(coef(fit)[[1]], coef(fit)[[2]], v[1, 1],
                               v[2, 2], v[1, 2], 48, 0.9))
  expect_identical(x$df, 48)
  y <- ratio_coef(fit, "speed", "(Intercept)", method = "delta")
  expect_identical(y$a, x$b)
  expect_identical(y$method, "delta")
})

test_that("the set inverts the t-test of the fit", {
  x <- ratio_coef(fit, "(Intercept)", "speed")
  for (rho0 in x$limits) {
    # b0 + b1 s = (b0 - rho0 b1) + b1 (rho0 + s)
    moved <- lm(dist ~ I(speed + rho0), data = cars)
    expect_equal(summary(moved)$coefficients[1, 4], 0.05)
  }
})

test_that("weights and offsets", {
  w <- lm(dist ~ speed + I(speed^2), data = cars, weights = speed,
          offset = 2 * speed)
  x <- ratio_coef(w, "speed", "I(speed^2)")
  expect_identical(c(x$vaa, x$vbb, x$vab),
                   c(vcov(w)[2, 2], vcov(w)[3, 3], vcov(w)[2, 3]))
  expect_identical(x$df, as.numeric(df.residual(w)))
})

test_that("other coefficients may be aliased", {
  d <- cars
  d$twice <- 2 * d$speed
  d$other <- rep_len(c(1, 4, 2), nrow(d))
  aliased <- lm(dist ~ speed + twice + other, data = d)
  x <- ratio_coef(aliased, "other", "speed")
  y <- ratio_coef(lm(dist ~ speed + other, data = d), "other", "speed")
  expect_equal(x, y)
  expect_error(ratio_coef(aliased, "twice", "speed"),
               "^'numerator' .*could not be estimated")
  expect_error(ratio_coef(aliased, "speed", "twice", level = 2),
               "^'denominator' .*could not be estimated")
})

test_that("a warning of vcov is passed on", {
  d <- data.frame(u = 1:5, v = c(1, 4, 9, 16, 25))
  d$y <- 2 + 3 * d$u + d$v
  perfect <- lm(y ~ u + v, data = d)
  expect_warning(try(ratio_coef(perfect, "u", "v"), silent = TRUE), "perfect")
})

test_that("errors and their order", {
  for (v in list(NULL, 1, glm(dist ~ speed, data = cars),
                 aov(dist ~ speed, data = cars),
                 lm(cbind(dist, speed) ~ 1, data = cars))) {
    expect_error(ratio_coef(v, 1, 2), "^'fit' .*fitted by lm")
  }
  for (v in list(NULL, 1, NA, NA_character_, c("speed", "speed"),
                 factor("speed"), character())) {
    expect_error(ratio_coef(fit, v, 1),
                 "^'numerator' must be a single character string")
    expect_error(ratio_coef(fit, "none", v),
                 "^'denominator' must be a single character string")
  }
  expect_error(ratio_coef(fit, "none", "no"),
               "^'numerator' must name exactly one coefficient")
  expect_error(ratio_coef(fit, "speed", "spee"),
               "^'denominator' must name exactly one coefficient")
  expect_error(ratio_coef(fit, "speed", "speed", level = 2), "must be different")
  full <- lm(dist ~ speed, data = cars[c(1, 50), ])
  expect_error(ratio_coef(full, "(Intercept)", "speed", level = 2),
               "^'fit' has no residual degrees of freedom")
  expect_error(ratio_coef(fit, "(Intercept)", "speed", 2, "x"), "^'level'")
  expect_error(ratio_coef(fit, "(Intercept)", "speed", method = "x"),
               "^'method' must be")
  two <- fit
  names(two$coefficients) <- c("speed", "speed")
  expect_error(ratio_coef(two, "speed", "speed"), "exactly one coefficient")
  zero <- fit
  zero$coefficients[[2]] <- 0
  expect_error(ratio_coef(zero, "(Intercept)", "speed"),
               "the denominator is zero")
})

df <- local({
  set.seed(77)
  z <- data.frame(x = rnorm(80), f = factor(rep(c("a", "b", "c", "d"), 20)))
  z$y <- as.numeric(0.3 + 0.6 * z$x + rnorm(80) > 0)
  z
})

test_that("the formula interface calls the matrix functions", {
  X <- model.matrix(y ~ x + f, df)
  p <- probit(y ~ x + f, df)
  m <- probit_mle(X, df$y)
  expect_equal(p$fit, m)
  expect_s3_class(p, c("probit", "probit_fit"), exact = TRUE)
  expect_named(p, c("coefficients", "se", "vcov", "method", "nobs", "fit",
                    "formula", "call"))
  expect_equal(p$coefficients, m$coefficients); expect_equal(p$se, m$se)
  expect_equal(p$vcov, m$vcov); expect_identical(p$nobs, 80L)
  expect_identical(p$formula, y ~ x + f); expect_true(is.call(p$call))
  set.seed(1); a <- probit(y ~ x, df, "gibbs", n_iter = 40, burn_in = 5)
  set.seed(1); b <- probit_gibbs(model.matrix(y ~ x, df), df$y, 40, 5)
  expect_equal(a$fit, b)
  expect_equal(a$coefficients, b$posterior_mean)
  expect_equal(a$se, b$posterior_sd); expect_equal(a$vcov, var(b$beta_draws))
  expect_equal(probit(y ~ x, df, "mh", n_iter = 9, burn_in = 3)$fit$method, "mh")
})

test_that("responses, missing values, environments", {
  ref <- coef(probit(y ~ x, df))
  expect_equal(coef(probit(I(y == 1) ~ x, df)), ref)
  expect_equal(coef(probit(factor(y, labels = c("no", "yes")) ~ x, df)), ref)
  y <- df$y; x <- df$x
  expect_equal(coef(probit(y ~ x)), ref)
  d2 <- df; d2$x[3] <- NA; d2$y[5] <- NA
  p <- probit(y ~ x, d2)
  expect_identical(nobs(p), 78L)
  expect_equal(coef(p), coef(probit(y ~ x, df[-c(3, 5), ])))
  d2 <- df; d2$x[1] <- Inf
  expect_error(probit(y ~ x, d2), "X must be finite")
  # the second level counts as 1 even if the first one does not occur
  d2 <- df; d2$y <- factor(rep("yes", 80), levels = c("no", "yes"))
  expect_error(probit(y ~ x, d2), "separat")
  # levels without rows get no column
  p <- probit(y ~ f, df[df$f != "c", ])
  expect_named(coef(p), c("(Intercept)", "fb", "fd"))
})

test_that("errors in order", {
  expect_error(probit(~ x, df, "no"), "formula")
  expect_error(probit("y ~ x", df), "formula")
  expect_error(probit(), "formula")
  expect_error(probit(f ~ x + offset(x), df, "no"), "method")
  expect_error(probit(y ~ x, df, c("mle", "mh")), "method")
  expect_error(probit(y ~ x, df, NA), "method")
  expect_error(probit(f ~ x + offset(x), df), "offset")
  expect_error(probit(f ~ x, df), "response")
  expect_error(probit(x ~ y, df), "response")
  expect_error(probit(as.character(y) ~ x, df), "response")
  expect_error(probit(cbind(y, 1 - y) ~ x, df), "response")
  expect_error(probit(y ~ 0, df), "at least one column")
  expect_error(probit(y ~ x + I(2 * x), df), "full column rank")
  expect_error(probit(y ~ x, df, tol = -1), "^tol")
})

test_that("summary of maximum likelihood", {
  p <- probit(y ~ x, df)
  s <- summary(p)
  expect_s3_class(s, "summary.probit_fit", exact = TRUE)
  expect_equal(s, summary(p$fit))
  expect_named(s, c("method", "nobs", "coefficients"))
  expect_identical(colnames(s$coefficients),
                   c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  expect_identical(rownames(s$coefficients), c("(Intercept)", "x"))
  z <- p$coefficients / p$se
  expect_equal(s$coefficients[, 3], z)
  expect_equal(s$coefficients[, 4], 2 * pnorm(-abs(z)))
})

test_that("summary of samplers: limits are mean -/+ qnorm(0.975) SD", {
  set.seed(2)
  for (f in list(probit(y ~ x, df, "gibbs", n_iter = 60, burn_in = 10),
                 probit(y ~ x, df, "mh", n_iter = 60, burn_in = 10))) {
    s <- summary(f)
    dr <- f$fit$beta_draws
    expect_identical(colnames(s$coefficients), c("Mean", "SD", "2.5%", "97.5%"))
    expect_equal(s$coefficients[, 1], colMeans(dr))
    expect_equal(s$coefficients[, 2], apply(dr, 2, sd))
    expect_equal(s$coefficients[, 3], colMeans(dr) - qnorm(0.975) * apply(dr, 2, sd))
    expect_equal(s$coefficients[, 4], colMeans(dr) + qnorm(0.975) * apply(dr, 2, sd))
  }
  s <- summary(probit_gibbs(matrix(1, 3, 1), c(0, 1, 1), 1, 0))
  expect_identical(dim(s$coefficients), c(1L, 4L))
  expect_null(rownames(s$coefficients))
  expect_true(all(is.na(s$coefficients[, -1])))
})

test_that("print returns its argument invisibly and shows what it should", {
  p <- probit(y ~ x, df)
  g <- probit_gibbs(model.matrix(y ~ x, df), df$y, 30, 5)
  for (obj in list(p, p$fit, g)) {
    out <- capture.output(r <- withVisible(print(obj)))
    expect_false(r$visible); expect_identical(r$value, obj)
    expect_match(paste(out, collapse = "\n"), obj$method)
    expect_match(paste(out, collapse = "\n"), "80")
    expect_match(paste(out, collapse = "\n"), "(Intercept)", fixed = TRUE)
    s <- summary(obj)
    out <- capture.output(r <- withVisible(print(s)))
    expect_false(r$visible); expect_identical(r$value, s)
    expect_match(paste(out, collapse = "\n"), colnames(s$coefficients)[2], fixed = TRUE)
  }
})

test_that("coef, vcov, nobs, logLik", {
  p <- probit(y ~ x, df)
  l <- logLik(p)
  expect_equal(as.numeric(l), as.numeric(logLik(glm(y ~ x, binomial("probit"), df))),
               tolerance = 1e-8)
  expect_equal(attr(l, "df"), 2); expect_equal(attr(l, "nobs"), 80)
  expect_equal(l, logLik(p$fit)); expect_equal(BIC(p), log(80) * 2 - 2 * as.numeric(l))
  g <- probit_gibbs(model.matrix(y ~ x, df), df$y, 30, 5)
  expect_equal(coef(g), g$posterior_mean)
  expect_equal(vcov(g), var(g$beta_draws)); expect_identical(nobs(g), 80L)
  expect_error(logLik(g), "maximum likelihood")
  expect_error(logLik(probit(y ~ x, df, "mh", n_iter = 5, burn_in = 1)),
               "maximum likelihood")
  ns <- getNamespaceExports("probitr")
  expect_setequal(ns, c("safe_log_Phi", "safe_Phi", "rtruncnorm", "probit_mle",
                        "probit_gibbs", "probit_mh", "probit"))
})

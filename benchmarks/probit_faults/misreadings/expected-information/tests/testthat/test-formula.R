df <- local({
  set.seed(31); x <- rnorm(80); g <- gl(2, 40, labels = c("a", "b"))
  data.frame(y = as.numeric(0.2 + 0.8 * x + rnorm(80) > 0), x = x, g = g)
})

test_that("probit equals the matrix function", {
  X <- model.matrix(y ~ x * g, df)
  f <- probit(y ~ x * g, df); m <- probit_mle(X, df$y)
  expect_s3_class(f, c("probit", "probit_fit"), exact = TRUE)
  expect_identical(f$fit, m); expect_identical(f$coefficients, m$coefficients)
  expect_identical(f$se, m$se); expect_identical(f$vcov, m$vcov)
  expect_named(coef(f), colnames(X)); expect_equal(f$formula, y ~ x * g, ignore_formula_env = TRUE)
  expect_true(is.call(f$call)); expect_identical(f$nobs, 80L)
  set.seed(1); b <- probit(y ~ x, df, "gibbs", n_iter = 50, burn_in = 10)
  set.seed(1); d <- probit_gibbs(model.matrix(y ~ x, df), df$y, 50, 10)
  expect_identical(b$fit, d); expect_identical(b$se, d$posterior_sd)
  expect_identical(b$vcov, var(d$beta_draws)); expect_identical(coef(b), d$posterior_mean)
  expect_identical(probit(y ~ x, df, "mh", n_iter = 5, burn_in = 0)$method, "mh")
})

test_that("responses, missing values and data = NULL", {
  ref <- coef(probit(y ~ x, df))
  df$f <- factor(ifelse(df$y == 1, "yes", "no")); df$l <- df$y == 1
  expect_equal(coef(probit(f ~ x, df)), ref); expect_equal(coef(probit(l ~ x, df)), ref)
  y <- df$y; x <- df$x
  expect_equal(coef(probit(y ~ x)), ref)
  d <- df; d$x[3] <- NA; d$y[5] <- NA
  f <- probit(y ~ x, d)
  expect_identical(nobs(f), 78L)
  expect_equal(coef(f), coef(probit(y ~ x, df[-c(3, 5), ])))
  d$x[3] <- Inf
  expect_error(probit(y ~ x, d), "X must be finite")
})

test_that("errors in the order formula, method, offset, response", {
  expect_error(probit(~ x, df, "none"), "formula")
  expect_error(probit("y ~ x", df), "formula")
  expect_error(probit(df, y ~ x), "formula")
  for (m in list("none", "m", NULL, 1, c("mle", "mh"), NA_character_))
    expect_error(probit(y ~ offset(x), df, m), "method")
  expect_error(probit(x ~ offset(y), df), "offset")
  expect_error(probit(x ~ 0, df), "response")
  expect_error(probit(as.character(y) ~ x, df), "response")
  expect_error(probit(factor(y + g1) ~ x, transform(df, g1 = rep(0:3, 20))), "response")
  expect_error(probit(cbind(y, 1 - y) ~ x, df), "response")
  expect_error(probit(y ~ 0, df), "at least one column")
  expect_error(probit(y ~ x, df, max_iter = 0), "^max_iter")
  expect_error(probit(y ~ x + I(2 * x), df), "full column rank")
  expect_error(probit(I(x > 0) ~ x, df), "separat")
})

test_that("methods", {
  f <- probit(y ~ x, df); m <- f$fit
  s <- summary(f)
  expect_s3_class(s, "summary.probit_fit", exact = TRUE)
  expect_identical(colnames(s$coefficients), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  expect_identical(rownames(s$coefficients), names(coef(f)))
  z <- m$coefficients / m$se
  expect_equal(s$coefficients[, 4], 2 * pnorm(-abs(z)), tolerance = 1e-12)
  expect_identical(summary(m), s)
  expect_identical(nobs(f), 80L); expect_identical(vcov(m), m$vcov)
  expect_equal(AIC(f), -2 * m$loglik + 4); expect_equal(BIC(m), -2 * m$loglik + 2 * log(80))
  expect_identical(attributes(logLik(f))[c("df", "nobs")], list(df = 2L, nobs = 80L))
  for (meth in c("gibbs", "mh")) {
    b <- probit(y ~ x, df, meth, n_iter = 60, burn_in = 10)
    t <- summary(b)$coefficients
    expect_identical(colnames(t), c("Mean", "SD", "2.5%", "97.5%"))
    expect_equal(t[, 3:4], t(apply(b$fit$beta_draws, 2, quantile, c(0.025, 0.975))))
    expect_error(logLik(b), "maximum likelihood"); expect_error(logLik(b$fit), "maximum likelihood")
    for (o in list(b, b$fit, summary(b))) {
      out <- capture.output(r <- withVisible(print(o)))
      expect_false(r$visible); expect_identical(r$value, o)
      expect_match(paste(out, collapse = "\n"), meth); expect_match(paste(out, collapse = "\n"), "80")
      expect_match(paste(out, collapse = "\n"), "Intercept", fixed = TRUE)
    }
  }
  expect_output(print(s), "Pr(>|z|)", fixed = TRUE)
  expect_identical(dim(summary(probit_mle(matrix(1, 3, 1), c(0, 1, 1)))$coefficients), c(1L, 4L))
  one <- summary(probit_gibbs(matrix(1, 3, 1), c(0, 1, 1), 20, 5))$coefficients
  expect_identical(dim(one), c(1L, 4L)); expect_null(rownames(one))
})

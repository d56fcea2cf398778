d <- make_data(100, c(0.3, 0.8), 4)
df <- data.frame(y = d$y, x = d$X[, 2], g = factor(rep(c("a", "b"), 50)))

test_that("probit agrees with the matrix functions", {
  p <- probit(y ~ x + g, df)
  X <- model.matrix(y ~ x + g, df)
  f <- probit_mle(X, df$y)
  expect_s3_class(p, c("probit", "probit_fit"), exact = TRUE)
  expect_named(p, c("coefficients", "se", "vcov", "method", "nobs", "fit",
                    "formula", "call"))
  expect_equal(p$fit, f)
  expect_equal(p$coefficients, f$coefficients); expect_equal(p$se, f$se)
  expect_equal(p$vcov, f$vcov); expect_equal(vcov(p), f$vcov)
  expect_equal(p$formula, y ~ x + g); expect_true(is.call(p$call))
  set.seed(1); s <- probit(y ~ x, df, "gibbs", n_iter = 50, burn_in = 10)
  set.seed(1); t <- probit_gibbs(model.matrix(y ~ x, df), df$y, 50, 10)
  expect_equal(s$fit, t); expect_equal(s$se, t$posterior_sd)
  expect_equal(s$vcov, var(t$beta_draws)); expect_equal(vcov(t), var(t$beta_draws))
  expect_identical(probit(y ~ x, df, method = "mh", n_iter = 20, burn_in = 5)$method, "mh")
})

test_that("responses, missing values and environments", {
  p <- probit(y ~ x, df)
  expect_equal(coef(probit(factor(y, labels = c("no", "yes")) ~ x, df)), coef(p))
  expect_equal(coef(probit((y == 1) ~ x, df)), coef(p))
  y <- df$y; x <- df$x
  expect_equal(coef(probit(y ~ x)), coef(p))
  m <- df; m$x[3] <- NA; m$y[5] <- NA
  q <- probit(y ~ x, m)
  expect_identical(nobs(q), 98L)
  expect_equal(coef(q), coef(probit(y ~ x, df[-c(3, 5), ])))
  expect_equal(coef(probit(y ~ ., df)), coef(probit(y ~ x + g, df)))
})

test_that("errors of the formula interface", {
  expect_error(probit(~x, df, "foo"), "formula")
  expect_error(probit("y ~ x", df), "formula")
  expect_error(probit(x ~ offset(x), df, "foo"), "method")
  expect_error(probit(y ~ x, df, c("mle", "mh")), "method")
  expect_error(probit(x ~ x + offset(x), df), "offset")
  expect_error(probit(x ~ y, df), "response")
  expect_error(probit(as.character(y) ~ x, df), "response")
  expect_error(probit(cbind(y, 1 - y) ~ x, df), "response")
  expect_error(probit(factor(rep(1:4, 25)) ~ x, df), "response")
  i <- df; i$x[2] <- Inf
  expect_error(probit(y ~ x, i), "X must be finite")
  expect_error(probit(y ~ 0, df), "at least one column")
  expect_error(probit(y ~ x, df, max_iter = 0), "max_iter")
})

test_that("methods", {
  p <- probit(y ~ x, df); f <- p$fit
  set.seed(1); g <- probit(y ~ x, df, "gibbs", n_iter = 300, burn_in = 100)
  for (o in list(p, f, g, g$fit)) {
    out <- capture.output(r <- withVisible(print(o)))
    expect_false(r$visible); expect_identical(r$value, o)
    expect_match(paste(out, collapse = "\n"), o$method)
    expect_match(paste(out, collapse = "\n"), "100")
    s <- summary(o)
    expect_s3_class(s, "summary.probit_fit", exact = TRUE)
    expect_identical(s$nobs, 100L); expect_identical(s$method, o$method)
    out <- capture.output(r <- withVisible(print(s)))
    expect_false(r$visible)
    expect_match(paste(out, collapse = "\n"), colnames(s$coefficients)[2], fixed = TRUE)
    expect_identical(nobs(o), 100L)
  }
  s <- summary(p)$coefficients
  expect_identical(dimnames(s), list(c("(Intercept)", "x"),
                                     c("Estimate", "Std. Error", "z value", "Pr(>|z|)")))
  expect_equal(s[, 4], 2 * pnorm(-abs(coef(p) / p$se)))
  s <- summary(g)$coefficients
  expect_identical(colnames(s), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(s[, 3], apply(g$fit$beta_draws, 2, quantile, 0.025))
  one <- summary(probit_gibbs(matrix(1, 4, 1), c(0, 1, 0, 1), 10, 0))$coefficients
  expect_identical(dim(one), c(1L, 4L)); expect_null(rownames(one))
  expect_equal(coef(g), g$fit$posterior_mean); expect_equal(coef(g$fit), coef(g))
  l <- logLik(p)
  expect_s3_class(l, "logLik")
  expect_equal(as.numeric(l), f$loglik)
  expect_equal(attr(l, "df"), 2); expect_equal(attr(l, "nobs"), 100L)
  expect_equal(AIC(f), 4 - 2 * f$loglik)
  expect_error(logLik(g), "maximum likelihood")
  expect_error(logLik(g$fit), "maximum likelihood")
})

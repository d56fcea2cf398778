df <- data.frame(
  y = c(0, 1, 0, 1, 1, 0, 1, 0, 1, 0),
  x = c(-1, 0.2, 0.3, 1, 2, 0.1, -0.5, 0.6, 1.1, -2),
  g = rep(c("a", "b"), 5)
)
df$g[3] <- "a"
df$g[4] <- "a"

test_that("probit is the matrix function on model.matrix", {
  f <- probit(y ~ x, df)
  m <- probit_mle(cbind("(Intercept)" = 1, x = df$x), df$y)
  expect_s3_class(f, c("probit", "probit_fit"), exact = TRUE)
  expect_identical(f$coefficients, m$coefficients)
  expect_identical(f$vcov, m$vcov)
  expect_identical(f$se, m$se)
  expect_identical(f$fit, m)
  expect_identical(f$nobs, 10L)
  expect_true(is.call(f$call))
  expect_identical(coef(f), coef(m))
  expect_identical(logLik(f), logLik(m))
  expect_identical(attr(logLik(f), "df"), 2L)
  expect_identical(attr(logLik(f), "nobs"), 10L)
  y <- df$y
  x <- df$x
  expect_identical(probit(y ~ x)$coefficients, f$coefficients)
  set.seed(1)
  g <- probit(y ~ x, df, method = "gibbs", n_iter = 100, burn_in = 10)
  set.seed(1)
  h <- probit_gibbs(cbind("(Intercept)" = 1, x = df$x), df$y, 100, 10)
  expect_identical(g$fit, h)
  expect_identical(g$coefficients, h$posterior_mean)
  expect_identical(g$se, h$posterior_sd)
  expect_equal(g$vcov, var(h$beta_draws))
})

test_that("responses and missing values", {
  f <- probit(y ~ x, df)
  d2 <- transform(df, y = factor(ifelse(y == 1, "yes", "no")))
  expect_equal(coef(probit(y ~ x, d2)), coef(f))
  expect_equal(coef(probit(y == 1 ~ x, df)), coef(f))
  d3 <- rbind(df, data.frame(y = c(NA, 1), x = c(1, NA), g = "a"))
  expect_identical(nobs(probit(y ~ x, d3)), 10L)
  expect_equal(coef(probit(y ~ x, d3)), coef(f))
  d4 <- df
  d4$x[1] <- Inf
  expect_error(probit(y ~ x, d4), "X must be finite")
})

test_that("errors in order", {
  expect_error(probit(~x, df, method = "no"), "formula")
  expect_error(probit("y ~ x", df), "formula")
  expect_error(probit(x ~ offset(x), df, method = "no"), "method")
  expect_error(probit(y ~ x, df, method = c("mle", "mh")), "method")
  expect_error(probit(x ~ x + offset(x), df), "offset")
  expect_error(probit(x ~ g, df), "response")
  expect_error(probit(g ~ x, df), "response")
  expect_error(probit(cbind(y, y) ~ x, df), "response")
  expect_error(probit(factor(rep(1:5, 2)) ~ x, df), "response")
  expect_error(probit(y ~ 0, df), "at least one column")
  expect_error(probit(y ~ x, df, max_iter = 0), "^max_iter")
})

test_that("print and summary", {
  f <- probit(y ~ x, df)
  s <- summary(f)
  expect_s3_class(s, "summary.probit_fit")
  expect_identical(colnames(s$coefficients), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  z <- f$coefficients / f$se
  expect_equal(s$coefficients[, "Pr(>|z|)"], 2 * pnorm(abs(z), lower.tail = FALSE))
  expect_identical(summary(f$fit)$coefficients, s$coefficients)
  expect_output(out <- withVisible(print(f)), "mle")
  expect_false(out$visible)
  expect_identical(out$value, f)
  expect_output(print(f$fit), "10")
  expect_output(print(s), "Std. Error")
  set.seed(2)
  g <- probit_gibbs(matrix(df$x), df$y, 100, 10)
  t <- summary(g)
  expect_identical(dim(t$coefficients), c(1L, 4L))
  expect_identical(colnames(t$coefficients), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(unname(t$coefficients[1, 3:4]),
    unname(quantile(g$beta_draws, c(0.025, 0.975), type = 7)))
  expect_output(print(t), "97.5%")
  expect_output(print(g), "gibbs")
  expect_error(logLik(g), "maximum likelihood")
  expect_equal(vcov(g), var(g$beta_draws))
  expect_identical(nobs(g), 10L)
})

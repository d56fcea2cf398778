d <- data.frame(y = c(0, 1, 0, 0, 1, 1, 1, 0), x = c(-2, -1, 0, 1, 2, 3, -1.5, 0.5),
                g = factor(c("a", "b", "a", "b", "a", "b", "a", "b")))

test_that("probit builds the matrix and passes arguments on", {
  f <- probit(y ~ x + g, d)
  m <- probit_mle(model.matrix(y ~ x + g, d), d$y)
  expect_s3_class(f, c("probit", "probit_fit"), exact = TRUE)
  expect_identical(f$fit, m); expect_identical(coef(f), m$coefficients)
  expect_identical(f$se, m$se); expect_identical(vcov(f), m$vcov)
  expect_identical(names(f), c("coefficients", "se", "vcov", "method", "nobs", "fit",
                               "formula", "call"))
  expect_equal(f$formula, y ~ x + g); expect_identical(nobs(f), 8L)
  set.seed(1); h <- probit(y ~ x, d, "mh", n_iter = 50, burn_in = 10, scale = 1)
  set.seed(1); r <- probit_mh(model.matrix(y ~ x, d), d$y, 50, 10, 1)
  expect_identical(h$fit, r); expect_identical(h$vcov, var(r$beta_draws))
  expect_identical(h$coefficients, r$posterior_mean); expect_identical(h$se, r$posterior_sd)
  y <- d$y; x <- d$x
  expect_identical(coef(probit(y ~ x)), coef(probit(y ~ x, d)))
})

test_that("responses and missing values", {
  e <- d; e$y <- factor(ifelse(d$y == 1, "yes", "no"))
  expect_identical(coef(probit(y ~ x, e)), coef(probit(y ~ x, d)))
  expect_identical(coef(probit(y == 1 ~ x, d)), coef(probit(y ~ x, d)))
  e <- rbind(d, d[1, ]); e$x[9] <- NA
  expect_identical(nobs(probit(y ~ x, e)), 8L)
  e$x[9] <- Inf; expect_error(probit(y ~ x, e), "X must be finite")
  e <- d; e$y <- factor(c(1, 2, 3, 1, 2, 3, 1, 2)); expect_error(probit(y ~ x, e), "response")
  e$y <- as.character(d$y); expect_error(probit(y ~ x, e), "response")
  e$y <- d$y + 1; expect_error(probit(y ~ x, e), "response")
  expect_error(probit(cbind(y, 1 - y) ~ x, d), "response")
  expect_error(probit(~ x, d, "zzz"), "formula"); expect_error(probit("y ~ x", d), "formula")
  expect_error(probit(x ~ offset(y), d, "zzz"), "method")
  expect_error(probit(x ~ y, d, c("mle", "mh")), "method")
  expect_error(probit(x ~ g + offset(y), d), "offset")
  expect_error(probit(y ~ 0, d), "at least one column")
})

test_that("summary, print, logLik", {
  f <- probit(y ~ x, d); s <- summary(f)
  expect_s3_class(s, "summary.probit_fit")
  z <- coef(f) / f$se
  expect_equal(s$coefficients, cbind(Estimate = coef(f), `Std. Error` = f$se, `z value` = z,
                                     `Pr(>|z|)` = 2 * pnorm(-abs(z))))
  expect_output(print(s), "Std. Error"); expect_output(print(f), "mle")
  expect_output(v <- withVisible(print(f))); expect_false(v$visible); expect_identical(v$value, f)
  l <- logLik(f); expect_s3_class(l, "logLik")
  expect_identical(attr(l, "df"), 2L); expect_identical(attr(l, "nobs"), 8L)
  expect_equal(as.numeric(l), ref_loglik(coef(f), model.matrix(y ~ x, d), d$y))
  g <- probit(y ~ x, d, "gibbs", n_iter = 60, burn_in = 10); s <- summary(g$fit)
  expect_identical(colnames(s$coefficients), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(s$coefficients[2, 3:4], quantile(g$fit$beta_draws[, 2], c(0.025, 0.975)))
  expect_identical(summary(g), s); expect_output(print(g), "gibbs"); expect_output(print(s), "97.5%")
  expect_error(logLik(g), "maximum likelihood"); expect_error(logLik(g$fit), "maximum likelihood")
  one <- probit_gibbs(matrix(1, 4, 1), c(0, 1, 1, 0), 20, 0)
  expect_identical(dim(summary(one)$coefficients), c(1L, 4L)); expect_output(print(one), "observations: 4")
})

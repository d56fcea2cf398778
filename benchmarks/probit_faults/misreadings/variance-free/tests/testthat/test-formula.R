dat <- local({
  set.seed(31)
  n <- 80
  d <- data.frame(x = rnorm(n), f = factor(sample(c("a", "b", "c"), n, TRUE)))
  d$y <- as.numeric(0.3 + d$x + rnorm(n) > 0)
  d
})

test_that("formula and matrix interfaces agree", {
  X <- model.matrix(~ x + f, dat)
  fit <- probit(y ~ x + f, dat)
  ref <- probit_mle(X, dat$y)
  expect_identical(fit$fit, ref)
  expect_identical(class(fit), c("probit", "probit_fit"))
  expect_identical(fit$coefficients, ref$coefficients)
  expect_identical(fit$se, ref$se)
  expect_identical(fit$vcov, ref$vcov)
  expect_equal(fit$formula, y ~ x + f, ignore_formula_env = TRUE)
  expect_true(is.call(fit$call))
  for (m in c("gibbs", "mh")) {
    set.seed(2)
    fit <- probit(y ~ x + f, dat, m, n_iter = 60, burn_in = 10)
    set.seed(2)
    ref <- get(paste0("probit_", m))(X, dat$y, 60, 10)
    expect_identical(fit$fit, ref)
    expect_identical(fit$coefficients, ref$posterior_mean)
    expect_identical(fit$se, ref$posterior_sd)
    expect_identical(fit$vcov, var(ref$beta_draws))
    expect_identical(coef(fit), coef(ref))
    expect_error(logLik(fit), "maximum likelihood")
  }
})

test_that("responses of every kind give the same fit", {
  ref <- coef(probit(y ~ x, dat))
  expect_equal(coef(probit(y == 1 ~ x, dat)), ref)
  expect_equal(coef(probit(factor(y, labels = c("no", "yes")) ~ x, dat)), ref)
  y <- dat$y
  x <- dat$x
  expect_equal(coef(probit(y ~ x)), ref)
  d <- dat
  d$x[3] <- NA
  d$y[5] <- NA
  fit <- probit(y ~ x, d)
  expect_identical(nobs(fit), 78L)
  expect_equal(coef(fit), coef(probit(y ~ x, dat[-c(3, 5), ])))
  # one level seen of two: separation, not an error of the response
  d$g <- factor(rep("u", 80), levels = c("u", "v"))
  expect_error(probit(g ~ x, d), "separat")
  # unused level of a predictor
  expect_length(coef(probit(y ~ f, dat[dat$f != "c", ])), 2L)
})

test_that("checks come in order", {
  d <- transform(dat, y3 = factor(rep_len(1:3, 80)), yc = as.character(y),
                 y2 = y + 1)
  expect_error(probit("y ~ x", d, "no"), "formula")
  expect_error(probit(~ x, d, "no"), "formula")
  expect_error(probit(y3 ~ x + offset(x), d, "no"), "method")
  expect_error(probit(y ~ x, d, c("mle", "mh")), "method")
  expect_error(probit(y3 ~ x + offset(x), d), "offset")
  for (f in list(y3 ~ x, yc ~ x, y2 ~ x, cbind(y, 1 - y) ~ x)) {
    expect_error(probit(f, d), "response")
  }
  d$x[1] <- Inf
  expect_error(probit(y ~ x, d), "X must be finite")
  expect_error(probit(y ~ 0, d), "at least one column")
})

test_that("print, summary and the other methods", {
  fit <- probit(y ~ x, dat)
  expect_output(out <- withVisible(print(fit)), "80")
  expect_false(out$visible)
  expect_identical(out$value, fit)
  expect_output(print(fit$fit), "mle.*80.*Intercept")
  s <- summary(fit)
  expect_s3_class(s, "summary.probit_fit")
  expect_identical(s, summary(fit$fit))
  expect_identical(dimnames(s$coefficients),
                   list(c("(Intercept)", "x"),
                        c("Estimate", "Std. Error", "z value", "Pr(>|z|)")))
  z <- fit$coefficients / fit$se
  expect_equal(s$coefficients[, 4], 2 * pnorm(-abs(z)))
  expect_output(print(s), "Std. Error")
  ll <- logLik(fit)
  expect_equal(as.numeric(ll), fit$fit$loglik)
  expect_identical(attr(ll, "df"), 2L)
  expect_identical(attr(ll, "nobs"), 80L)
  g <- probit(y ~ x, dat, "gibbs", n_iter = 100, burn_in = 50)
  s <- summary(g)
  expect_identical(colnames(s$coefficients), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(s$coefficients["x", 3],
               quantile(g$fit$beta_draws[, "x"], 0.025, names = FALSE))
  expect_identical(c(s$method, s$nobs), c("gibbs", "80"))
  expect_output(print(s), "97.5%")
  expect_output(print(g$fit), "gibbs")
})

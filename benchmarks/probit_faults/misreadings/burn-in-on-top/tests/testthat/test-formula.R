test_that("probit calls the matrix functions", {
  X <- model.matrix(am ~ wt, mtcars)
  f <- probit(am ~ wt, mtcars)
  expect_s3_class(f, c("probit", "probit_fit"), exact = TRUE)
  expect_named(f, c("coefficients", "se", "vcov", "method", "nobs", "fit", "formula", "call"))
  ref <- probit_mle(X, mtcars$am)
  expect_equal(f$fit, ref)
  expect_identical(f$coefficients, ref$coefficients); expect_identical(f$se, ref$se)
  expect_identical(f$formula, am ~ wt); expect_true(is.call(f$call))
  for (m in c("gibbs", "mh")) {
    fun <- get(paste0("probit_", m))
    set.seed(3); f <- probit(am ~ wt, mtcars, m, n_iter = 30, burn_in = 4)
    set.seed(3); ref <- fun(X, mtcars$am, n_iter = 30, burn_in = 4)
    expect_equal(f$fit, ref)
    expect_identical(f$coefficients, ref$posterior_mean); expect_identical(f$se, ref$posterior_sd)
    expect_equal(f$vcov, var(ref$beta_draws)); expect_identical(f$method, m)
  }
})

test_that("responses, missing values and the environment of the formula", {
  d <- mtcars[c("am", "wt", "hp")]
  base <- coef(probit(am ~ wt, d))
  expect_equal(coef(probit(am == 1 ~ wt, d)), base)
  expect_equal(coef(probit(factor(am, labels = c("b", "a")) ~ wt, d)), base)
  am <- d$am; wt <- d$wt
  expect_equal(coef(probit(am ~ wt)), base)
  e <- rbind(d, data.frame(am = c(NA, 1), wt = c(1, NA), hp = 1))
  expect_equal(coef(probit(am ~ wt, e)), base); expect_identical(nobs(probit(am ~ wt, e)), 32L)
  expect_named(coef(probit(am ~ ., d, "gibbs", n_iter = 5, burn_in = 0)), c("(Intercept)", "wt", "hp"))
  # a two-level factor with one observed level is a constant response
  one <- data.frame(y = factor(rep("b", 5), c("a", "b")), x = 1:5)
  expect_error(probit(y ~ x, one), "separat")
  expect_silent(probit(y ~ x, one, "gibbs", n_iter = 5))
  expect_error(probit(am ~ wt, transform(d, wt = replace(wt, 1, Inf))), "X must be finite")
  # all cars with three gears have am = 0: quasi-complete separation by a dummy
  expect_identical(unique(mtcars$am[mtcars$gear == 3]), 0)
  expect_error(probit(am ~ factor(gear), mtcars), "separat")
  # an unused level of a regressor is dropped
  h <- transform(d, g = factor(rep(c("u", "v"), 16), c("u", "v", "w")))
  expect_named(coef(probit(am ~ wt + g, h)), c("(Intercept)", "wt", "gv"))
  expect_error(probit(am ~ 0, d), "at least one column")
  expect_silent(z <- probit(am ~ wt, d[0, ], "gibbs", n_iter = 5)); expect_identical(z$nobs, 0L)
})

test_that("errors come in the order formula, method, offset, response", {
  d <- mtcars
  expect_error(probit(~ wt, d, "no"), "formula"); expect_error(probit("am ~ wt", d), "formula")
  for (m in list("no", NULL, c("mle", "mh"), 1, NA_character_)) expect_error(probit(mpg ~ wt + offset(hp), d, m), "method")
  expect_error(probit(mpg ~ wt + offset(hp), d), "offset")
  for (f in list(mpg ~ wt, factor(gear) ~ wt, as.character(am) ~ wt, cbind(am, vs) ~ wt))
    expect_error(probit(f, d), "response")
  expect_error(probit(mpg ~ 0, d), "response")
})

test_that("print, summary, coef, vcov, nobs and logLik", {
  set.seed(1)
  fits <- list(mle = probit(am ~ wt, mtcars), gibbs = probit(am ~ wt, mtcars, "gibbs", n_iter = 50),
               mh = probit(am ~ wt, mtcars, "mh", n_iter = 50))
  for (m in names(fits)) for (f in list(fits[[m]], fits[[m]]$fit)) {
    out <- capture.output(v <- withVisible(print(f)))
    expect_false(v$visible); expect_identical(v$value, f)
    for (p in c(m, "32", "wt")) expect_match(paste(out, collapse = "\n"), p)
    s <- summary(f)
    expect_s3_class(s, "summary.probit_fit", exact = TRUE)
    expect_identical(s$method, m); expect_identical(s$nobs, 32L)
    expect_identical(rownames(s$coefficients), c("(Intercept)", "wt"))
    out <- capture.output(v <- withVisible(print(s)))
    expect_false(v$visible); expect_match(out, colnames(s$coefficients)[1], all = FALSE)
    expect_identical(nobs(f), 32L)
  }
  s <- summary(fits$mle)$coefficients
  z <- fits$mle$coefficients / fits$mle$se
  expect_identical(colnames(s), c("Estimate", "Std. Error", "z value", "Pr(>|z|)"))
  expect_equal(s[, 3], z); expect_equal(s[, 4], 2 * pnorm(-abs(z)))
  dr <- fits$mh$fit$beta_draws
  s <- summary(fits$mh)$coefficients
  expect_identical(colnames(s), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(unname(s), unname(cbind(colMeans(dr), apply(dr, 2, sd), t(apply(dr, 2, quantile, c(.025, .975))))))
  expect_equal(vcov(fits$gibbs), var(fits$gibbs$fit$beta_draws)); expect_identical(vcov(fits$mle), fits$mle$fit$vcov)
  l <- logLik(fits$mle)
  expect_s3_class(l, "logLik")
  expect_equal(attr(l, "df"), 2); expect_equal(attr(l, "nobs"), 32); expect_equal(as.numeric(l), fits$mle$fit$loglik)
  expect_equal(AIC(fits$mle), 4 - 2 * as.numeric(l))
  expect_error(logLik(fits$gibbs), "maximum likelihood"); expect_error(logLik(fits$mh$fit), "maximum likelihood")
})

test_that("the formula interface calls the matrix function", {
  f <- probit(am ~ wt + factor(gear == 4), data = mtcars)
  X <- model.matrix(am ~ wt + factor(gear == 4), mtcars)
  m <- probit_mle(X, mtcars$am)
  expect_s3_class(f, c("probit", "probit_fit"), exact = TRUE)
  expect_named(f, c("coefficients", "se", "vcov", "method", "nobs", "fit", "formula", "call"))
  expect_equal(f$fit, m)
  expect_equal(f$coefficients, m$coefficients)
  expect_equal(f$se, m$se)
  expect_equal(f$vcov, m$vcov)
  expect_identical(f$nobs, 32L)
  for (me in c("gibbs", "mh")) {
    set.seed(1); f <- probit(am ~ wt, mtcars, me, n_iter = 100, burn_in = 10)
    fun <- if (me == "gibbs") probit_gibbs else probit_mh
    set.seed(1); m <- fun(model.matrix(am ~ wt, mtcars), mtcars$am, n_iter = 100, burn_in = 10)
    expect_equal(f$fit, m)
    expect_equal(f$coefficients, m$posterior_mean)
    expect_equal(f$se, m$posterior_sd)
    expect_equal(f$vcov, var(m$beta_draws))
    expect_identical(f$method, me)
  }
})

test_that("responses, missing values and environments", {
  d <- data.frame(y = c(0, 1, 0, 1, 1, 0, NA, 1), x = c(1, 2, 3, 1, 4, NA, 2, 2.5))
  f <- probit(y ~ x, d)
  expect_identical(nobs(f), 6L)
  expect_equal(coef(f), coef(probit(y ~ x, na.omit(d))))
  d$f <- factor(ifelse(d$y == 1, "yes", "no"), levels = c("no", "yes"))
  expect_equal(coef(probit(f ~ x, d)), coef(f))
  d$r <- factor(d$f, levels = c("yes", "no"))
  expect_equal(coef(probit(r ~ x, d)), -coef(f), tolerance = 1e-7)
  expect_equal(coef(probit(y == 1 ~ x, d)), coef(f))
  y <- d$y; x <- d$x
  expect_equal(coef(probit(y ~ x)), coef(f))
  old <- options(na.action = "na.fail"); on.exit(options(old))
  expect_error(probit(y ~ x), "missing")
})

test_that("formula errors in their order", {
  d <- data.frame(y = c(0, 1, 0, 1), x = c(1, 3, 2, 1), s = letters[1:4], i = c(1, Inf, 1, 2))
  expect_error(probit(~x, d, method = "no"), "formula")
  expect_error(probit("y ~ x", d), "formula")
  expect_error(probit(y ~ x + offset(x), d, method = "ols"), "method")
  expect_error(probit(y ~ x, d, method = c("mle", "mh")), "method")
  expect_error(probit(s ~ x + offset(x), d), "offset")
  for (fo in c(s ~ x, x ~ y, factor(s) ~ x, cbind(y, 1 - y) ~ x)) expect_error(probit(fo, d), "response")
  expect_error(probit(y ~ i, d), "X must be finite")
  expect_error(probit(y ~ 0, d), "at least one column")
  expect_error(probit(y ~ x, d[0, ]), "full column rank")
  expect_error(probit(y ~ x, d, tol = -1), "^tol")
})

test_that("print, summary and the other methods", {
  f <- probit(am ~ wt, mtcars)
  m <- f$fit
  s <- summary(f)
  expect_s3_class(s, "summary.probit_fit")
  expect_equal(s, summary(m))
  z <- m$coefficients / m$se
  expect_equal(s$coefficients, cbind(Estimate = m$coefficients, "Std. Error" = m$se,
    "z value" = z, "Pr(>|z|)" = 2 * pnorm(-abs(z))))
  expect_equal(as.numeric(logLik(f)), m$loglik)
  expect_equal(attributes(logLik(m))[c("df", "nobs")], list(df = 2L, nobs = 32L))
  expect_equal(BIC(f), -2 * m$loglik + 2 * log(32))
  expect_equal(vcov(f), m$vcov)
  set.seed(1)
  g <- probit(am ~ wt, mtcars, "gibbs", n_iter = 50, burn_in = 0)
  sg <- summary(g)$coefficients
  dr <- g$fit$beta_draws
  expect_identical(colnames(sg), c("Mean", "SD", "2.5%", "97.5%"))
  expect_equal(unname(sg[2, ]), c(mean(dr[, 2]), sd(dr[, 2]), unname(quantile(dr[, 2], c(0.025, 0.975)))))
  expect_equal(vcov(g$fit), var(dr))
  expect_error(logLik(g), "maximum likelihood")
  expect_error(logLik(g$fit), "maximum likelihood")
  for (o in list(f, m, g, g$fit, s)) {
    out <- capture.output(r <- withVisible(print(o)))
    expect_false(r$visible)
    expect_identical(r$value, o)
    expect_match(out, o$method, fixed = TRUE, all = FALSE)
    expect_match(out, "32", all = FALSE)
    expect_match(out, "wt", all = FALSE)
  }
  one <- probit_gibbs(matrix(1, 3, 1), c(0, 1, 1), n_iter = 20, burn_in = 0)
  expect_identical(dim(summary(one)$coefficients), c(1L, 4L))
})

test_that("exactly seven functions are exported", {
  expect_setequal(getNamespaceExports("probitr"), c("safe_log_Phi", "safe_Phi", "rtruncnorm",
    "probit_mle", "probit_gibbs", "probit_mh", "probit"))
})

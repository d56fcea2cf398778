# ratio_coef: S10.
source("shared.R")

drawn_models <- function() {
  cars <- list(data = CARS, formula = mpg ~ wt + qsec)
  both <- list(c(cars, numerator = "wt", denominator = "qsec"), c(cars, numerator = "qsec", denominator = "wt"))
  c(both, lapply(1:100, function(i) {
    n <- sample(8:40, 1)
    d <- data.frame(u = rnorm(n), v = rnorm(n), w = rnorm(n))
    d$y <- d$u + rnorm(1) * d$v + rnorm(n)
    list(data = d, formula = y ~ u + v + w, numerator = "v", denominator = "u")
  }))
}
fitted_here <- function(one) lm(one$formula, one$data)
expected_of <- function(models) {
  with_set(do.call(rbind, lapply(models, function(one) of_model(fitted_here(one), one$numerator, one$denominator))))
}
ask_coef <- function(models) {
  lapply(models, function(one) {
    ask("ratio_coef", ask("stats::lm", one$formula, data = one$data), one$numerator, one$denominator)
  })
}

# R3: the p-value of the F test of the constraint that the numerator is `limit` times the denominator.
f_test <- function(one, limit) {
  d <- one$data
  d$joint <- d[[one$denominator]] + limit * d[[one$numerator]]
  smaller <- if ("w" %in% names(d)) lm(y ~ joint + w, d) else lm(mpg ~ joint, d)
  anova(smaller, fitted_here(one))[["Pr(>F)"]][2]
}

scenario("S10",
  ratio_coef_estimate_df_and_g_of_a_linear_model = function() {
    models <- drawn_models()
    d <- expected_of(models)
    fits <- ask_coef(models)
    claim_each("C26", fits, "estimate", d$a / d$b)
    claim_each("C27", fits, "g", d$t^2 * d$vbb / d$b^2)
    for (rows in batches(seq_along(fits))) claim_same("C25", each(fits[rows], "df"), as.list(d$df[rows]))
    claim_same("C25", fits[[1]]$df, 29)
  },
  ratio_coef_type_and_limits_have_the_p_value_of_the_f_test = function() {
    models <- drawn_models()
    d <- expected_of(models)
    fits <- ask_coef(models)
    claim_types("C28", fits, d$type)
    for (i in which(d$type != "line" & d$sound > 1e-5)) {
      p <- vapply(c(d$lower[i], d$upper[i]), function(limit) f_test(models[[i]], limit), 0)
      if (any(abs(p - 0.05) > 1e-8)) stop("the F test has another p-value at the limits expected here")
    }
    # The F statistic of the constraint is T^2 with the variances of the fit, as the lines above have seen. The limits
    # themselves are claimed, too, so that one that has moved is seen where p is flat.
    for (rows in batches(which(d$type != "line" & d$steady))) {
      r <- as.list(d[rows, ])
      m <- stacked(fits[rows])
      claim_close("C24",
        list(p_value(abs(statistic(m, r)), r$t, r$df), m),
        list(matrix(0.05, 2, length(rows)), rbind(r$lower, r$upper))
      )
    }
    for (rows in batches(which(d$type != "line" & !d$steady))) {
      r <- as.list(d[rows, ])
      p <- p_value(abs(statistic(stacked(fits[rows]), r)), r$t, r$df)
      claim_close("C24", p, matrix(0.05, 2, length(rows)), part = FAR)
    }
  }
)

# ratio_means: S8, S9 and S16.
source("shared.R")

several <- function(samples, of) do.call(rbind, lapply(samples, function(s) of(s$x, s$y)))
ask_means <- function(samples, ...) lapply(samples, function(s) ask("ratio_means", s$x, s$y, ...))

drawn_samples <- function() {
  example <- list(list(x = FIRST, y = SECOND))
  c(example, lapply(1:300, function(i) {
    sizes <- sample(2:30, 2, replace = TRUE)
    means <- rnorm(2, sd = 2)
    sds <- runif(2, 0.2, 3)
    list(x = rnorm(sizes[1], means[1], sds[1]), y = rnorm(sizes[2], means[2], sds[2]))
  }))
}

scenario("S8",
  ratio_means_independent_estimate_variances_and_df_by_welch = function() {
    samples <- drawn_samples()
    d <- several(samples, of_independent)
    # the example as the specification prints it
    if (abs(d$df[1] - 2.98813650344) > 1e-10) stop("the reference program gives other degrees of freedom")
    d[1, c("vaa", "vbb")] <- c(5 / 12, 1 / 3)
    fits <- ask_means(samples)
    claim_each("C15", fits, "df", d$df)
    for (rows in batches(seq_along(fits))) {
      # both variances, and that independent samples have no covariance
      claim_close("C16",
        c(each(fits[rows], "vaa"), each(fits[rows], "vbb"), each(fits[rows], "vab")),
        as.list(c(d$vaa[rows], d$vbb[rows], d$vab[rows]))
      )
    }
    claim_each("C17", fits, "vbb", d$vbb)
    claim_each("C23", fits, "estimate", d$a / d$b)
  },
  ratio_means_independent_limits_and_type_by_the_statistic = function() {
    samples <- drawn_samples()
    d <- with_set(several(samples, of_independent))
    fits <- ask_means(samples)
    claim_statistic("C18", fits, d)
    claim_types("C19", fits, d$type)
  },
  ratio_means_independent_limits_with_swapped_samples = function() {
    samples <- drawn_samples()
    d <- with_set(several(samples, of_independent))
    fits <- ask_means(samples)
    claim_reciprocals("C4", fits, ask_means(lapply(samples, function(s) list(x = s$y, y = s$x))), d)
  }
)

drawn_pairs <- function() {
  c(list(list(x = FIRST, y = PAIR)), lapply(1:200, function(i) {
    n <- sample(3:30, 1)
    z <- rnorm(n)
    e <- rnorm(n)
    f <- rnorm(n)
    list(x = 2 + z + e, y = 1 + z + f)
  }))
}

scenario("S9",
  ratio_means_paired_estimate_variances_covariance_and_df = function() {
    pairs <- drawn_pairs()
    d <- several(pairs, of_pairs)
    d[1, c("vaa", "vbb", "vab")] <- c(5 / 12, 5 / 12, 1 / 3)
    fits <- ask_means(pairs, paired = TRUE)
    for (rows in batches(seq_along(fits))) {
      claim_close("C21",
        c(each(fits[rows], "vaa"), each(fits[rows], "vbb"), each(fits[rows], "vab")),
        as.list(c(d$vaa[rows], d$vbb[rows], d$vab[rows]))
      )
      claim_same("C22", each(fits[rows], "df"), as.list(d$df[rows]))
    }
    claim_each("C23", fits, "estimate", d$a / d$b)
  },
  ratio_means_paired_limits_and_type_by_the_statistic = function() {
    pairs <- drawn_pairs()
    d <- with_set(several(pairs, of_pairs))
    fits <- ask_means(pairs, paired = TRUE)
    claim_statistic("C18", fits, d)
    claim_types("C19", fits, d$type)
  },
  ratio_means_paired_limits_have_the_p_value_of_the_paired_t_test = function() {
    pairs <- drawn_pairs()
    d <- with_set(several(pairs, of_pairs))
    fits <- ask_means(pairs, paired = TRUE)
    # the statistic of the differences x - L y, as the paired t test forms it
    p_at <- function(limit, x, y, r) {
      differences <- x - limit * y
      p_value(abs(mean(differences) / sqrt(var(differences) / length(x))), r$t, r$df)
    }
    asked <- lapply(which(d$type != "line"), function(i) {
      x <- pairs[[i]]$x
      y <- pairs[[i]]$y
      r <- d[i, ]
      both <- c(r$lower, r$upper)
      # R2 itself, at the limits of the second way
      if (r$sound > 1e-5) {
        p <- vapply(both, function(limit) t.test(x, limit * y, paired = TRUE)$p.value, 0)
        if (any(abs(p - 0.05) > 1e-8)) stop("the paired t test has another p-value at the limits expected here")
      }
      limits <- fits[[i]]$limits
      list(
        observed = list(p_at(limits[1], x, y, r), p_at(limits[2], x, y, r), limits), expected = list(0.05, 0.05, both),
        steady = r$steady
      )
    })
    steady <- vapply(asked, function(one) one$steady, NA)
    joined <- function(rows, name, many) do.call(c, lapply(rows, function(one) one[[name]][seq_len(many)]))
    # the limits themselves, too, so that one that has moved is seen where p is flat
    for (rows in batches(asked[steady], 20)) claim_close("C20", joined(rows, "observed", 3), joined(rows, "expected", 3))
    for (rows in batches(asked[!steady], 20)) {
      claim_close("C20", joined(rows, "observed", 2), joined(rows, "expected", 2), part = FAR)
    }
  }
)

scenario("S16", ratio_means_limits_and_df_of_a_constant_sample_or_a_zero_numerator = function() {
  numerator <- ask("ratio_means", c(3, 3, 3), PAIR)
  denominator <- ask("ratio_means", PAIR, c(3, 3, 3))
  zero <- ask("ratio_means", c(-1, 1, -2, 2), c(1, 2, 3, 4, 5))
  claim_close("C33", list(numerator$df, denominator$df, zero$df), list(3, 3, 3))
  half <- t_of(0.95, 3) * sqrt(5 / 12)
  claim_close("C34", numerator$limits, 3 / (2.5 + c(1, -1) * half))
  claim_close("C34", denominator$limits, (2.5 + c(-1, 1) * half) / 3)
  # mean 0 and 3, variances 5/6 and 1/2 of the means: rho^2 (9 - t^2 / 2) = t^2 5 / 6
  t <- t_of(0.95, 3)
  claim_close("C34", zero$limits, c(-1, 1) * t * sqrt(5 / 6 / (9 - t^2 / 2)))
})

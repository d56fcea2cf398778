# S1 to S4: numbers that are known.
source("shared.R")

# Every lags of a table, and None for the automatic number.
each_lags <- function(tabled, automatic, visit) {
  for (name in names(tabled)) visit(as.integer(name), tabled[[name]])
  visit(NULL, tabled[[automatic]])
}

scenario("S1",
  known_coef_cov_se_and_residuals_by_lags = function() {
    each_lags(cov_a, "2", function(lags, cov) {
      fit <- ask("ols_hac", data_a$y, data_a$X, lags = lags)
      claim_close("C1", fit$coef, data_a$coef)
      claim_close("C2", fit$residuals, data_a$residuals)
      claim_close("C3", fit$cov, cov)
      claim_close("C4", fit$se, sqrt(base::diag(cov)))
      claim_close("C5", fit$conf_int, by_definition(data_a$y, data_a$X, if (is.null(lags)) 2L else lags)$conf_int)
    })
  },
  automatic_lags_when_the_argument_is_left_out = function() {
    fit <- ask("ols_hac", data_a$y, data_a$X)
    claim_close("C1", fit$coef, data_a$coef)
    claim_close("C3", fit$cov, cov_a[["2"]])
    claim_close("C4", fit$se, sqrt(c(26 / 375, 14 / 1875)))
  },
  known_conf_int_and_se_by_level = function() {
    se <- c(0.4019950248448356, 0.14422205101855956)
    known <- list(
      list(level = 0.5, low = c(0.32885847611233915, 0.7027237048357252), high = c(0.8711415238876608, 0.8972762951642749)),
      list(level = 0.95, low = c(-0.18789577066016194, 0.5173299742271251), high = c(1.3878957706601618, 1.082670025772875)),
      list(level = 0.99, low = c(-0.43547056487619573, 0.42850861476846985), high = c(1.6354705648761958, 1.1714913852315303))
    )
    for (row in known) {
      fit <- ask("ols_hac", data_a$y, data_a$X, lags = 1L, level = row$level)
      claim_close("C5", fit$conf_int, cbind(row$low, row$high))
      claim_close("C4", fit$se, se)
      claim_close("C3", fit$cov, cov_a[["1"]])
    }
  },
  default_level_of_conf_int = function() {
    fit <- ask("ols_hac", data_a$y, data_a$X, lags = 1L)
    claim_close("C5", fit$conf_int, rbind(c(-0.18789577066016194, 1.3878957706601618), c(0.5173299742271251, 1.082670025772875)))
  },
  conf_int_at_another_level = function() {
    fit <- ask("ols_hac", data_a$y, data_a$X, lags = 1L, level = 0.9)
    claim_close("C5", fit$conf_int, by_definition(data_a$y, data_a$X, 1L, level = 0.9)$conf_int)
  }
)

scenario("S2",
  known_coef_cov_se_and_residuals_up_to_lags_n_minus_1 = function() {
    each_lags(cov_b, "2", function(lags, cov) {
      fit <- ask("ols_hac", data_b$y, data_b$X, lags = lags)
      claim_close("C1", fit$coef, data_b$coef)
      claim_close("C2", fit$residuals, data_b$residuals)
      claim_close("C3", fit$cov, cov)
      claim_close("C4", fit$se, sqrt(base::diag(cov)))
    })
  },
  known_se_with_three_lags = function() {
    fit <- ask("ols_hac", data_b$y, data_b$X, lags = 3L)
    claim_close("C4", fit$se, c(0.6586087559434904, 0.21546901755054143, 0.2638763286698039))
  },
  reversing_the_order_of_time_leaves_coef_and_cov = function() {
    reversed <- ask("ols_hac", data_b$y[12:1], data_b$X[12:1, ], lags = 3L)
    claim_close("C1", reversed$coef, data_b$coef)
    claim_close("C2", reversed$residuals, data_b$residuals[12:1])
    claim_close("C3", reversed$cov, cov_b[["3"]])
  },
  permuting_the_rows_leaves_cov_with_zero_lags_only = function() {
    order <- sample(12L)
    fit <- ask("ols_hac", data_b$y[order], data_b$X[order, ], lags = 0L)
    claim_close("C3", fit$cov, cov_b[["0"]])
    fit <- ask("ols_hac", data_b$y[order], data_b$X[order, ], lags = 3L)
    claim_close("C3", fit$cov, by_definition(data_b$y[order], data_b$X[order, ], 3L)$cov)
  }
)

scenario("S3",
  automatic_number_of_lags_by_n = function() {
    sizes <- c(2, 4, 5, 27, 28, 99, 100, 200, 272, 273, 51199, 51200)
    wanted <- c(1L, 1L, 2L, 2L, 3L, 3L, 4L, 4L, 4L, 5L, 15L, 16L)
    for (i in seq_along(sizes)) {
      fit <- ask("ols_hac", rnorm(sizes[[i]]), matrix(1, sizes[[i]], 1L))
      claim_close("C6", fit$lags, wanted[[i]])
    }
  },
  automatic_number_of_lags_when_lags_is_none = function() {
    claim_close("C6", ask("ols_hac", data_a$y, data_a$X, lags = NULL)$lags, 2L)
    claim_close("C6", ask("ols_hac", data_b$y, data_b$X, lags = NULL)$lags, 2L)
  },
  given_number_of_lags_is_reported_back = function() {
    for (lags in c(0L, 4L)) {
      claim_close("C6", ask("ols_hac", data_a$y, data_a$X, lags = lags)$lags, lags)
    }
  },
  given_numpy_integer_lags_is_reported_back = function() {
    claim_close("C6", ask("ols_hac", data_a$y, data_a$X, lags = numpy_int64(1L))$lags, 1L)
  }
)

small_sample_case <- function(data, factor) {
  left_out <- ask("ols_hac", data$y, data$X, lags = 1L)
  off <- ask("ols_hac", data$y, data$X, lags = 1L, small_sample = FALSE)
  on <- ask("ols_hac", data$y, data$X, lags = 1L, small_sample = TRUE)
  plain <- by_definition(data$y, data$X, 1L)
  scaled <- by_definition(data$y, data$X, 1L, small_sample = TRUE)
  # by value
  for (fit in list(left_out, off)) {
    claim_close("C7", fit$cov, plain$cov)
    claim_close("C7", fit$se, plain$se)
    claim_close("C7", fit$conf_int, plain$conf_int)
  }
  claim_close("C7", on$cov, scaled$cov)
  claim_close("C7", on$se, scaled$se)
  claim_close("C7", on$conf_int, scaled$conf_int)
  # left out equals False
  for (part in c("coef", "cov", "se", "conf_int", "residuals", "lags")) claim_close("C7", left_out[[part]], off[[part]])
  # True multiplies cov, se and half widths follow, everything else stays
  claim_close("C7", on$cov, left_out$cov * factor)
  claim_close("C7", on$se, left_out$se * sqrt(factor))
  wider <- lapply(1:2, function(side) left_out$coef + (left_out$conf_int[, side] - left_out$coef) * sqrt(factor))
  claim_close("C7", list(on$conf_int[, 1], on$conf_int[, 2]), wider)
  for (part in c("coef", "residuals", "lags")) claim_close("C7", on[[part]], left_out[[part]])
}

scenario("S4",
  small_sample_factor_with_two_columns = function() small_sample_case(data_a, 5 / 3),
  small_sample_factor_with_three_columns = function() small_sample_case(data_b, 4 / 3),
  known_cov_with_small_sample = function() {
    fit <- ask("ols_hac", data_a$y, data_a$X, lags = 1L, small_sample = TRUE)
    claim_close("C7", fit$cov, symmetric(c(101 / 375, -34 / 375, 13 / 375)))
    fit <- ask("ols_hac", data_a$y, data_a$X, lags = 1L)
    claim_close("C7", fit$cov, cov_a[["1"]])
  }
)

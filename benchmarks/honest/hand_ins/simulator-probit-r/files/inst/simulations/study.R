# Monte Carlo comparison of three probit estimators: maximum likelihood, Gibbs sampling, random-walk Metropolis-Hastings.
#
# A replication has n pairs: x standard normal, y = 1 with probability Phi(-1 + 0.5 x). The three methods are asked about
# the same X = (1, x) and y. No answer is seen here: what is recorded is written as arithmetic of answers to come.

TRUTH <- c(intercept = -1, slope = 0.5)

# Half the width of a 95% interval in standard errors, rounded as the specification rounds it.
Z <- 1.96
TAILS <- c(low = 0.025, high = 0.975)

# A call of maximum likelihood is shorter than a clock resolves, so its time is the mean over this many.
TIMED_CALLS <- 20L
# Only under a logarithm, and only where all timed calls were measured as nothing: no call is this short (one microsecond).
SHORTEST <- 1e-6

GAP_LIMIT <- 0.1
RATE_LIMITS <- c(low = 0.2, high = 0.5)

draw <- function(cell) {
  n <- cell$n
  x <- rnorm(n)
  latent <- TRUTH[["intercept"]] + TRUTH[["slope"]] * x + rnorm(n)
  # without dimnames: coefficients are taken by place, 1 is the intercept and 2 the slope
  list(X = matrix(c(rep(1, n), x), n, 2L), y = as.numeric(latent > 0))
}

# ---- maximum likelihood, which every method needs --------------------------------------------------------------------

# The same call several times. Each has a seed of its own, so that they are different calls to the engine although no
# random number is used; the seeds are the same in all methods, so that the methods share the calls and their times.
fits_of_mle <- function(data) {
  lapply(seq_len(TIMED_CALLS), function(i) {
    seeded(i, ask("probit_mle", data$X, data$y, max_iter = 100, tol = 1e-8))
  })
}
seconds_of_mle <- function(fits) mean(lapply(fits, seconds_of))

# ---- what is recorded ------------------------------------------------------------------------------------------------

normal_interval <- function(estimate, se) {
  list(estimate = estimate, se = se, low = estimate - Z * se, high = estimate + Z * se)
}

of_draws <- function(fit, k) {
  draws <- fit$beta_draws[, k]
  list(
    estimate = fit$posterior_mean[k],
    se = fit$posterior_sd[k],
    low = quantile(draws, TAILS[["low"]]),
    high = quantile(draws, TAILS[["high"]])
  )
}

larger <- function(a, b) (a + b + abs(a - b)) / 2
# A comparison as the number 0 or 1.
indicator <- function(comparison) 1 * comparison

# What both samplers record; the acceptance rate and whether it is out of its limits come with it.
of_sampler <- function(fit, data, acceptance_rate, rate_out) {
  reference <- fits_of_mle(data)
  seconds <- seconds_of(fit)
  gap <- max(abs(fit$posterior_mean - reference[[1L]]$coefficients))
  list(
    intercept = of_draws(fit, 1L),
    slope = of_draws(fit, 2L),
    seconds = seconds,
    log_speedup = log(larger(seconds, SHORTEST) / larger(seconds_of_mle(reference), SHORTEST)),
    gap = gap,
    gap_out = indicator(gap > GAP_LIMIT),
    acceptance_rate = acceptance_rate,
    rate_out = rate_out
  )
}

# ---- the methods -----------------------------------------------------------------------------------------------------

methods <- list(
  mle = function(data, cell) {
    fits <- fits_of_mle(data)
    fit <- fits[[1L]]
    list(
      intercept = normal_interval(fit$coefficients[1L], fit$se[1L]),
      slope = normal_interval(fit$coefficients[2L], fit$se[2L]),
      converged = fit$converged,
      seconds = seconds_of_mle(fits),
      log_speedup = 0,
      gap = 0,
      gap_out = 0,
      acceptance_rate = 1,
      rate_out = 0
    )
  },
  gibbs = function(data, cell, seed) {
    fit <- seeded(seed, ask("probit_gibbs", data$X, data$y, n_iter = 3500, burn_in = 500))
    of_sampler(fit, data, acceptance_rate = 1, rate_out = 0)
  },
  mh = function(data, cell, seed) {
    fit <- seeded(seed, ask("probit_mh", data$X, data$y, n_iter = 10000, burn_in = 2000, scale = 2.4))
    rate <- fit$acceptance_rate
    out <- indicator(rate < RATE_LIMITS[["low"]]) + indicator(rate > RATE_LIMITS[["high"]])
    of_sampler(fit, data, acceptance_rate = rate, rate_out = out)
  }
)

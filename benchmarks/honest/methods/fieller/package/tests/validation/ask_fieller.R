# ratio_ci: S1 to S7.
source("shared.R")

# The calls with method fieller and level L2 of the table in Behaviours, for which t = 2.
worked <- function() {
  d <- data.frame(
    a = c(2, 1, -2, 2, 4, 2, 1, 1, 2, 2),
    b = c(1, 2, 1, -1, 2, 1, 2, 1, 1, 1),
    vaa = c(0.04, 0.01, 0.04, 0.04, 1, 0.04, 1, 4, 0.04, 0),
    vbb = c(0.01, 0.04, 0.01, 0.01, 0.25, 1, 0.04, 1, 0, 0.01),
    vab = c(0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0),
    df = Inf, t = 2
  )
  d$type <- c(rep("interval", 5), "complement", "interval", "line", "interval", "interval")
  d$g <- c(0.04, 0.04, 0.04, 0.04, 0.25, 4, 0.04, 4, 0, 0.04)
  d$lower <- c(
    1.5, 3 / 8, -8 / 3, -8 / 3, (1.9 - sqrt(1.36)) / 0.75, (-2 - 2 * sqrt(3.88)) / 3, (0.5 - sqrt(0.97)) / 0.96, -Inf, 1.6, 5 / 3
  )
  d$upper <- c(
    8 / 3, 2 / 3, -1.5, -1.5, (1.9 + sqrt(1.36)) / 0.75, (-2 + 2 * sqrt(3.88)) / 3, (0.5 + sqrt(0.97)) / 0.96, Inf, 2.4, 2.5
  )
  d$sound <- pmin(elasticity(d$lower, d), elasticity(d$upper, d))
  d
}

scenario("S1",
  ratio_ci_fieller_limits_type_and_g_of_worked_examples = function() {
    d <- worked()
    fits <- ask_ratio(d, L2)
    claim_close("C7", each(fits, "limits"), limits_of(d))
    claim_same("C8", each(fits, "type"), as.list(d$type))
    claim_same("C2", each(fits, "type"), as.list(d$type))
    claim_close("C9", each(fits, "g"), as.list(d$g))
    claim_statistic("C1", fits, d)
  },
  ratio_ci_estimate_and_its_sign_in_worked_examples = function() {
    d <- worked()
    claim_close("C10", each(ask_ratio(d, L2), "estimate"), as.list(c(2, 0.5, -2, -2, 2, 2, 0.5, 1, 2, 2)))
  }
)

scenario("S2", ratio_ci_half_line_or_line_where_g_is_exactly_one = function() {
  d <- data.frame(a = c(3, -3, 3, 0), b = 1, vaa = 1, vbb = 1, vab = c(0, 0, 0.5, 0), df = 1, t = 1)
  types <- c("half-line", "half-line", "half-line", "line")
  expected <- list(c(4 / 3, Inf), c(-Inf, -4 / 3), c(1.6, Inf), c(-Inf, Inf))
  fits <- ask_ratio(d, 0.5)
  claim_close("C7", each(fits, "limits"), expected)
  claim_same("C8", each(fits, "type"), as.list(types))
  claim_same("C2", each(fits, "type"), as.list(types))
  claim_close("C9", each(fits, "g"), list(1, 1, 1, 1))
  # the finite limit by its statistic, the other one as it is
  for (i in 1:3) {
    finite <- which(is.finite(expected[[i]]))
    claim_close("C1", list(abs(statistic(fits[[i]]$limits[finite], d[i, ])), fits[[i]]$limits), list(1, expected[[i]]))
  }
})

drawn_sets <- function() {
  d <- with_set(draw_estimates(2000))
  if (min(table(factor(d$type, c("interval", "complement", "line")))) <= 200) stop("a type is drawn 200 times or less")
  d
}

# Membership in the set that limits describe, given that the type is the expected one (which the same claim says).
inside <- function(type, m, points) {
  if (type == "interval") (m[1, ] <= points) * (points <= m[2, ]) * 1 else ((points <= m[1, ]) + (m[2, ] <= points)) * 1
}
truly_inside <- function(points, d) {
  found <- vapply(seq_len(nrow(d)), function(i) {
    rho <- if (ncol(points) == 1) points[, 1] else points[, i]
    as.numeric(abs(statistic(rho, d[i, ])) <= d$t[i])
  }, numeric(nrow(points)))
  matrix(found, nrow(points))
}

scenario("S3",
  ratio_ci_limits_type_and_g_of_drawn_sets_follow_from_the_statistic = function() {
    d <- drawn_sets()
    fits <- ask_ratio(d)
    claim_statistic("C1", fits, d)
    claim_types("C2", fits, d$type)
    claim_each("C9", fits, "g", d$t^2 * d$vbb / d$b^2)
  },
  ratio_ci_set_of_type_and_limits_holds_just_the_values_that_are_not_rejected = function() {
    d <- drawn_sets()
    fits <- ask_ratio(d)
    grid <- matrix(tan(pi * ((1:101) / 102 - 1 / 2)))
    for (type in c("interval", "complement")) {
      for (rows in batches(which(d$type == type))) {
        m <- stacked(fits[rows])
        types <- each(fits[rows], "type")
        claim_same("C6", list(types, inside(type, m, grid)), list(as.list(d$type[rows]), truly_inside(grid, d[rows, ])))
      }
      # the estimate, and both sides of each limit at a distance of 1e-7 in the angle
      for (rows in batches(which(d$type == type & d$sound >= 1e-4))) {
        r <- d[rows, ]
        near <- function(rho, by) tan(atan(rho) + by)
        points <- rbind(r$a / r$b, near(r$lower, -1e-7), near(r$lower, 1e-7), near(r$upper, -1e-7), near(r$upper, 1e-7))
        claim_same("C6", inside(type, stacked(fits[rows]), points), truly_inside(points, r))
      }
    }
    for (rows in batches(which(d$type == "line"))) {
      if (!all(truly_inside(grid, d[rows, ]) == 1)) stop("a line that does not hold every value")
      claim_same("C6",
        c(each(fits[rows], "type"), each(fits[rows], "limits")),
        c(as.list(d$type[rows]), rep(list(c(-Inf, Inf)), length(rows)))
      )
    }
  },
  ratio_ci_limits_and_type_with_swapped_numerator_and_denominator = function() {
    d <- drawn_sets()
    fits <- ask_ratio(d)
    swapped <- ask_swapped(d)
    claim_reciprocals("C3", fits, swapped, d)
    holds_zero <- d$lower < 0 & 0 < d$upper
    types <- ifelse(holds_zero & d$type == "interval", "complement",
      ifelse(holds_zero & d$type == "complement", "interval", d$type))
    for (rows in batches(seq_along(fits))) {
      # both types: which one stays and which one changes
      claim_same("C5", c(each(fits[rows], "type"), each(swapped[rows], "type")), as.list(c(d$type[rows], types[rows])))
    }
  }
)

scenario("S4", ratio_ci_limits_and_type_close_to_g_of_one = function() {
  t <- t_of(0.95, Inf)
  e <- c(-1e-6, -1e-9, 1e-9, 1e-6)
  d <- data.frame(a = 3, b = t * (1 + e), vaa = 1, vbb = 1, vab = 0.3, df = Inf, t = t)
  d <- with_set(d)
  types <- c("complement", "complement", "interval", "interval")
  if (!identical(d$type, types)) stop("the types of S4 are others than the specification says")
  fits <- ask_ratio(d)
  claim_same("C2", each(fits, "type"), as.list(types))
  claim_same("C8", each(fits, "type"), as.list(types))
  claim_statistic("C1", fits, d, least = 1e-7)
  # Next to g = 1 the statistic cannot tell a far limit from another or from its negative. The limit nearer to zero is
  # claimed as it is, the far one by its sign and to one part in 1e4: its condition is 1e9, so that 1e-6 can be reached.
  for (i in which(d$sound < 1e-7)) {
    both <- c(d$lower[i], d$upper[i])
    far <- which.max(abs(both))
    limits <- fits[[i]]$limits
    claim_close("C1", list(limits[3 - far], (limits[far] / both[far])^1e-4), list(both[3 - far], 1), part = FAR)
  }
})

scenario("S5", ratio_ci_limits_of_precise_estimates = function() {
  for (e in c(0.1, 0.01, 0.001, 0.0001)) {
    d <- data.frame(
      a = runif(100, 1, 3), b = runif(100, 1, 3), vaa = (e * runif(100, 0.5, 1))^2, vbb = (e * runif(100, 0.5, 1))^2,
      vab = 0, df = Inf, t = t_of(0.95, Inf)
    )
    d <- with_set(d)
    claim_statistic("C1", ask_ratio(d), d)
  }
})

scenario("S6", ratio_ci_limits_and_estimate_scale_with_units_and_sign = function() {
  base <- ask("ratio_ci", 2, 1, 0.04, 0.01, 0.005)
  own <- with_set(data.frame(a = 2, b = 1, vaa = 0.04, vbb = 0.01, vab = 0.005, df = Inf, t = t_of(0.95, Inf)))
  claim_close("C11", base$limits, c(own$lower, own$upper))
  for (c in c(1e-80, 1e-3, 1e3, 1e80)) {
    for (k in c(1e-60, -1e-3, 1e3, 1e60)) {
      fit <- ask("ratio_ci", 2 * c, k, 0.04 * c^2, 0.01 * k^2, 0.005 * c * k)
      ends <- if (c / k < 0) 2:1 else 1:2
      claim_close("C11",
        list(fit$limits[ends[1]] / (c / k), fit$limits[ends[2]] / (c / k)), list(base$limits[1], base$limits[2])
      )
      claim_close("C10", fit$estimate, 2 * c / k)
    }
  }
})

scenario("S7",
  ratio_ci_delta_limits_type_method_and_g_of_worked_examples = function() {
    d <- data.frame(a = 2, b = 1, vaa = 0.04, vbb = c(0.01, 1), vab = 0, df = Inf)
    fits <- ask_ratio(d, L2, method = "delta")
    half <- 2 * sqrt(c(0.08, 4.04))
    expected <- list(2 + c(-1, 1) * half[1], 2 + c(-1, 1) * half[2])
    claim_close("C12", each(fits, "limits"), expected)
    m <- stacked(fits)
    claim_close("C13", list(((m[2, ] - m[1, ]) / 4)^2, m), list(c(0.08, 4.04), rbind(2 - half, 2 + half)))
    claim_close("C9", each(fits, "g"), list(0.04, 4))
    claim_same("C14", c(each(fits, "type"), each(fits, "method")), list("interval", "interval", "delta", "delta"))
  },
  ratio_ci_delta_limits_type_method_and_g_of_draws = function() {
    d <- draw_estimates(200)
    fits <- ask_ratio(d, method = "delta")
    r <- d$a / d$b
    variance <- (d$vaa - 2 * r * d$vab + r^2 * d$vbb) / d$b^2
    d$lower <- r - d$t * sqrt(variance)
    d$upper <- r + d$t * sqrt(variance)
    for (rows in batches(seq_len(200))) {
      m <- stacked(fits[rows])
      both <- rbind(d$lower[rows], d$upper[rows])
      claim_close("C12", m, both)
      claim_close("C13", list(((m[2, ] - m[1, ]) / (2 * d$t[rows]))^2, m), list(variance[rows], both))
      claim_same("C14",
        c(each(fits[rows], "type"), each(fits[rows], "method")), as.list(rep(c("interval", "delta"), each = length(rows)))
      )
    }
    claim_each("C9", fits, "g", d$t^2 * d$vbb / d$b^2)
  }
)

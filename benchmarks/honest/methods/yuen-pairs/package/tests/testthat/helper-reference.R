# A plain second computation, straight from the formulas, for ordinary data.
reference_one <- function(x, trim) {
  x <- sort(as.numeric(x))
  n <- length(x)
  k <- floor(n * trim)
  w <- pmin(pmax(x, x[k + 1]), x[n - k])
  list(n = n, h = n - 2 * k, m = mean(x, trim = trim),
       v = sum((w - mean(w))^2) / (n - 1))
}

reference_yuen <- function(x, y, trim, mu = 0, level = 0.95) {
  a <- reference_one(x, trim)
  b <- reference_one(y, trim)
  d1 <- (a$n - 1) * a$v / (a$h * (a$h - 1))
  d2 <- (b$n - 1) * b$v / (b$h * (b$h - 1))
  se <- sqrt(d1 + d2)
  t <- (a$m - b$m - mu) / se
  nu <- (d1 + d2)^2 / (d1^2 / (a$h - 1) + d2^2 / (b$h - 1))
  # the constant by numerical integration, not by the formula of the package
  z <- -qnorm(trim)
  c2 <- if (trim == 0) 1 else {
    integrate(function(u) u^2 * dnorm(u), -z, z, rel.tol = 1e-11)$value +
      2 * trim * z^2
  }
  pooled <- ((a$n - 1) * a$v + (b$n - 1) * b$v) / (a$n + b$n - 2)
  dm <- a$m - b$m
  list(
    m = c(a$m, b$m), se = se, t = t, nu = nu,
    p = c(two.sided = 2 * pt(-abs(t), nu), less = pt(t, nu),
          greater = pt(-t, nu)),
    ci = list(two.sided = dm + c(-1, 1) * qt((1 + level) / 2, nu) * se,
              less = c(-Inf, dm + qt(level, nu) * se),
              greater = c(dm - qt(level, nu) * se, Inf)),
    effect = sqrt(c2) * dm / sqrt(pooled)
  )
}

sample_x <- c(2.1, 2.9, 3.3, 3.4, 3.8, 4.0, 4.4, 4.6, 5.2, 21.7)
sample_y <- c(5.5, 4.6, 4.9, 5.3, 3.9, 5.8, 6.1, 6.4, 8.2, 7.7, 7.0, -3.5, 6.6)

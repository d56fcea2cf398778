# What the question files share: the data of the specification, a second way to every number, and a few arguments in
# the form in which a Python caller would give them.

# ---- data -----------------------------------------------------------------------------------------------------------

data_a <- list(
  y = c(1, 3, 2, 5, 4),
  X = unname(cbind(1, 1:5)),
  coef = c(3 / 5, 4 / 5),
  residuals = c(-0.4, 0.8, -1, 1.2, -0.6)
)

data_b <- list(
  y = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8),
  X = unname(cbind(1, c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5), c(1, -1, 0, 2, -2, 1, 3, -3, 0, 1, -1, 2))),
  coef = c(20347 / 5015, 2849 / 40120, -1109 / 5015),
  residuals = c(
    -0.9781156530408773, -3.7754486540378864, -0.12824027916251246, -3.183050847457627, 0.35847457627118645,
    4.595812562313061, -1.4648305084745763, 0.7112662013958125, 0.8007477567298106, -1.4041874376869392,
    0.43758723828514456, 4.029985044865404
  )
)

# A symmetric matrix from its upper triangle, read row by row.
symmetric <- function(upper) {
  k <- (sqrt(8 * length(upper) + 1) - 1) / 2
  found <- matrix(0, k, k)
  found[lower.tri(found, diag = TRUE)] <- upper
  found[upper.tri(found)] <- base::t(found)[upper.tri(found)]
  found
}

# The tables of the specification, by the number of lags.
cov_a <- list(
  `0` = symmetric(c(0.3744, -0.1008, 0.0416)),
  `1` = symmetric(c(101 / 625, -34 / 625, 13 / 625)),
  `2` = symmetric(c(26 / 375, -32 / 1875, 14 / 1875)),
  `4` = symmetric(c(0.07232, -0.02176, 0.00832))
)
cov_b <- list(
  `0` = symmetric(c(0.5051579323585949, -0.13743484994179606, -0.04698552036299809, 0.05456057913725666,
    0.033920169071742716, 0.12881201366642703)),
  `2` = symmetric(c(0.5862398035043429, -0.14998302210294545, 0.0015246366817188042, 0.05574943361440907,
    0.006522855685513729, 0.07811666854597747)),
  `3` = symmetric(c(0.43376549340543213, -0.10821783722375114, 0.055941647027301644, 0.046426897524195536,
    -0.004998972151572811, 0.06963071683225434)),
  `11` = symmetric(c(0.15255702934679946, -0.014836059437768287, 0.02848461950649565, 0.012329157841946253,
    0.0024408349293778843, 0.02885619416578937))
)

# Data D from the stream of the scenario; `errors` makes the errors of standard normal numbers and X.
draw_d <- function(errors = function(e, X) e) {
  X <- cbind(1, matrix(rnorm(60 * 3), 60, 3))
  list(y = rowSums(X) + errors(rnorm(60), X), X = X)
}

# ---- a second way ---------------------------------------------------------------------------------------------------

# Least squares by R's own QR decomposition, and the covariance as a double sum over all pairs of times: the Bartlett
# weights stand in one n by n matrix, so no autocovariance of the scores is ever formed.
by_definition <- function(y, X, lags, level = 0.95, small_sample = FALSE) {
  fitted <- qr(X)
  coef <- qr.coef(fitted, y)
  residuals <- drop(y - X %*% coef)
  weights <- pmax(1 - abs(outer(seq_along(y), seq_along(y), "-")) / (lags + 1), 0)
  half <- solve(crossprod(X), base::t(X * residuals))
  cov <- half %*% weights %*% base::t(half)
  if (small_sample) cov <- cov * nrow(X) / (nrow(X) - ncol(X))
  se <- sqrt(base::diag(cov))
  conf_int <- unname(cbind(coef - qnorm((1 + level) / 2) * se, coef + qnorm((1 + level) / 2) * se))
  list(coef = coef, cov = (cov + base::t(cov)) / 2, se = se, conf_int = conf_int, residuals = residuals)
}

# ---- arguments as Python has them -----------------------------------------------------------------------------------

as_list <- function(x) lapply(seq_along(x), function(i) x[[i]])
as_rows <- function(X) lapply(seq_len(nrow(X)), function(i) as_list(X[i, ]))
# One number as an array of shape (1,), which R's vectors of one element are not.
one_element <- function(x) array(x, 1L)

# The wire has masked arrays and numpy's single numbers, but R has no words for them: written as statsclaw_wire.py does.
wire_kind <- function(kind, value) structure(list(kind = kind, value = value), class = "statsclaw_extra")
masked_array <- function(x, mask) wire_kind("masked", list(x, mask))
numpy_int64 <- function(x) {
  parts <- writeBin(c(0L, as.integer(x), if (x < 0) -1L else 0L), raw(), size = 4L, endian = "little")
  wire_kind("scalar", structure(c(charToRaw("ai"), parts), class = "statsclaw_written"))
}

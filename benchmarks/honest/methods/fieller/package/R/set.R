# The computation behind all public functions.

# Largest power of two that is not above x (x > 0). Dividing by it is exact.
power_of_two <- function(x) 2^floor(log2(x))

# Scaled estimates and variances. With sa = max(|a|, sqrt(vaa)):
#   e = a / sa, u = sqrt(vaa) / sa, p = vab / (sa sqrt(vbb)) (0 where vbb = 0),
#   w = sqrt(vbb) / |b| (overflows to Inf for a denominator next to zero),
#   ew = e sign(b) w,
#   k = max(0, (u - |p|)(u + |p|)),
#   s = (ew - p)^2 + k, which is unit^2 times the element `s`,
#   size = u^2 + 2 |ew p| + ew^2, which is unit^2 times the element `size`.
# The power of two `unit` keeps the squares from underflow and overflow.
# NULL where no scale exists, because a and vaa are zero.
scaled_parts <- function(a, b, vaa, vbb, vab) {
  ra <- sqrt(vaa)
  rb <- sqrt(vbb)
  sa <- max(abs(a), ra)
  if (sa == 0) {
    return(NULL)
  }
  e <- a / sa
  u <- ra / sa
  w <- rb / abs(b)
  # |vab| / sqrt(vbb) is at most sqrt(vaa), so that nothing overflows here
  p <- if (vbb > 0) (vab / rb) / sa else 0
  ew <- if (e == 0) {
    0
  } else if (is.finite(w)) {
    e * sign(b) * w
  } else {
    (e / b) * rb
  }
  largest <- max(u, abs(ew))
  if (largest == 0) {
    unit <- 1
    s <- size <- 0
  } else if (is.finite(largest)) {
    unit <- power_of_two(largest)
    us <- u / unit
    ws <- ew / unit
    ps <- p / unit
    s <- (ws - ps)^2 + max(0, (us - abs(ps)) * (us + abs(ps)))
    size <- us^2 + 2 * abs(ws * ps) + ws^2
  } else {
    # next to ew, u and p vanish
    unit <- Inf
    s <- size <- 1
  }
  list(ra = ra, rb = rb, sa = sa, e = e, u = u, w = w, p = p,
       unit = unit, s = s, size = size)
}

# Is the estimated variance of a - r b zero up to rounding?
has_no_variance <- function(a, b, vaa, vbb, vab) {
  parts <- scaled_parts(a, b, vaa, vbb, vab)
  is.null(parts) || parts$s <= 4096 * .Machine$double.eps * parts$size
}

# q sa / sb without needless overflow or underflow, never NaN, never -0.
rescale <- function(q, sa, sb) {
  z <- sa / sb
  in_range <- is.finite(z) && z >= .Machine$double.xmin
  value <- if (in_range) z * q else (q * sa) / sb
  value[q == 0] <- 0
  value + 0
}

# The quantile of Student's t, taken in the upper tail. qt() warns where it
# gives NaN for tiny degrees of freedom; this is an error here.
t_quantile <- function(df, level) {
  t <- suppressWarnings(stats::qt((1 - level) / 2, df, lower.tail = FALSE))
  if (!is.finite(t^2)) {
    fail("'df' is too small: the squared quantile of Student's t is not finite")
  }
  t
}

# Fieller's set: type and limits. The set is all rho0 with |T(rho0)| <= t, in
# the scale rho0 = (sa / sb) q all q with A q^2 - 2 B q + C <= 0. The scale of
# the denominator, sb, is |b|. Where the denominator is so close to zero that
# squares in this scale would overflow, it is the larger of |b| and sqrt(vbb).
fieller_set <- function(a, b, parts, t, h) {
  if (t == 0) {
    # the level is next to zero: only the estimate is left
    return(list(type = "interval", limits = rep(a / b, 2L) + 0))
  }
  u <- parts$u
  p <- parts$p
  sa <- parts$sa
  sb <- if (h < 1e100) abs(b) else max(abs(b), parts$rb)
  w <- parts$rb / sb
  # A, B, C and d are of second degree in (e, f, t); a quarter of each, which
  # is exact, keeps 2 t^2 from overflow
  e <- parts$e / 4
  f <- b / sb / 4
  t <- t / 4
  th <- t * w
  # f^2 - th^2; where f is 1/4 up to its sign, the sign has to be that of 1 - h
  A <- if (h < 1e100) {
    ((1 - h) / 4) * ((1 + h) / 4)
  } else {
    (abs(f) - th) * (abs(f) + th)
  }
  B <- e * f - t * th * p
  C <- (abs(e) - t * u) * (abs(e) + t * u)

  if (h == 1) {
    if (B == 0) {
      return(list(type = "line", limits = c(-Inf, Inf)))
    }
    end <- rescale(C / (2 * B), sa, sb)
    limits <- if (B > 0) c(end, Inf) else c(-Inf, end)
    return(list(type = "half-line", limits = limits))
  }

  # d is unit^2 times this, t^2 d the quarter discriminant
  unit <- power_of_two(max(u, w))
  k <- max(0, ((u - abs(p)) / unit) * ((u + abs(p)) / unit))
  d <- ((e * w - f * p) / unit)^2 + A * k
  if (d < 0) {
    return(list(type = "line", limits = c(-Inf, Inf)))
  }
  root <- t * unit * sqrt(d)
  q <- if (B == 0) {
    c(-root, root) / A
  } else {
    q1 <- B + sign(B) * root
    c(q1 / A, C / q1)
  }
  list(type = if (h < 1) "interval" else "complement",
       limits = sort(rescale(q, sa, sb)))
}

# The delta interval r -+ t z sqrt(s), z = sa / |b|.
delta_set <- function(a, b, parts, t) {
  r <- a / b
  reach <- if (t == 0) 0 else t * parts$unit * sqrt(parts$s)
  half <- rescale(reach, parts$sa, abs(b))
  limits <- if (is.finite(r) && is.finite(half)) {
    c(r - half, r + half)
  } else {
    # beyond the range of a double: the signs decide
    rescale(parts$e * sign(b) + c(-reach, reach), parts$sa, abs(b))
  }
  list(type = "interval", limits = limits + 0)
}

# The object. All public functions and confint() end here; the arguments have
# been checked, all but the quantile.
ratio_set <- function(a, b, vaa, vbb, vab, df, level, method) {
  t <- t_quantile(df, level)
  parts <- scaled_parts(a, b, vaa, vbb, vab)
  h <- if (t == 0) 0 else t * parts$w
  set <- if (method == "delta") {
    delta_set(a, b, parts, t)
  } else {
    fieller_set(a, b, parts, t, h)
  }
  structure(
    list(
      estimate = a / b + 0,
      limits = set$limits,
      type = set$type,
      g = h^2,
      df = df,
      level = level,
      method = method,
      a = a,
      b = b,
      vaa = vaa,
      vbb = vbb,
      vab = vab
    ),
    class = "ratioci"
  )
}

# Degrees of freedom by Welch and Satterthwaite at the estimated ratio, from
# the share of vaa in vaa + r^2 vbb, for samples of m and n.
welch_df <- function(a, b, vaa, vbb, m, n) {
  parts <- scaled_parts(a, b, vaa, vbb, 0)
  # with vab = 0, s is u^2 + ew^2 in units of unit^2
  share <- if (is.finite(parts$unit)) {
    (parts$u / parts$unit)^2 / parts$s
  } else {
    0
  }
  df <- 1 / (share^2 / (m - 1) + (1 - share)^2 / (n - 1))
  # the bounds hold exactly but for rounding
  min(max(df, min(m, n) - 1), m + n - 2)
}

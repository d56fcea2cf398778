"""The shared functions: tails of log Phi and Phi, the truncated normal."""

import numpy as np
import statsclaw_ask as ask
from reference_values import seed_of, truncated_quantile
from scipy.special import log_ndtr, ndtr


@ask.scenario("S4")
def safe_log_Phi_and_safe_Phi_in_the_tails():
    x = np.concatenate([np.arange(-1000.0, 30.0, 0.37), [-1e5, -1e8, 0.0]])
    ask.close("T9", ask.call("safe_log_Phi", x), log_ndtr(x))
    z = np.arange(-37.0, 8.0, 0.37)
    ask.close("T10", ask.call("safe_Phi", z), ndtr(z))


@ask.scenario("S4")
def safe_log_Phi_and_safe_Phi_of_scalars_shapes_missing_infinite():
    for x in (-1e8, -40.0, -3.0, 0.0, 2.5):
        ask.close("T9", ask.call("safe_log_Phi", x), float(log_ndtr(x)))
    for x in (-30.0, -3.0, 0.0, 2.5):
        ask.close("T10", ask.call("safe_Phi", x), float(ndtr(x)))
    odd = np.array([-np.inf, np.inf, np.nan, -1.0])
    ask.close("T9", ask.call("safe_log_Phi", odd), np.array([-np.inf, 0.0, np.nan, float(log_ndtr(-1.0))]))
    ask.close("T10", ask.call("safe_Phi", odd), np.array([0.0, 1.0, np.nan, float(ndtr(-1.0))]))
    grid = np.array([[-50.0, -5.0, -0.5], [0.5, 5.0, 7.0]])
    ask.close("T9", ask.call("safe_log_Phi", grid), log_ndtr(grid))
    ask.close("T10", ask.call("safe_Phi", grid), ndtr(grid))


@ask.scenario("S5")
def rtruncnorm_distribution_and_limits_in_the_tails(rng):
    """The largest distance at 199 quantiles; between neighbours it changes by about 0.07, far less than the bound."""
    inf = np.inf
    n, u = 20000, np.arange(1, 200) / 200
    cases = [(0, 0, inf), (-8, 0, inf), (-40, 0, inf), (-1000, 0, inf), (9, -inf, 0), (40, -inf, 0), (0.3, -1, 2),
             (-30, 0, 0.01), (0, -inf, inf), (5, 0, inf)]  # fmt: skip
    for mu, lo, hi in cases:
        draws = ask.call("rtruncnorm", np.full(n, float(mu)), float(lo), float(hi), rng=seed_of(rng))
        at = truncated_quantile(u, float(mu), float(lo), float(hi))
        share = ask.rate(draws <= at[:, None], axis=1)
        ask.value("T11", np.sqrt(n) * ask.largest(abs(share - u)))
        ask.finite("T12", draws)
        ask.between("T12", float(lo), draws, float(hi))
        ask.same("T12", ask.shape(draws), [n])


@ask.scenario("S5")
def rtruncnorm_limits_as_arrays(rng):
    mu = np.array([-1000.0, -3.0, 0.0, 2.0, 40.0])
    lo = np.array([0.0, -1.0, -np.inf, 5.0, -np.inf])
    hi = np.array([np.inf, 0.5, np.inf, 5.5, 0.0])
    draws = ask.call("rtruncnorm", mu, lo, hi, rng=seed_of(rng))
    ask.finite("T12", draws)
    ask.between("T12", lo, draws, hi)
    one = ask.call("rtruncnorm", 0.3, -1.0, 2.0, rng=seed_of(rng))
    ask.between("T12", -1.0, one, 2.0)
    ask.same("T12", ask.shape(one), [1])

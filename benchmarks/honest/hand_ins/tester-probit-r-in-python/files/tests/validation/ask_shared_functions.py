"""safe_log_Phi, safe_Phi and rtruncnorm."""

import numpy as np
import statsclaw_ask as ask
from oracles import truncated_draw
from rvalues import NA, RStream, seed_from
from scipy.special import log_ndtr, ndtr, ndtri_exp

GRID = np.arange(-160, 41) / 4.0
INF = float("inf")


@ask.scenario("S3")
def safe_log_Phi_and_safe_Phi_far_in_the_tails():
    far = -1e4
    expansion = -(far**2) / 2 - np.log(-far) - np.log(2 * np.pi) / 2 - 1 / far**2
    observed = ask.call("safe_log_Phi", np.append(GRID, far))
    ask.close("T7", observed, np.append(log_ndtr(GRID), expansion))
    # Between -38.25 and -37.75 Phi is denormal: no relative 1e-12 there. From -38.5 on it is zero in any arithmetic.
    x = np.append(GRID[(GRID >= -37.5) | (GRID <= -38.5)], far)
    ask.close("T8", ask.call("safe_Phi", x), ndtr(x))
    ask.between("T9", 0, ask.call("safe_Phi", np.array([-38.25, -38.0, -37.75])), 1e-307)


@ask.scenario("S3")
def safe_log_Phi_and_safe_Phi_of_missing_infinite_and_empty_x():
    x = np.array([-INF, INF, NA[0], np.nan, 0.0])
    x.view(np.uint64)[2] = 0x7FF00000000007A2
    logs, probabilities = ask.call("safe_log_Phi", x), ask.call("safe_Phi", x)
    ask.same("T9", logs[:4], [-INF, 0.0, np.nan, np.nan])
    ask.same("T9", probabilities[:4], [0.0, 1.0, np.nan, np.nan])
    for name in ("safe_log_Phi", "safe_Phi"):
        ask.same("T9", ask.length(ask.call(name, np.zeros(0))), 0)
        ask.raises("T9", ask.call(name, "a"), message="x must be numeric")
        ask.raises("T9", ask.call(name, ["1", "2"]), message="x must be numeric")
    ask.silent("T9", logs)
    ask.silent("T9", probabilities)


def by_formula(mu, lo, hi, u):
    if hi == INF:
        return mu - ndtri_exp(np.log1p(-u) + log_ndtr(-(lo - mu)))
    if lo == -INF:
        return mu + ndtri_exp(np.log(u) + log_ndtr(hi - mu))
    return np.array([truncated_draw(mu, lo, hi, one) for one in u])


@ask.scenario("S4")
def rtruncnorm_draws_equal_the_formula_at_the_uniform_numbers_of_the_seed(rng):
    for mu, lo, hi in [(0.3, 0, INF), (0.3, -INF, 0), (-1, -0.5, 2), (0, 1, 1.5), (-30, 0, INF), (30, -INF, 0)]:
        seed = seed_from(rng)
        draws = ask.seeded(seed, ask.call("rtruncnorm", np.full(1000, float(mu)), float(lo), float(hi)))
        ask.close("T10", draws, by_formula(float(mu), float(lo), float(hi), RStream(seed).runif(1000)))


@ask.scenario("S5")
def rtruncnorm_mean_in_an_extreme_tail(rng):
    draws = ask.seeded(seed_from(rng), ask.call("rtruncnorm", np.full(20000, -60.0), 0.0, INF))
    exact = -60 + np.exp(-0.5 * 60.0**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(-60.0))
    ask.close("T11", ask.mean(draws), exact)
    ask.finite("T12", draws)
    ask.between("T12", 0.0, draws, INF)
    ask.same("T12", ask.length(draws), 20000)


@ask.scenario("S5")
def rtruncnorm_draws_in_extreme_tails_are_finite_and_within_lo_and_hi(rng):
    for mu, lo, hi in [(-200.0, 0.0, INF), (200.0, -INF, 0.0), (0.0, 37.0, 37.001), (0.0, -50.0, -49.0)]:
        draws = ask.seeded(seed_from(rng), ask.call("rtruncnorm", np.full(100, mu), lo, hi))
        ask.finite("T12", draws)
        ask.between("T12", lo, draws, hi)
        ask.same("T12", ask.length(draws), 100)
        ask.less("T12", 0, ask.sd(draws))


@ask.scenario("S5")
def rtruncnorm_recycles_arguments_of_length_one_and_keeps_zero_length(rng):
    mu, lo, hi = rng.normal(size=7), rng.normal(size=7) - 1, rng.normal(size=7) ** 2 + 3
    seed = seed_from(rng)

    def drawn(*arguments):
        return ask.seeded(seed, ask.call("rtruncnorm", *arguments))

    ask.same("T12", drawn(mu, 0.0, INF), drawn(mu, np.zeros(7), np.full(7, INF)))
    ask.same("T12", drawn(0.5, lo, 3.0), drawn(np.full(7, 0.5), lo, np.full(7, 3.0)))
    ask.same("T12", drawn(0.5, -1.0, hi), drawn(np.full(7, 0.5), np.full(7, -1.0), hi))
    whole = drawn(mu, lo, hi)
    ask.between("T12", lo, whole, hi)
    ask.repeatable("T12", whole)
    ask.untouched("T12", whole)
    empty = np.zeros(0)
    for arguments in [(empty, 0.0, 1.0), (mu, empty, 1.0), (0.0, 0.0, empty), (empty, empty, empty)]:
        ask.same("T12", ask.length(drawn(*arguments)), 0)
    ask.raises("T12", drawn(mu, lo[:3], 5.0), message="length")
    ask.raises("T12", drawn("a", 0.0, 1.0), message="must be numeric")
    ask.raises("T12", drawn(INF, 0.0, 1.0), message="must be finite")
    ask.raises("T12", drawn(0.0, NA, 1.0), message="must be finite")


@ask.scenario("S24")
def rtruncnorm_refuses_lo_that_is_not_below_hi():
    for mu, lo, hi in [(0.0, 1.0, 1.0), (0.0, 2.0, 1.0), (0.0, INF, -INF), ([0.0] * 3, [0.0, 1.0, 0.0], [1.0, 0.0, 1.0])]:
        ask.raises("T13", ask.call("rtruncnorm", mu, lo, hi))

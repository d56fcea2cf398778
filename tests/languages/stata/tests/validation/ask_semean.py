"""Mean, standard error, limits and line, against their definitions."""

from statistics import NormalDist

import numpy as np
import statsclaw_ask as ask


@ask.scenario("S1")
def mean_and_limits_of_drawn_numbers(rng):
    y = rng.normal(size=30)
    for level in (95, 80):
        found = ask.call("semean", {"y": y}, "y", level=level)
        se = y.std(ddof=1) / np.sqrt(30)
        z = NormalDist().inv_cdf((1 + level / 100) / 2)
        ask.close("C1", found.mean, y.mean())
        ask.close("C2", found.se, se)
        ask.close("C3", found.limits, [y.mean() - z * se, y.mean() + z * se])


@ask.scenario("S2")
def only_some_of_the_rows(rng):
    y, x = rng.normal(size=40), np.arange(40.0)
    y[5] = np.nan
    found = ask.call("semean", {"y": y, "x": x}, "y", "x < 20")
    used = np.delete(y[:20], 5)
    ask.close("C1", found.mean, used.mean())
    ask.close("C2", found.se, used.std(ddof=1) / np.sqrt(19))
    ask.close("C10", found.N, 19)
    ask.untouched("C9", found)


@ask.scenario("S3")
def line_through_drawn_points(rng):
    x, y = rng.normal(size=25), rng.normal(size=25)
    fit = ask.call("linefit", {"y": y, "x": x}, ["y", "x"])
    slope = np.cov(x, y)[0, 1] / x.var(ddof=1)
    constant = y.mean() - slope * x.mean()
    ask.close("C4", fit.b, [slope, constant])
    ask.close("C5", ask.call(fit, "linefit_fitted", "yhat"), constant + slope * x)


@ask.scenario("S4")
def bad_input_is_refused():
    one = {"y": np.array([1.0]), "x": np.array([2.0])}
    ask.raises("C6", ask.call("semean", one, "y"))
    ask.raises("C7", ask.call("linefit", one, "y x"))
    ask.raises("C8", ask.call("semean", {"y": np.arange(3.0)}, "y", level=100))

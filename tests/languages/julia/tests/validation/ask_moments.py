"""Summaries and centred columns, against their definitions."""

import numpy as np
import statsclaw_ask as ask


def limits(x, width):
    se = x.std(ddof=1) / np.sqrt(len(x))
    return [x.mean() - width * se, x.mean() + width * se]


@ask.scenario("S1")
def summary_of_drawn_numbers(rng):
    x = rng.normal(size=30)
    ask.close("C1", ask.call("average", x), x.mean())
    for width in (2.0, 1.5):
        found = ask.call("summarized", x, width=width)
        ask.close("C9", found.mean, x.mean())
        ask.close("C2", found.se, x.std(ddof=1) / np.sqrt(30))
        ask.close("C3", found.limits, limits(x, width))


@ask.scenario("S2")
def numbers_on_another_scale(rng):
    x = rng.normal(size=20)
    found = ask.call(ask.call("summarized", x), "rescaled", 3.0)
    ask.close("C3", found.limits, limits(3 * x, 2.0))


@ask.scenario("S3")
def columns_of_a_drawn_matrix(rng):
    X = rng.normal(size=(6, 3))
    ask.close("C4", ask.call("centred", X), X - X.mean(axis=0))


@ask.scenario("S4")
def bad_input_is_refused():
    ask.raises("C5", ask.call("average", np.empty(0)))
    ask.raises("C6", ask.call("summarized", np.ones(1)))
    ask.raises("C7", ask.call("summarized", np.arange(9.0), width=0.0))


@ask.scenario("S5")
def few_numbers():
    ask.warns("C8", ask.call("summarized", np.array([1.0, 2.0, 4.0])))

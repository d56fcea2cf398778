"""The mean and its standard error, against their definitions."""

import numpy as np
import statsclaw_ask as ask


@ask.scenario("S1")
def mean_of_drawn_numbers(rng):
    x = rng.normal(size=30)
    ask.close("C1", ask.call("mean", x), x.mean())


@ask.scenario("S2")
def standard_error_of_drawn_numbers(rng):
    x = 5 * rng.normal(size=30)
    ask.close("C2", ask.call("standard_error", x), x.std(ddof=1) / np.sqrt(30))


@ask.scenario("S3")
def no_numbers():
    ask.raises("C3", ask.call("mean", np.empty(0)))

from statistics import NormalDist

import statsclaw_ask as ask


def numbers(rng, times=1.0):
    return [times * float(value) for value in rng.normal(size=30)]


def by_definition(x, level=0.95):
    m = sum(x) / len(x)
    se = (sum((v - m) ** 2 for v in x) / (len(x) - 1) / len(x)) ** 0.5
    z = NormalDist().inv_cdf((1 + level) / 2)
    return [m, se, m - z * se, m + z * se]


@ask.scenario("S1")
def mean_of_drawn_numbers(rng):
    x = numbers(rng)
    ask.close("C1", ask.call("mean", x), sum(x) / len(x))


@ask.scenario("S2")
def standard_error_and_limits(rng):
    x = numbers(rng, 5.0)
    found = ask.call("interval", x)
    ask.close("C2", [found.mean, found.se, found.low, found.high], by_definition(x))


@ask.scenario("S3")
def shift_leaves_the_standard_error(rng):
    x = numbers(rng, 5.0)
    ask.close("C3", ask.call("interval", [v + 1000 for v in x]).se, ask.call("interval", x).se)


@ask.scenario("S4")
def empty_sequence_is_refused():
    ask.raises("C4", ask.call("mean", []))


@ask.scenario("S5")
def one_number_is_refused():
    ask.raises("C5", ask.call("interval", [1.0]))


@ask.scenario("S6")
def argument_is_left_as_it_was():
    ask.untouched("C6", ask.call("interval", [1.0, 2.0, 4.0]))

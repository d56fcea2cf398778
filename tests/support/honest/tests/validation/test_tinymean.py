import os
import random
from statistics import NormalDist

import pytest
import tinymean

SEED = int(os.environ.get("STATSCLAW_SEED", "0"))


def drawn(seed, times=1.0):
    rng = random.Random(seed + SEED)
    return [times * rng.gauss(0, 1) for _ in range(30)]


def expected(x, level=0.95):
    m = sum(x) / len(x)
    se = (sum((v - m) ** 2 for v in x) / (len(x) - 1) / len(x)) ** 0.5
    z = NormalDist().inv_cdf((1 + level) / 2)
    return [m, se, m - z * se, m + z * se]


@pytest.mark.scenario("S1")
def test_mean_of_drawn_numbers(criterion):
    x = drawn(11)
    criterion("C1").close(tinymean.mean(x), sum(x) / len(x))


@pytest.mark.scenario("S2")
def test_standard_error_and_limits(criterion):
    x = drawn(12, 5.0)
    found = tinymean.interval(x)
    criterion("C2").close([found.mean, found.se, found.low, found.high], expected(x))


@pytest.mark.scenario("S3")
def test_shift_leaves_the_standard_error(criterion):
    x = drawn(12, 5.0)
    criterion("C3").close(tinymean.interval([v + 1000 for v in x]).se, tinymean.interval(x).se)


@pytest.mark.scenario("S4")
def test_empty_sequence_is_refused(criterion):
    criterion("C4").raises(lambda: tinymean.mean([]))


@pytest.mark.scenario("S5")
def test_one_number_is_refused(criterion):
    criterion("C5").raises(lambda: tinymean.interval([1.0]))


@pytest.mark.scenario("S6")
def test_argument_is_left_as_it_was(criterion):
    x = [1.0, 2.0, 4.0]
    tinymean.interval(x)
    criterion("C6").holds(x == [1.0, 2.0, 4.0])

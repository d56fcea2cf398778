"""When the limit of a spread is left open: hardly ever for normal estimates, and `plan` knows how often."""

from __future__ import annotations

import math

import numpy as np
import pytest

from statsclaw.montecarlo.metrics.intervals import error_to_include, interval
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.metrics.rendering import number
from statsclaw.montecarlo.metrics.sample import DOUBTFUL, FEWEST_TO_TELL, reach, reach_by_chance
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.power import chances, model_at

STUDIES = 2000


@pytest.mark.parametrize("count", [300, 500, 1000])
def test_of_normal_estimates_the_limit_is_open_in_one_percent_at_most(count: int) -> None:
    rng = np.random.default_rng(count)
    found = np.array([reach(rng.standard_normal(count)) for _ in range(STUDIES)])
    assert np.mean(np.isinf(found)) <= 0.01
    known = reach_by_chance(count)
    doubtful = np.mean(found == DOUBTFUL)
    assert abs(doubtful - known[DOUBTFUL]) < 4 * math.sqrt(0.15 / STUDIES)


def test_of_few_normal_estimates_it_is_open_as_often_as_is_said() -> None:
    rng = np.random.default_rng(3)
    assert FEWEST_TO_TELL > 200
    found = np.array([reach(rng.standard_normal(200)) for _ in range(STUDIES)])
    assert abs(np.mean(np.isinf(found)) - reach_by_chance(200)[math.inf]) < 4 * math.sqrt(0.2 / STUDIES)


@pytest.mark.parametrize("count", [300, 500])
@pytest.mark.parametrize("degrees", [2.5, 3.0, 4.0])
def test_heavy_tails_pass_a_limit_that_they_are_on_hardly_ever(count: int, degrees: float) -> None:
    rng = np.random.default_rng(int(10 * degrees) + count)
    edge = math.sqrt(degrees / (degrees - 2))
    passed = 0
    for _ in range(STUDIES):
        table = Table(np.zeros(count, np.bool_), {"mu.estimate": rng.standard_t(degrees, count)})
        passed += error_to_include(estimate_metric("empse", table, parameter="mu"), -math.inf, edge) <= 0.01
    assert passed / STUDIES <= 0.022  # 1 %, with the error of a heavy tail that is no proof


@pytest.mark.parametrize(("metric", "truth", "band"), [("se_ratio", 1.0, (0.8, 1.25)), ("empse", 1.0, (0.8, 1.25))])
def test_plan_says_what_comes_out_of_normal_estimates(metric: str, truth: float, band: tuple[float, float]) -> None:
    rng = np.random.default_rng(8)
    passed = 0
    for _ in range(STUDIES):
        columns = {"mu.estimate": rng.standard_normal(300), "mu.se": np.ones(300)}
        found = estimate_metric(metric, Table(np.zeros(300, np.bool_), columns), parameter="mu")
        passed += error_to_include(found, *band) <= 0.01
    model = model_at(metric, truth)
    assert model is not None
    expected = chances(model, 300, band, 0.01, 0.01).interval_pass
    assert abs(passed / STUDIES - expected) < 4 * math.sqrt(0.05 / STUDIES), (passed / STUDIES, expected)


def test_no_limit_is_minus_zero() -> None:
    values = np.random.default_rng(1).standard_t(2.5, 500)
    table = Table(np.zeros(500, np.bool_), {"mu.estimate": values, "mu.se": np.ones(500)})
    low, _ = interval(estimate_metric("se_ratio", table, parameter="mu"), 0.02)
    assert low == 0 and math.copysign(1.0, low) == 1.0
    assert number(-0.0, 0.05) == "0.000" and number(-0.00001, 0.05) == "0.000"

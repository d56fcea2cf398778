"""What a plan promises: exact binomials, the error rates of the rules, replications that would do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from statsclaw.montecarlo.design import Criterion, Study, StudyRefused
from statsclaw.montecarlo.metrics.intervals import clopper_pearson
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.faults import Fault, covers, read_fault
from statsclaw.montecarlo.verdicts.plan import Plan, percent, plan_study, render_plan
from statsclaw.montecarlo.verdicts.power import Measured, Proportion, Spread, chances, hits_between

COVERAGE = Criterion("C", "coverage", "m", "mu", 0.93, 0.97)


def planned(*criteria: Criterion, n: tuple[int, ...] = (50,), replications: int = 500, **more: Any) -> Plan:
    study = Study("s", {"n": list(n)}, ["m"], {"mu": 0.0}, replications, 1, criteria=criteria)
    return plan_study(study, **more)


def row(plan: Plan, fault: str = "correct", criterion: str = "C") -> Any:
    found = plan.find(criterion, fault)
    assert found is not None
    return found


def test_the_true_coverage_under_a_fault_is_that_of_normal_estimates() -> None:
    z = stats.norm.ppf(0.975)
    assert covers(z, 0.9, 0.0) == pytest.approx(2 * stats.norm.cdf(0.9 * z) - 1)
    assert covers(z, 0.84, 0.0) == pytest.approx(0.900, abs=5e-4)  # SE 16 % too small: the band of 0.90 does not see it
    x = np.random.default_rng(1).normal(0.2, 1, 2_000_000)
    assert covers(z, 1.1, 0.2) == pytest.approx(np.mean(np.abs(x) < 1.1 * z), abs=1e-3)


def test_literal_probabilities_are_exactly_binomial() -> None:
    """0.93 to 0.97 of 500 are 465 to 485 hits; as in the facts, 0.90 to 0.99 passes 0.92 in 95.5 %, 0.90 in 54 %."""
    plan = planned(COVERAGE)
    assert row(plan).literal_pass == pytest.approx(stats.binom.cdf(485, 500, 0.95) - stats.binom.cdf(464, 500, 0.95))
    true = covers(stats.norm.ppf(0.975), 0.9, 0.0)
    missed = row(plan, "SE × 0.9")
    assert missed.literal_pass == pytest.approx(stats.binom.cdf(485, 500, true) - stats.binom.cdf(464, 500, true))
    assert missed.values == (pytest.approx(true),)
    wide = [chances(Proportion(p), 500, (0.90, 0.99), 0.01, 0.01).literal_pass for p in (0.92, 0.90)]
    assert wide == [pytest.approx(0.955, abs=0.001), pytest.approx(0.54, abs=0.005)]


def test_hits_are_counted_as_shares_are_compared() -> None:
    for trials in (7, 10, 50, 333, 500, 1000):
        for low, high in ((0.93, 0.97), (0.1, 0.3), (0.29, 0.57), (0.0, 1.0)):
            within = [x for x in range(trials + 1) if low <= x / trials <= high]
            first, last = hits_between(trials, low, high)
            assert list(range(first, last + 1)) == within


@pytest.mark.parametrize("p", [0.95, 0.922, 0.9])
def test_interval_probabilities_are_those_of_clopper_and_pearson(p: float) -> None:
    """Summed over every outcome; 467 to 487 of 500 pass the band 0.90 to 0.99 at 99 %, as in the facts."""
    for band, trials in (((0.93, 0.97), 900), ((0.90, 0.99), 500)):
        weights = stats.binom.pmf(np.arange(trials + 1), trials, p)
        passing, failing = 0.0, 0.0
        for hits, weight in enumerate(weights):
            low, high = clopper_pearson(hits, trials, 0.02)
            passing += weight * (band[0] <= low and high <= band[1])
            low, high = clopper_pearson(hits, trials, 0.004)
            failing += weight * (high < band[0] or low > band[1])
        found = chances(Proportion(p), trials, band, 0.01, 0.004)
        assert (found.interval_pass, found.interval_fail) == (pytest.approx(passing), pytest.approx(failing, abs=1e-12))
    outcomes = [x for x in range(501) if all(0.9 <= end <= 0.99 for end in clopper_pearson(x, 500, 0.01))]
    assert (outcomes[0], outcomes[-1]) == (467, 487)


def test_measured_quantities_follow_the_normal_distribution() -> None:
    found = chances(Measured(0.1, 1.0), 400, (-0.2, 0.2), 0.01, 0.01)
    z = stats.norm(0.1, 0.05)
    assert found.literal_pass == pytest.approx(z.cdf(0.2) - z.cdf(-0.2))
    inner = 0.2 - stats.norm.ppf(0.99) * 0.05
    assert found.interval_pass == pytest.approx(z.cdf(inner) - z.cdf(-inner))
    ratio = chances(Measured(0.9, 0.9 * math.sqrt(0.5), 0.0), 500, (0.9, 1.1), 0.01, 0.01)
    assert ratio.literal_pass == pytest.approx(0.5, abs=0.01)
    assert chances(Measured(0.9, 0.0), 500, (0.9, 1.1), 0.01, 0.01).literal_pass == 1.0


def test_replications_that_would_do_do() -> None:
    plan = planned(COVERAGE)
    missed = row(plan, "SE × 0.9")
    true = missed.values[0]
    for count, target in zip(missed.needed, (0.10, 0.01), strict=True):
        at = [chances(Proportion(true), reps, (0.93, 0.97), 0.01, 0.01).literal_pass for reps in (count, count + 50)]
        assert max(at) <= target
        assert chances(Proportion(true), int(0.9 * count), (0.93, 0.97), 0.01, 0.01).literal_pass > target
    assert missed.needed_interval[0] > missed.needed[0]


def test_a_fault_inside_the_band_is_never_noticed() -> None:
    plan = planned(COVERAGE)
    lenient = row(plan, "bias of 0.2 EmpSE")
    assert lenient.inside and lenient.needed == (None, None)
    assert "inside the band or on its edge: no number of replications" in render_plan(plan)
    edge = planned(Criterion("C", "relative_error_modse", "m", "mu", -10, 10))
    assert row(edge, "SE × 0.9").inside and row(edge, "SE × 1.1").inside


def test_a_fault_is_in_every_cell_and_false_alarms_add_up() -> None:
    one, three = planned(COVERAGE), planned(COVERAGE, n=(50, 100, 200))
    for fault in ("correct", "SE × 0.9"):
        assert row(three, fault).literal_pass == pytest.approx(row(one, fault).literal_pass ** 3)
    alone = chances(Proportion(row(one, "SE × 0.9").values[0]), 500, (0.93, 0.97), 0.01, 0.01 / 3).interval_fail
    assert row(three, "SE × 0.9").interval_fail == pytest.approx(1 - (1 - alone) ** 3)


def test_a_rate_has_the_error_of_independent_cells() -> None:
    """n = 200, 500, 1000, 5000 with 500 replications each: the 99 % interval of the slope is ± 0.035."""
    rate = Criterion("C", "rate", "m", "mu", -0.52, -0.48, axis="n")
    plan = planned(rate, n=(200, 500, 1000, 5000))
    x = np.log([200, 500, 1000, 5000])
    error = math.sqrt(1 / 1000 / np.sum((x - x.mean()) ** 2))
    assert stats.norm.ppf(0.995) * error == pytest.approx(0.035, abs=5e-4)
    assert row(plan).literal_pass == pytest.approx(1 - 2 * stats.norm.sf(0.02 / error))
    assert row(plan, "rate × 0.5").values == (-0.25,)


def test_without_a_pilot_some_things_are_not_known() -> None:
    criteria = (Criterion("W", "width", "m", "mu", high=5.0), Criterion("B", "bias", "m", "mu", -0.1, 0.1))
    study = Study("s", {}, ["m"], {"mu": 0.0}, 500, 1, criteria=criteria)
    blind = plan_study(study)
    assert [text.split(":")[0] for text in blind.unknown] == ["W", "B"] and "pilot" in render_plan(blind)
    rng = np.random.default_rng(3)
    x = rng.normal(0, 2, 100)
    columns = {"mu.estimate": x, "mu.low": x - 2, "mu.high": x + rng.uniform(1.5, 2.5, 100)}
    seen = plan_study(study, MemoryResults({(0, "m"): Table(np.zeros(100, dtype=bool), columns)}))
    assert not seen.unknown
    shifted = row(seen, "bias of 0.2 EmpSE", "B")
    assert shifted.values == (pytest.approx(0.2 * np.std(x, ddof=1)),)
    assert row(seen, "SE × 1.1", "W").values == (pytest.approx(1.1 * np.mean(columns["mu.high"] - columns["mu.low"])),)


def test_faults_are_read_as_they_are_written() -> None:
    assert read_fault("SE × 0.85") == Fault("SE × 0.85", se=0.85) and read_fault("SE x 0.5").se == 0.5
    assert read_fault("bias of 0.3 EmpSE").bias == 0.3 and read_fault("fails in 5 %").fails == 0.05
    with pytest.raises(StudyRefused, match="there is no fault"):
        read_fault("broken")
    named = Criterion("C", "coverage", "m", "mu", 0.93, 0.97, faults=["SE × 0.8"])
    assert [found.fault for found in planned(named).rows] == ["correct", "SE × 0.8"]


def test_the_text_reads_as_sentences() -> None:
    text = render_plan(planned(COVERAGE))
    assert "1 % are let pass where no criterion limits them" in text.splitlines()[1]
    assert "R = 500 per cell" in text and "correct (0.95): literal false alarm" in text
    assert "SE × 0.9 (0.922): literal misses it" in text and "would miss 1 %" in text
    assert (percent(0.0004), percent(0.041), percent(0.01), percent(1.0), percent(0.0)) == (
        "< 0.1 %", "4.1 %", "1 %", "100 %", "0 %",
    )  # fmt: skip


def test_the_chances_of_a_standard_deviation_are_those_of_its_interval() -> None:
    """20,000 studies of 60 normal estimates; the interval is value · exp(± z / √(2 (R − 1)))."""
    found = np.std(np.random.default_rng(3).normal(0, 2, (20_000, 60)), axis=1, ddof=1)
    for band in ((1.2, 3.0), (2.4, 3.0), (0.5, 1.7)):
        error = math.exp(stats.norm.ppf(0.99) / math.sqrt(118)), math.exp(stats.norm.ppf(0.995) / math.sqrt(118))
        passes = np.mean((found / error[0] >= band[0]) & (found * error[0] <= band[1]))
        fails = np.mean((found * error[1] < band[0]) | (found / error[1] > band[1]))
        promised = chances(Spread(2.0, lost=1), 60, band, 0.01, 0.01)
        assert (promised.interval_pass, promised.interval_fail) == pytest.approx((passes, fails), abs=0.015)

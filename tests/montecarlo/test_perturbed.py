"""Faults by formula against faults put into the records by hand: the same metrics, errors and counts."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.perturbed import Perturbation, Perturbed, with_fault
from statsclaw.montecarlo.verdicts.questions import Evidence, questions_of

OF_SE = ("coverage", "be_coverage", "width", "modse", "se_ratio", "rms_se_ratio", "relative_error_modse")
OF_ESTIMATES = ("coverage", "bias", "relative_bias", "standardised_bias", "median_bias", "mse", "rmse")


def results(failing: float) -> MemoryResults:
    rng = np.random.default_rng(7)
    estimate, se = 2.1 + rng.gamma(4, 0.2, 3000), np.sqrt(rng.chisquare(20, 3000) / 50)
    failed = rng.random(3000) < failing
    columns = {"estimate": estimate, "se": se, "low": estimate - 2 * se, "high": estimate + 2.2 * se}
    return MemoryResults(
        {(0, "m"): Table(failed, {f"mu.{name}": np.where(failed, np.nan, row) for name, row in columns.items()})}
    )


@pytest.mark.parametrize("failing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("metric", "fault"),
    [(metric, Perturbation(factor, 0.0)) for metric in OF_SE for factor in (0.7, 1.15)]
    + [(metric, Perturbation(1.0, shift)) for metric in OF_ESTIMATES for shift in (-0.4, 0.05)],
)
def test_formulas_say_what_changed_records_say(metric: str, fault: Perturbation, failing: float) -> None:
    study = Study("s", {}, ["m"], {"mu": 3.0}, 3000, 1, criteria=[Criterion("C", metric, "m", "mu", -9, 999)])
    question, kept = questions_of(study, study.criteria[0])[0], results(failing)
    quick = with_fault(study, question, kept)(fault)
    slow = Evidence(study, question, Perturbed(kept, "m", "mu", fault)).estimate()
    assert (quick.successes, quick.trials, quick.failures) == (slow.successes, slow.trials, slow.failures)
    assert (quick.value, quick.error) == pytest.approx((slow.value, slow.error), rel=1e-9)
    assert interval(quick, 0.02) == pytest.approx(interval(slow, 0.02), rel=1e-7)

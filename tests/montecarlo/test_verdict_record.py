"""Criteria that were judged are kept with the results: an edit after the fact leaves a trace."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.montecarlo.verdicts.judge import judge_study
from statsclaw.montecarlo.verdicts.record import FILE, changes, keep

C1 = Criterion("C1", "bias", "m", "mu", -0.1, 0.1)
C2 = Criterion("C2", "coverage", "m", "mu", 0.92, 0.96, cells={"n": (1,)})
RESULTS = MemoryResults(
    {(0, "m"): Table(np.zeros(50, bool), {"mu.estimate": np.zeros(50), "mu.low": -np.ones(50), "mu.high": np.ones(50)})}
)


def study_of(*criteria: Criterion, allowed: float = 0.01) -> Study:
    return Study("s", {"n": [1]}, ["m"], {"mu": 0.0}, 50, 1, criteria=criteria, failures_allowed=allowed)


def judged(folder: Path, study: Study, day: int) -> list[str]:
    texts = [row.text for row in changes(folder, study)]
    keep(folder, judge_study(study, RESULTS), datetime(2026, 11, day, tzinfo=UTC))
    return texts


def test_an_edit_is_told_and_stays_told(tmp_path: Path) -> None:
    assert judged(tmp_path, study_of(C1, C2), 18) == []
    assert judged(tmp_path, study_of(C1, C2), 19) == [] and len((tmp_path / FILE).read_text().splitlines()) == 1
    wider = study_of(C1, replace(C2, high=0.97))
    said = "criterion C2 changed since 2026-11-18: high was 0.96, is 0.97 (UNDECIDED then)"
    assert judged(tmp_path, wider, 20) == [said] and judged(tmp_path, wider, 21) == [said]
    back = judged(tmp_path, study_of(C1, C2), 22)
    assert back == ["criterion C2 changed since 2026-11-20: high was 0.97, is 0.96 (UNDECIDED then)"]


def test_what_is_gone_new_or_allowed_is_told(tmp_path: Path) -> None:
    judged(tmp_path, study_of(C1, C2), 18)
    texts = judged(tmp_path, study_of(C1, replace(C1, id="C3", low=None), allowed=0.05), 19)
    assert texts == [
        "criterion C2 of 2026-11-18 is gone: coverage of mu by m between 0.92 and 0.96 (UNDECIDED then)",
        "failures_allowed changed since 2026-11-18: was 0.01, is 0.05",
        "criterion C3 is new since 2026-11-18, when the first verdict was made",
    ]


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    judged(tmp_path, study_of(C1), 18)
    with (tmp_path / FILE).open("a") as file:
        file.write('{"at": "2026-11-19", "crit')
    assert changes(tmp_path, study_of(replace(C1, high=0.2)))[0].was == {"high": 0.1}

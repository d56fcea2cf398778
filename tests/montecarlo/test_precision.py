"""A study can say how large Monte Carlo errors may be, and cells get as many replications as that takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statsclaw.montecarlo import Study, StudyRefused, run
from statsclaw.montecarlo.metrics.summary import summarise


def study(**more: Any) -> Study:
    settings: dict[str, Any] = {
        "name": "spread",
        "grid": {"sd": [1, 4]},
        "dgp": lambda cell, rng: rng.normal(0.0, cell["sd"], size=20),
        "methods": {"mean": lambda data, cell: {"mu": data.mean()}},
        "truth": {"mu": 0.0},
        "replications": 100,
        "seed": 11,
        "mcse": {"bias": 0.02},
    }
    return Study(**{**settings, **more})


def test_each_cell_gets_what_its_own_error_needs(tmp_path: Path) -> None:
    of = study()
    results = run(of, folder=tmp_path / "r", workers=0)
    errors = [summarise(of, results).find("bias", cell=cell).mcse for cell in (0, 1)]  # type: ignore[union-attr]
    assert all(error is not None and error <= 0.02 for error in errors)
    counts = [results.completed(cell) for cell in (0, 1)]
    # Var(mean) = sd² / 20, so that 0.02 takes sd² / 20 / 0.02² replications: 125 and 2,000
    assert 100 <= counts[0] < 200 and 1600 < counts[1] < 2500


def test_the_cap_holds_and_a_second_run_adds_nothing(tmp_path: Path) -> None:
    of = study(cap=300)
    for _ in range(2):
        results = run(of, folder=tmp_path / "r", workers=0)
        assert results.completed(1) == 300


@pytest.mark.parametrize(
    ("mcse", "said"),
    [({"bia": 0.1}, "no metric 'bia'"), ({"bias": 0}, "positive number"), ([0.1], "must be a mapping")],
)
def test_what_is_no_wish_is_refused(tmp_path: Path, mcse: Any, said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        run(study(mcse=mcse), folder=tmp_path / "r", workers=0)

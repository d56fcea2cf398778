"""A suite that looks at what it is to judge fails when that is disturbed; one that does not is found out."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from statsclaw.engine.disturbing import _unnoticed, trials
from statsclaw.review.case import Case
from statsclaw.review.tolerance import check
from statsclaw.runlog.events.command_executed import CommandExecuted, Observation
from statsclaw.runlog.events.criteria_judged import CriteriaJudged, Judgement
from statsclaw.specs.contract import Contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.test_spec import TestSpec, Tolerance
from statsclaw.ui.contract_lines import contract_lines
from statsclaw.verify.runner import fresh_places
from statsclaw.verify.standin.door.disturbance import Disturbance
from statsclaw.verify.standin.door_python import WORKER, door_python

VALUES = {"elements": ["fit.se"], "relative": 1e-3, "absolute": 0.0, "at_zero": 1e-3}

SPEC = TestSpec.model_validate(
    {
        "scenarios": [
            {"id": "S1", "behaviour": "b", "exercises": ["fit.se", "fit.coef"], "inputs": "i"},
            {"id": "S2", "behaviour": "b", "exercises": ["fit"], "inputs": "i"},
        ],
        "criteria": [
            {
                "id": "C1", "quantity": "q", "of": "fit.se", "scenarios": ["S1"], "rule": "close",
                "tolerance": {"relative": 1e-10}, "source": "s",
            },
            {
                "id": "C2", "quantity": "q", "of": "fit.se", "scenarios": ["S1"], "rule": "close",
                "tolerance": {"absolute": 0.5, "relative": 0.2}, "scale": 4.0, "source": "s",
            },
            {
                "id": "C3", "quantity": "q", "scenarios": ["S1"], "rule": "close", "tolerance": {"lre": 1.0},
                "source": "s",
            },
            {
                "id": "C4", "quantity": "q", "of": "fit", "scenarios": ["S2"], "rule": "raises", "error": "E",
                "source": "s",
            },
            {
                "id": "C5", "quantity": "q", "of": "fit", "kind": "structure", "scenarios": ["S2"], "rule": "holds",
                "source": "s",
            },
        ],
    }
)  # fmt: skip


def test_one_trial_for_each_element_and_one_for_all_that_holds():
    found = trials(SPEC)
    assert [(sorted(trial.elements), [row.id for row in trial.criteria], trial.misbehaving) for trial in found] == [
        (["fit.se"], ["C1", "C2"], False),
        (["fit.coef", "fit.se"], ["C3"], False),
        (["*"], ["C5"], True),
    ]
    order = json.loads(found[0].order("s"))
    assert order["relative"] == 2.0 and order["absolute"] == 5.0 and 4e-3 <= order["at_zero"] <= 4.0
    assert json.loads(found[1].order("s"))["relative"] == 1.0, "ten times what one correct digit allows"


def test_by_how_much_is_not_known_beforehand():
    exact = replace(trials(SPEC)[0], criteria=SPEC.criteria[:1])
    steps = [json.loads(exact.order(str(run)))["relative"] for run in range(200)]
    assert len(set(steps)) == 200 and 1e-3 <= min(steps) < 3e-3 and 0.3 < max(steps) <= 1.0
    assert exact.order("s") == exact.order("s"), "the same run gives the same"


@pytest.mark.parametrize(
    "value", [1.5, -3e-9, 0.0, math.nan, math.inf, 7, True, "text", [1.0, 2.0], (1, "a"), {"k": 2.5}, 1 + 2j,
              np.float64(2.0), np.int64(3), np.array([[1.0, 0.0]]), np.array([1, 2]), np.array([True])]
)  # fmt: skip
def test_whatever_a_package_returns_is_moved_and_keeps_its_type_and_shape(value):
    moved = Disturbance(VALUES).moved(value)
    assert type(moved) is type(value) and np.shape(moved) == np.shape(value)
    assert np.all(np.asarray(moved, dtype=object) != np.asarray(value, dtype=object)) or isinstance(value, dict | tuple)


def test_the_step_is_beyond_the_tolerance_and_another_at_every_call():
    made = Disturbance({**VALUES, "absolute": 0.01})
    moved = [made.moved(2.0) for _ in range(200)]
    gaps = [abs(value - 2.0) for value in moved]
    assert min(gaps) >= 2e-3 + 0.01 and max(gaps) <= 2 * (2e-3 + 0.01) + 1e-12
    assert len(set(moved)) == 200 and min(moved) < 2.0 < max(moved), "a relation between two calls is disturbed too"


def test_many_numbers_are_moved_as_one_is():
    made = Disturbance({**VALUES, "absolute": 0.01, "at_zero": 0.5})
    values = np.array([[2.0, 0.0], [-3.0, math.nan], [math.inf, 1e-3]] * 2000)
    moved = made.moved(values)
    gaps = np.abs(moved - values)[np.isfinite(values)]
    steps = (made.relative * np.abs(values) + 0.01)[np.isfinite(values)]
    assert np.all(gaps >= steps - 1e-15) and np.all(gaps <= 2 * steps + 1e-15)
    assert np.all(moved[~np.isfinite(values)] == 0.25) and len(np.unique(moved[:, 0])) > 3900
    assert np.all(Disturbance({**VALUES, "absolute": 0.0, "at_zero": 0.5}).moved(np.zeros(9)) != 0)


def geweke(draws):
    """Early against late numbers of a chain, by batch means."""
    parts = draws[: len(draws) // 10], draws[len(draws) // 2 :]
    errors = [np.var(part.reshape(50, -1).mean(axis=1), ddof=1) / 50 for part in parts]
    return (parts[0].mean() - parts[1].mean()) / math.sqrt(sum(errors))


def test_a_drift_is_noticed_by_what_averages_and_by_what_compares_early_with_late():
    draws = np.random.default_rng(4).normal(size=5000)
    noisy, drifting = (Disturbance({**VALUES, "relative": 0.5, "drifting": drifts}).moved(draws) for drifts in (0, 1))
    assert abs(geweke(draws)) < 4 and abs(geweke(noisy)) < 4, "each number goes its own way, and no moment shows it"
    assert abs(geweke(drifting)) > 20 and abs(drifting.mean()) > 1
    short = Disturbance({**VALUES, "drifting": True}).moved(np.array([0.0, math.nan]))
    assert np.all(np.isfinite(short)) and np.all(short != 0)


def test_a_drift_is_noticed_by_what_averages_over_many_calls():
    """As the mean rank of simulation-based calibration."""
    rng = np.random.default_rng(1)
    disturbance = Disturbance({**VALUES, "drifting": True})
    ranks = [np.mean(disturbance.moved(rng.normal(size=(99, 2))) < rng.normal(size=2), axis=0) for _ in range(200)]
    assert (np.abs(np.mean(ranks, axis=0) - 0.5) > 0.3).all()


def test_only_what_was_met_as_before_is_tried_with_a_drift():
    trial, *_, misbehaving = trials(SPEC)
    answered = {row.id: judged(row.id, "PASS" if row.id == "C2" else "FAIL") for row in trial.criteria}
    again = _unnoticed(trial, answered)
    assert again is not None and [row.id for row in again.criteria] == ["C2"] and again.elements == trial.elements
    assert json.loads(again.order("s"))["drifting"] is True and again.what == "drifting"
    assert _unnoticed(trial, {name: judged(name, "FAIL") for name in answered}) is None
    assert _unnoticed(misbehaving, {"C5": judged("C5", "PASS")}) is None


@pytest.mark.parametrize(
    ("element", "origin", "field", "is_disturbed"),
    [
        ("fit", "fit", "se", True), ("fit.se", "fit", "se", True), ("fit.se", "fit", "coef", False),
        ("fit.se", "other", "se", False), ("Model", "Model.predict", "mean", True), ("*", "anything", "se", True),
        ("Model.predict.mean", "Model.predict", "mean", True), ("Model.predict.mean", "Model.predict", "se", False),
    ],
)  # fmt: skip
def test_only_the_named_element_is_disturbed(element, origin, field, is_disturbed):
    made = Disturbance({**VALUES, "elements": [element]})
    assert made.field(frozenset({origin}), field) is is_disturbed


# --- through the real door --------------------------------------------------------------------------------------------

INTERFACE = Interface.model_validate(
    {
        "package": "loop",
        "functions": [
            {
                "name": "fit",
                "arguments": [{"name": "x"}],
                "returns": {
                    "type": "object", "class_name": "Fit",
                    "fields": [{"name": "coef", "type": "number"}, {"name": "se", "type": "array", "shape": ["k"]}],
                },
            },
            {"name": "total", "arguments": [{"name": "x"}], "returns": {"type": "number"}},
        ],
    }
)  # fmt: skip
SOURCE = """import numpy as np
class Fit:
    def __init__(self, x): self.coef, self.se = sum(x), np.array([1.0, 2.0])
def fit(x):
    if not x: raise ValueError("empty")
    return Fit(x)
def total(x): return float(sum(x))
"""


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Starts a worker with a disturbance and gives the package as its suite sees it, and the worker's folder."""
    workers = []

    def opened(order: dict[str, object]) -> tuple[ModuleType, Path]:
        folder = tmp_path / str(len(workers))
        (folder / "site").mkdir(parents=True)
        (folder / "site" / "loop.py").write_text(SOURCE)
        for name, text in door_python(INTERFACE).items():
            (folder / "door" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "door" / name).write_text(text)
        for part in ("worker.py", "disturbance.py"):
            (folder / part).write_text((WORKER.parent / part).read_text())
        argv = [sys.executable, "-I", "-B", folder / "worker.py", folder / "s", folder / "site", "loop"]
        workers.append(subprocess.Popen([*map(str, argv), json.dumps(order)], cwd=folder))
        for name in [name for name in sys.modules if name.split(".")[0] == "loop"]:
            del sys.modules[name]
        monkeypatch.syspath_prepend(folder / "door")
        monkeypatch.setenv("STATSCLAW_DOOR", str(folder / "s"))
        import loop  # type: ignore[import-not-found]

        return loop, folder

    yield opened
    for worker in workers:
        worker.kill()
        worker.wait()
    for name in [name for name in sys.modules if name.split(".")[0] == "loop"]:
        del sys.modules[name]


def test_a_field_is_disturbed_and_nothing_else(door):
    loop, _ = door(VALUES)
    found = loop.fit([1.0, 2.0])
    assert found.coef == 3.0 and loop.total([1.0]) == 1.0
    assert (abs(found.se / np.array([1.0, 2.0]) - 1) >= 1e-3 - 1e-12).all()
    with pytest.raises(ValueError, match="empty"):
        loop.fit([])


def test_a_misbehaving_package_changes_arguments_warns_and_returns_other_shapes(door):
    loop, _ = door({"elements": ["*"], "misbehaving": True})
    x = [1.0, 2.0]
    with pytest.warns(RuntimeWarning):
        found = loop.fit(x)
    assert x != [1.0, 2.0] and found.se.shape == (3,) and found.coef < 0
    with warnings.catch_warnings(), pytest.raises(RuntimeError, match="something else"):
        warnings.simplefilter("ignore")
        loop.fit([])


def test_every_third_call_fails_from_the_first_on(door):
    loop, _ = door({"elements": [], "failing": True})
    seen = []
    for _ in range(7):
        try:
            seen.append(loop.total([1.0]))
        except RuntimeError:
            seen.append(None)
    assert seen == [None, 1.0, 1.0, None, 1.0, 1.0, None]


def test_what_was_given_and_returned_is_noted(door):
    loop, folder = door({"elements": [], "noting": True})
    loop.fit([1.0, 2.0])
    loop.total(np.ones((4, 3)).ravel())
    rows = [json.loads(line) for line in (folder / "noted.jsonl").read_text().splitlines()]
    assert rows[0] == {"sizes": [2], "numbers": [3.0, 1.0, 2.0]} and rows[1] == {"sizes": [12], "numbers": [12.0]}


# --- what the review makes of it --------------------------------------------------------------------------------------


def judged(name: str, verdict: str) -> Judgement:
    return Judgement(id=name, quantity="q", rule="r", verdict=verdict, literal="FAIL")  # type: ignore[arg-type]


def found_in(disturbed: tuple[Judgement, ...], null: tuple[Judgement, ...] = ()) -> list[str]:
    case = Case(roles=("tester",), contract=Contract(tests=SPEC), disturbed=disturbed, null_judgements=null)
    rows = [row for row in check(case) if row.key.startswith(("blind", "never"))]
    assert all(row.severity == "error" and row.route_to == "tester" for row in rows)
    return [row.key for row in rows]


def test_what_passes_as_before_is_an_error_of_the_tester():
    assert found_in((judged("C1", "FAIL"), judged("C2", "PASS"))) == ["blind:C2"]
    assert found_in((judged("C1", "FAIL"), judged("C5", "FAIL"))) == []


def test_what_holds_must_have_failed_somewhere():
    assert found_in((judged("C5", "PASS"),)) == ["never-fails:C5"]
    assert found_in((judged("C5", "PASS"),), (judged("C5", "FAIL"),)) == [], "the stand-in did not meet it"


def test_a_person_is_told_how_many_noticed():
    event = CriteriaJudged(
        tree_sha256="t", subject="disturbed", judgements=(judged("C1", "FAIL"), judged("C2", "PASS"))
    )
    assert [line.text for line in contract_lines(event)] == ["with what they are about disturbed, 1 of 2 criteria fail"]


@pytest.mark.parametrize(("absolute", "is_told"), [(1e-12, False), (0.5, True)])
def test_a_number_that_is_near_zero_by_chance_does_not_make_the_stated_size_wrong(absolute, is_told):
    """Seeds change after a BLOCK: in one of two hundred honest runs a mean was 0.0004, where 1 was stated."""
    row = SPEC.criteria[0].model_copy(update={"scale": 1.0, "tolerance": Tolerance(absolute=absolute, relative=1e-12)})
    seen = Observation(criterion="C1", test="t", rule="close", observed=4e-4, expected=4e-4)
    ran = CommandExecuted.model_construct(observations=(seen,), tests=(), name="v", phase="validation", passed=True)
    case = Case(roles=("tester",), contract=Contract(tests=SPEC.model_copy(update={"criteria": (row,)})), after=(ran,))
    assert any(found.key == "scale:C1" for found in check(case)) is is_told


# --- between two trials -----------------------------------------------------------------------------------------------


def test_nothing_is_left_of_a_trial_but_what_the_package_compiled_when_it_first_ran(tmp_path):
    bench = BenchOf(folder=tmp_path)
    for trial in range(3):
        fresh_places(bench)
        cache = tmp_path / "worker" / "home" / ".cache" / "numba"
        assert not (tmp_path / "home" / "noted").exists() and not (tmp_path / "worker" / "home" / "noted").exists()
        assert cache.exists() is (trial > 0)
        assert [p.name for p in cache.glob("*")] == ["compiled-0"] * (trial > 0), "what came later is not kept"
        for place in (tmp_path / "home", tmp_path / "worker" / "home", cache):
            place.mkdir(parents=True, exist_ok=True)
            (place / "noted").write_text("x") if place is not cache else None
        (cache / f"compiled-{trial}").write_text("x")


def test_a_cache_that_no_compiler_writes_costs_time_and_nothing_else(tmp_path):
    bench = BenchOf(folder=tmp_path)
    cache = tmp_path / "worker" / "home" / ".cache"
    cache.mkdir(parents=True)
    os.mkfifo(cache / "pipe")
    for place in ("scratch", "home", "tmp"):
        (tmp_path / place).mkdir()
    fresh_places(bench)
    assert not (tmp_path / "worker").exists() and (tmp_path / "home").is_dir()


class BenchOf:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, name: str) -> Path:
        return self.folder / name

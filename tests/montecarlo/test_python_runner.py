"""What a worker makes of methods in Python: the same for any cutting into tasks, and failures are data."""

from __future__ import annotations

import contextlib
import math
import random
import time
import warnings
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo import Estimate, Study
from statsclaw.montecarlo.batch import Batch, Status, Task
from statsclaw.montecarlo.python.runner import PythonRunner, wants_stream
from statsclaw.montecarlo.python.sharing import own_copy


def normal(cell: Any, rng: np.random.Generator) -> Any:
    return rng.normal(size=10)


def study(
    *methods: Callable[..., Any], dgp: Callable[..., Any] = normal, truth: Any = None, timeout: float | None = None
) -> Study:
    named = {f"m{place}": method for place, method in enumerate(methods)}
    grid: dict[str, list[int]] = {"n": [1, 2]}
    return Study("s", grid, named, truth or {"mu": 0.0}, 100, 3, dgp=dgp, timeout=timeout)


def run(made: Study, first: int = 0, count: int = 8, cell: int = 0) -> Batch:
    return PythonRunner(made).run(Task(cell, first, count), lambda replication: None)


def outcome(method: Callable[..., Any], **more: Any) -> tuple[Status, str]:
    rows = run(study(method, **more), count=1).methods["m0"]
    assert (rows.status[0] == Status.OK) or all(np.isnan(column).all() for column in rows.columns.values())
    return Status(rows.status[0]), rows.problems.get(0, "")


def mean(data: Any, cell: Any) -> Any:
    return {"mu": Estimate(data.mean(), se=1.0, low=-1.0, high=1.0, reject=True)}


def same(one: Batch, other: Batch) -> None:
    for name, rows in one.methods.items():
        twin = other.methods[name]
        assert rows.status.tolist() == twin.status.tolist()
        assert rows.columns.keys() == twin.columns.keys()
        for column, values in rows.columns.items():
            assert values.tobytes() == twin.columns[column].tobytes()
        assert rows.warnings.tolist() == twin.warnings.tolist()


def joined(made: Study, cuts: list[tuple[int, int]]) -> dict[str, list[float]]:
    runner = PythonRunner(made)
    found: dict[str, dict[int, float]] = {}
    for first, count in cuts:
        batch = runner.run(Task(0, first, count), lambda replication: None)
        for name, rows in batch.methods.items():
            values = rows.columns["mu.estimate"].tolist()
            found.setdefault(name, {}).update(zip(range(first, first + count), values, strict=True))
    return {name: [values[place] for place in sorted(values)] for name, values in found.items()}


CUTS = [[(0, 12)], [(6, 6), (0, 6)], [(place, 1) for place in reversed(range(12))], [(0, 1), (1, 7), (8, 4)]]


def test_estimates_come_in_columns() -> None:
    rows = run(study(mean)).methods["m0"]
    assert list(rows.columns) == ["mu.estimate", "mu.se", "mu.low", "mu.high", "mu.reject"]
    assert rows.columns["mu.reject"].tolist() == [1.0] * 8
    assert rows.status.tolist() == [0] * 8 and (rows.seconds > 0).all() and not rows.problems


def test_scalars_timings_and_flags() -> None:
    def method(data: Any, cell: Any) -> Any:
        return {"mu": 0.25, "acceptance": np.float32(0.5), "converged": np.True_, "seconds": 2.5, "ok": True}

    rows = run(study(method)).methods["m0"]
    assert {name: values[0] for name, values in rows.columns.items()} == {
        "mu.estimate": 0.25,
        "acceptance": 0.5,
        "ok": 1,
    }
    assert rows.seconds.tolist() == [2.5] * 8


def test_one_number_is_enough_where_there_is_one_parameter() -> None:
    for answer in (lambda d, c: float(d[0]), lambda d, c: Estimate(d[0]), lambda d, c: d[0]):
        assert "mu.estimate" in run(study(answer)).methods["m0"].columns


def test_a_test_without_an_estimate_is_no_failure() -> None:
    rows = run(study(lambda d, c: {"mu": Estimate(reject=d[0] > 0)})).methods["m0"]
    assert list(rows.columns) == ["mu.reject"] and rows.status.tolist() == [0] * 8


def test_draws_are_summarised_with_the_truth_of_the_cell() -> None:
    def sampler(data: Any, cell: Any, rng: Any) -> Any:
        return {"mu": Estimate(draws=rng.normal(size=(2, 200)))}

    columns = run(study(sampler), count=2).methods["m0"].columns
    wanted = {f"mu.{part}" for part in ("estimate", "se", "low", "high", "rhat", "ess_bulk", "ess_tail", "rank")}
    assert set(columns) == wanted
    assert columns["mu.low"][0] < columns["mu.estimate"][0] < columns["mu.high"][0]


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (None, Status.EXCEPTION, "returned nothing"),
        ("text", Status.EXCEPTION, "returned a str"),
        ([1, 2], Status.EXCEPTION, "returned a list"),
        (np.zeros(3), Status.EXCEPTION, "returned a ndarray"),
        ({"mu": "1.5"}, Status.EXCEPTION, "mu is '1.5', not a number"),
        ({"mu": None}, Status.EXCEPTION, "mu is None"),
        ({"mu": Estimate(None)}, Status.EXCEPTION, "mu.estimate is None"),  # type: ignore[arg-type]
        ({"mu": np.zeros(3)}, Status.EXCEPTION, "shape (3,)"),
        ({"mu": 1 + 2j}, Status.EXCEPTION, "not a number"),
        ({"mu": 10**400}, Status.EXCEPTION, "not a number"),
        ({"mu": Estimate("x" * 10**6)}, Status.EXCEPTION, "mu.estimate is a str"),  # type: ignore[arg-type]
        ({"status": 1.0}, Status.EXCEPTION, "cannot be called"),
        ({3: 1.0}, Status.EXCEPTION, "cannot be called"),
        ({f"q{k}": 1.0 for k in range(100_000)}, Status.EXCEPTION, "100,000 quantities"),
        ({"mu": Estimate(math.nan)}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(float("inf"), se=1.0)}, Status.NOT_FINITE, "mu.estimate is inf"),
        ({"mu": Estimate(1.0, se=float("nan"))}, Status.NOT_FINITE, "mu.se is nan"),
        ({"mu": Estimate(1.0, low=-math.inf, high=math.inf)}, Status.NOT_FINITE, "mu.low is -inf, mu.high is inf"),
        ({"mu": 1.0, "extra": math.nan}, Status.NOT_FINITE, "extra is nan"),
        ({"mu": 1.0, "converged": False}, Status.NOT_CONVERGED, "converge"),
        ({"mu": math.nan, "converged": False}, Status.NOT_CONVERGED, "converge"),
        ({}, Status.OK, ""),
        ({"mu": np.array([[2.0]])}, Status.OK, ""),
    ],
)
def test_whatever_a_method_returns_has_a_status(answer: Any, status: Status, said: str) -> None:
    found, text = outcome(lambda data, cell: answer)
    assert found == status and said in text


def raises(error: BaseException) -> Any:
    def method(data: Any, cell: Any) -> Any:
        raise error

    return method


@pytest.mark.parametrize("error", [ValueError("no"), MemoryError("much"), SystemExit(3), RecursionError("deep")])
def test_an_exception_is_recorded_with_its_traceback(error: BaseException) -> None:
    status, text = outcome(raises(error))
    assert status == Status.EXCEPTION
    assert "Traceback" in text and type(error).__name__ in text and "test_python_runner.py" in text
    assert "_analysed" not in text  # it begins in the study's own code


def test_endless_recursion_and_unprintable_errors_are_recorded() -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def endless(data: Any, cell: Any) -> Any:
        return endless(data, cell)

    assert outcome(endless)[0] == Status.EXCEPTION
    assert outcome(raises(Unprintable()))[0] == Status.EXCEPTION


def test_failures_of_one_method_leave_the_other_alone() -> None:
    def sometimes(data: Any, cell: Any) -> Any:
        if data[0] < 0:
            raise ValueError(f"x is {data[0]}")
        return {"mu": Estimate(data.mean())}

    alone = run(study(mean), count=50).methods["m0"]
    batch = run(study(mean, sometimes), count=50)
    failed = batch.methods["m1"].status == Status.EXCEPTION
    assert 10 < failed.sum() < 40
    assert batch.methods["m0"].columns["mu.estimate"].tobytes() == alone.columns["mu.estimate"].tobytes()
    assert np.isnan(batch.methods["m1"].columns["mu.estimate"]).tolist() == failed.tolist()
    assert sorted(batch.methods["m1"].problems) == np.flatnonzero(failed).tolist()


def test_a_data_generating_process_that_fails_is_no_data_for_all() -> None:
    def fails(cell: Any, rng: Any) -> Any:
        if rng.random() < 0.5:
            raise ValueError("no luck")
        return np.zeros(3)

    batch = run(study(mean, mean, dgp=fails), count=40)
    statuses = {name: rows.status.tolist() for name, rows in batch.methods.items()}
    assert statuses["m0"] == statuses["m1"] and set(statuses["m0"]) == {Status.OK, Status.NO_DATA}
    assert "no luck" in next(iter(batch.methods["m0"].problems.values()))


def test_warnings_are_counted_for_each_replication_and_method() -> None:
    def warns(data: Any, cell: Any) -> Any:
        for _ in range(3):
            warnings.warn("careful", RuntimeWarning, stacklevel=1)
        return {"mu": np.log(-1.0) * 0 if False else 1.0}

    def silences(data: Any, cell: Any) -> Any:
        warnings.filterwarnings("ignore")
        return {"mu": 1.0}

    batch = run(study(silences, warns, mean), count=4)
    assert [rows.warnings.tolist() for rows in batch.methods.values()] == [[0] * 4, [3] * 4, [0] * 4]
    assert "careful" in batch.methods["m1"].problems[0] and batch.methods["m1"].status.tolist() == [0] * 4


def test_a_warning_that_is_ignored_on_purpose_is_not_counted() -> None:
    def quiet(data: Any, cell: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("careful", RuntimeWarning, stacklevel=1)
        return {"mu": 1.0}

    assert run(study(quiet)).methods["m0"].warnings.tolist() == [0] * 8


@pytest.mark.parametrize("cuts", CUTS)
def test_results_do_not_depend_on_how_replications_are_cut_into_tasks(cuts: list[tuple[int, int]]) -> None:
    def draws(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        return {"mu": data.mean() + rng.normal()}

    assert joined(study(mean, draws), cuts) == joined(study(mean, draws), [(0, 12)])


def test_methods_have_streams_of_their_own() -> None:
    def draws(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        return {"mu": rng.random()}

    found = joined(study(draws, draws), [(0, 12)])
    assert len({*found["m0"], *found["m1"]}) == 24


@dataclass
class Data:
    x: Any
    y: Any


Pair = namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    "pack",
    [
        lambda x: x,
        lambda x: (x, x.copy()),
        lambda x: [x],
        lambda x: {"x": x, "y": {"z": x}},
        lambda x: Data(x, [x]),
        lambda x: Pair(x, 1),
        lambda x: np.ma.masked_array(x),
        lambda x: x.tolist(),
        lambda x: x.astype(object),
    ],
)
def test_a_method_that_changes_its_data_changes_nobody_elses(pack: Callable[[Any], Any]) -> None:
    def spoil(data: Any) -> None:
        if isinstance(data, dict):
            data["x"] = 99
            spoil(data["y"]["z"])
        elif isinstance(data, Data):
            spoil(data.x)
            data.y.append(5)
        elif isinstance(data, tuple):
            spoil(data[0])
        elif isinstance(data, list) and not isinstance(data[0], float):
            spoil(data[0])
            data.clear()
        else:
            data[0] = 99.0

    def spoils(data: Any, cell: Any) -> Any:
        cell.clear()
        spoil(data)
        return {"mu": 1.0}

    def looks(data: Any, cell: Any) -> Any:
        assert cell == {"n": 1}
        return {"mu": float(np.frombuffer(repr(data).encode(), np.uint8).sum())}

    batch = run(study(spoils, looks, dgp=lambda cell, rng: pack(rng.normal(size=10))))
    alone = run(study(looks, looks, dgp=lambda cell, rng: pack(rng.normal(size=10))))
    assert batch.methods["m0"].status.tolist() == [0] * 8
    assert batch.methods["m1"].columns["mu.estimate"].tolist() == alone.methods["m1"].columns["mu.estimate"].tolist()


def test_data_that_the_study_keeps_are_not_changed_between_replications() -> None:
    design = np.arange(5.0)

    def centres(data: Any, cell: Any) -> Any:
        data -= data.mean() + 1
        return {"mu": data[0]}

    batch = run(study(centres, dgp=lambda cell, rng: (rng.random(), design)[1]))
    assert batch.methods["m0"].columns["mu.estimate"].tolist() == [-3.0] * 8
    assert design.tolist() == [0, 1, 2, 3, 4] and design.flags.writeable


def test_a_method_that_changes_its_data_has_the_draws_of_one_that_does_not() -> None:
    def changes(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        drawn = rng.random()
        data[0] = 5.0
        return {"mu": drawn}

    def twin(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        return {"mu": rng.random()}

    found = joined(study(changes), CUTS[0])
    assert found == joined(study(twin), CUTS[0]) == joined(study(changes), CUTS[2])


def test_warnings_of_a_method_that_changes_its_data_count_once() -> None:
    def warns_and_changes(data: Any, cell: Any) -> Any:
        warnings.warn("careful", RuntimeWarning, stacklevel=1)
        data[0] = 1.0
        return {"mu": 1.0}

    assert run(study(warns_and_changes)).methods["m0"].warnings.tolist() == [1] * 8


def test_a_copy_shares_nothing_and_can_be_made_of_what_contains_itself() -> None:
    array = np.zeros(5)
    assert not np.shares_memory(own_copy((array,))[0], array) and not np.shares_memory(own_copy(array), array)
    endless: list[Any] = []
    endless.append(endless)
    assert own_copy(endless) is not endless


def test_global_random_numbers_come_from_the_study_whatever_the_tasks() -> None:
    def numpy_global(data: Any, cell: Any) -> Any:
        return {"mu": np.random.normal() + data[0]}

    def python_global(data: Any, cell: Any) -> Any:
        return {"mu": random.random()}

    def sets_seed(data: Any, cell: Any) -> Any:
        np.random.seed(1)
        random.seed(1)
        return {"mu": np.random.random() + random.random()}

    made = study(numpy_global, sets_seed, python_global)
    np.random.seed(5)
    whole = joined(made, CUTS[0])
    for cuts in CUTS[1:]:
        np.random.seed(6)
        random.seed(7)
        assert joined(made, cuts) == whole
    assert len(set(whole["m0"])) == len(set(whole["m2"])) == 12 and len(set(whole["m1"])) == 1
    assert any("global random numbers" in remark for remark in run(made).remarks)


def test_a_method_that_sets_the_global_seed_does_not_reach_another_or_the_caller() -> None:
    def sets_seed(data: Any, cell: Any) -> Any:
        np.random.seed(1)
        return {"mu": 1.0}

    def draws(data: Any, cell: Any) -> Any:
        return {"mu": np.random.normal()}

    np.random.seed(8)
    before = np.random.get_state()[1].tolist()
    found = joined(study(sets_seed, draws), CUTS[0])["m1"]
    assert len(set(found)) == 12
    assert np.random.get_state()[1].tolist() == before


def test_numpy_settings_that_a_method_changes_do_not_stay() -> None:
    def strict(data: Any, cell: Any) -> Any:
        np.seterr(all="raise")
        return {"mu": 1.0}

    def divides(data: Any, cell: Any) -> Any:
        return {"mu": 1.0 if np.isinf(np.ones(1) / np.zeros(1)) else 0.0}

    batch = run(study(strict, divides))
    assert batch.methods["m1"].status.tolist() == [0] * 8
    assert np.geterr()["divide"] == "warn"


def test_data_that_ignore_their_stream_are_remarked_upon() -> None:
    fixed = np.random.default_rng(1)
    for dgp in (lambda cell, rng: fixed.normal(size=10), lambda cell, rng: np.ones(100)):
        assert any("does not use its stream" in remark for remark in run(study(mean, dgp=dgp)).remarks)
    same_data = run(study(mean, dgp=lambda cell, rng: (rng.random(), np.ones(100))[1]))
    assert any("the same in every replication" in remark for remark in same_data.remarks)
    assert not run(study(mean)).remarks
    assert not run(study(lambda d, c: {"mu": d}, dgp=lambda cell, rng: float(rng.random() < 0.5))).remarks


def test_a_quantity_that_is_missing_sometimes_is_remarked_upon_and_no_failure() -> None:
    def sometimes(data: Any, cell: Any) -> Any:
        return {"mu": Estimate(data[0], se=1.0 if data[0] > 0 else None)}

    batch = run(study(sometimes), count=30)
    assert batch.methods["m0"].status.tolist() == [0] * 30
    assert 0 < np.isnan(batch.methods["m0"].columns["mu.se"]).sum() < 30
    assert any("mu.se in some replications" in remark for remark in batch.remarks)


def test_a_timeout_ends_a_method_and_only_that() -> None:
    def slow(data: Any, cell: Any) -> Any:
        if data[0] > 0:
            while True:
                with contextlib.suppress(Exception):
                    time.sleep(5)
        return {"mu": 1.0}

    batch = run(study(slow, mean, timeout=0.05), count=6)
    statuses = batch.methods["m0"].status.tolist()
    assert set(statuses) == {Status.OK, Status.TIMEOUT}
    assert batch.methods["m1"].status.tolist() == [0] * 6
    assert "0.05 seconds" in batch.methods["m0"].problems[statuses.index(Status.TIMEOUT)]


def test_a_method_that_catches_everything_is_ended_in_the_end() -> None:
    def stubborn(data: Any, cell: Any) -> Any:
        with contextlib.suppress(BaseException):
            time.sleep(5)
        time.sleep(5)

    begun = time.monotonic()
    assert outcome(stubborn, timeout=0.05)[0] == Status.TIMEOUT
    assert time.monotonic() - begun < 4


def test_data_that_take_too_long_are_no_data() -> None:
    batch = run(study(mean, dgp=lambda cell, rng: time.sleep(5), timeout=0.05), count=2)
    assert batch.methods["m0"].status.tolist() == [Status.NO_DATA] * 2


def test_a_method_that_is_left_out_changes_nothing_for_the_others() -> None:
    made = study(mean, lambda d, c, rng: {"mu": rng.random()})
    without = PythonRunner(made).run(Task(0, 3, 1, ("m0",)), lambda replication: None)
    assert list(without.methods) == ["m1"]
    whole = run(made)
    assert without.methods["m1"].columns["mu.estimate"][0] == whole.methods["m1"].columns["mu.estimate"][3]


def test_the_watcher_is_told_every_replication_and_method() -> None:
    seen: list[Any] = []
    runner = PythonRunner(study(mean, mean), lambda stage: seen.append(("method", stage)))
    runner.run(Task(0, 5, 2), lambda replication: seen.append(replication))
    assert seen == [5, ("method", 1), ("method", 2), 6, ("method", 1), ("method", 2)]


def test_who_is_given_a_stream() -> None:
    def yes(data: Any, cell: Any, rng: Any) -> Any: ...
    def annotated(data: Any, cell: Any, source: np.random.Generator = None) -> Any: ...  # type: ignore[assignment]
    def no(data: Any, cell: Any) -> Any: ...
    def option(data: Any, cell: Any, robust: bool = True) -> Any: ...

    assert [wants_stream(f) for f in (yes, annotated, no, option, len)] == [True, True, False, False, False]


def test_cells_are_independent() -> None:
    """The results of a cell do not depend on what else is in the grid."""
    small = study(mean)
    large = Study("s", {"n": [3, 2, 1]}, small.methods, {"mu": 0.0}, 100, 3, dgp=normal)
    same(run(small, cell=0), Batch(Task(0, 0, 8), run(large, cell=2).methods))


def test_caution_changes_no_result_and_computes_nothing_twice() -> None:
    calls: list[int] = []

    def wild(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        calls.append(1)
        data[0] = np.random.normal()
        return {"mu": data.sum() + rng.normal()}

    made = study(wild, mean)
    cautious = PythonRunner(made, cautious=True).run(Task(0, 0, 5), lambda replication: None)
    assert len(calls) == 5
    same(cautious, run(made, count=5))

"""What an attacker of the engine found once, and what must not come back."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.montecarlo import Estimate, Study, load_study, run
from statsclaw.montecarlo.batch import Status, Task
from statsclaw.montecarlo.design import Program
from statsclaw.montecarlo.executors.parcel import parcel_of
from statsclaw.montecarlo.python.runner import PythonRunner
from statsclaw.montecarlo.replaying import recheck
from statsclaw.montecarlo.storage.identity import describe
from statsclaw.montecarlo.streams import DATA, Stream, stream_key

KEY = stream_key(7, {"n": 50}, DATA)


def normal(cell: Any, rng: np.random.Generator) -> Any:
    return rng.normal(size=10)


def study(method: Any, dgp: Any = normal) -> Study:
    return Study("s", {}, {"m": method}, {"mu": 0.0}, 20, 3, dgp=dgp)


def outcome(answer: Any) -> tuple[Status, str]:
    batch = PythonRunner(study(lambda data, cell: answer)).run(Task(0, 0, 1), lambda replication: None)
    return Status(batch.methods["m"].status[0]), batch.methods["m"].problems.get(0, "")


def test_a_stream_that_jumps_meets_no_other_replication_nor_its_own_children() -> None:
    stream = Stream(KEY)
    families = []
    for replication in range(6):
        generator = stream.at(replication)
        families.append(generator.bit_generator.random_raw(8).tolist())
        fresh = stream.at(replication)
        jumped = [fresh.bit_generator.jumped(jumps) for jumps in (1, 2, 3)]  # type: ignore[attr-defined]
        families += [bits.random_raw(8).tolist() for bits in jumped]
        families += [child.bit_generator.random_raw(8).tolist() for child in fresh.spawn(3)]
    assert all(not set(one) & set(other) for one, other in itertools.combinations(families, 2))


def test_a_stream_that_was_moved_far_ahead_is_not_untouched() -> None:
    stream = Stream(KEY)
    for words in (2**64, 2**128):
        stream.at(3).bit_generator.advance(words)  # type: ignore[attr-defined]
        assert not stream.untouched


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ({"mu": Estimate(1.0, reject=np.nan)}, Status.NOT_FINITE, "mu.reject is nan"),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=0.03)}, Status.EXCEPTION, "mu.reject is 0.03, neither true nor false"),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject="no")}, Status.EXCEPTION, "mu.reject is 'no', neither"),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=math.inf)}, Status.EXCEPTION, "mu.reject is inf, neither"),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=np.array([1, 0]))}, Status.EXCEPTION, "mu.reject is array([1, 0]), neither"),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=1)}, Status.OK, ""),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=np.float64(0))}, Status.OK, ""),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=np.bool_(True))}, Status.OK, ""),  # type: ignore[arg-type]
        ({"mu": Estimate(1.0, reject=np.array([True]))}, Status.OK, ""),  # type: ignore[arg-type]
        ({"mu": Estimate(math.nan, se=1, low=0, high=2)}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(float("nan"), low=0, high=2)}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(np.nan, reject=True)}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(math.nan, draws=np.arange(9.0))}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate()}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(se=1.0)}, Status.NOT_FINITE, "mu.estimate is nan"),
        ({"mu": Estimate(low=0, high=2)}, Status.OK, ""),
        ({"mu": pickle.loads(pickle.dumps(Estimate(low=0, high=2)))}, Status.OK, ""),
        ({"mu": copy.deepcopy(Estimate(reject=True))}, Status.OK, ""),
        ({"mu": Estimate(1.0, low=2.0, high=0.5)}, Status.NOT_FINITE, "its lower limit is above its upper one"),
        ({"mu": Estimate(1.0, low=1.0, high=1.0)}, Status.OK, ""),
        ({"mu": 1.0, "converged": math.nan}, Status.NOT_CONVERGED, "converge"),
        ({"mu": 1.0, "converged": np.float32("nan")}, Status.NOT_CONVERGED, "converge"),
        ({"mu": 1.0, "converged": np.array([np.nan])}, Status.NOT_CONVERGED, "converge"),
        ({"mu": 1.0, "converged": "False"}, Status.EXCEPTION, "converged is 'False', neither true nor false"),
        ({"mu": 1.0, "converged": 1}, Status.OK, ""),
    ],
)
def test_what_is_not_a_number_is_never_a_result(answer: Any, status: Status, said: str) -> None:
    found = outcome(answer)
    assert found[0] == status and said in found[1], found


CUTS = [[(0, 12)], [(6, 6), (0, 6)], [(place, 1) for place in reversed(range(12))], [(0, 1), (1, 7), (8, 4)]]


def values(made: Study, cuts: list[tuple[int, int]]) -> list[float]:
    runner = PythonRunner(made)
    found: dict[int, float] = {}
    for first, count in cuts:
        rows = runner.run(Task(0, first, count), lambda replication: None).methods["m"]
        assert rows.status.tolist() == [Status.OK] * count
        found.update(zip(range(first, first + count), rows.columns["mu.estimate"].tolist(), strict=True))
    return [found[place] for place in range(12)]


@pytest.mark.parametrize("cuts", CUTS)
def test_a_method_that_catches_its_own_errors_may_write_into_its_data(cuts: list[tuple[int, int]]) -> None:
    def centred(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        drawn = rng.normal()
        try:
            data -= 1.0
        except ValueError:
            return {"mu": 99.0, "converged": data[0] > 0}
        return {"mu": data[0] + drawn}

    def plain(data: Any, cell: Any, rng: np.random.Generator) -> Any:
        return {"mu": data[0] - 1.0 + rng.normal()}

    assert values(study(centred), cuts) == values(study(plain), [(0, 12)])


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("pack", [lambda x: x[:, ::3], lambda x: (x[::2].T, 1), lambda x: {"x": x[::-1]}])
def test_the_layout_of_data_does_not_depend_on_who_wrote_into_them_before(pack: Any, cuts: Any) -> None:
    def sometimes(data: Any, cell: Any) -> Any:
        x = data[0] if isinstance(data, tuple) else data["x"] if isinstance(data, dict) else data
        layout = [x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable, *x.strides]
        first = x[0, 0]
        if first > 0.5:
            x[0, 0] = 1.0
        return {"mu": first + sum(place * part for place, part in enumerate(layout))}

    made = study(sometimes, lambda cell, rng: pack(rng.normal(size=(12, 6))))
    assert values(made, cuts) == values(made, [(place, 1) for place in range(12)])


def test_data_that_are_held_twice_are_held_twice_by_a_method() -> None:
    def writes(data: Any, cell: Any) -> Any:
        data[0][:] = 5.0
        return {"mu": data[1][0]}

    assert values(study(writes, lambda cell, rng: (x := rng.normal(size=3), x)), CUTS[0]) == [5.0] * 12


STUDY = """
import importlib
import deep.inner.x
from deep.other import y
from lib.a import one
from statsclaw.montecarlo import Study
dynamic = importlib.import_module("dyn" + "amic")
def dgp(cell, rng):
    return rng.normal(size=3)
def m(data, cell):
    return {"mu": data[0] + one + dynamic.two + deep.inner.x.three + y.four}
study = Study("s", {}, {"m": m}, {"mu": 0.0}, 5, 1, dgp=dgp)
"""
FILES = {
    "study.py": STUDY,
    "lib/a.py": "from helper2 import one\n",
    "helper2.py": "one = 1\n",
    "dynamic.py": "two = 2\n",
    "deep/inner/x.py": "three = 3\n",
    "deep/other/y.py": "four = 4\n",
    "stranger.py": "nobody = 'imports this'\n",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "study.py"


def test_every_module_of_the_folder_that_a_study_uses_is_part_of_its_identity(file: Path) -> None:
    known = set(FILES) - {"stranger.py"}
    for _ in range(2):  # the second time everything is loaded already
        made = load_study(file)
        assert set(describe(made)["code"]) == known
    assert {packed.place for packed in parcel_of(made).files} == known


@pytest.mark.parametrize("name", sorted(set(FILES) - {"study.py", "stranger.py", "lib/a.py"}))
def test_a_study_is_loaded_with_its_modules_as_they_are_now(file: Path, name: str) -> None:
    def first() -> float:
        made = load_study(file)
        return values(made, [(place, 1) for place in range(12)])[0]

    before, code = first(), describe(load_study(file))["code"]
    path = file.parent / name
    path.write_text(path.read_text().replace("= ", "= 10 + "))
    assert first() == pytest.approx(before + 10)
    now = describe(load_study(file))["code"]
    assert {key for key in now if now[key] != code[key]} == {name}


def test_a_module_that_is_elsewhere_by_a_link_can_be_loaded(tmp_path: Path, file: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (file.parent / "helper2.py").rename(elsewhere / "kept.py")
    (file.parent / "helper2.py").symlink_to(elsewhere / "kept.py")
    for _ in range(2):
        assert str(elsewhere / "kept.py") in describe(load_study(file))["code"]


def test_a_module_that_the_caller_has_imported_already_is_part_of_the_study_too(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(file.parent))
    monkeypatch.delitem(sys.modules, "dynamic", raising=False)
    __import__("dynamic")
    assert "dynamic.py" in describe(load_study(file))["code"]


def test_what_the_caller_itself_runs_is_no_part_of_a_study(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(file.parent))
    __import__("stranger")
    try:
        assert "stranger.py" not in describe(load_study(file))["code"]
    finally:
        del sys.modules["stranger"]


def test_what_an_r_file_sources_is_part_of_its_identity(tmp_path: Path) -> None:
    texts = {
        "study.R": 'source("a.R")\nsource(file = \'lib/b.R\', local = TRUE)\nsource("missing.R")\n',
        "a.R": "x <- 1\n",
        "lib/b.R": 'sys.source("c.R", environment())\n',
        "lib/c.R": 'source("../study.R")\n',
        "d.R": "y <- 1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    main = tmp_path / "study.R"
    program = Program("r", (str(main),), (main,))
    made = Study("s", {}, ("m",), {"mu": 0.0}, 5, 1, program=program, origin=tmp_path / "study.toml")
    wanted = {"study.R", "a.R", "lib/b.R", "lib/c.R"}
    assert set(describe(made)["code"]) == {"program", *wanted}
    assert {packed.place for packed in parcel_of(made).files} == wanted


STATEFUL = """
import itertools, os, time
import numpy as np
from statsclaw.montecarlo import Study
G = np.random.default_rng(7)
COUNTER = itertools.count()
def dgp(cell, rng):
    return rng.normal(size=cell["n"])
def m(data, cell, rng):
    return {"mu": METHOD}
study = Study("s", {"n": [3, 4, 5, 6]}, {"m": m}, {"mu": 0.0}, 6, 1, dgp=dgp)
"""


def rechecked(folder: Path, method: str) -> list[str]:
    path = folder / "study.py"
    path.write_text(STATEFUL.replace("METHOD", method))
    made = load_study(path)
    return recheck(made, run(made, workers=1))


@pytest.mark.parametrize("method", ["data[0] + G.normal()", "data[0] + next(COUNTER)"])
def test_state_that_a_study_keeps_is_noticed(tmp_path: Path, method: str) -> None:
    found = rechecked(tmp_path, method)
    assert 1 <= len(found) <= 3
    assert found[-1] == (
        "replication 5 of n=6 gives something else when it is computed again: the study keeps state between "
        "replications (a generator or counter outside of its functions?)"
    )


def test_numbers_from_outside_are_not_called_state(tmp_path: Path) -> None:
    found = rechecked(tmp_path, "np.random.default_rng().normal()")
    assert len(found) == 3 and all("each time" in sentence and "seed" in sentence for sentence in found)


@pytest.mark.parametrize("method", ["data[0] + rng.normal()", "data[0] / 0 if data[0] else os._exit(3)", "os._exit(3)"])
def test_a_sound_study_is_computed_again_as_it_was(tmp_path: Path, method: str) -> None:
    assert rechecked(tmp_path, method) == []


def test_a_study_of_this_session_is_computed_again_or_left_alone(tmp_path: Path) -> None:
    made = study(lambda data, cell: {"mu": data[0]})
    store = run(made, folder=tmp_path / "r", workers=0)
    assert recheck(made, store) == []
    assert recheck(replace(made, grid={"n": [1, 2]}), store, count=0) == []

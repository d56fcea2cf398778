"""How a worker in another process comes by the study: from its file, or pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from statsclaw.montecarlo.batch import Runner
from statsclaw.montecarlo.design import Cell, Study, StudyRefused, TruthOfData, said_by_program
from statsclaw.montecarlo.load import is_as_loaded, load_study

_PLAIN = ("name", "grid", "seed", "level", "timeout")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Can be sent anywhere. `plain`: what may differ from the file."""

    file: Path | None
    plain: dict[str, Any]
    methods: tuple[str, ...] = ()
    pickled: bytes = b""

    def study(self) -> Study:
        if self.file is None:
            found = pickle.loads(self.pickled)
            assert isinstance(found, Study)
            return found
        loaded = load_study(self.file)
        assert isinstance(loaded.methods, dict)
        return replace(loaded, methods={name: loaded.methods[name] for name in self.methods}, **self.plain)


def recipe_for(study: Study) -> Recipe | None:
    """None where the study cannot be sent: it holds functions of this session and cloudpickle is not installed."""
    if is_as_loaded(study):
        plain = {name: getattr(study, name) for name in _PLAIN}
        if not callable(study.truth) and not any(callable(value) for value in study.truth.values()):
            plain["truth"] = study.truth
        return Recipe(study.origin, plain, study.method_names)
    bare = replace(
        study,
        criteria=(),
        metrics={},
        replications=1,
        cap=None,
        origin=study.origin if study.program is not None else None,
    )
    if study.program is not None:
        truth = _TruthTable({tuple(cell.items()): _plain_truths(study, cell) for cell in study.cells()})
        return Recipe(None, {}, pickled=pickle.dumps(replace(bare, truth=truth)))
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ImportError:
        return None
    try:
        return Recipe(None, {}, pickled=cloudpickle.dumps(bare))
    except Exception:
        return None


def _plain_truths(study: Study, cell: Cell) -> dict[str, float | TruthOfData]:
    """Whatever function says what a truth of the data is here, in the worker the program says it."""
    return {name: said_by_program if callable(value) else value for name, value in study.truths(cell).items()}


@dataclass(frozen=True, slots=True)
class _TruthTable:
    values: dict[Any, dict[str, float | TruthOfData]]

    def __call__(self, cell: Any) -> dict[str, float | TruthOfData]:
        return self.values[tuple(cell.items())]


def runner_for(
    study: Study, entered: Callable[[int], None] = lambda stage: None, *, gives_back: bool = False
) -> Runner:
    """What computes the study's replications in a worker. `gives_back`: raises Killed where a program was."""
    if study.program is None:
        from statsclaw.montecarlo.python.runner import PythonRunner

        return PythonRunner(study, entered)
    try:
        from statsclaw.montecarlo.programs.runner import ProgramRunner
    except ImportError as error:
        raise StudyRefused(f"studies in other languages cannot be run: {error}") from None
    return ProgramRunner(study, gives_back=gives_back)

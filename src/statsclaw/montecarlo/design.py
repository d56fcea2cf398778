"""What a study is: data-generating process, grid, methods, truth, replications, seed, criteria. Data only, no work.

A study in Python holds functions; one in a TOML file names a program in R or any language. Both become a `Study`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np

from statsclaw.errors import InputRefused
from statsclaw.montecarlo.own import OwnMetric, own_metric
from statsclaw.words import or_else

Level = int | float | str | bool
Cell = Mapping[str, Level]
#: Draws the data of one replication: dgp(cell, rng).
Dgp = Callable[[Cell, np.random.Generator], Any]
#: Analyses them: method(data, cell), or method(data, cell, rng) where it draws itself.
Method = Callable[..., Mapping[str, Any]]
#: What is to be estimated may depend on the data that were drawn (a sample's own average effect): truth(data, cell).
TruthOfData = Callable[[Any, Cell], float]
#: Of every cell, or by cell: a table from names of cells (all, or some of their levels), or a function.
Replications = int | Mapping[str, int] | Callable[[Cell], int]
Truth = Mapping[str, float | TruthOfData] | Callable[[Cell], Mapping[str, float | TruthOfData]]


#: How a truth that depends on the data is written in a study file and in the folder of results.
OF_DATA = "data"


class StudyRefused(InputRefused, ValueError):
    """A study that cannot be run as it is written; the message is one sentence."""


class NoValue(float):
    """NaN by type: what `Estimate.value` is where a method gives none, pickled or copied as well."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a method says about one parameter. Of `draws` (chains × draws, or one chain) a sampler's summary is made:
    mean, standard deviation, quantiles at the level of the study, R-hat, effective sample sizes, rank of the truth."""

    value: float = NoValue(math.nan)
    se: float | None = None
    low: float | None = None
    high: float | None = None
    reject: bool | None = None
    draws: Any = None


class _Named:
    """Refuses a part that there is not, with the name that was meant."""

    __slots__ = ()

    def __new__(cls, *_: Any, **given: Any) -> Self:
        known = [each.name for each in fields(cls)]  # type: ignore[arg-type]
        for name in given:
            if name not in known:
                raise StudyRefused(f"{cls.__name__} has no {name!r}{or_else(name, known)}")
        return super().__new__(cls)


@dataclass(frozen=True, slots=True)
class Criterion(_Named):
    """`metric` of `parameter` (or of the scalar `field`) by `method`, within [low, high] in every cell of `cells`.

    `unit`: "absolute", or "empse" where the bounds are multiples of the empirical standard error (bias). `reference`:
    the method that relative precision, speed_ratio and agreement compare with. `minus`: the criterion is about the
    metric by `method` minus that by this one, on the same data. `axis`: the axis of the grid along
    which "rate" (slope of log RMSE on the log of the axis) and "trend" (monotone change of `of`) are judged, over the
    cells that share all other levels. `faults`: names of the faults `mc plan` looks at, default all that apply.
    """

    id: str
    metric: str
    method: str
    parameter: str | None = None
    low: float | None = None
    high: float | None = None
    cells: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    field: str | None = None
    unit: str = "absolute"
    reference: str | None = None
    axis: str | None = None
    of: str | None = None
    source: str = ""
    faults: Sequence[str] = ()
    minus: str | None = None

    def __post_init__(self) -> None:
        """One level of an axis needs no list."""
        if isinstance(self.cells, Mapping):
            object.__setattr__(self, "cells", {axis: _one_or_more(levels) for axis, levels in self.cells.items()})

    @property
    def other(self) -> str | None:
        """The method it is compared with, on the same data."""
        return self.minus or self.reference


@dataclass(frozen=True, slots=True)
class Program:
    """Data and methods in another language: an R file that defines dgp() and methods, or a command."""

    language: str  # "r" or "command"
    argv: tuple[str, ...]  # of R: the file
    files: tuple[Path, ...] = ()  # what the results depend on, hashed into the identity of the code


@dataclass(frozen=True, slots=True)
class Study(_Named):
    """`timeout`: seconds a method may take in one replication. `cap`: most replications a sequential run adds up to.

    `failures_allowed`: the share of failed replications that is let pass where no criterion limits the failures of the
    method in the cell. Significantly more fail every criterion of the cell. `leave_out`: combinations of levels that
    make no cell, such as {"n": 20, "p": [10, 20]}. `common_random_numbers`: all cells draw their data from one stream.
    `mcse`: metric → the largest Monte Carlo error it may have; cells get replications, up to the cap, until then.
    `replications`: of each cell, a table such as {"all": 500, "n=20": 2000}, or a function of the cell.
    `metrics`: name → function of what was recorded of a cell, by the names of its arguments (see own.py).
    """

    name: str
    grid: Mapping[str, Sequence[Level]]
    methods: Mapping[str, Method] | Sequence[str]
    truth: Truth
    replications: Replications
    seed: int
    dgp: Dgp | None = None
    program: Program | None = None
    criteria: Sequence[Criterion] = ()
    level: float = 0.95
    cap: int | None = None
    timeout: float | None = None
    description: str = ""
    origin: Path | None = None  # the file it was loaded from
    failures_allowed: float = 0.01
    leave_out: Sequence[Mapping[str, Level | Sequence[Level]]] = ()
    common_random_numbers: bool = False
    mcse: Mapping[str, float] = field(default_factory=dict)
    metrics: Mapping[str, Callable[..., float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Levels become plain Python values, so that a cell has one name and one stream however it was written."""
        if isinstance(self.grid, Mapping):
            object.__setattr__(self, "grid", {axis: _plain_levels(levels) for axis, levels in self.grid.items()})
        if isinstance(self.leave_out, Mapping):
            object.__setattr__(self, "leave_out", (self.leave_out,))
        if isinstance(self.metrics, Mapping) and self.metrics and isinstance(self.criteria, Sequence):
            own: dict[str, OwnMetric] = {each: each for each in self.own_metrics}
            object.__setattr__(self, "criteria", tuple(_with_own(each, own) for each in self.criteria))

    @property
    def method_names(self) -> tuple[str, ...]:
        return tuple(self.methods)

    @property
    def own_metrics(self) -> tuple[OwnMetric, ...]:
        """As far as they can be called."""
        return tuple(own_metric(name, function) for name, function in self.metrics.items() if is_own(function))

    def cells(self) -> list[dict[str, Level]]:
        """Every cell of the grid, the last axis fastest; one empty cell where there is no grid."""
        return cells_of(self.grid, self.leave_out)

    def cell(self, number: int) -> dict[str, Level]:
        """The cell of this number, without writing all of them down where the grid is complete."""
        if self.leave_out:
            return self.cells()[number]
        found: dict[str, Level] = {}
        for axis, levels in reversed(list(self.grid.items())):
            number, place = divmod(number, len(levels))
            found[axis] = levels[place]
        return dict(reversed(found.items()))

    @property
    def planned(self) -> tuple[int, ...]:
        """The replications of every cell."""
        if isinstance(self.replications, Mapping) or callable(self.replications):
            return tuple(map(self.replications_in, self.cells()))
        return (_plain(self.replications),) * len(self.cells())

    def replications_in(self, cell: Cell) -> int:
        count = self.replications
        if isinstance(count, Mapping):
            return _most_specific(count, cell)
        return _plain(count(cell) if callable(count) else count)

    def truth_in(self, cell: Cell) -> dict[str, float]:
        """By parameter; 0 where it depends on the data, since what is recorded then is the distance from it."""
        return {name: 0.0 if callable(value) else value for name, value in self.truths(cell).items()}

    def truth_of_data(self, cell: Cell) -> dict[str, TruthOfData]:
        """The parameters whose truth depends on the data."""
        return {name: value for name, value in self.truths(cell).items() if callable(value)}

    def truths(self, cell: Cell) -> Mapping[str, float | TruthOfData]:
        """As they were given: numbers, and functions of the data."""
        return self.truth(cell) if callable(self.truth) else self.truth

    def data_cell(self, cell: Cell) -> Cell:
        """What names the stream of the data of a cell."""
        return {} if self.common_random_numbers else cell

    def selected(self, criterion: Criterion) -> list[int]:
        """The numbers of the cells a criterion is about."""
        return [
            number
            for number, cell in enumerate(self.cells())
            if all(cell[axis] in levels for axis, levels in criterion.cells.items())
        ]

    def described(self) -> dict[str, Any]:
        """The design as plain data: what results are bound to. Replications, cap and criteria may change later."""
        known = {
            "seed": self.seed,
            "grid": {axis: list(levels) for axis, levels in self.grid.items()},
            "methods": list(self.method_names),
            "truth": [self._described_truth(cell) for cell in self.cells()],
            "level": self.level,
            "timeout": self.timeout,
        }
        if self.leave_out:
            left_out = [{axis: list(levels_of(levels)) for axis, levels in row.items()} for row in self.leave_out]
            known["leave_out"] = left_out
        if self.common_random_numbers:
            known["common_random_numbers"] = True
        return known

    def _described_truth(self, cell: Cell) -> dict[str, float | str]:
        return {name: OF_DATA if callable(value) else value for name, value in self.truths(cell).items()}

    @property
    def design_sha256(self) -> str:
        text = json.dumps(self.described(), sort_keys=True, default=float)
        return hashlib.sha256(text.encode()).hexdigest()


def cells_of(
    grid: Mapping[str, Sequence[Level]], leave_out: Iterable[Mapping[str, Level | Sequence[Level]]] = ()
) -> list[dict[str, Level]]:
    """Every combination of levels but those that are left out."""
    cells = [dict(zip(grid, row, strict=True)) for row in product(*grid.values())]
    return [cell for cell in cells if not any(_fits(cell, row) for row in leave_out)] if leave_out else cells


def is_own(function: object) -> bool:
    """A metric can be made of it."""
    try:
        return callable(function) and bool(own_metric("", function).columns(""))
    except (TypeError, ValueError):
        return False


EVERY_CELL = "all"


def is_named(name: str, cell: Cell) -> bool:
    """n=50 names every cell with that level."""
    levels = {(axis, part.strip()) for axis, _, part in (each.partition("=") for each in name.split(","))}
    return name == EVERY_CELL or all(axis in cell and _is_level(part, cell[axis]) for axis, part in levels)


def _most_specific(counts: Mapping[str, int], cell: Cell) -> int:
    fitting = [name for name in counts if is_named(name, cell)]
    levels = {name: 0 if name == EVERY_CELL else name.count("=") for name in fitting}
    found = [name for name in fitting if levels[name] == max(levels.values())]
    if len(found) == 1:
        return _plain(counts[found[0]])
    if found:
        raise StudyRefused(f"two rows of replications fit the cell {cell_name(cell)} alike: {' and '.join(found[:2])}")
    todo = f"one that is called {EVERY_CELL} is for every other"
    raise StudyRefused(f"no row of replications fits the cell {cell_name(cell)}; {todo}")


def _is_level(text: str, level: Level) -> bool:
    if isinstance(level, bool | str):
        return text == level or (isinstance(level, bool) and text.lower() == str(level).lower())
    try:
        return float(text) == level
    except ValueError:
        return False


def _plain(count: Any) -> int:
    plain: int = count.item() if isinstance(count, np.generic) else count
    return plain


def _with_own(criterion: Criterion, own: Mapping[str, OwnMetric]) -> Criterion:
    """With the functions of the metrics that it names."""
    if not isinstance(criterion, Criterion) or not {criterion.metric, criterion.of} & {*own}:
        return criterion
    return replace(
        criterion,
        metric=own.get(criterion.metric, criterion.metric),
        of=own.get(criterion.of, criterion.of) if criterion.of is not None else None,
    )


def _fits(cell: Cell, row: Mapping[str, Level | Sequence[Level]]) -> bool:
    return all(cell[axis] in levels_of(row[axis]) for axis in row)


def levels_of(levels: Level | Sequence[Level]) -> Sequence[Level]:
    """One level may be written without a list."""
    return (levels,) if isinstance(levels, str) or not isinstance(levels, Sequence) else levels


def _one_or_more(levels: Any) -> Any:
    one = isinstance(levels, str | int | float | np.generic)
    return _plain_levels((levels,)) if one else levels


def _plain_levels(levels: Any) -> Any:
    if isinstance(levels, str | Set | Mapping) or not isinstance(levels, Iterable):
        return levels  # refused later: it has no order
    return tuple(level.item() if isinstance(level, np.generic) else level for level in levels)


def said_by_program(data: Any, cell: Cell) -> float:
    """The truth of a parameter that the function truth(data, cell) of an R file computes; never called here."""
    raise StudyRefused("the program says this truth, not the study")


def cell_name(cell: Cell) -> str:
    """As it is written everywhere: n=50,rho=0.5."""
    return ",".join(f"{axis}={level}" for axis, level in cell.items()) or "all"

"""sim-spec.md: the study, as data. The simulator writes the harness; metrics and verdicts are computed from records."""

from __future__ import annotations

import math
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator

from statsclaw.montecarlo import design
from statsclaw.montecarlo.verdicts.questions import check_criterion
from statsclaw.specs.test_spec import Alternative
from statsclaw.specs.words import Count, Id, Name, Number, Positive, Seed, Typed, Words

Level = StrictInt | StrictFloat | StrictStr


#: Every metric of `statsclaw mc`; montecarlo says what each needs.
Metric = Literal[
    "bias", "relative_bias", "standardised_bias", "median_bias", "empse", "robust_empse", "quantile_range", "modse",
    "mse", "rmse", "relative_error_modse", "se_ratio", "rms_se_ratio", "coverage", "be_coverage", "width", "rejection",
    "time", "median_time", "failure_rate", "convergence_rate", "mean",
    "relative_precision", "agreement", "difference", "speed_ratio", "rate", "trend",
]  # fmt: skip
#: Metrics of the seconds that a method took: the harness records them in a field of this name.
_OF_SECONDS = ("time", "median_time", "speed_ratio")
SECONDS = "seconds"
_MOST_CELLS = 2000
#: Cells times methods times replications: what the records of a run can hold, with a dozen columns.
_MOST_FITS = 10_000_000


class Parameter(Typed):
    """What is estimated. `truth`: its value; by cell where it depends on the cell, keyed as the cell is written."""

    name: Name
    truth: Number | dict[str, Number]


class StudyCriterion(Typed):
    """`metric` of `parameter` by `method`, in every cell that `cells` selects, within [low, high].

    se_ratio: mean of the standard errors over the standard deviation of the estimates; rms_se_ratio: root of the mean
    of their squares over it. mean: of the recorded field `field`. `minus`: the metric by `method` minus that by this
    one, on the same data. `reference`, `axis`, `of`, `unit`: of the metrics that need them, as in `statsclaw mc`.
    `alternatives`: what the metric would be under a named fault.
    """

    id: Id
    quantity: Words
    metric: Metric
    parameter: Name | None = None
    method: Name
    field: Name | None = None
    cells: dict[str, tuple[Level, ...]] = {}
    low: Number | None = None
    high: Number | None = None
    source: Words
    minus: Name | None = None
    reference: Name | None = None
    axis: Name | None = None
    of: Metric | None = None
    unit: Literal["absolute", "empse"] = "absolute"
    spread: Positive | None = None
    alternatives: Annotated[tuple[Alternative, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _bounded(self) -> StudyCriterion:
        if self.low is None and self.high is None:
            raise ValueError(f"{self.id}: no bound, so nothing could miss it")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"{self.id}: low is not below high")
        if (self.metric == "mean") != (self.field is not None):
            raise ValueError(f'{self.id}: "field" goes with the metric "mean", and only with it')
        return self


class Study(Typed):
    """`records`: what the harness reports of every replication, per method and parameter, or as further fields.

    `failures_allowed`: the share of failed replications that is let pass where no criterion limits the failures of a
    method in a cell; significantly more fail every criterion of the method there.
    """

    id: Id
    dgp: Words
    parameters: Annotated[tuple[Parameter, ...], Field(min_length=1)]
    grid: dict[str, Annotated[tuple[Level, ...], Field(min_length=1)]]
    methods: Annotated[tuple[Name, ...], Field(min_length=1)]
    replications: Count
    cap: Count | None = None
    seed: Seed
    level: Annotated[Number, Field(gt=0.5, lt=1)] = 0.95
    fields: tuple[Name, ...] = ()
    failures_allowed: Annotated[Number, Field(ge=0, lt=1)] = 0.01
    criteria: Annotated[tuple[StudyCriterion, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Study:
        if math.prod(len(levels) for levels in self.grid.values()) > _MOST_CELLS:
            raise ValueError(f"more than {_MOST_CELLS:,} cells")
        fits = len(self.cells()) * len(self.methods) * (self.cap or self.replications)
        if fits > _MOST_FITS:
            raise ValueError(
                f"{fits:,} fits (cells x methods x replications, up to the cap); a run keeps the records of "
                f"{_MOST_FITS:,}. Plan fewer, or leave the rest to a study of `statsclaw mc`"
            )
        ids = [row.id for row in self.criteria]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"the id {twice[0]!r} stands here twice")
        known = {parameter.name for parameter in self.parameters}
        for row in self.criteria:
            if row.parameter is not None and row.parameter not in known:
                raise ValueError(f"{row.id}: there is no parameter {row.parameter!r}")
            if row.method not in self.methods:
                raise ValueError(f"{row.id}: there is no method {row.method!r}")
            if row.field is not None and row.field not in self.fields:
                raise ValueError(f"{row.id}: there is no field {row.field!r}")
            if row.metric in _OF_SECONDS and SECONDS not in self.fields:
                raise ValueError(f'{row.id}: {row.metric} needs the field "{SECONDS}", which the harness records')
            for axis, levels in row.cells.items():
                if not levels or not set(levels) <= set(self.grid.get(axis, ())):
                    raise ValueError(f"{row.id}: {axis} has no such level in the grid")
        if self.cap is not None and self.cap < self.replications:
            raise ValueError("the cap is below the planned replications")
        for parameter in self.parameters:
            if isinstance(parameter.truth, dict) and set(parameter.truth) != set(self.cells()):
                raise ValueError(f"the truth of {parameter.name} is not given for every cell, written as n=50,rho=0.5")
        as_judged = as_design(self)
        for criterion in as_judged.criteria:
            check_criterion(as_judged, criterion)
        return self

    def cells(self) -> list[str]:
        """Every cell of the grid, written as `n=50,rho=0.5`; "all" where the grid is empty."""
        names = list(self.grid)
        rows = product(*self.grid.values())
        return [",".join(f"{name}={level}" for name, level in zip(names, row, strict=True)) or "all" for row in rows]

    def selected(self, criterion: StudyCriterion) -> list[str]:
        """The cells a criterion is about."""
        names = list(self.grid)
        rows = [
            row
            for row in product(*self.grid.values())
            if all(row[names.index(axis)] in levels for axis, levels in criterion.cells.items())
        ]
        return [",".join(f"{name}={level}" for name, level in zip(names, row, strict=True)) or "all" for row in rows]

    def truth(self, parameter: str, cell: str) -> float:
        found = next(row.truth for row in self.parameters if row.name == parameter)
        return found[cell] if isinstance(found, dict) else found


def as_design(study: Study) -> design.Study:
    """As `statsclaw mc` has it. `methods` are names only: it can be summarised and judged, not run."""
    truths = {cell: {row.name: study.truth(row.name, cell) for row in study.parameters} for cell in study.cells()}
    return design.Study(
        name=study.id,
        grid=study.grid,
        methods=study.methods,
        truth=lambda cell: truths[design.cell_name(cell)],
        replications=study.replications,
        seed=study.seed,
        criteria=tuple(as_criterion(row) for row in study.criteria),
        level=study.level,
        cap=study.cap,
        description=study.dgp,
        failures_allowed=study.failures_allowed,
    )


def as_criterion(row: StudyCriterion) -> design.Criterion:
    shared = row.model_dump(exclude={"quantity", "spread", "alternatives"})
    return design.Criterion(**shared)

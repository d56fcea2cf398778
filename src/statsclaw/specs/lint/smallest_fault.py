"""The smallest usual fault that each criterion of a study would notice, whatever alternatives the planner names.

A fault multiplies the standard errors, shifts the estimates by a multiple of their standard deviation (EmpSE), widens
that deviation, or makes a share of the replications fail. It is in every cell of the criterion, and cells are taken as
independent. "Noticed" is a miss of the bare comparison at the planned replications in 99 % of studies. A correct method
is where the metric says so (coverage at the level, bias 0, se_ratio 1); where the band leaves that out, or nobody can
know it, it is taken to be in the middle of the band. Criteria of the same metric of the same estimates, one for each
edge, count as one band.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from scipy import special  # type: ignore[import-untyped]

from statsclaw.montecarlo.verdicts.faults import covers
from statsclaw.montecarlo.verdicts.power import Measured, Model, Proportion, chances
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.contract import SIM_SPEC, Contract
from statsclaw.specs.lint.found import finding
from statsclaw.specs.lint.power import cells_of
from statsclaw.specs.sim_spec import Study, StudyCriterion

Kind = Literal["se too small", "se too large", "bias", "estimates too spread", "fails"]
NOTICED = 0.99
_HALVINGS = 40
_ERROR = 0.01
#: The largest size that is tried of each kind: a share of the standard errors, EmpSE, a factor less one, a share.
_LARGEST: dict[Kind, float] = {
    "se too small": 0.99,
    "se too large": 9.0,
    "bias": 20.0,
    "estimates too spread": 9.0,
    "fails": 1.0,
}
#: Beyond this a criterion is of no use. Standard errors a third too small give 95 % intervals a coverage of 81 %, a
#: bias of one EmpSE one of 83 %; estimates with three times the spread throw eight of nine observations away.
_ABSURD: dict[Kind, float] = {
    "se too small": 1 / 3,
    "bias": 1.0,
    "estimates too spread": 2.0,
    "fails": 0.5,
}
#: What a message gives as an example of a fault that matters.
_USUAL: dict[Kind, float] = {"se too small": 0.25, "bias": 0.5, "estimates too spread": 0.5, "fails": 0.2}
#: The fault that each metric is there for.
_JUDGED: dict[str, Kind] = {
    "coverage": "se too small",
    "rejection": "se too small",
    "se_ratio": "se too small",
    "modse": "se too small",
    "bias": "bias",
    "rmse": "estimates too spread",
    "empse": "estimates too spread",
    "quantile_range": "estimates too spread",
    "failure_rate": "fails",
}
#: Of the truth: a smaller bias than this is seldom what decides, however precise the estimates are.
_SMALL_SHARE = 0.05
#: The faults that every table shows.
STANDARD: tuple[tuple[Kind, float], ...] = (
    ("se too small", 0.10),
    ("se too small", 0.25),
    ("se too large", 0.25),
    ("bias", 0.25),
    ("bias", 0.50),
)
_OF_METRIC: dict[str, tuple[Kind, ...]] = {
    "coverage": ("se too small", "se too large", "bias"),
    "rejection": ("se too small", "se too large", "bias"),
    "se_ratio": ("se too small", "se too large"),
    "modse": ("se too small", "se too large"),
    "bias": ("bias",),
    "rmse": ("estimates too spread", "bias"),
    "empse": ("estimates too spread",),
    "quantile_range": ("estimates too spread",),
    "failure_rate": ("fails",),
}


@dataclass(frozen=True, slots=True)
class SmallestFault:
    """`smallest`: the least size that is noticed, None if none is. `missed`: standard faults that mostly pass."""

    criterion: str
    kind: Kind
    smallest: float | None
    missed: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return words_of(self.kind, self.smallest) if self.smallest is not None else f"no {_PLAIN[self.kind]}"


_PLAIN: dict[Kind, str] = {
    "se too small": "standard errors that are too small",
    "se too large": "standard errors that are too large",
    "bias": "bias",
    "estimates too spread": "estimates that vary too much",
    "fails": "failures",
}


def words_of(kind: Kind, size: float) -> str:
    match kind:
        case "se too small" | "se too large":
            return f"standard errors {_two(100 * size)} % {kind.removeprefix('se ')}"
        case "bias":
            return f"a bias of {_two(size)} EmpSE"
        case "estimates too spread":
            return f"estimates that vary {_two(1 + size)} times as much"
        case "fails":
            return f"failures in {_two(100 * size)} % of replications"


def _two(size: float) -> str:
    return f"{size:.2g}" if size < 100 else f"{size:.0f}"


def smallest_faults(study: Study) -> list[SmallestFault]:
    """One row per criterion and kind of fault that its metric could notice; nothing for the mean of a field."""
    return [row for criterion in study.criteria for row in _of_criterion(study, criterion)]


def _of_criterion(study: Study, criterion: StudyCriterion) -> Iterator[SmallestFault]:
    for kind in _OF_METRIC.get(criterion.metric, ()):
        missed = _missed_by(study, criterion, kind)
        if missed is None:
            continue
        standard = [size for name, size in STANDARD if name == kind and missed(size) > 0.1]
        unnoticed = tuple(words_of(kind, size) for size in standard)
        yield SmallestFault(criterion.id, kind, _smallest(missed, _LARGEST[kind]), unnoticed)


def _smallest(missed: Callable[[float], float], largest: float) -> float | None:
    """By halving: the larger a fault, the more often it is noticed, as soon as it is noticed at all."""
    if missed(largest) > 1 - NOTICED:
        return None
    low, high = 0.0, largest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) > 1 - NOTICED else (low, middle)
    return high


def _missed_by(study: Study, criterion: StudyCriterion, kind: Kind) -> Callable[[float], float] | None:
    """The probability that a fault of a size passes; None where no standard fault has a meaning."""
    band = _band(study, criterion)
    model = _model(study, criterion, band, kind)
    if model is None:
        return None
    edges = tuple(edge if edge is not None else sign * math.inf for edge, sign in ((band.low, -1), (band.high, 1)))
    cells = max(1, cells_of(study, criterion))

    def missed(size: float) -> float:
        one = chances(model(size), study.replications, (edges[0], edges[1]), _ERROR, _ERROR).literal_pass
        return float(min(max(one, 0.0), 1.0) ** cells)

    return missed


@dataclass(frozen=True, slots=True)
class _Band:
    low: float | None
    high: float | None

    def holds(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    @property
    def middle(self) -> float | None:
        """Of two positive edges: geometric, as what they are of is never negative."""
        if self.low is None or self.high is None or self.low <= 0:
            return None
        return math.sqrt(self.low * self.high)


def _band(study: Study, criterion: StudyCriterion) -> _Band:
    """An edge that a criterion does not have is taken from another of the same metric, estimates and cells."""
    rows = [row for row in _same_estimates(study, criterion) if row.metric == criterion.metric]
    low = criterion.low if criterion.low is not None else max((r.low for r in rows if r.low is not None), default=None)
    high = criterion.high
    if high is None:
        high = min((row.high for row in rows if row.high is not None), default=None)
    return _Band(low, high)


def _same_estimates(study: Study, criterion: StudyCriterion) -> list[StudyCriterion]:
    """The other criteria of the same method and parameter that are asked in all cells of this one."""
    same = [row for row in study.criteria if (row.method, row.parameter) == (criterion.method, criterion.parameter)]
    levels = {axis: set(criterion.cells.get(axis, study.grid[axis])) for axis in study.grid}
    return [
        row
        for row in same
        if row.id != criterion.id and all(levels[axis] <= set(row.cells.get(axis, study.grid[axis])) for axis in levels)
    ]


def _model(study: Study, criterion: StudyCriterion, band: _Band, kind: Kind) -> Callable[[float], Model] | None:
    def factor(size: float) -> float:
        return 1 - size if kind == "se too small" else 1 + size if kind == "se too large" else 1.0

    match criterion.metric:
        case "coverage" | "rejection":
            return _of_intervals(study, criterion.metric == "rejection", band, kind, factor)
        case "failure_rate":
            return Proportion if not band.low else None
        case "bias":
            return _of_bias(band, _spread(study, criterion))
        case "se_ratio" | "modse":
            known = criterion.metric == "se_ratio" and band.holds(1.0)
            centre = 1.0 if known else band.middle
            return None if centre is None else lambda size: _deviation(centre * factor(size))
        case _:
            usual = band.middle or _spread(study, criterion)
            if usual is None:
                return None
            return lambda size: _deviation(usual * (math.hypot(1.0, size) if kind == "bias" else 1 + size))


def _of_intervals(
    study: Study, rejects: bool, band: _Band, kind: Kind, factor: Callable[[float], float]
) -> Callable[[float], Model] | None:
    """Intervals as in `montecarlo.verdicts.plan`: estimate ± z · standard error, normal estimates."""
    z = float(special.ndtri((1 + study.level) / 2))
    if not band.holds(1 - study.level if rejects else study.level):
        middle = None if rejects else band.middle
        if middle is None or not 0 < middle < 1:
            return None
        z = float(special.ndtri((1 + middle) / 2))

    def model(size: float) -> Proportion:
        covered = covers(z, factor(size), size if kind == "bias" else 0.0)
        return Proportion(1 - covered if rejects else covered)

    return model


def _of_bias(band: _Band, spread: float | None) -> Callable[[float], Model] | None:
    """Towards the edge that is farther away, or that is not there."""
    if spread is None:
        return None
    low = -math.inf if band.low is None else band.low
    high = math.inf if band.high is None else band.high
    centre = 0.0 if band.holds(0.0) else (low + high) / 2
    towards = 1.0 if high - centre >= centre - low else -1.0
    return (lambda size: Measured(centre + towards * size * spread, spread)) if math.isfinite(centre) else None


def _deviation(value: float) -> Measured:
    """A standard deviation or a ratio of two, from normal estimates."""
    return Measured(value, value * math.sqrt(0.5), 0.0)


def _spread(study: Study, criterion: StudyCriterion) -> float | None:
    """EmpSE as the criterion states it, or the least that others state of the same estimates."""
    if criterion.metric == "bias" and criterion.spread is not None:
        return criterion.spread
    rows = [criterion, *_same_estimates(study, criterion)]
    stated = [row.spread for row in rows if row.metric == "bias" and row.spread is not None]
    named = [a.spread for row in rows if row.metric == "bias" for a in row.alternatives if a.spread is not None]
    return min([*stated, *named], default=None)


def smallest_fault_findings(contract: Contract, stated: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """Criteria that only an absurd fault would miss. `stated`: those whose bounds are not the planner's own."""
    study = contract.study
    if study is None:
        return
    rows = smallest_faults(study)
    for number, criterion in enumerate(study.criteria):
        where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
        row = next((r for r in rows if (r.criterion, r.kind) == (criterion.id, _JUDGED.get(criterion.metric))), None)
        if row is None or not _is_absurd(study, criterion, row):
            continue
        severity: Severity = "warning" if criterion.id in stated else "error"
        yield finding("power", severity, _sentence(criterion, row), where, f"smallest-fault:{criterion.id}")


def _is_absurd(study: Study, criterion: StudyCriterion, row: SmallestFault) -> bool:
    if row.smallest is None:
        return True
    if row.smallest <= _ABSURD[row.kind]:
        return False
    return not (row.kind == "bias" and _small_beside_truth(study, criterion, row.smallest))


def _small_beside_truth(study: Study, criterion: StudyCriterion, size: float) -> bool:
    spread = _spread(study, criterion)
    if spread is None or criterion.parameter is None:
        return False
    truth = min((abs(study.truth(criterion.parameter, cell)) for cell in study.selected(criterion)), default=0.0)
    return size * spread <= _SMALL_SHARE * truth


def _sentence(criterion: StudyCriterion, row: SmallestFault) -> str:
    first = f"the smallest that it notices in 99 % of studies is {row.text}" if row.smallest else "nor any larger one"
    named = ", ".join(f"“{a.name}”"[:80] for a in criterion.alternatives[:2])
    return (
        f"{criterion.id} would not notice {words_of(row.kind, _USUAL[row.kind])}; {first}. The faults that it names "
        f"({named}) say nothing about likely ones: narrow the band, or plan more replications."
    )

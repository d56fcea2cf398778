"""Checks that could hardly fail, and checks that a correct package would often fail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from statsclaw.montecarlo.verdicts.judge import LEVEL
from statsclaw.montecarlo.verdicts.power import chances, model_at, needed
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.contract import SIM_SPEC, Contract
from statsclaw.specs.lint.distributions import normal_cdf, normal_quantile
from statsclaw.specs.lint.found import clip, finding, show, show_percent
from statsclaw.specs.lint.tolerances import tolerance_findings
from statsclaw.specs.sim_spec import Metric, Study, StudyCriterion

#: A fault worth naming must be missed, and a correct package refused, no more often than this.
MOST_MISSED = 0.10
_MOST_SEARCHES = 200
#: Standard errors too small by a quarter are noticed by any study of standard errors or intervals worth running.
_SHRUNKEN = 0.75


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Of one alternative of one criterion: the probability that it passes, and that a correct package fails.

    `passes` is None where the spread is needed and not stated; `false_alarm` also where nobody can say what a correct
    package gives. `needed`: the replications from which the alternative passes in at most 10 % of studies, if any.
    """

    criterion: str
    alternative: str
    value: float
    low: float | None
    high: float | None
    cells: int
    passes: float | None
    false_alarm: float | None
    needed: int | None = None


@lru_cache(maxsize=20_000)
def passing_probability(
    metric: Metric,
    value: float,
    low: float | None,
    high: float | None,
    replications: int,
    *,
    cells: int = 1,
    spread: float | None = None,
    difference: bool = False,
) -> float:
    """The probability that the point estimate of `metric` lies within [low, high] in all of `cells` independent cells.

    `value` is the true value of the metric in each cell. `spread`, the standard deviation of one replication, and
    `difference`: as montecarlo.verdicts.power takes them, which computes it.
    Raises ValueError where the value is impossible for the metric or the spread is missing.
    """
    model = model_at(metric, value, spread, difference=difference)
    if model is None:
        raise ValueError("the spread is not stated")
    band = (-math.inf if low is None else low, math.inf if high is None else high)
    one = chances(model, replications, band, 1 - LEVEL, 1 - LEVEL).literal_pass
    return float(min(1.0, max(0.0, one)) ** max(1, cells))


def correct_value(study: Study, criterion: StudyCriterion) -> float | None:
    """What the metric is for a correct package, where that is known without knowing the package."""
    known = {
        **dict.fromkeys(("coverage", "be_coverage"), study.level),
        **dict.fromkeys(("bias", "relative_bias", "standardised_bias", "median_bias", "relative_error_modse"), 0.0),
        **dict.fromkeys(("se_ratio", "rms_se_ratio", "convergence_rate"), 1.0),
        "failure_rate": 0.0,
    }
    return known.get(criterion.metric) if criterion.minus is None else None


def cells_of(study: Study, criterion: StudyCriterion) -> int:
    """How many cells a criterion is about, without writing them down."""
    chosen = criterion.cells
    return math.prod(
        sum(level in chosen[axis] for level in levels) if axis in chosen else len(levels)
        for axis, levels in study.grid.items()
    )


def power_table(study: Study) -> list[PowerRow]:
    """One row per alternative of every criterion, at the planned replications."""
    rows: list[PowerRow] = []
    searches = 0
    for criterion in study.criteria:
        for alternative in criterion.alternatives:
            row = _row(study, criterion, alternative.name, alternative.value, alternative.spread or criterion.spread)
            if row.passes is not None and row.passes > MOST_MISSED and searches < _MOST_SEARCHES:
                searches += 1
                row = _with_needed(row, study, criterion, alternative.spread or criterion.spread)
            rows.append(row)
    return rows


def _row(study: Study, criterion: StudyCriterion, name: str, value: float, spread: float | None) -> PowerRow:
    cells = max(1, cells_of(study, criterion))
    passes = _probability(criterion, value, study.replications, cells, spread)
    correct = correct_value(study, criterion)
    usual = criterion.spread or spread
    healthy = None if correct is None else _probability(criterion, correct, study.replications, cells, usual)
    alarm = None if healthy is None else 1.0 - healthy
    return PowerRow(criterion.id, name, value, criterion.low, criterion.high, cells, passes, alarm)


def _probability(
    criterion: StudyCriterion, value: float, replications: int, cells: int, spread: float | None
) -> float | None:
    try:
        return passing_probability(
            _measured(criterion), value, criterion.low, criterion.high, replications, cells=cells, spread=spread,
            difference=criterion.minus is not None,
        )  # fmt: skip
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _measured(criterion: StudyCriterion) -> Metric:
    """Bias in units of EmpSE is another metric."""
    return "standardised_bias" if criterion.metric == "bias" and criterion.unit == "empse" else criterion.metric


def _needs_spread(criterion: StudyCriterion, value: float) -> bool:
    try:
        return model_at(_measured(criterion), value, None, difference=criterion.minus is not None) is None
    except ValueError:
        return False


def _inside(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _with_needed(row: PowerRow, study: Study, criterion: StudyCriterion, spread: float | None) -> PowerRow:
    if _inside(row.value, row.low, row.high):
        return row

    def missed(replications: int) -> float:
        found = _probability(criterion, row.value, replications, row.cells, spread)
        return 1.0 if found is None else found

    return replace(row, needed=needed(missed, MOST_MISSED, study.replications))


def power_findings(contract: Contract, stated: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """`stated`: the criteria that carry one the source or the person states; their bounds are not the planner's own."""
    if contract.tests is not None:
        yield from tolerance_findings(contract, contract.tests)
    if contract.study is None:
        return
    rows = iter(power_table(contract.study))
    for number, criterion in enumerate(contract.study.criteria):
        where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
        own = [next(rows) for _ in criterion.alternatives]
        for row in own:
            if problem := _too_weak(contract.study, criterion, row):
                yield finding("power", "error", problem, where, f"could-hardly-fail:{criterion.id}:{row.alternative}")
        lenient = criterion.id in stated or _expects_another(contract.study, criterion)
        yield from _usual_faults(contract.study, criterion, where, "warning" if lenient else "error")
        yield from _false_alarm(contract.study, criterion, own, where)


def _band(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {show(high)}" if high is not None else f"at least {show(low or 0.0)}"
    return f"{show(low)} to {show(high)}"


def _too_weak(study: Study, criterion: StudyCriterion, row: PowerRow) -> str:
    fault = f"{criterion.id}: “{clip(row.alternative)}” ({criterion.metric} {show(row.value)})"
    if row.passes is None:
        if _needs_spread(criterion, row.value):
            return f"{fault} cannot be weighed: state the spread, the standard deviation of one replication."
        return f"{fault} is not possible: no {criterion.metric} can be {show(row.value)}."
    if row.passes <= MOST_MISSED:
        return ""
    band = _band(row.low, row.high)
    if _inside(row.value, row.low, row.high):
        return f"{fault} lies inside the band {band}, so no number of replications would notice it."
    cells = f" in each of {row.cells} cells" if row.cells > 1 else ""
    needed = f"from {row.needed} replications on it would in at most 10 %" if row.needed else "more would not help"
    return (
        f"{fault} would pass the band {band} in {show_percent(row.passes)} of studies with {study.replications} "
        f"replications{cells}; {needed}."
    )


def _expects_another(study: Study, criterion: StudyCriterion) -> bool:
    """The band leaves out what the metric is for a perfect method: the criterion is about one that is not."""
    correct = correct_value(study, criterion)
    low, high = criterion.low, criterion.high
    return correct is not None and ((low is not None and correct < low) or (high is not None and correct > high))


def _usual_faults(study: Study, criterion: StudyCriterion, where: str, severity: Severity) -> Iterator[Finding]:
    """Whatever alternatives the planner names: a far-fetched one must not excuse a band that accepts a usual fault."""
    if criterion.minus is not None:
        return
    if criterion.metric == "coverage":
        value = 2.0 * normal_cdf(_SHRUNKEN * normal_quantile((1.0 + study.level) / 2.0)) - 1.0
    elif criterion.metric in ("se_ratio", "rms_se_ratio"):
        value = _SHRUNKEN
    else:
        return
    row = _row(study, criterion, "standard errors too small by a quarter", value, None)
    if row.passes is not None and row.passes > MOST_MISSED:
        problem = _too_weak(study, criterion, _with_needed(row, study, criterion, None))
        yield finding("power", severity, problem, where, f"could-hardly-fail:{criterion.id}:usual")


def _false_alarm(study: Study, criterion: StudyCriterion, rows: list[PowerRow], where: str) -> Iterator[Finding]:
    alarms = [row.false_alarm for row in rows if row.false_alarm is not None]
    correct = correct_value(study, criterion)
    if correct is None or not alarms or max(alarms) <= MOST_MISSED:
        return
    if _expects_another(study, criterion):
        text = f"{criterion.id} expects another {criterion.metric} than {show(correct)}, which a perfect method has."
        yield finding("power", "note", text, where, f"expects-another:{criterion.id}")
        return
    yield finding(
        "power",
        "warning",
        f"{criterion.id}: a correct package ({criterion.metric} {show(correct)}) would miss the band "
        f"{_band(criterion.low, criterion.high)} in {show_percent(max(alarms))} of studies with {study.replications} "
        f"replications in {rows[0].cells} cell{'s' if rows[0].cells > 1 else ''}.",
        where,
        f"false-alarm:{criterion.id}",
    )

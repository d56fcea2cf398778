"""Checks that could hardly fail, and checks that a correct package would often fail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from statsclaw.montecarlo.metrics.measures import Metric
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.contract import SIM_SPEC, Contract
from statsclaw.specs.lint.distributions import binomial_cdf, chi_square_cdf, normal_cdf, normal_quantile
from statsclaw.specs.lint.found import clip, finding, show, show_percent
from statsclaw.specs.lint.tolerances import tolerance_findings
from statsclaw.specs.sim_spec import Study, StudyCriterion

#: A fault worth naming must be missed, and a correct package refused, no more often than this.
MOST_MISSED = 0.10
_MOST_REPLICATIONS = 1_000_000
_MOST_SEARCHES = 200
_PROPORTIONS = ("coverage", "rejection", "failure_rate")
_MEANS = ("bias", "mean", "modse", "quantile_range")
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
) -> float:
    """The probability that the point estimate of `metric` lies within [low, high] in all of `cells` independent cells.

    `value` is the true value of the metric in each cell; `spread` the standard deviation of one replication, needed
    for bias, mean, modse and quantile_range. Proportions are binomial; rmse and empse are scaled chi (normal errors;
    R and R - 1 degrees of freedom); se_ratio is normal on the log scale with variance 1 / (2 (R - 1)).
    Raises ValueError where the value is impossible for the metric or the spread is missing.
    """
    bottom, top = -math.inf if low is None else low, math.inf if high is None else high
    if metric in _PROPORTIONS:
        one = _binomial(value, bottom, top, replications)
    elif metric in _MEANS:
        if spread is None:
            raise ValueError("the spread is not stated")
        error = spread / math.sqrt(replications)
        one = normal_cdf((top - value) / error) - normal_cdf((bottom - value) / error)
    elif metric in ("rmse", "empse"):
        one = _chi(value, bottom, top, replications if metric == "rmse" else replications - 1)
    else:
        one = _log_normal(value, bottom, top, replications)
    return float(min(1.0, max(0.0, one)) ** max(1, cells))


def _binomial(value: float, low: float, high: float, replications: int) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError("a proportion lies between 0 and 1")
    first = math.ceil(max(0.0, low) * replications - 1e-9) if low <= 1.0 else replications + 1
    last = math.floor(min(1.0, high) * replications + 1e-9) if high >= 0.0 else -1
    if value in (0.0, 1.0):
        return 1.0 if first <= value * replications <= last else 0.0
    return binomial_cdf(last, replications, value) - binomial_cdf(first - 1, replications, value)


def _chi(value: float, low: float, high: float, degrees: int) -> float:
    if value < 0.0:
        raise ValueError("a standard deviation is not negative")
    if degrees < 1 or value == 0.0:
        return 1.0 if degrees < 1 or low <= value <= high else 0.0

    def below(bound: float) -> float:
        ratio = bound / value
        return 0.0 if ratio <= 0.0 else 1.0 if ratio > 1e6 else chi_square_cdf(ratio * ratio * degrees, degrees)

    return below(high) - below(low)


def _log_normal(value: float, low: float, high: float, replications: int) -> float:
    if value <= 0.0:
        raise ValueError("a ratio of standard deviations is above 0")
    if replications < 2:
        return 1.0
    error = math.sqrt(1.0 / (2.0 * (replications - 1)))

    def below(bound: float) -> float:
        if bound <= 0.0:
            return 0.0
        return 1.0 if math.isinf(bound) else normal_cdf((math.log(bound) - math.log(value)) / error)

    return below(high) - below(low)


def correct_value(study: Study, criterion: StudyCriterion) -> float | None:
    """What the metric is for a correct package, where that is known without knowing the package."""
    known = {"coverage": study.level, "bias": 0.0, "se_ratio": 1.0, "failure_rate": 0.0}
    return known.get(criterion.metric)


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
            criterion.metric, value, criterion.low, criterion.high, replications, cells=cells, spread=spread
        )
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _inside(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _with_needed(row: PowerRow, study: Study, criterion: StudyCriterion, spread: float | None) -> PowerRow:
    """Doubling from the planned replications, then halving: exact up to the sawtooth of the binomial distribution."""
    if _inside(row.value, row.low, row.high):
        return row

    def missed(replications: int) -> bool:
        found = _probability(criterion, row.value, replications, row.cells, spread)
        return found is None or found > MOST_MISSED

    low = study.replications
    high = 2 * low
    while high < _MOST_REPLICATIONS and missed(high):
        low, high = high, 2 * high
    if missed(high):
        return row
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if missed(middle) else (low, middle)
    return replace(row, needed=high)


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
        if criterion.metric in _MEANS:
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
    if criterion.metric == "coverage":
        value = 2.0 * normal_cdf(_SHRUNKEN * normal_quantile((1.0 + study.level) / 2.0)) - 1.0
    elif criterion.metric == "se_ratio":
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

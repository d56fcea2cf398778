"""Methods beside each other: every metric of one against that of another on the same data, with the error of the pairs.

Differences have the error of `differences`. What that has no formula for (quantiles, bias-eliminated coverage, bias in
EmpSE, metrics that a study defines) has that of the paired bootstrap: replications are drawn again with both methods.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace

import numpy as np

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.metrics import order
from statsclaw.montecarlo.metrics.differences import DIFFERENCES, metric_difference
from statsclaw.montecarlo.metrics.intervals import interval
from statsclaw.montecarlo.metrics.jackknife import computed
from statsclaw.montecarlo.metrics.measures import METRICS, McEstimate, columns_of, is_of_parameter, needs_truth
from statsclaw.montecarlo.metrics.paired import COMPARISONS, compare, compared_column
from statsclaw.montecarlo.metrics.rendering import TITLES, as_text, number, seconds
from statsclaw.montecarlo.metrics.sample import deviation, lost_in
from statsclaw.montecarlo.metrics.summary import parameters_of, scalars_of, short_of
from statsclaw.montecarlo.own import TRUTH, OwnMetric
from statsclaw.montecarlo.storage.mixing import note_of
from statsclaw.montecarlo.storage.results import SECONDS, Results, WithStatuses, column_names
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.words import or_else

#: The columns of the table unless others are asked for.
USUAL = ("bias", "empse", "modse", "rmse", "coverage", "rejection", "width", "failure_rate", "relative_precision",
         "speed_ratio")  # fmt: skip
#: Not differences: what they are where the methods are the same.
NEUTRAL: Mapping[str, float] = {"relative_precision": 0.0, "agreement": 0.0, "speed_ratio": 1.0}
RESAMPLES, LARGEST = 400, 20_000
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """`value`: the metric by `method` minus that by `reference`; of `relative_precision`, `agreement` and `speed_ratio`
    the metric itself. `low`, `high`: its 95 % interval. `n`: replications in which both methods gave what it needs."""

    cell: int
    cell_name: str
    method: str
    reference: str
    parameter: str | None
    field: str | None
    metric: str
    value: float
    mcse: float | None
    low: float
    high: float
    n: int
    replications: int
    failures: int

    @property
    def is_clear(self) -> bool:
        """The interval does not hold what the metric is where both methods are the same."""
        neutral = NEUTRAL.get(self.metric, 0.0)
        return self.metric != "agreement" and (self.low > neutral or self.high < neutral)

    @property
    def is_open(self) -> bool:
        """The interval has no limit on a side: heavy tails, or too few replications to know that they are not."""
        return self.metric != "agreement" and math.isfinite(self.value) and math.isinf(self.high - self.low)


@dataclass(frozen=True, slots=True)
class Compared:
    rows: tuple[ComparedRow, ...]
    notes: tuple[str, ...]


def compare_methods(
    study: Study,
    results: Results,
    *,
    method: str | None = None,
    reference: str | None = None,
    metrics: Sequence[str] | None = None,
) -> Compared:
    """`method`: every other one unless given. `reference`: the first one unless given. `metrics`: only these."""
    names = study.method_names
    if len(names) < 2:
        raise StudyRefused("the study has one method: there is nothing to compare it with")
    for name in (method, reference):
        if name is not None and name not in names:
            raise StudyRefused(f"there is no method {name!r}{or_else(name, names)}")
    against = reference or next(name for name in names if name != method)
    if method == against:
        raise StudyRefused(f"{method} cannot be compared with itself")
    own: dict[str, str] = {name: name for name in (*METRICS, *NEUTRAL)} | {each: each for each in study.own_metrics}
    if unknown := [name for name in metrics or () if name not in own]:
        raise StudyRefused(f"there is no metric {unknown[0]!r}{or_else(unknown[0], own)}")
    wanted = [own[name] for name in metrics or own]
    rows = tuple(
        row
        for cell in range(len(study.cells()))
        if results.completed(cell)
        for name in ([method] if method else [name for name in names if name != against])
        for row in _of_pair(study, results, cell, name, against, wanted)
    )
    if not rows:
        raise StudyRefused("nothing is recorded by both methods that could be compared")
    return Compared(rows, (*short_of(study, results), *note_of(results)))


def _of_pair(
    study: Study, results: Results, cell: int, method: str, reference: str, wanted: Sequence[str]
) -> Iterator[ComparedRow]:
    own, other = (column_names(results, cell, name) for name in (method, reference))
    shared = [name for name in own if name in other]
    levels = study.cells()[cell]
    truths = study.truth_in(levels)

    def row(metric: str, found: McEstimate, parameter: str | None, field: str | None = None) -> ComparedRow:
        low, high = interval(found, _LEVEL)
        return ComparedRow(
            cell, cell_name(levels), method, reference, parameter, field, str(metric), found.value, found.error, low,
            high, found.trials, found.replications, found.failures,
        )  # fmt: skip

    def pair(metric: str, columns: Sequence[str]) -> tuple[Table, Table]:
        return _read(results, cell, method, metric, columns), _read(results, cell, reference, metric, columns)

    for parameter in parameters_of(shared):
        truth = truths.get(parameter, math.nan)
        for metric in wanted:
            columns = _columns(metric, parameter)
            if not _is_of_parameter(metric) or not set(columns) <= {*shared, SECONDS}:
                continue
            if (needs_truth(metric) and math.isnan(truth)) or (metric == "relative_bias" and truth == 0):
                continue
            yield row(metric, _found(metric, *pair(metric, columns), parameter, truth), parameter)
    for metric in wanted:
        if _is_of_parameter(metric):
            continue
        for field in scalars_of(shared) if metric == "mean" else (None,):
            columns = columns_of(metric, None, field) if metric != "speed_ratio" else (SECONDS,)
            if set(columns) <= {*shared, SECONDS}:
                yield row(metric, _found(metric, *pair(metric, columns), None, math.nan, field), None, field)


def _is_of_parameter(metric: str) -> bool:
    return COMPARISONS[metric] != SECONDS if metric in COMPARISONS else is_of_parameter(metric)


def _columns(metric: str, parameter: str) -> tuple[str, ...]:
    return (compared_column(metric, parameter),) if metric in COMPARISONS else columns_of(metric, parameter)


def _read(results: Results, cell: int, method: str, metric: str, columns: Sequence[str]) -> Table:
    if metric == "convergence_rate" and isinstance(results, WithStatuses):
        return Table(np.asarray(results.statuses(cell, method)) == Status.NOT_CONVERGED, {})
    return results.table(cell, method, tuple(columns))


def _found(
    metric: str, table: Table, other: Table, parameter: str | None, truth: float, field: str | None = None
) -> McEstimate:
    if metric in COMPARISONS:
        return compare(metric, table, other, parameter=parameter)
    if metric in DIFFERENCES and not isinstance(metric, OwnMetric):
        return metric_difference(metric, table, other, parameter=parameter, truth=truth, of_field=field)
    return bootstrapped(metric, table, other, parameter=parameter, truth=truth)


def bootstrapped(
    metric: str, table: Table, other: Table, *, parameter: str | None = None, truth: float = math.nan
) -> McEstimate:
    """The difference of a metric, with the standard deviation over replications drawn again, both methods together.

    The draws are the same at every call. Of more than LARGEST replications so many are drawn, and the error is scaled.
    """
    columns = columns_of(metric, parameter)
    lost = lost_in(table, columns) | lost_in(other, columns)
    total, count = len(lost), int(np.count_nonzero(~lost))
    nothing = McEstimate(math.nan, None, total, total - count, trials=count)
    if count == 0:
        return nothing
    pairs = [[rows.columns[name][~lost] for name in columns] for rows in (table, other)]
    value = _gap(metric, pairs, truth)
    if count < 2 or not math.isfinite(value):
        return replace(nothing, value=value if math.isfinite(value) else math.nan)
    rng, drawn = np.random.default_rng(0), min(count, LARGEST)
    gaps = []
    for _ in range(RESAMPLES):
        chosen = rng.integers(count, size=drawn)
        gaps.append(_gap(metric, [[values[chosen] for values in each] for each in pairs], truth))
    error = deviation(np.array(gaps)) * math.sqrt(drawn / count)
    return replace(nothing, value=value, mcse=error if math.isfinite(error) else None)


def _gap(metric: str, pairs: Sequence[Sequence[Floats]], truth: float) -> float:
    with np.errstate(all="ignore"):
        own, other = (_value(metric, columns, truth) for columns in pairs)
    return own - other


def _value(metric: str, columns: Sequence[Floats], truth: float) -> float:
    """Without an error."""
    if isinstance(metric, OwnMetric):
        names = [name for name in metric.arguments if name != TRUTH]
        return computed(metric, {name: values.view() for name, values in zip(names, columns, strict=True)}, truth)
    first = columns[0]
    if metric in order.QUANTILES:
        shares, scale = order.QUANTILES[metric]
        ends = [order.quantile(np.sort(first), share) for share in shares]
        return scale * (ends[-1] - ends[0] if len(ends) > 1 else ends[0])
    if metric == "standardised_bias":
        return (float(np.mean(first)) - truth) / deviation(first)
    if metric == "be_coverage":
        target = float(np.mean(first))
        return float(np.mean((columns[1] <= target) & (target <= columns[2])))
    raise KeyError(metric)


# --- what is printed -------------------------------------------------------------------------------------------------


def render_compared(found: Compared, metrics: Sequence[str]) -> str:
    """A line for each cell, method and parameter; `*` where the 95 % interval leaves no difference out."""
    places: dict[tuple[int, str, str | None], dict[str, ComparedRow]] = {}
    for row in found.rows:
        if row.parameter is not None:
            places.setdefault((row.cell, row.method, row.parameter), {})[row.metric] = row
    for row in found.rows:
        if row.parameter is None:
            own = [key for key in places if key[:2] == (row.cell, row.method)]
            for key in own or [(row.cell, row.method, None)]:
                places.setdefault(key, {})[f"mean {row.field}" if row.field else row.metric] = row
    fields_of = dict.fromkeys(f"mean {row.field}" for row in found.rows if row.field)
    asked = [name for metric in metrics for name in (fields_of if metric == "mean" else [metric])]
    shown = [name for name in asked if any(name in each for each in places.values())]
    heads = [
        ("cell", len({key[0] for key in places}) > 1), ("method", len({key[1] for key in places}) > 1),
        ("parameter", len({key[2] for key in places}) > 1),
    ]  # fmt: skip
    body = []
    for (_, method, parameter), rows in places.items():
        first = next(iter(rows.values()))
        words = (first.cell_name, method, parameter or "")
        body.append(
            [word for word, (_, is_shown) in zip(words, heads, strict=True) if is_shown]
            + [_entry(rows.get(name)) for name in shown]
        )
    titles = [TITLES.get(name, name) if name in NEUTRAL else f"Δ {TITLES.get(name, name)}" for name in shown]
    return as_text([head for head, is_shown in heads if is_shown] + titles, body, _said(found, places, shown))


def _said(
    found: Compared, places: Mapping[tuple[int, str, str | None], Mapping[str, ComparedRow]], shown: Sequence[str]
) -> list[str]:
    first = found.rows[0]
    names = list(dict.fromkeys(row.method for row in found.rows))
    who = names[0] if len(names) == 1 else "each method"
    entries = [rows[name] for rows in places.values() for name in shown if name in rows]
    tested = [row for row in entries if row.metric != "agreement" and math.isfinite(row.value)]
    clear = sum(row.is_clear for row in tested)
    lines = [
        f"Δ: {who} minus {first.reference}, on the same data sets; in parentheses the Monte Carlo error of the paired "
        "difference. Only replications in which both succeeded count.",
        f"*: the 95 % interval does not hold {'1 (times faster) or 0' if 'speed_ratio' in shown else '0'}: {clear} of "
        f"{len(tested)}; about {_LEVEL * len(tested):.0f} would be so by chance if nothing differed.",
    ]
    if any(row.is_open for row in tested):
        lines.append(
            "°: no interval, because tails are heavy or there are too few replications to know that they are not."
        )
    if "relative_precision" in shown:
        lines.append(f"Precision gain: by how many per cent the variance of {first.reference} exceeds that of {who}.")
    return [*lines, *found.notes]


def _entry(row: ComparedRow | None) -> str:
    if row is None or math.isnan(row.value):
        return "–"
    star = "*" if row.is_clear else "°" if row.is_open else ""
    if row.metric in ("time", "median_time"):
        return ("-" if row.value < 0 else "") + seconds(abs(row.value)) + star
    error = f" ({number(row.mcse, row.mcse)})" if row.mcse is not None else ""
    return f"{number(row.value, row.mcse)}{error}{star}"


def as_csv(found: Compared) -> str:
    """Every row at full precision; what is unknown or unbounded is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([each.name for each in fields(ComparedRow)])
    for row in found.rows:
        values = asdict(row).values()
        writer.writerow(["" if each is None or _unknown(each) else each for each in values])
    return out.getvalue()


def _unknown(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)

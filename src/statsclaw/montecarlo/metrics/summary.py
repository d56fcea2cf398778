"""Every metric of every cell, method and parameter that the recorded columns allow, with its Monte Carlo error.

Columns are read one parameter of one method at a time, so memory holds a few columns, whatever their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.metrics.failures import Bounds, Support, worst_case
from statsclaw.montecarlo.metrics.measures import METRICS, McEstimate, columns_of, estimate_metric, needs_truth
from statsclaw.montecarlo.metrics.paired import COMPARISONS, compare, compared_column
from statsclaw.montecarlo.metrics.rendering import TITLES, render
from statsclaw.montecarlo.metrics.sample import Kept
from statsclaw.montecarlo.own import TRUTH, OwnMetric
from statsclaw.montecarlo.storage.mixing import note_of, versions_of_cell
from statsclaw.montecarlo.storage.results import SECONDS, Results, WithStatuses, column_names
from statsclaw.montecarlo.table import Table
from statsclaw.words import or_else, span

#: Fields of a parameter that are not scalars of their own.
_FIELDS = ("estimate", "se", "low", "high", "reject", "rank")
#: Errors of EmpSE this much larger than the formula says are those of heavy tails.
_HEAVY = 1.5
#: Robust errors this much larger than the formula are named.
_LARGER = 1.05
_NAMED = 6
_OF_A_METHOD = ("failure_rate", "convergence_rate", "time", "median_time")


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One metric. `parameter` is None for what is of the method alone; `field`: the scalar a mean is of.

    `low`, `high`: bounds of the value over the failures, whatever they would have given, the value itself where
    nothing failed; no confidence limits. `n`: replications used. `versions`: of the study, those that they are of.
    """

    cell: int
    cell_name: str
    method: str
    parameter: str | None
    metric: str
    value: float
    mcse: float | None
    robust_mcse: float | None
    n: int
    replications: int
    failures: int
    low: float
    high: float
    note: str = ""
    field: str | None = None
    reference: str | None = None
    versions: str = ""

    @property
    def error(self) -> float | None:
        """The larger of the two standard errors, as verdicts use it."""
        known = [error for error in (self.mcse, self.robust_mcse) if error is not None]
        return max(known, default=None)


@dataclass(frozen=True, slots=True)
class Summary:
    """`warnings`: what must be said with the figures, in sentences."""

    study: str
    rows: tuple[SummaryRow, ...]
    warnings: tuple[str, ...] = ()

    def find(
        self, metric: str, *, cell: int = 0, method: str | None = None, parameter: str | None = None
    ) -> SummaryRow | None:
        """The first row that fits."""
        return next(
            (
                row
                for row in self.rows
                if row.metric == metric
                and row.cell == cell
                and method in (None, row.method)
                and parameter in (None, row.parameter)
            ),
            None,
        )


def summarise(
    study: Study,
    results: Results,
    *,
    metrics: Sequence[str] | None = None,
    reference: str | None = None,
    support: Support = None,
) -> Summary:
    """`metrics`: only these. `reference`: the method others are compared with, the first unless given. `support`: the
    values one replication can take, for bounds over the failures of means."""
    known = frozenset(METRICS) | frozenset(COMPARISONS) | frozenset(study.metrics)
    own = [each for each in study.own_metrics if metrics is None or each in metrics]
    if unknown := sorted(set(metrics or ()) - known):
        raise StudyRefused(f"there is no metric {unknown[0]!r}{or_else(unknown[0], known)}")
    wanted = frozenset(metrics) if metrics is not None else known
    against = reference or study.method_names[0]
    rows: list[SummaryRow] = []
    recorded = {SECONDS, TRUTH}
    for number, cell in enumerate(study.cells()):
        if results.completed(number) == 0:
            continue
        truths = study.truth_in(cell)
        for method in study.method_names:
            names = column_names(results, number, method)
            recorded.update(name.rpartition(".")[2] for name in names)
            where = _Where(number, cell_name(cell), method, versions_of_cell(results, number, method))
            rows += _of_method(results, where, names, wanted, support)
            rows += _of_own(results, where, None, names, math.nan, own)
            for parameter in parameters_of(names):
                truth = truths.get(parameter, math.nan)
                rows += _of_parameter(results, where, parameter, names, truth, wanted, support)
                rows += _of_own(results, where, parameter, names, truth, own)
                if method != against and f"{parameter}.estimate" in column_names(results, number, against):
                    rows += _against(results, where, against, parameter, wanted)
            if method != against:
                rows += _against(results, where, against, None, wanted)
    return Summary(
        study.name,
        tuple(rows),
        (*short_of(study, results), *note_of(results), *_warnings(rows), *_nowhere(own, rows, recorded)),
    )


def judged_metrics(study: Study) -> tuple[str, ...]:
    """Of one cell, those that the study defines and those that a criterion is about."""
    named = ["standardised_bias" if c.metric == "bias" and c.unit == "empse" else c.metric for c in study.criteria]
    known = (*METRICS, *COMPARISONS, *study.metrics)
    along = [c.of or "rmse" for c in study.criteria if c.metric not in known]
    return tuple(name for name in dict.fromkeys([*study.metrics, *named, *along]) if name in known)


def short_of(study: Study, results: Results) -> list[str]:
    """That replications which were planned are not there yet."""
    planned = study.planned
    cells = [number for number, count in enumerate(planned) if results.completed(number) < count]
    if not cells:
        return []
    there = sum(map(results.completed, range(len(planned))))
    fewest = min(map(results.completed, cells))
    where = f"{len(cells)} of {len(planned)} cells have fewer, one {fewest:,}" if len(planned) > 1 else ""
    said = f"Not complete: {span(planned)} replications a cell are planned; {where or f'{fewest:,} are there'}"
    return [f"{said} ({there:,} of {sum(planned):,})."] if where else [f"{said}."]


def parameters_of(names: Sequence[str]) -> list[str]:
    """The parameters a method reports on, in the order of its columns."""
    found = [name.rsplit(".", 1)[0] for name in names if "." in name and name.rsplit(".", 1)[1] in _FIELDS]
    return list(dict.fromkeys(found))


def scalars_of(names: Sequence[str]) -> list[str]:
    """The numbers that a method records beside its parameters."""
    return [name for name in names if name != SECONDS and name.rsplit(".", 1)[-1] not in _FIELDS]


def render_summary(
    summary: Summary, format: str = "text", *, metrics: Sequence[str] | None = None, bounds: bool = True
) -> str:
    """ "text", "markdown", "latex" (booktabs) or "csv" (every row, long). `metrics`: the columns, the usual ones unless
    given. `bounds`: show bounds over the failures where there are some."""
    return render(summary, format, metrics=metrics, bounds=bounds)


@dataclass(frozen=True, slots=True)
class _Where:
    cell: int
    name: str
    method: str
    versions: str = ""

    def row(
        self, metric: str, found: McEstimate, bounds: Bounds, parameter: str | None, *, field: str | None = None,
        reference: str | None = None,
    ) -> SummaryRow:  # fmt: skip
        return SummaryRow(
            self.cell, self.name, self.method, parameter, metric, found.value, found.mcse, found.robust, found.trials,
            found.replications, found.failures, bounds.low, bounds.high, bounds.note, field, reference, self.versions,
        )  # fmt: skip


def _of_method(
    results: Results, where: _Where, names: Sequence[str], wanted: frozenset[str], support: Support
) -> Iterator[SummaryRow]:
    """Failures, time, and the mean of every scalar."""
    table = _read(results, where, (SECONDS,))
    for metric in _OF_A_METHOD:
        if metric not in wanted or not set(columns_of(metric)) <= set(table.columns):
            continue
        flags = _not_converged(results, where, table) if metric == "convergence_rate" else table
        found = estimate_metric(metric, flags)
        yield where.row(metric, found, worst_case(metric, found, flags, support=support), None)
    if "mean" not in wanted:
        return
    for name in scalars_of(names):
        scalars = _read(results, where, (name,))
        found = estimate_metric("mean", scalars, of_field=name)
        yield where.row("mean", found, worst_case("mean", found, scalars, of_field=name), None, field=name)


def _not_converged(results: Results, where: _Where, table: Table) -> Table:
    """Failed is what did not converge, where results keep why; else every failure."""
    if not isinstance(results, WithStatuses):
        return table
    return Table(np.asarray(results.statuses(where.cell, where.method)) == Status.NOT_CONVERGED, {})


def _of_parameter(
    results: Results,
    where: _Where,
    parameter: str,
    names: Sequence[str],
    truth: float,
    wanted: frozenset[str],
    support: Support,
) -> Iterator[SummaryRow]:
    possible = [
        metric
        for metric, needs in METRICS.items()
        if metric in wanted
        and metric not in (*_OF_A_METHOD, "mean")
        and all(f"{parameter}.{column}" in names for column in needs)
        and not (needs_truth(metric) and math.isnan(truth))
    ]
    needed = dict.fromkeys(column for metric in possible for column in columns_of(metric, parameter))
    table = _read(results, where, tuple(needed))
    kept = Kept()
    for metric in possible:
        found = estimate_metric(metric, table, parameter=parameter, truth=truth, kept=kept)
        if metric == "relative_bias" and truth == 0:
            continue
        bounds = worst_case(metric, found, table, parameter=parameter, truth=truth, support=support)
        yield where.row(metric, found, bounds, parameter)


def _of_own(
    results: Results,
    where: _Where,
    parameter: str | None,
    names: Sequence[str],
    truth: float,
    own: Sequence[OwnMetric],
) -> Iterator[SummaryRow]:
    """Of this parameter, or of the method alone."""
    for metric in own:
        columns = metric.columns(parameter)
        if metric.of_parameter != (parameter is not None) or not set(columns) <= {*names, SECONDS}:
            continue
        if needs_truth(metric) and math.isnan(truth):
            continue
        table = _read(results, where, columns)
        found = estimate_metric(metric, table, parameter=parameter, truth=truth)
        yield where.row(metric, found, worst_case(metric, found, table, parameter=parameter), parameter)


def _nowhere(own: Sequence[OwnMetric], rows: Sequence[SummaryRow], recorded: Set[str]) -> Iterator[str]:
    for metric in own:
        if rows and not any(row.metric == metric for row in rows):
            missing = [name for name in metric.arguments if name not in recorded] or metric.arguments
            together = " together" if len(missing) > 1 else ""
            yield f"{metric} has no value anywhere: no method records {' and '.join(missing)}{together}."


def _against(
    results: Results, where: _Where, reference: str, parameter: str | None, wanted: frozenset[str]
) -> Iterator[SummaryRow]:
    chosen = [name for name, of in COMPARISONS.items() if name in wanted and (of == SECONDS) == (parameter is None)]
    if not chosen:
        return
    column = compared_column(chosen[0], parameter)
    table = _read(results, where, (column,))
    other = _read(results, _Where(where.cell, where.name, reference), (column,))
    if column not in table.columns or column not in other.columns:
        return
    for metric in chosen:
        found = compare(metric, table, other, parameter=parameter)
        unknown = Bounds(-math.inf, math.inf, "") if found.failures else Bounds(found.value, found.value)
        yield where.row(metric, found, unknown, parameter, reference=reference)


def _read(results: Results, where: _Where, columns: Sequence[str]) -> Table:
    """The columns, without `seconds` where they were not recorded."""
    try:
        return results.table(where.cell, where.method, columns)
    except KeyError:
        if SECONDS not in columns:
            raise
        return results.table(where.cell, where.method, tuple(name for name in columns if name != SECONDS))


def _warnings(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """Failures, tails that the usual formula does not fit, estimates that do not vary."""
    failed = [row for row in rows if row.metric == "failure_rate" and row.failures]
    if failed:
        places = [f"{row.method} in {row.cell_name} {row.failures:,} of {row.replications:,}" for row in failed]
        yield (
            f"Replications failed: {_listed(places)}. All other figures are conditional on success; [ ] bounds them "
            "over the failures, and bias, RMSE and whatever shows none could be anything had these not failed."
        )
    still = [row for row in rows if row.metric == "empse" and row.value == 0 and row.n > 1]
    if still:
        yield f"Estimates that do not vary: {_listed([_place(row) for row in still])}."
    if larger := [text for metric in dict.fromkeys(row.metric for row in rows) if (text := _larger(metric, rows))]:
        yield (
            "Robust errors are shown where they are larger than those of Morris, White and Crowther (2019): "
            f"{'; '.join(larger)}. --json and --format csv give both."
        )
    heavy = [row for row in rows if row.metric == "empse" and _excess(row) > _HEAVY]
    if heavy:
        yield (
            f"Heavy tails: {_listed([_place(row) for row in heavy])}. The error of EmpSE is at least {_HEAVY:g} times "
            "what the formula for normal estimates says; median_bias and robust_empse hold for any distribution."
        )


def _excess(row: SummaryRow) -> float:
    """How many times the formula's error the robust one is."""
    return row.robust_mcse / row.mcse if row.mcse and row.robust_mcse else 0.0


def _larger(metric: str, rows: Sequence[SummaryRow]) -> str:
    """EmpSE in 3 of 6 rows, up to 1.8 times (mu by hl in n=50)."""
    own = [row for row in rows if row.metric == metric]
    larger = [row for row in own if _excess(row) > _LARGER]
    if not larger:
        return ""
    most = max(larger, key=_excess)
    name = TITLES.get(metric, metric)
    return f"{name} in {len(larger)} of {len(own)} rows, up to {_excess(most):.2f} times ({_place(most)})"


def _place(row: SummaryRow) -> str:
    return f"{row.parameter} by {row.method} in {row.cell_name}"


def _listed(places: Sequence[str]) -> str:
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return ", ".join(places[:_NAMED]) + more

"""What a study shows to be wrong with each method, in words: only what is significant, whatever the criteria say.

Looked at, for each parameter of each method in each cell, and over all cells together: bias, ModSE / EmpSE, coverage
against the level of the study, misses on either side, skewness of estimates and of t-statistics, tails of the
estimates, failures against the share that is let pass. All tests are one family (Holm) with an error of 1 − level:
where nothing is wrong and estimates are about normal, there is a sentence in at most 1 % of studies.

Exact: coverage, misses, failures (binomial); the tail index of Pareto tails. Large-sample: bias by Hall's transformed t
(1992), which corrects for skewness; the ratio on the scale of the logarithm with the larger of its two errors; skewness
by its influence function. Fewer than 100 replications say nothing. Measured rates: benchmarks/montecarlo.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped]

from statsclaw.montecarlo.design import Study, cell_name
from statsclaw.montecarlo.metrics.measures import estimate_metric
from statsclaw.montecarlo.metrics.rendering import number
from statsclaw.montecarlo.metrics.sample import FOURTH_MOMENT, SECOND_MOMENT, Sample, tail_index
from statsclaw.montecarlo.metrics.summary import parameters_of
from statsclaw.montecarlo.storage.results import Results, column_names
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.montecarlo.verdicts.holm import levels
from statsclaw.montecarlo.verdicts.judge import LEVEL

FEWEST = 100
_FEWEST_FOR_TAILS = 400
_NAMED = 3
#: Cells are said to differ where that is significant at this error.
_DIFFER = 0.01


@dataclass(frozen=True, slots=True)
class Sign:
    """One test in one cell. `value` with its `error` on a scale on which `null` is right; `count` of `trials` where it
    is a proportion; `more`: what the sentence needs beside it."""

    kind: str
    cell: int
    method: str
    parameter: str | None
    value: float
    error: float
    p: float
    null: float = 0.0
    count: int | None = None
    trials: int = 0
    more: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """`cells`: names of those it was found in; `together`: significant over all of them only."""

    kind: str
    method: str
    parameter: str | None
    cells: tuple[str, ...]
    together: bool
    value: float
    error: float
    p: float
    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    rows: tuple[Finding, ...]
    tests: int
    level: float

    def render(self) -> str:
        words = _words()
        rate = f"{100 * (1 - self.level):.4g} %"
        if not self.tests:
            return str(words["few"]) + "\n"
        if not self.rows:
            return str(words["none"]).format(rate=rate, tests=self.tests) + "\n"
        head = str(words["head"]).format(rate=rate, tests=self.tests)
        return "\n".join([head, *(f"  {row.text}" for row in self.rows)]) + "\n"


def findings_of(study: Study, results: Results, level: float = LEVEL) -> Findings:
    """Sentences about what is significantly wrong, in the order of methods and parameters."""
    groups: dict[tuple[str, str | None, str], list[Sign]] = {}
    for sign in _signs(study, results):
        groups.setdefault((sign.method, sign.parameter, sign.kind), []).append(sign)
    signs = [sign for group in groups.values() for sign in group]
    pooled = {key: _pooled(group) for key, group in groups.items() if len(group) > 1 and key[2] != "tails"}
    errors = [row.p for row in (*signs, *pooled.values())]
    shares = levels(errors, 1 - level)
    rejected = [p <= share for p, share in zip(errors, shares, strict=True)]
    found = {id(sign) for sign, is_found in zip(signs, rejected, strict=False) if is_found}
    overall = {key for key, is_found in zip(pooled, rejected[len(signs) :], strict=True) if is_found}
    several = len(study.cells()) > 1
    rows = [
        row
        for key, group in groups.items()
        for row in _of_group(
            study, group, [s for s in group if id(s) in found], pooled.get(key), key in overall, several
        )
    ]
    return Findings(tuple(_without_repetition(rows)), len(errors), level)


def _signs(study: Study, results: Results) -> Iterator[Sign]:
    for number_of_cell, cell in enumerate(study.cells()):
        if results.completed(number_of_cell) < FEWEST:
            continue
        truths = study.truth_in(cell)
        for method in study.method_names:
            names = column_names(results, number_of_cell, method)
            yield _failures(results.table(number_of_cell, method, ()), number_of_cell, method, study.failures_allowed)
            for parameter in parameters_of(names):
                wanted = [f"{parameter}.{kind}" for kind in ("estimate", "se", "low", "high")]
                table = results.table(number_of_cell, method, [name for name in wanted if name in names])
                for sign in _of_parameter(table, parameter, truths.get(parameter, math.nan), study.level):
                    yield Sign(sign[0], number_of_cell, method, parameter, *sign[1:])


def _of_parameter(table: Table, parameter: str, truth: float, level: float) -> Iterator[tuple[Any, ...]]:
    """(kind, value, error, p, null, count, trials, more) of each test that there are columns for."""
    estimate, se, low, high = (f"{parameter}.{kind}" for kind in ("estimate", "se", "low", "high"))
    known = not math.isnan(truth)
    if estimate in table.columns:
        values = Sample(table, (estimate,))[estimate]
        if len(values) >= FEWEST and np.min(values) < np.max(values):
            if len(values) >= _FEWEST_FOR_TAILS:
                yield _tails(values)
            has_variance = tail_index(values) >= SECOND_MOMENT
            if known and has_variance:
                yield _bias(values - truth)
            yield ("skew", *_skewness(values))
            if se in table.columns:
                yield from _of_errors(table, parameter, truth, ratio=has_variance)
    if known and low in table.columns and high in table.columns:
        sample = Sample(table, (low, high))
        if sample.count >= FEWEST:
            below, above = int(np.count_nonzero(sample[high] < truth)), int(np.count_nonzero(sample[low] > truth))
            yield from _misses(below, above, sample.count, level)


def _of_errors(table: Table, parameter: str, truth: float, *, ratio: bool) -> Iterator[tuple[Any, ...]]:
    """ModSE / EmpSE on the scale of the logarithm, and the t-statistics."""
    found = estimate_metric("rms_se_ratio", table, parameter=parameter)
    if ratio and found.value > 0 and found.error and found.trials >= FEWEST:
        value, error = math.log(found.value), found.error / found.value
        yield "se", value, error, _of_t(value / error, found.trials)
    names = (f"{parameter}.estimate", f"{parameter}.se")
    sample = Sample(table, names)
    values, errors = sample[names[0]], sample[names[1]]
    if len(values) >= FEWEST and not math.isnan(truth) and np.min(errors) > 0 and np.min(errors) < np.max(errors):
        ratios = (values - truth) / errors
        if np.min(ratios) < np.max(ratios):
            yield ("skew_t", *_skewness(ratios))


def _bias(errors: Floats) -> tuple[Any, ...]:
    """In EmpSE. Hall: T + γ (2 T² + 1) / (6 √n) + γ² T³ / (27 n) is normal to the second order."""
    count, centre = len(errors), float(np.mean(errors))
    centred = errors - centre
    squares = np.square(centred)
    size = math.sqrt(float(np.sum(squares)) / (count - 1))
    skewness = float(np.dot(squares, centred)) / count / size**3
    t, root = centre / size * math.sqrt(count), math.sqrt(count)
    a = skewness / root
    transformed = t + a * (2 * t * t + 1) / 6 + a * a * t**3 / 27
    more = {"absolute": centre, "absolute_error": size / root}
    return "bias", centre / size, 1 / root, _of_t(transformed, count), 0.0, None, count, more


def _skewness(values: Floats) -> tuple[float, float, float]:
    """Mean of z³. Error: by its influence z³ − 3 z − g − 3 g (z² − 1) / 2, or of normal values if larger."""
    count = len(values)
    z = values - float(np.mean(values))
    z /= math.sqrt(float(np.dot(z, z)) / count)
    squares = np.square(z)
    value = float(np.dot(squares, z)) / count
    influence = squares * z
    influence -= 3 * z
    influence -= 1.5 * value * (squares - 1)
    influence -= value
    error = math.sqrt(max(float(np.dot(influence, influence)) / count, 6.0) / count)
    return value, error, _of_t(value / error, count)


def _tails(values: Floats) -> tuple[Any, ...]:
    """The mean log excess of k outermost values over the next has a gamma distribution where the tail is Pareto's.

    k is about √n here: farther out than where intervals are left open, so that exponential tails are not called heavy.
    """
    outermost = round(math.sqrt(len(values)))
    index = tail_index(values, outermost=outermost)
    p = float(special.chdtrc(2 * outermost, 2 * outermost * FOURTH_MOMENT / index)) if index > 0 else 0.0
    return "tails", index, index / math.sqrt(outermost), p, FOURTH_MOMENT, None, outermost


def _misses(below: int, above: int, trials: int, level: float) -> Iterator[tuple[Any, ...]]:
    covered = trials - below - above
    share, more = covered / trials, {"below": below, "above": above}
    error = math.sqrt(share * (1 - share) / trials)
    yield "coverage", share, error, _of_binomial(covered, trials, level), level, covered, trials, more
    if below + above:
        half = below / (below + above)
        error = math.sqrt(max(half * (1 - half), 0.0) / (below + above))
        more = {**more, "trials": trials}
        yield "uneven", half, error, _of_binomial(below, below + above, 0.5), 0.5, below, below + above, more


def _failures(table: Table, cell: int, method: str, allowed: float) -> Sign:
    count, failures = len(table.failed), int(np.count_nonzero(table.failed))
    share = failures / count
    error = math.sqrt(share * (1 - share) / count)
    return Sign(
        "failures", cell, method, None, share, error, _at_least(failures, count, allowed), allowed, failures, count
    )


def _of_t(t: float, count: int) -> float:
    return float(min(1.0, 2 * special.stdtr(count - 1, -abs(t))))


def _at_least(hits: int, trials: int, share: float) -> float:
    """Of so many hits or more."""
    if hits == 0:
        return 1.0
    return float(special.bdtrc(hits - 1, trials, share)) if share > 0 else 0.0


def _of_binomial(hits: int, trials: int, share: float) -> float:
    """Twice the smaller tail."""
    return min(1.0, 2 * min(float(special.bdtr(hits, trials, share)), _at_least(hits, trials, share)))


def _pooled(group: Sequence[Sign]) -> Sign:
    """One test over cells: counts are added, other values weighted by their precision."""
    first = group[0]
    trials = sum(row.trials for row in group)
    more = {name: sum(row.more[name] for row in group) for name in first.more}
    if first.count is not None:
        count = sum(row.count or 0 for row in group)
        share = count / trials
        error = math.sqrt(share * (1 - share) / trials)
        test = _at_least if first.kind == "failures" else _of_binomial
        p = test(count, trials, first.null)
        return Sign(first.kind, -1, first.method, first.parameter, share, error, p, first.null, count, trials, more)
    weights = np.array([1 / row.error**2 for row in group])
    values = np.array([row.value for row in group])
    error = 1 / math.sqrt(float(np.sum(weights)))
    value = float(np.sum(weights * values)) * error**2
    p = float(min(1.0, 2 * special.ndtr(-abs((value - first.null) / error))))
    return Sign(first.kind, -1, first.method, first.parameter, value, error, p, first.null, None, trials, more)


def _differ(group: Sequence[Sign], together: Sign) -> bool:
    """Cochran's Q: the cells do not share one value."""
    known = [row for row in group if row.error > 0 and math.isfinite(row.value)]
    q = sum(((row.value - together.value) / row.error) ** 2 for row in known)
    return len(known) > 1 and bool(special.chdtrc(len(known) - 1, q) < _DIFFER)


def _up(row: Sign) -> bool:
    return row.value > row.null


def _of_group(
    study: Study, group: Sequence[Sign], found: Sequence[Sign], pooled: Sign | None, overall: bool, several: bool
) -> Iterator[Finding]:
    """One sentence where the finding is the same in all cells, else one for each direction."""
    if pooled is not None and overall:
        one_way = all(_up(row) == _up(pooled) for row in group)
        if one_way and (len(found) == len(group) or not _differ(group, pooled)):
            yield _finding(study, group, pooled, "all", several)
            return
        if not found:
            yield _finding(study, group, pooled, "together", several)
            return
    for up in (True, False):
        rows = [row for row in found if _up(row) == up]
        if rows:
            yield _finding(study, rows, _pooled(rows) if len(rows) > 1 else rows[0], "some", several)


def _finding(study: Study, rows: Sequence[Sign], row: Sign, how: str, several: bool) -> Finding:
    names = tuple(cell_name(study.cell(each.cell)) for each in rows)
    text = _words()["sentence"][row.kind].format(
        of=f"{row.parameter} by {row.method}" if row.parameter else row.method,
        level=f"{100 * study.level:g}",
        allowed=f"{100 * study.failures_allowed:g}",
        direction=_words()["direction"].get(row.kind, {}).get("up" if _up(row) else "down", ""),
        where=_where(names, how, len(study.cells())) if several else "",
        **_figures(rows, row),
    )
    return Finding(row.kind, row.method, row.parameter, names, how == "together", row.value, row.error, row.p, text)


def _figures(rows: Sequence[Sign], row: Sign) -> dict[str, str]:
    """Numbers to two digits of their error; from the least to the most where cells differ."""
    shown = [_shown(each) for each in rows] if len(rows) > 1 and _differ(rows, row) else [_shown(row)]
    ends = [min(shown), max(shown)]
    error = max(each[1] for each in shown)
    figures = {"value": _span([each[0] for each in ends], error), "error": number(error, error)}
    if row.kind == "bias":
        figures["absolute"] = _absolute(rows)
    if row.kind in ("coverage", "uneven"):
        trials = row.trials if row.kind == "coverage" else row.more["trials"]
        for side in ("below", "above"):
            figures[side] = f"{100 * row.more[side] / trials:.1f}"
    return figures


def _absolute(rows: Sequence[Sign]) -> str:
    values, errors = (np.array([row.more[name] for row in rows]) for name in ("absolute", "absolute_error"))
    weights = 1 / np.square(errors)
    mean, error = float(np.sum(weights * values) / np.sum(weights)), float(np.sum(weights) ** -0.5)
    if special.chdtrc(max(len(rows) - 1, 1), float(np.sum(weights * np.square(values - mean)))) >= _DIFFER:
        return f"{number(mean, error)} (±{number(error, error)})"
    size = float(np.max(errors))
    return f"{_span([float(np.min(values)), float(np.max(values))], size)} (±{number(size, size)})"


def _shown(row: Sign) -> tuple[float, float]:
    """Value and error as they are written."""
    if row.kind == "se":
        ratio = math.exp(row.value)
        return abs(100 * (ratio - 1)), 100 * ratio * row.error
    if row.kind in ("coverage", "failures"):
        return 100 * row.value, 100 * row.error
    return (abs(row.value), row.error) if row.kind == "bias" else (row.value, row.error)


def _span(ends: Sequence[float], error: float) -> str:
    first, last = (number(end, error) for end in (ends[0], ends[-1]))
    return first if first == last else f"{first} to {last}"


def _where(names: Sequence[str], how: str, total: int) -> str:
    words = _words()["where"]
    if how == "together" or len(names) == total:
        return str(words["together" if how == "together" else "all"]).format(count=len(names))
    if len(names) > _NAMED:
        return str(words["many"]).format(count=len(names), total=total, names=", ".join(names[:_NAMED]))
    *others, last = names
    return str(words["some"]).format(names=f"{', '.join(others)} and {last}" if others else last)


def _without_repetition(rows: Iterable[Finding]) -> Iterator[Finding]:
    """Which side intervals miss on is said with their coverage, where that is found in the same cells."""
    rows = list(rows)
    covered = {(row.method, row.parameter, row.cells) for row in rows if row.kind == "coverage"}
    return (row for row in rows if row.kind != "uneven" or (row.method, row.parameter, row.cells) not in covered)


@cache
def _words() -> dict[str, Any]:
    text = (resources.files("statsclaw.montecarlo.verdicts") / "findings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

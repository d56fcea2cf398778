"""Sizes that a planner states to make a tolerance look small, compared with every other size that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import SIM_SPEC, TEST_SPEC, Contract
from statsclaw.specs.lint.found import finding, show
from statsclaw.specs.lint.tolerances import MOST_RELATIVE, SHARE_OF_STANDARD_ERROR, width
from statsclaw.specs.lint.vocabulary import named
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import Criterion

#: Two sizes of one quantity this far apart are hardly both right; the values that are compared decide later.
FAR_OFF = 30.0
_SLACK = 1.0 + 1e-9
#: A smaller absolute tolerance is one of rounding or iterations, whatever the size.
_COARSE = 1e-6
Size = Literal["scale", "standard_error", "monte_carlo_error"]
_PLAIN: dict[Size, str] = {
    "scale": "scale",
    "standard_error": "standard error",
    "monte_carlo_error": "Monte Carlo error",
}


def scale_findings(contract: Contract, computed: Mapping[str, float] | None = None) -> Iterator[Finding]:
    """`computed`: of each equation the largest value that its definition gave on drawn inputs; None: not executed."""
    if contract.tests is not None:
        rows = contract.tests.criteria
        for number, row in enumerate(rows):
            where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
            yield from _against_others(row, rows, where)
            yield from _beyond_scale(row, where)
            yield from _against_values(row, computed, where)
    if contract.study is not None:
        yield from _spreads(contract, contract.study)


def suspicious(contract: Contract) -> bool:
    """Whether a criterion rests on its scale so much that the definitions are worth executing."""
    return contract.tests is not None and any(_rests_on_scale(row) for row in contract.tests.criteria)


def _against_others(row: Criterion, rows: Sequence[Criterion], where: str) -> Iterator[Finding]:
    """Other criteria of the same element, the largest of whose sizes would not excuse the tolerance."""
    if row.rule != "close" or row.of is None:
        return
    for size, plain in _PLAIN.items():
        own = getattr(row, size)
        others = [(getattr(o, size), o.id) for o in rows if o.of == row.of and o.id != row.id and getattr(o, size)]
        if own is None or not others:
            continue
        largest, name = max(others)
        if own < FAR_OFF * largest or not _too_wide_at(row, size, largest):
            continue
        message = (
            f"{row.id} states a {plain} of {show(own)} of {row.of}, and {name} states {show(largest)}: at that size a "
            f"tolerance of {show(width(row.tolerance, largest) if row.tolerance else 0.0)} is not small."
        )
        yield finding("power", "warning", message, where, f"size-far-off:{row.id}:{size}")


def _beyond_scale(row: Criterion, where: str) -> Iterator[Finding]:
    """A standard error far beyond the quantity itself, beside which any tolerance is small."""
    if row.rule != "close" or row.tolerance is None or row.scale is None or row.standard_error is None:
        return
    accepted = width(row.tolerance, row.scale)
    if row.standard_error < FAR_OFF * row.scale or accepted <= SHARE_OF_STANDARD_ERROR * row.scale:
        return
    message = (
        f"{row.id} states a standard error of {show(row.standard_error)} of a quantity of the size {show(row.scale)}, "
        f"and would accept values off by {show(accepted)}."
    )
    yield finding("power", "warning", message, where, f"standard-error-beyond-scale:{row.id}")


def _too_wide_at(row: Criterion, size: Size, known: float) -> bool:
    """Whether the tolerance would be refused if the quantity had the known size."""
    if row.tolerance is None:
        return False
    if size == "scale":
        return width(row.tolerance, known) / known > MOST_RELATIVE[row.limited_by] * _SLACK
    accepted = width(row.tolerance, row.scale or 0.0)
    return accepted > (SHARE_OF_STANDARD_ERROR if size == "standard_error" else 6.0) * known * _SLACK


def _rests_on_scale(row: Criterion) -> bool:
    """An absolute tolerance that only the stated scale explains. What is drawn at random is judged by its own error."""
    if row.rule != "close" or row.tolerance is None or row.scale is None or row.tolerance.absolute == 0.0:
        return False
    if row.tolerance.absolute <= _COARSE:
        return False
    judged_otherwise = row.limited_by == "Monte Carlo" and (row.monte_carlo_error or row.standard_error)
    return not judged_otherwise and _too_wide_at(row, "scale", min(row.scale / FAR_OFF, 1.0))


def _against_values(row: Criterion, computed: Mapping[str, float] | None, where: str) -> Iterator[Finding]:
    """Drawn inputs are not those of the scenario, so a person is told; what is compared decides later."""
    if not _rests_on_scale(row) or row.scale is None or row.tolerance is None:
        return
    values = [value for ref, value in (computed or {}).items() if value > 0.0 and named(ref, row.source)]
    if row.expected is not None:
        return  # how large it is stands there
    if values:
        if row.scale < FAR_OFF * max(values) or not _too_wide_at(row, "scale", max(values)):
            return
        known = f"the definitions that it names give at most {show(max(values))} on drawn inputs"
    else:
        known = "nothing that can be computed says how large the quantity is"
    message = (
        f"{row.id}: an absolute tolerance of {show(row.tolerance.absolute)} is small only beside the scale "
        f"{show(row.scale)} that it states; {known}."
    )
    yield finding("power", "warning", message, where, f"scale-decides:{row.id}")


def _spreads(contract: Contract, study: Study) -> Iterator[Finding]:
    """The spread of one replication, of the same estimates: a large one makes a bias look small beside it."""
    for number, row in enumerate(study.criteria):
        if row.metric != "bias" or row.spread is None:
            continue
        same = [o for o in study.criteria if (o.method, o.parameter) == (row.method, row.parameter) and o.id != row.id]
        known = [(o.spread, o.id) for o in same if o.metric == "bias" and o.spread is not None]
        known += [(o.high, o.id) for o in same if o.metric in ("rmse", "empse", "modse") and o.high is not None]
        if not known or row.spread < FAR_OFF * max(known)[0]:
            continue
        largest, name = max(known)
        message = (
            f"{row.id} states a spread of {show(row.spread)} of one replication, and {name} has {show(largest)} of the "
            "same estimates."
        )
        where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
        yield finding("power", "warning", message, where, f"spread-far-off:{row.id}")

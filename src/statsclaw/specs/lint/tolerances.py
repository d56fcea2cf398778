"""Tolerances of the test specification that would accept a wrong value, or refuse a right one."""

from __future__ import annotations

import math
from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.contract import TEST_SPEC, Contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.lint.found import clip, finding, show
from statsclaw.specs.test_spec import Criterion, TestSpec, Tolerance

_ROUNDING = 2.2e-16
_USUAL_CONDITION = 1e4
#: Of the standard error of an estimate: a larger deviation changes what people conclude.
SHARE_OF_STANDARD_ERROR = 0.1
#: The largest relative tolerance that each reason explains.
MOST_RELATIVE = {"floating point": 1e-3, "iteration": 1e-4, "digits of the reference": 1e-3, "Monte Carlo": 1e-3}
#: Of the stated Monte Carlo error: a correct package is off by more in one of 500 million comparisons.
_MOST_MONTE_CARLO_ERRORS = 6.0
_SHARE_OF_SCALE = 0.1
_ASK = " State monte_carlo_error, the standard deviation over seeds of what is compared, and alternatives."
_EXACT_TYPES = ("integer", "boolean", "text")


def width(tolerance: Tolerance, scale: float) -> float:
    """The largest deviation accepted of a quantity of that size."""
    if tolerance.lre is not None:
        return math.pow(10.0, -tolerance.lre) * scale
    return tolerance.absolute + tolerance.relative * scale


def tolerance_findings(contract: Contract, tests: TestSpec) -> Iterator[Finding]:
    for number, criterion in enumerate(tests.criteria):
        where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
        found: list[tuple[Severity, str, str]] = []
        if criterion.rule == "close" and criterion.tolerance is not None:
            found += _accepts_zero(criterion.tolerance)
            found += _standard_error(criterion, criterion.tolerance)
            if criterion.limited_by == "Monte Carlo" and criterion.monte_carlo_error is not None:
                found += _drawn(criterion, criterion.tolerance, criterion.monte_carlo_error)
            else:
                found += _explained(criterion, criterion.tolerance)
            found += _scale_missing(criterion, criterion.tolerance)
            found += _zero(criterion, criterion.tolerance, contract.interface)
        found += _alternatives(criterion)
        for severity, kind, message in found:
            yield finding("power", severity, f"{criterion.id}: {message}", where, f"{kind}:{criterion.id}")


def _accepts_zero(tolerance: Tolerance) -> Iterator[tuple[Severity, str, str]]:
    if tolerance.relative >= 1.0 or tolerance.lre == 0.0:
        yield "error", "accepts-zero", "would accept 0 whatever is expected: its relative tolerance is 1 or more."


def _standard_error(criterion: Criterion, tolerance: Tolerance) -> Iterator[tuple[Severity, str, str]]:
    if criterion.standard_error is None:
        return
    accepted = width(tolerance, criterion.scale or 0.0)
    share = accepted / criterion.standard_error
    if share > SHARE_OF_STANDARD_ERROR:
        yield (
            "error",
            "tolerance-too-wide",
            f"would accept values off by {show(accepted)}, which is {100 * share:.3g} % of the standard error "
            f"{show(criterion.standard_error)}; more than {100 * SHARE_OF_STANDARD_ERROR:.0f} % changes conclusions.",
        )


def _drawn(criterion: Criterion, tolerance: Tolerance, error: float) -> Iterator[tuple[Severity, str, str]]:
    """Of what is drawn at random: the tolerance must follow from the stated error, and a named fault exceed it."""
    accepted = width(tolerance, criterion.scale or 1.0)
    most = min(_MOST_MONTE_CARLO_ERRORS * error, _SHARE_OF_SCALE * (criterion.scale or 0.0))
    if accepted > most * (1.0 + 1e-9):
        yield (
            "warning",
            "tolerance-not-explained",
            f"would accept values off by {show(accepted)}; a Monte Carlo error explains at most "
            f"{_MOST_MONTE_CARLO_ERRORS:g} times itself ({show(error)} is stated) and {100 * _SHARE_OF_SCALE:.0f} % of "
            f"the scale ({show(criterion.scale) if criterion.scale else 'none is stated'}): draw more.",
        )
    if not criterion.alternatives:
        text = "is limited by Monte Carlo error and names no fault (alternatives) that it would notice all the same."
        yield "error", "no-fault-named", text


def _explained(criterion: Criterion, tolerance: Tolerance) -> Iterator[tuple[Severity, str, str]]:
    sized = criterion.scale is not None or tolerance.relative == 0.0
    if criterion.limited_by == "Monte Carlo" and criterion.standard_error is not None and sized:
        return  # judged by what is stated, not by a usual size
    relative = width(tolerance, criterion.scale or 1.0) / (criterion.scale or 1.0)
    size = f"of the size {show(criterion.scale)}" if criterion.scale else "(no scale is stated, so 1 is taken)"
    most = MOST_RELATIVE[criterion.limited_by]
    if relative > most:
        yield (
            "warning",
            "tolerance-not-explained",
            f"a relative tolerance of {show(relative)} {size} is wider than what “{criterion.limited_by}” "
            f"explains, at most {show(most)}.{_ASK if criterion.limited_by == 'Monte Carlo' else ''}",
        )
        return
    if criterion.limited_by != "floating point":
        return
    condition = criterion.condition or _USUAL_CONDITION
    rounding = max(1e-7, 1e3 * _ROUNDING * condition)
    if relative > rounding * (1.0 + 1e-9):
        yield (
            "warning",
            "tolerance-wider-than-rounding",
            f"a relative tolerance of {show(relative)} {size} is wider than what rounding explains: {show(rounding)} "
            f"at a condition number of {show(condition)}.",
        )


def _scale_missing(criterion: Criterion, tolerance: Tolerance) -> Iterator[tuple[Severity, str, str]]:
    if criterion.scale is not None or tolerance.absolute == 0.0:
        return
    yield (
        "warning",
        "scale-missing",
        f"an absolute tolerance of {show(tolerance.absolute)} means nothing without the usual size of the quantity; "
        "state the scale, or a relative tolerance alone.",
    )


def _zero(
    criterion: Criterion, tolerance: Tolerance, interface: Interface | None
) -> Iterator[tuple[Severity, str, str]]:
    if tolerance.lre is not None or tolerance.absolute or tolerance.relative:
        return
    if interface is not None and interface.type_of(criterion.of) in _EXACT_TYPES:
        return
    yield (
        "note",  # a count, a sum of counts or a limit that is cut off is exact
        "tolerance-zero",
        "a tolerance of 0 could fail for a correct implementation that adds in another order.",
    )


def _alternatives(criterion: Criterion) -> Iterator[tuple[Severity, str, str]]:
    for alternative in criterion.alternatives:
        name, value = clip(alternative.name), alternative.value
        if criterion.rule == "close" and criterion.tolerance is not None:
            accepted = width(criterion.tolerance, criterion.scale or 1.0)
            if abs(value) <= accepted:
                message = f"“{name}” deviates by {show(abs(value))}, and {show(accepted)} is accepted."
                yield "error", f"alternative-accepted:{alternative.name[:60]}", message
        elif criterion.low is not None or criterion.high is not None:
            low, high = criterion.low, criterion.high
            if (low is None or value >= low) and (high is None or value <= high):
                band = " and ".join(
                    f"{word} {show(bound)}"
                    for word, bound in (("at least", low), ("at most", high))
                    if bound is not None
                )
                message = f"“{name}” gives {show(value)}, and {band} is accepted."
                yield "error", f"alternative-accepted:{alternative.name[:60]}", message

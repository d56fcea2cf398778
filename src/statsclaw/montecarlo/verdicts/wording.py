"""Criteria, warnings and notes in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from statsclaw.montecarlo.design import Criterion
from statsclaw.montecarlo.metrics.estimates import McEstimate
from statsclaw.montecarlo.metrics.failures import Bounds
from statsclaw.montecarlo.metrics.measures import RATES
from statsclaw.montecarlo.metrics.sample import FEWEST_TO_TELL, reach_by_chance

_NAMED = 6


def rule_of(criterion: Criterion) -> str:
    """coverage of mu by mle between 0.93 and 0.97."""
    of = criterion.parameter or criterion.field
    name = f"{criterion.metric} of {criterion.of or 'rmse'}" if criterion.axis is not None else criterion.metric
    name += f" of {of}" if of and criterion.axis is None else f" ({of})" if of else ""
    name += f" along {criterion.axis}" if criterion.axis is not None else ""
    name += f" by {criterion.method}" + (f" against {criterion.reference}" if criterion.reference else "")
    name += f" minus {criterion.minus}" if criterion.minus else ""
    return f"{name} {band_of(criterion)}"


def band_of(criterion: Criterion) -> str:
    """between 0.93 and 0.97."""
    unit = " EmpSE" if criterion.unit == "empse" else ""
    low, high = criterion.low, criterion.high
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}{unit}"
    return f"at least {low:g}{unit}" if low is not None else f"at most {high:g}{unit}"


def policy_of(allowed: float) -> str:
    """What a study does about failures."""
    return (
        f"Failed replications: {100 * allowed:g} % are let pass where no criterion limits them; "
        "significantly more fail every criterion of the cell"
    )


def warning_of(
    found: McEstimate, criterion: Criterion, bounds: Bounds, *, matters: bool, exceeded: float | None = None
) -> str:
    """What must be said with a value. `matters`: its failures keep it from passing. `exceeded`: the share of failures
    that is let pass, where significantly more failed."""
    if found.replications and not found.trials:
        return "every replication failed"
    if math.isnan(found.value):
        return "there is no finite value"
    said = []
    if found.failures and criterion.metric not in RATES:
        text = f"{found.failures:,} of {found.replications:,} replications failed"
        if math.isfinite(bounds.low) and math.isfinite(bounds.high):
            text += f": with them the value could lie in [{bounds.low:.4g}, {bounds.high:.4g}]"
        if exceeded is not None:
            text += f", significantly more than the {100 * exceeded:g} % that are let pass"
        said.append(text + (", so it cannot PASS" if matters else ""))
    if found.parts is not None and found.value == 0 and found.error == 0:
        said.append("the metric does not change")
    elif found.error == 0 and all(row.successes is None for row in found.parts or (found,)):
        said.append("what was recorded does not vary")
    if found.open_above and found.open_below and found.log_shift is None:
        said.append("heavy tails: no limits can be given")
    elif found.open_above or found.open_below:
        said.append(f"heavy tails: no limit can be given towards larger spreads{_by_chance(found)}")
    elif max(found.wider_below, found.wider_above) > 1:
        said.append("tails that may be heavy: the limit towards larger spreads lies twice as far")
    elif found.nearer < 1 and abs(found.value) > 3 * (found.error or 0.0):
        said.append("heavy tails: EmpSE is taken to be up to twice as large")
    return "; ".join(said)


def _by_chance(found: McEstimate) -> str:
    """Of few replications normal estimates look so as well."""
    share = reach_by_chance(found.trials).get(math.inf, 0.0)
    if found.trials >= FEWEST_TO_TELL or share == 0:
        return ""
    return f" (so do {100 * share:.0f} % of normal samples of this size; from {FEWEST_TO_TELL} on they are told apart)"


def notes_of(warnings: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """(cell, warning): the same words once, with the cells they are about."""
    places: dict[str, list[str]] = {}
    for cell, warning in warnings:
        if warning:
            places.setdefault(warning, []).append(cell)
    notes = [
        f"{', '.join(names[:_NAMED])}{f' and {len(names) - _NAMED} more' if len(names) > _NAMED else ''}: {warning}"
        for warning, names in places.items()
    ]
    more = (f"and {len(notes) - _NAMED} notes more",) if len(notes) > _NAMED else ()
    return (*notes[:_NAMED], *more)

"""What the sources and the person state must be carried by a criterion, and by none that accepts more."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.sources.index import Index, StatedCriterion
from statsclaw.specs.contract import SIM_SPEC, TEST_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding, show
from statsclaw.specs.lint.stated import SAME, Bound, bounds_of, topic_of
from statsclaw.specs.lint.tolerances import width
from statsclaw.specs.lint.vocabulary import named, pattern, words_of
from statsclaw.specs.sim_spec import StudyCriterion
from statsclaw.specs.test_spec import Criterion

_SLACK = 1e-9
#: What a metric is when all is well; a distance "from the nominal level" is from here.
_NOMINAL = {"se_ratio": 1.0, "bias": 0.0}
_NEVER_NEGATIVE = ("rmse", "empse", "modse", "failure_rate", "quantile_range")
_TOPICS = ("coverage", "rejection", "bias", "rmse", "se_ratio", "failure_rate")


@dataclass(frozen=True, slots=True)
class Carrier:
    """A criterion of either specification, as far as it can be compared with a stated one."""

    id: str
    where: str
    source: str
    topic: str
    low: float | None = None
    high: float | None = None
    #: The tolerance of a `close` criterion, as a deviation and in relation to the size of the quantity.
    absolute: float | None = None
    relative: float | None = None
    #: Without a lower bound because it is about something that cannot be negative.
    one_sided: bool = False
    nominal: float | None = None
    scale: float | None = None
    #: A metric of a study: what it is about is certain, not read from words.
    metric: str = ""
    #: Decided by an error or warning that comes: it may be about the edge of a range without bounding anything.
    condition: bool = False
    #: What it compares varies from seed to seed, so nothing of it is exact; its own error or its faults bound it.
    drawn: bool = False
    #: The criterion in words: what it is of, and its rule.
    says: str = ""
    #: A yes or no about numbers, or one that a command of the run decides.
    yes_or_no: Literal["", "value", "structure", "check"] = ""

    @property
    def bounded(self) -> bool:
        return any(value is not None for value in (self.low, self.high, self.absolute))


@dataclass(frozen=True, slots=True)
class Comparison:
    kept: bool
    words: str


def carriers(contract: Contract) -> list[Carrier]:
    found: list[Carrier] = []
    for number, row in enumerate(contract.tests.criteria if contract.tests else ()):
        where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
        found.append(_of_test(row, where))
    if contract.study is None:
        return found
    for number, criterion in enumerate(contract.study.criteria):
        where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
        found.append(_of_study(criterion, contract.study.level, where))
    return found


def _of_test(row: Criterion, where: str) -> Carrier:
    absolute = width(row.tolerance, row.scale or 1.0) if row.tolerance else None
    return Carrier(
        row.id,
        where,
        row.source,
        topic="time" if row.decided_by == "timing" else topic_of(row.quantity),
        low=row.low,
        high=row.high,
        absolute=absolute,
        relative=absolute / (row.scale or 1.0) if absolute is not None else None,
        one_sided=row.rule == "at most",
        scale=row.scale,
        condition=row.rule in ("raises", "warns"),
        drawn=row.limited_by == "Monte Carlo" and (row.tolerance is not None or bool(row.alternatives)),
        says=_says(row.quantity, _rule(row)),
        yes_or_no="" if row.rule != "holds" else "check" if row.decided_by == "check" else row.kind,
    )


def _says(quantity: str, rule: str) -> str:
    return f"“{clip(quantity, 100)}” ({rule})"


def _rule(row: Criterion) -> str:
    if row.tolerance is None:
        return " ".join([row.rule, *(show(edge) for edge in (row.low, row.high) if edge is not None)])
    given = row.tolerance.model_dump(exclude_defaults=True)
    return f"{row.rule}, {', '.join(f'{name} {show(value)}' for name, value in given.items()) or 'tolerance 0'}"


def _of_study(row: StudyCriterion, level: float, where: str) -> Carrier:
    return Carrier(
        row.id,
        where,
        row.source,
        topic=row.metric if row.metric in _TOPICS else topic_of(row.quantity),
        low=row.low,
        high=row.high,
        one_sided=row.metric in _NEVER_NEGATIVE or (row.metric == "mean" and _is_distance(row.quantity)),
        nominal=level if row.metric == "coverage" else _NOMINAL.get(row.metric),
        metric=row.metric if row.metric in _TOPICS else "",
        says=_says(row.quantity, f"{row.metric} {_span(row.low, row.high)}"),
    )


def _is_distance(quantity: str) -> bool:
    return bool(pattern(words_of("distance", "never_negative")).search(quantity.lower()))


def carried_by(stated: StatedCriterion, rows: list[Carrier], index: Index) -> list[Carrier]:
    """Those whose source names it: by its reference, or by its identifier where no other reference is meant.

    A number alone is no identifier: `notes.md(1)` is an equation.
    """
    others = [row.ref for row in index.criteria if row.id == stated.id and row.ref != stated.ref]
    alone = stated.id if stated.id[0].isupper() or stated.id.startswith("criterion-") else f"criterion {stated.id}"
    longer = [other for other in others if other.startswith(stated.ref)]  # notes.md 1@41 is not notes.md 1
    return [
        row
        for row in rows
        if named(stated.ref, reduce(lambda source, other: source.replace(other, ""), longer, _bare(row.source)))
        or (named(alone, _bare(row.source)) and not any(named(other, row.source) for other in others))
    ]


def _bare(source: str) -> str:
    """`notes.md (ii)` names what is called ii; `notes.md(2)` is an equation."""
    return re.sub(r"(?<=\s)[(\[]([\w-]{1,12})[)\]]", r"\1", source)


def carried_criteria(contract: Contract, index: Index) -> frozenset[str]:
    """The criteria that carry a stated one."""
    rows = carriers(contract)
    return frozenset(row.id for stated in index.criteria for row in carried_by(stated, rows, index))


def request_findings(contract: Contract, index: Index) -> Iterator[Finding]:
    if contract.tests is None and contract.study is None:
        return
    rows = carriers(contract)
    home, block = (TEST_SPEC, "criteria") if contract.tests is not None else (SIM_SPEC, "study")
    for stated in index.criteria:
        carrying = carried_by(stated, rows, index)
        if carrying:
            yield from _compared(stated, carrying)
            continue
        yield finding(
            "request",
            "error",
            f"{stated.ref} is carried by no criterion: “{clip(stated.text)}”.",
            f"{home}:{contract.line_of(home, block)}",
            f"stated-not-carried:{stated.ref}",
        )


def _compared(stated: StatedCriterion, carrying: list[Carrier]) -> Iterator[Finding]:
    bounds, unread = bounds_of(stated.text)
    if not bounds and not unread:
        return
    if not bounds:
        message = f"{stated.ref} states numbers that no program could read as bounds; compare them yourself: "
        message += f"{_side_by_side(stated, *carrying)}."
        yield finding("request", "note", message, carrying[0].where, f"stated-not-compared:{stated.ref}")
        return
    weakened: set[str] = set()
    kept_by_tests = {
        number
        for number, bound in enumerate(bounds)
        for row in carrying
        if row.where.startswith(TEST_SPEC) and (found := compare(bound, row)) and found.kept
    }
    for row in carrying:
        results = [(bound, result) for bound in bounds if (result := compare(bound, row)) is not None]
        if results and not any(result.kept for _, result in results):
            weakened.add(row.id)
            of_own_field = row.where.startswith(SIM_SPEC) and not row.metric
            elsewhere = of_own_field and all(bounds.index(bound) in kept_by_tests for bound, _ in results)
            yield _weakened(stated, results[0][0], row, results[0][1], kept_elsewhere=elsewhere)
    for number, bound in enumerate(bounds, start=1):
        compared = [(row, result) for row in carrying if (result := compare(bound, row)) is not None]
        if not compared:
            yield from _not_compared(stated, bound, carrying, number)
        elif not any(result.kept or row.id in weakened for row, result in compared):
            yield _weakened(stated, bound, *compared[0])


def _side_by_side(stated: StatedCriterion, *rows: Carrier) -> str:
    """The words of the source and of the criteria that carry them."""
    return f"“{clip(stated.text)}” against " + " and ".join(f"{row.id} {row.says}" for row in rows[:3])


def _weakened(
    stated: StatedCriterion, bound: Bound, row: Carrier, result: Comparison, *, kept_elsewhere: bool = False
) -> Finding:
    """The mean of a field, say of a logarithm, beside a test that keeps the demand is only looked at."""
    return finding(
        "request",
        "warning" if kept_elsewhere else "error",
        f"{stated.ref} states {bound.words}, but {row.id}, which carries it{' as well' if kept_elsewhere else ''}, "
        f"accepts {result.words}: {_side_by_side(stated, row)}.",
        row.where,
        f"stated-weakened:{stated.ref}:{row.id}",
    )


def _not_compared(stated: StatedCriterion, bound: Bound, carrying: list[Carrier], number: int) -> Iterator[Finding]:
    """A check that holds or does not carries "no errors"; another metric than the stated one is worth a warning."""
    bounded = [row for row in carrying if row.bounded]
    if bound.high == 0.0 and len(bounded) < len(carrying):
        return
    key = f"stated-not-compared:{stated.ref}:{number}"
    strangers = [row for row in bounded if bound.topic and row.topic and row.topic != bound.topic]
    if bounded and len(strangers) == len(bounded):
        row = strangers[0]
        message = f"{stated.ref} states {bound.words} for {bound.topic}; {row.id} carries it and is about {row.topic}: "
        message += f"{_side_by_side(stated, row)}."
        if bound.topic in _TOPICS and all(_surely_another(bound.topic, row) for row in strangers):
            key = f"stated-not-carried:{stated.ref}:{number}"
            yield finding("request", "error", f"{message} So no criterion carries it.", row.where, key)
        else:
            yield finding("request", "warning", message, row.where, key)
        return
    names = ", ".join(row.id for row in carrying[:5])
    message = f"{stated.ref} states {bound.words}; no number of {names} can be compared with it"
    if any(row.condition for row in carrying) or (bound.exact and any(row.absolute for row in carrying)):
        severity: Severity = "note"
    elif bounded or any(row.yes_or_no == "check" for row in carrying):
        severity = "warning"
    else:
        severity = _without_number(bound, carrying)
        message = f"{stated.ref} states {bound.words}, and {names}, which carry it, have no number to keep it with"
        message += ": carry it with the rule close, at most, at least or between"
        key = f"stated-not-carried:{stated.ref}:{number}" if severity == "error" else key
    message = f"{message}: {_side_by_side(stated, *carrying)}."
    yield finding("request", severity, message, carrying[0].where, key)


def _without_number(bound: Bound, carrying: list[Carrier]) -> Severity:
    """Only a yes or no carries it. Of what counts something ("at least 2 columns") or of a time that may be right."""
    if bound.exact and bound.target is None:
        return "error" if all(row.yes_or_no == "value" for row in carrying) else "warning"
    return "warning" if bound.topic == "time" or (bound.whole and not bound.topic) else "error"


def _surely_another(topic: str, row: Carrier) -> bool:
    """Another metric, and none that bounds the stated one as well: a bias is never larger than the rmse."""
    return bool(row.metric) and (topic, row.metric) != ("bias", "rmse")


def compare(bound: Bound, row: Carrier) -> Comparison | None:
    """Whether a criterion accepts no more than a bound; None where the two do not speak of the same thing."""
    if bound.topic and row.topic and bound.topic != row.topic:
        return None
    if bound.exact:
        return _exact(bound, row)
    if bound.kind == "distance":
        return _distance(bound, row)
    if bound.kind == "range":
        return None if row.low is None and row.high is None else _between(bound.low, bound.high, row)
    if bound.kind == "low":
        return None if row.low is None else _between(bound.low, None, row)
    if bound.of_distance and row.absolute is not None:
        return _tolerance(bound.high or 0.0, bound, row)
    if row.high is None:
        return None
    low = -(bound.high or 0.0) if bound.two_sided and not row.one_sided else None
    return _between(low, bound.high, row)


def _distance(bound: Bound, row: Carrier) -> Comparison | None:
    size = bound.distance or 0.0
    if row.absolute is not None:
        return _tolerance(size, bound, row)
    if row.low is None and row.high is None:
        return None
    centre = bound.target if bound.target is not None else row.nominal
    if row.one_sided and bound.target is None:
        return _between(None, size, row)
    if centre is None:
        if row.low is None or row.high is None:
            return _between(-size, size, row)
        if row.low <= 0.0 <= row.high:
            return _between(-size, size, row)
        half = (row.high - row.low) / 2.0
        return Comparison(half <= size * (1.0 + _SLACK), f"{_accepted(row)}, half of which is {show(half)}")
    if bound.relative and bound.target is not None:
        size *= abs(centre)
        # "within 2 % of 0.95" may also mean percentage points; the wider reading is the one a reader may rely on
        size = max(size, bound.distance or 0.0) if abs(centre) <= 1.0 else size
    return _between(centre - size, centre + size, row)


def _exact(bound: Bound, row: Carrier) -> Comparison | None:
    """What is to be the same is compared by a tolerance, or by bounds as narrow; of what is drawn nothing is exact."""
    if row.drawn:
        return None
    if row.absolute is not None:
        return _tolerance(SAME, Bound("distance", "", relative=True), row)
    if not row.bounded or row.where.startswith(SIM_SPEC) or row.topic == "time":
        return None
    slack = SAME * max(abs(bound.target), 1e-12) if bound.target is not None else SAME * (row.scale or 1.0)
    if row.one_sided:
        return Comparison((row.high or 0.0) <= slack, _accepted(row))
    wide = math.inf if row.low is None or row.high is None else row.high - row.low
    return Comparison(wide <= 2.0 * slack * (1.0 + _SLACK), _accepted(row))


def _tolerance(size: float, bound: Bound, row: Carrier) -> Comparison:
    accepted = row.relative if bound.relative and bound.target is None else row.absolute
    accepted = math.inf if accepted is None else accepted
    kind = "relative deviations" if bound.relative and bound.target is None else "deviations"
    scale = f" of a quantity of the size {show(row.scale)}" if row.scale not in (None, 1.0) and row.scale else ""
    return Comparison(accepted <= size * (1.0 + _SLACK), f"{kind} of {show(accepted)}{scale}")


def _between(low: float | None, high: float | None, row: Carrier) -> Comparison:
    kept = True
    if low is not None:
        kept = row.low is not None and row.low >= low - _SLACK * max(1e-12, abs(low))
    if high is not None:
        kept = kept and row.high is not None and row.high <= high + _SLACK * max(1e-12, abs(high))
    return Comparison(kept, _accepted(row))


def _accepted(row: Carrier) -> str:
    return _span(row.low, row.high)


def _span(low: float | None, high: float | None) -> str:
    return " to ".join("anything" if edge is None else show(edge) for edge in (low, high))

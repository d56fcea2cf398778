"""Was everything in the sources understood, decided and approved, and do two readings agree?"""

from __future__ import annotations

from statsclaw.review.case import Case
from statsclaw.review.documented_choices import undocumented_choices
from statsclaw.review.findings import bounded
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding
from statsclaw.specs.comprehension import Choice, Comprehension
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.specs.readings.agreement import Agreement
from statsclaw.specs.readings.equation_names import Named

_CHECK = "comprehension"


def check(case: Case) -> list[Finding]:
    """Everything here is the planner's; without a planner there is nothing to check, and that is said."""
    if "planner" not in case.roles:
        text = "no planner in this workflow, so there is no comprehension to check"
        return [finding(_CHECK, "note", text, key="not-applicable:comprehension")]
    read = case.contract.comprehension if case.contract else None
    if read is None:
        text = "there is no comprehension that can be read"
        return [_error(text, COMPREHENSION, "no-comprehension"), *_approval(case)]
    decided = [*_choices(case, read), *bounded(_CHECK, undocumented_choices(case))]
    return [*_approval(case), *_equations(case, read), *decided, *_readings(case, read)]


def _approval(case: Case) -> list[Finding]:
    if case.approval is None:
        return [_error("nobody approved the comprehension", COMPREHENSION, "not-approved")]
    found = []
    if case.approval.by == "default":
        found.append(finding(_CHECK, "note", "approved unattended (--yes)", key="approved-unattended"))
    if not case.approval.matches:
        text = "the comprehension was changed after it was approved"
        found.append(_error(text, COMPREHENSION, "approval-of-another-document"))
    return found


def _equations(case: Case, read: Comprehension) -> list[Finding]:
    named = Named(case.index)
    known = {found.ref for row in read.equations if (found := named.get(row.ref)) is not None}
    if not case.index.sources:
        if not read.sources:
            return []
        text = "the sources were not indexed, so their equations could not be counted"
        return [finding(_CHECK, "note", text, key="not-computed:equations")]
    missing = [row for row in case.index.equations if row.ref not in known]
    numbered = [
        _error(f"{row.ref} is not accounted for: {row.text[:200]}", _place(row.source, row.line), f"equation:{row.ref}")
        for row in missing
        if row.numbered
    ]
    others = [row.ref for row in missing if not row.numbered]
    if others:
        text = f"{len(others)} displayed equations without a number are not accounted for: {', '.join(others[:10])}"
        numbered.append(finding(_CHECK, "note", text, where=COMPREHENSION, key="equations-without-number"))
    return bounded(_CHECK, numbered)


def _choices(case: Case, read: Comprehension) -> list[Finding]:
    line = f"{COMPREHENSION}:{case.contract.line_of(COMPREHENSION, 'comprehension', 'choices') if case.contract else 1}"
    found = [
        _error(f"nobody decided the choice {row.id}: {row.question}", line, f"open-choice:{row.id}")
        for row in read.open_choices
    ]
    found += [
        finding(_CHECK, "note", _decided(row, row.id in case.unattended), where=line, key=f"decided:{row.id}")
        for row in read.choices
        if row.decision is not None
    ]
    found += [
        finding(
            _CHECK,
            "note",
            f"nobody answered, so what was assumed stands: {row.text}",
            where=line,
            key=f"decided:{name}",
        )
        for row in read.assumptions
        if row.otherwise is not None and (name := row.otherwise.function) in case.unattended
    ]
    return found


def _decided(row: Choice, unattended: bool) -> str:
    who = "nobody answered, so the safe default" if unattended else f"the {row.decided_by}"
    return f"{who} decided {row.id}: {row.options[row.decision or 0].label} ({row.question})"


def _readings(case: Case, read: Comprehension) -> list[Finding]:
    if not case.second_reading:
        return [finding(_CHECK, "note", "one reading only", key="one-reading")]
    if not read.definitions:
        text = "nothing in the comprehension is executable, so two readings could not be compared"
        return [finding(_CHECK, "note", text, key="not-computed:readings")]
    found = [_disagreement(row, case.readings_settled) for row in case.agreements if row.agrees is False]
    # an agreement over no inputs at all says nothing
    vague = [row for row in case.agreements if row.agrees is None or (row.agrees and row.tried <= 0)]
    found += [
        finding(
            _CHECK,
            "note",
            f"two readings of {row.ref} could not be compared: {row.note or 'no input was tried'}",
            where=row.ref,
            key=f"not-comparable:{row.function}",
        )
        for row in vague
    ]
    compared = {row.function for row in case.agreements}
    found += [
        _error(f"the second reading of {row.ref} was never compared", row.ref, f"not-compared:{row.function}")
        for row in read.definitions
        if row.function not in compared
    ]
    agree = sum(row.agrees is True and row.tried > 0 for row in case.agreements)
    total = len({row.function for row in read.definitions} | compared)
    text = f"two readings agree on {agree} of {total} equations{_excused(case, read)}"
    return [*bounded(_CHECK, found), finding(_CHECK, "note", text, key="readings")]


def _excused(case: Case, read: Comprehension) -> str:
    """What was excused from being computed was read once, however well the readings of the rest agree."""
    named, compared = Named(case.index), {row.function for row in case.agreements if row.tried > 0}
    twice = {named.get(row.ref) for row in read.definitions if row.function in compared}
    numbered = [row for row in case.index.equations if row.numbered]
    count = sum(row in twice for row in numbered)
    return f"; {count} of {len(numbered)} numbered equations were computed twice" if read.not_computed else ""


def _disagreement(row: Agreement, settled: bool) -> Finding:
    size = f", by up to {row.largest_difference:.3g}" if row.largest_difference is not None else ""
    said = f": {row.note}" if row.note else ""
    text = f"two readings of {row.ref} disagree over {row.tried} inputs{size}{said}"
    if settled:
        text += "; a person has seen both, and the first one stands"
        return finding(_CHECK, "warning", text, where=row.ref, key=f"readings-settled:{row.function}")
    return _error(text, row.ref, f"readings-disagree:{row.function}")


def _place(source: str, line: int | None) -> str:
    return f"{source}:{line}" if line else source


def _error(message: str, where: str, key: str) -> Finding:
    return finding(_CHECK, "error", message, where=where, route_to="planner", key=key)

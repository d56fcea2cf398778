"""Were the tolerances and bounds used those that were frozen, and could meaningless answers pass them?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from statsclaw.review.case import Case
from statsclaw.review.findings import bounded, owes_contract, under
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.specs.contract import SPECIFICATIONS

_CHECK = "tolerance"
_finding = partial(finding, _CHECK)


#: A stated size this many times larger than anything compared excuses a tolerance that means nothing.
_FAR_OFF = 30


def check(case: Case) -> list[Finding]:
    return [
        *_frozen(case),
        *_changed_by_people(case),
        *bounded(_CHECK, list(_contract(case))),
        *bounded(_CHECK, under(_CHECK, case.suite_findings)),
        *bounded(_CHECK, list(_null(case))),
        *bounded(_CHECK, list(_blind(case))),
        *bounded(_CHECK, list(_scales(case))),
    ]


def _scales(case: Case) -> Iterator[Finding]:
    """An absolute tolerance was judged by the size its author stated; what was compared tells the real one.

    A claim that compares a difference with 0 says nothing about the size.
    """
    tests = case.contract.tests if case.contract else None
    hidden = {row.id for row in case.disturbed if row.verdict == "PASS"}  # what was compared says nothing of its size
    for criterion in tests.criteria if tests else ():
        if criterion.id in hidden:
            continue
        sizes = [
            abs(row.expected)
            for command in case.after
            for row in command.observations
            if row.criterion == criterion.id and row.expected is not None
        ]
        absolute, largest = criterion.tolerance.absolute if criterion.tolerance else 0.0, max(sizes, default=0.0)
        too_wide = (
            absolute > largest / _FAR_OFF
        )  # a number may be near zero by chance: then the tolerance is small still
        if criterion.scale is not None and too_wide and 0 < largest < criterion.scale / _FAR_OFF:
            text = f"{criterion.id} states a size of {criterion.scale:g}, and nothing compared exceeds {largest:.3g}"
            yield _finding("error", text, "test-spec.md", "planner", f"scale:{criterion.id}")


def _frozen(case: Case) -> Iterator[Finding]:
    if not case.frozen:
        if owes_contract(case.roles):
            yield _finding("error", "no specification was frozen", "", "planner", "not-frozen")
        else:
            text = "no planner writes for a tester in this workflow, so nothing was frozen"
            yield _finding("note", text, "", "", "not-applicable:frozen")
        return
    for name, sha256 in sorted(case.frozen.items()):
        now = case.current.get(name)
        if now is None:
            yield _finding("error", f"{name} was frozen and is no longer there", name, "planner", f"frozen:{name}")
        elif now != sha256:
            text = f"{name} is not what was frozen ({now[:12]} instead of {sha256[:12]})"
            yield _finding("error", text, name, "planner", f"frozen:{name}")
    for name in SPECIFICATIONS:
        if name in case.documents and name not in case.frozen:
            yield _finding("error", f"{name} was never frozen", name, "planner", f"frozen:{name}")


def _changed_by_people(case: Case) -> Iterator[Finding]:
    for row in case.amendments:
        text = f"{row.what} was amended from {row.before} to {row.after}, because: {row.why or '(no reason given)'}"
        yield _finding("note", text, row.what, "", f"amended:{row.what}")
    for over in case.overrides:
        text = f"a person overrode “{over.message}”, because: {over.why or '(no reason given)'}"
        yield _finding("note", text, over.key, "", f"overridden:{over.key}")


def _contract(case: Case) -> Iterator[Finding]:
    """Errors stay errors unless a person overrode exactly that finding; one without a key cannot be overridden."""
    overridden = {(row.key, row.message) for row in case.overrides if row.key}
    for row in case.contract_findings:
        severity: Severity = "error" if row.severity == "error" and (row.key, row.message) not in overridden else "note"
        yield row.model_copy(update={"check": _CHECK, "severity": severity})


def _null(case: Case) -> Iterator[Finding]:
    values = _value_criteria(case)
    if not values:
        return
    if not case.null_judgements:
        text = "the criteria were not tried on meaningless answers"
        yield _finding("note", text, "", "", "not-computed:null")
        return
    tried = {row.id: row for row in case.null_judgements if row.id in values}
    for name, row in tried.items():
        key = f"null-passes:{name}"
        if row.verdict == "PASS":
            text = f"meaningless answers meet the criterion {name} ({row.quantity[:200]})"
            yield _finding("error", text, row.where or name, values[name], key)
        elif row.verdict == "UNDECIDED" and row.literal == "PASS":
            text = f"the criterion {name} does not refuse meaningless answers: undecided"
            yield _finding("warning", text, row.where or name, values[name], key)
    missing = sorted(set(values) - set(tried))
    if missing:
        text = f"not tried on meaningless answers: {', '.join(missing)}"
        yield _finding("note", text, "", "", "not-computed:null")


def _blind(case: Case) -> Iterator[Finding]:
    """A criterion that was never seen to fail: neither on meaningless answers nor on moved ones."""
    rules = {row.id: row for row in case.contract.tests.criteria} if case.contract and case.contract.tests else {}
    failed_on_null = {row.id for row in case.null_judgements if row.verdict == "FAIL"}
    for row in case.disturbed:
        criterion = rules.get(row.id)
        if criterion is None or row.verdict != "PASS":
            continue
        if criterion.rule == "close":
            about = criterion.of or "what it is about"
            text = f"{row.id} is still met when {about} is moved: its claims do not look at it"
            yield _finding("error", text, row.where or row.id, "tester", f"blind:{row.id}")
        elif row.id not in failed_on_null:
            text = f"{row.id} was never seen to fail: meaningless answers and moved ones meet it too"
            yield _finding("error", text, row.where or row.id, "tester", f"never-fails:{row.id}")


def _value_criteria(case: Case) -> dict[str, str]:
    """Criteria about numbers, with the role whose questions or study decide them."""
    tests, study = (case.contract.tests, case.contract.study) if case.contract else (None, None)
    found: dict[str, str] = {}
    if tests and "tester" in case.roles:
        found |= {row.id: "tester" for row in tests.criteria if row.kind == "value"}
    if study and "simulator" in case.roles:
        found |= {row.id: "simulator" for row in study.criteria}
    return found

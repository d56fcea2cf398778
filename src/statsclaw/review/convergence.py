"""Do implementation, validation and study meet: every criterion judged, every command passed, nothing lost?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from statsclaw.review.case import Case
from statsclaw.review.findings import bounded, owes_contract
from statsclaw.runlog.events import CaseOutcome, CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.verify.criteria.judge import at_fault

_CHECK = "convergence"
_finding = partial(finding, _CHECK)
_OWNER = {"build": "builder", "checks": "builder", "unit_tests": "builder", "validation": "builder"}


def check(case: Case) -> list[Finding]:
    return [
        *bounded(_CHECK, list(_all_judged(case))),
        *bounded(_CHECK, list(_verdicts(case))),
        *bounded(_CHECK, list(_commands(case))),
        *bounded(_CHECK, list(_tests(case))),
    ]


def frozen_criteria(case: Case) -> dict[str, str]:
    """Every criterion of the frozen specifications, with the role that supplies the evidence for it."""
    tests, study = (case.contract.tests, case.contract.study) if case.contract else (None, None)
    found = {row.id: "builder" if row.decided_by == "check" else "tester" for row in tests.criteria} if tests else {}
    return found | ({row.id: "simulator" for row in study.criteria} if study else {})


def _all_judged(case: Case) -> Iterator[Finding]:
    frozen = frozen_criteria(case)
    if not frozen:
        if owes_contract(case.roles):
            yield _finding("error", "no criteria were frozen, so nothing could be judged", "", "planner", "no-criteria")
        else:
            text = "no planner writes for a tester in this workflow, so there are no criteria to be judged"
            yield _finding("note", text, "", "", "not-applicable:criteria")
        return
    times = Counter(row.id for row in case.judgements)
    for name, role in frozen.items():
        if name not in times and (role in case.roles or role == "builder"):
            yield _finding("error", f"the criterion {name} was never judged", name, role, f"not-judged:{name}")
        elif name not in times:
            text = f"the criterion {name} was never judged: there is no {role} in this workflow"
            yield _finding("error", text, name, "planner", f"not-judged:{name}")
    for name, count in times.items():
        if count > 1:
            yield _finding("error", f"the criterion {name} was judged {count} times", name, "", f"judged-twice:{name}")
        if name not in frozen:
            text = f"{name} was judged and is not among the frozen criteria"
            yield _finding("error", text, name, "", f"judged-unknown:{name}")
    if len(case.judgements) != len(frozen):
        text = f"{len(case.judgements)} criteria were judged and {len(frozen)} are frozen"
        yield _finding("error", text, "", "", "number-judged")


def _verdicts(case: Case) -> Iterator[Finding]:
    for row in case.judgements:
        said = f"{row.id} ({row.quantity[:200]}): {figures(row)}"
        role = at_fault(row)
        if row.verdict == "FAIL":
            yield _finding("error", f"the criterion {said}", row.where or row.id, role, f"failed:{row.id}")
        elif row.counts_as == "OPEN":
            text = f"the criterion {said}: left open, {row.replications:,} replications of {row.planned:,} were made"
            yield _finding("warning", text, row.where or row.id, "", f"left-open:{row.id}")
        elif row.verdict == "UNDECIDED":
            text = f"the criterion {said}: undecided, taken literally {row.literal}"
            severity: Severity = "error" if row.literal == "FAIL" else "note"
            route = role if row.literal == "FAIL" else ""
            yield _finding(severity, text, row.where or row.id, route, f"undecided:{row.id}")
        elif row.literal == "FAIL" or (row.margin is not None and row.margin < 0):
            text = f"the verdict PASS of {row.id} contradicts its own comparison ({figures(row)})"
            yield _finding("error", text, row.where or row.id, role, f"contradicts-itself:{row.id}")


def figures(row: Judgement) -> str:
    """The numbers of a judgement in a few words."""
    parts = [f"observed {row.observed:.6g}"] if row.observed is not None else []
    parts += [f"expected {row.expected:.6g}"] if row.expected is not None else []
    parts += [f"margin {row.margin:.3g}"] if row.margin is not None else []
    parts += [f"Monte Carlo error {row.mcse:.2g}"] if row.mcse is not None else []
    parts += [row.note[:300]] if row.note else []
    return f"{row.verdict}, {', '.join(parts)}" if parts else str(row.verdict)


def _commands(case: Case) -> Iterator[Finding]:
    for row in case.after:
        if not row.passed:
            text = f"{row.name} ({row.phase}) did not pass: {row.summary or f'exit status {row.exit_code}'}"
            role = row.fault_of or _owner(row)
            yield _finding("error", text, row.name, role, f"command:{row.phase}:{row.name}")


def _owner(row: CommandExecuted) -> str:
    """Tests or a study that are themselves at fault go back to their author."""
    bad = [test for test in row.tests if test.outcome in ("failed", "error")]
    if row.phase == "validation" and bad and all(test.raised_by == "suite" for test in bad):
        return "tester"
    return _OWNER.get(row.phase, "simulator")


def _tests(case: Case) -> Iterator[Finding]:
    before = _outcomes(case.before)
    after = _outcomes(case.after)
    allowed = _may_skip(case)
    for (phase, name), test in after.items():
        old = before.get((phase, name))
        passed = old is not None and old.outcome == "passed"
        if test.outcome in ("failed", "error"):
            said = "passed before and fails now" if passed else f"{test.outcome}"
            role = "tester" if phase == "validation" and test.raised_by == "suite" else "builder"
            text = f"the test {name} ({phase}): {said}: {test.error[:200]}"
            yield _finding("error", text, name, role, f"test:{phase}:{name}")
        elif test.outcome == "skipped" and not (test.scenarios and set(test.scenarios) <= allowed):
            role = "tester" if phase == "validation" else "builder"
            lost = " and passed before" if passed else ""
            text = f"the test {name} ({phase}) was skipped{lost}: {test.error[:200]}"
            yield _finding("warning", text, name, role, f"skipped:{phase}:{name}")
    for (phase, name), test in before.items():
        if test.outcome == "passed" and (phase, name) not in after:
            role = "tester" if phase == "validation" else "builder"
            text = f"the test {name} ({phase}) passed before and is no longer there"
            yield _finding("warning", text, name, role, f"gone:{phase}:{name}")


def _outcomes(evidence: Sequence[CommandExecuted]) -> dict[tuple[str, str], CaseOutcome]:
    """By phase and name; of two tests of one name the worse counts."""
    rank = ("passed", "skipped", "failed", "error")
    found: dict[tuple[str, str], CaseOutcome] = {}
    for row in evidence:
        for test in row.tests:
            other = found.get((row.phase, test.name))
            if other is None or rank.index(test.outcome) > rank.index(other.outcome):
                found[row.phase, test.name] = test
    return found


def _may_skip(case: Case) -> set[str]:
    tests = case.contract.tests if case.contract else None
    return {row.id for row in tests.scenarios if row.may_skip} if tests else set()

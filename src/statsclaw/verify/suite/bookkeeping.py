"""Do tests, scenarios and criteria belong together? The same for every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.suite.found import found

#: The method of the fixture `criterion` that fits a rule.
METHOD = {
    "close": "close",
    "at most": "value",
    "at least": "value",
    "between": "value",
    "raises": "raises",
    "warns": "warns",
    "holds": "holds",
}
METHODS = frozenset(METHOD.values())


@dataclass(frozen=True, slots=True)
class UseOf:
    """`criterion("C1").close(…)`: the ids it may name, none where that is computed; the method; where it stands."""

    ids: tuple[str, ...]
    method: str
    where: str


@dataclass(frozen=True, slots=True)
class Carrier:
    """A test: the scenarios it carries, the criteria it uses, and the words from which it may compute others' ids."""

    name: str
    where: str
    scenarios: tuple[str, ...]
    uses: tuple[UseOf, ...]
    words: frozenset[str] = frozenset()


def by_tests(spec: TestSpec) -> list[Criterion]:
    """The criteria that tests decide."""
    return [row for row in spec.criteria if row.decided_by in ("test", "timing")]


def check_bookkeeping(carriers: Sequence[Carrier], spec: TestSpec, folder: str) -> list[Finding]:
    """Unknown ids, unused criteria, uncarried scenarios, criteria outside of their scenarios, wrong methods."""
    findings: list[Finding] = []
    criteria = {row.id: row for row in spec.criteria}
    scenarios = {row.id for row in spec.scenarios}
    used: set[str] = set()
    for carrier in carriers:
        for name in carrier.scenarios:
            if name not in scenarios:
                message = (
                    f'The test {carrier.name} carries the scenario "{name}", which the specification does not have.'
                )
                findings.append(found("unknown-scenario", f"{carrier.name}:{name}", message, carrier.where))
        for use in carrier.uses:
            used |= set(use.ids) or set(carrier.words)
            for name in use.ids:
                findings += _use(carrier, use, name, criteria.get(name), exact=len(use.ids) == 1)
    carried = {name for carrier in carriers for name in carrier.scenarios}
    for row in spec.scenarios:
        if row.id not in carried:
            message = f"No test carries the scenario {row.id} ({row.behaviour})."
            findings.append(found("scenario-without-test", row.id, message, folder))
    for criterion in by_tests(spec):
        if criterion.id not in used:
            message = f"No test uses the criterion {criterion.id} ({criterion.quantity})."
            findings.append(found("criterion-without-test", criterion.id, message, folder))
    return findings


def _use(carrier: Carrier, use: UseOf, name: str, criterion: Criterion | None, *, exact: bool) -> list[Finding]:
    about = f"{carrier.name}:{name}"
    if criterion is None:
        message = f'The test {carrier.name} uses the criterion "{name}", which the specification does not have.'
        return [found("unknown-criterion", about, message, use.where)]
    findings: list[Finding] = []
    if criterion.decided_by == "check":
        message = f"The criterion {name} is decided by the check {criterion.check}, not by a test."
        findings.append(found("not-decided-by-a-test", about, message, use.where))
    elif exact and not set(criterion.scenarios) & set(carrier.scenarios):
        carries = f"carries {', '.join(carrier.scenarios)}" if carrier.scenarios else "carries no scenario"
        message = f"The criterion {name} belongs to {', '.join(criterion.scenarios)}, but {carrier.name} {carries}."
        findings.append(found("criterion-outside-its-scenario", about, message, use.where))
    fitting = METHOD[criterion.rule]
    if use.method != fitting and (exact or use.method not in METHODS):
        message = (
            f'The criterion {name} has the rule "{criterion.rule}" and is answered by .{fitting}(…), not .{use.method}.'
        )
        findings.append(found("wrong-method", f"{about}:{use.method}", message, use.where))
    return findings


@dataclass(frozen=True, slots=True)
class SeedsOf:
    """Of one test: whether it draws at all, and by scenario what is wrong where it does not draw with its seed.

    `drawn_before`: it reads what was drawn when its module was loaded.
    """

    scenarios: tuple[str, ...]
    draws: bool
    not_used: Mapping[str, Finding]
    drawn_before: bool = False


def seeds_not_used(tests: Sequence[SeedsOf]) -> list[Finding]:
    """A test that draws nothing may belong to a scenario with a seed, if another test of it draws with that seed."""
    drawing = [test for test in tests if test.draws or test.drawn_before]
    used = {name for test in drawing for name in test.scenarios if name not in test.not_used}
    return [found_ for test in tests for name, found_ in test.not_used.items() if test.draws or name not in used]

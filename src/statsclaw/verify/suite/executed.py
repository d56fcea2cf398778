"""What a suite did when it ran: on the package, and on a package of meaningless values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.contract import TEST_SPEC
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.suite.bookkeeping import by_tests
from statsclaw.verify.suite.found import found

_EXECUTED = ("passed", "failed")
#: A stated size so many times larger than anything compared excuses a tolerance that means nothing.
_FAR_OFF = 1000.0
#: A larger absolute tolerance is no rounding of numbers of the size 1, whatever else a test may go on to compare.
_COARSE = 1e-6
#: As the judge's files say that a pair holds what is no finite number; the stand-in returns none.
_NOT_FINITE = " against "


def check_execution(spec: TestSpec, run: CommandExecuted) -> list[Finding]:
    """Every scenario was tried, every criterion was observed, nothing was skipped without a reason."""
    findings = [row for test in run.tests for row in _one_test(test, spec)]
    if not run.tests:
        message = f"No test was executed ({run.summary})."
        return [found("nothing-executed", run.name, message, run.name)]
    tried = {name for test in run.tests if test.outcome in _EXECUTED for name in test.scenarios}
    for scenario in spec.scenarios:
        skipped = any(test.outcome == "skipped" and scenario.id in test.scenarios for test in run.tests)
        if scenario.id not in tried and not (skipped and scenario.may_skip.strip()):
            message = f"No executed test carries the scenario {scenario.id} ({scenario.behaviour})."
            findings.append(found("scenario-not-executed", scenario.id, message, run.name))
    observed = {row.criterion for row in run.observations}
    reasons = {row.id: row.may_skip.strip() for row in spec.scenarios}
    for criterion in by_tests(spec):
        if criterion.id in observed:
            continue
        if all(reasons.get(name) and name not in tried for name in criterion.scenarios):
            continue
        own = [test for test in run.tests if set(test.scenarios) & set(criterion.scenarios)]
        broken = any(test.outcome in ("failed", "error") for test in own)
        why = ": a test failed before it came to that" if broken else ""
        message = f"No executed test observed the criterion {criterion.id} ({criterion.quantity}){why}."
        severity: Severity = "warning" if broken else "error"
        findings.append(found("criterion-not-observed", criterion.id, message, run.name, severity))
    return findings


def _one_test(test: CaseOutcome, spec: TestSpec) -> list[Finding]:
    reasons = {row.id: row.may_skip.strip() for row in spec.scenarios}
    unknown = [name for name in test.scenarios if name not in reasons]
    findings = []
    if unknown:
        message = f'{test.name} carries the scenario "{unknown[0]}", which the specification does not have.'
        findings.append(found("unknown-scenario", f"{test.name}:{unknown[0]}", message, test.name))
    if test.outcome == "skipped" and not (test.scenarios and all(reasons.get(name) for name in test.scenarios)):
        message = f"{test.name} was skipped ({test.error or 'no reason'}); the specification gives no reason for that."
        findings.append(found("skipped-without-reason", test.name, message, test.name))
    if test.outcome == "error" and test.raised_by != "package":
        message = f"{test.name} could not be collected or set up: {test.error or 'no message'}."
        findings.append(found("not-collected", test.name, message, test.name))
    return findings


def check_against_null(spec: TestSpec, run: CommandExecuted, judgements: Sequence[Judgement]) -> list[Finding]:
    """What is about numbers must fail on a package whose numbers mean nothing."""
    about_values = {row.id for row in by_tests(spec) if row.kind == "value"}
    findings = []
    for row in judgements:
        if row.id in about_values and row.verdict == "PASS":
            message = f"{row.id} passes on a package of meaningless values: its tests cannot fail."
            findings.append(found("passes-on-null", row.id, message, row.where or run.name))
    for test in run.tests:
        own = [row for row in by_tests(spec) if set(row.scenarios) & set(test.scenarios)]
        if test.outcome == "passed" and own and all(row.id in about_values for row in own):
            names = ", ".join(row.id for row in own)
            message = f"The test {test.name} passes on a package of meaningless values, though it is to decide {names}."
            findings.append(found("test-passes-on-null", test.name, message, test.name))
    return [*findings, *(row for criterion in by_tests(spec) for row in _sizes(criterion, run))]


def _sizes(criterion: Criterion, run: CommandExecuted) -> Iterator[Finding]:
    """What was expected against the size that is stated. A test ends at its first miss, so not all of it is seen."""
    own = [row for row in run.observations if row.criterion == criterion.id and row.rule == "close"]
    compared = [row for row in own if row.expected is not None or _NOT_FINITE in row.said]
    tolerance, scale = criterion.tolerance, criterion.scale
    if tolerance is None or scale is None or not compared:
        return
    largest = max(abs(row.expected or 0.0) for row in compared)
    exact_at_zero = tolerance.relative > 0 and tolerance.absolute == 0
    if largest == 0.0 and exact_at_zero:
        message = (
            f"Everything that {criterion.id} is compared with is 0 or no number, where its scale is {scale:g}: "
            "inputs of which every formula is right show nothing."
        )
        yield found("compared-with-nothing", criterion.id, message, compared[0].test)
    elif 0.0 < largest < scale / _FAR_OFF and tolerance.absolute > max(_COARSE, largest / _FAR_OFF):
        message = (
            f"{criterion.id} states a scale of {scale:g}, and nothing that it is compared with exceeds {largest:.3g}: "
            f"the absolute tolerance {tolerance.absolute:g} is not small beside that."
        )
        yield found("scale-far-off", criterion.id, message, TEST_SPEC, route_to="planner")

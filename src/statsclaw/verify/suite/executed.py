"""What a suite did when it ran: on the package, and on a package of meaningless values."""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.suite.bookkeeping import by_tests
from statsclaw.verify.suite.found import found

_EXECUTED = ("passed", "failed")


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
    return findings

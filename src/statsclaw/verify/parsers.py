"""From what a command left behind to typed results. A report that cannot be read is a failure, never a pass."""

from __future__ import annotations

import json
import math
import os
import re
import stat
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from statsclaw.runlog.events import CaseOutcome, Criterion

_LARGEST_REPORT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Parsed:
    passed: bool
    summary: str
    tests: tuple[CaseOutcome, ...] = ()
    criteria: tuple[Criterion, ...] = ()


def by_exit_code(report: Path, exit_code: int) -> Parsed:
    return Parsed(exit_code == 0, "ok" if exit_code == 0 else f"exit status {exit_code}")


def junit(report: Path, exit_code: int) -> Parsed:
    """JUnit XML, as pytest and testthat write it. No test executed is not a pass."""
    text = _read(report)
    if text is None or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return Parsed(False, f"no readable test report (exit status {exit_code})")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return Parsed(False, f"the test report is not XML (exit status {exit_code})")
    tests = tuple(_outcome(case) for case in root.iter("testcase"))
    count = {kind: sum(test.outcome == kind for test in tests) for kind in ("passed", "failed", "error", "skipped")}
    summary = ", ".join(f"{number} {kind}" for kind, number in count.items() if number) or "no tests"
    bad = count["failed"] + count["error"]
    if not bad and exit_code != 0:
        summary += f", exit status {exit_code}"
    return Parsed(exit_code == 0 and not bad and count["passed"] > 0, summary, tests)


def _outcome(case: ElementTree.Element) -> CaseOutcome:
    name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
    for kind, outcome in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
        found = case.find(kind)
        if found is not None:
            message = found.get("message") or found.text or found.get("type") or ""
            first = message.strip().splitlines()[0][:300] if message.strip() else kind
            return CaseOutcome(name=name, outcome=outcome, error=first)
    return CaseOutcome(name=name, outcome="passed")


def rcheck(report: Path, exit_code: int) -> Parsed:
    """The status line of R CMD check's own log: errors and warnings fail, notes are shown."""
    text = _read(report)
    status = re.findall(r"^Status: (.*)$", text or "", re.MULTILINE)
    if len(status) != 1:
        return Parsed(False, f"R CMD check did not finish (exit status {exit_code})")
    count = dict.fromkeys(("ERROR", "WARNING", "NOTE"), 0)
    for number, kind in re.findall(r"(\d+) (ERROR|WARNING|NOTE)", status[0]):
        count[kind] = int(number)
    summary = f"{count['ERROR']} errors, {count['WARNING']} warnings, {count['NOTE']} notes"
    clean = status[0] == "OK" or (count["NOTE"] > 0 and not count["ERROR"] and not count["WARNING"])
    return Parsed(exit_code == 0 and clean, summary)


def study(report: Path, exit_code: int) -> Parsed:
    """A study's JSON: the engine, not the study, compares each value with its bounds."""
    if exit_code != 0:
        return Parsed(False, f"the study did not run (exit status {exit_code})")
    try:
        found = json.loads(_read(report) or "")
        criteria = tuple(Criterion.model_validate(row) for row in found["criteria"])
        replications, failures = int(found["replications"]), int(found["failures"])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return Parsed(False, "the study left no readable results")
    if not criteria or len({row.id for row in criteria}) != len(criteria):
        return Parsed(False, "the study names no criteria, or one twice")
    if any(not math.isfinite(row.value) or (row.low is None and row.high is None) for row in criteria):
        return Parsed(False, "a criterion of the study has no finite value or no bound")
    met = sum(row.met for row in criteria)
    summary = f"{met} of {len(criteria)} criteria met, {replications} replications, {failures} failed"
    return Parsed(met == len(criteria), summary, criteria=criteria)


PARSERS: dict[str, Callable[[Path, int], Parsed]] = {
    "exit": by_exit_code,
    "junit": junit,
    "rcheck": rcheck,
    "study": study,
}


def _read(report: Path) -> str | None:
    """A plain file of bounded size: no link, no pipe that would block."""
    try:
        fd = os.open(report, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST_REPORT:
            return None
        with os.fdopen(os.dup(fd), "rb") as file:
            return file.read(_LARGEST_REPORT).decode("utf-8", "replace")
    finally:
        os.close(fd)

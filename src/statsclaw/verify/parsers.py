"""From what a command left behind to typed results. A report that cannot be read is a failure, never a pass."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from statsclaw.runlog.events import CaseOutcome, Criterion, Observation
from statsclaw.sandbox.left_behind import read_left_behind
from statsclaw.verify.deviation import deviation

_LARGEST_REPORT = 32 * 1024 * 1024
_LONGEST_FAILURE = 20_000
_LONGEST_ERROR = 300
_MOST_REMARKED = 12  # lines of one check of R CMD check
_MOST_SAID = 40
_SHORTENED = 400  # the R profile ends a message at 500 characters, escaped ones included


@dataclass(frozen=True, slots=True)
class Parsed:
    passed: bool
    summary: str
    tests: tuple[CaseOutcome, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    observations: tuple[Observation, ...] = ()
    records: bytes = b""
    #: What a person should read first.
    said: tuple[str, ...] = ()


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


#: testthat has no marks: scenarios stand before a colon in the name of a test.
_SCENARIOS = re.compile(r"((?:[A-Za-z][\w.-]{0,59})(?:, ?[A-Za-z][\w.-]{0,59}){0,20})\s?:(?!:)")


def _outcome(case: ElementTree.Element) -> CaseOutcome:
    marked = tuple(p.get("value", "")[:60] for p in case.iter("property") if p.get("name") == "scenario")
    named = _SCENARIOS.match(case.get("name", "")[:1000])
    scenarios = marked or (tuple(part.strip() for part in named[1].split(",")) if named else ())
    return _result_of(case).model_copy(update={"scenarios": scenarios})


def _result_of(case: ElementTree.Element) -> CaseOutcome:
    name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
    for kind, outcome in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
        found = case.find(kind)
        if found is None:
            continue
        message = found.get("message") or found.text or found.get("type") or ""
        first = message.strip().splitlines()[0][:_LONGEST_ERROR] if message.strip() else kind
        if outcome == "skipped":
            return CaseOutcome(name=name, outcome=outcome, error=first)
        failure = Failure.read(found.get("message") or "", found.text or "")
        raised = failure.raised()
        return CaseOutcome(
            name=name,
            outcome=outcome,
            error=first,
            deviation=deviation(failure.said, failure.statement) if raised.by != "package" else None,
            raised_by=raised.by,
            error_class=raised.error_class,
            own_message=raised.own_message,
        )
    return CaseOutcome(name=name, outcome="passed")


# --- where an exception comes from ---------------------------------------------------------------------------------

#: pytest ends the last entry of a traceback with "path:line: Class", and others with "path:line: " or "…: in function".
_FRAME = re.compile(r"([^\s:][^:\n]{0,500}):\d{1,9}:(?: (.{0,200}))?")
_NATIVE_FRAME = re.compile(r' +File "([^"\n]{1,500})", line \d+')
_CLASS = re.compile(r"((?:[A-Za-z_]\w*\.){0,10}[A-Za-z_]\w{0,99})(?:: ?(.*))?")
_R_ERROR = re.compile(r"(?:<([\w.]{1,100})/[\w./]{0,200}>\s*)?Error(?: in `[^`]{0,300}`)?: ?(.*)")
_IN_PACKAGE = re.compile(r"(?:\.\./){1,8}site/|/(?:(?!validation/|tests/)[^/]+/){0,40}?verify/site/")
_IN_SUITE = re.compile(r"(?!\.\./|/)|/(?:[^/]+/){0,40}?verify/(?:validation|simulation)/")


@dataclass(frozen=True, slots=True)
class Raised:
    """The class of an exception, and who raised it. The message is kept only if the package itself said it."""

    by: Literal["package", "suite", ""] = ""
    error_class: str = ""
    own_message: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The text of one failed case: frames of the traceback, the suite's statement that failed, and what was said."""

    message: str
    frames: tuple[tuple[str, str], ...]
    statement: str
    said: str

    @classmethod
    def read(cls, message: str, body: str) -> Failure:
        """`message` and text of a JUnit failure. pytest marks lines of a message with E and the statement with >."""
        lines = [line.rstrip() for line in body[-_LONGEST_FAILURE:].split("\n")]
        marked = {number for number, line in enumerate(lines) if line == "E" or line.startswith("E   ")}
        frames: list[tuple[str, str]] = []
        shown: list[str] = []
        statement = ""
        for number, line in enumerate(lines):
            if frame := _FRAME.fullmatch(line):
                frames.append((frame[1], frame[2] or ""))
                statement = " ".join(shown) if shown and _IN_SUITE.match(frame[1]) else statement
                shown = []
            elif line.startswith(">"):
                shown = [line[1:].strip()]
            elif shown and number not in marked and line.strip(" ^"):
                shown.append(line.strip())
        if not marked:
            cut = f"{message} ..." if len(message) >= _SHORTENED else message
            return cls(message, tuple(frames), "", body if len(body.strip()) > len(cut) else cut)
        start = max(number for number in marked if number - 1 not in marked)
        block = [line[1:] for line in lines[start : max(marked) + 1]]
        indent = len(block[0]) - len(block[0].lstrip())
        return cls(message, tuple(frames), statement[:2000], "\n".join(line[indent:] for line in block))

    def raised(self) -> Raised:
        name, text = _class_and_text(self.message if "collection failure" not in self.message else self.said)
        if not self.frames:
            return Raised("", name)
        path, what = self.frames[-1]
        if what and not what.startswith("in ") and what.rpartition(".")[2] != name:
            return Raised("", name)  # the text of a message, not a traceback
        if _IN_PACKAGE.match(path):
            return Raised("package", name, text)
        return Raised("suite" if _IN_SUITE.match(path) else "", name)


def raised_in(output: str) -> Raised:
    """The same of a program that ended with a traceback, or with R's Error."""
    lines = output[-_LONGEST_FAILURE:].split("\n")
    frames = [(number, frame[1]) for number, line in enumerate(lines) if (frame := _NATIVE_FRAME.match(line))]
    if not frames:
        r_error = any(re.match(r"Error(?: in .*)?(?: :|:)", line) for line in lines)
        return Raised("", "error" if r_error else "")
    number, path = frames[-1]
    after = next((line for line in lines[number + 1 :] if line and not line.startswith(" ")), "")
    name, text = _class_and_text(after)
    if _IN_PACKAGE.match(path):
        return Raised("package", name, text)
    return Raised("suite" if _IN_SUITE.match(path) else "", name)


def _class_and_text(message: str) -> tuple[str, str]:
    """`ValueError: no rows` taken apart; an assertion without a class is an AssertionError."""
    setup = re.match(r'failed on (?:setup|teardown) with "', message)
    first = (message[setup.end() :].removesuffix('"') if setup else message).strip().split("\n")[0][:2000]
    if first.startswith("assert "):
        return "AssertionError", ""
    if in_r := _R_ERROR.fullmatch(first):
        return in_r[1] or "error", in_r[2].strip()[:_LONGEST_ERROR]
    found = _CLASS.fullmatch(first)
    if not found:
        return "", ""
    return found[1].rpartition(".")[2], (found[2] or "").strip()[:_LONGEST_ERROR]


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
    if left_out := re.findall(r"^Vignettes not built without: (.*)$", text or "", re.MULTILINE):
        summary += f"; vignettes not built, this machine lacks {left_out[-1][:200]}"
    if re.search(r"^Vignettes do not run$", text or "", re.MULTILINE):
        summary += "; the code of a vignette fails"
    clean = status[0] == "OK" or (count["NOTE"] > 0 and not count["ERROR"] and not count["WARNING"])
    return Parsed(exit_code == 0 and clean, summary, said=_remarks(text or ""))


_CHECK = re.compile(r"checking (.*?)\s*\.\.\.(?: \[[^\]]*\])?(.*)")
_RESULT = re.compile(r"\s*(?:\[[^\]]*\] )?(ERROR|WARNING|NOTE)\s*")


def _remarks(log: str) -> tuple[str, ...]:
    """Of every check that did not end with OK: which it is, and what it says; errors first."""
    found: list[tuple[int, list[str]]] = []
    for block in re.split(r"^\* ", log, flags=re.MULTILINE)[1:]:
        head, *rest = block.split("\n")
        about = _CHECK.match(head)
        results = [
            (at, said[1])
            for at, line in enumerate([about[2] if about else "", *rest])
            if (said := _RESULT.fullmatch(line))
        ]
        if about is None or not results:
            continue
        at, kind = results[-1]
        lines = [line.strip()[:_LONGEST_ERROR] for line in rest[at:] if line.strip() and not line.startswith("Status:")]
        cut = [f"… {len(lines) - _MOST_REMARKED} more lines"] if len(lines) > _MOST_REMARKED else []
        shown = [f"{kind}: {about[1]}", *(f"  {line}" for line in lines[:_MOST_REMARKED] + cut)]
        found.append((("ERROR", "WARNING", "NOTE").index(kind), shown))
    return tuple(line for _, lines in sorted(found, key=lambda row: row[0]) for line in lines)[:_MOST_SAID]


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
    data = read_left_behind(report, _LARGEST_REPORT)
    return None if data is None else data.decode("utf-8", "replace")

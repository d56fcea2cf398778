"""Every check of a testthat suite before it judges anyone: read, never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.suite.bookkeeping import METHODS, Carrier, SeedsOf, UseOf, check_bookkeeping, seeds_not_used
from statsclaw.verify.suite.found import found, once
from statsclaw.verify.suite.names import python_names, r_names
from statsclaw.verify.suite.r_code import Call, Code, RSuite, RTest, text_at
from statsclaw.verify.suite.r_reading import read_r
from statsclaw.verify.suite.r_rules import (
    changed_seeds,
    comparisons,
    draws,
    loose_tolerances,
    missing_assertions,
    randomness,
    skips,
    swallowed,
    wide_exceptions,
)
from statsclaw.verify.suite.r_values import uses_of

_MOST_TESTS = 1000
_MOST_WORK = 300_000
_OF_A_TEST = (missing_assertions, swallowed, skips, loose_tolerances, wide_exceptions, comparisons, randomness)


def check_r_suite(
    files: Mapping[str, str], spec: TestSpec, *, package: str = "", whole: frozenset[str] = frozenset()
) -> list[Finding]:
    """`files`: path to text. Functions of the package are known by the specification or by `package::`.

    `whole`: parts of its results that are whole numbers.
    """
    suite, findings = read_r(files, spec, package, whole)
    tests = list(suite.tests())
    work = sum(span.end - span.start for test in tests[:_MOST_TESTS] for _, span in test.reach)
    if len(tests) > _MOST_TESTS or work > _MOST_WORK:
        message = "The suite is too large or its functions call each other too much to be read."
        return [*findings, found("unreadable", "suite", message, f"{min(files, default='tests')}:1")]
    for test in tests:
        for check in _OF_A_TEST:
            findings += check(test)
        if not test.scenarios and test.name == "a test without a name":
            message = "The name of a test must be written out as text, with its scenarios before a colon."
            findings.append(found("scenario-not-written-out", test.call.where, message, test.call.where))
    findings += seeds_not_used([SeedsOf(tuple(test.scenarios), draws(test), changed_seeds(test)) for test in tests])
    for code in suite.codes:
        findings += tampering(code, suite)
    folder = next((str(PurePosixPath(name).parent) for name in sorted(files)), "tests")
    findings += check_bookkeeping([_carrier(test) for test in tests], spec, folder)
    return once(findings)


def _carrier(test: RTest) -> Carrier:
    uses = tuple(UseOf(use.ids, use.method, use.call.where) for use in uses_of(test))
    words = {row.text for code, span in test.reach for row in code.tokens[span.start : span.end] if row.kind == "text"}
    return Carrier(test.name, test.call.where, test.scenarios, uses, frozenset(words))


def tampering(code: Code, suite: RSuite) -> Iterator[Finding]:
    """Replaced functions, an ended process, code that cannot be read, the engine's files."""
    for at, rule, message in (*_in_calls(code, suite), *_in_names(code), *_in_texts(code)):
        where = f"{code.file}:{code.tokens[at].line}"
        yield found(rule, f"{code.file}:{message[:80]}", message, where)


def _in_calls(code: Code, suite: RSuite) -> Iterator[tuple[int, str, str]]:
    for call in code.calls:
        if call.receiver >= 0 or suite.function(call.name) is not None:
            continue
        if call.name in r_names("replacing") or call.package in r_names("mocking_packages"):
            yield (
                call.at,
                "replaced",
                f"The suite uses {call.name}, which replaces what it judges with or what it judges.",
            )
        elif call.name in r_names("ending"):
            yield (
                call.at,
                "ends-the-process",
                f"The suite uses {call.name}, which ends or changes the report of its run.",
            )
        elif call.name == "invokeRestart" and not _only_quietens(call):
            yield (
                call.at,
                "ends-the-process",
                "The suite uses a restart that can let a failed expectation go unreported.",
            )
        elif call.name in r_names("unreadable") and not _names_a_file_of_the_suite(call, suite):
            yield call.at, "unreadable-code", f"The suite uses {call.name}, so that what it does cannot be read."
        elif call.name in r_names("behind"):
            yield call.at, "reaches-behind", f"The suite uses {call.name}, with which it can change what judges it."
        elif call.name == "assign" and (span := call.argument(0, "x")) is not None:
            first = code.tokens[span.start]
            known = first.kind == "text" and not _has_a_meaning(first.text)
            if not known or "envir" in call.named or "pos" in call.named:
                yield call.at, "replaced", "The suite uses assign, which can give a name another meaning elsewhere."


def _names_a_file_of_the_suite(call: Call, suite: RSuite) -> bool:
    """`source("helper.R")` of a file that is read here as well."""
    names = {PurePosixPath(row.file).name for row in suite.codes}
    rows = [row for span in call.positional for row in call.code.tokens[span.start : span.end] if row.kind == "text"]
    return call.name == "source" and bool(rows) and all(PurePosixPath(row.text).name in names for row in rows)


def _only_quietens(call: Call) -> bool:
    return text_at(call.code, call.argument(0, "r")) in r_names("quiet_restarts")


def _has_a_meaning(name: str) -> bool:
    return name in r_names("meanings") or name.startswith("expect_")


def _in_names(code: Code) -> Iterator[tuple[int, str, str]]:
    for name, rows in code.values.items():
        functions = [row.start for row in rows if code.tokens[row.start].text in ("function", "\\")]
        if name == "criterion":
            message = "The suite gives `criterion` another meaning; it comes from the engine."
            yield rows[0].start, "criterion-redefined", message
        elif _is_testthat(name) and functions:
            yield functions[0], "replaced", f"The suite gives `{name[:60]}` another meaning."
    for at, token in enumerate(code.tokens[:-3]):
        if token.kind == "name" and token.text == "criterion" and not _asks(code, at):
            yield at, "criterion-misused", "`criterion` is used otherwise than by asking one of its five questions."
        if token.text == ":::" and code.tokens[at - 1].text == "testthat":
            yield at, "inner-parts", "The suite uses inner parts of testthat, which runs and reports it."
        if token.text in ("library", "require", "requireNamespace") and code.tokens[at + 2].text in r_names(
            "mocking_packages"
        ):
            yield at, "replaced", f"The suite uses {code.tokens[at + 2].text}, which replaces functions."


def _is_testthat(name: str) -> bool:
    """A function of one's own may be called expect_close; those of testthat must stay what they are."""
    return name in r_names("testthat") or name in r_names("meanings")


def _asks(code: Code, at: int) -> bool:
    """criterion("C1")$close(…), criterion handed to a function, or `c <- criterion("C1")`."""
    following = code.tokens[at + 1]
    if following.text in (",", ")", "<-", "=", "\n") or following.kind == "newline":
        return True
    if following.text != "(":
        return False
    end = code.partner[at + 1] + 1
    if end + 1 >= len(code.tokens) or code.tokens[end].text != "$":
        return end >= len(code.tokens) or code.tokens[end].text not in ("[", "@")
    return code.tokens[end + 1].text in METHODS


def _in_texts(code: Code) -> Iterator[tuple[int, str, str]]:
    for at, token in enumerate(code.tokens):
        if token.kind != "text":
            continue
        if "criteria.json" in token.text:
            yield at, "criteria-file", "The suite reads the frozen criteria, which the engine applies."
        start = token.text.find("STATSCLAW_")
        if start >= 0 and token.text[start:].strip() not in python_names("allowed_variables"):
            yield (
                at,
                "engine-variable",
                f"The suite uses {token.text[start : start + 40]}, which belongs to the engine.",
            )
    for call in code.calls:
        if call.name == "Sys.getenv" and not call.positional and not call.named:
            yield (
                call.at,
                "environment",
                "The suite goes through all environment variables; name the one that is needed.",
            )

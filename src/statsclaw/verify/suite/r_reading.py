"""From the text of a testthat suite to its syntax; what cannot be read is an error with file and line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.suite.found import found
from statsclaw.verify.suite.r_code import Code, RSuite, Span
from statsclaw.verify.suite.r_tokens import Unreadable, partners, tokens_of

_MOST_FILES = 300
_ASSIGNS = ("<-", "<<-", "=")


def read_r(
    files: Mapping[str, str], spec: TestSpec, package: str = "", whole: frozenset[str] = frozenset()
) -> tuple[RSuite, list[Finding]]:
    codes: list[Code] = []
    findings: list[Finding] = []
    for name in sorted(name for name in files if name.lower().endswith(".r"))[:_MOST_FILES]:
        try:
            tokens = tokens_of(files[name])
            code = Code(name, tokens, partners(tokens))
            _assignments(code)
            codes.append(code)
        except Unreadable as error:
            message = f"The file cannot be read as R: {error.reason}."
            findings.append(found("unreadable", name, message, f"{name}:{error.line}"))
    return RSuite(codes, spec, package, whole), findings


def _assignments(code: Code) -> None:
    inside = [
        Span(at, code.partner[at]) for at, row in enumerate(code.tokens) if row.text == "(" and row.kind == "open"
    ]
    arguments = {at for span in inside for at in _top_level(code, span)}
    for at, token in enumerate(code.tokens[:-2]):
        following = code.tokens[at + 1]
        if token.kind not in ("name", "text") or following.kind != "op" or following.text not in _ASSIGNS:
            continue
        if following.text == "=" and at in arguments:
            continue  # the name of an argument
        value = code.statement(at + 2)
        code.values.setdefault(token.text, []).append(value)
        if code.tokens[at + 2].text in ("function", "\\"):
            code.functions[token.text] = value


def _top_level(code: Code, span: Span) -> Iterator[int]:
    at = span.start + 1
    while at < span.end:
        if code.tokens[at].kind == "open":
            at = code.partner[at]
        else:
            yield at
        at += 1

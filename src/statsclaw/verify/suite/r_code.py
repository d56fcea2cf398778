"""A testthat suite as syntax: calls with their arguments, functions, tests, and what a test reaches."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.suite.names import r_names
from statsclaw.verify.suite.r_tokens import Token

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
_KEYWORDS = {"if", "for", "while", "function", "return", "repeat", "else", "in"}
_CONTINUES = {",", ";"}


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens of a file, from `start` up to but not including `end`."""

    start: int
    end: int

    def __contains__(self, at: int) -> bool:
        return self.start <= at < self.end


@dataclass(frozen=True, eq=False)
class Call:
    """`package::name(…)`; `receiver` is where the expression before `$` ends, -1 where there is none."""

    code: Code
    name: str
    package: str
    at: int
    end: int
    positional: tuple[Span, ...]
    named: Mapping[str, Span]
    receiver: int

    @property
    def where(self) -> str:
        return f"{self.code.file}:{self.code.tokens[self.at].line}"

    def argument(self, position: int, *names: str) -> Span | None:
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.positional[position] if position < len(self.positional) else None


@dataclass(eq=False)
class Code:
    """One file."""

    file: str
    tokens: list[Token]
    partner: dict[int, int]
    functions: dict[str, Span] = field(default_factory=dict)
    values: dict[str, list[Span]] = field(default_factory=dict)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls())

    def _calls(self) -> Iterator[Call]:
        for at, token in enumerate(self.tokens[:-1]):
            opened = at + 1
            if token.kind not in ("name", "text") or self.tokens[opened].text != "(":
                continue
            if self.tokens[opened].kind == "open" and token.text not in _KEYWORDS:
                before = self.tokens[at - 1].text if at else ""
                package = self.tokens[at - 2].text if before in ("::", ":::") and at > 1 else ""
                positional, named = self._arguments(Span(opened + 1, self.partner[opened]))
                receiver = at - 2 if before in ("$", "@") and at > 1 else -1
                yield Call(self, token.text, package, at, self.partner[opened] + 1, positional, named, receiver)

    def _arguments(self, span: Span) -> tuple[tuple[Span, ...], dict[str, Span]]:
        positional: list[Span] = []
        named: dict[str, Span] = {}
        for part in self.split(span):
            words = [at for at in range(part.start, part.end) if self.tokens[at].kind != "newline"]
            if len(words) > 1 and self.tokens[words[1]].text == "=" and self.tokens[words[0]].kind in ("name", "text"):
                named[self.tokens[words[0]].text] = Span(words[1] + 1, part.end)
            elif words:
                positional.append(Span(words[0], part.end))
        return tuple(positional), named

    def split(self, span: Span) -> Iterator[Span]:
        """The parts between commas."""
        start = at = span.start
        while at < span.end:
            if self.tokens[at].kind == "open":
                at = self.partner[at]
            elif self.tokens[at].text == "," and self.tokens[at].kind == "op":
                yield Span(start, at)
                start = at + 1
            at += 1
        yield Span(start, span.end)

    def statement(self, start: int) -> Span:
        """From here to where the statement ends: a line end outside of parentheses, a comma, a closing bracket."""
        at, last = start, ""
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind == "close" or (token.kind == "op" and token.text in _CONTINUES):
                break
            if token.kind == "newline" and last not in ("", "op"):
                break
            if token.kind == "open":
                at = self.partner[at]
            if token.kind != "newline":
                last = "op" if token.kind == "op" else token.kind
                last = "op" if token.text in ("function", "else") else last
                if token.text == "(" and self.tokens[max(self.partner[at] - 1, 0)].text in (
                    "function",
                    "if",
                    "for",
                    "\\",
                ):
                    last = "op"
            at += 1
        return Span(start, at)

    def words(self, span: Span) -> tuple[str, ...]:
        """The span as comparable words."""
        return tuple(
            f"{token.kind[0]}{token.text}" for token in self.tokens[span.start : span.end] if token.kind != "newline"
        )

    @cached_property
    def _places(self) -> list[int]:
        return [call.at for call in self.calls]

    def within(self, span: Span) -> tuple[Call, ...]:
        return self.calls[bisect_left(self._places, span.start) : bisect_left(self._places, span.end)]

    @cached_property
    def inner(self) -> list[Span]:
        """Tests and bodies of functions: what is assigned there is not seen elsewhere."""
        rows = [Span(call.at, call.end) for call in self.calls if call.name in ("test_that", "it")]
        return rows + [Span(row.start + 1, row.end) for row in self.functions.values()]

    @cached_property
    def top_calls(self) -> tuple[Call, ...]:
        """Calls outside of tests and functions."""
        return tuple(call for call in self.calls if call.at not in self.covered)

    @cached_property
    def filled(self) -> frozenset[str]:
        """Names to whose value parts may be added, as in `out[i] <- …`."""
        return frozenset(a.text for a, b in pairwise(self.tokens) if a.kind == "name" and b.text in ("[", "$"))

    @cached_property
    def top_values(self) -> dict[str, list[Span]]:
        """What is assigned to names outside of tests and functions."""
        covered = self.covered
        return {name: [row for row in rows if row.start not in covered] for name, rows in self.values.items()}

    @cached_property
    def covered(self) -> frozenset[int]:
        return frozenset(at for span in self.inner for at in range(span.start, span.end))

    @cached_property
    def dead(self) -> list[Span]:
        """What follows `if (FALSE)`."""
        rows = []
        for at, token in enumerate(self.tokens[:-3]):
            if token.text == "if" and token.kind == "name" and self.words(Span(at + 1, at + 4)) in _NEVER:
                rows.append(self.statement(at + 4))
        return rows


_NEVER = {("o(", "nFALSE", "c)"), ("o(", "nF", "c)"), ("o(", "n0", "c)")}


@dataclass(frozen=True, eq=False)
class RTest:
    """`test_that("S1: words", { … })` with everything it reaches."""

    call: Call
    name: str
    scenarios: tuple[str, ...]
    spec: TestSpec
    suite: RSuite

    @cached_property
    def reach(self) -> tuple[tuple[Code, Span], ...]:
        body = self.call.argument(1, "code")
        return self.suite.reach(self.call.code, body) if body is not None else ()

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for code, span in self.reach for call in self.suite.live(code, span))

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        return tuple(row for row in self.spec.criteria if set(row.scenarios) & set(self.scenarios))

    @cached_property
    def behaviour(self) -> str:
        rows = [f"{row.behaviour} {row.inputs}" for row in self.spec.scenarios if row.id in self.scenarios]
        return " ".join([*rows, *(row.quantity for row in self.criteria)])


def _parts_made(tokens: Sequence[Token]) -> Iterator[str]:
    """Names under which a suite can put values of its own into a list."""
    for at, token in enumerate(tokens):
        after = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.kind == "text" or after in ("=", "<-", "<<-") or (at > 0 and tokens[at - 1].text in ("->", "->>")):
            yield token.text.strip("\"'`")


class RSuite:
    """All R files of a suite. `exported`: names by which the functions of the package may be called."""

    def __init__(
        self, codes: list[Code], spec: TestSpec, package: str = "", whole: frozenset[str] = frozenset()
    ) -> None:
        self.package = package
        self.whole = whole - {name for code in codes for name in _parts_made(code.tokens)}
        self.codes = codes
        self.spec = spec
        self._functions = {name: (code, span) for code in reversed(codes) for name, span in code.functions.items()}
        refs = [row.of for row in spec.criteria if row.of] + [ref for row in spec.scenarios for ref in row.exercises]
        self.exported = {".".join(ref.split(".")[:n]) for ref in refs for n in range(1, ref.count(".") + 2)}

    def function(self, name: str) -> tuple[Code, Span] | None:
        return self._functions.get(name)

    def reach(self, code: Code, span: Span) -> tuple[tuple[Code, Span], ...]:
        seen = {(code.file, span): (code, span)}
        queue = [(code, span)]
        while queue:
            here, part = queue.pop()
            for token in here.tokens[part.start : part.end]:
                other = self.function(token.text) if token.kind == "name" else None
                if other is not None and (other[0].file, other[1]) not in seen:
                    seen[other[0].file, other[1]] = other
                    queue.append(other)
        return tuple(seen.values())

    def live(self, code: Code, span: Span) -> Iterator[Call]:
        return (call for call in code.within(span) if not any(call.at in row for row in code.dead))

    def from_package(self, call: Call) -> bool:
        if call.package:
            return call.package == self.package or (not self.package and call.package not in r_names("known_packages"))
        return call.name in self.exported and self.function(call.name) is None

    def tests(self) -> Iterator[RTest]:
        for code in self.codes:
            for call in code.calls:
                if call.name in ("test_that", "it") and call.receiver < 0:
                    title = call.argument(0, "desc")
                    text = text_at(code, title)
                    yield RTest(call, text or "a test without a name", scenarios_in(text), self.spec, self)


def text_at(code: Code, span: Span | None) -> str:
    """A text that stands there and nothing else; empty otherwise."""
    rows = [row for row in code.tokens[span.start : span.end] if row.kind != "newline"] if span else []
    return rows[0].text if len(rows) == 1 and rows[0].kind == "text" else ""


def scenarios_in(title: str) -> tuple[str, ...]:
    """`S1, S2: words` carries S1 and S2."""
    start, colon, _ = title[:500].partition(":")
    rows = [part.strip() for part in start.split(",")]
    return tuple(rows) if colon and all(_ID.fullmatch(row) for row in rows) else ()

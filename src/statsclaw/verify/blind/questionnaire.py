"""What an author asks and claims, read strictly from the bytes that its code left behind."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from statsclaw.verify.blind.expressions import is_calculation, leaves_in, plain
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra

LARGEST = 256 * 2**20
_MOST_CALLS, _MOST_CLAIMS = 200_000, 200_000
_LONGEST_NAME = 200
_WHATS = ("call", "exports", "signature", "text")

#: What a claim is called, and the rules of criteria that it can decide ("*": all of them).
CLAIMS: Mapping[str, tuple[str, ...]] = {
    "close": ("close", "equals"),
    "same": ("holds", "equals"),
    "unchanged": ("same as base",),
    "value": ("at most", "at least", "between"),
    "raises": ("raises", "holds"),
    "warns": ("warns", "holds"),
    **dict.fromkeys(
        ("contains", "less", "between", "finite", "untouched", "repeatable", "silent", "returns"), ("holds",)
    ),
    "observe": ("*",),
    "dialogue": ("*",),
}
#: What belongs to a claim beside its criterion and place; whatever else is said of it would be looked at by nobody.
_PARTS: Mapping[str, frozenset[str]] = {
    "close": frozenset({"observed", "expected", "part"}),
    **dict.fromkeys(("same", "contains", "less", "between"), frozenset({"observed", "expected"})),
    **dict.fromkeys(("value", "finite"), frozenset({"observed"})),
    **dict.fromkeys(("raises", "warns"), frozenset({"call", "error", "message"})),
    **dict.fromkeys(("untouched", "repeatable", "silent", "returns", "unchanged"), frozenset({"call"})),
    "observe": frozenset({"function", "arguments"}),
    "dialogue": frozenset({"function", "arguments", "together"}),
}
#: Claims that are about a whole call.
ABOUT_CALLS = frozenset({"raises", "warns", "untouched", "repeatable", "silent", "returns", "unchanged"})


class Misread(Exception):
    """What an author's code left is no questionnaire; the message is one sentence for the author."""


@dataclass(frozen=True, slots=True)
class Call:
    """`again`: the author wants it asked a second time in a fresh process. `owner`: of a method, the element of the
    interface that it is called on. `at`: the file and line of the author's."""

    id: int
    scenario: str
    case: str
    what: str
    function: str
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]
    on: Extra | None = None
    seed: int | None = None
    again: bool = False
    owner: str = ""
    at: str = ""

    @property
    def element(self) -> str:
        """What is called, as specifications name it."""
        return f"{self.owner}.{self.function}" if self.owner else self.function

    def uses(self) -> Iterator[int]:
        """The earlier calls whose answers it is given."""
        yield from calls_in([*self.arguments, *self.named.values(), self.on])


@dataclass(frozen=True, slots=True)
class Claim:
    """`rule`: one of CLAIMS. `parts`: what belongs to it, with promises as nodes. `at`: the author's file and line."""

    criterion: str
    scenario: str
    case: str
    file: str
    rule: str
    parts: Mapping[str, Any]
    at: str = ""

    @property
    def name(self) -> str:
        """How audit and failure report call the place it stands in."""
        return f"{self.file.rpartition('/')[2].rpartition('.')[0]}::{self.case}"

    def uses(self) -> Iterator[int]:
        if self.rule in ABOUT_CALLS:
            yield self.parts["call"]
        yield from calls_in([self.parts.get(name) for name in ("observed", "expected", "arguments")])

    @property
    def kind(self) -> str:
        """How it is decided: blind, seeing or by a dialogue."""
        return {"observe": "seeing", "dialogue": "dialogue"}.get(self.rule, "blind")

    @property
    def manner(self) -> str:
        """More closely: plain answers against what is expected, or what is made of answers first."""
        if self.kind != "blind":
            return self.kind
        observed, expected = self.parts.get("observed"), self.parts.get("expected")
        if _several_meet(observed) or _several_meet(expected):
            return "calculation"
        if any(True for _ in leaves_in(expected)):
            return "relation"
        return "summary" if _is_reduced(observed) else "plain"


@dataclass(frozen=True)
class Questionnaire:
    """`sha256`: of the bytes, which the log keeps before anybody is asked."""

    calls: tuple[Call, ...]
    claims: tuple[Claim, ...]
    sha256: str = ""
    data: bytes = field(default=b"", repr=False)

    def chains(self) -> list[tuple[Call, ...]]:
        """Calls that are made in one process, in their order: those of one case, and what is given their answers."""
        root = list(range(len(self.calls)))

        def top(number: int) -> int:
            while root[number] != number:
                root[number] = root[root[number]]
                number = root[number]
            return number

        first: dict[tuple[str, str], int] = {}
        for call in self.calls:
            for other in (first.setdefault((call.scenario, call.case), call.id), *call.uses()):
                root[top(call.id)] = top(other)
        found: dict[int, list[Call]] = {}
        for call in self.calls:
            found.setdefault(top(call.id), []).append(call)
        return [tuple(rows) for rows in found.values()]


def calls_in(node: Any) -> Iterator[int]:
    """Numbers of the calls whose answers occur in a value. Raises TypeError where a node is not what one looks like."""
    if isinstance(node, Extra):
        if node.kind in _NODES and not _NODES[node.kind](node.value):
            raise TypeError(f"{node.kind} is not what it looks like")
        if node.kind in ("answer", "measured"):
            yield int(node.value["call"])
        else:
            yield from calls_in(node.value)
    elif isinstance(node, dict):
        for part in node.values():
            yield from calls_in(part)
    elif isinstance(node, list | tuple):
        for part in node:
            yield from calls_in(part)


#: What keeps every number of an answer, one for one.
_KEEPS = frozenset({"part", "transposed", "diag", "names", "length", "shape"})


def _is_reduced(node: Any) -> bool:
    if isinstance(node, Extra) and node.kind == "do":
        return node.value.get("name") not in _KEEPS or _is_reduced(node.value["of"])
    inner = node.value if isinstance(node, Extra) else node
    return isinstance(inner, list | tuple) and any(_is_reduced(part) for part in inner)


def _several_meet(node: Any) -> bool:
    if isinstance(node, Extra):
        if node.kind == "do":
            return len(set(leaves_in(node))) > 1
        return _several_meet(node.value)
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list | tuple) else ()
    return any(_several_meet(part) for part in parts)


def _holds_values(node: Any) -> bool:
    """Whether all that has a kind is what that kind looks like. Calculations may be nested deeply."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Extra):
            try:
                plain(part)
            except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError, MemoryError):
                return False
            part = part.value
        if isinstance(part, dict | list | tuple):
            waiting.extend(part.values() if isinstance(part, dict) else part)
    return True


_NODES: Mapping[str, Callable[[Any], bool]] = {
    "answer": lambda value: isinstance(value, dict) and isinstance(value.get("path"), list),
    "measured": lambda value: isinstance(value, dict) and value.get("what") in ("seconds", "peak"),
    "do": is_calculation,
}


def read_questionnaire(data: bytes) -> Questionnaire:
    """Raises Misread with what is wrong, the author's own trouble included."""
    found = read_frame(data, "the questions")
    if problem := found.get("problem"):
        raise Misread(_shown(problem))
    rows, claims = found.get("calls"), found.get("claims")
    if not isinstance(rows, list) or not isinstance(claims, list):
        raise Misread("the questions have no list of calls and claims")
    if len(rows) > _MOST_CALLS or len(claims) > _MOST_CLAIMS:
        raise Misread(f"more than {_MOST_CALLS:,} calls or claims")
    calls = read_calls(rows)
    made = tuple(_claim(row, calls) for row in claims)
    return Questionnaire(calls, made, hashlib.sha256(data).hexdigest(), data)


def read_frame(data: bytes, what: str) -> dict[str, Any]:
    try:
        found = wire.receive(io.BytesIO(data), LARGEST)
    except (ValueError, RecursionError, MemoryError) as error:
        raise Misread(f"{what} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise Misread(f"{what} came to nothing")
    return found


def read_calls(rows: Any) -> tuple[Call, ...]:
    if not isinstance(rows, list):
        raise Misread("there is no list of calls")
    calls: list[Call] = []
    for number, row in enumerate(rows):
        calls.append(_call(number, row, calls))
    return tuple(calls)


def _call(number: int, row: Any, earlier: Sequence[Call]) -> Call:
    if not isinstance(row, dict) or row.get("id") != number:
        raise Misread(f"call {number} is not what a call looks like")
    what, arguments, named = row.get("what", "call"), row.get("arguments"), row.get("named")
    on, seed = row.get("on"), row.get("seed")
    if what not in _WHATS or not isinstance(arguments, list) or not isinstance(named, dict):
        raise Misread(f"call {number} is not what a call looks like")
    if on is not None and not (isinstance(on, Extra) and on.kind == "answer"):
        raise Misread(f"call {number} is on something that is no answer")
    call = Call(
        number, _name(row, "scenario"), _name(row, "case"), what, _name(row, "function"), tuple(arguments), named,
        on, seed if isinstance(seed, int) else None, row.get("again") is True, at=_name(row, "at"),
    )  # fmt: skip
    try:
        before = all(0 <= other < number for other in call.uses()) and _holds_values([arguments, named])
    except (TypeError, KeyError, ValueError):
        before = False
    if not before:
        raise Misread(f"call {number} is given what is no value, or an answer that does not come before it")
    if on is None:
        return call
    return replace(call, owner=".".join([earlier[on.value["call"]].element, *map(str, on.value["path"])]))


def _claim(row: Any, calls: Sequence[Call]) -> Claim:
    if not isinstance(row, dict) or row.get("rule") not in CLAIMS:
        raise Misread("a claim is not what a claim looks like")
    own = ("criterion", "scenario", "case", "file", "at")
    parts = {name: part for name, part in row.items() if name not in (*own, "rule")}
    criterion, scenario, case, file, at = (_name(row, name) for name in own)
    claim = Claim(criterion, scenario, case, file, row["rule"], parts, at)
    if other := sorted(set(parts) - _PARTS[claim.rule]):
        raise Misread(f"{claim.criterion}: {claim.rule} has no part {other[0][:80]!r}")
    if not _holds_values(parts):
        raise Misread(f"{claim.criterion}: {claim.rule} holds what is no value")
    if claim.rule in ABOUT_CALLS and not isinstance(parts.get("call"), int):
        raise Misread(f"{claim.criterion}: {claim.rule} is about a call")
    if claim.kind != "blind" and not (str(parts.get("function", "")).isidentifier() or _r_name(parts)):
        raise Misread(f"{claim.criterion}: {claim.rule} names no function")
    if claim.kind != "blind" and not claim.file.endswith((".py", ".R")):
        raise Misread(f"{claim.criterion}: {claim.rule} names no file with questions")
    try:
        if any(not 0 <= other < len(calls) for other in claim.uses()):
            raise Misread(f"{claim.criterion} is about a call that was not made")
    except (TypeError, KeyError, ValueError):
        raise Misread(f"{claim.criterion} is about a call that was not made") from None
    return claim


def _r_name(parts: Mapping[str, Any]) -> bool:
    return isinstance(parts.get("function"), str) and parts["function"].replace(".", "_").isidentifier()


def _name(row: Mapping[str, Any], key: str) -> str:
    found = row.get(key, "")
    if not isinstance(found, str) or len(found) > _LONGEST_NAME or not found.isprintable():
        raise Misread(f"a {key} is no name of up to {_LONGEST_NAME} characters")
    return found


def _shown(value: object) -> str:
    text = " ".join(str(value).split())[:1000]
    return "".join(c if c.isprintable() else "�" for c in text)

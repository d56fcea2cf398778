"""What an author asks and claims, read strictly from the bytes that its code left behind."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra

LARGEST = 256 * 2**20
_MOST_CALLS, _MOST_CLAIMS = 200_000, 200_000
_LONGEST_NAME = 200
_WHATS = ("call", "exports", "signature", "text")

#: What a claim is called, and the rules of criteria that it can decide ("*": all of them).
CLAIMS: Mapping[str, tuple[str, ...]] = {
    "close": ("close",),
    "value": ("at most", "at least", "between"),
    "raises": ("raises", "holds"),
    "warns": ("warns", "holds"),
    **dict.fromkeys(
        ("same", "contains", "less", "between", "finite", "untouched", "repeatable", "silent", "returns"), ("holds",)
    ),
    "observe": ("*",),
    "dialogue": ("*",),
}
#: Claims that are about a whole call.
ABOUT_CALLS = frozenset({"raises", "warns", "untouched", "repeatable", "silent", "returns"})


class Misread(Exception):
    """What an author's code left is no questionnaire; the message is one sentence for the author."""


@dataclass(frozen=True, slots=True)
class Call:
    """`again`: the author wants it asked a second time in a fresh process."""

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

    def uses(self) -> Iterator[int]:
        """The earlier calls whose answers it is given."""
        yield from calls_in([*self.arguments, *self.named.values(), self.on])


@dataclass(frozen=True, slots=True)
class Claim:
    """`rule`: one of CLAIMS. `parts`: what belongs to it, with promises as nodes."""

    criterion: str
    scenario: str
    case: str
    file: str
    rule: str
    parts: Mapping[str, Any]

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


def _is_calculation(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("of"), list) and len(value["of"]) > 0


_NODES: Mapping[str, Callable[[Any], bool]] = {
    "answer": lambda value: isinstance(value, dict) and isinstance(value.get("path"), list),
    "measured": lambda value: isinstance(value, dict) and value.get("what") in ("seconds", "peak"),
    "do": _is_calculation,
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
    calls = tuple(read_call(number, row) for number, row in enumerate(rows))
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


def read_call(number: int, row: Any) -> Call:
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
        on, seed if isinstance(seed, int) else None, row.get("again") is True,
    )  # fmt: skip
    try:
        before = all(0 <= other < number for other in call.uses())
    except (TypeError, KeyError, ValueError):
        before = False
    if not before:
        raise Misread(f"call {number} is given an answer that does not come before it")
    return call


def _claim(row: Any, calls: Sequence[Call]) -> Claim:
    if not isinstance(row, dict) or row.get("rule") not in CLAIMS:
        raise Misread("a claim is not what a claim looks like")
    own = ("criterion", "scenario", "case", "file")
    parts = {name: part for name, part in row.items() if name not in (*own, "rule")}
    criterion, scenario, case, file = (_name(row, name) for name in own)
    claim = Claim(criterion, scenario, case, file, row["rule"], parts)
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

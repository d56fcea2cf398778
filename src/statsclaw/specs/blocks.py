"""Typed blocks in Markdown: fences such as ```yaml criteria, read with the line of everything in them.

Documents come from roles. Nothing here runs what it reads; size, depth and number of values are bounded; anchors,
tags and doubled keys are refused; what is wrong is said with file and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from statsclaw.words import one_line

Path = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)

_LARGEST_DOCUMENT = 2_000_000
_MOST_VALUES = 50_000
_DEEPEST = 24
_LONGEST_MESSAGE = 300
_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$")
_INTEGER = re.compile(r"[-+]?\d{1,18}")
_FLOAT = re.compile(r"[-+]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,4})?")
_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf|nan)(?:inity)?", re.IGNORECASE)
#: Where a value stands, for errors and for amendments: (first character, one after the last) in the document.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a document, and where."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Malformed(Exception):
    """A document cannot be read as what it should be."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(str(fault) for fault in faults[:5]))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Block:
    """One fence. `line` is the line of its first row of content, counted from 1; `start` its first character."""

    file: str
    language: str
    name: str
    line: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """What a block holds as plain data, with the line and the span of every part of it."""

    block: Block
    data: object
    lines: Mapping[Path, int] = field(default_factory=lambda: MappingProxyType({}))
    spans: Mapping[Path, Span] = field(default_factory=lambda: MappingProxyType({}))

    def line_of(self, path: Path) -> int:
        """The line of `path`, or of the nearest part around it."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, self.block.line)


def blocks_of(file: str, text: str) -> list[Block]:
    """Every fence whose info string has two words: a language and the name of the block."""
    if len(text) > _LARGEST_DOCUMENT:
        raise Malformed([Fault(file, 1, f"longer than {_LARGEST_DOCUMENT:,} characters")])
    text = text.replace("\r\n", "\n") if "\r\n" in text else text
    found: list[Block] = []
    opened: tuple[str, str, int, int] | None = None
    rows: list[str] = []
    position = 0
    for number, row in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(row[:200]) if len(row) < 200 else None
        if opened is None and mark:
            opened, rows = (mark[2], mark[3], number + 1, position + len(row) + 1), []
        elif opened is not None and mark and mark[2].startswith(opened[0]) and not mark[3]:
            words = opened[1].split()
            if len(words) == 2:
                found.append(Block(file, words[0].lower(), words[1].lower(), opened[2], opened[3], "\n".join(rows)))
            opened = None
        elif opened is not None:
            rows.append(row)
        position += len(row) + 1
    if opened is not None:
        raise Malformed([Fault(file, opened[2] - 1, "a fence is opened here and never closed")])
    return found


def the_block(file: str, text: str, language: str, name: str, *, needed: bool = True) -> Block | None:
    """The one block of that name; two are as wrong as none."""
    found = [b for b in blocks_of(file, text) if b.name == name and b.language == language]
    if len(found) > 1:
        raise Malformed([Fault(file, b.line, f"there are {len(found)} blocks `{language} {name}`") for b in found[1:]])
    if not found and needed:
        raise Malformed([Fault(file, 1, f"there is no block ```{language} {name}")])
    return found[0] if found else None


def read_yaml(block: Block) -> Value:
    """The block as plain data. YAML 1.2's few scalars: `no` is a word, `1e-8` a number; NaN and infinities refused."""
    try:
        node = yaml.compose(block.text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = block.line + (error.problem_mark.line if error.problem_mark else 0)
        raise Malformed(
            [Fault(block.file, line, f"not YAML: {one_line(error.problem or str(error), _LONGEST_MESSAGE)}")]
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Malformed(
            [Fault(block.file, block.line, f"not YAML: {one_line(str(error), _LONGEST_MESSAGE)}")]
        ) from None
    if node is None:
        raise Malformed([Fault(block.file, block.line, f"the block `{block.name}` is empty")])
    reader = _Reader(block)
    data = reader.read(node, ())
    if reader.faults:
        raise Malformed(reader.faults)
    return Value(block, data, MappingProxyType(reader.lines), MappingProxyType(reader.spans))


def check(value: Value, model: type[Model]) -> Model:
    """The data as `model`; unknown keys, missing keys and wrong types with the line of each."""
    try:
        return model.model_validate(value.data)
    except ValidationError as error:
        raise Malformed(list(_faults(value, error))) from None


def _faults(value: Value, error: ValidationError) -> Iterator[Fault]:
    seen: set[tuple[int, str]] = set()
    for row in error.errors(include_url=False, include_context=False):
        path = tuple(row["loc"])
        where = one_line(".".join(str(part) for part in path), _LONGEST_MESSAGE)
        message = one_line(str(row["msg"]).removeprefix("Value error, "), _LONGEST_MESSAGE)
        if isinstance(row["input"], str) and _NOT_FINITE.fullmatch(row["input"]):
            message = f"{row['input']} is not a number; leave the key out where there is no bound"
        fault = Fault(value.block.file, value.line_of(path), f"{where}: {message}" if where else message)
        if (fault.line, fault.message) not in seen:
            seen.add((fault.line, fault.message))
            yield fault


class _Loader(yaml.SafeLoader):
    """Composes only: no alias, which could make a small text huge, no tag, and no more values than allowed."""

    composed = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases are not allowed here", problem_mark=mark)
        event = self.peek_event()  # type: ignore[no-untyped-call]
        for given, what in (
            (getattr(event, "tag", None), "tags"),
            (getattr(event, "anchor", None), "anchors and aliases"),
        ):
            if given is not None:
                shared = "; an interface shares by `results` and `conditions`" if what != "tags" else ""
                problem = f"{what} are not allowed here{shared}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        self.composed += 1
        if self.composed > 2 * _MOST_VALUES:
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem=f"more than {_MOST_VALUES:,} values", problem_mark=mark)
        return super().compose_node(parent, index)


class _Reader:
    def __init__(self, block: Block) -> None:
        self.block = block
        self.lines: dict[Path, int] = {}
        self.spans: dict[Path, Span] = {}
        self.faults: list[Fault] = []

    def read(self, node: yaml.Node, path: Path) -> object:
        self.lines[path] = self.block.line + node.start_mark.line
        self.spans[path] = (self.block.start + node.start_mark.index, self.block.start + node.end_mark.index)
        if len(path) > _DEEPEST or len(self.lines) > _MOST_VALUES:
            reason = "nested too deeply" if len(path) > _DEEPEST else f"more than {_MOST_VALUES:,} values"
            raise Malformed([*self.faults[:20], Fault(self.block.file, self.lines[path], reason)])
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(child, (*path, number)) for number, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, child in node.value:
            line = self.block.line + key.start_mark.line
            if not isinstance(key, yaml.ScalarNode):
                self._fault(line, "a key must be a word")
                continue
            if key.value in found:
                self._fault(line, f"the key {key.value[:60]!r} stands here twice")
            found[key.value] = self.read(child, (*path, key.value))
            self.lines.setdefault((*path, key.value), line)
        return found

    def _scalar(self, node: yaml.Node, path: Path) -> object:
        text = str(node.value)
        if getattr(node, "style", None) is not None:  # quoted or a block of text
            return text
        if text in ("", "null", "~", "Null", "NULL"):
            return None
        if text in ("true", "True", "false", "False"):
            return text.lower() == "true"
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            if not math.isfinite(number):
                self._fault(self.lines[path], f"{text[:40]} is beyond any number this machine has")
            return number
        if _NOT_FINITE.fullmatch(text) and "." in text:  # YAML's own; without the dot it may be a label
            self._fault(self.lines[path], f"{text} is not a number; leave the key out where there is no bound")
        return text

    def _fault(self, line: int, message: str) -> None:
        self.faults.append(Fault(self.block.file, line, message))

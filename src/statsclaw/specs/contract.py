"""The contract: every document of the planner, read together. Either it is whole, or there is a list of faults."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field

from statsclaw.specs.blocks import Block, Fault, Malformed, Value, check, read_yaml, the_block
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.interface import Interface
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import TestSpec
from statsclaw.specs.words import ElementRef, Id, Typed, Words

COMPREHENSION, INTERFACE = "comprehension.md", "interface.md"
SPEC, TEST_SPEC, SIM_SPEC = "spec.md", "test-spec.md", "sim-spec.md"
SPECIFICATIONS = (SPEC, TEST_SPEC, SIM_SPEC)

T = TypeVar("T")


class Step(Typed):
    """One step of the computation: what it does, from which equations, and which part of the interface it yields.

    A step that only looks at its input yields nothing.
    """

    id: Id
    does: Words
    equations: tuple[Words, ...] = ()
    yields: tuple[ElementRef, ...] = ()


class Steps(Typed):
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Contract:
    """What of the planner's documents is there, typed. `definitions`: the source of the executable definitions.

    `interface_words`: all of interface.md, which every role is given.
    """

    comprehension: Comprehension | None = None
    definitions: str = ""
    interface: Interface | None = None
    interface_words: str = ""
    steps: tuple[Step, ...] = ()
    tests: TestSpec | None = None
    study: Study | None = None
    values: Mapping[tuple[str, str], Value] | None = None

    def line_of(self, file: str, block: str, *path: str | int) -> int:
        """Where a part of a block stands, for findings about it."""
        value = (self.values or {}).get((file, block))
        return value.line_of(path) if value else 1


def read_contract(documents: Mapping[str, str]) -> Contract:
    """Raises Malformed with every fault of every document, not with the first one only."""
    faults: list[Fault] = []
    values: dict[tuple[str, str], Value] = {}

    def part(file: str, name: str, read: Callable[[Value], T], *, needed: bool = True) -> T | None:
        if file not in documents:
            return None
        try:
            block = the_block(file, documents[file], "yaml", name, needed=needed)
            if block is None:
                return None
            values[file, name] = read_yaml(block)
            return read(values[file, name])
        except Malformed as malformed:
            faults.extend(malformed.faults)
            return None

    comprehension = part(COMPREHENSION, "comprehension", lambda value: check(value, Comprehension))
    interface = part(INTERFACE, "interface", lambda value: check(value, Interface))
    steps = part(SPEC, "steps", _steps)
    study = part(SIM_SPEC, "study", lambda value: check(value, Study))
    scenarios = part(TEST_SPEC, "scenarios", lambda value: value.data)
    criteria = part(TEST_SPEC, "criteria", lambda value: value.data)
    references = part(TEST_SPEC, "references", lambda value: value.data, needed=False)
    tests = None
    if scenarios is not None and criteria is not None:
        try:
            tests = _test_spec(scenarios, criteria, references or [], values)
        except Malformed as malformed:
            faults.extend(malformed.faults)
    code = _definitions(documents, comprehension, faults)
    if faults:
        raise Malformed(sorted(faults, key=lambda fault: (fault.file, fault.line)))
    words = documents.get("interface.md", "")
    return Contract(comprehension, code, interface, words, steps.steps if steps else (), tests, study, values)


def _steps(value: Value) -> Steps:
    nested = Value(value.block, {"steps": value.data}, _below("steps", value.lines), _below("steps", value.spans))
    return check(nested, Steps)


def _below(key: str, table: Mapping[tuple[str | int, ...], T]) -> dict[tuple[str | int, ...], T]:
    return {(key, *path): where for path, where in table.items()}


def _test_spec(
    scenarios: object, criteria: object, references: object, values: Mapping[tuple[str, str], Value]
) -> TestSpec:
    data = {"scenarios": scenarios, "criteria": criteria, "references": references}
    lines: dict[tuple[str | int, ...], int] = {}
    for name in data:
        if value := values.get((TEST_SPEC, name)):
            lines |= _below(name, value.lines)
    block = values[TEST_SPEC, "scenarios"].block
    if faults := list(_doubled(data, lines)):
        raise Malformed(faults)
    return check(Value(block, data, lines), TestSpec)


def _doubled(data: Mapping[str, object], lines: Mapping[tuple[str | int, ...], int]) -> Iterator[Fault]:
    """An id that stands twice, where it stands the second time."""
    seen: set[object] = set()
    for name, rows in data.items():
        for number, row in enumerate(rows if isinstance(rows, list) else ()):
            found = row.get("id") if isinstance(row, dict) else None
            if isinstance(found, str) and found in seen:
                yield Fault(TEST_SPEC, lines.get((name, number, "id"), 1), f"the id {found[:60]!r} stands here twice")
            seen.add(found if isinstance(found, str) else None)


def _definitions(documents: Mapping[str, str], comprehension: Comprehension | None, faults: list[Fault]) -> str:
    if COMPREHENSION not in documents or comprehension is None:
        return ""
    functions = [row.function for row in comprehension.executable]
    functions += [row.function for row in comprehension.pilots]
    if not functions:
        return ""
    try:
        block = the_block(COMPREHENSION, documents[COMPREHENSION], "python", "definitions")
        assert block is not None
        faults += definition_faults(block, functions)
        return block.text
    except Malformed as malformed:
        faults.extend(malformed.faults)
        return ""


def definition_faults(block: Block, functions: list[str]) -> list[Fault]:
    """The code of definitions is Python that defines each function once. It is parsed here and run elsewhere."""
    try:
        tree = ast.parse(block.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = block.line + (getattr(error, "lineno", None) or 1) - 1
        return [Fault(block.file, line, f"not Python: {getattr(error, 'msg', None) or type(error).__name__}")]
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [
        Fault(block.file, block.line, f"the definition {name}() stands here {defined.count(name)} times, not once")
        for name in functions
        if defined.count(name) != 1
    ]

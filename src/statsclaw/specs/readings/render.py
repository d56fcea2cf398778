"""What a person is shown of two readings, as Markdown. Code and passages come from roles and stay inside fences."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence

from statsclaw.specs.readings.agreement import Agreement
from statsclaw.specs.readings.disagreement import Disagreement
from statsclaw.specs.readings.draws import Nested
from statsclaw.templates import cell, fenced
from statsclaw.words import one_line

_LONGEST_CODE = 4000
_LONGEST_PASSAGE = 3000
_LONGEST_INPUT = 1500


def render_disagreement(found: Disagreement, passage: str, first_code: str = "", second_code: str = "") -> str:
    """`passage`: the words of the source. `first_code`, `second_code`: the definitions, of which one function shows."""
    parts = [f"### {_plain(found.ref)}: `{found.function}`", ""]
    if passage.strip():
        parts += ["The source says:", "", fenced(passage[:_LONGEST_PASSAGE], "text"), ""]
    for name, code in (("first", first_code), ("second", second_code)):
        if code:
            parts += [f"The {name} reading computes:", "", fenced(source_of(code, found.function), "python"), ""]
    parts += ["For the input", "", fenced(_input(found.inputs), "text"), ""]
    parts += ["| | value |", "| --- | --- |"]
    parts += [f"| first reading | {_plain(found.first)} |", f"| second reading | {_plain(found.second)} |", ""]
    return "\n".join(parts)


def render_agreements(agreements: Sequence[Agreement]) -> str:
    rows = ["| equation | function | the two readings | inputs tried | largest difference | note |"]
    rows += ["| --- | --- | --- | ---: | ---: | --- |"]
    words = {True: "agree", False: "**differ**", None: "could not be compared"}
    for row in agreements:
        size = "" if row.largest_difference is None else f"{row.largest_difference:.1e}"
        cells = [_plain(row.ref), f"`{row.function}`", words[row.agrees], str(row.tried), size, _plain(row.note)]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def source_of(code: str, function: str) -> str:
    """The function as it is written, after those of the same text that it calls."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wanted, names = [function], []
    while wanted:
        name = wanted.pop()
        if name in defined and name not in names:
            names.append(name)
            wanted += [node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)]
    lines = code.split("\n")
    texts = ["\n".join(lines[_first_line(defined[n]) - 1 : defined[n].end_lineno]) for n in reversed(names)]
    return "\n\n\n".join(texts)[-_LONGEST_CODE:]


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _input(inputs: Mapping[str, Nested]) -> str:
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in inputs.items())[:_LONGEST_INPUT]


def _plain(text: str) -> str:
    """One line that neither ends a table's cell nor opens anything."""
    return cell(one_line(text.replace("`", "'"), 300))

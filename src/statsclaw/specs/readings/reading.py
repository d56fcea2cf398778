"""reading.md: the same equations, read again by somebody who has not seen the first reading."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType

from statsclaw.sources.index import Equation, Index
from statsclaw.sources.quotation import words_in
from statsclaw.specs.blocks import Block, Fault, Malformed, the_block
from statsclaw.specs.comprehension import Comprehension, Definition, Variable
from statsclaw.specs.contract import definition_faults
from statsclaw.specs.readings.equation_names import Named
from statsclaw.templates import fenced
from statsclaw.words import one_line

READING = "reading.md"
_LONGEST_CODE = 200_000
_LONGEST_DECISION = 2000
_NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})


def read_reading(text: str, definitions: Sequence[Definition]) -> tuple[str, list[Fault]]:
    """The code of the second reading, and what keeps it from being run. Nothing is run here."""
    try:
        block = the_block(READING, text, "python", "definitions")
    except Malformed as malformed:
        return "", malformed.faults
    assert block is not None
    if len(block.text) > _LONGEST_CODE:
        return "", [Fault(READING, block.line, f"the definitions are longer than {_LONGEST_CODE:,} characters")]
    faults = definition_faults(block, [row.function for row in definitions])
    return block.text, faults or signature_faults(block, definitions)


def signature_faults(block: Block, definitions: Sequence[Definition]) -> list[Fault]:
    """Each function has the arguments it is asked with, and its name stands for nothing else in the text."""
    try:
        tree = ast.parse(block.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [Fault(block.file, block.line, "not Python")]
    rows = {row.function: row for row in definitions}
    found: list[Fault] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in rows:
            found += _faults_of(block, node, [variable.name for variable in rows[node.name].arguments])
        elif not isinstance(node, ast.FunctionDef):
            again = sorted(_bound(node) & rows.keys())
            found += [
                Fault(block.file, block.line + node.lineno - 1, f"{name} is given another meaning") for name in again
            ]
    return found


def questions_for(comprehension: Comprehension, index: Index, decided: Mapping[str, Sequence[str]] = _NOTHING) -> str:
    """What the second reader is asked. References are the index's own: free words of the first reading stay out.

    `decided`: by function, what a person has decided about it, which is for both readings.
    """
    parts = [files(__package__).joinpath("questions.md").read_text(encoding="utf-8")]
    equations = Named(index)
    for definition in comprehension.definitions:
        parts += _asked(definition, equations.get(definition.ref), index)
        parts += [f"`{_signature(definition)}` {_result(definition)}", ""]
        for words in decided.get(definition.function, ()):
            parts += [f"Decided: {_one_line(words)}", ""]
        parts += ["| argument | kind | dimension | from | to |", "| --- | --- | --- | --- | --- |"]
        parts += [_row(variable) for variable in definition.arguments]
        parts.append("")
    return "\n".join(parts)


def _faults_of(block: Block, node: ast.FunctionDef, names: list[str]) -> list[Fault]:
    given = node.args
    line = block.line + node.lineno - 1
    own = [argument.arg for argument in (*given.args, *given.kwonlyargs)]
    if given.posonlyargs or given.vararg or given.kwarg or sorted(own) != sorted(names):
        return [Fault(block.file, line, f"{node.name} must be defined as {node.name}({', '.join(names)})")]
    if node.decorator_list:
        return [Fault(block.file, line, f"{node.name} has a decorator; a definition computes what it says")]
    return []


def _bound(node: ast.stmt) -> set[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    names |= {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    aliases = [part for part in ast.walk(node) if isinstance(part, ast.alias)]
    return names | {alias.asname or alias.name.split(".")[0] for alias in aliases}


def passage_of(definition: Definition, index: Index) -> str:
    """The words of the source that a definition computes, as the source has them; nothing where they were not found."""
    if definition.quote is None:
        equation = Named(index).get(definition.ref)
        return equation.text if equation else ""
    texts = [source.text for source in index.sources if source.name == definition.ref]
    return next((found for text in texts if (found := words_in(definition.quote, text)) is not None), "")


def _asked(definition: Definition, equation: Equation | None, index: Index) -> list[str]:
    """Which quantity it is: the place of an equation, or the passage that defines it."""
    if definition.quote is None or equation is not None:
        return [f"## {_title(equation)}", ""]
    if passage := passage_of(definition, index):
        return _in_words(definition.ref, "The source says, without a number:", passage)
    known = {source.name for source in index.sources}
    name = definition.ref if definition.ref in known else "A source"
    told = "It is said to stand there; no program found these words, so look them up:"
    return _in_words(name, told, definition.quote)


def _in_words(source: str, told: str, words: str) -> list[str]:
    return [f"## {source} (in words)", "", told, "", fenced(" ".join(words.split()), "text"), ""]


def _one_line(words: str) -> str:
    return one_line(words.replace("`", "'"), _LONGEST_DECISION)


def _title(equation: Equation | None) -> str:
    if equation is None:
        return "An equation of no source"
    if equation.line is not None:
        return f"{equation.ref} (line {equation.line})"
    return f"{equation.ref} (page {equation.page})" if equation.page is not None else equation.ref


def _signature(definition: Definition) -> str:
    return f"{definition.function}({', '.join(variable.name for variable in definition.arguments)})"


def _result(definition: Definition) -> str:
    if not definition.returns:
        return "returns one number."
    return f"returns numbers of dimension [{', '.join(definition.returns)}]."


def _row(variable: Variable) -> str:
    bounds = ["" if bound is None else f"{bound:g}" for bound in (variable.low, variable.high)]
    dimension = f"[{', '.join(variable.dimension)}]" if variable.dimension else "one number"
    return f"| `{variable.name}` | {variable.kind} | {dimension} | {bounds[0]} | {bounds[1]} |"

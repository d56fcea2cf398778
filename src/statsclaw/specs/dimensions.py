"""Dimensions as they are declared, compared with each other. Nothing is run and no formula is parsed here.

Checked: an argument of a definition against the symbol of the same name; the same argument of two definitions against
each other; a letter of a dimension against the symbol of that name, which must be a single number; letters of a result
against those of the arguments. Not checked: whether a formula fits the dimensions; running the definitions shows that.
"""

from __future__ import annotations

from collections.abc import Iterator

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.runlog.findings import finding
from statsclaw.specs.comprehension import Comprehension, Definition, SymbolRead
from statsclaw.specs.readings.letters import split
from statsclaw.specs.readings.notation import Symbol, argument_symbol, symbols_in

_WHERE = "comprehension.md"
Dimension = tuple[str, ...]
#: Symbols by base, decorations and index.
Table = dict[tuple[str, frozenset[str], str], list[SymbolRead]]


def dimension_findings(comprehension: Comprehension) -> list[Finding]:
    """What is declared in two ways that cannot both be true, and what looks as if it were."""
    table = _table(comprehension)
    found = [*_doubled(comprehension), *_letters(comprehension, table)]
    for definition in comprehension.definitions:
        found += _arguments(definition, table)
        found += _results(definition)
    return [*found, *_between_definitions(comprehension)]


def _table(comprehension: Comprehension) -> Table:
    table: Table = {}
    for row in comprehension.symbols:
        for symbol in symbols_in(row.symbol):
            table.setdefault((symbol.base, symbol.decorations, symbol.index), []).append(row)
    return table


def _doubled(comprehension: Comprehension) -> Iterator[Finding]:
    """What looks like one symbol written in two ways; it may be two."""
    seen: dict[Symbol, SymbolRead] = {}
    for row in comprehension.symbols:
        for symbol in symbols_in(row.symbol)[:1]:
            for other, before in seen.items():
                same = (symbol.base, symbol.decorations, symbol.index) == (other.base, other.decorations, other.index)
                if same and _plain(before.dimension) != _plain(row.dimension):
                    text = f"{_with(row.symbol, row.dimension)}, but written {_with(before.symbol, before.dimension)}"
                    yield _finding("warning", text, f"symbol-twice:{symbol.base}")
            seen.setdefault(symbol, row)


def _letters(comprehension: Comprehension, table: Table) -> Iterator[Finding]:
    uses = {row.symbol: row.dimension for row in comprehension.symbols}
    uses |= {f"{row.function}.{v.name}": v.dimension for row in comprehension.definitions for v in row.arguments}
    first: dict[str, str] = {}
    for user, dimension in uses.items():
        for letter in (split(part)[0] for part in dimension):
            if letter is not None:
                first.setdefault(letter, user)
    for letter, user in first.items():
        rows = table.get((letter, frozenset(), ""), [])
        if rows and all(row.dimension for row in rows):
            text = f"{letter} is a length in the dimension of {user}, but {_with(letter, rows[0].dimension)}"
            yield _finding("error", text, f"length-not-a-number:{letter}")
        elif not rows:
            text = f"the length {letter} in the dimension of {user} is not among the symbols"
            yield _finding("note", text, f"length-undefined:{letter}")


def _arguments(definition: Definition, table: Table) -> Iterator[Finding]:
    for variable in definition.arguments:
        symbol = argument_symbol(variable.name)
        rows = table.get((symbol.base, symbol.decorations, symbol.index), [])
        if not rows or any(_plain(row.dimension) == _plain(variable.dimension) for row in rows):
            continue
        severity = _severity(_plain(rows[0].dimension), _plain(variable.dimension))
        text = f"{_with(rows[0].symbol, rows[0].dimension)}, but {_with(variable.name, variable.dimension)}"
        text += f" in {definition.function}"
        yield _finding(severity, text, f"dimension:{definition.function}.{variable.name}")


def _severity(first: Dimension, second: Dimension) -> Severity:
    """The same lengths in another order, or other whole numbers, cannot both be true; other letters often are."""
    if len(first) == len(second):
        turned = sorted(first) == sorted(second)
        numbers = any(a != b and a.isdigit() and b.isdigit() for a, b in zip(first, second, strict=True))
        return "error" if turned or numbers else "note"
    return "warning"


def _results(definition: Definition) -> Iterator[Finding]:
    known = {split(part)[0] for variable in definition.arguments for part in variable.dimension}
    known |= {variable.name for variable in definition.arguments if variable.kind == "integer"}
    for letter in dict.fromkeys(split(part)[0] for part in definition.returns):
        if letter is not None and letter not in known:
            text = f"the result of {definition.function} has the length {letter}, which no argument fixes"
            yield _finding("note", text, f"length-open:{definition.function}.{letter}")


def _between_definitions(comprehension: Comprehension) -> Iterator[Finding]:
    seen: dict[str, tuple[str, Dimension]] = {}
    for definition in comprehension.definitions:
        for variable in definition.arguments:
            dimension = _plain(variable.dimension)
            function, before = seen.setdefault(variable.name, (definition.function, dimension))
            if before != dimension and len(before) == len(dimension) and sorted(before) == sorted(dimension):
                text = f"{_with(variable.name, before)} in {function}, but {_with(variable.name, dimension)}"
                text += f" in {definition.function}"
                yield _finding("error", text, f"dimension-turned:{definition.function}.{variable.name}")


def _plain(dimension: tuple[str, ...]) -> Dimension:
    return tuple("".join(part.split()) for part in dimension)


def _with(name: str, dimension: tuple[str, ...]) -> str:
    return f"{name} has dimension [{', '.join(dimension)}]" if dimension else f"{name} is a single number"


def _finding(severity: Severity, text: str, key: str) -> Finding:
    return finding("comprehension", severity, text, _WHERE, "planner", key, longest=4_000)

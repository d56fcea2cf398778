"""What was found in the sources, as Markdown for the planner and the second reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from statsclaw.sources.index import Equation, Extracted, Index

_LONGEST = 600
_MOST_ROWS = 2_000
_TICKS = re.compile(r"`+")


def render_index(index: Index) -> str:
    """One section per source: its name, hash and kind, and tables of everything a reading must account for."""
    if not index.sources:
        return "# Sources\n\nThere are none.\n"
    parts = ["# Sources", "", f"{len(index.sources)} files, {_counted(index)}.", ""]
    for source in index.sources:
        parts += _source(source)
    return "\n".join(parts).rstrip() + "\n"


def _counted(index: Index) -> str:
    numbered = sum(equation.numbered for equation in index.equations)
    others = len(index.equations) - numbered
    return f"{numbered} numbered equations, {others} displayed without a number, {len(index.criteria)} stated criteria"


def _source(source: Extracted) -> list[str]:
    parts = [f"## {_cell(source.name)}", "", f"{source.kind}, sha256 `{source.sha256}`", ""]
    rows = [(e.ref, _place(e), e.number or "", _code(e.text), _code(", ".join(e.symbols))) for e in source.equations]
    parts += _table("Equations", ("ref", "place", "number", "text", "symbols"), rows)
    for algorithm in source.algorithms:
        parts += [f"### {_cell(algorithm.ref)} {_cell(algorithm.title)}".rstrip(), ""]
        parts += [*(f"{at}. {_cell(step)}" for at, step in enumerate(algorithm.steps, start=1)), ""]
    for table in source.tables:
        parts += [f"### {_cell(table.ref)} {_cell(table.caption)}".rstrip(), "", *_rows(table.rows)]
    criteria = [(c.ref, str(c.line or ""), _cell(c.text)) for c in source.criteria]
    parts += _table("Stated criteria", ("ref", "line", "text"), criteria)
    functions = [(f.ref, str(f.line or ""), _code(f.signature), _first(f.documentation)) for f in source.functions]
    parts += _table("Public functions", ("ref", "line", "signature", "documentation"), functions)
    if source.images:
        parts += ["### Pictures of pages", "", *(f"- {_cell(name)}" for name in source.images), ""]
    if source.not_extracted:
        parts += ["### Not extracted", "", *(f"- {_cell(sentence)}" for sentence in source.not_extracted), ""]
    return parts


def _place(equation: Equation) -> str:
    if equation.page is not None:
        return f"page {equation.page}"
    return f"{equation.source}:{equation.line}"


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    left_out = [f"{len(rows) - _MOST_ROWS:,} more are not shown.", ""] if len(rows) > _MOST_ROWS else []
    shown = [f"| {' | '.join(cell if cell.startswith('`') else _cell(cell) for cell in row)} |" for row in rows]
    rule = f"|{'|'.join('---' for _ in header)}|"
    return [f"### {title}", "", f"| {' | '.join(header)} |", rule, *shown[:_MOST_ROWS], "", *left_out]


def _rows(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    width = min(40, max(len(row) for row in rows))
    padded = [[_cell(cell) for cell in (*row, *[""] * width)[:width]] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    return [lines[0], f"|{'|'.join('---' for _ in range(width))}|", *lines[1:], ""]


def _cell(text: str) -> str:
    """One line that cannot leave its cell: no control characters, no bars, no fences, no HTML."""
    line = _one_line(text)
    return line.replace("\\|", "|").replace("|", "\\|").replace("```", "'''").replace("<", "&lt;")


def _code(text: str) -> str:
    """One line between more backticks than it holds itself."""
    line = _one_line(text)
    if not line:
        return ""
    ticks = "`" * (1 + max([0, *map(len, _TICKS.findall(line))]))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line.replace('|', chr(92) + '|')}{space}{ticks}"


def _first(documentation: str) -> str:
    return _cell(next(iter(documentation.strip().split("\n")), ""))


def _one_line(text: str | Iterable[str]) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in str(text)[: 4 * _LONGEST]).split())
    return words if len(words) <= _LONGEST else words[:_LONGEST] + " …"

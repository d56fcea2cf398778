"""Markdown: displayed formulas with the numbers the author wrote, algorithms, tables and stated criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from statsclaw.sources.criteria import LOWEST, Line, criteria_in, speaks_of_criteria
from statsclaw.sources.displays import NUMBER, ROWS, Display, DisplayScanner, Row, rows_of, trailing_number
from statsclaw.sources.index import Equation, Extracted, Kind, StatedCriterion, Table
from statsclaw.sources.numbered_steps import algorithms_in
from statsclaw.sources.readable import readable_markdown
from statsclaw.sources.refs import distinct, equation_ref
from statsclaw.sources.symbols import symbols_of

_MOST_EQUATIONS = 5_000
_MOST_LINES = 50_000
_AFTER = re.compile(
    rf"[ \t]{{0,20}}(?:\(({NUMBER})\)(?=[ \t]{{0,20}}(?:$|\{{))|\{{#([\w:.-]{{1,100}})[^{{}}\n]{{0,100}}\}})",
    re.MULTILINE,
)
_CAPTION = re.compile(r"\W{0,6}(?:Table\s{1,3}(\w{1,6})\b|(?=:\s))[\s.:*_—–-]{0,6}(.{0,400})", re.IGNORECASE)
_BOLD_LINE = re.compile(r"\s{0,3}(?:\*\*|__)[^*_\n]{1,200}(?:\*\*|__)\s{0,3}:?\s{0,9}$")
_TICKS = re.compile(r"`{1,20}")
_FEW_WORDS = 6


def read_markdown(name: str, text: str, kind: Kind = "markdown") -> Extracted:
    """What the Markdown holds; lines are counted from the start of `text`."""
    if text.count("\n") > _MOST_LINES:
        return Extracted(
            name, "", kind, not_extracted=(f"the text has more than {_MOST_LINES:,} lines; it was not read",)
        )
    tokens = _blocks(text)
    rows = text.split("\n")
    fences = [token for token in tokens if token.type == "fence" and token.info.strip().lower() in ("math", "{math}")]
    math_lines = {token.map[0] for token in fences if token.map}
    shown = list(rows)
    for token in tokens:
        if token.type in ("fence", "code_block") and token.map:
            _blank_code(shown, token, keep=token.map[0] in math_lines)
    headings = {token.map[0]: int(token.tag[1:]) for token in tokens if token.type == "heading_open" and token.map}
    visible = "\n".join(_without_code_spans(row) for row in shown)
    found, said = _equations(name, visible)
    equations, same_equations = distinct(found)
    criteria, same_criteria = distinct(list(_criteria(name, shown, headings, _cells(tokens))))
    algorithms, same_algorithms = distinct(algorithms_in(name, rows, markdown=True))
    tables, same_tables = distinct(list(_tables(name, rows, tokens)))
    said += [*same_equations, *same_criteria, *same_algorithms, *same_tables]
    return Extracted(name, "", kind, text, equations, algorithms, tables, criteria, (), tuple(said[:60]))


def _blocks(text: str) -> list[Token]:
    """The blocks only: formulas are not Markdown inside, and the inline rules have no part here."""
    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser.parse(text)


def _blank_code(rows: list[str], token: Token, *, keep: bool) -> None:
    """Code is no formula. Of a ```math fence, the fence becomes dollars."""
    first, end = token.map or (0, 0)
    closed = token.type == "fence" and end - 1 > first and rows[end - 1].strip().startswith(token.markup)
    for at in range(first, min(end, len(rows))):
        if not keep or not rows[at].strip():
            rows[at] = "" if not keep else " %"
    if keep:
        rows[first] = "$$"
        if closed:
            rows[end - 1] = "$$"


def _without_code_spans(row: str) -> str:
    """Code between backticks blanked; pairs of runs of the same length, within one line."""
    if "`" not in row:
        return row
    opened: tuple[int, int] | None = None
    spans: list[tuple[int, int]] = []
    for run in _TICKS.finditer(row):
        if opened is None:
            opened = run.span()
        elif run.end() - run.start() == opened[1] - opened[0]:
            spans.append((opened[0], run.end()))
            opened = None
    for start, end in spans:
        row = row[:start] + " " * (end - start) + row[end:] if len(spans) < 200 else ""
    return row


def _equations(name: str, text: str) -> tuple[list[Equation], list[str]]:
    scanner = DisplayScanner(text, {}, {})
    found: list[Equation] = []
    said: list[str] = []
    line, position = 1, 0
    for one in scanner.scan():
        if not isinstance(one, Display):
            continue
        line, position = line + text.count("\n", position, one.start), one.start
        for equation in _of_display(name, text, one, line):
            if len(found) < _MOST_EQUATIONS:
                found.append(equation)
    if len(found) == _MOST_EQUATIONS or scanner.full:
        said.append(f"there are more than {_MOST_EQUATIONS:,} displayed equations; the rest was not read")
    for environment, start in scanner.unclosed[:20]:
        opened = text.count("\n", 0, start) + 1
        said.append(f"{environment} is opened in line {opened} and not closed; it was not read as an equation")
    return found, said


def _of_display(name: str, text: str, display: Display, line: int) -> Iterator[Equation]:
    """One equation; several where rows of an align carry numbers of their own."""
    rows = rows_of(text, display, split=display.base in ROWS)
    if sum(row.number is not None or row.label is not None for row in rows) < 2:
        rows = rows_of(text, display, split=False)
    for row in rows:
        row = row if row.number else _with_trailing(row)
        if len(rows) == 1:
            row = _with_following(row, text, display.end)
        if not row.text.strip(" %"):
            continue
        at = line + (text.count("\n", display.start, min(row.start, display.last)) if len(rows) > 1 else 0)
        numbered = row.number is not None or row.label is not None
        ref = equation_ref(name, row.number, row.label, f"{name}@{at}")
        yield Equation(ref, name, row.text, numbered, at, None, row.number, row.label, symbols_of(row.text))


def _with_trailing(row: Row) -> Row:
    text, number = trailing_number(row.text)
    return replace(row, text=text, number=number)


def _with_following(row: Row, text: str, end: int) -> Row:
    """A `(3)` or `{#eq:label}` right after the display."""
    for _ in range(2):
        match = _AFTER.match(text, end)
        if not match:
            break
        row = replace(row, number=row.number or match[1], label=row.label or match[2])
        end = match.end()
    return row


def _criteria(
    name: str, rows: list[str], headings: Mapping[int, int], cells: Mapping[int, tuple[str, ...]]
) -> Iterator[StatedCriterion]:
    lines: list[Line] = []
    for at, row in enumerate(rows):
        bold = bool(_BOLD_LINE.match(row[:300])) and len(row) < 300
        short = row.rstrip(" *_").endswith(":") and len(row.split()) <= _FEW_WORDS and speaks_of_criteria(row)
        level = headings.get(at) or (LOWEST if short or (bold and (speaks_of_criteria(row) or not _is_id(row))) else 0)
        lines.append(Line(at + 1, row.strip("#* _\t") if level else row, level, cells.get(at, ())))
    for found in criteria_in(name, lines):
        yield replace(found, text=readable_markdown(found.text))


def _cells(tokens: list[Token]) -> dict[int, tuple[str, ...]]:
    """The cells of every row of a table, by its line; that of the line below the header is empty."""
    found: dict[int, tuple[str, ...]] = {}
    row: list[str] | None = None
    for token in tokens:
        if token.type == "table_open" and token.map:
            found |= dict.fromkeys(range(*token.map), ("",))
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            row = None
        elif token.type == "inline" and row is not None and token.map:
            row.append(token.content)
            found[token.map[0]] = tuple(row)
    return found


def _is_id(row: str) -> bool:
    return bool(re.fullmatch(r"[\s*_]{0,9}[A-Z]{1,3}-?\d{1,3}[a-z]?[.:]?[\s*_:]{0,9}", row))


def _tables(name: str, rows: list[str], tokens: list[Token]) -> Iterator[Table]:
    cells: list[list[str]] = []
    line, end, count = 0, 0, 0
    for token in tokens:
        if token.type == "table_open" and token.map:
            cells, (line, end) = [], token.map
        elif token.type == "tr_open":
            cells.append([])
        elif token.type == "inline" and cells and token.level > 2:
            cells[-1].append(readable_markdown(token.content, keep_formulas=True))
        elif token.type == "table_close" and count < 500:
            count += 1
            number, caption = _caption(rows, line, end)
            ref = f"{name} Table {number}" if number else f"{name} table@{line + 1}"
            kept = tuple(tuple(row) for row in cells[:400] if any(row))
            yield Table(ref, name, caption, kept, line + 1)
            cells = []


def _caption(rows: list[str], first: int, end: int) -> tuple[str, str]:
    """From the nearest line with words before the table, or after it."""
    for at in (first - 1, first - 2, end, end + 1):
        if 0 <= at < len(rows) and (match := _CAPTION.match(rows[at][:500])):
            return match[1] or "", readable_markdown(match[2], keep_formulas=True).strip(" .:*_")
    return "", ""

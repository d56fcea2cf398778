"""Algorithms and tables of a LaTeX text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.sources.readable import readable

ALGORITHMS = frozenset(("algorithm", "algorithm*", "algorithm2e"))
STEPS = frozenset(("algorithmic", "algorithmic*"))
TABLES = frozenset(("table", "table*", "longtable", "sidewaystable"))
CELLS = frozenset(("tabular", "tabular*", "tabularx", "longtable", "tabulary"))
_MOST_STEPS = 400
_MOST_ROWS = 400
_STEP = re.compile(
    r"\\(?P<word>State|STATE|Statex|For|FOR|ForAll|FORALL|While|WHILE|If|IF|ElsIf|ELSIF|Else|ELSE|EndFor|ENDFOR|EndWhile|"
    r"ENDWHILE|EndIf|ENDIF|Require|REQUIRE|Ensure|ENSURE|Return|RETURN|Repeat|REPEAT|Until|UNTIL|Loop|LOOP|EndLoop|ENDLOOP|"
    r"Procedure|EndProcedure|Function|EndFunction|Input|Output|KwIn|KwOut|KwData|KwResult|KwRet)(?![A-Za-z])|\\;"
)
_SPOKEN = {
    "state": "",
    "statex": "",
    "forall": "for all",
    "elsif": "else if",
    "require": "Require:",
    "ensure": "Ensure:",
}
_NOT_STEPS = re.compile(
    r"\\(?:caption|label|begin|end|SetAlgoLined|DontPrintSemicolon|SetKw\w{0,20}|KwSty)\*?\s{0,9}(?:\{[^{}]{0,400}\}){0,2}(?:\[[^\[\]]{0,20}\])?"
)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|addlinespace|centering|endhead|endfirsthead|endfoot|endlastfoot|c(?:mid)?(?:line|rule)(?:\([^()]{0,9}\))?\s?\{[^{}]{0,20}\})(?:\[[^\[\]]{0,20}\])?"
)
_CELL = re.compile(r"\\\\(?:\*?\[[^\[\]\n]{0,20}\])?|\\.|[{}&]", re.DOTALL)
_MULTICOLUMN = re.compile(r"\\multi(?:column|row)\s?\{[^{}]{0,20}\}\s?\{[^{}]{0,40}\}")


@dataclass(frozen=True, slots=True)
class Span:
    """An environment: its name, where it starts, and its content."""

    name: str
    start: int
    content: str


def caption_of(content: str) -> str:
    """The text of the first \\caption."""
    match = re.search(r"\\caption\*?\s{0,9}(?:\[[^\[\]]{0,400}\])?\s{0,9}\{", content)
    if not match:
        return ""
    return readable(content[match.end() : close_of(content, match.end() - 1)], keep_formulas=True)


def close_of(text: str, start: int) -> int:
    """Where the brace at `start` closes, or the end of the text."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return len(text)


def steps_of(content: str) -> tuple[str, ...]:
    """One step per \\State, \\For, ... of algorithmic, or per `\\;` of algorithm2e; loops are steps of their own."""
    caption = re.search(r"\\caption\*?\s{0,9}\{", content)
    if caption:
        content = content[: caption.start()] + content[close_of(content, caption.end() - 1) + 1 :]
    content = _NOT_STEPS.sub(" ", content)
    marks = list(_STEP.finditer(content))[:_MOST_STEPS]
    found: list[str] = []
    if marks and content[: marks[0].start()].strip() and any(mark[0] == "\\;" for mark in marks):
        found.append(readable(content[: marks[0].start()], keep_formulas=True))
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        spoken = (mark["word"] or "").lower()
        spoken = _SPOKEN.get(spoken, "end " + spoken[3:] if spoken.startswith("end") and spoken != "ensure" else spoken)
        text = content[mark.end() : following.start() if following else len(content)]
        text = readable(text, keep_formulas=True)
        found.append(f"{spoken} {text}".strip())
    return tuple(step for step in found if step)


def cells_of(content: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a tabular, whose column specification comes first."""
    return tuple(row for _, row in placed_cells(content))


def placed_cells(content: str) -> list[tuple[int, tuple[str, ...]]]:
    """The rows of a tabular, each with how many lines of the content are before it."""
    start = 0
    while start < len(content) and content[start] in " \n\t[{" and start < 400:
        if content[start] == "{":
            start = close_of(content, start) + 1
        elif content[start] == "[":
            start = max(content.find("]", start, start + 40) + 1, start + 1)
        else:
            start += 1
    rows: list[tuple[int, tuple[str, ...]]] = []
    text = _MULTICOLUMN.sub("", _RULES.sub(" ", content[start:][:200_000]))
    line, position = content.count("\n", 0, start), 0
    for begun, cells in _cells(text):
        row = tuple(readable(cell, keep_formulas=True) for cell in cells)
        if any(row) and len(rows) < _MOST_ROWS:
            first = begun + len(text[begun:]) - len(text[begun:].lstrip())
            line, position = line + text.count("\n", position, first), first
            rows.append((line, row))
    return rows


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    row: list[str] = []
    depth = position = begun = 0
    for match in _CELL.finditer(text):
        token = match[0]
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth <= 0 and (token == "&" or token.startswith("\\\\")):
            row.append(text[position : match.start()])
            position = match.end()
            if token != "&":
                yield begun, row
                row, depth, begun = [], 0, position
    if row or text[position:].strip():
        yield begun, [*row, text[position:]]

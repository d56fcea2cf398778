"""Algorithms, tables and stated criteria of a LaTeX text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from statsclaw.sources.criteria import ID, Line
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
_ITEM = re.compile(r"\\item(?![A-Za-z])\s{0,9}(?:\[([^\[\]]{0,100})\])?")
_LIST = re.compile(
    r"\\(begin|end)\s{0,9}\{(?:enumerate|itemize|description|compactenum|tabular\w?\*?|table|center)\*?\}(?:\s{0,9}\[([^\[\]]{0,200})\])?(?:\s{0,9}\{[^{}]{0,40}\})?"
)
_COUNTED = re.compile(r"([A-Z]{1,3})-?(?:\\arabic\s?(?:\*|\{[A-Za-z]{1,20}\*?\})|1)")
_BOLD_ID = re.compile(rf"^\s{{0,40}}(?:\{{\\bf\s|\\(?:textbf|emph|textsc|texttt)\s?\{{)\(?({ID})\)?[.:]?\}}[.:]?")
_ROW_ID = re.compile(rf"^\s{{0,40}}(?:\\textbf\{{)?({ID})\}}?\s{{0,20}}&")


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
    start = 0
    while start < len(content) and content[start] in " \n\t[{" and start < 400:
        if content[start] == "{":
            start = close_of(content, start) + 1
        elif content[start] == "[":
            start = max(content.find("]", start, start + 40) + 1, start + 1)
        else:
            start += 1
    rows: list[tuple[str, ...]] = []
    for cells in _cells(_MULTICOLUMN.sub("", _RULES.sub(" ", content[start:][:200_000]))):
        row = tuple(readable(cell, keep_formulas=True) for cell in cells)
        if any(row) and len(rows) < _MOST_ROWS:
            rows.append(row)
    return tuple(rows)


def _cells(text: str) -> Iterator[list[str]]:
    row: list[str] = []
    depth = position = 0
    for match in _CELL.finditer(text):
        token = match[0]
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth <= 0 and (token == "&" or token.startswith("\\\\")):
            row.append(text[position : match.start()])
            position = match.end()
            if token != "&":
                yield row
                row, depth = [], 0
    if row or text[position:].strip():
        yield [*row, text[position:]]


def criteria_lines(section: str, first: int) -> Iterator[Line]:
    """The lines of a section in the form that `criteria_in` reads: ids marked as `**C1**`, items as `- `."""
    counted, number = "", 0
    for offset, row in enumerate(section.split("\n")):
        for edge in _LIST.finditer(row):
            prefix = _COUNTED.search(edge[2] or "") if edge[1] == "begin" else None
            counted, number = (prefix[1] if prefix else ""), 0
        row = _LIST.sub(" ", row)
        marked: list[str] = []
        position = 0
        for item in _ITEM.finditer(row):
            number += 1
            name = readable(item[1] or "").strip(" .:()") or (f"{counted}{number}" if counted else "")
            marked += [row[position : item.start()], "\n", f"**{name}** " if name else "- "]
            position = item.end()
        text = "".join([*marked, row[position:]])
        for piece in text.split("\n") if marked else [text]:
            if piece.strip() or not marked:
                yield Line(first + offset, _marked(piece))


def _marked(piece: str) -> str:
    bullet, rest = ("- ", piece[2:]) if piece.startswith("- ") else ("", piece)
    if bold := _BOLD_ID.match(rest):
        return f"{bullet}**{bold[1]}** {rest[bold.end() :]}"
    if row := _ROW_ID.match(rest):
        return f"**{row[1]}** {rest[row.end() :].rstrip().removesuffix(chr(92) * 2)}"
    return piece

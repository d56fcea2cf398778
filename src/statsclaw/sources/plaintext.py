"""Plain text: lines with an equals sign that end in a number such as (3), numbered algorithms, stated criteria."""

from __future__ import annotations

import re
from collections.abc import Sequence

from statsclaw.sources.criteria import LOWEST, Line, criteria_in
from statsclaw.sources.criteria_labels import label_of
from statsclaw.sources.criteria_scope import Scope, scope_of
from statsclaw.sources.displays import NUMBER
from statsclaw.sources.index import Equation, Extracted
from statsclaw.sources.numbered_steps import algorithms_in
from statsclaw.sources.refs import distinct
from statsclaw.sources.symbols import symbols_of_plain

_NUMBERED = re.compile(rf"(?<=\S)[ \t.,]{{1,200}}\(({NUMBER})\)[ \t]{{0,20}}$")
_RELATION = re.compile(r"[=~∼≈∝≤≥]")
_WORD = re.compile(r"[A-Za-z]{4,}")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\s{1,9}[A-Z][^.=:]{2,70}")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,}|~{3,})\s{0,9}")
_COUNTED = re.compile(r"(\d{1,2})\.?\s{1,9}[A-Z][^.=:;,]{2,70}")
_FEW_WORDS = 6
_TITLE_WORDS = 4
_MOST_EQUATIONS = 5_000


def read_plaintext(name: str, text: str) -> Extracted:
    """What the text holds."""
    rows = text.split("\n")
    equations, same_equations = distinct(_equations(name, rows))
    criteria, same_criteria = distinct(criteria_in(name, plain_lines(rows)))
    algorithms, same_algorithms = distinct(algorithms_in(name, rows, markdown=False))
    said = (*same_equations, *same_criteria, *same_algorithms)
    return Extracted(name, "", "text", text, equations, algorithms, (), criteria, (), said)


def looks_like_mathematics(text: str) -> bool:
    """A relation, and few words: a sentence that mentions equation (3) is none."""
    words = _WORD.findall(text[:400])
    return bool(_RELATION.search(text[:400])) and len(words) <= max(4, len(text.split()) // 3)


def plain_lines(rows: Sequence[str], *, sentences_end: bool = False) -> list[Line]:
    """Lines with headings marked: numbered, underlined, or a few words about criteria.

    `sentences_end`: the text has no empty lines (a PDF), so a line that ends with a full stop ends what it is in.
    """
    lines: list[Line] = []
    number = 0
    for at, row in enumerate(rows):
        stripped = row.strip()
        level = _level(stripped, rows[at + 1][:200] if at + 1 < len(rows) else "", number)
        if level and (counted := _COUNTED.match(stripped)):
            number = int(counted[1])
        bars = stripped.startswith("|") and stripped.endswith("|") and len(stripped) < 4_000
        cells = tuple(cell.strip(" -:") for cell in stripped.strip("|").split("|")) if bars else ()
        lines.append(Line(at + 1, stripped if level else row, level, cells))
        if sentences_end and stripped.endswith("."):
            lines.append(Line(at + 1, ""))
    return lines


def _level(stripped: str, following: str, number: int) -> int:
    """Of a heading, from 1. `number`: of the section above, so that "5. Conclusion" after section 4 is no item."""
    if stripped and (underline := _UNDERLINE.fullmatch(following)):
        return "=-~".index(underline[0].strip()[0]) + 1
    if len(stripped) >= 90:
        return 0
    if _SECTION.fullmatch(stripped):
        return stripped.split()[0].count(".") + 1
    counted, words = _COUNTED.fullmatch(stripped), len(stripped.split())
    if counted and number and int(counted[1]) == number + 1 and words <= _TITLE_WORDS:
        return 1
    label, scope = label_of(stripped), scope_of(stripped)
    if scope and label is None and (words <= _FEW_WORDS or stripped.endswith(":")):
        return LOWEST
    return 1 if counted and scope >= Scope.LISTS and words <= _FEW_WORDS else 0


def _equations(name: str, rows: Sequence[str]) -> list[Equation]:
    found: list[Equation] = []
    for at, row in enumerate(rows, start=1):
        if len(row) > 2_000 or not row.rstrip().endswith(")") or len(found) >= _MOST_EQUATIONS:
            continue
        match = _NUMBERED.search(row)
        if match and looks_like_mathematics(row[: match.start()]):
            text = " ".join(row[: match.start()].split())
            ref = f"{name}({match[1]})"
            found.append(Equation(ref, name, text, True, at, None, match[1], None, symbols_of_plain(text)))
    return found

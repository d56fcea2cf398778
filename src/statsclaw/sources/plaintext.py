"""Plain text: lines with an equals sign that end in a number such as (3), numbered algorithms, stated criteria."""

from __future__ import annotations

import re
from collections.abc import Sequence

from statsclaw.sources.criteria import Line, criteria_in, speaks_of_criteria
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
_MOST_EQUATIONS = 5_000


def read_plaintext(name: str, text: str) -> Extracted:
    """What the text holds."""
    rows = text.split("\n")
    equations, same_equations = distinct(_equations(name, rows))
    criteria, same_criteria = distinct(criteria_in(name, plain_lines(rows), bare=True))
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
    for at, row in enumerate(rows):
        stripped = row.strip()
        underlined = at + 1 < len(rows) and bool(stripped) and bool(_UNDERLINE.fullmatch(rows[at + 1][:200]))
        short = len(stripped) < 90
        spoken = short and speaks_of_criteria(stripped) and (len(stripped.split()) <= 6 or stripped.endswith(":"))
        heading = underlined or spoken or (short and bool(_SECTION.fullmatch(stripped)))
        lines.append(Line(at + 1, stripped, heading=heading))
        if sentences_end and stripped.endswith("."):
            lines.append(Line(at + 1, ""))
    return lines


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

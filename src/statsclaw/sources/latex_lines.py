"""A LaTeX text as lines of prose: items of lists, rows of tables and captions as `criteria_in` reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from statsclaw.sources.criteria import Line
from statsclaw.sources.criteria_labels import ID, ROMAN
from statsclaw.sources.latex_parts import caption_of, placed_cells
from statsclaw.sources.readable import readable

_ITEM = re.compile(r"\\item(?![A-Za-z])\s{0,9}(?:\[([^\[\]]{0,100})\])?")
_LIST = re.compile(
    r"\\(begin|end)\s{0,9}\{(enumerate|itemize|description|compactenum|compactitem|table|center|document)\*?\}"
    r"(?:\s{0,9}\[([^\[\]]{0,200})\])?"
)
_PIECE = re.compile(rf"{_LIST.pattern}|{_ITEM.pattern}")
_LISTS = ("enumerate", "itemize", "description", "compactenum", "compactitem")
_TABULAR = re.compile(r"\\begin\s{0,9}\{(tabular\w?\*?|longtable)\}")
_CAPTION = re.compile(r"\\caption\*?\s{0,9}(?=[\[{])")
#: label=C\\arabic*, label=(\\roman*), [(a)]
_STYLE = re.compile(r"([A-Z]{0,3}-?)(?:\\(arabic|roman|alph)\b|(?<![a-z])([1ia])(?![a-z]))")
_KEPT = re.compile(rf"({ID})\b[\s.:)]*(.*)")
_BOLD_ID = re.compile(
    rf"^(\s{{0,40}})(?:\{{\\bf\s|\\(?:textbf|textit|emph|textsc|texttt|underline)\s?\{{)\(?({ID})\)?[.:]?\}}[.:]?"
)
_DEEPEST = 20
#: A paragraph ends where a list does.
_BREAK = "\n"

Place = Callable[[int], tuple[str, int]]


@dataclass
class _List:
    """An open list. `style`: how its items are numbered; "" where they are not."""

    style: str
    prefix: str = ""
    number: int = 0

    def label(self) -> str:
        """The mark of the next item, as Markdown would write it."""
        self.number += 1
        if not self.style:
            return "- "
        at = self.number - 1
        small = ROMAN[at] if self.style == "roman" and at < len(ROMAN) else chr(97 + at % 26)
        if self.prefix:
            return f"**{self.prefix}{self.number}** "
        return f"{self.number}. " if self.style == "arabic" else f"({small}) "


def prose_lines(text: str, start: int, end: int, place: Place) -> Iterator[Line]:
    """The lines between two places of a text; `place`: the file and line of a place."""
    reader = _Reader(place)
    while start < end:
        opened = _TABULAR.search(text, start, end)
        closed = text.find(f"\\end{{{opened[1]}}}", opened.end(), end) if opened else -1
        if opened is None or closed < 0:
            break
        yield from reader.prose(text[start : opened.start()], start)
        content = text[opened.end() : closed]
        file, line = place(opened.start())
        if caption := caption_of(content):
            yield Line(line, caption, file=file)
        yield from (Line(line + down, "", 0, cells, file) for down, cells in placed_cells(content))
        yield Line(line, "", file=file)
        start = closed + len(f"\\end{{{opened[1]}}}")
    yield from reader.prose(text[start:end], start)


@dataclass
class _Reader:
    place: Place
    open: list[_List] = field(default_factory=list)

    def prose(self, text: str, start: int) -> Iterator[Line]:
        for row in text.split("\n"):
            file, number = self.place(start)
            start += len(row) + 1
            if caption := _CAPTION.search(row):
                yield Line(number, "", file=file)
                yield Line(number, caption_of(row[caption.start() :]) or row[caption.end() :], file=file)
                yield Line(number, "", file=file)
                continue
            pieces = list(self._pieces(row))
            for indent, piece in pieces:
                if piece.strip() or len(pieces) == 1 or piece == _BREAK:
                    yield Line(number, " " * indent + _marked(piece.strip()), file=file)

    def _pieces(self, row: str) -> Iterator[tuple[int, str]]:
        """A row, cut where an item begins; an item of an inner list is indented."""
        position, mark, indent = 0, "", 2 * len(self.open)
        for found in _PIECE.finditer(row):
            yield indent, mark + row[position : found.start()]
            position, mark = found.end(), ""
            if found[1]:
                self._edge(found[1], found[2], found[3] or "")
                yield 0, "" if self.open else _BREAK
            else:
                mark = self._label(found[4])
            indent = 2 * max(0, len(self.open) - (1 if mark else 0))
        yield indent, mark + row[position:]

    def _edge(self, edge: str, name: str, options: str) -> None:
        if name not in _LISTS:
            return
        if edge == "end":
            del self.open[-1:]
        elif len(self.open) < _DEEPEST:
            style = _STYLE.search(options)
            written = {"1": "arabic", "i": "roman", "a": "alph"}.get(style[3] or "", style[2] or "") if style else ""
            numbered = name in ("enumerate", "compactenum")
            self.open.append(_List(written or ("arabic" if numbered else ""), style[1] if style else ""))

    def _label(self, given: str | None) -> str:
        if given is None:
            return self.open[-1].label() if self.open else "- "
        words = readable(given).strip(" .:()")
        if named := _KEPT.fullmatch(words):
            return f"**{named[1]}** " + (f"{named[2].strip(' ().:')}: " if named[2].strip(" ().:") else "")
        return f"- {words}: " if words.strip("•-–*") else "- "


def _marked(piece: str) -> str:
    """A name in bold or another font as `**C1**`."""
    bullet, rest = ("- ", piece[2:]) if piece.startswith("- ") else ("", piece)
    if bold := _BOLD_ID.match(rest):
        return f"{bullet}**{bold[2]}** {rest[bold.end() :]}"
    return piece

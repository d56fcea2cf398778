"""Displayed formulas in a text: where each begins and ends, its rows, and what a row says of its own number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ROWS = frozenset(
    ("align", "alignat", "flalign", "xalignat", "xxalignat", "gather", "eqnarray", "IEEEeqnarray", "rgather")
)
SINGLE = frozenset(("equation", "multline", "displaymath", "dmath"))
HEADINGS = frozenset(("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"))
MOST_DISPLAYS = 5_000
_DISPLAYED = ROWS | SINGLE
_EVENT = re.compile(
    r"\\\\|\\(?P<bracket>[\[\]])|\\(?P<edge>begin|end)\s{0,9}\{(?P<environment>[A-Za-z]{1,40}\*?)\}"
    r"|\\(?P<word>[A-Za-z@]+)\*?|\\.|(?P<dollars>\$\$?)|(?P<paragraph>\n[ \t]{0,80}(?=\n))",
    re.DOTALL,
)
_INSIDE = re.compile(r"\\\\(?:\*?\s{0,9}\[[^\[\]\n]{0,20}\])?|\\(?P<edge>begin|end)\s{0,9}\{|\\.|[{}&]", re.DOTALL)
_LABEL = re.compile(r"\\label\s{0,9}\{([^{}\n]{1,100})\}")
_TAG = re.compile(r"\\tag\*?\s{0,9}\{([^\n]{1,60})")
_EQNO = re.compile(r"\\(?:l)?eqno\s{0,9}\{?\s{0,9}\(?([\w.*'-]{1,20})\)?\s{0,9}\}?")
_SILENT = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])")
_PROSE_ROW = re.compile(r"\\(?:short)?intertext\s{0,9}\{[^{}]{0,2000}\}")
_ARGUMENT = re.compile(r"\s{0,9}\{[^{}]{0,40}\}")
NUMBER = r"[A-Z]{0,2}\.?\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?'?"
_TRAILING = re.compile(
    r"(?P<gap>(?:\\q?quad|\\hfill|\\hspace\*?\{[^{}]{0,20}\}|\\[,;:!]|~|\s|\\ ){1,20})"
    rf"\(({NUMBER})\)[\s.,;]{{0,9}}$"
)
_CALLED = re.compile(
    r"(?:[-+*/^_<>=(,|]|\\(?:cdot|times|in|sim|le|ge|leq|geq|Phi|phi|Gamma|log|exp)|(?<![A-Za-z])[fghFGP])$"
)


@dataclass(frozen=True, slots=True)
class Display:
    """`environment` is `equation`, `align*`, ..., or `\\[` or `$$`; `first` and `last` of its body."""

    environment: str
    start: int
    first: int
    last: int
    end: int

    @property
    def base(self) -> str:
        return self.environment.rstrip("*")


@dataclass(frozen=True, slots=True)
class Event:
    """What stands between displays and matters for numbering: a command or the edge of another environment."""

    word: str
    environment: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """`number`: written by the author. `silent`: the author wants none."""

    text: str
    start: int
    number: str | None
    label: str | None
    silent: bool


class DisplayScanner:
    """One pass over a text. `said` collects displays that are never closed."""

    def __init__(self, text: str, edges: Mapping[str, tuple[str, str]], environments: Mapping[str, str]) -> None:
        self.text, self.edges, self.environments = text, edges, environments
        self.opened: tuple[str, int, int] | None = None
        self.inline = False
        self.unclosed: list[tuple[str, int]] = []
        self.count = 0

    def scan(self) -> Iterator[Display | Event]:
        """Ends early, and `full` says so, after more displays than any document has."""
        for match in _EVENT.finditer(self.text):
            if self.full:
                return
            if match["paragraph"] is not None:
                self._paragraph()
            elif match["dollars"]:
                yield from self._dollars(match)
            elif match["bracket"]:
                yield from self._bracket(match)
            elif match["environment"] or match["word"] in self.edges:
                yield from self._edge(match)
            elif match["word"] and (self.opened is None or match["word"] in HEADINGS):
                self._give_up()
                yield Event(match["word"], "", match.start(), match.end())
        if self.opened:
            self.unclosed.append(self.opened[:2])

    def _paragraph(self) -> None:
        self.inline = False
        if self.opened and self.opened[0] == "$$":
            self._give_up()

    def _give_up(self) -> None:
        if self.opened:
            self.unclosed.append(self.opened[:2])
        self.opened = None

    def _dollars(self, match: re.Match[str]) -> Iterator[Display]:
        if self.opened and self.opened[0] == "$$":
            if match["dollars"] == "$$":
                yield self._close(match)
        elif self.opened is None:
            if match["dollars"] == "$":
                self.inline = not self.inline
            elif not self.inline:
                self.opened = ("$$", match.start(), match.end())

    def _bracket(self, match: re.Match[str]) -> Iterator[Display]:
        if match["bracket"] == "[" and self.opened is None and not self.inline:
            self.opened = ("\\[", match.start(), match.end())
        elif match["bracket"] == "]" and self.opened and self.opened[0] == "\\[":
            yield self._close(match)

    def _edge(self, match: re.Match[str]) -> Iterator[Display | Event]:
        edge, name = self.edges[match["word"]] if match["word"] else (match["edge"], match["environment"])
        name = self.environments.get(name, name)
        if name.rstrip("*") not in _DISPLAYED:
            if self.opened is None or self.opened[0] not in ("$$", "\\["):
                yield Event(edge, name, match.start(), match.end())
        elif self.opened and self.opened[0] in ("$$", "\\["):
            return
        elif edge == "begin":
            self._give_up()
            self.inline = False
            self.opened = (name, match.start(), match.end())
        elif self.opened and self.opened[0] == name:
            yield self._close(match)
        else:
            self._give_up()

    @property
    def full(self) -> bool:
        return self.count >= MOST_DISPLAYS or len(self.unclosed) >= MOST_DISPLAYS

    def _close(self, match: re.Match[str]) -> Display:
        name, start, first = self.opened or ("", 0, 0)
        self.opened = None
        self.count += 1
        return Display(name, start, first, match.start(), match.end())


def rows_of(text: str, display: Display, *, split: bool) -> list[Row]:
    """The rows of a display that can have numbers of their own; otherwise one."""
    body, first = text[display.first : display.last], display.first
    if display.base in ("alignat", "xalignat", "xxalignat", "IEEEeqnarray") and (given := _ARGUMENT.match(body)):
        body, first = body[given.end() :], first + given.end()
    body = _PROSE_ROW.sub(lambda match: " " * len(match[0]), body)
    pieces = _split(body) if split else [(0, body)]
    return [_row(piece, first + start) for start, piece in pieces]


def _split(body: str) -> list[tuple[int, str]]:
    """At every `\\\\` outside of braces and inner environments; alignment marks there become spaces."""
    pieces: list[tuple[int, str]] = []
    current: list[str] = []
    depth = start = position = 0
    for match in _INSIDE.finditer(body):
        token = match[0]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        elif match["edge"]:
            depth += 2 if match["edge"] == "begin" else 0  # the name's own braces close one of the two
        if depth <= 0 and token == "&":
            current += [body[position : match.start()], " "]
            position = match.end()
        if depth <= 0 and token.startswith("\\\\"):
            pieces.append((start, "".join([*current, body[position : match.start()]])))
            current, position, start, depth = [], match.end(), match.end(), 0
    return [*pieces, (start, "".join([*current, body[position:]]))]


def _row(piece: str, start: int) -> Row:
    label = _LABEL.search(piece)
    tag = _TAG.search(piece)
    number, text = None, _LABEL.sub(" ", piece)
    if tag:
        number, written = _tagged(tag[1])
        text = text.replace(tag[0][: len(tag[0]) - len(tag[1])] + written, " ", 1)
    elif eqno := _EQNO.search(text):
        number, text = eqno[1], text[: eqno.start()] + " " + text[eqno.end() :]
    silent = bool(_SILENT.search(piece)) and number is None
    lead = len(piece) - len(piece.lstrip())
    return Row(" ".join(_SILENT.sub(" ", text).split()), start + lead, number, label[1] if label else None, silent)


def _tagged(rest: str) -> tuple[str, str]:
    """The content of `\\tag{...}` up to its brace, without dollars and fonts, and what was written."""
    depth = 1
    for at, character in enumerate(rest):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            plain = re.sub(r"\\[A-Za-z]{1,40}|[${}]", "", rest[:at])
            return " ".join(plain.split()).strip("()") or "?", rest[: at + 1]
    return "?", rest


def trailing_number(text: str) -> tuple[str, str | None]:
    """A formula that ends in `\\quad (3)`, or in a `(3)` set off by a space, without it; and the number."""
    tail = max(0, len(text) - 400)
    match = _TRAILING.search(text, tail)
    if not match:
        return text, None
    before = text[: match.start()].rstrip()
    set_off = "quad" in match["gap"] or "\\h" in match["gap"]
    if not before or (not set_off and _CALLED.search(before[-20:])):
        return text, None
    return before, match[2]

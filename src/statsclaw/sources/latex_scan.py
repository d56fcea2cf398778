"""LaTeX as written: comments, listings and switched-off passages blanked, every character kept in its place.

A passage that is Markdown (a line such as `## Results`, which LaTeX would refuse) is set aside for the Markdown
reader up to the next LaTeX heading.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

_VERBATIM = frozenset(
    ("verbatim", "verbatim*", "Verbatim", "BVerbatim", "lstlisting", "minted", "comment", "alltt", "filecontents")
)
_TOKEN = re.compile(
    r"\\(?P<edge>begin|end)[ \t]{0,9}\{(?P<environment>[A-Za-z]{1,40}\*?)\}"
    r"|\\(?P<inline>verb\*?|lstinline)(?![A-Za-z])"
    r"|\\(?P<off>iffalse)(?![A-Za-z])"
    r"|\\(?:[A-Za-z@]+|.|\n)"
    r"|(?P<comment>%[^\n]*)"
    r"|^(?P<heading>\#{1,6}[ \t]{1,9}[^\s#])",
    re.MULTILINE,
)
_NEXT_LATEX_HEADING = re.compile(r"^\\(?:(?:sub){0,2}section|chapter|appendix|bibliography|end[ ]?\{document\})", re.M)
_NOT_NEWLINE = re.compile(r"[^\n]+")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Passage:
    """Markdown inside of a LaTeX file. `line` is that of its first row."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    passages: tuple[Passage, ...]
    said: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """The text with everything blanked that LaTeX does not typeset as prose or formulas."""
    return _Cleaner(text).run()


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The spans, which are in order and do not overlap, as spaces; ends of lines stay."""
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], _NOT_NEWLINE.sub(lambda row: " " * len(row[0]), text[start:end])]
        position = end
    return "".join([*parts, text[position:]])


def braces_of(text: str) -> array[int]:
    """For each `{` the position of its `}`, 0 everywhere else; escaped braces do not count."""
    closing = array("l", bytes(array("l").itemsize * len(text)))
    opened: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            closing[opened.pop()] = match.start()
    return closing


class _Cleaner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []
        self.passages: list[Passage] = []
        self.said: list[str] = []
        self.depth = 0
        self.in_body = "\\documentclass" not in text

    def run(self) -> Cleaned:
        position = 0
        while match := _TOKEN.search(self.text, position):
            position = self._after(match)
        return Cleaned(blank(self.text, self.spans), tuple(self.passages), tuple(self.said))

    def _after(self, match: re.Match[str]) -> int:
        if match["environment"]:
            return self._environment(match)
        if match["inline"]:
            return self._inline(match.end())
        if match["off"]:
            return self._blank_until(match.start(), "\\fi", match.end(), "\\iffalse")
        if match["comment"]:
            self.spans.append(match.span())
        if match["heading"] and self.in_body and self.depth <= 0:
            return self._passage(match.start())
        return match.end()

    def _environment(self, match: re.Match[str]) -> int:
        name, begins = match["environment"], match["edge"] == "begin"
        if name == "document":
            self.in_body, self.depth = True, 0
            if not begins:
                self.spans.append((match.end(), len(self.text)))
                return len(self.text)
        elif begins and name in _VERBATIM:
            return self._blank_until(match.start(), "\\end{" + name + "}", match.end(), name)
        else:
            self.depth = max(0, self.depth + (1 if begins else -1))
        return match.end()

    def _blank_until(self, start: int, stop: str, position: int, name: str) -> int:
        found = self.text.find(stop, position)
        end = len(self.text) if found < 0 else found + len(stop)
        if found < 0:
            line = self.text.count("\n", 0, start) + 1
            self.said.append(f"{name} is opened in line {line} and never closed; what follows it was not read")
        self.spans.append((start, end))
        return end

    def _inline(self, position: int) -> int:
        delimiter = self.text[position : position + 1]
        if not delimiter or delimiter in "\n{[":
            return position
        end = self.text.find(delimiter, position + 1, position + 1000)
        if end < 0 or "\n" in self.text[position:end]:
            return position
        self.spans.append((position, end + 1))
        return end + 1

    def _passage(self, start: int) -> int:
        stop = _NEXT_LATEX_HEADING.search(self.text, start)
        end = stop.start() if stop else len(self.text)
        self.passages.append(Passage(self.text[start:end], self.text.count("\n", 0, start) + 1))
        self.spans.append((start, end))
        return end

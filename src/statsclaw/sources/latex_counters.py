"""The counters of a LaTeX document, stepped and printed as LaTeX does it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LEVELS = ("chapter", "section", "subsection", "subsubsection")
_WITH_CHAPTERS = re.compile(
    r"\\documentclass\s{0,9}(?:\[[^\[\]]{0,400}\])?\s{0,9}\{(?:book|report|memoir|scrbook|scrreprt)\}"
)
_PART = re.compile(r"\\(arabic|alph|Alph|roman|Roman)\s{0,9}\{([A-Za-z]{1,40})\}|\\the([A-Za-z]{1,40})|[{}\\]")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass
class Counters:
    values: dict[str, int] = field(default_factory=dict)
    formats: dict[str, str] = field(default_factory=dict)
    within: str | None = None
    chapters: bool = False
    _before_subequations: tuple[int, str] | None = None

    def step(self, name: str) -> None:
        """One more; everything counted within it starts again."""
        self.values[name] = self.values.get(name, 0) + 1
        if name in LEVELS:
            for below in LEVELS[LEVELS.index(name) + 1 :]:
                self.values[below] = 0
            if self.within in LEVELS and LEVELS.index(self.within) >= LEVELS.index(name):
                self.values["equation"] = 0

    def number_within(self, level: str) -> None:
        self.within = level
        self.formats["equation"] = rf"\the{level}.\arabic{{equation}}"

    def appendix(self) -> None:
        top = "chapter" if self.chapters else "section"
        self.values |= dict.fromkeys(LEVELS[LEVELS.index(top) :], 0)
        self.formats[top] = rf"\Alph{{{top}}}"

    def begin_subequations(self) -> str:
        """The number of the whole; what follows is `3a`, `3b`."""
        self.step("equation")
        whole = self.the("equation")
        self._before_subequations = (self.values["equation"], self.formats.get("equation", ""))
        self.values["equation"], self.formats["equation"] = 0, whole + r"\alph{equation}"
        return whole

    def end_subequations(self) -> None:
        if self._before_subequations:
            self.values["equation"], self.formats["equation"] = self._before_subequations
            if not self.formats["equation"]:
                del self.formats["equation"]
            self._before_subequations = None

    @property
    def in_subequations(self) -> bool:
        return self._before_subequations is not None

    def the(self, name: str, depth: int = 0) -> str:
        """The counter as printed."""
        template = self.formats.get(name) or self._usual(name)
        if depth > 4:
            return "?"

        def part(match: re.Match[str]) -> str:
            if match[1]:
                return _written(match[1], self.values.get(match[2], 0))
            return self.the(match[3], depth + 1) if match[3] else ""

        return _PART.sub(part, template)[:40].strip()

    def _usual(self, name: str) -> str:
        above = LEVELS[LEVELS.index(name) - 1] if name in LEVELS and name != "chapter" else ""
        if above and (above != "chapter" or self.chapters):
            return rf"\the{above}.\arabic{{{name}}}"
        if name == "equation" and self.chapters and self.values.get("chapter"):
            return r"\thechapter.\arabic{equation}"
        return rf"\arabic{{{name}}}"


def counters_for(text: str) -> Counters:
    """As the class of the document starts them: books and reports number equations by chapter."""
    chapters = bool(_WITH_CHAPTERS.search(text))
    return Counters(chapters=chapters, within="chapter" if chapters else None)


def _written(style: str, value: int) -> str:
    if style == "arabic":
        return str(value)
    if style in ("alph", "Alph"):
        letter = chr(ord("a") + value - 1) if 1 <= value <= 26 else "?"
        return letter.upper() if style == "Alph" else letter
    text = ""
    for size, sign in _ROMAN:
        count, value = divmod(min(value, 4999), size) if value > 0 else (0, 0)
        text += sign * count
    return text.upper() if style == "Roman" else text

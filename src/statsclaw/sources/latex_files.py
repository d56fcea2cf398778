"""A LaTeX document of several files as one text, with the file and line of every character."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from statsclaw.sources.decode import LARGEST_TEXT, decode
from statsclaw.sources.latex_scan import Passage, clean

_INPUT = re.compile(r"\\(?:input|include|subfile)[ \t]{0,9}(?:\{([^{}\n]{1,200})\}|(?<=[ \t])([\w./-]{1,200}))")
_DEEPEST = 12
_MOST_FILES = 300
_MOST_COMMANDS = 3_000


@dataclass
class Joined:
    """`passages`: Markdown in the LaTeX, with the file it stands in. `taken_in`: the files that \\input named."""

    text: str = ""
    passages: list[tuple[str, Passage]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    taken_in: set[str] = field(default_factory=set)
    _starts: list[int] = field(default_factory=list)
    _origins: list[tuple[str, int]] = field(default_factory=list)
    _newlines: list[int] = field(default_factory=list)

    def place(self, offset: int) -> tuple[str, int]:
        """File and line of a character."""
        piece = max(0, bisect_right(self._starts, offset) - 1)
        file, first = self._origins[piece]
        return file, first + bisect_right(self._newlines, offset - 1) - bisect_right(
            self._newlines, self._starts[piece] - 1
        )


class _Joiner:
    def __init__(self, others: Mapping[str, bytes]) -> None:
        self.others = others
        self.joined = Joined()
        self.parts: list[str] = []
        self.length = 0
        self.files = self.commands = 0

    def add(self, name: str, text: str, open_files: tuple[str, ...]) -> None:
        cleaned = clean(text)
        self.joined.said += [f"{name}: {sentence}" if len(open_files) > 1 else sentence for sentence in cleaned.said]
        self.joined.passages += [(name, passage) for passage in cleaned.passages]
        position, line = 0, 1
        for match in _INPUT.finditer(cleaned.text):
            if self.commands > _MOST_COMMANDS:
                break
            self.commands += 1
            self._piece(name, line, cleaned.text[position : match.start()])
            line += cleaned.text.count("\n", position, match.end())
            position = match.end()
            self._take_in((match[1] or match[2]).strip(), open_files)
        self._piece(name, line, cleaned.text[position:])

    def _piece(self, name: str, line: int, text: str) -> None:
        self.joined._starts.append(self.length)
        self.joined._origins.append((name, line))
        self.parts.append(text + "\n")
        self.length += len(text) + 1

    def _take_in(self, wanted: str, open_files: tuple[str, ...]) -> None:
        found = self._find(wanted, open_files)
        problem = ""
        if found is None:
            problem = "is not among the sources"
        elif found in open_files:
            problem = "takes itself in again (a cycle); it was read once"
        elif len(open_files) > _DEEPEST or self.files >= _MOST_FILES or self.length > LARGEST_TEXT:
            problem = "was not taken in: too many files or too much text in one document"
        if found is None or problem:
            sentence = f"\\input{{{wanted}}} in {open_files[-1]}: the file {problem}"
            if sentence not in self.joined.said and len(self.joined.said) < 50:
                self.joined.said.append(sentence)
            return
        self.files += 1
        self.joined.taken_in.add(found)
        text, wrong = decode(self.others[found])
        if wrong:
            self.joined.said.append(f"\\input{{{wanted}}}: {wrong}")
        else:
            self.add(found, text, (*open_files, found))

    def _find(self, wanted: str, open_files: tuple[str, ...]) -> str | None:
        for folder in (posixpath.dirname(open_files[0]), posixpath.dirname(open_files[-1]), ""):
            for ending in ("", ".tex"):
                name = posixpath.normpath(posixpath.join(folder, wanted + ending))
                if name in self.others or name == open_files[0]:
                    return name
        return None


def join_files(name: str, text: str, others: Mapping[str, bytes]) -> Joined:
    """The document that starts in the file `name`. Missing files and cycles are said, not followed."""
    joiner = _Joiner(others)
    joiner.add(name, text, (name,))
    joined = joiner.joined
    joined.text = "".join(joiner.parts)
    joined._newlines = [match.start() for match in re.finditer("\n", joined.text)]
    return joined

"""Where texts, quoted names and comments stand in R code. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

#: A raw text up to its bracket, a text, a quoted name, an operator such as %in%, a comment.
_PIECE = re.compile(
    r"""[rR](?P<quote>["'])(?P<dashes>-*)(?P<bracket>[(\[{])"""
    r"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?P<name>`(?:\\.|[^`\\])*`)|(?P<operator>%[^%\n]*%)|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Piece(NamedTuple):
    kind: Literal["text", "name", "operator", "comment"]
    start: int
    end: int


def pieces(code: str) -> Iterator[Piece]:
    """What holds characters that are not code, in order. A raw text that is never closed goes to the end."""
    at = 0
    while found := _PIECE.search(code, at):
        at = found.end()
        if bracket := found["bracket"]:
            closing = _CLOSING[bracket] + found["dashes"] + found["quote"]
            place = code.find(closing, at)
            at = len(code) if place < 0 else place + len(closing)
        kind = found.lastgroup if found.lastgroup in ("name", "operator", "comment") else "text"
        yield Piece(kind, found.start(), at)  # type: ignore[arg-type]


def blanked(code: str) -> str:
    """The code with blanks for texts and comments, so that brackets, commas and arrows in them do not count."""
    parts: list[str] = []
    at = 0
    for piece in pieces(code):
        if piece.kind in ("text", "comment"):
            inside = code[piece.start : piece.end]
            parts += [code[at : piece.start], "".join("\n" if char == "\n" else " " for char in inside)]
            at = piece.end
    return "".join([*parts, code[at:]])


def without_comments(code: str) -> str:
    parts: list[str] = []
    at = 0
    for piece in pieces(code):
        if piece.kind == "comment":
            parts.append(code[at : piece.start])
            at = piece.end
    return "".join([*parts, code[at:]])

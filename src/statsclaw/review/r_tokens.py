"""The words of R code with the line of each, and which bracket belongs to which. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_LARGEST_FILE = 1_000_000
_MOST_TOKENS = 100_000
Kind = Literal["name", "text", "number", "op", "open", "close", "newline"]
_SPACE = re.compile(r"[ \t\r\f\u00a0]+|#[^\n]*")
_RAW = re.compile(r"[rR](['\"])(-{0,20})([\[({])")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]{1,40}[Li]?|(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,6})?[Li]?")
_NAME = re.compile(r"(?:[^\W\d_]|\.(?!\d))[\w.]*")
_OPERATOR = re.compile(r"<<-|->>|\|>|:::|::|<-|->|<=|>=|==|!=|&&|\|\||%[^%\n]{0,40}%|[-+*/^<>=!&|~?:$@,;\\]")
_CLOSES = {"(": ")", "[": "]", "{": "}"}
_ESCAPES = {"n": "\n", "t": "\t"}


class Unreadable(Exception):
    """R code that cannot be read: why, and where."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    line: int


def tokens_of(text: str) -> list[Token]:
    """Comments and spaces are left out; line ends are kept, since they end statements."""
    if len(text) > _LARGEST_FILE:
        raise Unreadable(1, f"it is longer than {_LARGEST_FILE:,} characters")
    found: list[Token] = []
    for token in _tokens(text):
        found.append(token)
        if len(found) > _MOST_TOKENS:
            raise Unreadable(token.line, "it holds too much")
    return found


def _tokens(text: str) -> Iterator[Token]:
    at, line = 0, 1
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        kind, word, end = _next(text, at, line)
        yield Token(kind, word, line)
        line += text.count("\n", at, end)
        at = end


def _next(text: str, at: int, line: int) -> tuple[Kind, str, int]:
    letter = text[at]
    if letter == "\n":
        return "newline", "\n", at + 1
    if raw := _RAW.match(text, at):
        closing = _CLOSES[raw[3]] + raw[2] + raw[1]
        end = text.find(closing, raw.end())
        if end < 0:
            raise Unreadable(line, "a text is opened here and never closed")
        return "text", text[raw.end() : end], end + len(closing)
    if letter in "'\"`":
        word, end = _quoted(text, at, line)
        return ("name" if letter == "`" else "text"), word, end
    if letter in "([{":
        return "open", letter, at + 1
    if letter in ")]}":
        return "close", letter, at + 1
    for kind, pattern in (("number", _NUMBER), ("name", _NAME), ("op", _OPERATOR)):
        if match := pattern.match(text, at):
            return kind, match[0], match.end()  # type: ignore[return-value]
    raise Unreadable(line, f"{letter!r} is not expected here")


def _quoted(text: str, at: int, line: int) -> tuple[str, int]:
    mark, start, parts = text[at], at + 1, list[str]()
    at = start
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            parts.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
        elif text[at] == mark:
            return "".join(parts), at + 1
        else:
            parts.append(text[at])
            at += 1
    raise Unreadable(line, "a text is opened here and never closed")

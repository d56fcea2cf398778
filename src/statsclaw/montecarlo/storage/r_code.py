"""The code of an R file without what R does not read: comments, blank lines, space at the end of lines."""

from __future__ import annotations

import re
from pathlib import Path

#: A raw string up to its bracket, a string, a quoted name, an operator such as %in%, a comment.
_TOKEN = re.compile(
    rb"""[rR](?P<quote>["'])(?P<dashes>-*)(?P<bracket>[(\[{])"""
    rb"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|%[^%\n]*%|(?P<comment>\#[^\n]*)""",
    re.DOTALL,
)
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}
_END_OF_LINE = re.compile(rb"[ \t\r]*(?:\n[ \t\r]*(?=\n|\Z))*(?=\n|\Z)")


def without_comments(file: Path) -> bytes:
    """Of a file of R; others as they are."""
    content = file.read_bytes()
    if file.suffix.lower() != ".r":
        return content
    kept, code, at = list[bytes](), b"", 0
    while (found := _TOKEN.search(content, at)) is not None:
        code += content[at : found.start()]
        at = _end(content, found)
        if found["comment"] is None:
            kept += [_END_OF_LINE.sub(b"", code), content[found.start() : at]]
            code = b""
    return b"".join([*kept, _END_OF_LINE.sub(b"", code + content[at:])]).strip()


def _end(content: bytes, found: re.Match[bytes]) -> int:
    if found["bracket"] is None:
        return found.end()
    closing = _CLOSING[found["bracket"]] + found["dashes"] + found["quote"]
    place = content.find(closing, found.end())
    return len(content) if place < 0 else place + len(closing)

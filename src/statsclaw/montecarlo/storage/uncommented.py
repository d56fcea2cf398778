"""The code of an R file without what R does not read: comments, blank lines, space at the end of lines."""

from __future__ import annotations

import re
from pathlib import Path

from statsclaw.r_code import pieces

_END_OF_LINE = re.compile(r"[ \t\r]*(?:\n[ \t\r]*(?=\n|\Z))*(?=\n|\Z)")


def without_comments(file: Path) -> bytes:
    """Of a file of R; others as they are."""
    content = file.read_bytes()
    if file.suffix.lower() != ".r":
        return content
    text = content.decode("latin-1")  # byte by byte
    kept, code, at = list[str](), "", 0
    for piece in pieces(text):
        code, at = code + text[at : piece.start], piece.end
        if piece.kind != "comment":
            kept += [_END_OF_LINE.sub("", code), text[piece.start : at]]
            code = ""
    return "".join([*kept, _END_OF_LINE.sub("", code + text[at:])]).encode("latin-1").strip()

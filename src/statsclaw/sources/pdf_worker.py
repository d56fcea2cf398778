"""Reads one PDF from standard input and writes JSON; run as a process of its own, with limits, by `pdf.py`.

The library that parses PDFs is native code: what it does with a hostile file ends with this process. Depends on
nothing of StatsClaw.
"""

from __future__ import annotations

import base64
import io
import json
import re
import resource
import sys
from typing import Any

MOST_PAGES = 40
_MOST_CHARACTERS = 20_000
_LONGEST_SIDE = 1_800
_MEMORY = 3 * 1024**3
_SECONDS = 90
_NUMBER = re.compile(r"\(([A-Z]{0,2}\.?\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?'?)\)")

Box = tuple[float, float, float, float]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    sys.stdout.write(json.dumps(read(sys.stdin.buffer.read())))


def read(data: bytes) -> dict[str, Any]:
    """The pages, or why there are none."""
    import pypdfium2  # type: ignore[import-untyped]

    try:
        document = pypdfium2.PdfDocument(data)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        encrypted = "password" in str(error).lower() or "security" in str(error).lower()
        return {"error": "encrypted" if encrypted else "broken"}
    pages = []
    for number in range(min(count, MOST_PAGES)):
        try:
            pages.append(_page(document[number]))
        except (pypdfium2.PdfiumError, ValueError, OSError, MemoryError) as error:
            pages.append({"text": "", "anchors": [], "image": "", "wrong": type(error).__name__})
    return {"count": count, "pages": pages}


def _page(page: Any) -> dict[str, Any]:
    textpage = page.get_textpage()
    count = min(textpage.count_chars(), _MOST_CHARACTERS)
    text = textpage.get_text_range(0, count) if count > 0 else ""
    return {"text": text, "anchors": _anchors(textpage, count), "image": _image(page)}


def _image(page: Any) -> str:
    width, height = page.get_size()
    scale = min(100 / 72, _LONGEST_SIDE / max(width, height, 1.0))
    if not 0 < width * height * scale * scale < _LONGEST_SIDE**2 + 1:
        return ""
    picture = page.render(scale=scale, grayscale=True).to_pil()
    out = io.BytesIO()
    picture.save(out, format="PNG", optimize=False)
    return base64.b64encode(out.getvalue()).decode()


def _anchors(textpage: Any, count: int) -> list[dict[str, Any]]:
    """Numbers in parentheses at the right margin with what stands to the left of them on the same line."""
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    signs = [chr(pdfium.FPDFText_GetUnicode(textpage, at) or 32) for at in range(count)]
    text = "".join(sign if len(sign) == 1 else " " for sign in signs)
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return []
    boxes: list[Box] = [textpage.get_charbox(at) for at in range(count)]
    written = [at for at in range(count) if not text[at].isspace()]
    margin = max(boxes[at][2] for at in written)
    width = margin - min(boxes[at][0] for at in written)
    found = []
    for match in matches[:400]:
        if boxes[match.end() - 1][2] > margin - 0.04 * width:
            found.append(_anchor(match, text, boxes, written))
    return found


def _anchor(match: re.Match[str], text: str, boxes: list[Box], written: list[int]) -> dict[str, Any]:
    left, bottom, _right, top = boxes[match.start()]
    middle, height = (bottom + top) / 2, max(top - bottom, 1.0)
    line: list[int] = []
    for reach in (0.9, 1.8):  # the line itself; where that holds nothing, the rows of a tall formula
        line = [
            at
            for at in written
            if boxes[at][2] <= left + 0.5 and abs((boxes[at][1] + boxes[at][3]) / 2 - middle) < reach * height
        ]
        if line:
            break
    line.sort(key=lambda at: boxes[at][0])
    shown, edge = "", None
    for at in line:
        shown += " " if edge is not None and boxes[at][0] - edge > 0.2 * height else ""
        shown += text[at]
        edge = boxes[at][2]
    gap = left - edge if edge is not None else 0.0
    return {"number": match[1], "text": shown[:1_000], "set_off": gap > height}


if __name__ == "__main__":
    main()

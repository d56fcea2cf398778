"""PDF: the text of each page, anchors of numbered equations, and pictures of the pages. Formulas stay pictures."""

from __future__ import annotations

import base64
import binascii
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from statsclaw.sources import pdf_worker
from statsclaw.sources.criteria import criteria_in
from statsclaw.sources.index import Equation, Extracted, Table
from statsclaw.sources.numbered_steps import algorithms_in
from statsclaw.sources.plaintext import looks_like_mathematics, plain_lines
from statsclaw.sources.refs import distinct

_LARGEST = 50_000_000
_SECONDS = 120
_FORMULAS = "formulas could not be extracted as structured mathematics: compare each with the picture of its page"
_WHY = {
    "encrypted": "the PDF is encrypted and needs a password; nothing was read",
    "broken": "the file is not a PDF that can be opened; nothing was read",
}


def read_pdf(name: str, data: bytes) -> Extracted:
    """What the PDF holds, or a sentence on why nothing could be read."""
    empty = Extracted(name, "", "pdf")
    if len(data) > _LARGEST:
        said = f"the PDF has {len(data):,} bytes; PDFs of more than {_LARGEST:,} bytes are not read"
        return replace(empty, not_extracted=(said,))
    if not data.strip():
        return replace(empty, not_extracted=("the file is empty",))
    answer = _ask_worker(data)
    if "error" in answer:
        return replace(empty, not_extracted=(_WHY.get(answer["error"], str(answer["error"])),))
    if not answer["pages"]:
        return replace(empty, not_extracted=("the PDF has no pages",))
    return _extracted(name, answer["pages"], answer["count"])


def _ask_worker(data: bytes) -> dict[str, Any]:
    command = [sys.executable, "-I", "-B", str(Path(pdf_worker.__file__))]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"the PDF could not be read within {_SECONDS} seconds"}
    except OSError as error:
        return {"error": f"the reader of PDFs could not be started: {error.strerror}"}
    try:
        answer = json.loads(done.stdout)
    except (ValueError, RecursionError):
        answer = None
    if done.returncode != 0 or not isinstance(answer, dict):
        missing = b"No module named" in done.stderr
        return {"error": "the package pypdfium2 is not installed" if missing else _WHY["broken"]}
    return answer


def _extracted(name: str, pages: list[dict[str, Any]], count: int) -> Extracted:
    texts = [str(page["text"]).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "") for page in pages]
    rows = [row for text in texts for row in text.split("\n") if not row.strip().isdigit()]
    equations, _same = distinct(_equations(name, pages))
    criteria, same_criteria = distinct(criteria_in(name, plain_lines(rows, sentences_end=True)))
    algorithms, _again = distinct(algorithms_in(name, rows, markdown=False))
    tables, _twice = distinct(_tables(name, rows))
    said = [_FORMULAS, *_not_read(texts, pages, count), *_gaps(equations), *same_criteria]
    said += ["the cells of tables could not be extracted; only their captions are listed"] if tables else []
    return Extracted(
        name,
        "",
        "pdf",
        "\n\f\n".join(texts),
        equations,
        tuple(replace(row, line=None) for row in algorithms),
        tables,
        tuple(replace(row, line=None) for row in criteria),
        (),
        tuple(said),
        MappingProxyType(_images(name, pages)),
    )


def _equations(name: str, pages: list[dict[str, Any]]) -> list[Equation]:
    """The first place where a number stands at the right margin next to something that looks like mathematics."""
    found: dict[str, Equation] = {}
    for number, page in enumerate(pages, start=1):
        for anchor in page["anchors"]:
            text, wanted = anchor["text"], anchor["number"]
            few_words = anchor["set_off"] or len(text.split()) < 8
            if wanted not in found and few_words and looks_like_mathematics(text):
                ref = f"{name}({wanted})"
                found[wanted] = Equation(ref, name, text, True, None, number, wanted)
    return list(found.values())


def _tables(name: str, rows: list[str]) -> list[Table]:
    found: dict[str, Table] = {}
    for row in rows:
        words = row.split(maxsplit=2)
        if len(words) == 3 and words[0] == "Table" and words[1].endswith((":", ".")):
            number = words[1].rstrip(":.")
            if number not in found and len(number) < 8:
                found[number] = Table(f"{name} Table {number}", name, words[2][:400], ())
    return list(found.values())


def _not_read(texts: list[str], pages: list[dict[str, Any]], count: int) -> list[str]:
    said = []
    if count > len(pages):
        said.append(f"the PDF has {count} pages; only the first {len(pages)} were read")
    if scanned := [str(at) for at, text in enumerate(texts, start=1) if not text.strip()]:
        said.append(f"no text on page {', '.join(scanned)}: a scanned or empty page; only its picture is there")
    if wrong := [str(at) for at, page in enumerate(pages, start=1) if page.get("wrong")]:
        said.append(f"page {', '.join(wrong)} could not be read")
    return said


def _gaps(equations: tuple[Equation, ...]) -> list[str]:
    """Plain numbers missing in the sequence were probably not recognised."""
    numbers = {int(row.number) for row in equations if row.number and row.number.isdigit()}
    missing = [f"({number})" for number in range(1, max(numbers, default=0)) if number not in numbers][:20]
    return [f"no equation was recognised for the number {', '.join(missing)}"] if missing else []


def _images(name: str, pages: list[dict[str, Any]]) -> Mapping[str, bytes]:
    stem = name.rsplit("/", 1)[-1].removesuffix(".pdf")
    images: dict[str, bytes] = {}
    for number, page in enumerate(pages, start=1):
        try:
            if picture := base64.b64decode(page["image"], validate=True):
                images[f"{stem}-page-{number}.png"] = picture
        except (binascii.Error, ValueError):
            continue
    return images

"""Notebooks: Markdown cells as Markdown, code cells as code. Lines are those of the cells written one after another."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from statsclaw.sources.code import read_python
from statsclaw.sources.code_r import read_r
from statsclaw.sources.decode import LARGEST_TEXT
from statsclaw.sources.index import Extracted, PublicFunction
from statsclaw.sources.markdown import read_markdown

_MOST_CELLS = 5_000
_MAGIC = re.compile(r"^[ \t]{0,80}[%!?].*$", re.MULTILINE)


def read_notebook(name: str, text: str) -> Extracted:
    """What the notebook holds; what its cells printed is not read."""
    empty = Extracted(name, "", "notebook")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return replace(empty, not_extracted=("not a notebook: the file is not JSON",))
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list):
        return replace(empty, not_extracted=("not a notebook of format 4: it has no list of cells",))
    language = _language(data)
    rows: list[str] = []
    functions: list[PublicFunction] = []
    said: list[str] = []
    for cell in cells[:_MOST_CELLS]:
        kind, content = _cell(cell)
        if len(content) + sum(map(len, rows[-1:])) > LARGEST_TEXT:
            said.append("a cell is too long to be read")
            continue
        if kind == "code":
            functions += _functions(name, content, language, len(rows) + 2, said)
            fence = "`" * (3 + max([0, *map(len, re.findall("`+", content))]))
            content = f"{fence}{language}\n{content}\n{fence}"
        rows += ["", *content.split("\n"), ""] if kind in ("markdown", "code") else []
    joined = "\n".join(rows)
    if len(joined) > LARGEST_TEXT:
        return replace(empty, not_extracted=("the cells of the notebook are too long to be read",))
    found = read_markdown(name, joined, "notebook")
    outputs = sum(isinstance(cell, dict) and bool(cell.get("outputs")) for cell in cells)
    said += [f"what {outputs} code cells printed or drew was not read"] if outputs else []
    said += [f"the notebook has more than {_MOST_CELLS:,} cells"] if len(cells) > _MOST_CELLS else []
    return replace(found, functions=tuple(functions), not_extracted=(*found.not_extracted, *said[:20]))


def _cell(cell: object) -> tuple[str, str]:
    if not isinstance(cell, dict):
        return "", ""
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    kind = cell.get("cell_type")
    return (kind, source) if isinstance(kind, str) and isinstance(source, str) else ("", "")


def _language(data: dict[str, object]) -> str:
    metadata = data.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language") if isinstance(kernel, dict) else None
    return "r" if isinstance(language, str) and language.lower() == "r" else "python"


def _functions(name: str, content: str, language: str, line: int, said: list[str]) -> list[PublicFunction]:
    if language == "r":
        return list(read_r(name, content, first_line=line + 1).functions)
    found = read_python(name, _MAGIC.sub("", content), first_line=line + 1)
    said += [f"a code cell: {sentence}" for sentence in found.not_extracted]
    return list(found.functions)

"""From files to an index: each file goes to the reader of its kind; what cannot be read is said plainly."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from statsclaw.sources.code import read_python
from statsclaw.sources.code_r import read_r
from statsclaw.sources.criteria import speaks_of_criteria
from statsclaw.sources.criteria_labels import inline_labels, parts_of
from statsclaw.sources.decode import decode
from statsclaw.sources.index import Extracted, Index, Kind, StatedCriterion
from statsclaw.sources.latex import read_latex
from statsclaw.sources.markdown import read_markdown
from statsclaw.sources.notebook import read_notebook
from statsclaw.sources.pdf import read_pdf
from statsclaw.sources.plaintext import read_plaintext
from statsclaw.sources.readable import readable_markdown

_LARGEST_NOTEBOOK = 20_000_000
_LATEX = (".tex", ".ltx", ".latex")
_MARKDOWN = (".md", ".markdown", ".rmd", ".qmd", ".mkd")
_OTHER_CODE = (
    ".c",
    ".cc",
    ".cpp",
    ".h",
    ".hpp",
    ".jl",
    ".f",
    ".f90",
    ".stan",
    ".do",
    ".m",
    ".js",
    ".ts",
    ".sas",
    ".java",
)
_LATEX_INSIDE = re.compile(r"\\documentclass|\\begin\s?\{(?:document|equation|align)\*?\}")
_MARKDOWN_INSIDE = re.compile(r"^#{1,6} \S|^\$\$|^```", re.MULTILINE)
_REQUESTED = re.compile(
    r"[ \t]{0,9}(?:[-*+•][ \t]{1,9})?(?:\*\*)?((?:A|C|AC)\d{1,3})(?:\*\*)?[.:)](?:\*\*)?[ \t]{1,9}(\S.{0,3000})"
)
_NOTHING: Mapping[str, bytes] = MappingProxyType({})


def extract(name: str, data: bytes, *, others: Mapping[str, bytes] = _NOTHING) -> Extracted:
    """One source. `others`: further files, by name, that an \\input or a package's NAMESPACE may be found in."""
    return _extract(name, data, others)[0]


def read_sources(files: Mapping[str, bytes]) -> Index:
    """All sources. A file that another one takes in by \\input is listed, and read only there."""
    read: dict[str, Extracted] = {}
    inside: dict[str, str] = {}
    for name, data in files.items():
        read[name], taken_in = _extract(name, data, files)
        inside |= {other: name for other in taken_in if other != name}
    for name in files:
        holder = inside.get(name)
        if holder is not None and not _is_held_by(holder, name, inside):
            said = f"it is part of {holder}, and what it holds is listed there"
            read[name] = Extracted(name, read[name].sha256, read[name].kind, not_extracted=(said,))
    return Index(tuple(read.values()))


def _is_held_by(name: str, holder: str, inside: Mapping[str, str]) -> bool:
    """Files that take each other in: the first of them stays."""
    return inside.get(name) == holder and list(inside).index(name) > list(inside).index(holder)


def criteria_of_request(directive: str) -> tuple[StatedCriterion, ...]:
    """The criteria that the person's directive states, as `request A1`."""
    found: dict[str, str] = {}
    text = directive[:100_000]
    for criterion in read_markdown("request", text).criteria:
        found[criterion.ref.removeprefix("request ")] = criterion.text
    for row in text.split("\n"):
        if (match := _REQUESTED.match(row)) and match[1] not in found:
            found[match[1]] = readable_markdown(match[2])
        elif speaks_of_criteria(row[:4_000]):
            named = [match for match in inline_labels(row[:4_000]) if match[1] or match[2][0].isupper()]
            for name, words in parts_of(row[:4_000], named):
                found.setdefault(name, readable_markdown(words))
    return tuple(StatedCriterion(f"request {name}", "request", name, words) for name, words in found.items())


def _extract(name: str, data: bytes, others: Mapping[str, bytes]) -> tuple[Extracted, frozenset[str]]:
    sha256 = hashlib.sha256(data).hexdigest()
    ending = posixpath.splitext(name)[1].lower()
    taken_in: frozenset[str] = frozenset()
    if ending == ".pdf" or data.startswith(b"%PDF-"):
        return replace(read_pdf(name, data), sha256=sha256), taken_in
    kind = _kind(ending)
    text, wrong = decode(data, largest=_LARGEST_NOTEBOOK) if kind == "notebook" else decode(data)
    if wrong:
        return Extracted(name, sha256, kind, not_extracted=(wrong,)), taken_in
    if kind == "latex" or (kind == "text" and _LATEX_INSIDE.search(text)):
        found, taken_in = read_latex(name, text, {key: value for key, value in others.items() if key != name})
        return replace(found, sha256=sha256), taken_in
    return replace(_reader(ending, kind, text, name, others)(name, text), sha256=sha256), taken_in


def _kind(ending: str) -> Kind:
    if ending in _LATEX:
        return "latex"
    if ending in _MARKDOWN:
        return "markdown"
    if ending == ".ipynb":
        return "notebook"
    return "code" if ending in (".py", ".pyi", ".r", *_OTHER_CODE) else "text"


def _reader(
    ending: str, kind: Kind, text: str, name: str, others: Mapping[str, bytes]
) -> Callable[[str, str], Extracted]:
    if kind == "notebook":
        return read_notebook
    if ending in (".py", ".pyi"):
        return read_python
    if ending == ".r":
        namespace = _namespace(name, others)
        return lambda name, text: read_r(name, text, namespace)
    if kind == "code":
        return _other_code
    if kind == "markdown" or _MARKDOWN_INSIDE.search(text):
        return read_markdown
    return read_plaintext


def _other_code(name: str, text: str) -> Extracted:
    said = "functions of this programming language are not extracted; read the code itself"
    return Extracted(name, "", "code", text, not_extracted=(said,))


def _namespace(name: str, others: Mapping[str, bytes]) -> str | None:
    """The NAMESPACE of the package whose folder R/ holds the file."""
    folder, inner = posixpath.split(posixpath.dirname(name))
    found = others.get(posixpath.join(folder, "NAMESPACE")) if inner == "R" else None
    return decode(found)[0] if found is not None else None

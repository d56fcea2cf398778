"""Signatures of an R package, read by a small scan. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from statsclaw.r_code import blanked, without_comments
from statsclaw.review.signatures import REQUIRED, Built, Parameter, Signature

_MOST_FORMALS = 20_000
_R_FUNCTION = re.compile(r"^([A-Za-z.][A-Za-z0-9_.]{0,79})[ \t]{0,20}(?:<-|=)[ \t\n]{0,20}function[ \t]{0,5}\(", re.M)
_R_EXPORT = re.compile(r"\bexport(Pattern|Classes|Methods)?\(")


def built_r(sources: Mapping[str, str]) -> Built:
    built = Built(entry="NAMESPACE" if "NAMESPACE" in sources else "")
    if "NAMESPACE" in sources:
        built.names = _r_exports(sources["NAMESPACE"])
    for path in sorted(path for path in sources if path.endswith((".R", ".r")) and not path.startswith("tests/")):
        text = sources[path]
        for found in _R_FUNCTION.finditer(text):
            parameters = _r_formals(text, found.end())
            where = f"{path}:{text.count(chr(10), 0, found.start()) + 1}"
            if parameters is None:
                built.signatures[found[1]] = Signature(where, "r")
                continue
            named = tuple(row for row in parameters if row.name != "...")
            built.signatures[found[1]] = Signature(where, "r", named, open_ended=len(named) < len(parameters))
    return built


def _r_exports(namespace: str) -> frozenset[str] | None:
    """The exported names; None where a pattern exports, since then the files decide."""
    names: set[str] = set()
    for found in _R_EXPORT.finditer(namespace):
        if found[1]:
            return None
        inside = namespace[found.end() : found.end() + 100_000].partition(")")[0]
        names |= {part.strip().strip("\"'`") for part in inside.split(",")}
    return frozenset(names - {""})


def _r_formals(text: str, start: int) -> tuple[Parameter, ...] | None:
    """The arguments from just behind the opening parenthesis; None if they do not end."""
    text = text[start : start + _MOST_FORMALS]
    code, depth, begin = blanked(text), 1, 0
    parts: list[str] = []
    for at, char in enumerate(code):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 or (char == "," and depth == 1):
            parts.append(without_comments(text[begin:at]))
            begin = at + 1
        if depth == 0:
            return tuple(_r_parameter(part) for part in parts if part.strip())
    return None


def _r_parameter(text: str) -> Parameter:
    name, equals, default = text.partition("=")
    return Parameter(name.strip().strip("`"), " ".join(default.split()) if equals else REQUIRED)

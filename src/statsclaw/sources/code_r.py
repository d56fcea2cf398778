"""R code: functions assigned at the top level, their arguments, the roxygen block above. Nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from statsclaw.r_code import blanked
from statsclaw.sources.index import Extracted, PublicFunction

_MOST = 2_000
_LONGEST_DOCUMENTATION = 4_000
_ASSIGNED = re.compile(r"([A-Za-z.][\w.]{0,100}|`[^`\n]{1,100}`)\s{0,20}(?:<<?-|=)\s{0,20}(?:function\s{0,20}|\\)\(")
_BRACKET = re.compile(r"[()\[\]{}]")
_EXPORT = re.compile(r"(?<![\w.])export\s{0,9}\(([^()]{0,20000})\)")
_EXPORT_PATTERN = re.compile(r"exportPattern\s{0,9}\(")


def read_r(name: str, text: str, namespace: str | None = None, *, first_line: int = 1) -> Extracted:
    """Exported functions: by `@export`, by the package's NAMESPACE, or all of them where neither says anything."""
    code = blanked(text)
    found = list(_functions(name, text, code, first_line))[:_MOST]
    exported = _exported(namespace) if namespace is not None else None
    tagged = {function.name for function in found if "@export" in function.documentation}
    if exported is not None or tagged:
        found = [function for function in found if function.name in tagged | (exported or frozenset())]
    return Extracted(name, "", "code", text, functions=tuple(found))


def _exported(namespace: str) -> frozenset[str] | None:
    """The names, or nothing where a pattern exports whatever matches."""
    code = re.sub(r"#[^\n]*", "", namespace)
    if _EXPORT_PATTERN.search(code):
        return None
    names = [part for match in _EXPORT.finditer(code) for part in match[1].split(",")]
    return frozenset(part.strip().strip("\"'`") for part in names)


def _functions(name: str, text: str, code: str, first_line: int) -> Iterator[PublicFunction]:
    """Every assignment of a function outside of all brackets."""
    closing, top = _brackets(code)
    rows = text.split("\n")
    line, position = 0, 0
    for match in _ASSIGNED.finditer(code):
        opened = match.end() - 1
        if not top(match.start()) or opened not in closing:
            continue
        line, position = line + code.count("\n", position, match.start()), match.start()
        if code[code.rfind("\n", 0, position) + 1 : position].strip():
            continue
        function = match[1].strip("`")
        arguments = " ".join(text[opened + 1 : closing[opened]].split())[:1_000]
        defaults = dict(_defaults(text, code, opened + 1, closing[opened]))
        shown = f"{function}({arguments})"
        documentation = _roxygen(rows, line)
        ref = f"{name} {function}"
        yield PublicFunction(ref, name, function, shown, MappingProxyType(defaults), documentation, line + first_line)


class _TopLevel:
    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.spans, self.at = spans, 0

    def __call__(self, position: int) -> bool:
        """Asked in order of position only."""
        while self.at < len(self.spans) and self.spans[self.at][1] < position:
            self.at += 1
        return self.at >= len(self.spans) or position < self.spans[self.at][0]


def _brackets(code: str) -> tuple[dict[int, int], _TopLevel]:
    closing: dict[int, int] = {}
    opened: list[int] = []
    outermost: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(code):
        if match[0] in "([{":
            opened.append(match.start())
        elif opened:
            start = opened.pop()
            closing[start] = match.start()
            if not opened:
                outermost.append((start, match.start()))
    if opened:
        outermost.append((opened[0], len(code)))
    return closing, _TopLevel(outermost)


def _defaults(text: str, code: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    depth, begin = 0, start
    for at in range(start, min(end, start + 20_000) + 1):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[at : at + 1], 0) if at < end else 0
        if at == end or (code[at] == "," and depth == 0):
            equals = code.find("=", begin, at)
            if equals >= 0:
                yield text[begin:equals].strip()[:100], " ".join(text[equals + 1 : at].split())[:200]
            begin = at + 1


def _roxygen(rows: list[str], line: int) -> str:
    first = line
    while first > 0 and first > line - 300 and rows[first - 1].lstrip().startswith("#'"):
        first -= 1
    return "\n".join(row.lstrip()[2:].strip() for row in rows[first:line])[:_LONGEST_DOCUMENTATION]

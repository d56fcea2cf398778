"""The author's own commands: found, taken out of the text, and expanded within bounds."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from statsclaw.sources.latex_scan import blank

_NEW = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s{0,9}(?:\{\s{0,9}\\([A-Za-z@]+)\s{0,9}\}|\\([A-Za-z@]+))"
    r"\s{0,9}(?:\[(\d)\]\s{0,9})?(?:\[([^\[\]]{0,200})\]\s{0,9})?(?=\{)"
)
_DEF = re.compile(r"\\(?:def|gdef|edef)\s{0,9}\\([A-Za-z@]+)((?:#\d){0,9})\s{0,9}(?=\{)")
_OPERATOR = re.compile(r"\\DeclareMathOperator\*?\s{0,9}\{?\s{0,9}\\([A-Za-z@]+)\s{0,9}\}?\s{0,9}(?=\{)")
_ENVIRONMENT = re.compile(
    r"\\(?:re)?newenvironment\*?\s{0,9}\{([A-Za-z]{1,40}\*?)\}\s{0,9}(?:\[\d\](?:\[[^\[\]]{0,99}\])?)?\s{0,9}(?=\{)"
)
_EDGE = re.compile(r"\\(begin|end)\s{0,9}\{([A-Za-z]{1,40}\*?)\}")
_CONTROL_WORD = re.compile(r"\\([A-Za-z@]+)")
_MOST_MACROS = 5_000
_LONGEST_RESULT = 5_000
_MOST_STEPS = 400
_MOST_OVERFLOWS = 3


@dataclass(frozen=True, slots=True)
class Macro:
    arguments: int
    default: str | None
    body: str


@dataclass
class Macros:
    """`edges`: commands that stand for the beginning or end of an environment, as `\\beq` often does."""

    named: dict[str, Macro] = field(default_factory=dict)
    edges: dict[str, tuple[str, str]] = field(default_factory=dict)
    environments: dict[str, str] = field(default_factory=dict)
    overflows: int = 0

    def expand(self, text: str) -> str:
        """The text with simple macros replaced; after too many steps, or too much text, as it was."""
        if self.overflows >= _MOST_OVERFLOWS or not self.named:
            return text
        result, position, steps = text, 0, 0
        while match := _CONTROL_WORD.search(result, position):
            macro = self.named.get(match[1])
            if macro is None:
                position = match.end()
                continue
            steps += 1
            if steps > _MOST_STEPS or len(result) > _LONGEST_RESULT:
                self.overflows += 1
                return text
            end, replaced = _call(result, match.end(), macro)
            position = match.start()
            result = f"{result[:position]}{replaced} {result[end:]}"
        return result


def take_macros(text: str, closing: array[int]) -> tuple[Macros, str]:
    """The macros that the text defines, and the text without their definitions (`\\the...` of counters stay)."""
    macros = Macros()
    spans: list[tuple[int, int]] = []
    for pattern in (_NEW, _DEF, _OPERATOR, _ENVIRONMENT):
        for match in pattern.finditer(text):
            end = closing[match.end()]
            name = match[1] or match[2]
            if not end or (name.startswith("the") and pattern is not _ENVIRONMENT) or len(spans) > _MOST_MACROS:
                continue
            body = text[match.end() + 1 : end]
            if pattern is _ENVIRONMENT:
                end = _second_group(text, closing, end)
            spans.append((match.start(), end + 1))
            _define(macros, pattern, match, body)
    return macros, blank(text, _outermost(spans))


def _define(macros: Macros, pattern: re.Pattern[str], match: re.Match[str], body: str) -> None:
    name = match[1] or match[2]
    if pattern is _ENVIRONMENT:
        if edge := _EDGE.fullmatch(body.strip()):
            macros.environments[name] = edge[2]
    elif edge := _EDGE.fullmatch(body.strip()):
        macros.edges[name] = (edge[1], edge[2])
    elif pattern is _OPERATOR:
        macros.named[name] = Macro(0, None, rf"\operatorname{{{body}}}")
    elif pattern is _DEF:
        macros.named[name] = Macro(len(match[2]) // 2, None, body)
    else:
        macros.named[name] = Macro(int(match[3] or 0), match[4], body)


def _second_group(text: str, closing: array[int], end: int) -> int:
    start = end + 1
    while start < len(text) and text[start].isspace() and start < end + 50:
        start += 1
    return closing[start] if start < len(text) and text[start] == "{" and closing[start] else end


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _call(text: str, position: int, macro: Macro) -> tuple[int, str]:
    """Where the arguments of the call end, and what it stands for."""
    values: list[str] = []
    if macro.default is not None and macro.arguments:
        optional = re.compile(r"\s{0,9}\[([^\[\]]{0,200})\]").match(text, position)
        values.append(optional[1] if optional else macro.default)
        position = optional.end() if optional else position
    while len(values) < macro.arguments:
        position, value = _argument(text, position)
        values.append(value)
    body = macro.body[:_LONGEST_RESULT]
    for number, value in enumerate(values, start=1):
        body = body.replace(f"#{number}", f" {value} ")
        if len(body) > 4 * _LONGEST_RESULT:
            break
    return position, body


def _argument(text: str, position: int) -> tuple[int, str]:
    while position < len(text) and text[position].isspace():
        position += 1
    if text[position : position + 1] != "{":
        word = _CONTROL_WORD.match(text, position)
        end = word.end() if word else min(position + 1, len(text))
        return end, text[position:end]
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, position):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end(), text[position + 1 : match.start()]
    return len(text), text[position + 1 :]

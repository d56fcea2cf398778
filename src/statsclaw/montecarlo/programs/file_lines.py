"""In which line of a TOML or YAML file a key is: for messages about what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import yaml

Keys = Sequence[int | str]
LineOf = Callable[[Keys], int | None]
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w.-]+(?:\s*\.\s*[\w-]+)*)\s*=""")


def line_in_toml(text: str, keys: Keys) -> int | None:
    """The line that assigns the innermost of `keys` there is, or opens its table. Good enough for a message: text
    inside a string of several lines is not told apart."""
    best, depth = None, 0
    table: tuple[int | str, ...] = ()
    seen: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            name = _parts(header[2])
            table = name
            if header[1] == "[[":
                seen[name] = seen.get(name, -1) + 1
                table = (*name, seen[name])
            here = table
        elif key := _KEY.match(line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        if len(here) > depth and tuple(keys[: len(here)]) == here:
            best, depth = number, len(here)
    return best


def _parts(dotted: str) -> tuple[str, ...]:
    if dotted[:1] in "\"'":
        return (dotted[1:-1],)
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def line_in_yaml(node: yaml.Node | None, keys: Keys) -> int | None:
    """The line of the innermost of `keys` there is."""
    if node is None:
        return None
    line = node.start_mark.line + 1
    for key in keys:
        found = _child(node, key)
        if found is None:
            break
        line, node = found
    return line


def _child(node: Any, key: int | str) -> tuple[int, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return name.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key].start_mark.line + 1, node.value[key]
    return None


def duplicate_in_yaml(node: Any) -> tuple[str, int] | None:
    """A key that one mapping has twice, and its line: YAML itself would silently take the last."""
    waiting, visited = [node], set()
    while waiting:
        present = waiting.pop()
        if id(present) in visited:
            continue
        visited.add(id(present))
        if isinstance(present, yaml.SequenceNode):
            waiting += present.value
        if isinstance(present, yaml.MappingNode):
            seen: set[str] = set()
            for name, value in present.value:
                if name.value in seen:
                    return str(name.value), name.start_mark.line + 1
                if isinstance(name.value, str):
                    seen.add(name.value)
                waiting.append(value)
    return None

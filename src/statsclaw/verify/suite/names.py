"""The tables of names: what compares, rounds, skips, ends or replaces in Python and in R."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _table(file: str) -> dict[str, Any]:
    return tomllib.loads(files("statsclaw.verify.suite").joinpath(file).read_text(encoding="utf-8"))


@cache
def python_names(which: str) -> frozenset[str]:
    return frozenset(_table("python_names.toml")["lists"][which])


@cache
def r_names(which: str) -> frozenset[str]:
    return frozenset(_table("r_names.toml")["lists"][which])


def comparing(name: str) -> dict[str, tuple[str, int, float]]:
    """The tolerances of a comparing function: kind of number to (keyword, position, default)."""
    known = _table("python_names.toml")["comparing"]
    rows: dict[str, Any] = known.get(name) or next((known[row] for row in known if row.rpartition(".")[2] == name), {})
    return {kind: (row[0], row[1], float(row[2])) for kind, row in rows.items()}


def speaks_of(which: str, text: str) -> bool:
    """Whether a word of `text` begins like one of the list: "invariant" or "repeated"."""
    words = "".join(letter if letter.isalnum() or letter == "-" else " " for letter in text.lower()).split()
    return any(word.startswith(tuple(python_names(which))) for word in words)

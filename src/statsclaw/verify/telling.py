"""What a person looks for first when a command did not pass: the first error of a compiler, say."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

_LONGEST_LINE = 300


def first_error(output: str) -> tuple[str, ...]:
    """The first lines that look like an error of a compiler or an interpreter; none where nothing does."""
    table = _table()
    lines = output.splitlines()
    for number, line in enumerate(lines):
        for sign in table["sign"]:
            if sign["pattern"].search(line[:_LONGEST_LINE]):
                below = lines[number + 1 : number + 1 + sign["then"]]
                rest = below[: next((at for at, text in enumerate(below) if not text.strip()), len(below))]
                return tuple(text.rstrip()[:_LONGEST_LINE] for text in (line, *rest))[: table["most_lines"]]
    return ()


@cache
def _table() -> dict[str, Any]:
    table = tomllib.loads(files("statsclaw.verify").joinpath("telling.toml").read_text(encoding="utf-8"))
    table["sign"] = [{**sign, "pattern": re.compile(sign["pattern"])} for sign in table["sign"]]
    return table

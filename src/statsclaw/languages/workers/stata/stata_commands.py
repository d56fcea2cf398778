"""Commands of Stata: how a call is written as one, and what an .ado file says of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

#: Arguments that stand before the comma, as `syntax` names them.
BEFORE = frozenset({"anything", "varlist", "varname", "newvarlist", "newvarname", "namelist", "numlist"})
_WORD = re.compile(r"[A-Za-z_]\w*")


class ArgumentError(Exception):
    """A call that cannot be written as a command."""


@dataclass(frozen=True)
class Data:
    """A table: numbers, truth values and texts by the names of their columns."""

    columns: Mapping[str, Any]


@dataclass(frozen=True)
class Argument:
    """`place`: as answers name it, by its number or its name."""

    name: str
    place: str
    value: Any

    def plain(self) -> Argument:
        """A single value as Python has it, a list of numbers as an array of one dimension, rows as one of two."""
        value = self.value
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        if isinstance(value, list) and value and all(_is_number(part) for part in value):
            value = np.array(value, dtype=float)
        if isinstance(value, list) and value and all(isinstance(part, list | np.ndarray) for part in value):
            try:
                value = np.array(value, dtype=float)
            except (ValueError, TypeError):
                raise ArgumentError(f"{self.name} is no matrix of numbers") from None
        return replace(self, value=value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def command_of(function: str, given: Sequence[Argument], matrices: Mapping[str, str]) -> str:
    """`matrices`: names of the matrices that stand for arguments of two dimensions. Dots in a name are blanks."""
    words, behind, options = [function.replace(".", " ")], "", list[str]()
    parts: dict[str, str] = {}
    for row in given:
        name = row.name.removesuffix("_")
        if name == "data":
            continue
        if row.name in matrices:
            options.append(f"{name}({matrices[row.name]})")
        elif row.value is True:
            options.append(name)
        elif row.value is not False:
            text = _text(row)
            if name in BEFORE:
                words.append(text)
            elif name in ("if", "in", "using", "weight", "exp"):
                parts[name] = text
            else:
                options.append(f"{name}({text})")
    # the order in which `syntax` reads them
    forms = {"exp": "= {}", "if": "if {}", "in": "in {}", "using": 'using "{}"', "weight": "[{}]"}
    words += [form.format(parts[name]) for name, form in forms.items() if parts.get(name)]
    if options:
        behind = ", " + " ".join(options)
    return " ".join(filter(None, words)) + behind


def _text(row: Argument) -> str:
    """As it stands in a command. A number is the shortest decimal that reads back as the same double."""
    value = row.value
    if isinstance(value, str):
        if "\n" in value or "\r" in value or "\0" in value:
            raise ArgumentError(f"{row.name} holds the end of a line, and a command is one line")
        return value
    if isinstance(value, Data):
        raise ArgumentError(f"a table is given as {row.name}: data are the argument called data")
    if _is_number(value):
        return _number(row.name, value)
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        return " ".join(_number(row.name, part) for part in value.tolist())
    parts = value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else value
    if isinstance(parts, list | tuple) and all(isinstance(part, str) or _is_number(part) for part in parts):
        return " ".join(_text(replace(row, value=part)) for part in parts)
    raise ArgumentError(f"{row.name} cannot be written in a command of Stata")


def _number(name: str, value: Any) -> str:
    if isinstance(value, int | np.integer):
        return str(int(value))
    if value != value:
        return "."
    if value in (float("inf"), float("-inf")):
        raise ArgumentError(f"{name} is infinite, and Stata has no such number")
    return repr(float(value)).removesuffix(".0")


def words_of(given: Sequence[Argument]) -> set[str]:
    """Names that the caller has written: a variable that is called so was asked for."""
    texts = [part for row in given for part in (row.value if isinstance(row.value, list) else [row.value])]
    return {word for text in texts if isinstance(text, str) for word in _WORD.findall(text)}


# --- what a package has ----------------------------------------------------------------------------------------------


def exported(folders: Sequence[Path]) -> list[str]:
    """Commands without a leading underscore."""
    return sorted({path.stem for folder in folders for path in _ado_files(folder) if not path.stem.startswith("_")})


def _ado_files(folder: Path) -> Iterator[Path]:
    """Where Stata looks: in a folder of the search path, and in those below it that are called by one letter."""
    yield from folder.glob("*.ado")
    yield from folder.glob("?/*.ado")


def signature_of(folders: Sequence[Path], function: str) -> list[dict[str, Any]]:
    """What the first `syntax` of its program says. Raises ArgumentError."""
    name = function.partition(".")[0]
    for folder in folders:
        for path in _ado_files(folder):
            if path.stem == name:
                return _signature(path.read_text("utf-8", "replace"), name)
    raise ArgumentError(f"there is no {name}.ado")


def _signature(text: str, name: str) -> list[dict[str, Any]]:
    joined = re.sub(r"[ \t]*///[^\n]*\n", " ", text)
    head = re.search(rf"^\s*program\s+(?:define\s+|def\s+)?{re.escape(name)}\b", joined, re.MULTILINE)
    found = re.search(r"^\s*syntax[ \t]+([^\n]*)", joined[head.end() :] if head else "", re.MULTILINE)
    if found is None:
        raise ArgumentError(f"{name} says nothing of what it takes: its program has no syntax")
    positional, _, options = _outside(found[1], ",")
    rows = [_before_comma(part) for part in _parts(positional)]
    rows += [_option(*part) for part in _parts(_unbracketed(options))]
    return list({row["name"]: row for row in rows}.values())


def _outside(text: str, mark: str) -> tuple[str, str, str]:
    """Parted at the first mark outside of round brackets and quotation marks."""
    depth, quoted = 0, False
    for at, char in enumerate(text):
        quoted ^= char == '"'
        depth += (char == "(") - (char == ")")
        if char == mark and depth == 0 and not quoted:
            return text[:at], mark, text[at + 1 :]
    return text, "", ""


def _unbracketed(options: str) -> str:
    """`syntax varlist [, a b]`: the bracket that begins before the comma ends behind the options."""
    text = options.strip()
    return text[:-1] if text.endswith("]") and text.count("]") > text.count("[") else text


def _parts(text: str) -> list[tuple[str, bool]]:
    """Words with what stands in round brackets behind them, and whether they stand in square brackets."""
    found: list[tuple[str, bool]] = []
    optional = False
    for token in re.findall(r"\[|\]|[^\s\[\]()]+(?:\s*\((?:[^()]|\([^()]*\))*\))?", text):
        if token in "[]":
            optional = token == "["
        else:
            found.append((token, optional))
    return found


_WEIGHTS = frozenset({"aweight", "fweight", "pweight", "iweight", "aweights", "fweights", "pweights", "iweights"})
_SHORT = frozenset({"aw", "fw", "pw", "iw"})


def _before_comma(part: tuple[str, bool]) -> dict[str, Any]:
    word = re.split(r"[(\s]", part[0], maxsplit=1)[0].strip("=/")
    return _row("weight" if word in _WEIGHTS | _SHORT else word, part[1])


def _row(name: str, optional: bool, default: str | None = None, keyword_only: bool = False) -> dict[str, Any]:
    default = "" if default is None and optional else default
    return {"name": name, "default": default, "keyword_only": keyword_only}


def _option(word: str, optional: bool) -> dict[str, Any]:
    """`Level(real 95)` is level, 95; a switch is off unless it is given."""
    name, _, inside = word.partition("(")
    kind, _, default = inside.rstrip(")").strip().partition(" ")
    if not inside:
        return _row(name.strip().lower(), True, "false", True)
    value = default.strip() if kind in ("real", "integer") else None
    return _row(name.strip().lower(), optional or bool(value), value or None, True)

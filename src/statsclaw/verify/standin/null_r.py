"""An R package with the names, arguments and shapes of an interface and values that mean nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from statsclaw.specs.interface import Argument, Class, FieldOf, Function, Interface, Returned
from statsclaw.templates import render
from statsclaw.verify.standin.python_text import Unwritable, support_file

_LONGEST_DEFAULT = 1000
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9.]{0,77}[A-Za-z0-9]")
_NAME = re.compile(r"(?:[A-Za-z]|\.(?![0-9]))[A-Za-z0-9._]{0,79}")
_CONSTANTS = ("TRUE", "FALSE", "NULL", "Inf", "NaN", "NA", "NA_integer_", "NA_real_", "NA_complex_", "NA_character_")
_RESERVED = {"if", "else", "repeat", "while", "function", "for", "next", "break", "in", "...", *_CONSTANTS}
_LITERAL = re.compile(
    r"""NULL|TRUE|FALSE|NA_integer_|NA_real_|NA_character_|NA|-?Inf|NaN|-?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})"""
    r"""(?:[eE][-+]?\d{1,4})?L?|"(?:[^"\\]|\\[nt"'\\])*"|'(?:[^'\\]|\\[nt"'\\])*'"""
)
_BETWEEN = re.compile(r" {0,20}, {0,20}")


def null_r(interface: Interface) -> dict[str, str]:
    """Files of the package by path. Raises Unwritable if the interface has no form in R."""
    if not _PACKAGE.fullmatch(interface.package):
        raise Unwritable(f"{interface.package} cannot be the name of a package in R")
    functions = [f"{name(row.name)} <- {_function(row)}" for row in interface.functions]
    functions += [f"{name(row.name)} <- {_constructor(row)}" for row in interface.classes]
    exported = [row.name for row in interface.functions] + [row.name for row in interface.classes]
    return {
        "DESCRIPTION": render("statsclaw.verify.standin", "null/DESCRIPTION.jinja", it=interface),
        "NAMESPACE": "".join(f'export("{row}")\n' for row in exported),
        "R/standin.R": support_file("null/standin.R") + "\n" + "\n\n".join(functions) + "\n",
    }


def name(text: str) -> str:
    """`text`, if it can be a name in R and does not hide what the stand-in itself needs."""
    if not _NAME.fullmatch(text) or text in _RESERVED or text.startswith((".standin", "..")):
        raise Unwritable(f"{text} cannot be a name in R")
    return text


def default(text: str) -> str:
    """The default, if it is a literal or c(...) of literals; otherwise NULL."""
    text = text.strip()
    if len(text) > _LONGEST_DEFAULT or not text.isprintable():
        return "NULL"
    if _LITERAL.fullmatch(text):
        return text
    if text.startswith("c(") and text.endswith(")") and _is_row(text[2:-1].strip()):
        return text
    return "NULL"


def _is_row(text: str) -> bool:
    position = 0
    while found := _LITERAL.match(text, position):
        if found.end() == len(text):
            return True
        comma = _BETWEEN.match(text, found.end())
        if comma is None:
            return False
        position = comma.end()
    return False


def _arguments(rows: Sequence[Argument]) -> str:
    names = [row.name if row.name == "..." else name(row.name) for row in rows]
    if len(set(names)) != len(names):
        raise Unwritable(f"an argument stands twice in {', '.join(names)}")
    return ", ".join(
        own if row.default is None or own == "..." else f"{own} = {default(row.default)}"
        for own, row in zip(names, rows, strict=True)
    )


def _given(rows: Iterable[Argument]) -> str:
    return _list((row.name, f".standin$got({'base::list(...)' if row.name == '...' else row.name})") for row in rows)


def _function(row: Function) -> str:
    made = f'.standin$value("{row.name}", {_declared(row.returns)}, {_given(row.arguments)})'
    return f"function({_arguments(row.arguments)}) {made}"


def _constructor(row: Class) -> str:
    methods = _list((name(method.name), _function(method)) for method in row.methods)
    declared = f'base::list("object", base::c(), "{row.name}", {_fields(row.fields)})'
    made = f'.standin$value("{row.name}", {declared}, {_given(row.arguments)})'
    return f"function({_arguments(row.arguments)}) .standin$with_methods({made}, {methods})"


def _declared(returned: Returned) -> str:
    label = f'"{name(returned.class_name)}"' if returned.class_name else "NULL"
    return f'base::list("{returned.type}", {_shape(returned.shape)}, {label}, {_fields(returned.fields)})'


def _fields(fields: Iterable[FieldOf]) -> str:
    return _list((name(part.name), f'base::list("{part.type}", {_shape(part.shape)}, NULL)') for part in fields)


def _list(parts: Iterable[tuple[str, str]]) -> str:
    written = ", ".join(f'"{key}" = {value}' for key, value in parts)
    return f"base::list({written})"


def _shape(shape: Sequence[str]) -> str:
    written = ", ".join(f'"{part}"' for part in shape)
    return f"base::c({written})"

"""Errors and warnings of the package as errors and warnings here.

A class is a builtin of that name or one made here; no name from the other side is ever imported or run.
"""

from __future__ import annotations

import builtins
import importlib
import warnings
from typing import Any

ENDED = "the package ended its process"
_LONGEST_TEXT = 10_000
_MOST_CLASSES = 200
_MOST_NAMES = 20
_PACKAGE = __name__.rpartition(".")[0]
_made: dict[str, type[Exception]] = {}


def text(value: object) -> str:
    """`value` as a bounded text."""
    return value[:_LONGEST_TEXT] if type(value) is str else ""


def class_of(names: object, fallback: type[Exception]) -> type[Exception]:
    """The class whose ancestors, from itself upwards, are called `names` (each `module.Class`)."""
    if type(names) is not list or not names or not all(type(name) is str for name in names[:_MOST_NAMES]):
        return fallback
    first, base = names[0], _first_known(names[:_MOST_NAMES]) or fallback
    own = first.rpartition(".")[2]
    if base.__name__ == own or not own.isidentifier() or len(own) > 80:
        return base
    if own not in _made and len(_made) >= _MOST_CLASSES:
        return base
    if own not in _made:
        _made[own] = type(own, (base,), {"__module__": _PACKAGE, "__str__": _shown})
    known = _made[own]
    return known if issubclass(known, Warning) or not issubclass(fallback, Warning) else fallback


def _first_known(names: list[str]) -> type[Exception] | None:
    for name in names:
        module, _, own = name.rpartition(".")
        if module == "builtins":
            found = getattr(builtins, own, None)
            if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, ExceptionGroup):
                return found
        if module.startswith("numpy.linalg") and own == "LinAlgError":
            try:
                error: type[Exception] = importlib.import_module("numpy.linalg").LinAlgError
                return error
            except ImportError:
                continue
    return None


def _shown(error: Exception) -> str:
    return str(vars(error).get("_statsclaw_message", ""))


def error_of(reported: object) -> Exception:
    """The exception that a reply reports."""
    if type(reported) is not dict:
        return RuntimeError("the package reported an error that is none")
    names, message = reported.get("names"), text(reported.get("message"))
    cls = class_of(names, RuntimeError)
    arguments = _arguments(reported.get("arguments"))
    try:
        error = cls(message) if arguments is None else cls(*arguments)
    except Exception:  # a builtin that wants other arguments, such as UnicodeDecodeError
        error = type(cls.__name__, (cls,), {"__init__": lambda self: None, "__str__": _shown})()
    if type(error).__str__ is _shown:
        vars(error)["_statsclaw_message"] = message
    if trace := text(reported.get("trace")):
        error.add_note(trace)
    return error


def _arguments(given: object) -> list[Any] | None:
    if type(given) is not list or len(given) > 10:
        return None
    if not all(type(part) in (type(None), bool, int, float, str) for part in given):
        return None
    return [text(part) if isinstance(part, str) else part for part in given]


def reissue(reported: object, level: int) -> None:
    """Issues the package's warnings again, as if by the caller `level` frames above."""
    if type(reported) is not list:
        return
    for row in reported[:1000]:
        if type(row) is list and len(row) == 2:
            category = class_of(row[0], UserWarning)
            if not issubclass(category, Warning):
                category = UserWarning
            warning = category(text(row[1]))
            vars(warning)["_statsclaw_message"] = text(row[1])
            warnings.warn(warning, stacklevel=level + 1)

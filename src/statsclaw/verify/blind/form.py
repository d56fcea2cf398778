"""Does an answer have the form that the interface promises: type, shape, fields? Looked at before any comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from statsclaw.specs.interface import Argument, Class, Function, Interface, Returned
from statsclaw.verify.blind.expressions import Answered, NoValue, numbers, plain
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call

_DIMENSION = re.compile(r"(?:(rows|cols|length)\()?([A-Za-z][\w.]*|\d{1,6})\)?(?: ?([+-]) ?(\d{1,6}))?")


class Forms:
    """The interface as the form of answers. `language`: where R has no single numbers, whole ones may be doubles."""

    def __init__(self, interface: Interface, language: str) -> None:
        self.language = language
        self.functions: dict[str, Function] = {row.name: row for row in interface.functions}
        self.classes: dict[str, Class] = {row.name: row for row in interface.classes}
        self.methods: dict[str, Function] = {m.name: m for row in interface.classes for m in row.methods}

    def declared(self, call: Call) -> Function | None:
        if call.what != "call":
            return None
        return (self.methods if call.on is not None else self.functions).get(call.function)

    def fields(self, call: Call) -> list[str] | None:
        """The names of what the worker hands over of an object; None where all of it is one value."""
        declared = self.declared(call)
        if declared is not None:
            if declared.returns.type == "object":
                return [row.name for row in declared.returns.fields]
            cls = self.classes.get(declared.returns.class_name or "")
            return [row.name for row in cls.fields] if cls is not None else None
        cls = self.classes.get(call.function) if call.what == "call" and call.on is None else None
        return [row.name for row in cls.fields] if cls is not None else None

    def faults(self, call: Call, answer: Answered) -> Iterator[tuple[str, str]]:
        """(element, what is wrong with it); nothing where the call failed or the interface says nothing."""
        declared = self.declared(call)
        if declared is None or answer.error is not None:
            return
        returned, value = declared.returns, answer.value
        if returned.type != "object":
            if fault := self._fault(returned.type, returned.shape, value, declared, call):
                yield declared.name, fault
            return
        if not (isinstance(value, Extra) and value.kind == "object"):
            yield declared.name, "it is no object with fields"
            return
        yield from self._of_fields(returned, value.value, declared, call)

    def _of_fields(self, returned: Returned, value: Any, declared: Function, call: Call) -> Iterator[tuple[str, str]]:
        fields = value.get("fields") if isinstance(value, dict) else None
        for row in returned.fields:
            element = f"{declared.name}.{row.name}"
            if not isinstance(fields, dict) or row.name not in fields:
                yield element, "the answer does not have it"
            elif fault := self._fault(row.type, row.shape, fields[row.name], declared, call):
                yield element, fault

    def _fault(self, kind: str, shape: Sequence[str], value: Any, declared: Function, call: Call) -> str:
        raw, found = value, plain(value)
        if isinstance(found, Extra) and found.kind in ("method", "opaque") and kind not in ("any", "object"):
            return f"it is a {found.kind}, not {_A[kind]}"
        if fault := _KINDS[kind](raw, found, self.language) if kind in _KINDS else "":
            return fault
        wanted = shape_of(shape, declared.arguments, call)
        if wanted is None or kind not in ("array", "list", "table"):
            return ""
        try:
            got = numbers(found).shape
        except NoValue:
            return ""
        if self.language == "r" and got == () and wanted == (1,):
            return ""  # R has no single numbers: a vector of one is sent as one
        return "" if tuple(got) == wanted else f"its shape is {_shown(got)}, not {_shown(wanted)}"


def shape_of(shape: Sequence[str], arguments: Sequence[Argument], call: Call) -> tuple[int, ...] | None:
    """The declared shape for the arguments of a call; None where it is not declared or cannot be known."""
    if not shape:
        return None
    given: dict[str, Any] = dict(zip([row.name for row in arguments], call.arguments, strict=False))
    given |= call.named
    found = [_length_of(part, given) for part in shape]
    return None if None in found else tuple(length for length in found if length is not None)


def _length_of(dimension: str, given: Mapping[str, Any]) -> int | None:
    match = _DIMENSION.fullmatch(dimension.strip())
    if match is None:
        return None
    how, name, sign, number = match.groups()
    offset = int(number or 0) * (-1 if sign == "-" else 1)
    if name.isdigit():
        return int(name) + offset
    try:
        sizes = numbers(given.get(name)).shape if how else ()
        if how is None:
            return int(numbers(given.get(name))) + offset
    except (NoValue, TypeError, ValueError):
        return None
    place = {"rows": 0, "length": 0, "cols": 1}[how]
    if how == "length" and not sizes:
        return 1 + offset
    return sizes[place] + offset if len(sizes) > place else None


def _shown(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


# --- kinds -----------------------------------------------------------------------------------------------------------

_A = {
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a truth value",
    "text": "a text",
    "array": "an array",
    "table": "a table",
    "list": "a list",
    "none": "nothing",
}


def _number(raw: Any, found: Any, language: str) -> str:
    if isinstance(found, str):
        return "it is a text, not a number"
    if isinstance(found, bool | np.bool_) or not _is_single(found):
        return "it is not a single number"
    return ""


def _integer(raw: Any, found: Any, language: str) -> str:
    if fault := _number(raw, found, language):
        return fault
    single = np.asarray(found)
    if single.dtype.kind in "iu":
        return ""
    whole = single.dtype.kind == "f" and float(single) == round(float(single)) if np.isfinite(single) else False
    return "" if whole and language == "r" else "it is not a whole number"


def _boolean(raw: Any, found: Any, language: str) -> str:
    is_one = isinstance(found, bool) or (isinstance(found, np.ndarray) and found.dtype == bool and found.ndim == 0)
    return "" if is_one else "it is no truth value"


def _text(raw: Any, found: Any, language: str) -> str:
    return "" if isinstance(found, str) else "it is no text"


def _array(raw: Any, found: Any, language: str) -> str:
    if isinstance(found, str) or (isinstance(found, np.ndarray) and found.dtype.kind in "OSU"):
        return "it holds text, not numbers"
    is_vector = isinstance(found, np.ndarray) or (language == "r" and _is_single(found))
    return "" if is_vector else "it is no array"


def _table(raw: Any, found: Any, language: str) -> str:
    return "" if isinstance(found, Extra) and found.kind == "table" else "it is no table"


def _list(raw: Any, found: Any, language: str) -> str:
    return "" if isinstance(found, list | dict) or language == "r" else "it is no list"


def _none(raw: Any, found: Any, language: str) -> str:
    return "" if found is None or language == "r" else "it is not nothing"


def _is_single(found: Any) -> bool:
    if isinstance(found, int | float | complex):
        return True
    return isinstance(found, np.ndarray) and found.dtype.kind in "biufc" and found.ndim == 0


_KINDS = {
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "text": _text,
    "array": _array,
    "table": _table,
    "list": _list,
    "none": _none,
}

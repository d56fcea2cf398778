"""Does an answer have the form that the interface promises: type, shape, fields? Looked at before any comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from statsclaw.languages import Values, spoken
from statsclaw.specs.interface import Argument, Class, Function, Interface, Returned, Value
from statsclaw.verify.blind.expressions import TRANSPARENT, Answered, NoValue, fields_of, next_step, numbers, plain
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.questionnaire import Call

_DIMENSION = re.compile(r"(?:(rows|cols|length|distinct)\()?([A-Za-z][\w.]*|\d{1,6})\)?(?: ?([+-]) ?(\d{1,6}))?")


class Forms:
    """The interface as the form of answers, in a language that may have no single numbers, or no whole ones.

    `named`: what the specification refers to, functions that the target has had among it.
    """

    def __init__(self, interface: Interface, language: str, named: Iterable[str] = ()) -> None:
        self.language = language
        self.spoken = spoken(language)
        self.of_base = frozenset(filter(interface.is_of_base, named))
        self.functions: dict[str, Function] = {row.name: row for row in interface.functions}
        self.classes: dict[str, Class] = {row.name: row for row in interface.classes}
        self.callables: dict[str, Function] = dict(interface.callables())
        of_answers = [(name, row) for name, row in self.callables.items() if name not in self.functions]
        self.methods: dict[str, Function] = {row.name: row for _, row in of_answers}
        parts = [part for _, part in interface.parts()]
        values = [*(row.returns for row in self.callables.values()), *parts]
        #: An object that one function describes is the same wherever its class is named.
        self.described = {row.class_name: row for row in reversed(values) if row.class_name and row.fields}
        #: Parts of results whose type is left open: they may be methods.
        self.any_fields = frozenset(part.name for part in parts if part.type == "any")

    # --- what the interface says of a call

    def declared(self, call: Call) -> Function | None:
        if call.what != "call":
            return None
        if call.on is None:
            return self.functions.get(call.function)
        owner = self.callables.get(call.owner)
        of_class = f"{owner.returns.class_name}.{call.function}" if owner is not None else ""
        return self.callables.get(call.element) or self.callables.get(of_class) or self.methods.get(call.function)

    def given(self, call: Call) -> dict[str, Any]:
        """Its arguments by name, as far as the interface names them."""
        declared = self.declared(call)
        names = [row.name for row in declared.arguments] if declared is not None else []
        return dict(zip(names, call.arguments, strict=False)) | dict(call.named)

    def returned(self, call: Call) -> Value | None:
        """What the call is to return; None where the interface says nothing about it."""
        declared = self.declared(call)
        if declared is not None and self._is_as_it_was(declared):
            return None
        printed = call.function == "print" and "print" in self.spoken.values.generics
        if declared is None and printed and call.owner in self.callables:
            return self._with_class(self.callables[call.owner].returns)  # what is printed is returned
        if declared is None:
            constructed = call.what == "call" and call.on is None and call.function in self.classes
            return self._with_class(Value(type="object", class_name=call.function)) if constructed else None
        return self._with_class(self._case(declared, call))

    @staticmethod
    def _is_as_it_was(declared: Function) -> bool:
        """Whether nothing is said about what it returns, because it exists and returns what it always did."""
        return declared.extends is not None and declared.returns == Returned()

    def _case(self, declared: Function, call: Call) -> Value:
        """Of a result that depends on an argument, the one for the value that is given, or for its default."""
        name = declared.returns.depends_on
        if name is None:
            return declared.returns
        default = next((row.default for row in declared.arguments if row.name == name), None)
        value = plain(self.given(call).get(name, (default or "").strip("\"'")))
        return declared.returns.cases.get(str(value), declared.returns)

    def _with_class(self, value: Value) -> Value:
        cls = self.classes.get(value.class_name or "") or self.described.get(value.class_name or "")
        if cls is None or value.fields or not cls.fields:
            return value
        return value.model_copy(update={"type": "object", "fields": cls.fields})

    def is_figure(self, call: Call) -> bool:
        returned = self.returned(call)
        return returned is not None and returned.type == "figure"

    def fields(self, call: Call) -> list[Any] | None:
        """What the worker hands over of an object, see `_names`; None where all of it is one value."""
        returned = self.returned(call)
        declared = self.declared(call)
        if returned is None and (call.function in self.of_base or (declared and self._is_as_it_was(declared))):
            return ["*"]
        if returned is None or returned.type != "object":
            return None
        return [*self._names(returned), *(["*"] if declared is not None and declared.extends else [])]

    def _names(self, value: Value) -> list[Any]:
        """Names of fields; of those that are objects themselves, with the names of theirs."""
        rows = [(part.name, self._with_class(part)) for part in value.fields]
        return [
            {"name": name, "fields": self._names(part)} if part.type == "object" and part.fields else name
            for name, part in rows
        ]

    def part(self, call: Call, path: Sequence[str]) -> Value | None:
        """What the interface says of a part of an answer."""
        value = self.returned(call)
        while path and value is not None:
            parts = {part.name: part for part in value.fields}
            name, path = next_step(path, parts)
            value = self._with_class(parts[name]) if name in parts else None
        return value

    # --- what an answer is

    def faults(self, call: Call, answer: Answered) -> Iterator[tuple[str, str]]:
        """(element, what is wrong with it); nothing where the call failed or the interface says nothing."""
        returned = self.returned(call)
        if returned is None or answer.error is not None:
            return
        if answer.visible and isinstance(returned, Returned) and returned.invisible:
            yield call.function, "it is printed at the prompt, and the interface says that it is invisible"
        yield from self._faults(call.function, returned, answer.value, call)

    def _faults(
        self, element: str, wanted: Value, value: Any, call: Call, beside: Mapping[str, Any] = MappingProxyType({})
    ) -> Iterator[tuple[str, str]]:
        """`beside`: the parts of the same answer, as far as lengths may be told by them."""
        if wanted.optional and plain(value) is None:
            return
        if fault := self._fault(wanted, value, call, beside):
            yield element, fault
            return
        if not wanted.fields:
            return
        parts = fields_of(value)
        is_table = wanted.type == "table"
        if parts is None:
            yield element, "it is no object with fields" if wanted.type == "object" else "it has no parts with names"
            return
        names = [part.name for part in wanted.fields]
        if is_table and [name for name in parts if name in names] != [n for n in names if n in parts]:
            yield element, f"its columns stand in another order than {', '.join(names)}"
        for part in wanted.fields:
            if part.name in parts and is_table:
                if fault := _column_fault(part, parts[part.name], self.spoken.values):
                    yield f"{element}.{part.name}", fault
            elif part.name in parts:
                below = f"{element}.{part.name}"
                yield from self._faults(below, self._with_class(part), parts[part.name], call, parts)
            elif not part.optional:
                yield f"{element}.{part.name}", "the answer does not have it"

    def unnamed_missing(self, call: Call, answer: Answered) -> Iterator[str]:
        """Elements that hold NaN though the interface does not say that they may."""
        returned = self.returned(call)
        if returned is not None and answer.error is None:
            yield from self._unnamed_missing(call.function, returned, answer.value)

    def _unnamed_missing(self, element: str, wanted: Value, value: Any) -> Iterator[str]:
        if wanted.fields:
            parts = fields_of(value) or {}
            for part in wanted.fields:
                yield from self._unnamed_missing(f"{element}.{part.name}", self._with_class(part), parts.get(part.name))
        elif not wanted.missing and _holds_nan(value):
            yield element

    def may_be_missing(self, call: Call, path: Sequence[str]) -> bool:
        """Whether the interface says that this part of an answer may hold no number."""
        part = self.part(call, path)
        return part is not None and part.missing

    def changed(self, call: Call, answer: Answered) -> Iterator[str]:
        """Arguments that the call changed, by name, though the interface does not say that it does."""
        declared = self.declared(call)
        rows = declared.arguments if declared is not None else ()
        for place in answer.changed:
            number = int(place) if place.isdecimal() else -1
            row = rows[number] if 0 <= number < len(rows) else next((row for row in rows if row.name == place), None)
            if row is None or not row.changes:
                yield row.name if row is not None else place

    def _fault(self, wanted: Value, value: Any, call: Call, beside: Mapping[str, Any]) -> str:
        kind, found = wanted.type, plain(value)
        if wanted.names and (names := _names_of(value)) != list(wanted.names):
            return f"its names are {', '.join(names) or 'missing'}, not {', '.join(wanted.names)}"
        if not self.spoken.values.single and kind in _SINGLE:
            found = _alone(found)  # R has no single values: one that has a name arrives as a vector of one
        if isinstance(found, Extra) and found.kind in ("method", "opaque") and kind not in ("any", "object"):
            return f"it is a {found.kind}, not {_A[kind]}"
        if fault := _KINDS[kind](value, found, self.spoken.values) if kind in _KINDS else "":
            return fault
        declared = self.declared(call)
        shape = shape_of(wanted.shape, declared.arguments if declared is not None else (), call, beside)
        if shape is None or kind not in ("array", "list", "table"):
            return ""
        got = _shape_of_answer(found)
        if got is None or (not self.spoken.values.single and got == () and shape == (1,)):
            return ""  # R has no single numbers: a vector of one is sent as one
        wanted_here = shape[:1] if kind == "table" else shape
        return "" if got == wanted_here else f"its shape is {_shown(got)}, not {_shown(wanted_here)}"


def _alone(found: Any) -> Any:
    if isinstance(found, np.ndarray) and found.shape == (1,):
        return found[0].item() if found.dtype.kind in "OSU" else found.reshape(())
    return plain(found[0]) if isinstance(found, list) and len(found) == 1 else found


def _shape_of_answer(found: Any) -> tuple[int, ...] | None:
    """None where it cannot be told. Of a table the number of its rows."""
    if isinstance(found, Extra) and found.kind == "table":
        columns = list((fields_of(found) or {}).values())
        return (len(_elements(columns[0])),) if columns else None
    try:
        return tuple(numbers(found).shape)
    except NoValue:
        return None


def _elements(column: Any) -> list[Any]:
    found = plain(column)
    if isinstance(found, np.ndarray):
        return list(np.atleast_1d(found).reshape(-1))
    return found if isinstance(found, list) else [found]


def _column_fault(wanted: Value, column: Any, values: Values) -> str:
    """A column has a type for each of its elements; what is missing has none."""
    if wanted.type not in _KINDS:
        return ""
    for part in _elements(column):
        value = plain(part)
        absent = value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))
        single = np.asarray(value) if isinstance(value, np.generic) and not isinstance(value, str) else value
        if not absent and (fault := _KINDS[wanted.type](part, single, values)):
            return fault.replace("it is", "one of its elements is", 1)
    return ""


def _holds_nan(value: Any) -> bool:
    try:
        found = numbers(value)
    except NoValue:
        return False
    return found.dtype.kind in "fc" and bool(np.isnan(found).any())


def _names_of(value: Any) -> list[str]:
    while isinstance(value, Extra) and value.kind in TRANSPARENT:
        value = value.value
    if not isinstance(value, Extra) or value.kind not in ("named", "series"):
        return []
    found = value.value["names" if value.kind == "named" else "index"]
    return [str(plain(name)) for name in found] if isinstance(found, list) else []


def shape_of(
    shape: Sequence[str],
    arguments: Sequence[Argument],
    call: Call,
    beside: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[int, ...] | None:
    """The declared shape for the arguments of a call; None where it is not declared or cannot be known.

    `beside`: parts of the same answer, of which lengths may be told where no argument has the name.
    """
    if not shape:
        return None
    given: dict[str, Any] = {**beside, **dict(zip([row.name for row in arguments], call.arguments, strict=False))}
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
    except (NoValue, TypeError, ValueError, OverflowError):
        return None
    if how == "distinct":
        return _distinct(given.get(name)) + offset
    place = {"rows": 0, "length": 0, "cols": 1}[how]
    if how == "length" and not sizes:
        return 1 + offset
    return sizes[place] + offset if len(sizes) > place else None


def _distinct(value: Any) -> int:
    """How many values there are that differ; what is missing is none."""
    found = numbers(value).reshape(-1)
    return int(np.unique(found[~np.isnan(found)] if found.dtype.kind in "fc" else found).size)


def _shown(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


# --- kinds -----------------------------------------------------------------------------------------------------------

_SINGLE = frozenset({"number", "integer", "boolean", "text"})
_A = {
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a truth value",
    "text": "a text",
    "array": "an array",
    "table": "a table",
    "list": "a list",
    "figure": "a figure",
    "none": "nothing",
}


def _number(raw: Any, found: Any, values: Values) -> str:
    if isinstance(found, str):
        return "it is a text, not a number"
    if _is_complex(found):
        return "it is a complex number"
    if isinstance(found, bool | np.bool_) or not _is_single(found):
        return "it is not a single number"
    return ""


def _integer(raw: Any, found: Any, values: Values) -> str:
    if fault := _number(raw, found, values):
        return fault
    if isinstance(found, int):  # of any size
        return ""
    single = np.asarray(found)
    if single.dtype.kind in "iu":
        return ""
    whole = single.dtype.kind == "f" and float(single) == round(float(single)) if np.isfinite(single) else False
    return "" if whole and not values.whole else "it is not a whole number"


def _boolean(raw: Any, found: Any, values: Values) -> str:
    is_one = isinstance(found, bool) or (isinstance(found, np.ndarray) and found.dtype == bool and found.ndim == 0)
    return "" if is_one else "it is no truth value"


def _text(raw: Any, found: Any, values: Values) -> str:
    return "" if isinstance(found, str) else "it is no text"


def _array(raw: Any, found: Any, values: Values) -> str:
    if isinstance(found, str) or (isinstance(found, np.ndarray) and found.dtype.kind in "OSU"):
        return "it holds text, not numbers"
    is_vector = isinstance(found, np.ndarray) or (not values.single and (_is_single(found) or _is_complex(found)))
    return "" if is_vector else "it is no array"


def _table(raw: Any, found: Any, values: Values) -> str:
    return "" if isinstance(found, Extra) and found.kind == "table" else "it is no table"


def _list(raw: Any, found: Any, values: Values) -> str:
    return "" if isinstance(found, list | dict) or not values.single else "it is no list"


def _none(raw: Any, found: Any, values: Values) -> str:
    return "" if found is None or not values.single else "it is not nothing"


def _figure(raw: Any, found: Any, values: Values) -> str:
    parts = fields_of(found) or {}
    if "rendered" not in parts:
        return "it is no figure"
    return "" if parts["rendered"] is True else f"it does not render: {str(parts.get('why', ''))[:200]}"


def _is_single(found: Any) -> bool:
    if isinstance(found, int | float):
        return True
    return isinstance(found, np.ndarray) and found.dtype.kind in "biuf" and found.ndim == 0


def _is_complex(found: Any) -> bool:
    return isinstance(found, complex) or (isinstance(found, np.ndarray) and found.dtype.kind == "c" and not found.ndim)


_KINDS = {
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "text": _text,
    "array": _array,
    "table": _table,
    "list": _list,
    "figure": _figure,
    "none": _none,
}

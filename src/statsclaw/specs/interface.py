"""The interface: the one place where independent authors meet. Written once, shown to all alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from statsclaw.specs.words import Dimension, Name, Typed, Words

ValueType = Literal["number", "integer", "boolean", "text", "array", "table", "list", "object", "figure", "none", "any"]
Shape = tuple[Annotated[Dimension, BeforeValidator(str)], ...]
#: What has parts with names: attributes or list elements, elements of a list, columns.
WITH_FIELDS = frozenset({"object", "list", "table"})
#: What a worker tells of every figure, so that nobody has to declare it. `layerN` has the fields `kind`, `x` and `y`.
FIGURE_FIELDS = ("rendered", "layers", "kinds", "title", "xlabel", "ylabel")


class Argument(Typed):
    """`default` is written in the package's language; an argument without one must be given.

    `changes`: the function is meant to change what it is given here. `random`: it decides the random numbers of the
    call, as a whole number or as a generator; without it the function draws as it likes.
    """

    name: Name
    default: str | None = None
    keyword_only: bool = False
    changes: bool = False
    random: Literal["seed", "generator"] | None = None
    meaning: str = ""

    @model_validator(mode="before")
    @classmethod
    def _plain_default(cls, data: object) -> object:
        """`default: 100` is `default: "100"`; `default: null` could mean two things and is refused."""
        if isinstance(data, dict) and "default" in data:
            given = data["default"]
            if given is None:
                raise ValueError('write the default as text, such as "None" or "NULL"')
            return data | {"default": given if isinstance(given, str) else repr(given)}
        return data


class Value(Typed):
    """What users get. `missing`: it may hold NaN or NA. `optional`: it may be None or NULL, or not be there.

    `names`: of an array or a single value, the names of its elements in their order (R; the index of a Series).

    `fields`: the parts of an object or a list, the columns of a table in their order. `methods`: of an object, called
    on it. `class_name`: of an object; where the interface has a class of that name, its fields and methods are meant.
    """

    type: ValueType = "none"
    shape: Shape = ()
    missing: bool = False
    optional: bool = False
    names: tuple[str, ...] = ()
    class_name: Name | None = None
    fields: tuple[FieldOf, ...] = ()
    methods: tuple[Function, ...] = ()
    meaning: str = ""

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Value:
        if self.fields and self.type not in WITH_FIELDS:
            raise ValueError("an object has fields, a list or a table may have some, and nothing else has")
        if self.methods and self.type != "object":
            raise ValueError("an object has methods, and nothing else has")
        _once("field", [part.name for part in self.fields])
        _once("method", [method.name for method in self.methods])
        return self


class FieldOf(Value):
    """One part of what a function returns."""

    name: Name
    type: ValueType


class Returned(Value):
    """What a function returns. `invisible`: R does not print it at the prompt.

    `depends_on`: the argument whose value decides between the `cases`; what is said beside them holds for all others.
    """

    invisible: bool = False
    depends_on: Name | None = None
    cases: Mapping[str, Value] = {}

    @model_validator(mode="after")
    def _something_inside(self) -> Returned:
        if self.type == "object" and not (self.fields or self.methods or self.class_name):
            raise ValueError("an object has fields, methods or a class_name that the interface describes")
        if (self.depends_on is None) != (not self.cases):
            raise ValueError("depends_on names the argument that decides between the cases: one needs the other")
        return self


class Condition(Typed):
    """`error`: the exact class (Python) or condition (R); `message`: a fragment of what is said."""

    when: Words
    error: Name
    message: str = ""


class Function(Typed):
    """`raises` stands in the order in which the conditions are checked.

    `extends: base`: it exists in the target as it is. Only what is new or what questions are about is declared here;
    all else stays callable as it was.
    """

    name: Name
    extends: Literal["base"] | None = None
    arguments: Annotated[tuple[Argument, ...], Field(max_length=60)] = ()
    returns: Returned = Field(default_factory=lambda: Returned())
    raises: tuple[Condition, ...] = ()
    warns: tuple[Condition, ...] = ()
    meaning: str = ""

    def refuses(self, classes: Sequence[str], message: str) -> bool:
        """Whether an error is one that it states."""
        return any(row.error in classes and row.message in message for row in self.raises)

    @model_validator(mode="before")
    @classmethod
    def _additions(cls, data: object) -> object:
        """`add: […]` beside `extends` is another word for its arguments."""
        if isinstance(data, dict) and "add" in data:
            if "extends" not in data or "arguments" in data:
                raise ValueError("add stands beside extends: base, in the place of arguments")
            return {name: part for name, part in data.items() if name != "add"} | {"arguments": data["add"]}
        return data

    @model_validator(mode="after")
    def _names_once(self) -> Function:
        _once(f"argument of {self.name}", [argument.name for argument in self.arguments])
        known = {argument.name for argument in self.arguments}
        if self.returns.depends_on is not None and self.returns.depends_on not in known and self.extends is None:
            raise ValueError(f"{self.name} has no argument {self.returns.depends_on}, on which its result depends")
        return self


class Class(Typed):
    name: Name
    arguments: Annotated[tuple[Argument, ...], Field(max_length=60)] = ()
    fields: tuple[FieldOf, ...] = ()
    methods: tuple[Function, ...] = ()
    raises: tuple[Condition, ...] = ()
    meaning: str = ""


class Interface(Typed):
    """The package as its users know it.

    `conditions`: errors and warnings that several functions share, by name; `results`: what several of them return.
    `others: base`: all else that the target has stays as it was, and may be asked and referred to by its name.
    """

    package: Name
    conditions: Mapping[Name, Condition] = {}
    results: Mapping[Name, Value] = {}
    others: Literal["base"] | None = None
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _shared_parts(cls, data: object) -> object:
        """`raises: [few]` is the condition of that name, `returns: Fit` the result of that name."""
        if not isinstance(data, dict):
            return data
        shared = _Shared(*(data[key] if isinstance(data.get(key), dict) else {} for key in ("conditions", "results")))
        return {name: part if name == "conditions" else shared.put_in(part) for name, part in data.items()}

    @model_validator(mode="after")
    def _something_once(self) -> Interface:
        names = [part.name for part in self.functions] + [part.name for part in self.classes]
        if not names:
            raise ValueError("an interface without a function or a class is no interface")
        if len(set(names)) != len(names):
            raise ValueError("a public name stands here twice")
        return self

    def callables(self) -> Iterator[tuple[str, Function]]:
        """Functions, and methods of whatever they return, under the names by which specifications refer to them."""
        for function in self.functions:
            yield from _callables(function, function.name)
        for cls in self.classes:
            for method in cls.methods:
                yield from _callables(method, f"{cls.name}.{method.name}")
            for part in cls.fields:
                yield from _methods_below(part, f"{cls.name}.{part.name}")

    def parts(self) -> Iterator[tuple[str, FieldOf]]:
        """Every field, at any depth."""
        for name, function in self.callables():
            seen: set[str] = set()
            for value in (function.returns, *function.returns.cases.values()):
                for element, part in _parts_below(value, name):
                    if element not in seen:
                        seen.add(element)
                        yield element, part
        for cls in self.classes:
            for part in cls.fields:
                yield f"{cls.name}.{part.name}", part
                yield from _parts_below(part, f"{cls.name}.{part.name}")

    def elements(self) -> Iterator[str]:
        """Every reference that a specification may make."""
        yield from (cls.name for cls in self.classes)
        yield from (name for name, _ in self.callables())
        yield from (name for name, _ in self.parts())

    def is_of_base(self, element: str) -> bool:
        """Whether it is something that the target has had, and that this interface leaves as it was."""
        known = {*(part.name for part in self.functions), *(part.name for part in self.classes)}
        extended = {function.name for function in self.functions if function.extends}
        head = next((name for name in known if element == name or element.startswith(f"{name}.")), None)
        return head in extended if head is not None else self.others == "base"

    def type_of(self, element: str | None) -> str:
        """The type of what a function returns, or of a field; "" where it is not known."""
        found = {name: function.returns.type for name, function in self.callables()}
        found |= {name: part.type for name, part in self.parts()}
        return found.get(element or "", "")

    def conditions_of(self) -> Iterator[tuple[str, str, Condition]]:
        """(function, rule of the criterion that checks it, condition)."""
        yield from ((cls.name, "raises", row) for cls in self.classes for row in cls.raises)
        for name, function in self.callables():
            yield from ((name, "raises", row) for row in function.raises)
            yield from ((name, "warns", row) for row in function.warns)

    def arguments(self) -> Iterator[tuple[str, Argument]]:
        for name, function in self.callables():
            yield from ((name, argument) for argument in function.arguments)
        yield from ((cls.name, argument) for cls in self.classes for argument in cls.arguments)

    def names(self) -> Iterator[str]:
        """Every name a user of the package writes or reads: what is called, passed, returned and raised."""
        yield from (cls.name for cls in self.classes)
        yield from (function.name for _, function in self.callables())
        yield from (argument.name for _, argument in self.arguments())
        yield from (part.name for _, part in self.parts())
        yield from (condition.error for _, _, condition in self.conditions_of())


def _once(what: str, names: list[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"the {what} {twice[0]} stands here twice")


@dataclass(frozen=True)
class _Shared:
    """What is written once and meant in several places. `inside`: the results that are being put in."""

    conditions: Mapping[Any, Any]
    results: Mapping[Any, Any]
    inside: tuple[str, ...] = ()

    def put_in(self, node: Any) -> Any:
        """The same, with shared parts in the places of their names."""
        if isinstance(node, list):
            return [self.put_in(part) for part in node]
        if not isinstance(node, dict):
            return node
        if isinstance(name := node.get("result"), str):
            own = {key: part for key, part in node.items() if key != "result"}
            return self._result(name) | self.put_in(own)
        return {key: self._below(key, part) for key, part in node.items()}

    def _below(self, key: Any, part: Any) -> Any:
        if key in ("raises", "warns") and isinstance(part, list):
            return [self._condition(row) for row in part]
        if key == "returns" and isinstance(part, str):
            return self._result(part)
        if key == "cases" and isinstance(part, dict):
            return {case: self._result(row) if isinstance(row, str) else self.put_in(row) for case, row in part.items()}
        return self.put_in(part)

    def _condition(self, row: Any) -> Any:
        if isinstance(row, str) and row not in self.conditions:
            raise ValueError(f"{row!r} is not among the conditions of the interface")
        return self.conditions[row] if isinstance(row, str) else row

    def _result(self, name: str) -> dict[Any, Any]:
        if name in self.inside:
            raise ValueError(f"the result {name!r} is a part of itself")
        found = self.results.get(name)
        if not isinstance(found, dict):
            raise ValueError(f"{name!r} is not among the results of the interface")
        whole: dict[Any, Any] = replace(self, inside=(*self.inside, name)).put_in(found)
        return whole


def _callables(function: Function, name: str) -> Iterator[tuple[str, Function]]:
    yield name, function
    for value in (function.returns, *function.returns.cases.values()):
        yield from _methods_below(value, name)


def _methods_below(value: Value, name: str) -> Iterator[tuple[str, Function]]:
    for method in value.methods:
        yield from _callables(method, f"{name}.{method.name}")
    for part in value.fields:
        yield from _methods_below(part, f"{name}.{part.name}")


def _parts_below(value: Value, name: str) -> Iterator[tuple[str, FieldOf]]:
    for part in value.fields:
        yield f"{name}.{part.name}", part
        yield from _parts_below(part, f"{name}.{part.name}")

"""The interface: the one place where independent authors meet. Written once, shown to all alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from statsclaw.specs.words import Dimension, Name, Typed, Words

ValueType = Literal["number", "integer", "boolean", "text", "array", "table", "list", "object", "none", "any"]
Shape = tuple[Annotated[Dimension, BeforeValidator(str)], ...]


class Argument(Typed):
    """`default` is written in the package's language; an argument without one must be given."""

    name: Name
    default: str | None = None
    keyword_only: bool = False
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


class FieldOf(Typed):
    """One part of what a function returns."""

    name: Name
    type: ValueType
    shape: Shape = ()
    meaning: str = ""


class Returned(Typed):
    """`object`: a value with `fields`, reached as attributes in Python and as list elements in R."""

    type: ValueType = "none"
    shape: Shape = ()
    class_name: Name | None = None
    fields: tuple[FieldOf, ...] = ()
    meaning: str = ""

    @model_validator(mode="after")
    def _fields_belong_to_objects(self) -> Returned:
        if (self.type == "object") != bool(self.fields):
            raise ValueError("an object has fields, and nothing else has")
        return self


class Condition(Typed):
    """`error`: the exact class (Python) or condition (R); `message`: a fragment of what is said."""

    when: Words
    error: Name
    message: str = ""


class Function(Typed):
    """`raises` stands in the order in which the conditions are checked."""

    name: Name
    arguments: Annotated[tuple[Argument, ...], Field(max_length=60)] = ()
    returns: Returned = Returned()
    raises: tuple[Condition, ...] = ()
    warns: tuple[Condition, ...] = ()
    meaning: str = ""

    @model_validator(mode="after")
    def _names_once(self) -> Function:
        names = [argument.name for argument in self.arguments] + [part.name for part in self.returns.fields]
        for kind in ([a.name for a in self.arguments], [f.name for f in self.returns.fields]):
            if len(set(kind)) != len(kind):
                raise ValueError(f"{self.name} names something twice: {', '.join(sorted(set(names)))}")
        return self


class Class(Typed):
    name: Name
    arguments: Annotated[tuple[Argument, ...], Field(max_length=60)] = ()
    fields: tuple[FieldOf, ...] = ()
    methods: tuple[Function, ...] = ()
    raises: tuple[Condition, ...] = ()
    meaning: str = ""


class Interface(Typed):
    """The package as its users know it."""

    package: Name
    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()

    @model_validator(mode="after")
    def _something_once(self) -> Interface:
        names = [part.name for part in self.functions] + [part.name for part in self.classes]
        if not names:
            raise ValueError("an interface without a function or a class is no interface")
        if len(set(names)) != len(names):
            raise ValueError("a public name stands here twice")
        return self

    def elements(self) -> Iterator[str]:
        """Every reference that a specification may make."""
        for function in self.functions:
            yield from _of_function(function, function.name)
        for cls in self.classes:
            yield cls.name
            yield from (f"{cls.name}.{part.name}" for part in cls.fields)
            for method in cls.methods:
                yield from _of_function(method, f"{cls.name}.{method.name}")

    def whole_fields(self) -> frozenset[str]:
        """Parts of results that are whole numbers wherever they occur."""
        returned = [row for function in self.functions for row in function.returns.fields]
        rows = [*returned, *(row for cls in self.classes for row in cls.fields)]
        return frozenset(
            {row.name for row in rows} - {row.name for row in rows if row.type not in ("integer", "boolean")}
        )

    def names(self) -> Iterator[str]:
        """Every name a user of the package writes or reads: what is called, passed, returned and raised."""
        functions = [*self.functions, *(method for cls in self.classes for method in cls.methods)]
        for function in functions:
            yield function.name
            yield from (argument.name for argument in function.arguments)
            yield from (part.name for part in function.returns.fields)
            yield from (condition.error for condition in (*function.raises, *function.warns))
        for cls in self.classes:
            yield cls.name
            yield from (argument.name for argument in cls.arguments)
            yield from (part.name for part in cls.fields)


def _of_function(function: Function, name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}.{part.name}" for part in function.returns.fields)

"""An interface as Python source. Every name is checked and every text written as a literal: nothing is injected."""

from __future__ import annotations

import ast
import builtins
import keyword
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from statsclaw.specs.interface import Argument, Condition, FieldOf, Function, Interface, Returned

_LONGEST_DEFAULT = 1000
_NEVER_A_PACKAGE = frozenset(sys.stdlib_module_names) | {"numpy", "pandas", "scipy", "pytest", "pluggy", "statsclaw"}
#: Raised by numpy, not by the package that lets it through.
_FOREIGN_ERRORS = frozenset({"LinAlgError"})


class Unwritable(ValueError):
    """The interface says something that no package in this language can have."""


@dataclass(frozen=True, slots=True)
class WrittenFunction:
    """`result`: name of the class of what is returned, or None; `unnamed`: the interface gives it none."""

    name: str
    label: str
    signature: str
    arguments: str
    kind: str
    shape: str
    result: str | None
    unnamed: bool


@dataclass(frozen=True, slots=True)
class WrittenClass:
    """`fields` is a Python tuple of (name, type, shape)."""

    name: str
    fields: str
    signature: str = ""
    arguments: str = "{}"
    methods: tuple[WrittenFunction, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenPackage:
    """What the templates fill in. `public`: a Python list of names."""

    package: str
    public: str
    functions: tuple[WrittenFunction, ...]
    results: tuple[WrittenClass, ...]
    classes: tuple[WrittenClass, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def written(interface: Interface, runtime: str) -> WrittenPackage:
    """The interface ready for a template; `runtime` is the name under which the package knows its support module."""
    _check_package(interface.package)
    functions = tuple(_function(row, row.name, runtime) for row in interface.functions)
    own = {row.name for row in interface.classes}
    fields = _fields_of_results(interface)
    classes = []
    for row in interface.classes:
        methods = {method.name for method in row.methods}
        parts = {part.name: part for part in (*row.fields, *fields.get(row.name, {}).values())}
        classes.append(
            WrittenClass(
                name(row.name),
                _parts(part for part in parts.values() if part.name not in methods),
                signature(row.arguments, row.name, runtime, method=True),
                _as_dict(_without_self(row.arguments)),
                tuple(_function(method, f"{row.name}.{method.name}", runtime) for method in row.methods),
            )
        )
    results = tuple(WrittenClass(name(key), _parts(found.values())) for key, found in fields.items() if key not in own)
    taken = [row.name for row in functions] + [row.name for row in (*classes, *results)]
    if twice := sorted({row for row in taken if taken.count(row) > 1}):
        raise Unwritable(f"{twice[0]} is both a function and the class of a result")
    declared = {row.returns.class_name for row in _all_functions(interface)} & {row.name for row in results}
    errors = _conditions(interface, "raises", taken)
    warned = _conditions(interface, "warns", [*taken, *errors])
    public = (
        [row.name for row in functions]
        + [row.name for row in classes]
        + sorted(filter(None, declared))
        + [*errors, *warned]
    )
    return WrittenPackage(interface.package, ascii(public), functions, results, tuple(classes), errors, warned)


def package_files(package: str, source: str, support: dict[str, str]) -> dict[str, str]:
    """The files of the package: `source` is its `__init__.py`, `support` lies beside it, folders above are empty."""
    parts = package.split(".")
    folder = "/".join(parts)
    found = {"/".join([*parts[:depth], "__init__.py"]): "" for depth in range(1, len(parts))}
    return found | {f"{folder}/__init__.py": source} | {f"{folder}/{key}": text for key, text in support.items()}


def support_file(path: str) -> str:
    """The text of a file in this folder that a generated package brings along."""
    return files("statsclaw.verify.standin").joinpath(path).read_text(encoding="utf-8")


def name(text: str) -> str:
    """`text`, if it can be a name in Python."""
    if not (text.isascii() and text.isidentifier()) or keyword.iskeyword(text) or text.startswith("_"):
        raise Unwritable(f"{text} cannot be a name in Python")
    return text


def signature(arguments: Sequence[Argument], owner: str, runtime: str, *, method: bool = False) -> str:
    """The parameters as they stand between the parentheses of `def`."""
    given = _without_self(arguments) if method else arguments
    names = [name(row.name) for row in given]
    if len(set(names)) != len(names) or (method and "self" in names):
        raise Unwritable(f"{owner} names an argument twice")
    positional = [row for row in given if not row.keyword_only]
    keywords = [row for row in given if row.keyword_only]
    optional = False
    for row in positional:
        if row.default is None and optional:
            raise Unwritable(f"{owner}: the argument {row.name} has no default and follows one that has")
        optional = row.default is not None
    rows = ["self"] if method else []
    rows += [_parameter(row, runtime) for row in positional]
    rows += ["*"] if keywords else []
    return ", ".join(rows + [_parameter(row, runtime) for row in keywords])


def default(text: str, runtime: str) -> str:
    """The default as an expression: a literal as it is, anything else an object that only shows its text."""
    if len(text) <= _LONGEST_DEFAULT:
        try:
            plain = ascii(ast.literal_eval(text))
            ast.literal_eval(plain)
            return plain
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
    return f"{runtime}.Default({text[:_LONGEST_DEFAULT]!a})"


def _parameter(row: Argument, runtime: str) -> str:
    return row.name if row.default is None else f"{row.name}={default(row.default, runtime)}"


def _without_self(arguments: Sequence[Argument]) -> Sequence[Argument]:
    return arguments[1:] if arguments and arguments[0].name == "self" else arguments


def _as_dict(arguments: Sequence[Argument]) -> str:
    return "{" + ", ".join(f'"{row.name}": {row.name}' for row in arguments) + "}"


def _function(row: Function, label: str, runtime: str) -> WrittenFunction:
    method = "." in label
    return WrittenFunction(
        name(row.name),
        label,
        signature(row.arguments, label, runtime, method=method),
        _as_dict(_without_self(row.arguments) if method else row.arguments),
        row.returns.type,
        ascii(tuple(row.returns.shape)),
        _result_name(row.returns, label),
        row.returns.class_name is None,
    )


def _result_name(returned: Returned, label: str) -> str | None:
    if returned.type != "object":
        return None
    return returned.class_name or "".join(part[:1].upper() + part[1:] for part in label.split(".")) + "Result"


def _all_functions(interface: Interface) -> Iterator[Function]:
    yield from interface.functions
    for row in interface.classes:
        yield from row.methods


def _fields_of_results(interface: Interface) -> dict[str, dict[str, FieldOf]]:
    """Fields by class of result; where two functions return the same class it has the fields of both."""
    labelled = [(row, row.name) for row in interface.functions]
    labelled += [(method, f"{row.name}.{method.name}") for row in interface.classes for method in row.methods]
    found: dict[str, dict[str, FieldOf]] = {}
    for function, label in labelled:
        key = _result_name(function.returns, label)
        if key is not None:
            for part in function.returns.fields:
                found.setdefault(key, {}).setdefault(part.name, part)
    return found


def _parts(fields: Iterable[FieldOf]) -> str:
    return ascii(tuple((name(part.name), part.type, tuple(part.shape)) for part in fields))


def _conditions(interface: Interface, which: str, taken: Sequence[str]) -> tuple[str, ...]:
    """Classes of errors or warnings that the package itself must bring."""
    rows: list[Condition] = [row for function in _all_functions(interface) for row in getattr(function, which)]
    rows += [row for cls in interface.classes for row in getattr(cls, which, ())]
    own = {row.error for row in rows if row.error.isidentifier() and not keyword.iskeyword(row.error)}
    return tuple(sorted(own - set(dir(builtins)) - set(taken) - _FOREIGN_ERRORS))


def _check_package(package: str) -> None:
    for part in package.split("."):
        name(part)
    if package.split(".")[0] in _NEVER_A_PACKAGE:
        raise Unwritable(f"a package called {package} would hide another one of that name")

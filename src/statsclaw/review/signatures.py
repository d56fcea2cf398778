"""How the functions of a built package can be called, against the interface.

What cannot be read for certain (a default that is computed, a name that an unchanged file may define) is not judged.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from statsclaw.languages.r import r_literal
from statsclaw.runlog.events.finding import Severity
from statsclaw.specs.interface import Argument

#: No default, as opposed to a default of None.
REQUIRED = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`default` as written, "" where the argument must be given; `keyword_only`: cannot be given by position."""

    name: str
    default: str = REQUIRED
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """`parameters` None: the name is there, and how it is called cannot be read. `open_ended`: takes any others."""

    where: str
    language: str
    parameters: tuple[Parameter, ...] | None = None
    open_ended: bool = False


@dataclass
class Built:
    """What could be read of a package. `names` None: it cannot be told which names it has."""

    entry: str = ""
    names: frozenset[str] | None = None
    signatures: dict[str, Signature] = field(default_factory=dict)
    classes: frozenset[str] = frozenset()

    def find(self, name: str) -> Signature | None:
        return self.signatures.get(name)

    def has(self, name: str) -> bool:
        return name in self.signatures or (self.names is not None and name in self.names)

    def surely_lacks(self, name: str) -> bool:
        """The file that says what the package exports was read, and does not have the name."""
        owner, _, method = name.rpartition(".")
        if method and owner in self.classes:
            return name not in self.signatures
        return self.names is not None and name not in self.names and (not owner or owner not in self.names)


def compare_arguments(
    name: str, wanted: tuple[Argument, ...] | None, found: Signature
) -> Iterator[tuple[Severity, str, str]]:
    """(severity, message, key) for each argument that is not as the interface has it."""
    if wanted is None or found.parameters is None:
        return
    there = {parameter.name: parameter for parameter in found.parameters}
    for argument in wanted:
        key = f"argument:{name}.{argument.name}"
        parameter = there.get(argument.name)
        if parameter is None:
            if not found.open_ended:
                yield "error", f"{name} has no argument {argument.name} in the package", key
        elif argument.default is None:
            if parameter.default != REQUIRED:
                text = f"{argument.name} of {name} has the default {parameter.default[:80]} in the package"
                yield "warning", f"{text} and none in the interface", key
        elif parameter.default == REQUIRED:
            yield "error", f"{argument.name} of {name} has no default in the package", key
        else:
            yield from _compare_defaults(name, argument.name, argument.default, parameter.default, found.language)
    known = {argument.name for argument in wanted}
    for parameter in found.parameters if found.language == "python" else ():  # R asks only when a value is used
        if parameter.default == REQUIRED and parameter.name not in known:
            text = f"{name} cannot be called without {parameter.name}, which is not in the interface"
            yield "error", text, f"argument:{name}.{parameter.name}"
    asked = [argument.name for argument in wanted if not argument.keyword_only and argument.name in there]
    given = [parameter.name for parameter in found.parameters if not parameter.keyword_only]
    if [one for one in given if one in asked] != asked:
        yield "error", f"the arguments of {name} do not stand in the order of the interface", f"order:{name}"


def _compare_defaults(
    name: str, argument: str, wanted: str, given: str, language: str
) -> Iterator[tuple[Severity, str, str]]:
    read = _python_literal if language == "python" else r_literal
    one, other = read(wanted), read(given)
    if one == other or "".join(wanted.split()) == "".join(given.split()):
        return
    key = f"default:{name}.{argument}"
    text = f"the default of {argument} is {given[:80]} in the package and {wanted[:80]} in the interface"
    if one is not None and other is not None:
        yield "error", f"{text} ({name})", key
    else:
        yield "note", f"{text} ({name}): whether that is the same could not be computed", key


def _python_literal(text: str) -> tuple[str, object] | None:
    """Value and kind; 1 and 1.0 are the same, 1 and True are not."""
    try:
        value = ast.literal_eval(text.strip()[:10_000])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return ("number", value)
    return (type(value).__name__, repr(value))

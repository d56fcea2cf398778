"""Julia: the worker loads the package and looks at it itself.

Which arguments may be given by name, and what they stand for when they are left out, it reads in the interface.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Adapter, Language, Places, Unfit, Worker
from statsclaw.profiles.profile import Command
from statsclaw.sandbox.left_behind import read_left_behind
from statsclaw.specs.interface import Argument, Function, Interface

_LARGEST_MANIFEST = 1_000_000
_MANIFESTS = ("Project.toml", "JuliaProject.toml")
#: What is compiled before the first question need not be compiled again in every worker.
_DEPOT = 'export JULIA_DEPOT_PATH="$1/depot:${JULIA_DEPOT_PATH:+$JULIA_DEPOT_PATH:}"\n'
_BUILD = f"""set -eu
{_DEPOT}exec julia --startup-file=no "--project=$2" -e 'Base.require(Main, Symbol(ARGS[1]))' "$3"
"""
_ASK = f"""{_DEPOT}export JULIA_DEPOT_PATH="$HOME/depot:$JULIA_DEPOT_PATH"
project=$2 worker=$1/worker.jl
shift 2
exec julia --startup-file=no --color=no "--project=$project" "$worker" "$@"
"""


class Julia(Language):
    id = "julia"
    sees = ("tree", "adapter")

    def worker(self, at: Places) -> Worker:
        return Worker(("sh", "-c", _ASK, "worker", at.adapter, at.tree), {"JULIA_PKG_OFFLINE": "true"})

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        name = _name(tree)
        if name != interface.package:
            raise Unfit(f"Project.toml names the package {name!r}, and the interface {interface.package!r}")
        worker = (files("statsclaw.languages") / "workers" / "julia" / "worker.jl").read_text(encoding="utf-8")
        argv = ("sh", "-c", _BUILD, "worker", "{adapter}", "{tree}", name)
        env = {"JULIA_PKG_OFFLINE": "true"}
        command = Command(
            name="worker", argv=argv, cwd="scratch", parser="exit", env=env, timeout_s=1800, needs=("julia", "sh")
        )
        return Adapter({"worker.jl": worker, "interface.jl": _declared(interface)}, (command,))

    def literal(self, text: str) -> tuple[Any, ...]:
        words = {"nothing": None, "true": True, "false": False, "Inf": float("inf"), "-Inf": float("-inf")}
        if text.strip() in words:
            return (words[text.strip()],)
        if text.strip()[:1] in ("'", "") or text.strip() in ("True", "False", "None", "null", "nil", "NULL"):
            return ()  # in Julia a single quotation mark begins a character
        return () if "$" in text else super().literal(text)

    def imported_names(self, sources: Collection[str], names: Collection[str]) -> Collection[str]:
        return names


def _name(tree: Path) -> str:
    place = next((tree / name for name in _MANIFESTS if (tree / name).is_file()), None)
    if place is None:
        raise Unfit("there is no Project.toml at the root of the repository")
    try:
        found = tomllib.loads((read_left_behind(place, _LARGEST_MANIFEST) or b"").decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unfit(f"{place.name} cannot be read: {error}") from None
    if not isinstance(found.get("name"), str):
        raise Unfit(f"{place.name} gives the package no name")
    return str(found["name"])


# --- the interface, as Julia ---------------------------------------------------------------------------------------


def _declared(interface: Interface) -> str:
    """interface.jl: of each function its arguments and the type of what it returns. What exists tells its arguments."""
    functions = dict(interface.callables())
    functions |= {row.name: Function(name=row.name, arguments=row.arguments) for row in interface.classes}
    rows = "".join(f"    {_text(name)} => {_callable(row)},\n" for name, row in functions.items() if not row.extends)
    return f"const DECLARED = Dict{{String,Any}}(\n{rows})\n"


def _callable(function: Function) -> str:
    arguments = ", ".join(map(_argument, function.arguments))
    return f"(arguments = Any[{arguments}], returns = {_text(function.returns.type)})"


def _argument(argument: Argument) -> str:
    default = "nothing" if argument.default is None else _text(argument.default)
    return f"({_text(argument.name)}, {default}, {'true' if argument.keyword_only else 'false'})"


def _text(text: str) -> str:
    """A literal of Julia, whatever the text holds."""
    plain = (c if c.isascii() and c.isprintable() and c not in '"\\$' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(plain)}"'


LANGUAGE = Julia()

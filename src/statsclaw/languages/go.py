"""Go: a worker is compiled with the package, as one more program of its module, and looks at it by reflection.

A program beside it reads what the package exports, and the interface adds names of arguments and declared shapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Adapter, Case, Language, Native, Places, Unfit, Values, Worker
from statsclaw.profiles.profile import Command
from statsclaw.specs.interface import Class, Function, Interface, Value

_CLAUSE = re.compile(r"^package[ \t]+([A-Za-z_]\w*)[ \t]*(?://.*|/\*.*)?\r?$", re.MULTILINE)
#: A package clause stands at the beginning; a file that is longer is not read to its end.
_LONGEST = 200_000
_WORKER = files(__package__) / "workers" / "go"
_BESIDE = ("build.sh", "look/look.go", "look/go.mod")
_COUNTED = 'worker=${0%/*}/worker place=$STATSCLAW_COVERAGE\nunset STATSCLAW_COVERAGE\nexec "$worker" "$@" "$place"\n'
#: Folders of this name hold no packages of a module.
_SUITE = "tests/validation/testdata"
_DECLARED = """package main

func init() {{ tell(read({text}).(mapping)) }}
"""
_APART = frozenset({"vendor", "testdata", "internal"})


class Go(Language):
    id = "go"
    how = "generated"
    sees = ("adapter",)
    values = Values(by_any_class=True)
    traces = True
    counting = "counted/run"
    native = Native("native_go.go", "tests/validation/validation_test.go", f"{_SUITE}/questions.json")

    def worker(self, at: Places) -> Worker:
        return Worker((f"{at.adapter}/worker",), {"GODEBUG": "randseednop=0"})

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        folder = _folder(tree, interface.package)
        made = _sources("source") | _beside("")
        made["source/declared.go"] = _DECLARED.format(text=_text(json.dumps(_told(interface))))
        made |= {"count.sh": _WORKER.joinpath("count.sh").read_text("utf-8"), "counted/run": _COUNTED}
        argv = ("sh", "{adapter}/build.sh", "{tree}", "{adapter}", "{scratch}", folder)
        env = {"GOCACHE": "{scratch}/gocache", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"}
        command = Command(name="worker", argv=argv, parser="exit", env=env, timeout_s=900, needs=("go", "sh"))
        update = {"name": "worker-counted", "argv": ("sh", "{adapter}/count.sh", *argv[2:])}
        return Adapter(made, (command,), (command.model_copy(update=update),))

    def told(self, interface: Interface) -> Mapping[str, Any]:
        return _told(interface)

    def native_files(self, interface: Interface, cases: Sequence[Case]) -> Mapping[str, str]:
        suite = {row.name: row.read_text("utf-8") for row in (_WORKER / "suite").iterdir()}
        readme = {"tests/validation/README.md": suite.pop("README.md")}
        own = {f"{_SUITE}/program/{name}": text for name, text in suite.items()}
        return readme | _sources(f"{_SUITE}/program") | own | _beside(f"{_SUITE}/")


def _sources(folder: str) -> dict[str, str]:
    return {f"{folder}/{row.name}": row.read_text("utf-8") for row in _WORKER.iterdir() if row.name.endswith(".go")}


def _beside(folder: str) -> dict[str, str]:
    """What makes a program of the sources."""
    return {folder + name: _WORKER.joinpath(name).read_text("utf-8") for name in _BESIDE}


def _folder(tree: Path, package: str) -> str:
    """Below the tree, of the package that is asked: the module's root, or a folder whose package has that name."""
    if not (tree / "go.mod").is_file():
        raise Unfit("there is no go.mod at the root of the repository")
    if package in _packages(tree):
        return "."
    found = [place for place in _below(tree) if package in _packages(place)]
    found = [place for place in found if place.name == package] or found
    if not found:
        raise Unfit(f"no folder of the module holds a package {package}; its root, or the folder {package}/, must")
    if len(found) > 1:
        places = ", ".join(sorted(place.relative_to(tree).as_posix() for place in found))
        raise Unfit(f"several folders of the module hold a package {package}: {places}")
    return found[0].relative_to(tree).as_posix()


def _below(folder: Path) -> Iterator[Path]:
    """Folders of the same module that others can import."""
    for place in sorted(folder.iterdir()):
        plain = place.is_dir() and not place.is_symlink() and re.fullmatch(r"[A-Za-z0-9][\w.-]*", place.name)
        if plain and place.name not in _APART and not (place / "go.mod").exists():
            yield place
            yield from _below(place)


def _packages(folder: Path) -> set[str]:
    """The names that its files give their package, tests left out."""
    found = set()
    for place in folder.glob("*.go"):
        if place.is_file() and not place.is_symlink() and not place.name.endswith("_test.go"):
            with place.open(encoding="utf-8", errors="replace") as file:
                if match := _CLAUSE.search(file.read(_LONGEST)):
                    found.add(match[1])
    return found


# --- the interface, as Go ------------------------------------------------------------------------------------------


def _told(interface: Interface) -> dict[str, Any]:
    """Names of arguments, and the forms of what is returned."""
    functions = dict(interface.callables())
    functions |= {row.name: Function(name=row.name, arguments=row.arguments) for row in interface.classes}
    returned = [row.returns for row in functions.values()]
    described: dict[str, Value | Class] = {row.class_name: row for row in reversed(returned) if row.class_name}
    described |= {row.name: row for row in interface.classes}
    classes = {name: _form(row) for name, row in described.items() if row.fields or row.methods}
    return {"functions": {name: _callable(row) for name, row in functions.items()}, "classes": classes}


def _callable(function: Function) -> dict[str, Any]:
    """Of a result that depends on an argument, the fields of every case. Of what exists, the source names arguments."""
    own = function.extends or not function.arguments
    arguments = {} if own else {"arguments": [row.name for row in function.arguments]}
    returns = function.returns
    parts = {part.name: part for value in (*returns.cases.values(), returns) for part in value.fields}
    return arguments | {"returns": _form(returns.model_copy(update={"fields": tuple(parts.values())}))}


def _form(value: Value | Class) -> dict[str, Any]:
    found: dict[str, Any] = {"name": getattr(value, "name", "")}
    if isinstance(value, Value):
        found |= {"kind": value.type, "class": value.class_name, "shape": list(value.shape), "optional": value.optional}
    found |= {"fields": list(map(_form, value.fields))}
    found |= {"methods": {row.name: _callable(row) for row in value.methods}}
    return {name: part for name, part in found.items() if part}


def _text(text: str) -> str:
    """A literal of Go, whatever the text holds."""
    plain = (c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(plain)}"'


LANGUAGE = Go()

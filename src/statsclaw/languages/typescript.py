"""TypeScript and JavaScript: the worker imports the built package as its users do, and looks at it itself.

What functions cannot tell at run time, which arguments go by name and how flat numbers are to be read as a matrix, it
reads in the interface.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Adapter, Language, Native, Places, Unfit, Values, Worker
from statsclaw.profiles.profile import Command
from statsclaw.sandbox.left_behind import json_left_behind
from statsclaw.specs.interface import Argument, Function, Interface, Value

_SCRIPTS = ("worker.mjs", "wire.mjs", "arguments.mjs", "coverage.mjs")
_LARGEST_MANIFEST = 1_000_000
_WORDS: Mapping[str, Any] = {"undefined": None, "Infinity": math.inf, "-Infinity": -math.inf}

#: The package is found by its name, as its users find it.
_LINK = """
set -eu
rm -rf "$1/node_modules"
mkdir -p "$1/node_modules"
ln -s "$2" "$1/node_modules/$3"
"""


class TypeScript(Language):
    id = "typescript"
    sees = ("tree", "adapter")
    values = Values(whole=False)
    native = Native("native_typescript.mjs", "tests/validation/validation.test.mjs", "tests/validation/questions.json")
    traces = True

    def worker(self, at: Places) -> Worker:
        return Worker(("node", f"{at.adapter}/worker.mjs"), {"NODE_OPTIONS": ""})

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        name = _name(tree)
        if _spelled(name) != _spelled(interface.package):
            raise Unfit(f"package.json names the package {name!r}, and the interface {interface.package!r}")
        folder = files("statsclaw.languages") / "workers" / "typescript"
        made = {script: (folder / script).read_text(encoding="utf-8") for script in _SCRIPTS}
        argv = ("sh", "-c", _LINK, "worker", "{adapter}", "{tree}", interface.package)
        link = Command(name="worker", argv=argv, cwd="scratch", parser="exit", timeout_s=60, needs=("sh",))
        return Adapter({**made, "interface.json": json.dumps(_told(interface))}, (link,))

    def told(self, interface: Interface) -> Mapping[str, Any]:
        return _told(interface)

    def literal(self, text: str) -> tuple[Any, ...]:
        word = text.strip()
        return (_WORDS[word],) if word in _WORDS else () if word in ("None", "nil") else super().literal(word)

    def imported_names(self, sources: Collection[str], names: Collection[str]) -> Collection[str]:
        return names


def _name(tree: Path) -> str:
    found = json_left_behind(tree / "package.json", _LARGEST_MANIFEST)
    if not isinstance(found, dict):
        raise Unfit("there is no package.json that can be read in the folder of the package")
    if not isinstance(found.get("name"), str):
        raise Unfit("package.json gives the package no name")
    return str(found["name"])


def _spelled(name: str) -> str:
    """An interface writes no scope and no hyphen."""
    return re.sub(r"[^a-z0-9]", "_", name.rpartition("/")[2].lower())


def _told(interface: Interface) -> dict[str, Any]:
    """What the worker needs of the interface."""
    classes = {
        row.name: {"arguments": list(map(_argument, row.arguments)), "fields": {p.name: _value(p) for p in row.fields}}
        for row in interface.classes
    }
    return {"functions": {name: _function(row) for name, row in interface.callables()}, "classes": classes}


def _function(function: Function) -> dict[str, Any]:
    returned = function.returns
    cases = {"depends_on": returned.depends_on, "cases": {case: _value(row) for case, row in returned.cases.items()}}
    arguments = list(map(_argument, function.arguments))
    return {"arguments": arguments, "returns": _value(returned) | cases, "extends": function.extends}


def _argument(argument: Argument) -> dict[str, Any]:
    return {"name": argument.name, "keyword_only": argument.keyword_only, "default": argument.default}


def _value(value: Value) -> dict[str, Any]:
    fields = {part.name: _value(part) for part in value.fields}
    return {"shape": list(value.shape), "fields": fields, "class": value.class_name}


LANGUAGE = TypeScript()

"""Stata: a driver asks one command after the other, each in a Stata of its own, and reads what is left in r() and e().

What no command can tell, where its arguments stand and which forms its results have, it reads in the interface.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from statsclaw.languages.language import Adapter, Language, Places, Unfit, Values, Worker
from statsclaw.specs.interface import Interface, Value

_SCRIPTS = ("worker.py", "stata_commands.py", "stata_dta.py", "stata_results.py", "results.do")
#: Folders of a repository that Stata searches for commands, and those below them that are called by one letter.
_ADO = ("*.ado", "?/*.ado", "ado/*.ado", "ado/?/*.ado", "src/*.ado", "src/?/*.ado")


class Stata(Language):
    id = "stata"
    sees = ("tree", "adapter")
    values = Values(whole=False)

    def worker(self, at: Places) -> Worker:
        return Worker((at.python, "-I", "-B", f"{at.adapter}/worker.py", at.scripts, at.tree))

    def adapter(self, interface: Interface, tree: Path) -> Adapter:
        if not any(path.is_file() for glob in _ADO for path in tree.glob(glob)):
            raise Unfit("no .ado file lies at the root, in ado/ or in src/, or in a folder of one letter below them")
        folder = files("statsclaw.languages") / "workers" / "stata"
        made = {script: (folder / script).read_text(encoding="utf-8") for script in _SCRIPTS}
        return Adapter({**made, "interface.json": json.dumps(_told(interface))})


def _told(interface: Interface) -> dict[str, Any]:
    functions: dict[str, Any] = {}
    for name, row in interface.callables():
        functions[name] = {"arguments": [part.name for part in row.arguments], "returns": _value(row.returns)}
    return {"functions": functions}


def _value(value: Value) -> Mapping[str, Any]:
    fields = [{"name": part.name, **_value(part)} for part in value.fields]
    return {"type": value.type, "shape": list(value.shape), "fields": fields}


LANGUAGE = Stata()

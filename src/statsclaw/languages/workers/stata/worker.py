"""Asks the commands of a Stata package: python -I -B worker.py SCRIPTS TREE INPUT OUTPUT SITE PACKAGE

Every call is a do-file of its own, run by Stata's console program in batch: what an earlier call left in memory reaches
no other. A call on an earlier answer, such as `predict`, begins by making that answer again. What is asked and answered
is in docs/reference/worker-protocol.md, how calls become commands in docs/reference/stata.md.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, sys.argv[1])
sys.path.insert(0, str(Path(__file__).resolve().parent))
import statsclaw_wire as wire
from stata_commands import Argument, ArgumentError, Data, command_of, exported, signature_of, words_of
from stata_dta import Unwritable, write_dta
from stata_results import Left, read_results

del sys.path[:2]

HERE = Path(__file__).resolve().parent
TREE, INPUT, OUTPUT = sys.argv[2:5]
_LONGEST_TEXT, _MOST_WARNINGS = 4000, 200
_FOLDERS = ("src", "ado", "")
_SEEDS = 2**31 - 1
#: An estimation command leaves e(), and often also r() of what it has called; one on an answer finds its e().
_FIRST, _FIRST_ON = ("e()", "r()", "s()"), ("r()", "s()", "e()")
_CODE = re.compile(r"^r\((\d+)\);", re.MULTILINE)
_SAID = re.compile(r"^[ \t]*\(?(warning|note):[ \t]*(.*)$", re.MULTILINE | re.IGNORECASE)


class Refused(Exception):
    """An error that Stata told by its return code, or one that no return code belongs to."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Step:
    """One command, and the lines of a do-file that make what it is given.

    `matrices`: those that need the memory of the data for a while; they stand before the data of every step.
    """

    matrices: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    command: str = ""


@dataclass
class Answer:
    """What is kept of a call for later ones.

    `steps`: those of the answers it was called on, and its own. `columns`: the data that they leave in memory.
    """

    steps: tuple[Step, ...]
    columns: Mapping[str, Any]
    value: Any
    printed: str


@dataclass
class Run:
    left: Left
    printed: str
    peak: int


@dataclass
class Worker:
    told: Mapping[str, Any]
    folder: Path
    kept: dict[int, Answer] = field(default_factory=dict)
    resting: int = 0
    failure: Refused | None = None
    files: int = 0

    def begin(self) -> None:
        """Whether Stata runs at all, and what memory it takes by itself."""
        try:
            self.resting = self.run((Step(),), sample=False).peak
        except Refused as refused:
            self.failure = refused

    def forget(self) -> None:
        self.kept.clear()
        for place in self.folder.glob("*.dta"):
            place.unlink()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = {"id": request["id"], "warnings": [], "printed": "", "changed": []}
        try:
            if self.failure is not None:
                raise self.failure
            self.perform(request, reply)
        except Refused as refused:
            reply["error"] = {"classes": [refused.kind], "message": str(refused)[:_LONGEST_TEXT]}
        except (ArgumentError, Unwritable) as wrong:
            reply["error"] = {"classes": ["ArgumentError"], "message": str(wrong)[:_LONGEST_TEXT]}
        return reply

    def perform(self, request: dict[str, Any], reply: dict[str, Any]) -> None:
        what = request.get("what", "call")
        if what == "exports":
            reply["value"] = exported([Path(TREE, folder) for folder in _FOLDERS])
        elif what == "signature":
            reply["value"] = signature_of([Path(TREE, folder) for folder in _FOLDERS], request["function"])
        elif what == "text":
            reply["value"] = self.shown(request["arguments"][0])
        else:
            self.call(request, reply)

    def shown(self, handle: Any) -> str:
        return self.earlier(handle).printed

    def earlier(self, handle: Any) -> Answer:
        """The whole answer of an earlier call."""
        of_call = isinstance(handle, wire.Extra) and handle.kind == "answer"
        found = self.kept.get(handle.value["call"]) if of_call and not handle.value["path"] else None
        if found is None:
            raise ArgumentError("the answer of an earlier call is wanted, and there is none")
        return found

    # --- a call

    def call(self, request: dict[str, Any], reply: dict[str, Any]) -> None:
        on = request.get("on")
        earlier = self.earlier(on) if on is not None else Answer((), {}, None, "")
        function = self.function(request, on)
        given = self.bound(request, function)
        data = next((row.value for row in given if row.name == "data"), None)
        step = self.step(request, given, data)
        run = self.run((*earlier.steps, step), sample=_wants_sample(request.get("fields")))
        reply["printed"] = run.printed[:_LONGEST_TEXT]
        said = _SAID.findall(run.printed)[:_MOST_WARNINGS]
        reply["warnings"] = [{"classes": [word.lower()], "message": text.rstrip(")")} for word, text in said]
        reply["seconds"] = run.left.seconds
        if run.left.code:
            raise Refused(f"r{run.left.code}", run.printed.strip() or f"r({run.left.code})")
        if request.get("measured", True):
            reply["peak"] = max(0, run.peak - self.resting)
        columns = data.columns if isinstance(data, Data) else earlier.columns
        made = _Made(run.left, columns, _FIRST if on is None else _FIRST_ON)
        returns = function.get("returns", {})
        reply["value"] = made.value(request.get("fields"), returns, request["function"])
        known = {*words_of(given), *(row["name"] for row in _parts(returns))}
        if isinstance(data, Data) and made.has_changed(known):
            reply["changed"] = [next(row.place for row in given if row.name == "data")]
        self.kept[request["id"]] = Answer((*earlier.steps, step), run.left.columns, reply["value"], run.printed)

    def function(self, request: dict[str, Any], on: Any) -> Mapping[str, Any]:
        """What the interface says of it; of a method, by its last name."""
        functions = self.told["functions"]
        if on is None:
            return functions.get(request["function"], {})  # type: ignore[no-any-return]
        ends = f".{request['function']}"
        return next((row for name, row in functions.items() if name.endswith(ends)), {})

    def bound(self, request: dict[str, Any], function: Mapping[str, Any]) -> list[Argument]:
        """Arguments by name, in the order of the interface; nothing is as if it was left out."""
        names = function.get("arguments", [])
        given = request.get("arguments", [])
        if len(given) > len(names):
            raise ArgumentError(f"{request['function']} takes {len(names)} arguments, and {len(given)} are given")
        pairs = enumerate(zip(names, given, strict=False))
        rows = [Argument(name, str(place), self.made(part)) for place, (name, part) in pairs]
        for name, part in request.get("named", {}).items():
            if any(row.name == name for row in rows):
                raise ArgumentError(f"{request['function']} is given {name} twice")
            rows.append(Argument(name, name, self.made(part)))
        rows.sort(key=lambda row: names.index(row.name) if row.name in names else len(names))
        return [row.plain() for row in rows if row.value is not None]

    def made(self, value: Any) -> Any:
        """A value as a command can be given it. A dict of columns is a table."""
        if isinstance(value, dict):
            return Data({name: _column(self.made(part)) for name, part in value.items()})
        if isinstance(value, list):
            return [self.made(part) for part in value]
        if not isinstance(value, wire.Extra):
            return value
        kind, inner = value.kind, value.value
        if kind == "table":
            return self.made(inner["columns"])
        if kind == "series":
            return self.made(inner["values"])
        if kind == "answer":
            return self.part(inner["call"], inner["path"])
        if kind in ("scalar", "tuple", "fortran", "readonly", "logical", "formula"):
            return self.made(inner)
        return wire.restored(value, _unknown)

    def part(self, call: int, path: list[str]) -> Any:
        if call not in self.kept:
            raise ArgumentError("the answer of an earlier call is wanted, and there is none")
        found = self.kept[call].value
        for name in path:
            parts = found.value["fields"] if isinstance(found, wire.Extra) and found.kind == "object" else found
            if not isinstance(parts, dict) or name not in parts:
                raise ArgumentError(f"the answer has no {name}")
            found = parts[name]
        if isinstance(found, wire.Extra) and found.kind == "object":
            raise ArgumentError("an answer as a whole is no argument of a command; give a part of it")
        return self.made(found)

    def step(self, request: dict[str, Any], given: list[Argument], data: Any) -> Step:
        lines: list[str] = []
        before: list[str] = []
        matrices: dict[str, str] = {}
        for row in given:
            if isinstance(row.value, np.ndarray) and row.value.ndim == 2:
                place = self.written({f"c{k}": column for k, column in enumerate(row.value.T)})
                name = matrices[row.name] = f"statsclaw_{place.stem}"
                before += [f'use "{place}", clear', f'mata: st_matrix("{name}", st_data(., .))', "clear"]
        if data is not None and not isinstance(data, Data):
            raise ArgumentError("data must be a table")
        if isinstance(data, Data):
            lines.append(f'use "{self.written(data.columns)}", clear')
        seed = next((row.value.seed for row in given if isinstance(row.value, Seeded)), request.get("seed"))
        if seed is not None:
            lines.append(f"set seed {int(seed) % _SEEDS}")
        command = command_of(request["function"], [row for row in given if not isinstance(row.value, Seeded)], matrices)
        return Step(tuple(before), tuple(lines), command)

    def written(self, columns: Mapping[str, Any]) -> Path:
        self.files += 1
        place = self.folder / f"data{self.files}.dta"
        write_dta(place, columns)
        return place

    # --- Stata

    def run(self, steps: tuple[Step, ...], *, sample: bool) -> Run:
        """The last command, after those before it. Raises Refused where Stata did not come to its end."""
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            return self.run_in(Path(own), steps, sample)

    def run_in(self, own: Path, steps: tuple[Step, ...], sample: bool) -> Run:
        mark, results, do = secrets.token_hex(12), own / "results", own / "call.do"
        do.write_text("\n".join(_do_file(steps, mark, results, sample)) + "\n", encoding="utf-8")
        argv = ["stata", "-q", "-b", "do", do.name]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(argv, cwd=own, stdin=nothing, stdout=pipe, stderr=subprocess.STDOUT)
        except OSError as error:
            raise Refused("NotRun", f"Stata cannot be started: {error}") from error
        assert process.stdout is not None
        said = process.stdout.read().decode("utf-8", "replace")
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        log = do.with_suffix(".log")
        text = log.read_text("utf-8", "replace") if log.is_file() else ""
        left = read_results(results)
        if left is None:
            codes = _CODE.findall(text)
            about = _CODE.split(text)[0] if codes else (said + text)
            about = about.strip()[-_LONGEST_TEXT:] or "Stata ended and said nothing"
            raise Refused(f"r{codes[-1]}" if codes else "died", about)
        return Run(left, _printed(text, mark), used.ru_maxrss * 1024)


@dataclass(frozen=True)
class Seeded:
    seed: int


def _unknown(kind: str, inner: Any) -> Any:
    if kind == "generator":
        return Seeded(int(inner["seed"]))
    raise ArgumentError(f"Stata has no argument of the kind {kind}")


def _column(value: Any) -> Any:
    """Numbers, truth values or texts; a missing number is NaN, a missing text is empty."""
    rows = list(value) if isinstance(value, np.ndarray) and value.dtype.kind in "OU" else value
    if isinstance(rows, np.ndarray):
        return np.atleast_1d(rows)
    rows = rows if isinstance(rows, list) else [rows]
    if rows and all(row is None or isinstance(row, str) for row in rows):
        return np.array([row or "" for row in rows], dtype=object)
    if any(isinstance(row, str) for row in rows):
        raise ArgumentError("a column holds texts and numbers")
    if rows and all(isinstance(row, bool | np.bool_) for row in rows):
        return np.array(rows)
    return np.array([math.nan if row is None else float(row) for row in rows], dtype=float)


def _do_file(steps: tuple[Step, ...], mark: str, results: Path, sample: bool) -> Iterator[str]:
    """Inside of braces Stata echoes the lines before it executes them: what stands between the marks is output."""
    yield from ("clear all", "set more off", "set linesize 255")
    yield from (f'adopath ++ "{Path(TREE, folder)}"' for folder in _FOLDERS if Path(TREE, folder).is_dir())
    yield "quietly mata: mata mlib index"
    for step in steps:
        yield from step.matrices
    for step in steps[:-1]:
        yield from (*step.before, f"capture {step.command}")
    yield from steps[-1].before
    yield from ("mata: st_rclear()", "mata: st_sclear()", "timer clear 100", "quietly {", "timer on 100")
    yield f'noisily display "begin {mark}"'
    if steps[-1].command:
        yield f"capture noisily {steps[-1].command}"
    yield from ("local statsclaw = _rc", f'noisily display "end {mark}"', "timer off 100", "}")
    yield f'run "{HERE / "results.do"}" "{results}" `statsclaw\' {"sample" if sample else ""}'.rstrip()


def _printed(log: str, mark: str) -> str:
    """What the command printed; lines that Stata has broken are whole again."""
    lines = log.splitlines()
    begin, end = f"begin {mark}", f"end {mark}"
    if begin not in lines:
        return ""
    rest = lines[lines.index(begin) + 1 :]
    found = rest[: rest.index(end)] if end in rest else rest
    return "\n".join(found).replace("\n> ", "").strip("\n")


def _wants_sample(fields: Any) -> bool:
    return any(row == "sample" or (isinstance(row, dict) and _wants_sample(row["fields"])) for row in fields or ())


def _parts(returns: Mapping[str, Any]) -> list[Any]:
    return list(returns.get("fields", ()))


# --- what came back --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Made:
    """Values of what a command has left. `given`: the data before, by columns. `order`: of r(), e(), s()."""

    left: Left
    given: Mapping[str, Any]
    order: tuple[str, ...]

    def value(self, fields: Any, returns: Mapping[str, Any], command: str) -> Any:
        kind = returns.get("type", "none")
        if fields is not None and fields != ["*"]:
            scopes = [self.left.kinds[kind] for kind in self.order]
            return self.object(fields, _parts(returns), scopes, self.classes(command))
        if fields is not None:
            return wire.Extra("object", {"classes": self.classes(command), "fields": self.everything(), "missing": []})
        if kind == "table":
            return self.table(returns)
        if kind in ("none", "any"):
            return None if kind == "none" else self.everything()
        made = {name: part for name, part in self.left.columns.items() if name not in self.given}
        found: dict[str, Any] = next(filter(None, (made, *(self.left.kinds[kind] for kind in self.order))), {})
        if len(found) != 1:
            names = ", ".join(found) or "nothing"
            raise ArgumentError(f"one result is declared, and the command leaves {names}: declare an object")
        return _as_declared(next(iter(found.values())), returns)

    def everything(self) -> dict[str, Any]:
        return {name[0]: {k: _named(v) for k, v in scope.items()} for name, scope in self.left.kinds.items() if scope}

    def classes(self, command: str) -> list[str]:
        said = self.left.kinds["e()"].get("cmd")
        return [said if isinstance(said, str) else command]

    def object(self, fields: Any, declared: list[Any], scopes: list[Mapping[str, Any]], classes: list[str]) -> Any:
        known = {row["name"]: row for row in declared}
        found: dict[str, Any] = {}
        missing: list[str] = []
        for row in fields:
            name = row["name"] if isinstance(row, dict) else row
            about = known.get(name, {})
            if isinstance(row, dict) and name in ("r", "e", "s"):
                scope = [self.left.kinds[f"{name}()"]]
                found[name] = self.object(row["fields"], _parts(about), scope, [f"{name}()"])
            elif (part := self.field(name, about, scopes)) is not None:
                found[name] = part
            else:
                missing.append(name)
        return wire.Extra("object", {"classes": classes, "fields": found, "missing": missing})

    def field(self, name: str, declared: Mapping[str, Any], scopes: list[Mapping[str, Any]]) -> Any:
        """Of r(), e() and s(), else a variable that the command has made, else e(sample) and the data themselves."""
        held = next((scope[name] for scope in scopes if name in scope), None)
        if held is not None:
            return _as_declared(held, declared)
        if name in self.left.columns and name not in self.given:
            return self.left.columns[name]
        if name == "sample":
            return self.left.sample
        return self.table(declared) if name == "data" else None

    def table(self, declared: Mapping[str, Any]) -> Any:
        wanted = [row["name"] for row in _parts(declared)]
        columns = {name: _plain_column(part) for name, part in self.left.columns.items()}
        kept = {name: part for name, part in columns.items() if not wanted or name in wanted}
        return wire.Extra("table", {"columns": kept, "index": None})

    def has_changed(self, known: set[Any]) -> bool:
        """The data: other values, another order, or a variable that nobody has asked for."""
        now = {name: _plain_column(part) for name, part in self.left.columns.items()}
        if any(name not in now or not _equal(column, now[name]) for name, column in self.given.items()):
            return True
        return any(name not in self.given and name not in known for name in now)


def _plain_column(part: Any) -> Any:
    return part if isinstance(part, np.ndarray) else list(part)


def _equal(given: Any, now: Any) -> bool:
    if given.dtype.kind not in "biuf":
        return list(given) == (now if isinstance(now, list) else None)
    return isinstance(now, np.ndarray) and np.array_equal(given.astype(float), now, equal_nan=True)


def _named(part: Any) -> Any:
    """A matrix with the names of its rows and columns."""
    if isinstance(part, tuple):
        array, rows, columns = part
        return wire.Extra("named", {"value": array, "names": [rows, columns], "axes": None})
    return part


def _as_declared(part: Any, declared: Mapping[str, Any]) -> Any:
    """A row or column of a matrix where one dimension is declared, a single number where none is; 0 and 1 as truth."""
    kind = declared.get("type", "any")
    if isinstance(part, tuple):
        array, rows, columns = part
        if kind in ("number", "integer", "boolean") and array.size == 1:
            return _as_declared(float(array[0, 0]), declared)
        if kind == "array" and len(declared.get("shape", ())) == 1 and 1 in array.shape:
            names = columns if array.shape[0] == 1 else rows
            return wire.Extra("named", {"value": array.ravel(), "names": names, "axes": None})
        return _named(part)
    if kind == "boolean" and part in (0.0, 1.0):
        return part == 1.0
    return part


def main() -> None:
    told = json.loads((HERE / "interface.json").read_text(encoding="utf-8"))
    with (
        tempfile.TemporaryDirectory(dir=".") as folder,
        Path(INPUT).open("rb", buffering=0) as questions,
        Path(OUTPUT).open("wb") as answers,
    ):
        worker = Worker(told, Path(folder).resolve())
        worker.begin()
        while (request := wire.receive(questions)) is not None and request["do"] != "end":
            if request["do"] == "forget":
                worker.forget()
            else:
                wire.send(answers, worker.answer(request))


if __name__ == "__main__":
    main()

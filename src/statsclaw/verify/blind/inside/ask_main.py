"""Runs an author's questions: python -I -B ask_main.py ask|see|talk|study FOLDER SETTINGS OUTPUT [INPUT]

check: for the author, with `python ask_main.py check FOLDER`: says what is asked and claimed, and what is not yet.
try: likewise of a study, with `python ask_main.py try FILE`.
ask: every scenario once; what was asked and claimed goes to OUTPUT.
see: one function on answers that stand in SETTINGS; what it returned goes to OUTPUT.
study: draws the replications that INPUT asks for; what to ask about them and to record goes to OUTPUT.
talk: one dialogue; its calls go to OUTPUT, the answers come by INPUT, what it returned goes to OUTPUT.
SETTINGS is a frame of statsclaw_wire. No package is here, and in `ask` no answer either.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import traceback
from functools import cache, partial
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import statsclaw_ask
import statsclaw_wire as wire

BOOK = statsclaw_ask.BOOK


class Plain(random.Random):
    """The standard library's generator, with the one method that most examples use of numpy's."""

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: int | None = None) -> Any:
        return self.gauss(loc, scale) if size is None else [self.gauss(loc, scale) for _ in range(size)]


def stream_of(seeds: list[int]) -> Any:
    """A generator of numpy where numpy is, of the standard library elsewhere."""
    try:
        import numpy
    except ImportError:
        return Plain(repr(seeds))
    return numpy.random.default_rng(seeds)


def load(folder: Path, name: str) -> Any:
    BOOK.file = name
    sys.path.insert(0, str(folder / Path(name).parent))
    spec = importlib.util.spec_from_file_location(Path(name).stem, folder / name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[Path(name).stem] = module
    spec.loader.exec_module(module)
    return module


def ask(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    for name in settings["files"]:
        if problem := told(partial(load, folder, name)):
            return {"problem": f"{name}: {problem}"}
    for name, function, file in BOOK.scenarios:
        BOOK.scenario, BOOK.case, BOOK.file = name, function.__name__, file
        seeds = [int(settings["seeds"].get(name) or 0), int(settings["seed"])]
        takes = len(statsclaw_ask.inspect.signature(function).parameters)
        if problem := told(partial(function, *[stream_of(seeds)][:takes])):
            return {"problem": f"{file}, {function.__name__} ({name}): {problem}"}
    return {"calls": BOOK.calls, "claims": BOOK.claims}


def told(work: Any) -> str:
    """What went wrong, in a line with its place; nothing where nothing did."""
    try:
        work()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [row for row in frames if "statsclaw_" not in row.filename and "ask_main" not in row.filename]
        where = f" (line {own[-1].lineno})" if own else ""
        traceback.print_exc()
        return f"{type(error).__name__}: {error}{where}"[:1000]
    return ""


def see(folder: Path, settings: dict[str, Any]) -> dict[str, Any]:
    module = load(folder, settings["file"])
    arguments = [wire.restored(part, further) for part in settings["arguments"]]
    return returned(lambda: getattr(module, settings["function"])(*arguments))


def talk(folder: Path, settings: dict[str, Any], incoming: IO[bytes], outgoing: IO[bytes]) -> dict[str, Any]:
    module = load(folder, settings["file"])
    arguments = [wire.restored(part, further) for part in settings["arguments"]]

    def asked(function: str, *given: Any, **named: Any) -> Any:
        wire.send(outgoing, {"function": function, "arguments": list(given), "named": named})
        reply = wire.receive(incoming)
        if reply is None:
            sys.exit(1)
        if "error" in reply:
            raise RuntimeError(f"{reply['error']['classes'][0]}: {reply['error']['message']}")
        return wire.restored(reply["value"], further)

    return returned(lambda: getattr(module, settings["function"])(asked, stream_of(settings["seeds"]), *arguments))


def study(folder: Path, settings: dict[str, Any], incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Draws the data of replications and says what to ask about them, for as long as it is asked to."""
    problem = told(partial(load, folder, settings["file"]))
    if not problem and (BOOK.draw is None or set(BOOK.methods) != set(settings["methods"])):
        problem = f"it draws nothing, or its methods are not {', '.join(settings['methods'])}"
    wire.send(outgoing, {"problem": problem} if problem else {"ready": True})
    while (request := wire.receive(incoming)) is not None:
        for number, seed, seeds in request["replications"]:
            wire.send(outgoing, {"replication": number} | replication(request["cell"], seed, seeds))


def replication(cell: dict[str, Any], seed: int, seeds: dict[str, int]) -> dict[str, Any]:
    assert BOOK.draw is not None
    try:
        data = BOOK.draw(stream_of([seed]), dict(cell))
    except Exception as error:
        return {"problem": f"{type(error).__name__}: {error}"[:1000]}
    return {"methods": {name: of_method(name, data, cell, seed) for name, seed in seeds.items()}}


@cache
def takes(method: str) -> int:
    return len(statsclaw_ask.inspect.signature(BOOK.methods[method]).parameters)


def of_method(name: str, data: Any, cell: dict[str, Any], seed: int) -> dict[str, Any]:
    function = BOOK.methods[name]
    BOOK.calls, BOOK.scenario, BOOK.case = [], "study", name
    try:
        record = statsclaw_ask._node(function(*(data, dict(cell), seed)[: takes(name)]))
        return {"calls": BOOK.calls, "record": record}
    except Exception as error:
        return {"problem": f"{type(error).__name__}: {error}"[:1000]}


def returned(work: Any) -> dict[str, Any]:
    try:
        found = work()
        wire.encode(found)
        return {"returned": found}
    except Exception as error:
        traceback.print_exc()
        return {"problem": f"{type(error).__name__}: {error}"[:1000]}


class Record(dict):  # type: ignore[type-arg]
    """An answer with fields, which are reached as attributes too."""

    __getattr__ = dict.__getitem__


def further(kind: str, inner: Any) -> Any:
    if kind == "object":
        return Record(wire.restored(inner["fields"], further))
    if kind == "named":
        return wire.restored(inner["value"], further)
    return inner


def check(folder: Path) -> str:
    """What the questions in a folder come to, by the scenarios and criteria that specification.json beside us lists."""
    known = json.loads((Path(__file__).parent / "specification.json").read_text(encoding="utf-8"))
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("ask_*.py"))
    found = ask(folder, {"files": files, "seeds": known["scenarios"], "seed": 0})
    if "problem" in found:
        return f"problem: {found['problem']}"
    claimed = {(claim["criterion"], claim["scenario"]) for claim in found["claims"]}
    wanted = [(name, at) for name, row in known["criteria"].items() for at in row["scenarios"]]
    missing = [f"{name} in {at}" for name, at in wanted if (name, at) not in claimed]
    unknown = sorted({name for name, _ in claimed} - set(known["criteria"]))
    silent = sorted(set(known["scenarios"]) - {row["scenario"] for row in [*found["calls"], *found["claims"]]})
    misfits = sorted({misfit for claim in found["claims"] if (misfit := misfit_of(claim, known["criteria"]))})
    others = sorted({other for call in found["calls"] if (other := unnamed(call, found["claims"], known))})
    lines = [f"{len(files)} files, {len(found['calls'])} calls, {len(found['claims'])} claims"]
    lines += [f"cannot decide its criterion: {', '.join(misfits)}"] if misfits else []
    lines += [f"not in the interface: {', '.join(others)}"] if others else []
    lines += [f"not claimed yet: {', '.join(missing)}"] if missing else []
    lines += [f"no criterion of the specification: {', '.join(unknown)}"] if unknown else []
    lines += [f"nothing asked in: {', '.join(silent)}"] if silent else []
    return "\n".join(lines)


#: Rules of criteria that only some kinds of claims decide, but for code that sees answers.
DECIDES = {
    "close": ("close",), "equals": ("close", "same"), "raises": ("raises",), "warns": ("warns",),
    "at most": ("value",), "at least": ("value",), "between": ("value",), "same as base": ("unchanged",),
}  # fmt: skip


def misfit_of(claim: dict[str, Any], criteria: dict[str, Any]) -> str:
    rule = criteria.get(claim["criterion"], {}).get("rule", "")
    wanted = DECIDES.get(rule)
    fits = claim["rule"] in ("observe", "dialogue") or (
        claim["rule"] in wanted if wanted else claim["rule"] not in ("close", "value", "unchanged")
    )
    return "" if fits or not rule else f"{claim['rule']} for {claim['criterion']} ({rule})"


def unnamed(call: dict[str, Any], claims: list[dict[str, Any]], known: dict[str, Any]) -> str:
    """The function, or its argument, that cannot be asked. Methods and parts are looked at when it is handed in."""
    functions, name = known.get("functions"), call["function"]
    if functions is None or call["what"] != "call" or call.get("on") is not None:
        return ""
    if name not in functions:
        return str(name)
    if functions[name] is None or any(row["rule"] == "raises" and row["call"] == call["id"] for row in claims):
        return ""
    if other := next((argument for argument in call["named"] if argument not in functions[name]), ""):
        return f"{other} of {name}"
    return f"{len(call['arguments'])} arguments of {name}" if len(call["arguments"]) > len(functions[name]) else ""


def attempt(file: Path) -> str:
    """One replication of every cell of a study, as far as it goes without a package."""
    known = json.loads((Path(__file__).parent / "specification.json").read_text(encoding="utf-8"))
    if problem := told(partial(load, file.parent, file.name)):
        return f"problem: {problem}"
    missing = sorted(set(known["methods"]) ^ set(BOOK.methods))
    if BOOK.draw is None or missing:
        return f"problem: nothing draws, or these methods are on one side only: {', '.join(missing)}"
    lines = []
    for cell in known["cells"]:
        found = replication(cell, 1, dict.fromkeys(known["methods"], 1))
        if "problem" in found:
            return f"problem in {cell}: {found['problem']}"
        for name, said in found["methods"].items():
            if "problem" in said:
                return f"problem in {cell}, {name}: {said['problem']}"
            wire.encode(said)
            calls = ", ".join(call["function"] for call in said["calls"]) or "nothing"
            lines.append(f"{cell} {name}: asks {calls}; records {', '.join(recorded(said['record']))}")
    return "\n".join(lines)


def recorded(record: dict[str, Any]) -> list[str]:
    return [
        column
        for name, part in record.items()
        for column in ([f"{name}.{inner}" for inner in part] if isinstance(part, dict) else [name])
    ]


def main(mode: str, folder: str, settings: str = "", output: str = "", incoming: str = "") -> None:
    if mode in ("check", "try"):
        said = check(Path(folder)) if mode == "check" else attempt(Path(folder))
        print(said)
        sys.exit(said.startswith("problem"))
    with Path(settings).open("rb") as file:
        given = wire.receive(file)
    with Path(output).open("wb") as out:
        if mode == "ask":
            wire.send(out, ask(Path(folder), given))
        elif mode == "see":
            wire.send(out, see(Path(folder), given))
        else:
            with Path(incoming).open("rb", buffering=0) as answers:
                if mode == "study":
                    study(Path(folder), given, answers, out)
                else:
                    wire.send(out, talk(Path(folder), given, answers, out))


if __name__ == "__main__":
    main(*sys.argv[1:])

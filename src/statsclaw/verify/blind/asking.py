"""The author's code, run without a package: what to ask, what to expect, and functions that must see answers."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from statsclaw.verify.blind.answering import read_answer, request_for
from statsclaw.verify.blind.expressions import Answered, Answers, NoValue, evaluate
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.naming import unnamed
from statsclaw.verify.blind.questionnaire import (
    LARGEST,
    Call,
    Claim,
    Misread,
    Questionnaire,
    read_frame,
    read_questionnaire,
)
from statsclaw.verify.blind.rooms import BlindRoom, room
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.runner import Bench

ASK_S, SEE_S, TALK_S = 900.0, 300.0, 1800.0
_ENDINGS = {".py": "python", ".R": "r"}
_MOST_TURNS = 200_000

#: Answers a call of a dialogue.
Door = Callable[[Call], Answered]


def ask_files(folder: Path) -> list[str]:
    """The author's files with questions, below the folder of the suite."""
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("ask*") if path.is_file()]
    return sorted(path for path in found if is_ask_file(path))


def is_ask_file(path: str) -> bool:
    name = PurePosixPath(path)
    return name.name.startswith(("ask_", "ask-")) and name.suffix in _ENDINGS


class Author:
    """The author's code in rooms of its own. `seeds`: of each scenario; `seed`: of the run."""

    def __init__(self, bench: Bench, seeds: Mapping[str, int | None], forms: Forms) -> None:
        self.bench, self.forms = bench, forms
        self.seeds = {name: seed for name, seed in seeds.items() if seed is not None}
        self.output = ""

    def questionnaire(self, seed: int | None = None) -> Questionnaire:
        """Every scenario once, with the seed of the run or another one. Raises Misread."""
        seed = self.bench.seed if seed is None else seed
        files = ask_files(self.bench.place("validation"))
        if not files:
            raise Misread("there is no file ask_*.py or ask_*.R with questions")
        found = [
            read_questionnaire(self._run("ask", language, {"files": own, "seeds": self.seeds, "seed": seed}))
            for language in dict.fromkeys(_ENDINGS[Path(name).suffix] for name in files)
            if (own := [name for name in files if _ENDINGS[Path(name).suffix] == language])
        ]
        return found[0] if len(found) == 1 else _joined(found)

    def see(self, claim: Claim, answers: Answers) -> dict[str, Any]:
        """What the function of the claim makes of answers: {"returned": …} or {"problem": …}."""
        try:
            arguments = [_handed(part, answers) for part in claim.parts.get("arguments") or []]
        except NoValue as nothing:
            return {"problem": f"there is no answer to look at: {nothing}"}
        settings = {"file": claim.file, "function": claim.parts["function"], "arguments": arguments}
        try:
            return read_frame(self._run("see", _ENDINGS[Path(claim.file).suffix], settings), "what it returned")
        except Misread as misread:
            return {"problem": str(misread)}

    def talk(self, claim: Claim, door: Door) -> dict[str, Any]:
        """The dialogue of the claim, its calls answered by the door."""
        language = _ENDINGS[Path(claim.file).suffix]
        seeds = [int(self.seeds.get(claim.scenario, 0)), self.bench.seed]
        settings = {
            "file": claim.file, "function": claim.parts["function"], "seeds": seeds,
            "arguments": list(claim.parts.get("arguments") or []),
        }  # fmt: skip
        own = self._room(TALK_S, language)
        write_frame(own.own / "settings", settings)
        with Conversation(own.confinement, own.own, own.env) as talk:
            talk.start(self._argv(own, "talk", language, "answers", "questions"))
            return _held(talk, door, claim, self.forms)

    def _run(self, mode: str, language: str, settings: dict[str, Any]) -> bytes:
        own = self._room(ASK_S if mode == "ask" else SEE_S, language)
        write_frame(own.own / "settings", settings)
        done = own.confinement.run(self._argv(own, mode, language, "result"), own.env)
        self.output = done.output.decode("utf-8", "replace")
        if done.ended_by:
            raise Misread(f"it was ended: {done.ended_by}")
        return read_own_file(own.own / "result")

    def _room(self, timeout_s: float, language: str) -> BlindRoom:
        shown = {"validation": self.bench.place("validation")}
        return room(self.bench, shown, timeout_s=timeout_s, language=language)

    def _argv(self, own: BlindRoom, mode: str, language: str, *names: str) -> list[str]:
        places = [own.path(self.bench.place("validation")), *(own.path(own.own / n) for n in ("settings", *names))]
        return [*interpreter(self.bench, language), own.script(f"ask_main.{_SUFFIX[language]}"), mode, *places]


_SUFFIX = {"python": "py", "r": "R"}


def interpreter(bench: Bench, language: str) -> list[str]:
    return [bench.python or sys.executable, "-I", "-B"] if language == "python" else ["Rscript", "--vanilla"]


def _held(talk: Conversation, door: Door, claim: Claim, forms: Forms) -> dict[str, Any]:
    """`own`: the author's code failed by itself, no error of the package before it."""
    own = True
    try:
        for turn in range(_MOST_TURNS):
            said = talk.receive(TALK_S)
            if not isinstance(said, dict):
                return {"problem": "it said something that is no call"}
            if "returned" in said or "problem" in said:
                return said | {"own": own}
            call = Call(
                turn, claim.scenario, claim.case, "call", str(said.get("function")),
                tuple(said.get("arguments") or ()), said.get("named") or {},
            )  # fmt: skip
            if fault := unnamed(call, forms, refused=True):
                return {"problem": fault, "own": True}
            answer = door(call)
            own = own and answer.error is None and not any(forms.faults(call, answer))
            talk.send(_told(answer), TALK_S)
        return {"problem": f"more than {_MOST_TURNS:,} calls"}
    except Silent as silent:
        return {"problem": str(silent)}


def _told(answer: Answered) -> dict[str, Any]:
    if answer.error is not None:
        return {"error": {"classes": list(answer.error.classes), "message": answer.error.message}}
    return {"value": answer.value}


def worker_door(worker: Conversation, forms: Forms, salt: str) -> Door:
    """Asks a worker; one that is silent ends the dialogue. Nobody can look at the memory that a dialogue takes."""

    def door(call: Call) -> Answered:
        return read_answer(worker.ask(request_for(call, forms, salt) | {"measured": False}, TALK_S), call.id)

    return door


def _handed(node: Any, answers: Answers) -> Any:
    """An argument of a function that sees: answers as they are, all that is calculated from them calculated."""
    if isinstance(node, Extra) and node.kind == "answer":
        value = answers.value(node.value["call"])
        for name in node.value["path"]:
            fields = value.value.get("fields") if isinstance(value, Extra) and value.kind == "object" else value
            if not isinstance(fields, dict) or name not in fields:
                raise NoValue(f"the answer has no {name}")
            value = fields[name]
        return value
    if isinstance(node, Extra) and node.kind in ("do", "measured"):
        return evaluate(node, answers)
    if isinstance(node, Extra) and node.kind == "tuple":
        return Extra("tuple", _handed(node.value, answers))
    if isinstance(node, list):
        return [_handed(part, answers) for part in node]
    return {k: _handed(v, answers) for k, v in node.items()} if isinstance(node, dict) else node


def _joined(found: Sequence[Questionnaire]) -> Questionnaire:
    """Questions in two languages as one: the numbers of the later calls follow those of the earlier."""
    calls: list[Any] = []
    claims: list[Any] = []
    for part in found:
        rows = wire.decode(part.data[8:])
        calls += [_renumbered(row, len(calls)) | {"id": row["id"] + len(calls)} for row in list(rows["calls"])]
        claims += [_renumbered(row, len(calls) - len(rows["calls"])) for row in rows["claims"]]
    data = wire.encode({"calls": calls, "claims": claims})
    return read_questionnaire(len(data).to_bytes(8, "little") + data)


def _renumbered(node: Any, by: int) -> Any:
    if isinstance(node, Extra):
        if node.kind in ("answer", "measured"):
            return Extra(node.kind, {**node.value, "call": node.value["call"] + by})
        return Extra(node.kind, _renumbered(node.value, by))
    if isinstance(node, dict):
        found = {name: _renumbered(part, by) for name, part in node.items()}
        return found | ({"call": node["call"] + by} if "rule" in node and isinstance(node.get("call"), int) else {})
    return [_renumbered(part, by) for part in node] if isinstance(node, list) else node


def write_frame(path: Path, value: Any) -> None:
    with path.open("wb") as file:
        wire.send(file, value)


def read_own_file(path: Path, largest: int = LARGEST) -> bytes:
    """What a program left, if it is a plain file of a bounded size; nothing otherwise. No link is followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        return file.read(largest + 8) if stat.S_ISREG(about.st_mode) and about.st_size <= largest + 8 else b""


_DECIDED = (
    ("summary", "by summaries of answers"),
    ("calculation", "by calculating with several answers"),
    ("relation", "by comparing answers with each other"),
    ("seeing", "by code that sees answers"),
    ("dialogue", "by a dialogue"),
)


def kinds_of(claims: Iterable[Claim]) -> str:
    """How criteria are decided: how many by plain answers, blindly, and which in another way."""
    by: dict[str, dict[str, None]] = {}
    for claim in claims:
        by.setdefault(claim.manner, {}).setdefault(claim.criterion)
    plainly = by.get("plain", {})
    told: list[str] = []
    for manner, words in _DECIDED:
        always = manner in ("seeing", "dialogue")
        names = [name for name in by.get(manner, {}) if always or name not in plainly]
        told += [f"{len(names)} {words} ({', '.join(names)})"] if names else []
    blind = {name for manner, names in by.items() if manner not in ("seeing", "dialogue") for name in names}
    seen = {name for manner in ("seeing", "dialogue") for name in by.get(manner, {})}
    return ", ".join([f"{len(blind - seen)} criteria decided blindly", *told])

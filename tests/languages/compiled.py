"""What tests of compiled languages share: packages judged side by side, and a package of files of its own."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.events import CommandExecuted
from statsclaw.sandbox.limits import Limits
from statsclaw.verify.blind.answering import read_answer
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.talking import Conversation
from tests.languages.packages import HERE, Edit, Package, ask

Judged = dict[str, dict[str, CommandExecuted]]


def verdicts(id: str, folder: Path, edits: Mapping[str, tuple[Edit, ...]]) -> Judged:
    """The evidence of packages by their names, two at a time; of the honest one, of all commands."""

    def verified(row: tuple[int, str]) -> dict[str, CommandExecuted]:
        number, name = row
        phases = ("build", "checks", "unit_tests", "validation") if name == "honest" else ("build", "validation")
        return Package(id, folder / str(number), edits=edits[name]).verified(*phases)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(edits, pool.map(verified, enumerate(edits)), strict=True))


def criteria_of(evidence: Mapping[str, CommandExecuted]) -> set[str]:
    rows = [row.name for row in evidence["validation"].tests if row.outcome != "passed"]
    return {name.partition("[")[2].rstrip("]") for name in rows}


@dataclass(frozen=True)
class Probe(Package):
    """`files`: of the package, by path, in place of its own."""

    files: Mapping[str, str] = field(default_factory=dict)

    def lay_out(self, folder: Path, classes: frozenset[PathClass]) -> None:
        for path, text in self.files.items():
            if self.bench.profile.classify(path) in classes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")


def probe(id: str, folder: Path, files: Mapping[str, str]) -> Probe:
    """Of the files in the folder `probe` of the language, by the paths that they have in the package."""
    place = HERE / id / "probe"
    texts = {path: (place / name).read_text(encoding="utf-8") for path, name in files.items()}
    interface = (place / "interface.md").read_text(encoding="utf-8")
    made = Probe(id, folder, documents={"interface.md": interface}, files=texts)
    failed = [row for row in made.verified("build").values() if not row.passed]
    assert not failed, made.bench.store.get(failed[0].output_sha256).decode()
    return made


def value(talk: Conversation, function: str, *arguments: Any, **more: Any) -> Any:
    reply = ask(talk, function, *arguments, **more)
    assert "error" not in reply, reply["error"]
    return reply["value"]


def refused(talk: Conversation, function: str, *arguments: Any, **more: Any) -> tuple[list[str], str]:
    error = ask(talk, function, *arguments, **more)["error"]
    return error["classes"], error["message"]


def answer(call: int, *path: str) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


def hostile(built: Probe, function: str, how: str, limit_s: float = 30.0, **limits: int) -> dict[str, Any]:
    """The answer of a worker of its own."""
    package = Probe(built.id, built.folder, documents=built.documents, files=built.files)
    if limits:
        vars(package)["bench"] = replace(package.bench, limits=Limits(**limits))
    lay_out_scripts(package.bench)
    with package.validation.start() as talk:
        request = {"do": "call", "id": 1, "what": "call", "function": function, "on": None, "arguments": [how]}
        found = talk.ask({**request, "named": {}, "seed": 1, "fields": None}, limit_s)
        read_answer(found, 1)
        return dict(found)

"""Where each of the three executions happens: what it is shown, and the one folder it may write."""

from __future__ import annotations

import json
import secrets
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path

from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Mount, nested
from statsclaw.sandbox.room import remove_tree
from statsclaw.specs.sim_spec import Study, as_design
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.naming import arguments_of, askable
from statsclaw.verify.runner import Bench, environment

_SCRIPTS = (
    "statsclaw_wire.py", "statsclaw_ask.py", "ask_main.py", "worker.py",
    "statsclaw_wire.R", "statsclaw_ask.R", "ask_main.R", "worker.R",
)  # fmt: skip


@dataclass(frozen=True)
class BlindRoom:
    """`own`: the folder that the program may write, empty when it starts. `inside`: our scripts."""

    confinement: Confinement
    own: Path
    scripts: Path
    env: Mapping[str, str]

    def path(self, host: Path) -> str:
        return self.confinement.path(host)

    def script(self, name: str) -> str:
        return self.confinement.path(self.scripts / name)


def asking_kit(
    tests: TestSpec | None, oracles: str, study: Study | None = None, forms: Forms | None = None
) -> dict[str, str]:
    """For an author of questions: the reference, the modules in both languages, and what a trial needs to know."""
    folder = files("statsclaw.verify.blind.inside")
    names = [name for name in (*_SCRIPTS, "questions.md") if not name.startswith("worker")]
    made = {
        name: folder.joinpath(name).read_text(encoding="utf-8") for name in names if folder.joinpath(name).is_file()
    }
    known: dict[str, object] = {}
    if tests is not None:
        decided = [row for row in tests.criteria if row.decided_by != "check"]
        criteria = {row.id: {"rule": row.rule, "scenarios": list(row.scenarios)} for row in decided}
        known = {"scenarios": {row.id: row.seed or 0 for row in tests.scenarios}, "criteria": criteria}
    if tests is not None and forms is not None:
        known["functions"] = {name: arguments_of(name, forms) for name in askable(forms)}
    if study is not None:
        known = {"methods": list(study.methods), "cells": as_design(study).cells()}
    made["specification.json"] = json.dumps(known, indent=1) + "\n"
    return made | ({"oracles.py": _with_note(oracles)} if oracles.strip() else {})


def _with_note(oracles: str) -> str:
    return f'"""What the sources define, as they were read."""\n\n{oracles}\n'


def lay_out_scripts(bench: Bench, oracles: str = "") -> Path:
    """Our side of the conversation, and what the sources define, for whoever asks in Python."""
    folder = bench.place("inside")
    remove_tree(folder)
    folder.mkdir(parents=True)
    for name in _SCRIPTS:
        source = files("statsclaw.verify.blind.inside").joinpath(name)
        if source.is_file():
            with as_file(source) as path:
                shutil.copy(path, folder / name)
    with as_file(files("statsclaw.verify").joinpath("coverage_tracer.py")) as path:
        shutil.copy(path, folder / "coverage_tracer.py")
    if oracles.strip():
        (folder / "oracles.py").write_text(_with_note(oracles), encoding="utf-8")
    return folder


def room(
    bench: Bench,
    shown: Mapping[str, Path],
    *,
    timeout_s: float,
    home: bool = True,
    language: str = "",
    reserved_bytes: int = 0,
) -> BlindRoom:
    """A fresh one, whose name says nothing: a program can read the names of the folders it is shown.

    `shown`: further folders by the name they have inside, none of them writable. `language`: what an author's code is
    written in; one who asks in Python has numpy and scipy, whatever the package is written in.
    """
    name = secrets.token_hex(8)
    place = bench.place("blind") / name
    own = place / "own"
    mounts = [
        Mount(inside=f"/verify/{inside}", host=str(host), purpose="verification")
        for inside, host in {"inside": bench.place("inside"), **shown}.items()
    ]
    writable = {"/verify/own": own} | ({"/verify/home": place / "home", "/tmp": place / "tmp"} if home else {})
    for inside, host in writable.items():
        host.mkdir(parents=True)
        mounts.append(Mount(inside=inside, host=str(host), purpose="temporary", writable=True))
    tools = bench.tools(bench.python or (sys.executable if language == "python" else ""))
    enclosure = replace(tools, mounts=nested((*tools.mounts, *mounts)), cwd="/verify/own")
    limits = bench.limits.model_copy(update={"timeout_s": timeout_s, "reserved_bytes": reserved_bytes})
    confinement = Confinement(bench.barrier, enclosure, limits, bench.desk / "blind" / name)
    confinement.desk.mkdir(parents=True, exist_ok=True)
    env = environment(bench, confinement)
    del env["STATSCLAW_SEED"]  # whoever is asked need not know that it is judged; whoever asks is told otherwise
    env |= {"PYTHONPATH": "", "R_LIBS": confinement.path(shown["site"]) if "site" in shown else ""}
    env |= {"R_PROFILE_USER": "/dev/null", "R_ENVIRON_USER": "/dev/null", "MALLOC_MMAP_THRESHOLD_": "131072"}
    temporary = place / "tmp" if home else own
    env |= {"HOME": confinement.path(place / "home" if home else own), "TMPDIR": confinement.path(temporary)}
    return BlindRoom(confinement, own, bench.place("inside"), env)

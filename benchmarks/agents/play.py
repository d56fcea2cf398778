"""What the measurements of agents share: the real programs, a model in a process of its own, and two ways to start."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).parents[2]))

from statsclaw.backends.registry import make_backend
from statsclaw.backends.task import Task
from statsclaw.engine.tools import language_tools
from statsclaw.errors import InputRefused
from statsclaw.profiles.profile import load_profile
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.endpoints import endpoint
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.network import with_network
from statsclaw.sandbox.process import Completed
from statsclaw.sandbox.readings import Readings
from statsclaw.sandbox.room import Room
from tests.agents.conftest import CACHE, SECRET
from tests.agents.scripted_model import Act, Asked, ScriptedModel

#: The backend of each program, and the variable that says which language its model speaks.
PROGRAMS = {
    "claude": ("claude", "ANTHROPIC_API_KEY"),
    "codex": ("codex:gpt-5", "OPENAI_API_KEY"),
    "gemini": ("gemini:scripted", "GEMINI_API_KEY"),
    "api": ("api:custom/scripted", "MY_OWN_KEY"),
    "opencode": ("acp:custom/scripted@opencode acp", "MY_OWN_KEY"),
}
_INSTALLED = CACHE / "node_modules" / ".bin"


def programs_on_path() -> None:
    """Those that the tests have installed come first; the key is one that no model would take."""
    os.environ["PATH"] = f"{_INSTALLED}:{os.environ['PATH']}"
    os.environ |= {variable: SECRET for _, variable in PROGRAMS.values()}


class Bare:
    """Not a barrier: a plain process in the role's folder, with the environment the role would have."""

    kind, version, user, shows = "none", "", os.getuid(), "everything"

    def path(self, enclosure: Enclosure, host: Path) -> str:
        return str(host)

    def run(
        self,
        argv: Sequence[str],
        enclosure: Enclosure,
        *,
        desk: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed:
        begun, given = time.perf_counter(), {"PATH": os.environ["PATH"], **enclosure.env, **env}
        folder = enclosure.outside(enclosure.cwd)
        done = subprocess.run(
            argv, cwd=folder, env=given, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return Completed(done.returncode, done.stdout, time.perf_counter() - begun)


@dataclass(frozen=True)
class Talked:
    """Seconds from the start: to the first request of any kind, to each of the conversation, to the end."""

    first: float
    asked: tuple[float, ...]
    total: float

    @property
    def per_request(self) -> float:
        return (self.asked[-1] - self.asked[0]) / (len(self.asked) - 1)


class Timed(ScriptedModel):
    """Notes when it is asked; what an agent asks beside the conversation, for a title and the like, is kept apart."""

    def __init__(self, scripts: Any) -> None:
        super().__init__(scripts)
        self.times: list[tuple[float, bool]] = []

    def next_act(self, asked: Asked) -> tuple[Act, int]:
        self.times.append((time.perf_counter(), asked.is_side_request))
        return super().next_act(asked)


class Model:
    """A scripted model in a process of its own: its lock and its memory are not those of the engine and its bridge."""

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        self._here, there = multiprocessing.Pipe()
        spawning = multiprocessing.get_context("spawn")
        self._process = spawning.Process(target=_serve, args=(there, make, *arguments), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self.url = self._here.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._here.send("end")
        self._process.join()

    def taken(self) -> list[tuple[float, bool]]:
        """When it was asked since it was asked this, by the clock of time.perf_counter."""
        self._here.send("taken")
        times, failures = self._here.recv()
        if failures:
            raise SystemExit(f"error: the scripted model failed: {failures}")
        return times


def _serve(link: Connection, make: Callable[..., Any], *arguments: Any) -> None:
    with Timed(make(*arguments)) as model:
        link.send(model.url)
        while link.recv() == "taken":
            link.send((model.times, model.failures))
            model.times = []


@dataclass(frozen=True)
class Stage:
    """A program, ready to be started again and again: behind barrier and bridge as the engine does it, or bare."""

    program: str
    url: str

    def talk(self, model: Model, *, bare: bool) -> Talked:
        model.taken()
        with self.room() as (room, enclosure):
            begun = time.perf_counter()
            self.start(room, enclosure, f"Task {secrets.token_hex(8)}: do what you are told.", bare=bare)
            total = time.perf_counter() - begun
        times = model.taken()
        return Talked(times[0][0] - begun, tuple(when - begun for when, aside in times if not aside), total)

    @contextmanager
    def room(self) -> Iterator[tuple[Room, Enclosure]]:
        with tempfile.TemporaryDirectory() as folder:
            room = Room(Path(folder) / "room", Path(folder) / "desk")
            room.repo.mkdir(parents=True)
            room.furnish({}, {"prompt.md": b"as it is told"})
            yield room, room.enclosure(self.backend.equip(language_tools(load_profile("python"))))

    def missing(self) -> str:
        """Why the program cannot be started here, if it cannot."""
        try:
            _ = self.backend
        except InputRefused as why:
            return str(why)
        return ""

    @property
    def backend(self) -> Any:
        return make_backend(PROGRAMS[self.program][0], "benchmark")

    def start(self, room: Room, enclosure: Enclosure, prompt: str, *, bare: bool) -> None:
        task = Task(role="builder", attempt=1, digest="0" * 64, prompt=prompt)
        model = endpoint(f"{self.url}#{PROGRAMS[self.program][1]}", os.environ)
        confinement = Confinement(Bare() if bare else Bubblewrap(), enclosure, Limits(), room.desk)
        if bare:
            result = self.backend.run(task, room, replace(confinement, env=model.env(self.url)))
        else:
            with Readings(room.inbox), with_network(confinement, [model]) as (connected, _):
                result = self.backend.run(task, room, connected)
        if result.failure:
            raise SystemExit(f"error: {self.program}: {result.failure}\n{result.transcript[-1000:]}")

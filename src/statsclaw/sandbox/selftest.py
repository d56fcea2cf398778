"""The attack list, carried out on this machine: each attack plays the builder behind the barrier and is then judged."""

from __future__ import annotations

import ast
import json
import os
import re
import secrets
import shutil
import stat
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue

from statsclaw.errors import InputRefused
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.importer import TooMuch, printable, take_outbox, take_repository
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, end_all
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.stage import LIMITS, SCHEDULES, Stage, programs

__all__ = ["Attack", "AttackResult", "Stage", "attacks", "run_attacks"]

_SIDE_BY_SIDE = 2
_LARGEST_LEFT = 256 * 1024
_DEEPEST = 50
_SURVIVAL_S = 0.3


@dataclass(frozen=True, slots=True)
class Attack:
    """A row of attacks.toml, and the program it names."""

    file: str
    category: str
    success: str
    control: bool
    what: str
    why: str = ""
    control_needs: str = ""
    ends: str = ""
    limits: dict[str, float] = field(default_factory=dict)
    after: str = ""
    known_limit: str = ""

    @property
    def name(self) -> str:
        return self.file.removesuffix(".py").replace("_", "-")


@dataclass(frozen=True, slots=True)
class AttackResult:
    name: str
    category: str
    what: str
    held: bool
    detail: str
    elapsed_s: float


@cache
def attacks() -> tuple[Attack, ...]:
    rows = tomllib.loads((programs() / "attacks.toml").read_text(encoding="utf-8"))["attack"]
    return tuple(Attack(**row, what=_first_line(programs() / row["file"])) for row in rows)


def _first_line(program: Path) -> str:
    return (ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or program.stem).splitlines()[0]


def run_attacks(
    barrier: Barrier,
    names: Collection[str] | None = None,
    progress: Callable[[AttackResult], None] = lambda result: None,
) -> list[AttackResult]:
    """Carry out the attacks of these names, or all of them but those of a known limit. In the order of the list."""
    wanted = [one for one in attacks() if (one.name in names if names is not None else not one.known_limit)]
    if names is not None and (unknown := sorted(set(names) - {one.name for one in wanted})):
        raise InputRefused(f"there is no attack {unknown[0]!r}")
    waiting: SimpleQueue[Attack] = SimpleQueue()
    for one in sorted(wanted, key=lambda one: not one.ends):  # those that take seconds first
        waiting.put(one)
    results: list[AttackResult] = []
    stopping, telling = threading.Event(), threading.Lock()

    def work() -> None:
        with Stage(barrier) as stage:
            while not stopping.is_set():
                try:
                    attack = waiting.get_nowait()
                except Empty:
                    return
                result = attempt(stage, attack)
                with telling:
                    results.append(result)
                    progress(result)

    with ThreadPoolExecutor(max_workers=_SIDE_BY_SIDE) as pool:
        futures = [pool.submit(work) for _ in range(min(_SIDE_BY_SIDE, len(wanted)))]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stopping.set()
            end_all()
            raise
    order = [one.name for one in wanted]
    return sorted(results, key=lambda result: order.index(result.name))


def attempt(stage: Stage, attack: Attack) -> AttackResult:
    """One attack from a fresh room to a judgement."""
    begun = time.monotonic()
    if stage.barrier.kind == NoBarrier.kind and not attack.control:
        found = f"not tried without a barrier: {attack.why}"
    else:
        found = "; ".join(dict.fromkeys(_signs(stage, attack)))
    elapsed = time.monotonic() - begun
    return AttackResult(attack.name, attack.category, attack.what, not found, printable(found, 500), elapsed)


def _signs(stage: Stage, attack: Attack) -> Iterator[str]:
    """Run it; then everything that shows that it got through."""
    mark = f"mark{secrets.token_hex(8)}"
    room = stage.new_room(secrets.randbelow(10**9))
    limits = LIMITS.model_copy(update=attack.limits)
    enclosure = stage.enclosure(room)
    known = stage.knowledge(room, enclosure, mark, limits)
    documents = {"spec.md": b"# spec\n", "knowledge.json": json.dumps(known).encode()}
    documents |= {name: (programs() / name).read_bytes() for name in ("kit.py", attack.file)}
    room.furnish({}, documents)
    before = stage.snapshot(room)
    try:
        done = _run(stage, room, enclosure, attack.file, limits)
        yield from _completeness(attack, done, known)
        yield from (f"it could see the secret of: {place}" for place in stage.leaked(_texts(room, done)))
        yield from _claims(done.output.decode("utf-8", "replace"), str(known["claim"]))
        yield from _effects(stage, room, mark, before)
        if attack.after == "next role":
            yield from _next_role(stage, mark)
    finally:
        (room.tmp / "stop").touch() if room.tmp.is_dir() else None
        room.clear()


def _run(stage: Stage, room: Room, enclosure: Enclosure, file: str, limits: Limits) -> Completed:
    inside = stage.barrier.path
    argv = [sys.executable, "-I", "-S", inside(enclosure, room.inbox / file)]
    argv.append(inside(enclosure, room.inbox / "knowledge.json"))
    return stage.barrier.run(argv, enclosure, desk=room.desk, env=_environment(stage, room, enclosure), limits=limits)


def _environment(stage: Stage, room: Room, enclosure: Enclosure) -> dict[str, str]:
    inside = stage.barrier.path
    return {"LANG": "C.UTF-8", "HOME": inside(enclosure, room.home), "TMPDIR": inside(enclosure, room.tmp)}


def _completeness(attack: Attack, done: Completed, known: dict[str, object]) -> Iterator[str]:
    """An attack that was not made, or not to its end, proves nothing."""
    if str(known["started"]).encode() not in done.output:
        last = (done.output.decode("utf-8", "replace").strip().splitlines() or ["nothing was said"])[-1]
        yield f"the attack could not be made: {last}"
    elif done.ended_by and not (attack.ends and re.search(attack.ends, done.ended_by)):
        yield f"the attack was cut short: {done.ended_by}"
    elif not done.ended_by and str(known["finished"]).encode() not in done.output:
        yield f"the attack broke off with exit status {done.exit_code}"


def _claims(output: str, word: str) -> Iterator[str]:
    found = [line.partition(": ")[2] for line in output.splitlines() if line.startswith(word)]
    yield from found[:5]


def _texts(room: Room, done: Completed) -> Iterator[bytes]:
    """What it printed, what it left where it can write, and what the engine would take in."""
    yield done.output
    for folder in (room.repo, room.outbox, room.home, room.tmp):
        yield from _below(folder)
    with suppress(OSError, ValueError, TooMuch):
        yield from take_outbox(room.outbox, _Anything(), Limits()).artifacts.values()
    with suppress(OSError, ValueError, TooMuch):
        yield from take_repository(room.repo, {}, lambda _: True, Limits()).contents.values()


def _below(folder: Path) -> Iterator[bytes]:
    """Names and contents of everything below a folder, as deep as a person would look."""
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        names: list[bytes] = []
        with suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                names.append(os.fsencode(entry.name))
                with suppress(OSError):
                    if entry.is_symlink():
                        names.append(os.fsencode(Path(entry.path).readlink()))
                    elif entry.is_dir() and depth < _DEEPEST:
                        waiting.append((Path(entry.path), depth + 1))
                    elif entry.is_file() and 0 < entry.stat().st_size <= _LARGEST_LEFT:
                        yield Path(entry.path).read_bytes()
        yield b" ".join(names)


class _Anything(frozenset[str]):
    def __contains__(self, _: object) -> bool:
        return True


# --- effects outside of its own folders ------------------------------------------------------------------------------


def _effects(stage: Stage, room: Room, mark: str, before: dict[str, tuple[int, ...]]) -> Iterator[str]:
    after = stage.snapshot(room)
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    yield from (f"it changed {path.removeprefix(str(stage.folder))}" for path in changed[:5])
    if suffered := stage.victim_suffered():
        yield suffered
    if mark.encode() in stage.terminal_output():
        yield "it wrote to the person's terminal"
    if stage.received.exists() and mark.encode() in stage.received.read_bytes():
        yield "what it sent arrived at a socket of the machine"
    if _still_beating(room):
        yield "a process of it lives on"
    yield from (f"it left {path}" for path in _left_behind(stage, mark))
    yield from _programs_for_everybody(room)


def _still_beating(room: Room) -> bool:
    heart = room.tmp / "heartbeat"
    if not heart.exists():
        return False
    size = heart.stat().st_size
    time.sleep(_SURVIVAL_S)
    return heart.stat().st_size != size


def _left_behind(stage: Stage, mark: str) -> Iterator[str]:
    """Files with its mark among the tools, in shared folders, or where programs are started later. They are removed."""
    places = [*stage.shared_places(), *(f"{place}/__pycache__" for place in stage.shared_places()), *SCHEDULES]
    for place in dict.fromkeys((*places, "/dev/shm", "/var/tmp", "/tmp")):
        with suppress(OSError):
            for path in Path(place).glob(f"*{mark}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                yield str(path)


def _programs_for_everybody(room: Room) -> Iterator[str]:
    """Programs that run with this user's rights whoever starts them, in a folder that anybody may enter."""
    for folder in (room.repo, room.outbox, room.home, room.tmp):
        open_to_all = all(one.stat().st_mode & stat.S_IXOTH for one in (room.folder, folder) if one.is_dir())
        for path in folder.iterdir() if open_to_all and folder.is_dir() else ():
            with suppress(OSError):
                if path.lstat().st_mode & stat.S_ISUID and path.lstat().st_mode & stat.S_IXOTH:
                    yield f"it left a program that gives this user's rights to everybody: {path.name}"


_START_UP = "bash -ic true; python3 -c pass; git status --short; git log -1 --format=%h; Rscript -e 1"


def _next_role(stage: Stage, mark: str) -> Iterator[str]:
    """A role that comes after, and the person, start the usual programs: does anything planted run?"""
    room = stage.new_room(secrets.randbelow(10**9))
    enclosure = stage.enclosure(room)
    room.furnish({}, {})
    try:
        argv, env = ["sh", "-c", _START_UP], _environment(stage, room, enclosure)
        done = stage.barrier.run(argv, enclosure, desk=room.desk, env=env, limits=LIMITS)
        if mark.encode() in done.output:
            yield "what it planted was run by the next role"
    finally:
        room.clear()
    home = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(stage.person), "LANG": "C.UTF-8"}
    with suppress(OSError, subprocess.TimeoutExpired):
        said = subprocess.run(
            ["sh", "-c", _START_UP],
            cwd=stage.clone,
            env=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
        if mark.encode() in said.stdout + said.stderr:
            yield "what it planted was run by the person"


def leaks(results: Iterable[AttackResult]) -> list[AttackResult]:
    return [result for result in results if not result.held]

"""Memory while three agents work at once, in a real run: builder, tester and simulator, each by the real program.

The engine is a process of its own; every 100 ms the PSS (/proc/PID/smaps_rollup: what is shared is divided among those
who share it) of the engine and of everything below it is added up. What is printed is the moment of the largest sum
while three agents were there, split into engine (the three bridges are threads of it), barriers (bubblewrap),
forwarders and programs (with the tools they start). The scripted model, a process elsewhere, is not counted; the other
roles are played by a small script. "bare" are three of the same program as plain processes at once, with conversations
of the same kind: some calls of a tool, a wait for the model, and in the run also the files that the role hands in.

The programs are those of the tests (`pytest tests/agents -m slow` installs them), or those on PATH.

Run: python benchmarks/agents/bench_memory.py [--calls 10] [--hold 5] [claude] [codex] [gemini] [api] [opencode]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from play import PROGRAMS, Model, Stage, programs_on_path

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import DispatchFailed, DispatchFinished
from statsclaw.runlog.fold import RunView
from statsclaw.sandbox.watch import descendants
from tests.agents.roles import honest
from tests.agents.scripted_model import Act, Say, Shell, Stall, Talk
from tests.support.runs import AGENT, Bench, make_target, order_for

THREE = ("builder", "tester", "simulator")
EVERY_S = 0.1
PARTS = ("engine", "barriers", "forwarders", "programs")
OPTIONS = ("--good", "--no-hold")
Script = Callable[[Talk], Iterator[Act]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=["claude", "codex"], metavar="PROGRAM")
    parser.add_argument("--calls", type=int, default=10, help="of a tool, by each agent")
    parser.add_argument("--hold", type=float, default=5.0, help="seconds for which the model then lets them wait")
    parser.add_argument("--as-engine", nargs=3, metavar=("WAY", "URL", "FOLDER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    programs_on_path()
    if asked.as_engine:
        way, url, folder = asked.as_engine
        (run if way == "run" else three_bare)(asked.programs[0], url, Path(folder))
        return
    for program in asked.programs:
        found = {way: watched(program, way, asked.calls, asked.hold) for way in ("bare", "run")}
        show(program, found["run"], found["bare"])


def show(program: str, ours: list[Counter[str]], bare: list[Counter[str]]) -> None:
    busy = [row for row in ours if row["agents"] == 3]
    peak, alone = max(busy, key=total), max(bare, key=lambda row: row["programs"])
    before = ours[max(0, ours.index(busy[0]) - 1)]
    print(f"{program}_samples_with_three_agents: {len(busy)}")
    print(f"{program}_three_agents_peak_mb: {total(peak) / 1e6:.0f}")
    for part in PARTS:
        print(f"{program}_three_agents_{part}_mb: {peak[part] / 1e6:.1f}")
    print(f"{program}_program_per_agent_mb: {peak['programs'] / 3e6:.0f}")
    print(f"{program}_forwarder_and_barrier_per_agent_mb: {(peak['forwarders'] + peak['barriers']) / 3e6:.1f}")
    print(f"{program}_engine_before_the_three_mb: {before['engine'] / 1e6:.1f}")
    print(f"{program}_three_bare_peak_mb: {alone['programs'] / 1e6:.0f}")
    print(f"{program}_ratio_to_three_bare: {total(peak) / alone['programs']:.2f}")
    largest = max(row["programs"] for row in busy)
    print(f"{program}_programs_ratio_to_three_bare: {largest / alone['programs']:.2f}", flush=True)


def total(row: Mapping[str, int]) -> int:
    return sum(row[part] for part in PARTS)


def watched(program: str, way: str, calls: int, hold: float) -> list[Counter[str]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder, Model(scripts, calls, hold) as model:
        argv = [sys.executable, __file__, program, "--as-engine", way, model.url, folder]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as engine:
            while engine.poll() is None:
                due = time.monotonic() + EVERY_S
                rows.append(looked_at(engine.pid))
                time.sleep(max(0.0, due - time.monotonic()))
        model.taken()
    if engine.returncode != 0:
        raise SystemExit(f"error: three of {program} ({way}) ended with status {engine.returncode}")
    return rows


def looked_at(engine: int) -> Counter[str]:
    """The memory of each part in bytes, and how many agents are there."""
    row: Counter[str] = Counter()
    for pid in descendants(engine, 10_000):
        try:
            argv = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue  # it has ended
        forwards = any(word.endswith(b"/forward.py") for word in argv[:5])
        bwrap = os.path.basename(argv[0]) == b"bwrap"  # noqa: PTH119
        part = "engine" if pid == engine else "barriers" if bwrap else "forwarders" if forwards else "programs"
        row["agents"] += part == "forwarders"
        row[part] += sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
    return row


def scripts(calls: int, hold: float) -> dict[str, Script]:
    def work(then: Script) -> Script:
        def script(talk: Talk) -> Iterator[Act]:
            for call in range(calls):
                yield Shell(f"true {call}")
            yield Stall(hold, Shell("true"))
            yield from then(talk)

        return script

    def done(talk: Talk) -> Iterator[Act]:
        yield Say("done")

    return {f"# You are the {role}\n": work(honest(role, *OPTIONS)) for role in THREE} | {"Task ": work(done)}


class Enough(Exception):
    """The three have handed in; the rest of the run is not wanted."""


def run(program: str, url: str, folder: Path) -> None:
    """The engine: a run up to the moment at which the three have handed in."""
    backend, variable = PROGRAMS[program]
    backends = {"*": " ".join([AGENT, *OPTIONS]), **dict.fromkeys(THREE, backend)}
    left = set(THREE)

    def observe(record: Record, view: RunView) -> None:
        if isinstance(record.event, DispatchFailed):
            raise SystemExit(f"error: {record.event.role}: {record.event.reason}")
        if isinstance(record.event, DispatchFinished):
            left.discard(record.event.role)
            if not left:
                raise Enough

    order = order_for(make_target(folder), backends=backends, endpoints=(f"{url}#{variable}",))
    try:
        Bench(folder).start(order, observers=(observe,))
    except Enough:
        return
    raise SystemExit("error: the run ended before the three had handed in")


def three_bare(program: str, url: str, folder: Path) -> None:
    def one(number: int) -> None:
        stage = Stage(program, url)
        with stage.room() as (room, enclosure):
            stage.start(room, enclosure, f"Task {number}: do what you are told.", bare=True)

    with ThreadPoolExecutor(max_workers=len(THREE)) as pool:
        list(pool.map(one, range(len(THREE))))


if __name__ == "__main__":
    main()

"""What barrier and bridge cost an agent: its start, each of its requests, and a streamed answer.

The real programs talk to a scripted model on loopback, each conversation in a fresh room and home: so many calls of the
shell tool (`true`), then done. "statsclaw" is a start as the engine makes it, behind bubblewrap, forwarder and bridge,
from the moment the bridge is opened; "bare" is the same command line as a plain process, with the address of the model
in its environment. They take turns, and a bare one goes before that is not counted.

- first_request: from the start to the first request as the model sees it, median; `on_top` is the median of the
  differences within a pair.
- request: from the first to the last request, for each of them, the agent's own work and its tool included.
- conversation: from the start to the end of the program.
- stream: one client with a request of 50 kB, straight and through forwarder and bridge: an answer of 200 events sent at
  once, how late an event comes that is sent 5 ms after the last, and a large answer.

A program that is not installed is left out. The programs are those of the tests (`pytest tests/agents -m slow` installs
them), or those on PATH. A bare program may reach the internet where there is one, and one behind the barrier may not.

Run: python benchmarks/agents/bench_overhead.py [--rounds 5] [--calls 20] [claude codex gemini api opencode stream]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from play import PROGRAMS, Model, Stage, Talked, programs_on_path

from statsclaw.sandbox.bridge import FORWARDER, Bridge, Route
from tests.agents.scripted_model import Act, Say, Shell, Talk

STREAM = Path(__file__).with_name("stream.py")
REQUESTS, EVENTS, PACED, MEGABYTES = 40, 200, 2, 128
SLOW = {"gemini": 2, "opencode": 4}  # slow of their own accord: so many times fewer calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = (*PROGRAMS, "stream")
    parser.add_argument("parts", nargs="*", default=known, metavar="PART", help=f"of {', '.join(known)}; or all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=20, help="of a tool, in each conversation; slow ones make fewer")
    asked = parser.parse_args()
    programs_on_path()
    for part in asked.parts:
        if part == "stream":
            streams(asked.rounds)
        else:
            conversations(part, asked.rounds, max(1, asked.calls // SLOW.get(part, 1)))


def calls(number: int) -> Callable[[Talk], Iterator[Act]]:
    """A script; no two commands are the same, which an agent would take for a model that goes round in circles."""

    def script(talk: Talk) -> Iterator[Act]:
        for call in range(number):
            yield Shell(f"true {call}")
        yield Say("done")

    return script


def conversations(program: str, rounds: int, number: int) -> None:
    pairs: list[dict[bool, Talked]] = []
    with Model(calls, number) as model:
        stage = Stage(program, model.url)
        if missing := stage.missing():
            print(f"{program}: not measured, {missing}")
            return
        stage.talk(model, bare=True)
        for turn in range(rounds):
            pair: dict[bool, Talked] = {}
            for bare in (turn % 2 == 0, turn % 2 == 1):
                pair[bare] = stage.talk(model, bare=bare)
                if len(pair[bare].asked) != number + 1:
                    raise SystemExit(f"error: {program} made {len(pair[bare].asked)} requests and not {number + 1}")
            pairs.append(pair)
    show(f"{program}_first_request", "s", [{bare: talk.first for bare, talk in pair.items()} for pair in pairs])
    show(f"{program}_request", "ms", [{bare: 1000 * talk.per_request for bare, talk in pair.items()} for pair in pairs])
    name = f"{program}_conversation_of_{number}_calls"
    show(name, "s", [{bare: talk.total for bare, talk in pair.items()} for pair in pairs])


def show(name: str, unit: str, pairs: list[dict[bool, float]]) -> None:
    bare, ours = (statistics.median(pair[way] for pair in pairs) for way in (True, False))
    digits = 2 if unit == "s" else 1
    print(f"{name}_bare_{unit}: {bare:.{digits}f}")
    print(f"{name}_statsclaw_{unit}: {ours:.{digits}f}")
    print(f"{name}_on_top_{unit}: {statistics.median(pair[False] - pair[True] for pair in pairs):.{digits}f}")
    print(f"{name}_ratio: {ours / bare:.2f}", flush=True)


def streams(rounds: int) -> None:
    found: dict[str, list[dict[str, list[float]]]] = {"direct": [], "bridged": []}
    server = [sys.executable, "-I", str(STREAM), "serve"]
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(server, stdout=subprocess.PIPE) as upstream:
        try:
            assert upstream.stdout is not None
            port = upstream.stdout.readline().decode().strip()
            route = Route(name="model", upstream=f"http://127.0.0.1:{port}", key="made-up-for-a-benchmark" * 4)
            with Bridge(Path(folder), [route], max_bytes=1 << 40) as bridge:
                box = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"]
                forward = [sys.executable, "-I", "-S", str(FORWARDER), f"8001={bridge.sockets['model']}", "--"]
                for _ in range(rounds):
                    for way, before, at in (("direct", [], port), ("bridged", [*box, *forward], "8001")):
                        argv = [*before, sys.executable, "-I", str(STREAM), "ask", at]
                        argv += map(str, (REQUESTS, EVENTS, PACED, MEGABYTES))
                        done = subprocess.run(argv, check=True, capture_output=True)
                        found[way].append(json.loads(done.stdout))
        finally:
            upstream.terminate()
    for name in found["direct"][0]:
        pooled = {way: [value for part in parts for value in part[name]] for way, parts in found.items()}
        for way, values in pooled.items():
            print(f"stream_{name}_{way}: {statistics.median(values):.2f}")
        print(f"stream_{name}_ratio: {statistics.median(pooled['bridged']) / statistics.median(pooled['direct']):.2f}")
        if name == "event_late_ms":
            for way, values in pooled.items():
                print(f"stream_{name}_p95_{way}: {statistics.quantiles(values, n=20)[-1]:.2f}")


if __name__ == "__main__":
    main()

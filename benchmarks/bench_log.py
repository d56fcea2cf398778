"""The log: appends per second with fsync, and the time to read and verify 10,000 events.

Run: python benchmarks/bench_log.py
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

from statsclaw.runlog.events import Credentials, GateChecked, RunCreated
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.states import State

APPENDS, EVENTS = 500, 10_000
CREATED = RunCreated(
    run_id="bench", statsclaw_version="0", directive="bench", target="t", base_commit=None, profile="python",
    workflow="full", ship_requested=False, credentials=Credentials(remote=None, how="none", can_ship=False),
)  # fmt: skip
EVENT = GateChecked(state=State.NEW, blockers=("request.md is missing",))


def appends_per_second(folder: Path) -> float:
    with RunLog.create(folder / "log") as log:
        log.append(CREATED)
        start = time.perf_counter()
        for _ in range(APPENDS):
            log.append(EVENT)
        return APPENDS / (time.perf_counter() - start)


def plain_writes_per_second(folder: Path) -> float:
    """The same bytes written and synced without a chain: what the disk allows."""
    line = EVENT.model_dump_json().encode() + b"\n"
    fd = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    start = time.perf_counter()
    for _ in range(APPENDS):
        os.write(fd, line)
        os.fsync(fd)
    elapsed = time.perf_counter() - start
    os.close(fd)
    return APPENDS / elapsed


def seconds_to_read(folder: Path) -> tuple[float, float]:
    """Read, verify and fold 10,000 events; beside it, parsing the same lines as JSON and nothing more."""
    fsync, os.fsync = os.fsync, lambda fd: None
    try:
        with RunLog.create(folder / "long") as log:
            log.append(CREATED)
            for _ in range(EVENTS - 1):
                log.append(EVENT)
    finally:
        os.fsync = fsync
    start = time.perf_counter()
    with RunLog.open(folder / "long") as log:
        assert log.view.seq == EVENTS
    opened = time.perf_counter() - start
    start = time.perf_counter()
    for line in (folder / "long" / "events.jsonl").read_bytes().splitlines():
        json.loads(line)
    return opened, time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        folder = Path(scratch)
        appends, plain = appends_per_second(folder), plain_writes_per_second(folder)
        opened, parsed = seconds_to_read(folder)
        start = time.perf_counter()
        read_view(folder / "long")
        print(f"log_appends_per_s: {appends:.0f}")
        print(f"plain_fsync_writes_per_s: {plain:.0f}")
        print(f"log_append_cost_ratio_to_plain_fsync: {plain / appends:.2f}")
        print(f"resume_10000_events_s: {opened:.3f}")
        print(f"resume_ratio_to_json_parsing: {opened / parsed:.2f}")
        print(f"look_10000_events_s: {time.perf_counter() - start:.3f}")


if __name__ == "__main__":
    main()

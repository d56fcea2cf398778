"""The package under judgement in a process, a root and a folder of its own: it cannot reach who judges it.

What judges imports a package of the same name that the engine made from the interface; every call goes through a
socket to the worker that holds the real one. The worker sees neither tests nor study nor reports.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.process import Completed, end_leftover

_PATIENCE_S = 60.0
_SHORT = 0.01
_TO_WRITE_S = 0.5
_TRIES = 100


@dataclass
class Worker:
    """How the worker ended, known once it has."""

    done: list[Completed] = field(default_factory=list)

    @property
    def output(self) -> str:
        return self.done[0].output.decode("utf-8", "replace") if self.done else ""


@contextmanager
def package_behind_door(
    confinement: Confinement,
    socket: Path,
    site: Path,
    python: str,
    package: str,
    env: Mapping[str, str],
    disturbance: str = "",
) -> Iterator[Worker]:
    """Serve `package` of `site` on `socket` until the block ends. `confinement` shows the worker's own places."""
    worker = Worker()
    script = socket.parent / "worker.py"
    for part in ("standin/door/worker.py", "standin/door/disturbance.py", "coverage_tracer.py"):
        with as_file(files("statsclaw.verify").joinpath(part)) as source:
            shutil.copy(source, socket.parent / source.name)
    confinement.desk.mkdir(parents=True, exist_ok=True)
    argv = [python, "-I", "-B", *(confinement.path(path) for path in (script, socket, site)), package, disturbance]
    thread = threading.Thread(target=lambda: worker.done.append(confinement.run(argv, env)), daemon=True)
    thread.start()
    until = time.monotonic() + _PATIENCE_S
    while not socket.exists() and thread.is_alive() and time.monotonic() < until:
        time.sleep(_SHORT)
    try:
        yield worker
        if "STATSCLAW_COVERAGE" in env:
            time.sleep(_TO_WRITE_S)
    finally:
        for _ in range(_TRIES):  # interrupted early, it may only be about to start
            end_leftover(confinement.desk / "pid")
            thread.join(timeout=0.1)
            if not thread.is_alive():
                break
        socket.unlink(missing_ok=True)

"""Starts worker processes: a new interpreter where the study can be sent, else a fork of this one."""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Protocol

from statsclaw.montecarlo.design import Study
from statsclaw.montecarlo.executors import worker
from statsclaw.montecarlo.recipe import Recipe, recipe_for

#: One thread each: cores are not oversubscribed, and sums come out the same whatever the number of workers.
ENVIRONMENT = {
    **dict.fromkeys(
        (
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "BLIS_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS",
            "NUMEXPR_NUM_THREADS",
        ),
        "1",
    ),
    "PYTHONHASHSEED": "0",
}
#: Signals that the system or a person sends: the replication need not be what ended the process.
FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT})
_MOST_SAID = 20_000


class Process(Protocol):
    pid: int

    def poll(self) -> int | None: ...


@dataclass(slots=True)
class Forked:
    """A child of this process, seen like a `subprocess.Popen`."""

    pid: int
    code: int | None = None

    def poll(self) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code


@dataclass(slots=True)
class Started:
    """A worker process, the way to talk to it, where it is in its work, and what it said when it crashed."""

    process: Process
    connection: Connection
    marker: memoryview
    said_fd: int
    memory: mmap.mmap = field(repr=False)

    def said(self) -> str:
        return os.pread(self.said_fd, _MOST_SAID, 0).decode(errors="replace").strip()

    def kill(self) -> None:
        """With everything it started."""
        for end in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end(self.process.pid, signal.SIGKILL)

    def release(self) -> None:
        self.connection.close()
        self.marker.release()
        self.memory.close()
        os.close(self.said_fd)


@dataclass(frozen=True, slots=True)
class Starter:
    """`recipe` is None where the worker must be forked."""

    study: Study
    recipe: Recipe | None

    @classmethod
    def of(cls, study: Study) -> Starter:
        sendable = recipe_for(study) if sys.executable else None
        return cls(study, sendable)

    def start(self) -> Started:
        ours, theirs = socket.socketpair()
        marker_fd, said_fd = _temporary_file(worker.MARKER_BYTES), _temporary_file(0)
        memory = mmap.mmap(marker_fd, worker.MARKER_BYTES)
        marker = memoryview(memory).cast("q")
        marker[worker.SERIAL], marker[worker.REPLICATION] = worker.NOWHERE, worker.NOWHERE
        connection = Connection(ours.detach())
        if self.recipe is None:
            process: Process = self._forked(connection, theirs, marker_fd, said_fd)
        else:
            process = _spawned(theirs.fileno(), marker_fd, said_fd)
        theirs.close()
        os.close(marker_fd)
        if self.recipe is not None:
            with contextlib.suppress(ConnectionError):  # it has ended already: noticed by who waits for it
                connection.send_bytes(pickle.dumps(self.recipe, protocol=5))
        return Started(process, connection, marker, said_fd, memory)

    def _forked(self, ours: Connection, theirs: socket.socket, marker_fd: int, said_fd: int) -> Forked:
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            return Forked(pid)
        code = 1
        try:
            os.setsid()
            ours.close()
            os.dup2(said_fd, 2)
            _limit_threads()
            worker.work(Connection(theirs.detach()), marker_fd, lambda: self.study)
            code = 0
        finally:
            os._exit(code)


def _temporary_file(size: int) -> int:
    descriptor, name = tempfile.mkstemp(prefix="statsclaw-worker-")
    os.unlink(name)  # noqa: PTH108
    os.truncate(descriptor, size)
    return descriptor


def _spawned(connection_fd: int, marker_fd: int, said_fd: int) -> subprocess.Popen[bytes]:
    places = [place or os.getcwd() for place in sys.path]  # noqa: PTH109
    program = (
        f"import sys; sys.path[:] = {places!r}\n"
        f"from statsclaw.montecarlo.executors.worker import main\nmain({connection_fd}, {marker_fd})"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=said_fd,
        pass_fds=(connection_fd, marker_fd),
        start_new_session=True,  # Ctrl-C at the terminal does not reach it
        env={**os.environ, **ENVIRONMENT},
    )


def _limit_threads() -> None:
    with contextlib.suppress(ImportError):
        import threadpoolctl  # type: ignore[import-not-found]

        threadpoolctl.threadpool_limits(1)

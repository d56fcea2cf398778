"""What runs inside a Dask worker: it hands tasks to one local worker process, which it keeps for the next."""

from __future__ import annotations

import atexit
import platform
import queue
import threading
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from statsclaw.errors import StatsClawError
from statsclaw.montecarlo.batch import Batch, Lost, Task
from statsclaw.montecarlo.executors.local import LocalExecutor
from statsclaw.montecarlo.executors.parcel import Parcel


@dataclass(frozen=True, slots=True)
class ParcelWanted:
    """This worker has not been sent the study."""


@dataclass(frozen=True, slots=True)
class Refused:
    reason: str


Answer = Batch | Lost | Refused | ParcelWanted
_GLANCE_S = 0.5


class _Host:
    """One study in this process. Its own thread starts the local worker, which ends with the thread that started it."""

    def __init__(self, parcel: Parcel, scratch: Path) -> None:
        self._parcel, self._scratch = parcel, scratch
        self._asked: queue.SimpleQueue[tuple[Task, queue.SimpleQueue[Any]] | None] = queue.SimpleQueue()
        self.is_closed = False
        self._thread = threading.Thread(target=self._serve, name="statsclaw-host", daemon=True)
        self._thread.start()

    def compute(self, task: Task) -> Batch | Lost:
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked.put((task, answer))
        found = answer.get()
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, (Batch, Lost))
        return found

    def close(self, *, wait_s: float = 0.0) -> None:
        self.is_closed = True
        self._asked.put(None)
        self._thread.join(wait_s)

    def _serve(self) -> None:
        executor: LocalExecutor | None = None
        try:
            while (asked := self._asked.get()) is not None:
                task, answer = asked
                try:
                    executor = executor or LocalExecutor(self._parcel.study(self._scratch), 1)
                    answer.put(self._one(executor, task))
                except BaseException as error:
                    answer.put(error)
                    if executor is not None:
                        executor.close(at_once=True)
                    executor = None
        finally:
            if executor is not None:
                executor.close(at_once=True)

    def _one(self, executor: LocalExecutor, task: Task) -> Batch | Lost:
        executor.submit(task)
        while not self.is_closed:
            for outcome in executor.completed(_GLANCE_S):
                return outcome
        raise RuntimeError("the study was ended")


def versions() -> dict[str, str]:
    """What must be the same everywhere for the results to be."""
    found = {"python": platform.python_version()}
    for name in ("numpy", "scipy", "statsclaw"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


_hosts: dict[str, _Host] = {}
_guard = threading.Lock()


def compute(digest: str, parcel: Parcel | None, task: Task, wanted: dict[str, str]) -> Answer:
    """The task, in the local worker of this study. What a person must see comes back as `Refused`."""
    own = versions()
    differing = [f"{name} {own[name]} instead of {wanted[name]}" for name in wanted if own[name] != wanted[name]]
    if differing:
        return Refused(f"a Dask worker has {', '.join(differing)}: results would depend on who computes them")
    with _guard:
        host = _hosts.get(digest)
        if host is None or host.is_closed:
            if parcel is None:
                return ParcelWanted()
            host = _hosts[digest] = _Host(parcel, _own_folder())
    try:
        return host.compute(task)
    except StatsClawError as error:
        return Refused(error.line())


def _own_folder() -> Path:
    """That of the Dask worker, which Dask removes, also after one that was killed."""
    from distributed import get_worker

    worker: Any = get_worker()
    return Path(worker.local_directory)


def forget(digest: str) -> None:
    """The study is over. Runs in the event loop of the worker, so it waits for nothing."""
    with _guard:
        host = _hosts.pop(digest, None)
    if host is not None:
        host.close()


@atexit.register
def _forget_all() -> None:
    for host in _hosts.values():
        host.close(wait_s=5.0)

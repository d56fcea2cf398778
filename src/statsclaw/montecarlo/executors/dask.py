"""Workers of a Dask cluster: one that exists, one on this machine, or one that SLURM or PBS gives (dask-jobqueue).

On every Dask worker one local worker process computes, exactly as without Dask, so a method that dies or hangs costs
its replication and not the Dask worker. A Dask worker that is lost is survived as well: what it was computing is
computed again by another, with the same streams and therefore the same results.
"""

from __future__ import annotations

import itertools
import logging
import queue
import time
import uuid
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.batch import Batch, Lost, Rows, Status, Task
from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.executors import dask_worker
from statsclaw.montecarlo.executors.parcel import parcel_of

_AHEAD = 2  # tasks for each worker, so that it need not wait for the next
_COUNT_EVERY_S = 5.0  # how often workers are counted: those of a queue come and go
_START_S = 60.0
_DEATHS = 2  # workers that a task may cost before it is suspected
_KEPT = "what is stored is kept; run the study again to go on"


@dataclass(slots=True)
class _Asked:
    """A task that was submitted to this executor, and the parts it was cut into to find what kills workers."""

    task: Task
    waiting: int
    done: list[Batch]
    is_settled: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    """`is_alone`: nothing else runs beside it, so if a worker dies it was this that killed it."""

    asked: _Asked
    task: Task
    is_alone: bool = False


class DaskExecutor:
    """An `Executor`. `address`: of a scheduler ("tcp://…"), or a cluster object, which stays its owner's; without it
    a cluster of `workers` processes is made on this machine and ended with the executor."""

    def __init__(self, study: Study, address: Any = None, workers: int = 2) -> None:
        self._parcel = parcel_of(study)
        self._client, self._cluster = _connect(address, workers)
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._under_way: dict[Any, _Part] = {}
        self._suspects: deque[_Part] = deque()  # single replications beside which workers died
        self._held: deque[_Part] = deque()  # what waits until these have run alone
        self._numbers = itertools.count()
        self._name = uuid.uuid4().hex
        self._versions = dask_worker.versions()
        self._counted, self._counted_at = 0, -_COUNT_EVERY_S
        try:
            self._client.wait_for_workers(1, timeout=_START_S)
        except TimeoutError:
            self.close(at_once=True)
            raise MachineRefused(f"no Dask worker came within {_START_S:g} seconds", kept=_KEPT) from None

    @property
    def capacity(self) -> int:
        if time.monotonic() - self._counted_at > _COUNT_EVERY_S:
            self._counted, self._counted_at = len(self._client.nthreads()), time.monotonic()
        return _AHEAD * max(1, self._counted)

    def submit(self, task: Task) -> None:
        part = _Part(_Asked(task, 1, []), task)
        if self._suspects:
            self._held.append(part)
        else:
            self._send(part)

    def completed(self, timeout: float) -> Iterator[Batch | Lost]:
        until = time.monotonic() + timeout
        while True:
            try:
                future = self._ended.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return
            found = list(self._settle(future))
            while not self._ended.empty():
                found += self._settle(self._ended.get())
            self._send_held()
            if found:
                yield from found
                return

    def close(self, *, at_once: bool = False) -> None:
        futures = list(self._under_way)
        self._under_way.clear()
        try:
            if futures:
                self._client.cancel(futures, force=True)
            self._client.run(dask_worker.forget, self._parcel.digest)
        except Exception:
            pass  # the cluster has gone, and its workers with it
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _send(self, part: _Part, *, parcel: bool = False) -> None:
        future = self._client.submit(
            dask_worker.compute,
            self._parcel.digest,
            self._parcel if parcel else None,
            part.task,
            self._versions,
            key=f"statsclaw-{self._name}-{next(self._numbers)}",
            pure=False,
            retries=0,
        )
        self._under_way[future] = part
        future.add_done_callback(self._ended.put)

    def _send_held(self) -> None:
        """Suspects one by one when nothing else is under way, then what waited for them."""
        if self._suspects and not self._under_way:
            self._send(replace(self._suspects.popleft(), is_alone=True))
        while self._held and not self._suspects and not any(part.is_alone for part in self._under_way.values()):
            self._send(self._held.popleft())

    def _settle(self, future: Any) -> Iterator[Batch | Lost]:
        """What a future that has ended says of its task; nothing where more is to come."""
        part = self._under_way.pop(future, None)
        if part is None or part.asked.is_settled:
            return
        asked = part.asked
        try:
            answer = future.result()
        except Exception as error:
            yield from self._after_error(part, error)
            return
        if isinstance(answer, dask_worker.Refused):
            raise StudyRefused(answer.reason)
        if isinstance(answer, dask_worker.ParcelWanted):
            self._send(part, parcel=True)
        elif isinstance(answer, Lost):
            asked.is_settled = True
            yield replace(answer, task=asked.task)
        else:
            asked.done.append(answer)
            asked.waiting -= 1
            if not asked.waiting:
                yield joined(asked.task, asked.done)

    def _after_error(self, part: _Part, error: Exception) -> Iterator[Lost]:
        """Dask has tried the task on several workers and all of them died. It is halved down to one replication, and
        that is tried alone: Dask suspects everything that a lost worker had before it."""
        from distributed import KilledWorker

        task, asked = part.task, part.asked
        if not isinstance(error, KilledWorker):
            raise _in_one_line(error)
        if part.is_alone:
            asked.is_settled = True
            reason = "every Dask worker that computed it was lost (killed, out of memory, or its node went down)"
            yield Lost(asked.task, task.first, Status.DIED, reason)
        elif task.count == 1:
            self._suspects.append(part)
        else:
            half = task.count // 2
            asked.waiting += 1
            self._send(_Part(asked, replace(task, count=half)))
            self._send(_Part(asked, replace(task, first=task.first + half, count=task.count - half)))


def joined(task: Task, parts: list[Batch]) -> Batch:
    """The parts of a task as one batch."""
    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=lambda part: part.task.first)
    remarks = tuple(dict.fromkeys(remark for part in parts for remark in part.remarks))
    methods = {name: _joined_rows([(part.task, part.methods[name]) for part in parts]) for name in parts[0].methods}
    loaded = tuple(each for part in parts for each in part.loaded)
    return Batch(task, methods, remarks, sum(part.elapsed for part in parts), loaded)


def _joined_rows(parts: list[tuple[Task, Rows]]) -> Rows:
    names = dict.fromkeys(name for _, rows in parts for name in rows.columns)
    first = parts[0][0].first
    return Rows(
        np.concatenate([rows.status for _, rows in parts]),
        np.concatenate([rows.seconds for _, rows in parts]),
        {
            name: np.concatenate([rows.columns.get(name, np.full(task.count, np.nan)) for task, rows in parts])
            for name in names
        },
        np.concatenate([rows.warnings for _, rows in parts]),
        {task.first - first + place: text for task, rows in parts for place, text in rows.problems.items()},
    )


def _connect(address: Any, workers: int) -> tuple[Any, Any]:
    """A client, and the cluster where it was made here."""
    try:
        import dask
        import distributed
    except ImportError:
        raise MachineRefused("Dask is not installed", todo="pip install 'statsclaw[dask]'") from None
    library: Any = distributed
    if address is not None:
        where = getattr(address, "scheduler_address", address)
        try:
            return library.Client(address, timeout=_START_S, set_as_default=False), None
        except (OSError, ValueError, TypeError) as error:
            raise MachineRefused(f"no Dask scheduler answers at {where}: {error}") from None
    with dask.config.set({"distributed.scheduler.allowed-failures": _DEATHS}):
        cluster = library.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.ERROR,
            memory_limit=0,  # what computes is another process, which Dask does not see
        )
    return library.Client(cluster, set_as_default=False), cluster


def _in_one_line(error: Exception) -> Exception:
    said = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    if isinstance(error, ModuleNotFoundError):
        return StudyRefused(f"the Dask workers cannot load the study: {said}", todo="install the same packages there")
    return MachineRefused(f"the Dask cluster failed: {said}", kept=_KEPT)

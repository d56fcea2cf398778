"""Cuts what is missing into tasks that take about the same time, and smaller ones towards the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from statsclaw.montecarlo.batch import Batch, Task

_AIM_S = 0.4  # long enough that scheduling costs nothing, short enough that little is in flight
_LEAST_S = 0.05
_GROWTH = 32  # a task has at most so many times the replications of the largest so far
_SHARES = 3  # at the end, what is left is cut into so many tasks for each place


_Range = tuple[int, int, int, tuple[str, ...]]  # cell, first, stop, without which methods


@dataclass(slots=True)
class _Pace:
    """Of one cell: seconds per replication, and the largest task so far."""

    seconds: float
    largest: int


class Schedule:
    """`places`: how many tasks are out at a time."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._ranges: deque[_Range] = deque()
        self._singles: deque[Task] = deque()
        self._paces: dict[int, _Pace] = {}
        self._usual: float | None = None

    def add(self, cell: int, ranges: Iterable[tuple[int, int]], without: tuple[str, ...] = ()) -> None:
        """`without`: methods that are not wanted there."""
        self._ranges.extend((cell, first, stop, without) for first, stop in ranges)

    def put_back(self, task: Task) -> None:
        """First in line: earlier replications are wanted earlier."""
        if task.without and task.count == 1:
            self._singles.appendleft(task)
        elif task.count:
            self._ranges.appendleft((task.cell, task.first, task.first + task.count, task.without))

    def next_task(self) -> Task | None:
        if self._singles:
            return self._singles.popleft()
        if not self._ranges:
            return None
        cell, first, stop, without = self._ranges.popleft()
        count = min(stop - first, self._size(cell, stop - first))
        if first + count < stop:
            self._ranges.appendleft((cell, first + count, stop, without))
        return Task(cell, first, count, without)

    def learn(self, batch: Batch) -> None:
        """How long replications of the cell take."""
        task = batch.task
        took = batch.elapsed or sum(float(rows.seconds.sum()) for rows in batch.methods.values())
        each = took / task.count
        known = self._paces.get(task.cell)
        if known is None:
            self._paces[task.cell] = _Pace(each, task.count)
        else:
            weight = min(0.5, task.count / known.largest) if task.count <= known.largest else 0.9
            known.seconds += weight * (each - known.seconds)
            known.largest = max(known.largest, task.count)
        self._usual = self._paces[task.cell].seconds

    def _size(self, cell: int, left_here: int) -> int:
        if self._usual is None:
            return 1
        pace = self._paces.get(cell)
        each = max(pace.seconds if pace else 4 * self._usual, 1e-9)
        aim = min(_AIM_S, max(_LEAST_S, self._left_s(cell, left_here) / (_SHARES * self._places)))
        count = max(1, int(aim / each))
        return min(count, _GROWTH * pace.largest) if pace else count

    def _left_s(self, cell: int, left_here: int) -> float:
        """What is left to compute, as far as it matters for the size of a task."""
        enough = _AIM_S * _SHARES * self._places
        total = left_here * self._seconds(cell)
        for other, first, stop, _ in self._ranges:
            if total >= enough:
                break
            total += (stop - first) * self._seconds(other)
        return total

    def _seconds(self, cell: int) -> float:
        pace = self._paces.get(cell)
        return pace.seconds if pace else self._usual or 0.0

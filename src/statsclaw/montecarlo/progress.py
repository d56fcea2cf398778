"""Where a run stands, from its events: per cell and overall, with the time that is left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from statsclaw.montecarlo.events import BatchStored, Ended, Event, Extended, Remarked, Started, WorkerLost
from statsclaw.words import span

_WINDOW_S = 10.0
_MOST_ROWS = 12
_LINE_EVERY_S = 10.0


@dataclass(slots=True)
class CellTally:
    name: str
    planned: int
    done: int
    computed: int = 0
    failures: int = 0
    warned: int = 0
    seconds: float = 0.0  # of workers

    @property
    def left(self) -> int:
        return max(0, self.planned - self.done)


class Tally:
    """Folds events. `clock` is given in tests."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.cells: list[CellTally] = []
        self.methods: tuple[str, ...] = ()
        self.folder = ""
        self.study = ""
        self._begun = clock()
        self._recent: deque[tuple[float, int]] = deque()

    def take(self, event: Event) -> None:
        if isinstance(event, Started):
            self.study, self.folder, self.methods = event.study, event.folder, event.methods
            of_cells = zip(event.cells, event.planned, event.done, strict=True)
            self.cells = [CellTally(name, max(planned, done), done) for name, planned, done in of_cells]
            for cell, failed, warned in zip(self.cells, event.failures, event.warned, strict=False):
                cell.failures, cell.warned = failed, warned
            self._begun = self._clock()
        elif isinstance(event, Extended):
            for number, further in event.cells.items():
                self.cells[number].planned = self.cells[number].done + further
        elif isinstance(event, BatchStored):
            cell = self.cells[event.cell]
            cell.done += event.count
            cell.computed += event.count
            cell.failures += sum(event.failures.values())
            cell.warned += event.warnings
            cell.seconds += event.seconds
            self._recent.append((self._clock(), event.count))

    @property
    def done(self) -> int:
        return sum(cell.done for cell in self.cells)

    @property
    def planned(self) -> int:
        return sum(cell.planned for cell in self.cells)

    @property
    def failures(self) -> int:
        return sum(cell.failures for cell in self.cells)

    @property
    def warned(self) -> int:
        return sum(cell.warned for cell in self.cells)

    @property
    def per_second(self) -> float:
        """Replications, over the last seconds."""
        now = self._clock()
        while self._recent and self._recent[0][0] < now - _WINDOW_S:
            self._recent.popleft()
        span = min(_WINDOW_S, now - self._begun)
        return sum(count for _, count in self._recent) / span if span > 0 else 0.0

    def eta(self, cells: Sequence[CellTally] | None = None) -> float | None:
        """Seconds until these cells (default: all) are done; cells not begun are taken to cost what others do."""
        computed = sum(cell.computed for cell in self.cells)
        worked = sum(cell.seconds for cell in self.cells)
        elapsed = self._clock() - self._begun
        if not computed or not worked or elapsed <= 0:
            return None
        usual, at_a_time = worked / computed, max(worked / elapsed, 1e-9)
        wanted = self.cells if cells is None else cells
        costs = (cell.left * (cell.seconds / cell.computed if cell.computed else usual) for cell in wanted)
        return sum(costs) / at_a_time


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def of(count: int, noun: str) -> str:
    """1 failure, 2 failures."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def one_line(tally: Tally) -> str:
    share = 100 * tally.done / tally.planned if tally.planned else 100.0
    failed = f", {of(tally.failures, 'failure')}" if tally.failures else ""
    rate, left = f"{tally.per_second:,.0f} replications/s", f"{duration(tally.eta())} left"
    return f"{tally.done:,} of {tally.planned:,} replications ({share:.0f} %){failed}, {rate}, {left}"


class Progress:
    """Shows events: a table that lives on a terminal; elsewhere lines, only the first and last unless `verbose`."""

    def __init__(self, console: Console, *, verbose: bool = False, quiet: bool = False) -> None:
        self.tally = Tally()
        self._console, self._verbose, self._quiet = console, verbose, quiet
        self._live: Live | None = None
        self._last_line = time.monotonic()

    def __call__(self, event: Event) -> None:
        self.tally.take(event)
        if isinstance(event, Remarked):
            self._say(f"note: {event.text}")
        elif isinstance(event, WorkerLost):
            who = event.method or "the data-generating process"
            reason = event.reason.splitlines()[0]
            self._say(f"note: {self.tally.cells[event.cell].name}, replication {event.replication}, {who}: {reason}")
        elif isinstance(event, Extended):
            self._say(f"undecided: {sum(event.cells.values()):,} replications more in {len(event.cells)} cells")
        elif isinstance(event, Started):
            self._begin(event)
        elif isinstance(event, Ended):
            self.stop()
        elif self._live is not None:
            self._live.update(self._table())
        elif self._verbose and time.monotonic() - self._last_line > _LINE_EVERY_S:
            self._last_line = time.monotonic()
            self._say(one_line(self.tally))

    def stop(self) -> None:
        if self._live is not None:
            self._live.update(self._table(), refresh=True)
            self._live.stop()
            self._live = None

    def _begin(self, event: Started) -> None:
        methods = f"{len(event.methods)} method{'s' * (len(event.methods) != 1)}"
        cells = f"{len(event.cells)} cell{'' if len(event.cells) == 1 else 's'}"
        self._say(f"{event.study}: {cells} × {span(event.planned)} replications × {methods}")
        if any(event.done):
            self._say(f"{sum(event.done):,} replications are there already")
        if self._console.is_terminal and not self._quiet:
            self._live = Live(self._table(), console=self._console, refresh_per_second=4, transient=True)
            self._live.start()

    def _say(self, text: str) -> None:
        if not self._quiet:
            self._console.print(text, markup=False, soft_wrap=True)

    def _table(self) -> Group:
        table = Table(box=None, pad_edge=False)
        for name in ("cell", "done", "planned", "failures", "left"):
            table.add_column(name, justify="left" if name == "cell" else "right", no_wrap=True)
        active = [cell for cell in self.tally.cells if cell.left and cell.computed]
        shown = (active or [cell for cell in self.tally.cells if cell.left])[:_MOST_ROWS]
        for cell in shown:
            failures = Text(f"{cell.failures:,}", style="red" if cell.failures else "")
            left = duration(self.tally.eta([cell]))
            table.add_row(Text(cell.name), f"{cell.done:,}", f"{cell.planned:,}", failures, left)
        return Group(table, Text(one_line(self.tally), style="bold"))

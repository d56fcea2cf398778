"""What passed a bridge, what did not, and what it cost: counted as it passes, read at any time from any thread."""

from __future__ import annotations

import threading
from collections import deque
from itertools import count

from statsclaw.runlog.events import NetworkUse, Usage
from statsclaw.sandbox.meter import Meter, Trouble
from statsclaw.sandbox.outward import Refused, printable

MOST_NOTES = 20
#: Of the last so many questions. A program may ask other things in between and be answered.
MOST_SENSELESS, _LOOKED_BACK = 40, 100
_MOST_IDS = 10_000


class Ledger:
    """What was let through and what was not; the byte limit stands here because everything is counted here."""

    def __init__(self, max_bytes: int) -> None:
        self._lock = threading.Lock()
        self._max_bytes = max_bytes
        self._requests = self._refused = self._up = self._down = 0
        self._by_host: dict[str, int] = {}
        self._answers: dict[str, int] = {}
        self._models: dict[str, Usage] = {}
        self._notes: list[str] = []
        self._open: dict[Meter, int] = {}
        self._numbers = count()
        self._last: Meter | None = None
        self._last_opened = -1
        self._by_id: dict[str, Usage] = {}
        self._estimated = 0
        self.trouble: Trouble | None = None
        #: Of the last questions: with which status each was refused as senseless, or 0.
        self._senseless: deque[int] = deque(maxlen=_LOOKED_BACK)
        self.hopeless = 0

    def snapshot(self) -> NetworkUse:
        """With what the answers under way have said so far."""
        with self._lock:
            models = dict(self._models)
            for meter in self._open:
                self._count(models, meter)
            return NetworkUse(
                requests=self._requests,
                refused=self._refused,
                bytes_up=self._up,
                bytes_down=self._down,
                by_host=dict(self._by_host),
                answers=dict(self._answers),
                models=models,
                estimated=self._estimated + sum(meter.estimated for meter in self._open),
                refusals=tuple(self._notes),
            )

    def request(self, host: str) -> None:
        with self._lock:
            self._requests += 1
            self._by_host[host] = self._by_host.get(host, 0) + 1

    def open(self, meter: Meter) -> None:
        with self._lock:
            self._open[meter] = next(self._numbers)

    def begin(self, meter: Meter, status: int) -> None:
        """An answer begins, of which the status is known."""
        with self._lock:
            self._answers[str(status)] = self._answers.get(str(status), 0) + 1
            if not meter.asks:
                return
            self._senseless.append(status if 400 <= status < 500 and meter.trouble is None else 0)
            refused = [row for row in self._senseless if row]
            self.hopeless = refused[-1] if len(refused) >= MOST_SENSELESS else 0
            self._last, self._last_opened = meter, max(self._last_opened, self._open[meter])
            self.trouble = meter.trouble

    def hear(self, meter: Meter) -> None:
        """What the answer that began last led to; of others, which a program may have given up, nothing is heard."""
        if meter is self._last:
            self.trouble = meter.trouble

    def fail(self, meter: Meter, trouble: Trouble) -> None:
        """There is no more to come. No news if a question that was asked later was answered."""
        meter.end(cut=True)
        meter.fail(trouble)
        if meter.asks and (meter is self._last or self._open[meter] > self._last_opened):
            self.trouble = trouble

    def close(self, meter: Meter) -> None:
        meter.end(cut=True)
        with self._lock:
            del self._open[meter]
            self._count(self._models, meter)
            self._estimated += meter.estimated
            if meter.answer_id:
                self._by_id[meter.answer_id] = self._by_id.get(meter.answer_id, Usage()).at_least(meter.usage)
            while len(self._by_id) > _MOST_IDS:
                del self._by_id[next(iter(self._by_id))]

    def _count(self, models: dict[str, Usage], meter: Meter) -> None:
        """Under the first so many names of models; a server that invents more is counted under none.

        An answer may be looked at again, to see whether it is done: only what is new of it counts.
        """
        name = meter.model if meter.model in models or len(models) < MOST_NOTES else ""
        known = self._by_id.get(meter.answer_id, Usage()) if not meter.asks else Usage()
        new = known.at_least(meter.usage) - known
        if new != Usage():
            models[name] = models.get(name, Usage()) + new

    def refusal(self, note: str) -> None:
        with self._lock:
            self._refused += 1
            if len(self._notes) < MOST_NOTES and (short := printable(note)) not in self._notes:
                self._notes.append(short)

    def count(self, note: str, *, up: int = 0, down: int = 0) -> None:
        """Refuses from the byte on that reaches the limit."""
        with self._lock:
            self._up += up
            self._down += down
            spent = self._up + self._down >= self._max_bytes
        if spent:
            limit = f"the limit of {self._max_bytes} bytes for this sandbox is used up"
            raise Refused(403, limit, f"{note}: byte limit")

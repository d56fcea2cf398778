"""What passed a bridge, what did not, and what it cost: counted as it passes, read at any time from any thread."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from statsclaw.runlog.events import NetworkUse, Usage
from statsclaw.sandbox.meter import Meter, Trouble, trouble_of
from statsclaw.sandbox.outward import Refused, printable

MOST_NOTES = 20
MOST_SENSELESS = 40


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
        self._open: set[Meter] = set()
        self._estimated = 0
        self.trouble: Trouble | None = None
        self.hopeless = self._senseless = 0

    def snapshot(self) -> NetworkUse:
        """With what the answers under way have said so far."""
        with self._lock:
            models = dict(self._models)
            for meter in self._open:
                _add(models, meter)
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

    def answer(self, status: int) -> None:
        with self._lock:
            self._answers[str(status)] = self._answers.get(str(status), 0) + 1
            senseless = 400 <= status < 500 and trouble_of(status, (), datetime.now(UTC)) is None
            self._senseless += senseless
            self.hopeless = status if senseless and self._senseless >= MOST_SENSELESS else self.hopeless

    def open(self, meter: Meter) -> None:
        with self._lock:
            self._open.add(meter)

    def close(self, meter: Meter) -> None:
        with self._lock:
            self._open.discard(meter)
            _add(self._models, meter)
            self._estimated += meter.estimated
        self.hear(meter)

    def hear(self, meter: Meter) -> None:
        """What the last question to a model led to; what else a server is asked says nothing of its models."""
        if meter.asks and meter.begun:
            self.trouble = meter.trouble

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


def _add(models: dict[str, Usage], meter: Meter) -> None:
    """Under the first so many names of models; a server that invents more is counted under none."""
    name = meter.model if meter.model in models or len(models) < MOST_NOTES else ""
    if meter.usage != Usage():
        models[name] = models.get(name, Usage()) + meter.usage

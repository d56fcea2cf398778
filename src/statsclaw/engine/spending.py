"""What is spent while roles are at work: counted at their bridges, where no program can change it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from statsclaw.backends.prices import priced
from statsclaw.runlog.events import NetworkUse, Usage
from statsclaw.runlog.fold import Live
from statsclaw.sandbox.bridge import Bridge


class Meters:
    """Of every dispatch that is at work, or done and not yet in the log. May be read at any time, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: dict[str, tuple[Bridge | None, Sequence[str], float]] = {}
        self._done: dict[str, Live] = {}

    @contextmanager
    def counting(self, dispatch: str, bridge: Bridge | None, providers: Sequence[str]) -> Iterator[None]:
        with self._lock:
            self._at_work[dispatch] = (bridge, providers, time.monotonic())
        try:
            yield
        finally:
            spent = self._spent(*self._at_work[dispatch])
            with self._lock:
                self._done[dispatch] = spent
                self._at_work.pop(dispatch)

    def settle(self, dispatch: str, spent: Live) -> None:
        """What it is charged with, now that it has ended; others may be at work for long before the log says so."""
        with self._lock:
            self._done[dispatch] = spent

    def forget(self, dispatch: str) -> None:
        """The log knows."""
        with self._lock:
            self._done.pop(dispatch, None)

    def live(self) -> dict[str, Live]:
        with self._lock:
            at_work, done = dict(self._at_work), dict(self._done)
        return done | {name: self._spent(*row) for name, row in at_work.items()}

    @staticmethod
    def _spent(bridge: Bridge | None, providers: Sequence[str], begun: float) -> Live:
        return Live(metered(bridge.use, providers) if bridge else Usage(), time.monotonic() - begun)


def metered(use: NetworkUse, providers: Sequence[str]) -> Usage:
    """With its price, where one of the providers has a model of that name; of several prices the highest."""
    return sum((_priced(used, providers, model) for model, used in use.models.items()), start=Usage())


def _priced(used: Usage, providers: Sequence[str], model: str) -> Usage:
    return max((priced(used, name, model) for name in providers), key=lambda row: row.cost_usd, default=used)


def settled(said: Usage, counted: Usage) -> Usage:
    """What a dispatch is charged with: what was counted, or what its program says where nothing could be.

    Of the price, which a program may know better than a public list, whichever is more.
    """
    tokens = counted if counted.tokens else said
    return tokens.model_copy(update={"cost_usd": max(said.cost_usd, counted.cost_usd)})

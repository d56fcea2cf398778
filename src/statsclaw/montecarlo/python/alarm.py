"""A limit on the time of a call, inside the process that makes it: SIGALRM, in the main thread only."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimedOut(BaseException):
    """Past `except Exception` of a method."""


class Alarm:
    """Code that does not return to Python is not stopped by it; whoever watches the process sees to that."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self._armed = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """SIGALRM is ours while a task runs."""
        if self.timeout is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        try:
            yield
        finally:
            self.disarm()
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Rings again and again, for methods that catch everything."""
        if self.timeout is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, self.timeout, max(0.05, self.timeout / 10))
        try:
            yield
        finally:
            self.disarm()

    def disarm(self) -> None:
        """To be called as well by who catches TimedOut: it may have come before `limited` could."""
        if self._armed:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            raise TimedOut

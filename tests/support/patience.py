"""A limit for what must not hang: an alarm that nothing under test can swallow."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Hangs(BaseException):
    """Not an Exception: nothing under test may swallow it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hangs(f"not done after {seconds} s")

    previous = signal.signal(signal.SIGALRM, stop)
    before = signal.setitimer(signal.ITIMER_REAL, seconds)[0]
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, before)
        signal.signal(signal.SIGALRM, previous)

"""What a process shares between everything that runs in it: global random numbers, floating-point errors, warnings.

Nothing of it may carry from one replication or method to another, or results would depend on who ran before.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_KEPT_TEXTS = 3


class Globals:
    """numpy's legacy generator, Python's `random`, numpy's handling of floating-point errors."""

    def __init__(self) -> None:
        self.numpy: Any = np.random.get_state()
        self.python = random.getstate()
        self.errors = np.geterr()

    def restore(self) -> None:
        np.random.set_state(self.numpy)
        random.setstate(self.python)
        np.seterr(**self.errors)

    def differ(self, other: Globals) -> bool:
        same_numpy = self.numpy[2:] == other.numpy[2:] and np.array_equal(self.numpy[1], other.numpy[1])
        return not same_numpy or self.python != other.python or self.errors != other.errors


_START: list[Globals] = []


def start_of_globals() -> Globals:
    """The state every task starts from, the same in every process."""
    if not _START:
        before = Globals()
        seed_globals(b"statsclaw.montecarlo", 0)
        np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
        _START.append(Globals())
        before.restore()
    return _START[0]


def seed_globals(key: bytes, replication: int) -> None:
    """Global random numbers as a function of a stream's key and the replication."""
    words = [*np.frombuffer(key.ljust(32, b"\0"), dtype="<u4").tolist(), replication % 2**32, replication >> 32]
    np.random.seed(words)
    random.seed(key + replication.to_bytes(8, "little"))


class WarningLog:
    """Counts warnings; keeps the text of the first few that differ."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""
        self._seen: set[str] = set()
        self._filters: list[Any] = []

    def show(self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
        self.count += 1
        text = f"{category.__name__}: {message} ({filename}:{lineno})"
        if text in self._seen or len(self._seen) < _KEPT_TEXTS:
            self._seen.add(text)
            self.last = text

    def reset(self) -> None:
        """Before a method: nothing counted, and the filters as they were."""
        self.count = 0
        self.last = ""
        if warnings.filters != self._filters:
            warnings.filters[:] = self._filters  # type: ignore[index]
            mutated: Callable[[], None] = warnings._filters_mutated  # type: ignore[attr-defined]
            mutated()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Every warning that the person has not asked to ignore comes here, each time."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", append=True)
            warnings.showwarning = self.show  # type: ignore[assignment]
            self._filters = list(warnings.filters)
            yield

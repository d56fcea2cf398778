"""The same thing on several benches at once, as many as the machine has cores for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from statsclaw.montecarlo.executors.local import cores
from statsclaw.verify.runner import Bench, end_programs_of

#: Each needs a copy of the package and the memory of its suite.
_AT_ONCE = 4

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")


def benches_beside(bench: Bench, jobs: int) -> list[Bench]:
    """Within the folder of `bench`, which is not to be used at the same time; `bench` itself where none can be."""
    numbers = range(1, min(_AT_ONCE, cores(), jobs) + 1)
    return [other for number in numbers if (other := bench.beside(str(number)))] or [bench]


def side_by_side(
    benches: Sequence[Bench], job: Callable[[Bench, _Item], _Found], items: Sequence[_Item]
) -> list[_Found]:
    """What `job` finds of each item, in their order. An interruption ends the programs and is passed on."""
    free: SimpleQueue[Bench] = SimpleQueue()
    for bench in benches:
        free.put(bench)

    def on_a_free_one(item: _Item) -> _Found:
        bench = free.get()
        try:
            return job(bench, item)
        finally:
            free.put(bench)

    with ThreadPoolExecutor(len(benches)) as pool:
        futures = [pool.submit(on_a_free_one, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            end_programs_of([future for future in futures if not future.cancel()])
            raise

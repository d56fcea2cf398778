"""Several benches at once: results in order, and nothing outlives an interruption."""

from __future__ import annotations

import os
import signal
import threading
import time
import types
from functools import partial
from pathlib import Path
from signal import default_int_handler

import pytest

from statsclaw.engine import disturbing
from statsclaw.engine.disturbing import judged_disturbed
from statsclaw.engine.side_by_side import benches_beside, side_by_side
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import run_program
from statsclaw.verify.runner import Bench

BENCH = Bench(*[Path("/nowhere")] * 3, None, None, NoBarrier(), *[None] * 3, package="p")  # type: ignore[arg-type]


def test_results_come_in_the_order_of_what_was_asked():
    def job(bench: Bench, number: int) -> int:
        time.sleep(0.05 * (4 - number))
        return number

    assert side_by_side(benches_beside(BENCH, 4), job, [1, 2, 3, 4]) == [1, 2, 3, 4]


def test_no_two_jobs_share_a_bench_and_none_uses_the_one_around_them():
    at_work: set[Path] = set()

    def job(bench: Bench, number: int) -> None:
        assert bench.folder not in at_work and bench.folder != BENCH.folder
        at_work.add(bench.folder)
        time.sleep(0.01)
        at_work.discard(bench.folder)

    side_by_side(benches_beside(BENCH, 20), job, list(range(20)))


@pytest.mark.parametrize("how", ["interrupted", "interrupted twice", "a fault"])
def test_a_program_that_begins_only_after_the_interruption_is_ended_too(tmp_path, how, request):
    def job(bench: Bench, number: int) -> None:
        if how == "a fault" and number == 0:
            raise RuntimeError
        time.sleep(0.6)  # lays out a tree
        run_program(["sleep", "60"], cwd=tmp_path, env=dict(os.environ), limits=Limits())

    if how != "a fault":
        request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, default_int_handler)))
        for after_s in (0.3, 0.5) if how == "interrupted twice" else (0.3,):
            threading.Timer(after_s, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(RuntimeError if how == "a fault" else KeyboardInterrupt):
        side_by_side([BENCH, BENCH], job, [0, 1])
    assert time.monotonic() - begun < 30, "nobody waited for the minute to pass"


def test_a_suite_without_a_comparison_that_could_be_disturbed_is_not_tried(monkeypatch):
    contract = types.SimpleNamespace(tests=types.SimpleNamespace(criteria=()), interface=None)
    monkeypatch.setattr(disturbing, "contract_of", lambda run: contract)
    monkeypatch.setattr(disturbing, "bench_for", lambda *_: BENCH)
    monkeypatch.setattr(disturbing, "with_door", lambda *_: BENCH)
    run = types.SimpleNamespace(view=types.SimpleNamespace(tree_sha256="t", overlay={}))
    assert judged_disturbed(run) == ()  # type: ignore[arg-type]

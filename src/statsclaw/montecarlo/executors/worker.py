"""The inside of a local worker: one study, one task after the other, until the connection ends."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from statsclaw.montecarlo.batch import Killed, Task
from statsclaw.montecarlo.design import Study, StudyRefused
from statsclaw.montecarlo.python.modules import Modules
from statsclaw.montecarlo.recipe import Recipe, runner_for

#: Places in the memory that parent and worker share: which task, which replication of it, which method.
SERIAL, REPLICATION, STAGE = 0, 1, 2
NOWHERE = -1
MARKER_BYTES = 24
READY, DONE, REFUSED, BROKEN = "ready", "done", "refused", "broken"
_PR_SET_PDEATHSIG = 1


def main(connection_fd: int, marker_fd: int) -> None:
    """In a new interpreter. What goes wrong before the first message stands in stderr, which the parent reads."""
    connection = Connection(connection_fd)
    work(connection, marker_fd, _received(connection), is_new=True)


def _received(connection: Connection) -> Callable[[], Study]:
    def study() -> Study:
        recipe = pickle.loads(connection.recv_bytes())
        assert isinstance(recipe, Recipe)
        return recipe.study()

    return study


def work(connection: Connection, marker_fd: int, make_study: Callable[[], Study], *, is_new: bool = False) -> None:
    """`is_new`: an interpreter of its own, so that what it has imported is what the study did."""
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    faulthandler.enable(file=os.dup(2))
    marker = memoryview(mmap.mmap(marker_fd, MARKER_BYTES)).cast("q")

    def started(replication: int) -> None:
        marker[STAGE] = 0
        marker[REPLICATION] = replication

    def entered(stage: int) -> None:
        marker[STAGE] = stage

    before = frozenset(sys.modules)
    try:
        runner_study = make_study()
        runner = runner_for(runner_study, entered, gives_back=True)
    except StudyRefused as refusal:
        _send(connection, (REFUSED, refusal.line()))
        return
    _send(connection, (READY,))
    _be_quiet()
    news = Modules(runner_study, before) if is_new and runner_study.program is None else None
    try:
        while True:
            message = pickle.loads(connection.recv_bytes())
            if message is None:
                break
            serial, task = message
            assert isinstance(task, Task)
            marker[REPLICATION] = NOWHERE
            marker[SERIAL] = serial
            answer: tuple[object, ...]
            try:
                batch = runner.run(task, started)
                answer = (
                    DONE,
                    serial,
                    batch if news is None else replace(batch, loaded=(*batch.loaded, *news.since())),
                )
            except StudyRefused as refusal:
                answer = (REFUSED, refusal.line())
            except Killed as killed:
                answer = (DONE, serial, killed.lost)
            except Exception:
                answer = (BROKEN, traceback.format_exc())
            marker[REPLICATION] = NOWHERE
            _send(connection, answer)
    except (EOFError, ConnectionError):
        pass  # the parent has gone
    finally:
        runner.close()


def _send(connection: Connection, message: object) -> None:
    connection.send_bytes(pickle.dumps(message, protocol=5))


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _be_quiet() -> None:
    """What methods print goes nowhere; faulthandler keeps its own way out."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)
    # a fork of a notebook has streams that are not these descriptors
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")

"""Processes and memory are counted for one program, whoever else starts and ends programs on the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.sandbox import cgroup
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.cgroup import ControlGroup
from statsclaw.sandbox.limits import GIB, Limits
from statsclaw.sandbox.selftest import attacks, attempt
from statsclaw.sandbox.stage import Stage
from statsclaw.sandbox.watch import Watch

MANY_THREADS = """
import threading, time
for _ in range(200):
    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
print("begun", flush=True)
time.sleep(30)
"""


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    made = ControlGroup.make(GIB, 64)
    if made is None:
        pytest.skip("this machine keeps its control groups for itself")
    yield made
    made.remove()


def test_a_group_whose_program_is_about_to_start_is_not_swept_away(group: ControlGroup) -> None:
    other = ControlGroup.make(GIB, 64)
    assert other is not None
    other.remove()
    assert group.pids.is_dir()
    assert group.memory.is_dir()


def test_a_group_that_an_ended_engine_left_is_swept_away(group: ControlGroup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_STARTING_S", -1.0)
    other = ControlGroup.make(GIB, 64)
    assert other is not None
    other.remove()
    assert not group.pids.exists()


def test_a_group_that_is_gone_holds_nothing(group: ControlGroup) -> None:
    group.remove()
    assert not group.holds(os.getpid())


def test_without_a_control_group_threads_are_counted_by_the_watch(tmp_path: Path) -> None:
    ended: list[str] = []
    with subprocess.Popen([sys.executable, "-c", MANY_THREADS], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        over = threading.Event()

        def end(reason: str) -> None:
            ended.append(reason)
            over.set()

        with Watch(program.pid, Limits(processes=64), [tmp_path], end):
            over.wait(20)
        program.kill()
    assert ended == ["it started more than 64 processes"]


def test_a_thread_bomb_is_held_where_the_group_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another engine's sweep did between making a group and putting the program in."""
    monkeypatch.setattr(ControlGroup, "holds", lambda self, pid: False)
    bomb = next(attack for attack in attacks() if attack.name == "thread-bomb")
    with Stage(Bubblewrap()) as stage:
        result = attempt(stage, bomb)
    assert result.held, result.detail

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from tests.support.runs import Bench, make_target, order_for


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return make_target(tmp_path)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A finished full run of the scripted roles, to be used as a recording; played once for all test processes."""
    root = tmp_path_factory.getbasetemp()
    folder = (root if worker_id == "master" else root.parent) / "recorded"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            bench = Bench(folder)
            bench.start(order_for(make_target(folder), run_id="recorded-0001"))
            (folder / "done").touch()
    return Bench(folder).workspace.find("recorded-0001").path

from __future__ import annotations

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
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished full run of the scripted roles, to be used as a recording."""
    folder = tmp_path_factory.mktemp("recorded")
    bench = Bench(folder)
    bench.start(order_for(make_target(folder), run_id="recorded-0001"))
    return bench.workspace.find("recorded-0001").path

"""Times in the records of a study are others at every run; everything else must repeat."""

from __future__ import annotations

import numpy as np
import pytest

from statsclaw.engine.judges import _values, is_time
from statsclaw.montecarlo.table import Table
from statsclaw.verify.study_report import Records


@pytest.mark.parametrize(
    "name", ["seconds", "time", "log_speedup", "time_s", "cpu_seconds", "mle_time", "runtime", "elapsed_ms"]
)
def test_a_clock_is_known_by_its_name(name: str) -> None:
    assert is_time(name)


@pytest.mark.parametrize(
    "name", ["mu.estimate", "acceptance_rate", "gap", "sometimes", "times_two.se", "second_moment_x"]
)
def test_what_is_no_clock(name: str) -> None:
    assert not is_time(name)


def recorded(**columns: list[float]) -> Records:
    table = Table(np.zeros(2, dtype=bool), {name.replace("__", "."): np.array(c) for name, c in columns.items()})
    return Records(1, 0, 2, {("n=40", "mle"): table})


def test_only_what_is_no_time_is_compared() -> None:
    once = _values(recorded(mu__estimate=[1.0, 2.0], seconds=[0.1, 0.2]))
    assert once == _values(recorded(mu__estimate=[1.0, 2.0], seconds=[0.3, 0.4]))
    assert once != _values(recorded(mu__estimate=[1.0, 2.5], seconds=[0.1, 0.2]))
    assert _values(recorded(gap=[1.0, 2.0])) != _values(recorded(gap=[1.0, 2.1]))

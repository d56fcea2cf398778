"""Starting a study loads nothing heavy that it does not use: it would cost every run a second."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STUDY = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=20)
def mean(data, cell):
    return {"mu": Estimate(data.mean(), data.std())}
criteria = [Criterion("C1", "bias", "mean", "mu", low=-1.0, high=1.0)]
study = Study("light", {}, {"mean": mean}, {"mu": 0.0}, 60, 1, dgp=dgp, criteria=criteria)
"""
RUN = """
import sys
from statsclaw.montecarlo import load_study, run
run(load_study(sys.argv[1]), workers=1)
print(*(name for name in ("pandas", "scipy.stats", "pyarrow.dataset", "matplotlib") if name in sys.modules))
"""


def test_a_run_loads_neither_pandas_nor_what_judges_or_draws(tmp_path: Path) -> None:
    file = tmp_path / "study.py"
    file.write_text(STUDY)
    ended = subprocess.run([sys.executable, "-c", RUN, str(file)], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []

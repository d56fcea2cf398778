"""`statsclaw mc sbc`: a right sampler passes, wrong ones do not, and a study that cannot be asked says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.ui.cli import app
from statsclaw.ui.exit_codes import NOT_PASSED

STUDY = """
import numpy as np
from statsclaw.montecarlo import Estimate, Study

def dgp(cell, rng):
    mu = rng.normal()  # from the prior N(0, 1)
    return {"mu": mu, "y": rng.normal(mu, 1.0, size=cell["n"])}

def posterior(data, cell, rng):
    n, total = len(data["y"]), data["y"].sum()
    return {"mu": Estimate(draws=rng.normal(total / (n + 1), SPREAD / np.sqrt(n + 1), size=400))}

study = Study(name="conjugate", dgp=dgp, grid={"n": [5]}, methods={"posterior": posterior},
              truth={"mu": TRUTH}, replications=300, seed=2)
"""
DRAWN = 'lambda data, cell: data["mu"]'


@pytest.fixture
def ran(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    spread, truth = request.param
    file = tmp_path / "study.py"
    file.write_text(STUDY.replace("SPREAD", spread).replace("TRUTH", truth))
    done = CliRunner().invoke(app, ["mc", "run", str(file), "--workers", "1", "--quiet"])
    assert done.exit_code == 0, done.output
    return file


@pytest.mark.parametrize("ran", [("1.0", DRAWN)], indirect=True)
def test_a_right_sampler_passes(ran: Path) -> None:
    done = CliRunner().invoke(app, ["mc", "sbc", str(ran), "--json"])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["verdict"]) == (0, "PASS")
    assert [(row["quantity"], row["ranks"]) for row in found["quantities"]] == [("mu by posterior in n=5", 300)]


@pytest.mark.parametrize(
    ("ran", "shape"), [(("0.5", DRAWN), "too narrow"), (("2.0", DRAWN), "too wide")], indirect=["ran"]
)
def test_a_wrong_spread_is_found_and_named(ran: Path, shape: str) -> None:
    done = CliRunner().invoke(app, ["mc", "sbc", str(ran)])
    assert done.exit_code == NOT_PASSED
    assert done.stdout.startswith("FAIL at error rate 0.01") and shape in done.stdout


@pytest.mark.parametrize("ran", [("1.0", "0.0")], indirect=True)
def test_a_truth_that_is_not_drawn_is_refused(ran: Path) -> None:
    done = CliRunner().invoke(app, ["mc", "sbc", str(ran)])
    assert "no method of the study gives draws of a parameter whose truth depends on the data" in str(done.exception)

"""A study of a function of an installed R package is written, and runs as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.montecarlo.test_mc_commands import mc

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")


@pytest.mark.parametrize(("package", "function", "columns"), [("stats", "t.test", 4), ("stats", "lm", 2)])
def test_it_runs_as_it_is_and_records_what_the_function_returns(
    tmp_path: Path, package: str, function: str, columns: int
) -> None:
    said = mc(tmp_path, "new", "made.toml", "--from-package", package, "--function", function)
    assert said.returncode == 0 and said.stderr == "", said
    ran = mc(tmp_path, "run", "made.toml", "--replications", "30", "--workers", "1")
    assert ran.returncode == 0 and "failures" not in ran.stdout, ran
    verdict = json.loads(mc(tmp_path, "verdict", "made.toml", "--json").stdout)
    assert [each["cells"][0]["failures"] for each in verdict["criteria"]] == [0]
    header = mc(tmp_path, "export", "made.toml", "--wide", "--to", "-").stdout.splitlines()[0]
    assert sum(f'"theta.{field}"' in header for field in ("estimate", "se", "low", "high")) == columns


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--from-package", "no.such.package"], "is not installed in this R"),
        (["--from-package", "stats"], "exports several functions; there are"),
        (["--from-package", "stats", "--function", "none"], "stats exports no function none"),
        (["--from-package", "a; b"], "is no name of an R package"),
        (["--function", "lm"], "--function goes with --from-package"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    refused = mc(tmp_path, "new", *arguments)
    assert refused.returncode == 4 and told in refused.stderr and len(refused.stderr.splitlines()) == 1, refused
    assert not list(tmp_path.iterdir())

"""The R package `statsclaw` is built and checked as CRAN does, and its tests drive this engine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("R") is None, reason="needs R")]


def test_the_r_package_is_checked_without_errors_warnings_or_notes(tmp_path: Path) -> None:
    engine = Path(sys.executable).parent / "statsclaw"
    environment = {
        **os.environ,
        "STATSCLAW": str(engine),
        "_R_CHECK_SYSTEM_CLOCK_": "0",  # asks a server
    }

    def r(*words: str) -> str:
        command = ["R", "CMD", *words]
        ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=1800)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    r("build", "--no-manual", str(ROOT / "r"))
    said = r("check", "--no-manual", *[path.name for path in tmp_path.glob("statsclaw_*.tar.gz")])
    assert re.search(r"^Status: OK$", said, re.M), said
    tests = (tmp_path / "statsclaw.Rcheck/tests/testthat.Rout").read_text()
    assert "FAIL 0" in tests and "SKIP 0" in tests, tests


def test_every_function_of_the_package_is_documented_with_its_arguments() -> None:
    exported = re.findall(r"^export\((\w+)\)", (ROOT / "r/NAMESPACE").read_text(), re.M)
    readme = (ROOT / "docs/how-to/study-in-r.md").read_text()
    for name in exported:
        assert (ROOT / f"r/man/{name}.Rd").is_file(), name
        assert name in readme, name

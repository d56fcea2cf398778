"""Julia and Stata, on a machine that has neither."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.engine.tools import missing_programs
from statsclaw.errors import MachineRefused
from statsclaw.profiles.profile import load_profile
from statsclaw.ui.cli import app
from tests.languages.packages import HERE
from tests.languages.runs import make_repository
from tests.languages.stand_ins import stand_in, without
from tests.support.runs import Bench, order_for

INSTALLS = {
    "julia": "curl -fsSL https://install.julialang.org | sh",
    "stata": "ln -s /usr/local/stata18/stata-mp /usr/local/bin/stata",
}


@pytest.fixture(autouse=True, params=INSTALLS)
def program(request: pytest.FixtureRequest, tmp_path: Path):
    with without(request.param, tmp_path):
        if missing_programs(load_profile(request.param), (request.param,)) != (request.param,):
            pytest.skip(f"{request.param} is installed with the system")
        yield request.param


def test_the_list_of_languages_says_what_is_missing_and_how_to_get_it(program: str) -> None:
    rows = {row["id"]: row for row in json.loads(CliRunner().invoke(app, ["languages", "--json"]).output)}
    assert rows[program]["missing"] == [program] and not rows[program]["contract"]
    assert rows[program]["worker"] == "automatic"
    said = CliRunner().invoke(app, ["languages"]).output
    assert f"{load_profile(program).name}: {load_profile(program).missing_tool}" in said
    assert INSTALLS[program] in said


def test_with_a_stand_in_nothing_is_missing(program: str, tmp_path: Path) -> None:
    with stand_in(program, tmp_path):
        rows = {row["id"]: row for row in json.loads(CliRunner().invoke(app, ["languages", "--json"]).output)}
    assert rows[program]["missing"] == [] and rows[program]["contract"] and program in rows[program]["toolchain"]


def test_a_run_is_refused_in_one_line_with_the_command_that_installs_it(program: str, tmp_path: Path) -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    place = HERE / program / "package"
    texts = {path.relative_to(place).as_posix(): path.read_text("utf-8") for path in place.rglob("*") if path.is_file()}
    target = make_repository(tmp_path, "package", texts)
    with pytest.raises(MachineRefused) as found:
        Bench(tmp_path).start(order_for(target, workflow="full", profile=program))
    line = found.value.line()
    begun = (
        f"{load_profile(program).name} packages cannot be built here: {program} not found. Nothing was started. Fix: "
    )
    assert line.startswith(begun) and INSTALLS[program] in line and len(line.splitlines()) == 1

"""A new language is a profile and one module: here they lie in a temporary folder, and nothing else is touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.languages import can_be_asked, language
from statsclaw.languages.registry import language as cached
from statsclaw.profiles import profile
from statsclaw.profiles.profile import add_languages, load_profile, profile_ids
from tests.languages.runs import Objection, play, verdicts

TOY = Path(__file__).parent / "toy"
EMPTY = {"package.calc": "nothing(x) = 0\n", "LICENSE": "MIT\n"}


@pytest.fixture
def calc(tmp_path: Path) -> Iterator[None]:
    shutil.copytree(TOY / "language", tmp_path / "languages")
    add_languages(tmp_path / "languages")
    cached.cache_clear()
    yield
    profile._FURTHER.clear()
    load_profile.cache_clear()
    cached.cache_clear()


def test_its_profile_and_its_worker_are_found(calc):
    assert "calc" in profile_ids() and load_profile("calc").name == "Calc"
    assert can_be_asked("calc") and language("calc") is not None and not can_be_asked("cobol")


def test_a_profile_of_that_id_in_a_folder_changes_no_language_of_the_program(calc, tmp_path: Path):
    text = (tmp_path / "languages" / "calc.toml").read_text(encoding="utf-8").replace('"calc"', '"r"')
    (tmp_path / "languages" / "r.toml").write_text(text, encoding="utf-8")
    (tmp_path / "languages" / "r.py").write_text("LANGUAGE = None\n", encoding="utf-8")
    load_profile.cache_clear()
    cached.cache_clear()
    assert load_profile("r").name == "R" and language("r") is not None


def test_the_command_line_knows_it_by_the_environment(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-m", "statsclaw", "languages", "--json"], capture_output=True, text=True, check=True,
        env=os.environ | {"STATSCLAW_LANGUAGES": str(TOY / "language")},
    )  # fmt: skip
    (row,) = (row for row in json.loads(done.stdout) if row["id"] == "calc")
    assert row["contract"] and row["worker"] == "automatic"
    refused = subprocess.run(
        [sys.executable, "-m", "statsclaw", "languages"], capture_output=True, text=True, check=False,
        env=os.environ | {"STATSCLAW_LANGUAGES": str(tmp_path / "nowhere")},
    )  # fmt: skip
    assert refused.returncode == 4 and "which is no folder" in refused.stderr


@pytest.mark.slow
def test_a_run_in_it_ships_with_every_criterion_met(calc, tmp_path: Path):
    view = play(tmp_path, TOY / "material", "calc", EMPTY)
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert verdicts(view) == {"C1": "PASS", "C2": "PASS", "C3": "PASS"}


@pytest.mark.slow
def test_a_wrong_divisor_is_sent_back_by_its_criterion(calc, tmp_path: Path):
    material = tmp_path / "material"
    shutil.copytree(TOY / "material", material)
    source = material / "builder" / "package.calc"
    source.write_text(source.read_text(encoding="utf-8").replace("(len(x) - 1)", "len(x)"), encoding="utf-8")
    with pytest.raises(Objection) as found:
        play(tmp_path, material, "calc", EMPTY)
    assert verdicts(found.value.view) == {"C1": "PASS", "C2": "FAIL", "C3": "PASS"}

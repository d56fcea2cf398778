"""A short command imports what it uses and no more: most of its time would go into that. Seen by what is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from statsclaw.ui.cli import app
from statsclaw.ui.groups import LazyGroup

STUDY = """
from statsclaw.montecarlo import Criterion, Estimate, Study
def dgp(cell, rng):
    return rng.normal(size=20)
def mean(data, cell):
    return {"mu": Estimate(data.mean(), data.std())}
criteria = [Criterion("C1", "bias", "mean", "mu", low=-1.0, high=1.0)]
study = Study("light", {}, {"mean": mean}, {"mu": 0.0}, 10, 1, dgp=dgp, criteria=criteria)
"""
RUN = """
import sys
from statsclaw.ui.cli import main
sys.argv[0] = "statsclaw"
try:
    main()
except SystemExit:
    print("LOADED", *sorted(sys.modules))
"""
#: What only runs with roles need: the engine with everything below it.
OF_RUNS = {"statsclaw.engine", "statsclaw.runlog", "statsclaw.backends", "statsclaw.sources", "statsclaw.specs"}


def loaded(*argv: str, cwd: Path | None = None) -> set[str]:
    done = subprocess.run([sys.executable, "-c", RUN, *argv], cwd=cwd, capture_output=True, text=True)
    last = done.stdout.splitlines()[-1].split()
    assert last[0] == "LOADED", done.stdout + done.stderr
    return set(last[1:])


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["mc", "--help"], ["log", "--help"]], ids=" ".join)
def test_what_only_tells_something_imports_no_command(argv):
    there = loaded(*argv)
    assert not there & (OF_RUNS | {"numpy", "statsclaw.ui.run_commands", "statsclaw.ui.mc_commands"})


def test_a_study_with_criteria_that_is_run_imports_neither_the_engine_nor_scipy_nor_pandas(tmp_path):
    (tmp_path / "study.py").write_text(STUDY)
    there = loaded("mc", "run", "study.py", "--workers", "1", "--quiet", cwd=tmp_path)
    assert not there & (OF_RUNS | {"scipy.special", "pandas", "matplotlib", "pyarrow.dataset"})
    assert (tmp_path / "study.results").is_dir()


def _each(group: LazyGroup):
    for entry in group.entries:
        command = group.commands[entry.name]
        yield entry, command
        if isinstance(command, LazyGroup):
            yield from _each(command)


def test_the_table_says_of_every_command_what_its_function_says():
    for entry, command in _each(typer.main.get_command(app)):
        assert command.name == entry.name
        assert (command.help or "").split("\n\n")[0].replace("\n", " ") == entry.help

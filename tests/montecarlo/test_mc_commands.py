"""`statsclaw mc` as a person uses it."""

from __future__ import annotations

import io
import json
import os
import pty
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from statsclaw.ui import cli

SMALL = ["--replications", "20", "--workers", "1"]


@dataclass
class Said:
    returncode: object
    stdout: str
    stderr: str


def mc(folder: Path, *arguments: str) -> Said:
    """The command in this process, as `main` runs it."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["statsclaw", "mc", *arguments])
        code = cli._run()
    return Said(code or 0, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mc")
    assert mc(folder, "new").returncode == 0
    ran = mc(folder, "run", "study.py", "--events", "events.jsonl", "--workers", "2")
    assert ran.returncode == 0, ran.stderr
    assert "6 cells × 1,000 replications × 2 methods" in ran.stdout and "study.results" in ran.stdout
    assert ran.stderr == "" and len(ran.stdout.splitlines()) == 3
    return folder


def test_the_skeleton_runs_as_it_is_and_events_are_written(done: Path) -> None:
    events = [json.loads(line) for line in (done / "events.jsonl").read_text().splitlines()]
    assert events[0]["kind"] == "started" and events[-1]["kind"] == "ended"
    assert sum(event["count"] for event in events if event["kind"] == "batch_stored") == 6000


def test_a_second_run_has_nothing_to_do(done: Path) -> None:
    assert "6,000 replications, 0 of them now" in mc(done, "run", "study.py").stdout


def test_status_says_where_it_stands(done: Path) -> None:
    said = mc(done, "status", "study.py")
    assert said.returncode == 0 and "n=320,errors=t5" in said.stdout and "1,000" in said.stdout
    found = json.loads(mc(done, "status", "study.py", "--json").stdout)
    assert found["left"] == 0 and len(found["cells"]) == 6 and not found["running"] and not found["changed"]


def test_status_before_a_run_and_after_a_change(done: Path, tmp_path: Path) -> None:
    assert mc(tmp_path, "new", "other.py").returncode == 0
    assert "compute 6,000 replications: statsclaw mc run other.py" in mc(tmp_path, "status", "other.py").stdout
    shutil.copytree(done / "study.results", tmp_path / "other.results")
    text = (tmp_path / "other.py").read_text()
    (tmp_path / "other.py").write_text(text.replace("seed=20240501", "seed=1"))
    assert "seed 20240501 → 1" in mc(tmp_path, "status", "other.py").stdout
    refused = mc(tmp_path, "run", "other.py")
    assert refused.returncode == 4 and len(refused.stderr.splitlines()) == 1 and "--apart" in refused.stderr
    assert mc(tmp_path, "run", "other.py", "--apart", *SMALL).returncode == 0


def test_replay_says_that_it_is_identical(done: Path) -> None:
    said = mc(done, "replay", "study.py", "--cell", "n=20,errors=t5", "--rep", "17")
    assert said.returncode == 0 and said.stdout.count("identical to what is stored, bit for bit") == 2


def test_summary_verdict_plan_and_figures(done: Path) -> None:
    table = mc(done, "summary", "study.py", "--format", "csv")
    assert table.returncode == 0 and "coverage" in table.stdout
    verdict = mc(done, "verdict", "study.py")
    assert verdict.returncode in (0, 5) and "coverage of mu by mean" in verdict.stdout
    assert json.loads(mc(done, "verdict", "study.py", "--json").stdout)["criteria"][0]["id"] == "coverage"
    assert "literal" in mc(done, "plan", "study.py").stdout
    figures = mc(done, "figures", "study.py", "--format", "svg", "--folder", "drawn")
    assert figures.returncode == 0 and all(Path(done / line).is_file() for line in figures.stdout.splitlines())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "not_there.py"], 4, "there is no study file"),
        (["run", "study.txt"], 4, "there is no study file"),
        (["run", "broken.py"], 4, "line 1"),
        (["run", "study.py", "-r", "0"], 4, "replications"),
        (["run", "study.py", "--events", "no/where"], 4, "cannot be written"),
        (["summary", "fresh.py"], 4, "there are no results"),
        (["summary", "study.py", "--format", "xml"], 4, "text, markdown, latex, csv"),
        (["replay", "study.py", "--cell", "n=3", "--rep", "1"], 4, "names no cell"),
        (["new", "study.py"], 4, "is there already"),
        (["verdict", "bare.py"], 4, "no criteria"),
    ],
)
def test_a_persons_mistake_is_one_line(done: Path, arguments: list[str], code: int, said: str) -> None:
    (done / "broken.py").write_text("study = (")
    text = (done / "study.py").read_text()
    (done / "fresh.py").write_text(text)
    (done / "bare.py").write_text(text.partition("    criteria=[")[0] + ")\n")
    found = mc(done, *arguments)
    assert found.returncode == code and said in found.stderr, found
    assert len(found.stderr.splitlines()) == 1 and "Traceback" not in found.stderr


def test_a_study_in_r_is_written_as_a_pair(tmp_path: Path) -> None:
    assert mc(tmp_path, "new", "--r", "probit.toml").returncode == 0
    assert "probit.toml" in (tmp_path / "probit.R").read_text() and "probit.R" in (tmp_path / "probit.toml").read_text()
    if shutil.which("Rscript"):
        ran = mc(tmp_path, "run", "probit.toml", *SMALL)
        assert ran.returncode == 0 and "120 replications" in ran.stdout


def test_on_a_terminal_progress_is_shown(done: Path, tmp_path: Path) -> None:
    text = (done / "study.py").read_text()
    slow = text.replace("def median(data, cell):", "def median(data, cell):\n    import time; time.sleep(0.002)")
    (tmp_path / "study.py").write_text(slow)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "statsclaw", "mc", "run", "study.py", "-r", "150"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert "of 900 replications" in said.decode() and "replications/s" in said.decode()


def test_quiet_says_nothing(done: Path) -> None:
    ran = mc(done, "run", "study.py", "--quiet")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")

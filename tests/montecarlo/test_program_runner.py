"""Studies in any language: commands that do what they should, and commands that do anything else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from statsclaw.montecarlo.batch import Batch, Status, Task
from statsclaw.montecarlo.design import Program, Study, StudyRefused
from statsclaw.montecarlo.programs.command import seed_of
from statsclaw.montecarlo.programs.process import ProgramProcess
from statsclaw.montecarlo.programs.runner import ProgramRunner
from statsclaw.montecarlo.programs.study_file import load_study_file
from statsclaw.montecarlo.streams import stream_key

OK, EXCEPTION, NOT_FINITE, NOT_CONVERGED, TIMEOUT, DIED, NO_DATA = (int(status) for status in Status)
ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "reference" / "study-protocol.md"
#: A program that answers replication k by the expression at place k, and well where there is none.
PROGRAM = """
import json, os, sys, time
sys.stdin.readline()
answer = lambda k: {{"m": {{"estimates": {{"mu": {{"estimate": 1.0 + k}}}}, "seconds": 0.5}}}}
fine = lambda k: json.dumps({{"replication": k, "methods": answer(k)}})
say = lambda text: (sys.stdout.write(text), sys.stdout.flush())
for line in sys.stdin:
    b = json.loads(line)
    for k in range(b["first"], b["first"] + b["count"]):
        {body}
        say(fine(k) + "\\n")
"""


def study(*argv: str, **more: object) -> Study:
    settings = {"grid": {"n": [5]}, "truth": {"mu": 0.0}, "replications": 10, "seed": 3, "methods": ("m",), **more}
    return Study(name="t", program=Program("command", argv), **settings)  # type: ignore[arg-type]


def program(body: str, **more: object) -> Study:
    return study(sys.executable, "-c", PROGRAM.format(body=body), **more)


def run(of: Study, count: int = 3, first: int = 0) -> Batch:
    runner = ProgramRunner(of)
    try:
        return runner.run(Task(0, first, count), lambda at: None)
    finally:
        runner.close()


def from_the_docs(folder: Path) -> Study:
    blocks = re.findall(r"```(\w+)\n(.*?)```", DOC.read_text(encoding="utf-8"), flags=re.DOTALL)
    (folder / "simulate").write_text(next(text for kind, text in reversed(blocks) if kind == "python"))
    (folder / "simulate").chmod(0o755)
    (folder / "parameters.json").write_text("{}")
    (folder / "study.toml").write_text(next(text for kind, text in blocks if kind == "toml"), encoding="utf-8")
    return load_study_file(folder / "study.toml")


def test_the_documented_example_runs_and_is_right(tmp_path: Path) -> None:
    of = from_the_docs(tmp_path)
    batch = run(of, 400)
    rows = batch.methods["mean"]
    assert rows.status.tolist() == [OK] * 400 and not rows.problems
    # the mean of 50 exponentials: mean 1, variance 1/50; the median too, over log 2, is consistent
    assert abs(rows.columns["mu.estimate"].mean() - 1) < 4 / np.sqrt(50 * 400)
    assert abs(batch.methods["median"].columns["mu.estimate"].mean() - 1) < 0.1
    assert of.program is not None and {file.name for file in of.program.files} == {"simulate", "parameters.json"}


def test_results_do_not_depend_on_batches(tmp_path: Path) -> None:
    of = from_the_docs(tmp_path)
    whole = run(of, 6).methods["mean"].columns["mu.estimate"]
    parts = [run(of, 2, first).methods["mean"].columns["mu.estimate"] for first in (4, 0, 2)]
    np.testing.assert_array_equal(whole, np.concatenate([parts[1], parts[2], parts[0]]))


def test_seeds_differ_by_purpose_cell_and_replication() -> None:
    seeds = {
        seed_of(stream_key(3, {"n": n}, purpose), at)
        for n in (5, 6)
        for purpose in ("data", "method:m")
        for at in range(100)
    }
    assert len(seeds) == 400 and all(0 <= seed < 2**64 for seed in seeds)


CASES = {
    'say("hello\\n")': (EXCEPTION, "'hello', which is not JSON"),
    'say("[]\\n")': (EXCEPTION, "not an answer"),
    'say("\\n")': (EXCEPTION, "not JSON"),
    'say(fine(k + 7) + "\\n")': (EXCEPTION, "for replication 8 instead of 1"),
    'say(json.dumps({"replication": k, "methods": {}}) + "\\n")': (EXCEPTION, "methods none instead of m"),
    'say(fine(k).replace("seconds", "sekunden") + "\\n")': (EXCEPTION, "methods.m.sekunden"),
    'say(fine(k).replace("2.0", "\\"x\\"") + "\\n")': (EXCEPTION, "valid number"),
    'say(fine(k).replace("2.0", "NaN") + "\\n"); continue': (NOT_FINITE, "mu.estimate is nan"),
    'say(fine(k).replace("2.0", "null") + "\\n"); continue': (NOT_FINITE, "mu.estimate is nan"),
    'say(fine(k)[:-2] + ", \\"x\\": 1}}\\n")': (EXCEPTION, "not an answer"),
    'say(json.dumps({"replication": k, "error": "no rain"}) + "\\n"); continue': (NO_DATA, "no rain"),
    'say(json.dumps({"replication": k, "methods": {"m": {"error": "singular"}}}) + "\\n"); continue': (
        EXCEPTION,
        "singular",
    ),
    'say(json.dumps({"replication": k, "methods": {"m": {"converged": False}}}) + "\\n"); continue': (
        NOT_CONVERGED,
        "converge",
    ),
    'sys.stderr.write("last words"); sys.stderr.flush(); os._exit(3)': (DIED, "exit status 3"),
    "os.kill(os.getpid(), 11)": (DIED, "SIGSEGV"),
    "os.close(1); time.sleep(60)": (DIED, "closed its output"),
    'say(" " * (2 << 20)); time.sleep(60)': (EXCEPTION, "without the end of a line"),
    "time.sleep(60)": (TIMEOUT, "was killed"),
    "while True: say(' '); time.sleep(0.05)": (TIMEOUT, "was killed"),
    'say(bytes(range(128, 256)).decode("latin-1") + "\\n")': (EXCEPTION, "not JSON"),
    'say("[" * 100000 + "\\n")': (EXCEPTION, ""),
}


@pytest.mark.parametrize("body", CASES)
def test_an_absurd_answer_costs_one_replication(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statsclaw.montecarlo.programs.command.MOST_LINE", 1 << 20)
    monkeypatch.setattr("statsclaw.montecarlo.programs.runner.GRACE_S", 0.3)
    status, text = CASES[body]
    batch = run(program(f"if k == 1:\n            {body}", timeout=0.2))
    rows = batch.methods["m"]
    assert rows.status.tolist() == [OK, status, OK], rows.problems
    assert text in rows.problems[1]
    np.testing.assert_array_equal(rows.columns["mu.estimate"], [1.0, np.nan, 3.0])


def test_a_dead_program_leaves_its_standard_error() -> None:
    rows = run(program('sys.stderr.write(f"words {k} "); sys.stderr.flush(); k == 1 and os._exit(3)')).methods["m"]
    assert rows.status.tolist() == [OK, DIED, OK] and "words 1" in rows.problems[1] and "words 2" in rows.problems[2]


def test_draws_scalars_and_warnings() -> None:
    answer = (
        '{"estimates": {"mu": {"draws": [1, 2, 3, 4, 5, 6, 7, 8]}}, "scalars": {"rate": 0.5}, "warnings": ["hm", "hm"]}'
    )
    body = f'say(json.dumps({{"replication": k, "methods": {{"m": {answer}}}}}) + "\\n"); continue'
    rows = run(program(body)).methods["m"]
    assert rows.status.tolist() == [OK] * 3 and rows.warnings.tolist() == [2] * 3 and "hm" in rows.problems[0]
    assert rows.columns["mu.estimate"].tolist() == [4.5] * 3 and rows.columns["rate"].tolist() == [0.5] * 3
    assert np.isnan(rows.seconds).all()


@pytest.mark.parametrize("argv", [("cat",), ("true",), ("yes",), ("head", "-c", "100000000", "/dev/zero")])
def test_programs_that_know_nothing_of_studies(argv: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statsclaw.montecarlo.programs.command.MOST_LINE", 1 << 20)
    rows = run(study(*argv, timeout=0.2), count=2).methods["m"]
    assert set(rows.status.tolist()) <= {EXCEPTION, DIED} and len(rows.problems) == 2


def test_a_program_that_never_reads_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statsclaw.montecarlo.programs.runner.GRACE_S", 0.1)
    rows = run(study("sleep", "60", timeout=0.01, methods=("m",)), count=1).methods["m"]
    assert rows.status.tolist() == [TIMEOUT]
    process = ProgramProcess(lambda *_: ("sleep", "60"), folder=None, plain=True)
    with pytest.raises(Exception, match="did not read"):
        process.say(b"x" * (4 << 20), 0.2)
    process.close()


@pytest.mark.parametrize("argv", [("./no-such-program",), ("/etc/passwd",), ("/",)])
def test_a_program_that_cannot_be_started_is_one_line(argv: tuple[str, ...]) -> None:
    with pytest.raises(StudyRefused, match="cannot be started") as refused:
        ProgramRunner(study(*argv))
    assert "\n" not in str(refused.value)


def test_what_a_program_started_ends_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    body = f'import subprocess; open({str(pid_file)!r}, "w").write(str(subprocess.Popen(["sleep", "60"]).pid))'
    run(program(body), count=1)
    assert _ends(int(pid_file.read_text()))


def _ends(pid: int) -> bool:
    """Within ten seconds."""
    until = time.monotonic() + 10
    while _is_running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_threads_of_the_program_are_limited() -> None:
    threads = 'os.environ["OPENBLAS_NUM_THREADS"] + os.environ["OMP_NUM_THREADS"]'
    body = f'say(fine(k).replace(str(1.0 + k), {threads}) + "\\n"); continue'
    assert run(program(body), count=1).methods["m"].columns["mu.estimate"].tolist() == [11.0]


def test_every_replication_is_announced_before_it_runs() -> None:
    runner, started = ProgramRunner(program("k == 2 and os._exit(1)")), []
    try:
        runner.run(Task(0, 1, 4), started.append)
    finally:
        runner.close()
    assert started == [1, 2, 3, 4]


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(3):
        run(program("k == 1 and os._exit(1)"))
    assert len(os.listdir("/proc/self/fd")) == before and not list(tmp_path.iterdir())  # noqa: PTH208


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_program_does_not_outlive_a_worker_that_is_killed(tmp_path: Path) -> None:
    code = (
        "from tests.montecarlo.test_program_runner import *\n"
        "runner = ProgramRunner(study('sleep', '60'))\n"
        "print(runner._conversation._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        assert _is_running(pid)
        worker.kill()
    assert _ends(pid)

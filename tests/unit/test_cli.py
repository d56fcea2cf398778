"""The command line as a person meets it: real processes, exit codes as documented, one line per mistake."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.git import git, own_environment
from statsclaw.runlog import chain
from statsclaw.runlog.log import EVENTS, RunLog, read_view, verify
from statsclaw.ui.exit_codes import EXIT_CODES
from statsclaw.workspace.layout import RunFolder, Workspace
from tests.support.runs import AGENT, Bench, make_target, order_for

ENTRY = Path(sys.executable).parent / "statsclaw"
CLI = [str(ENTRY)] if ENTRY.exists() else [sys.executable, "-c", "from statsclaw.ui.cli import main; main()"]
RUN = "recorded-0001"
SLOW = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); time.sleep(60)"


class Desk:
    """A workspace, and a person who types commands."""

    def __init__(self, workspace: Path, cache: Path) -> None:
        self.workspace, self.cache = workspace, cache

    def env(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return kept | {
            "STATSCLAW_WORKSPACE": str(self.workspace),
            "XDG_CACHE_HOME": str(self.cache),
            "COLUMNS": "160",
            **more,
        }

    def type(self, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*CLI, *argv], capture_output=True, text=True, env=self.env(**env), timeout=120, stdin=subprocess.DEVNULL
        )

    def runs(self) -> list[RunFolder]:
        return list(Workspace(self.workspace).runs())


@pytest.fixture(scope="session")
def finished(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The workspace of a finished run; only to be looked at."""
    return Desk(recorded.parents[2], tmp_path_factory.mktemp("cache"))


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Desk:
    """A copy of it, to be spoilt."""
    shutil.copytree(recorded.parents[2], tmp_path / "copied", symlinks=True, ignore=sockets)
    return Desk(tmp_path / "copied", tmp_path / "cache")


def sockets(folder: str, names: list[str]) -> list[str]:
    """What cannot be copied: the door behind which a package was judged."""
    return [name for name in names if Path(folder, name).is_socket()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "workspace", tmp_path / "cache")


def said_once(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line on stderr of a command that ended with `code`."""
    assert done.returncode == code, (done.returncode, done.stderr, done.stdout)
    assert "Traceback" not in done.stderr + done.stdout
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: ")
    return done.stderr


# --- looking at a finished run ---------------------------------------------------------------------------------------

LOOKING = {
    "list": ((), [RUN, "DONE (shipped)", "PASS"]),
    "show": (
        (RUN,),
        ["DONE (shipped)", "planner-2", "BLOCK", "fewer than two numbers", "approve (default)", "shipped"],
    ),
    "artifacts": ((RUN,), ["credentials.md", "review.md", "reviewer", "shipper.md"]),
    "artifacts audit.md": (
        (RUN, "audit.md"),
        ["# Audit", "PASS", "mean_of_drawn_numbers", "| M1 |", "9 criteria: "],
    ),
    "review-comprehension": ((RUN,), ["notes.md(4)", "fewer than two numbers", "Approved (unattended, by --yes)"]),
    "log verify": ((RUN,), ["lines verified", "intact"]),
    "log show": ((RUN,), ["run_created", "run_finished"]),
    "prompts --count": ((), ["monte-carlo", "together", "planner"]),
    "prompts show": (("builder", "--run", RUN), ["# You are the builder", "--- in/", "--- repo/", "spec.md"]),
    "route": (("Fix the bug in the mean and ship it",), ["fix-and-ship", "runner-up", "because of"]),
    "doctor": ((), ["git", "Python", "workspace:"]),
    "transcript": ((RUN, "builder"), ["builder-2", "finished"]),
    "--version": ((), ["statsclaw "]),
    "--help": ((), ["Usage", "resume", "Exit status"]),
}


@pytest.mark.parametrize("name", LOOKING)
def test_a_finished_run_can_be_looked_at_with(name: str, finished: Desk) -> None:
    rest, words = LOOKING[name]
    command = name.split()[:1] if name == "artifacts audit.md" else name.split()
    done = finished.type(*command, *rest)
    assert (done.returncode, done.stderr) == (0, "")
    assert [word for word in words if word not in done.stdout] == []


def test_looking_changes_nothing_in_a_run(copied: Desk) -> None:
    def state() -> dict[str, str]:
        skipped = ("summary.json", "lock")
        files = [p for p in sorted(copied.workspace.rglob("*")) if p.is_file() and p.name not in skipped]
        return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    before = state()
    for argv in (("list",), ("show", RUN), ("artifacts", RUN), ("log", "verify", RUN), ("resume", RUN)):
        assert copied.type(*argv).returncode == 0
    assert state() == before


@pytest.mark.parametrize(
    "argv", [("list",), ("show", RUN), ("route", "Fix the bug and ship it")], ids=["list", "show", "route"]
)
def test_json_for_programs_is_json_and_nothing_else(argv: tuple[str, ...], finished: Desk) -> None:
    done = finished.type(*argv, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    if argv[0] == "show":
        assert found["outcome"] == "shipped" and found["attempts"] == {"BLOCK/validation": 1}
        assert found["state"] == "DONE" and found["open_questions"] == [] and found["waiting"] == []
    elif argv[0] == "list":
        assert [row["run"] for row in found] == [RUN]
    else:
        assert found["workflow"] == "fix-and-ship" and found["ship"] is True


@pytest.mark.parametrize("text", ["[]", "{", "null", '{"head": "{head}"}'], ids=["list", "torn", "null", "empty"])
def test_a_spoilt_summary_beside_a_run_is_made_anew(text: str, copied: Desk) -> None:
    (run,) = copied.runs()
    (run.path / "summary.json").write_text(text.replace("{head}", chain.read(run.path / EVENTS).last_hash))
    done = copied.type("list")
    assert (done.returncode, done.stderr) == (0, "") and "DONE (shipped)" in done.stdout


@pytest.mark.parametrize(
    "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"COLUMNS": "20"}, {"TERM": "dumb"}], ids=str
)
def test_a_poor_terminal_is_no_reason_to_fail(env: dict[str, str], finished: Desk) -> None:
    for argv in (("list",), ("show", RUN)):
        done = finished.type(*argv, **env)
        assert done.returncode == 0, done.stderr


def test_without_a_home_or_any_settings_there_are_simply_no_runs(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run([*CLI, "list"], capture_output=True, text=True, env=env)
    assert done.returncode == 0 and "no runs in" in done.stdout


# --- exit codes and errors -------------------------------------------------------------------------------------------

WRONG = [
    (4, ("show", "nonsense")),
    (4, ("show", "")),
    (4, ("show", "*")),
    (4, ("show", "no\nsuch\nrun")),
    (4, ("resume", "nonsense")),
    (4, ("answer", RUN, "--choose", "1")),
    (4, ("done", RUN, "wizard")),
    (4, ("artifacts", RUN, "nonsense.md")),
    (4, ("artifacts", RUN, "../events.jsonl")),
    (4, ("transcript", RUN, "wizard")),
    (4, ("log", "verify", "nonsense")),
    (4, ("replay", "nonsense")),
    (4, ("record", RUN, "/tmp")),
    (4, ("review-comprehension", "nonsense")),
    (4, ("amend", RUN, "C1", "tolerance.relative=1e-8")),
    (4, ("amend", RUN, "C1", "tolerance.relative", "--why", "because")),
    (4, ("amend", RUN, "C9", "tolerance.relative=1e-8", "--why", "because")),
    (4, ("amend", RUN, "C1", "tolerance.relative=1e-8", "--why", "it is finished")),
    (4, ("override", RUN, "nonsense", "--why", "because")),
    (4, ("override", RUN, "nonsense")),
    (4, ("prompts",)),
    (4, ("prompts", "--count", "--profile", "cobol")),
    (4, ("prompts", "show", "shipper", "--run", RUN)),
    (4, ("demo", "nonsense")),
    (4, ("run", "", "--target", ".")),
    (4, ("run", "fix", "--target", "no\nsuch\nplace", "--backend", "human")),
    (4, ("run", "fix", "--target", "\x1b[2Jgone", "--backend", "human")),
    (4, ("run", "fix", "--target", ".", "--workflow", "nonsense", "--backend", "human")),
    (4, ("run", "fix", "--target", ".", "--workflow", "full", "--backend", "nonsense")),
    (4, ("run", "fix", "--target", ".", "--workflow", "full", "--backend", "replay")),
    (4, ("run", "fix", "--target", ".", "--workflow", "full", "--role-backend", "builder")),
    (4, ("run", "fix", "--target", ".", "--workflow", "full", "--role-backend", "wizard=human")),
    (4, ("run", "fix", "--target", ".", "--workflow", "issue-patrol", "--backend", "human")),
    (4, ("run", "fix", "--target", ".", "--workflow", "loop", "--backend", "human")),
    (4, ("run", "fix", "--target", ".", "--answers", "/nonexistent.toml", "--backend", "human")),
    (8, ("run", "check", "--target", "{target}", "--workflow", "validate", "--workspace", "/dev/null/x")),
]


@pytest.fixture(scope="session")
def shared_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_target(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize(
    ("code", "argv"), WRONG, ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else ""
)
def test_a_mistake_is_one_line_and_its_own_exit_code(
    code: int, argv: tuple[str, ...], finished: Desk, shared_target: Path
) -> None:
    before = len(finished.runs())
    line = said_once(finished.type(*(part.replace("{target}", str(shared_target)) for part in argv)), code)
    assert line.rstrip("\n").isprintable()
    assert len(finished.runs()) == before


@pytest.mark.parametrize(
    ("option", "near"),
    [("--workflow=validat", "validate"), ("--profile=pyton", "python"), ("--role-backend=testr=human", "tester")],
)
def test_a_name_that_is_mistyped_is_told_the_nearest_one_and_that_nothing_was_started(
    option: str, near: str, desk: Desk, shared_target: Path
) -> None:
    line = said_once(desk.type("run", "fix", "--target", str(shared_target), "--workflow=validate", option), 4)
    assert "Nothing was started." in line and f"Fix: did you mean {near}? choose one of " in line


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("nonsense",), "error: No such command 'nonsense'. Fix: see `statsclaw --help`."),
        (("mc", "sumary"), "error: No such command 'sumary'. Did you mean 'summary'? Fix: see `statsclaw mc --help`."),
        (("run",), "see `statsclaw run --help`."),
        (("run", "fix"), "see `statsclaw run --help`."),
        (("list", "--nonsense"), "error: No such option: --nonsense"),
        (("mc", "run", "s.py", "--replicatons", "5"), "--replications"),
        (("mc", "run", "s.py", "-w", "0"), "error: Invalid value for '--workers' / '-w': "),
        (("answer", "x", "--choose", "a"), "error: Invalid value for '--choose': "),
        (("log", "x"), "error: No such command 'x'. Fix: see `statsclaw log --help`."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_one_line_with_exit_code_two(argv: tuple[str, ...], said: str, finished: Desk) -> None:
    assert said in said_once(finished.type(*argv), 2)


def test_a_fault_of_our_own_is_one_line_and_its_traceback_is_kept(tmp_path: Path) -> None:
    code = "from statsclaw.ui import cli\ndef app(): 1 / 0\ncli.app = app\ncli.main()"
    env = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 1 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and "ZeroDivisionError" in done.stderr
    (kept,) = (tmp_path / "statsclaw" / "errors").iterdir()
    assert str(kept) in done.stderr and "Traceback" in kept.read_text()


def test_every_exit_code_that_is_documented_is_shown_in_the_help(finished: Desk) -> None:
    text = " ".join(finished.type("--help", COLUMNS="1000").stdout.split())
    assert [code for code, meaning in EXIT_CODES.items() if f"{code} {meaning}" not in text] == []


def test_a_run_that_waits_ends_with_three_and_says_how_to_go_on(desk: Desk, shared_target: Path) -> None:
    done = desk.type("run", "Check it.", "--workflow", "validate", "--target", str(shared_target), "--backend", "human")
    assert done.returncode == 3 and done.stderr == ""
    (run,) = desk.runs()
    assert f"statsclaw resume {run.id}" in done.stdout and "waits for the tester" in done.stdout
    assert desk.type("resume", run.id).returncode == 3


def test_a_run_that_finds_faults_ends_with_five(desk: Desk, tmp_path: Path) -> None:
    target = make_target(tmp_path)
    (target / "tests" / "validation").mkdir(parents=True)
    (target / "tests" / "validation" / "test_it.py").write_text("def test_it():\n    assert False\n")
    git("add", "--all", cwd=target, env=own_environment())
    git("commit", "--quiet", "-m", "more", cwd=target, env=own_environment())
    done = desk.type("run", "Check it.", "--workflow", "validate", "--target", str(target))
    assert (done.returncode, done.stderr) == (5, "") and "verification failed: validation" in done.stdout
    (run,) = desk.runs()
    assert desk.type("resume", run.id).returncode == 5, "the verdict does not change by looking again"
    assert "did not pass" in desk.type("list").stdout


def test_a_run_of_which_another_process_is_alive_is_refused_with_six_and_left_as_it_is(copied: Desk) -> None:
    (run,) = copied.runs()
    before = (run.path / EVENTS).read_bytes()
    with RunLog.open(run.path):
        assert f"pid {os.getpid()}" in said_once(copied.type("resume", RUN), 6)
        said_once(copied.type("log", "repair", RUN), 6)
        shown = copied.type("show", RUN)
        assert shown.returncode == 0 and "A process is working on this run now." in shown.stdout
    assert (run.path / EVENTS).read_bytes() == before


def test_who_is_refused_because_the_run_is_alive_has_not_changed_who_plays_its_roles(copied: Desk) -> None:
    (run,) = copied.runs()
    before = run.local.read_bytes()
    with RunLog.open(run.path):
        said_once(copied.type("resume", RUN, "--backend", "human"), 6)
    assert run.local.read_bytes() == before


@pytest.mark.parametrize(
    "argv",
    [("--backend", "nonsense"), ("--role-backend", "wizard=human"), ("--backend", "command:/nonexistent/x")],
    ids=" ".join,
)
def test_a_backend_that_is_not_known_is_refused_on_resume_and_not_remembered(
    argv: tuple[str, ...], tmp_path: Path, desk: Desk
) -> None:
    order = order_for(make_target(tmp_path), "human", workflow="validate", local_only=True, run_id="wait-0001")
    Bench(tmp_path).start(order)
    (run,) = desk.runs()
    before = run.local.read_bytes()
    said_once(desk.type("resume", "wait-0001", *argv), 4)
    assert run.local.read_bytes() == before


def test_a_damaged_log_is_named_by_its_line_and_a_cut_one_can_be_repaired_and_resumed(copied: Desk) -> None:
    (run,) = copied.runs()
    lines = (run.path / EVENTS).read_bytes().splitlines(keepends=True)
    (run.path / EVENTS).write_bytes(b"".join([*lines[:9], lines[9].replace(b"PLANNED", b"PLUNDER"), *lines[10:]]))
    for argv in (("log", "verify", RUN), ("show", RUN), ("log", "repair", RUN), ("replay", RUN)):
        assert "line 10 " in said_once(copied.type(*argv), 7)
    (run.path / EVENTS).write_bytes(b"".join(lines[:60]) + lines[60][:50])
    assert "line 61" in said_once(copied.type("log", "verify", RUN), 7)
    line = said_once(copied.type("resume", RUN), 7)
    assert "line 61" in line and "log repair" in line
    repaired = copied.type("log", "repair", RUN)
    assert repaired.returncode == 0 and f"statsclaw resume {RUN}" in repaired.stdout
    assert copied.type("log", "verify", RUN).returncode == 0
    resumed = copied.type("resume", RUN, "--yes")
    assert resumed.returncode == 0, resumed.stderr
    assert read_view(run.path).finished.outcome == "shipped"  # type: ignore[union-attr]


@pytest.mark.parametrize("what", ["document", "file", "output", "prompt"])
def test_a_stored_content_that_was_altered_is_found_by_log_verify(what: str, copied: Desk) -> None:
    (run,) = copied.runs()
    view = read_view(run.path)
    digest = {
        "document": view.artifacts["review.md"].sha256,
        "file": view.overlay["src/tinymean/__init__.py"].sha256,
        "output": next(iter(view.evidence.values())).output_sha256,
        "prompt": view.dispatches["builder-1"].started.prompt_sha256,
    }[what]
    assert digest
    place = run.store / digest[:2] / digest[2:]
    place.write_bytes(place.read_bytes() + b" ")
    assert digest[:12] in said_once(copied.type("log", "verify", RUN), 7)


@pytest.mark.slow
def test_a_replay_gives_the_same_documents_and_on_another_target_ends_with_nine(copied: Desk, tmp_path: Path) -> None:
    recorded = read_view(copied.runs()[0].path)
    done = copied.type("replay", RUN)
    assert (done.returncode, done.stderr) == (0, "")
    again = next(run for run in copied.runs() if run.id != RUN)
    view = read_view(again.path)
    assert view.head.replay_of == RUN and view.tree_sha256 == recorded.tree_sha256 and not view.pushed
    for name in ("comprehension.md", "spec.md", "implementation.md", "audit.md", "ARCHITECTURE.md", "review.md"):
        assert view.artifacts[name].sha256 == recorded.artifacts[name].sha256, name
    assert copied.type("record", RUN, str(tmp_path / "recording")).returncode == 0
    other = make_target(tmp_path)
    (other / "README.md").write_text("# another\n")
    git("commit", "--quiet", "-am", "more", cwd=other, env=own_environment())
    line = said_once(copied.type("replay", str(tmp_path / "recording"), "--target", str(other)), 9)
    assert "planner, attempt 1" in line
    said_once(copied.type("replay", str(tmp_path / "recording")), 4)


# --- a run on the command line ---------------------------------------------------------------------------------------


#: A tester where nothing was specified: it writes what it is told to, and no criterion is frozen.
PLAIN_TESTER = """
import os, pathlib
place = pathlib.Path("tests/validation/test_tinymean.py")
place.parent.mkdir(parents=True, exist_ok=True)
place.write_text("from tinymean import mean\\n\\ndef test_mean_of_constants():\\n    assert mean([3.0, 3.0]) == 3.0\\n")
notes = "# Notes\\n\\n## Suite\\n\\nOne test.\\n\\n## Not tested\\n\\nThe rest.\\n"
pathlib.Path(os.environ["STATSCLAW_OUT"], "audit-notes.md").write_text(notes)
"""


def run_argv(target: Path, backend: str = AGENT) -> tuple[str, ...]:
    tester = f"tester=command:{sys.executable} -I -S -c {shlex.quote(PLAIN_TESTER)}"
    return (
        "run",
        "Fix the mean.",
        "--workflow",
        "quick-fix",
        "--target",
        str(target),
        "--backend",
        backend,
        "--role-backend",
        tester,
        "--local-only",
    )


def test_a_run_in_json_is_one_event_a_line_and_can_be_read_back(desk: Desk, shared_target: Path) -> None:
    done = desk.type(*run_argv(shared_target), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    (run,) = desk.runs()
    records = chain.read(run.path / EVENTS).records
    assert [(row["seq"], row["kind"]) for row in rows] == [(r.seq, r.event.kind) for r in records]
    assert rows[0]["kind"] == "run_created" and rows[-1]["kind"] == "run_finished"
    again = desk.type("resume", run.id, "--json")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_a_refusal_in_json_mode_leaves_standard_output_empty(desk: Desk) -> None:
    done = desk.type("run", "fix", "--target", "/nonexistent", "--json", "--backend", "human")
    said_once(done, 4)
    assert done.stdout == ""


def test_a_loop_ends_after_the_rounds_it_was_given(desk: Desk, shared_target: Path) -> None:
    argv = ("run", "every 1 second, run the tests", "--target", str(shared_target), "--times", "2", "--local-only")
    done = desk.type(*argv, "--workflow", "loop")
    assert done.returncode == 0, done.stderr
    assert len(desk.runs()) == 2


@pytest.fixture
def interrupted(
    desk: Desk, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Desk, float, list[int], int, str]]:
    """A run that is interrupted while something it started is at work: an agent, or a check of the profile."""
    target, pids = make_target(tmp_path), tmp_path / "pids"
    backend = AGENT
    slow = [sys.executable, "-S", "-c", SLOW, str(pids)]
    if request.param == "agent":
        script = tmp_path / "agent.sh"
        waiting = " ".join(f'"{part}"' for part in slow[:3]) + f' "{SLOW}" "{pids}"'
        script.write_text(f"#!/bin/sh\n[ -e {pids} ] || exec {waiting}\nexec {AGENT.removeprefix('command:')}\n")
        script.chmod(0o755)
        backend = f"command:{script}"
    else:
        settings = target / "statsclaw.toml"
        code = (
            f"import os\nif not os.path.exists({str(pids)!r}):\n    import sys; sys.argv.append({str(pids)!r}); {SLOW}"
        )
        argv = json.dumps(["{python}", "-S", "-c", code])
        check = f'\n[[profile.checks]]\nname = "slow"\nparser = "exit"\ntimeout_s = 90\nargv = {argv}\n'
        settings.write_text(settings.read_text().replace("checks = []\n", "") + check)
        git("commit", "--quiet", "-am", "slow", cwd=target, env=own_environment())
    process = subprocess.Popen(
        [*CLI, *run_argv(target, backend), "--unsafe-no-sandbox"],  # it writes its pid outside its room
        env=desk.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        end = time.monotonic() + 20
        while not (pids.exists() and pids.read_text().endswith("\n")):
            assert time.monotonic() < end and process.poll() is None, process.communicate()
            time.sleep(0.02)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        yield desk, time.monotonic() - begun, [int(p) for p in pids.read_text().split()], process.returncode, stderr
    finally:
        process.kill()
        process.wait()
        for pid in map(int, pids.read_text().split()) if pids.exists() else ():
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("interrupted", ["agent", "check"], indirect=True)
def test_control_c_ends_the_run_at_once_with_130_and_it_can_be_resumed(
    interrupted: tuple[Desk, float, list[int], int, str],
) -> None:
    desk, elapsed, pids, code, stderr = interrupted
    assert code == 130 and elapsed < 5 and "Traceback" not in stderr
    end = time.monotonic() + 30
    while any(map(alive, pids)):
        assert time.monotonic() < end, "something it started is left"
        time.sleep(0.02)
    (run,) = desk.runs()
    assert verify(run.path) == read_view(run.path).seq
    done = desk.type("resume", run.id)
    assert done.returncode == 0, done.stderr
    view = read_view(run.path)
    assert view.finished is not None and view.finished.outcome == "done"
    assert not any(key[0] == "FAILED" for key in view.attempts), "an interruption is nobody's failure"


@pytest.mark.parametrize("interrupted", ["agent"], indirect=True)
def test_after_control_c_the_person_is_told_how_to_go_on(interrupted: tuple[Desk, float, list[int], int, str]) -> None:
    stderr = interrupted[-1]
    assert len(stderr.splitlines()) == 1 and "statsclaw resume" in stderr


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


PIPED = [
    ("list",),
    ("show", RUN),
    ("artifacts", RUN),
    ("artifacts", RUN, "audit.md"),
    ("log", "show", RUN),
    ("prompts", "show", "builder", "--run", RUN, "--full"),
    ("show", RUN, "--json"),
]


@pytest.mark.parametrize("argv", PIPED, ids=lambda argv: " ".join(argv))
def test_a_reader_that_goes_away_is_no_reason_to_complain(argv: tuple[str, ...], finished: Desk) -> None:
    """`statsclaw … | head -1`, and the worst case: a reader that is gone before the first byte."""
    read, write = os.pipe()
    os.close(read)
    try:
        gone = subprocess.run([*CLI, *argv], stdout=write, stderr=subprocess.PIPE, env=finished.env(), text=True)
    finally:
        os.close(write)
    assert gone.stderr == ""


def test_head_takes_the_first_line_of_a_long_log_in_silence(finished: Desk) -> None:
    command = f"{' '.join(CLI)} log show {RUN} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=finished.env())
    assert done.stderr == "" and done.stdout.splitlines()[0].split()[0] == "1" and len(done.stdout.splitlines()) == 1


def test_a_run_whose_reader_goes_away_is_quiet_and_can_be_resumed(desk: Desk, shared_target: Path) -> None:
    read, write = os.pipe()
    argv = [*CLI, *run_argv(shared_target), "--json"]
    process = subprocess.Popen(argv, stdout=write, stderr=subprocess.PIPE, env=desk.env(), text=True)
    os.close(write)
    os.read(read, 10)
    os.close(read)
    _, stderr = process.communicate(timeout=30)
    assert stderr == ""
    (run,) = desk.runs()
    assert verify(run.path) > 0
    assert desk.type("resume", run.id).returncode == 0


# --- completion ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_can_be_shown(shell: str, tmp_path: Path) -> None:
    if not ENTRY.exists():
        pytest.skip("the entry point is not installed")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "_STATSCLAW_COMPLETE": f"source_{shell}"}
    done = subprocess.run([str(ENTRY)], capture_output=True, text=True, env=env)
    assert done.returncode == 0 and "_STATSCLAW_COMPLETE" in done.stdout and "statsclaw" in done.stdout


def test_completion_is_offered_and_completes_commands(tmp_path: Path) -> None:
    if not ENTRY.exists():
        pytest.skip("the entry point is not installed")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    shown = subprocess.run(["bash", "-c", f"{ENTRY} --show-completion; true"], capture_output=True, text=True, env=env)
    assert "_STATSCLAW_COMPLETE" in shown.stdout, shown.stderr
    env |= {"_STATSCLAW_COMPLETE": "complete_bash", "COMP_WORDS": "statsclaw re", "COMP_CWORD": "1"}
    completed = subprocess.run([str(ENTRY)], capture_output=True, text=True, env=env)
    assert set(completed.stdout.split()) == {"resume", "replay", "record", "report", "review-comprehension"}


def test_the_workspace_option_wins_over_the_environment(desk: Desk, finished: Desk) -> None:
    done = desk.type("list", "--workspace", str(finished.workspace))
    assert RUN in done.stdout
    assert not desk.workspace.exists(), "looking does not make a workspace"


def test_the_beginning_of_a_name_is_enough_if_it_is_the_only_one(tmp_path: Path, desk: Desk) -> None:
    bench, target = Bench(tmp_path), make_target(tmp_path)
    for name in ("abc-0001", "abd-0001", "abc-00011"):
        bench.start(
            order_for(target, workflow="validate", backends={}, directive="Check.", local_only=True, run_id=name)
        )
    assert desk.type("show", "abd").returncode == 0
    assert desk.type("show", "abc-0001").returncode == 0, "a whole name is never ambiguous"
    assert "several runs start with" in said_once(desk.type("show", "ab"), 4)

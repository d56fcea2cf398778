"""What goes wrong outside: remotes, targets, inputs, other processes, people. Refused in one line, or survived."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.backends.replay import Recording
from statsclaw.engine.people import Unattended, leave_answer, parse_answer, read_answers
from statsclaw.engine.start import Order, clean_directive, start_run
from statsclaw.engine.tools import missing_programs
from statsclaw.errors import InputRefused, MachineRefused, RecordingMissing, RunStopped, StatsClawError
from statsclaw.git import git, git_text, own_environment
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS, RunLog, read_view, verify
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.importer import take_repository
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.tree import Entry
from statsclaw.states import State
from statsclaw.workspace.scrub import Scrubber
from tests.support.runs import AGENT, HONEST, Bench, branches, commits_on, make_target, order_for

SCRIPT = Path(__file__).parent.parent / "support" / "agent.py"
CLI = [sys.executable, "-c", "from statsclaw.ui.cli import main; main()"]
NO_SHIP = "Build the mean estimator of these notes, with a simulation study."
#: Where nobody plans, nothing is frozen, and a suite has no criteria to show anything about.
PLAIN_SUITE = (
    "from tinymean import mean\n\n\ndef test_mean_of_constants_is_the_constant():\n    assert mean([2, 2]) == 2\n"
)


def scripted(folder: Path, code: str = "", after: str = "", flags: tuple[str, ...] = ("--no-hold", "--good")) -> str:
    """A backend that runs `code` (which may end with `over()`), then does what the honest agent does, then `after`."""
    script = folder / f"agent-{hashlib.sha256((code + after).encode()).hexdigest()[:8]}.py"
    script.write_text(
        "import io, json, os, pathlib, runpy, sys, time\n"
        "role, attempt = os.environ['STATSCLAW_ROLE'], int(os.environ['STATSCLAW_ATTEMPT'])\n"
        "out = pathlib.Path(os.environ['STATSCLAW_OUT'])\n"
        "def over(**ending):\n    print(json.dumps(ending))\n    sys.exit(0)\n"
        f"{code}\nsys.argv = ['agent', {str(HONEST)!r}, *{flags!r}]\n"
        "sys.stdin = io.StringIO(sys.stdin.read().partition('## What to hand in')[2].partition('\\n## ')[0])\n"
        f"runpy.run_path({str(SCRIPT)!r})\n"
        "if role == 'tester' and not (out.parent / 'in' / 'test-spec.md').exists():\n"
        f"    pathlib.Path('tests/validation/test_tinymean.py').write_text({PLAIN_SUITE!r})\n{after}\n"
    )
    return f"command:{sys.executable} -I -S {script} {SCRIPT} {HONEST}"  # what is named is shown


def statsclaw(bench: Bench, *argv: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The real entry point, in the workspace of the bench."""
    env = os.environ | {
        "STATSCLAW_WORKSPACE": str(bench.workspace.root),
        "XDG_CACHE_HOME": str(bench.folder / "cache"),
        "COLUMNS": "200",
    }
    return subprocess.run([*prefix, *CLI, *argv], capture_output=True, text=True, env=env, timeout=60)


def commit_all(repo: Path, *, push: bool = False) -> None:
    git("add", "--all", cwd=repo, env=own_environment())
    git("commit", "--quiet", "-m", "more", cwd=repo, env=own_environment())
    if push:
        git("push", "--quiet", "origin", "HEAD:main", cwd=repo, env=own_environment())


def when(state: State, act: Callable[[], object]) -> Callable[[chain.Record, RunView], None]:
    """Do something at the moment a state is entered."""

    def observer(record: chain.Record, view: RunView) -> None:
        if isinstance(record.event, e.StateEntered) and record.event.state is state:
            act()

    return observer


def refused(bench: Bench, order: Order, kind: type[StatsClawError] = InputRefused) -> str:
    """The one line with which the order is refused; nothing was started."""
    with pytest.raises(kind) as said:
        bench.start(order)
    line = said.value.line()
    assert len(line.splitlines()) == 1 and line.isprintable(), line
    assert list(bench.workspace.runs()) == []
    return line


def in_child(work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def documents(view: RunView) -> dict[str, str]:
    return {name: artifact.sha256 for name, artifact in view.artifacts.items()}


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# --- the remote ------------------------------------------------------------------------------------------------------


def test_a_remote_that_is_gone_at_the_start_is_refused_and_local_only_goes_on(bench: Bench, target: Path) -> None:
    (bench.folder / "tinymean.git").rename(bench.folder / "elsewhere.git")
    line = refused(bench, order_for(target))
    assert "cannot push to" in line and "--local-only" in line
    backend = scripted(bench.folder)
    view = bench.start(order_for(target, backend, workflow="quick-fix", local_only=True))
    assert view.finished is not None and view.finished.outcome == "done"


def test_a_remote_that_is_gone_when_it_is_time_to_push_is_survived(bench: Bench, target: Path, recorded: Path) -> None:
    remote, elsewhere = bench.folder / "tinymean.git", bench.folder / "elsewhere.git"
    order = order_for(target, "replay", recording=recorded, run_id="gone-0001")
    with pytest.raises(MachineRefused, match="cannot push to"):
        bench.start(order, observers=(when(State.READY_TO_SHIP, lambda: remote.rename(elsewhere)),))
    with pytest.raises(MachineRefused, match="cannot push to"):
        bench.resume("gone-0001")
    elsewhere.rename(remote)
    view = bench.resume("gone-0001")
    assert view.finished is not None and view.finished.outcome == "shipped"
    records = chain.read(bench.workspace.find("gone-0001").path / EVENTS).records
    assert sum(isinstance(r.event, e.Pushed) for r in records) == 1
    assert branches(remote)["statsclaw/gone-0001"] == view.commit.commit  # type: ignore[union-attr]


def test_a_remote_that_has_moved_ahead_is_left_as_it_is_and_the_person_is_told(
    bench: Bench, target: Path, recorded: Path
) -> None:
    def somebody_pushes() -> None:
        clone = bench.folder / "colleague"
        git("clone", "--quiet", str(bench.folder / "tinymean.git"), str(clone), env=own_environment())
        (clone / "NEWS.md").write_text("news\n")
        commit_all(clone, push=True)

    order = order_for(target, "replay", recording=recorded, run_id="ahead-0001")
    view = bench.start(order, observers=(when(State.READY_TO_SHIP, somebody_pushes),))
    assert view.pushed is not None and "main has moved on" in view.pushed.note
    remote = bench.folder / "tinymean.git"
    assert commits_on(remote, "statsclaw/ahead-0001")[1] == view.head.base_commit
    assert len(commits_on(remote, "main")) == 2 and branches(remote)["main"] != view.head.base_commit


def test_a_branch_of_the_same_name_with_another_commit_is_never_overwritten(
    bench: Bench, target: Path, recorded: Path
) -> None:
    remote = bench.folder / "tinymean.git"
    base = branches(remote)["main"]
    git("update-ref", "refs/heads/statsclaw/same-0001", base, git_dir=remote)
    with pytest.raises(RunStopped) as stopped:
        bench.start(order_for(target, "replay", recording=recorded, run_id="same-0001"))
    assert "exists on" in stopped.value.line() and stopped.value.exit_code == 5
    assert branches(remote) == {"main": base, "statsclaw/same-0001": base}
    git("update-ref", "-d", "refs/heads/statsclaw/same-0001", git_dir=remote)
    view = bench.resume("same-0001")
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert branches(remote)["statsclaw/same-0001"] == view.pushed.commit  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("obstacle", ["hook", "folder of that name"])
def test_a_remote_that_refuses_the_push_keeps_the_result_until_it_accepts(
    obstacle: str, bench: Bench, target: Path, recorded: Path
) -> None:
    remote = bench.folder / "tinymean.git"
    hook = remote / "hooks" / "pre-receive"
    if obstacle == "hook":
        hook.write_text("#!/bin/sh\necho protected >&2\nexit 1\n")
        hook.chmod(0o755)
    else:
        git("update-ref", "refs/heads/statsclaw", branches(remote)["main"], git_dir=remote)
    with pytest.raises(MachineRefused, match="cannot push to"):
        bench.start(order_for(target, "replay", recording=recorded, run_id="no-0001"))
    assert "statsclaw/no-0001" not in branches(remote)
    if obstacle == "hook":
        hook.unlink()
    else:
        git("update-ref", "-d", "refs/heads/statsclaw", git_dir=remote)
    view = bench.resume("no-0001")
    assert view.finished is not None and view.finished.outcome == "shipped"


def test_a_remote_that_is_read_only_is_refused_before_anything_starts(bench: Bench, target: Path) -> None:
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is needed to test permissions as root")
        prefix = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    objects = bench.folder / "tinymean.git" / "objects"
    objects.chmod(0o555)
    try:
        argv = ("run", "Fix the mean. Ship it.", "--workflow", "quick-fix", "--target", str(target))
        done = statsclaw(bench, *argv, "--backend", AGENT, prefix=prefix)
    finally:
        objects.chmod(0o755)
    assert done.returncode == 4 and done.stderr.startswith("error: cannot push to tinymean.git")
    assert list(bench.workspace.runs()) == []


def test_a_target_without_a_remote_ships_nothing_and_refuses_to_be_told_to(tmp_path: Path) -> None:
    bench, target = Bench(tmp_path), make_target(tmp_path, remote=False)
    assert "--ship" in refused(bench, order_for(target, ship=True))
    view = bench.start(order_for(target, scripted(tmp_path), workflow="quick-fix"))
    assert view.finished is not None and view.finished.outcome == "done" and not view.pushed
    reasons = {event.state: event.reason for event, _ in view.states}
    assert reasons[State.READY_TO_SHIP] == "local only"


# --- the target ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["changed", "untracked", "staged", "deleted"])
def test_a_dirty_target_is_refused_with_the_number_of_paths(how: str, bench: Bench, target: Path) -> None:
    make_dirty(target, how)
    line = refused(bench, order_for(target))
    assert "1 path)" in line and "--ignore-dirty" in line


def make_dirty(target: Path, how: str) -> None:
    if how == "deleted":
        (target / "README.md").unlink()
    else:
        place = target / ("NEW.md" if how in ("untracked", "staged") else "README.md")
        place.write_text("not committed\n")
    if how == "staged":
        git("add", "--all", cwd=target, env=own_environment())


def test_with_ignore_dirty_a_run_starts_from_the_last_commit_and_leaves_the_target_alone(
    bench: Bench, target: Path
) -> None:
    (target / "README.md").write_text("not committed\n")
    (target / "draft.py").write_text("secret_plan = 1\n")
    before = {path: path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}
    order = order_for(target, scripted(bench.folder), workflow="quick-fix", ignore_dirty=True, run_id="dirty-0001")
    view = bench.start(order)
    assert view.pushed is not None
    remote = bench.folder / "tinymean.git"
    assert git("show", "statsclaw/dirty-0001:README.md", git_dir=remote) == b"# tinymean\n"
    assert "draft.py" not in git_text("ls-tree", "-r", "--name-only", "statsclaw/dirty-0001", git_dir=remote)
    after = {path: path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path.name for path in changed} <= {"index"}, "git status may refresh its index, and nothing else"


FROM_NOTHING = """
if role == 'builder':
    text = '[build-system]\\nrequires = ["hatchling"]\\nbuild-backend = "hatchling.build"\\n'
    pathlib.Path('pyproject.toml').write_text(text + '\\n[project]\\nname = "tinymean"\\nversion = "0.1.0"\\n')
"""


def test_an_empty_repository_gets_a_root_commit(tmp_path: Path) -> None:
    bench, target = Bench(tmp_path), tmp_path / "empty"
    remote = tmp_path / "empty.git"
    for command in (
        ("init", "--quiet", "--initial-branch=main", str(target)),
        ("init", "--quiet", "--bare", "--initial-branch=main", str(remote)),
        ("-C", str(target), "remote", "add", "origin", str(remote)),
    ):
        git(*command)
    order = order_for(target, scripted(tmp_path, FROM_NOTHING), workflow="quick-fix", run_id="first-0001")
    view = bench.start(order, person=Unattended())
    assert [q.topic for q in view.open_questions] == ["profile"], "nothing in it says which language"
    view = bench.start(replace(order, profile="python", run_id="root-0001"))
    assert view.finished is not None and view.finished.outcome == "shipped", view.finished
    assert view.head.base_commit is None
    assert len(commits_on(remote, "statsclaw/root-0001")) == 1
    names = git_text("ls-tree", "-r", "--name-only", "statsclaw/root-0001", git_dir=remote).splitlines()
    assert "pyproject.toml" in names and "src/tinymean/__init__.py" in names
    assert [c.name for c in view.evidence_for(view.tree_sha256) if not c.passed] == []


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda place: None, "does not exist"),
        (lambda place: place.mkdir(), "is not a git repository"),
        (lambda place: place.write_text("x"), "is not a git repository"),
        (lambda place: place.symlink_to("nowhere"), "does not exist"),
    ],
    ids=["missing", "plain folder", "a file", "dangling link"],
)
def test_a_target_that_is_no_repository_is_refused(
    make: Callable[[Path], object], says: str, bench: Bench, tmp_path: Path
) -> None:
    make(tmp_path / "thing")
    assert says in refused(bench, order_for(tmp_path / "thing"))


@pytest.mark.parametrize("text", ["https://127.0.0.1:1/x.git", "file:///nowhere/x.git", "git@127.0.0.1:x"])
def test_a_strange_address_is_refused_in_one_printable_line(text: str, bench: Bench) -> None:
    refused(bench, replace(order_for(Path("x")), target=text))


@pytest.mark.parametrize(
    "text",
    [" ", ""],
    ids=["blank", "empty"],
)
def test_no_target_at_all_is_not_the_folder_where_the_person_happens_to_be(
    text: str, bench: Bench, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(target)
    order = order_for(target, workflow="validate", backends={}, local_only=True)
    refused(bench, replace(order, target=text))


def reachable(folder: Path, target: Path, how: str) -> Path:
    """The same package, in another state of its repository."""
    if how == "bare":
        return folder / "tinymean.git"
    if how == "detached":
        git("checkout", "--quiet", "--detach", cwd=target, env=own_environment())
    elif how == "branch":
        git("checkout", "--quiet", "-b", "feature/x", cwd=target, env=own_environment())
    elif how == "shallow":
        (target / "NEWS.md").write_text("x\n")
        commit_all(target, push=True)
        git("clone", "--quiet", "--depth", "1", f"file://{folder / 'tinymean.git'}", str(folder / "shallow"))
        return folder / "shallow"
    elif how == "worktree":
        git("worktree", "add", "--quiet", str(folder / "tree"), "-b", "side", cwd=target, env=own_environment())
        return folder / "tree"
    elif how == "link":
        (folder / "link").symlink_to(target)
        return folder / "link"
    elif how == "inner folder":
        return target / "src"
    elif how == "odd name":
        return target.rename(folder / "tiny mean ü'\"$(x)")
    return target


@pytest.mark.parametrize(
    "how", ["bare", "detached", "branch", "shallow", "worktree", "link", "inner folder", "odd name"]
)
def test_a_repository_in_any_usual_state_can_be_worked_on_and_shipped(how: str, bench: Bench, target: Path) -> None:
    place = reachable(bench.folder, target, how)
    view = bench.start(order_for(place, scripted(bench.folder), workflow="quick-fix", run_id="any-0001"))
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert "statsclaw/any-0001" in branches(bench.folder / "tinymean.git")


@pytest.mark.parametrize("what", ["large file", "long path", "link", "submodule"])
def test_what_the_repository_already_held_does_not_make_a_role_fail(what: str, bench: Bench, target: Path) -> None:
    """A role is judged by what it changed, whatever the person has committed before."""
    data = target / "data"
    data.mkdir()
    if what == "large file":
        (data / "big.csv").write_bytes(b"1,2,3,4\n" * (9 * 1024 * 1024 // 8))
    elif what == "link":
        (data / "link").symlink_to("../README.md")
    elif what == "long path":
        (data / "/".join(["folder-with-a-rather-long-name"] * 9)).mkdir(parents=True)
        (data / "/".join(["folder-with-a-rather-long-name"] * 9) / "x.csv").write_text("1\n")
    else:
        git("clone", "--quiet", str(bench.folder / "tinymean.git"), str(data / "sub"), env=own_environment())
    commit_all(target, push=True)
    view = bench.start(order_for(target, scripted(bench.folder), workflow="quick-fix", run_id="held-0001"))
    assert view.finished is not None and view.finished.outcome == "shipped", [
        d.reason for d in view.dispatches.values() if d.reason
    ][:1]


def test_the_limit_on_files_is_for_what_a_role_adds_and_not_for_what_was_there(tmp_path: Path) -> None:
    """A repository of more than five thousand files is nothing unusual."""
    repo, manifest = tmp_path / "repo", {}
    repo.mkdir()
    for number in range(30):
        (repo / f"{number}.csv").write_bytes(b"1\n")
        manifest[f"{number}.csv"] = Entry(sha256=sha256(b"1\n"), executable=False)
    (repo / "new.py").write_bytes(b"x = 1\n")
    taken = take_repository(repo, manifest, lambda path: True, Limits(files=20))
    assert [change.path for change in taken.files] == ["new.py"]


@pytest.mark.parametrize(
    "name",
    [b"a\\b.csv", "a\u200db.csv".encode(), b"a\xffb.csv", b"a\nb.csv", b"a\x1b[2Jb.csv"],
    ids=["backslash", "joiner", "not UTF-8", "newline", "escape"],
)
def test_a_file_of_the_target_with_a_strange_name_is_refused_at_once_or_does_no_harm(
    name: bytes, bench: Bench, target: Path
) -> None:
    Path(os.fsdecode(os.fsencode(target) + b"/" + name)).write_text("1\n")
    commit_all(target, push=True)
    try:
        view = bench.start(order_for(target, scripted(bench.folder), workflow="quick-fix"))
    except InputRefused as said:
        assert len(said.line().splitlines()) == 1 and said.line().isprintable()
        assert list(bench.workspace.runs()) == []
        return
    assert view.finished is not None and view.finished.outcome == "shipped"


@pytest.mark.parametrize(
    "text",
    [
        "[profile",
        "\x00",
        "profile = 3",
        "[profil]\nbuild = []",
        "[profile]\nbuild = 3",
        "[profile]\nname = 'x'",
        "[[profile.build]]\nname = 'x'",
        "[[profile.build]]\nname='x'\nparser='exit'\ntimeout_s=1\nargv=['{nonsense}']",
        "[[profile.paths]]\ncls='nonsense'\nglobs=['**']",
        "[profile]\npaths = 'x'",
        "x = " + "[" * 5000 + "]" * 5000,
        "x = 1\n" * 400_000,
    ],
    ids=lambda text: text[:24].replace("\n", " ").replace("\0", "nul"),
)
def test_bad_settings_of_the_target_are_refused_before_anything_starts(text: str, bench: Bench, target: Path) -> None:
    (target / "statsclaw.toml").write_text(text)
    commit_all(target)
    assert "statsclaw.toml" in refused(bench, order_for(target))


def test_settings_that_are_not_text_are_refused(bench: Bench, target: Path) -> None:
    (target / "statsclaw.toml").write_bytes(b"[profile]\n# \xff\xfe\n")
    commit_all(target)
    assert "statsclaw.toml" in refused(bench, order_for(target))


def test_a_run_started_from_inside_a_git_hook_still_looks_at_its_own_target(
    bench: Bench, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git sets these for hooks and for `rebase --exec`."""
    other = bench.folder / "other"
    git("clone", "--quiet", str(bench.folder / "tinymean.git"), str(other), env=own_environment())
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_PREFIX", "src/")
    (other / "README.md").write_text("dirty, but not the target\n")
    view = bench.start(order_for(target, scripted(bench.folder), workflow="quick-fix", run_id="hook-0001"))
    assert view.head.target == "tinymean" and view.pushed is not None


# --- the inputs ------------------------------------------------------------------------------------------------------


def test_sources_that_cannot_be_used_are_refused(bench: Bench, target: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    (folder / "twin").mkdir(parents=True)
    (folder / "hollow" / ".git").mkdir(parents=True)
    (folder / "empty.md").touch()
    for name in ("notes.md", "twin/notes.md"):
        (folder / name).write_text("notes\n")
    with (folder / "huge.pdf").open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    os.mkfifo(folder / "pipe.md")
    for names, says in [
        (("empty.md",), "is empty"),
        (("missing.md",), "is not a file"),
        (("hollow",), "a folder without a file"),
        (("pipe.md",), "is not a file"),
        (("huge.pdf",), "larger than 50 MiB"),
        (("notes.md", "twin/notes.md"), "the same file name"),
        (("notes.md", "notes.md"), "the same file name"),
    ]:
        order = order_for(target, sources=tuple(folder / name for name in names))
        assert says in refused(bench, order), names


@pytest.mark.parametrize(
    "name", [b"n\xffotes.md", b"no\ntes.md", b"\x1b[2J.md"], ids=["not UTF-8", "newline", "escape"]
)
def test_a_source_with_an_unprintable_name_is_refused_or_used_and_nothing_between(
    name: bytes, bench: Bench, target: Path, tmp_path: Path
) -> None:
    source = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    source.write_text("notes\n")
    order = order_for(target, scripted(bench.folder), workflow="docs", directive=NO_SHIP, sources=(source,))
    try:
        view = bench.start(order)
    except InputRefused as said:
        assert len(said.line().splitlines()) == 1 and list(bench.workspace.runs()) == []
        return
    assert view.finished is not None
    assert all(source.name.isprintable() for source in view.head.sources), "it would reach terminals and prompts"


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("\x00\x01\x1b\x7f\u200b", "is empty"),
        ("fix " * 30_000, "longer than 100,000"),
    ],
    ids=["empty", "blank", "control characters", "huge"],
)
def test_a_directive_that_says_nothing_or_too_much_is_refused(
    directive: str, says: str, bench: Bench, target: Path
) -> None:
    assert says in refused(bench, order_for(target, directive=directive))


def test_a_binary_directive_becomes_printable_text_and_does_no_harm(bench: Bench, target: Path) -> None:
    directive = os.fsdecode(bytes(range(1, 256)) * 20) + " fix the mean"
    order = order_for(target, scripted(bench.folder), workflow="validate", directive=directive, local_only=True)
    view = bench.start(order)
    assert view.finished is not None and view.head.directive.endswith("fix the mean")
    assert all(c.isprintable() or c in "\n\t" for c in view.head.directive)


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u202f", "\u2003", "\r", "\u2028", "\x0b"])
def test_words_of_a_directive_are_not_glued_together(space: str) -> None:
    assert clean_directive(f"fix{space}the mean").split() == ["fix", "the", "mean"]


@pytest.mark.parametrize("text", ["नमस्\u200dते", "می\u200cخواهم"])
def test_letters_that_need_a_joiner_keep_it(text: str) -> None:
    assert clean_directive(text) == text


@pytest.mark.parametrize(
    "change",
    [
        {"backends": {"*": "nonsense"}},
        {"backends": {"*": "human:x"}},
        {"backends": {"*": "command:"}},
        {"backends": {"*": "command:'unclosed"}},
        {"backends": {"*": "command:/nonexistent/agent"}},
        {"backends": {"*": "replay:/nonexistent"}},
        {"backends": {"*": "human", "wizard": "human"}},
        {"backends": {"planner": "human"}},
        {"backends": {}},
        {"workflow": "nonsense"},
        {"workflow": "../full"},
        {"profile": "cobol"},
        {"profile": "../python"},
        {"python": "/nonexistent/python"},
    ],
    ids=str,
)
def test_what_is_not_known_is_refused_before_anything_starts(
    change: dict[str, object], bench: Bench, target: Path
) -> None:
    refused(bench, order_for(target, **change))


def test_an_answer_of_strange_digits_is_refused_or_taken_as_words() -> None:
    question = e.QuestionAsked(
        question="q1", topic="hold", asked_by="planner", text="?", options=(e.Option(label="a"), e.Option(label="b"))
    )
    for text in ("²", "१", "①", "1" * 5000, "-1", "0", "3"):
        answer = parse_answer(question, text, by="prompt")
        assert answer.choice in (None, 0), text
    assert parse_answer(question, " 2 ", by="prompt").choice == 1
    assert parse_answer(question, "B", by="prompt").choice == 1


# --- many runs in one workspace --------------------------------------------------------------------------------------


def test_two_hundred_runs_made_by_several_processes_at_once_are_kept_apart(bench: Bench, target: Path) -> None:
    def make(number: int) -> None:
        for index in range(50):
            order = order_for(target, directive=f"Fix number {number}-{index}.", local_only=True, workflow="quick-fix")
            _, log, _ = start_run(bench.workspace, order, Scrubber())
            log.close()

    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            try:
                make(number)
                os._exit(0)
            except BaseException:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    runs = list(bench.workspace.runs())
    assert len(runs) == 200 == len({run.id for run in runs})
    assert len({run.repository for run in runs}) == 1, "they are all of the same repository"
    said = set()
    for run in runs:
        assert verify(run.path) == 1
        view = read_view(run.path)
        assert view.head.run_id == run.id and (run.target / "HEAD").is_file() and run.local.is_file()
        said.add(view.head.directive)
    assert said == {f"Fix number {number}-{index}." for number in range(4) for index in range(50)}
    for _ in range(2):  # once to read the logs, once from what was kept beside them
        begun = time.monotonic()
        listed = statsclaw(bench, "list", "--json")
        assert time.monotonic() - begun < 5
        rows = json.loads(listed.stdout)
        assert {row["run"] for row in rows} == {run.id for run in runs}
    assert list((bench.workspace.root / ".tmp").iterdir()) == [], "nothing of the clones is left"


def test_runs_that_end_at_the_same_time_are_all_in_the_workspace(bench: Bench, target: Path) -> None:
    order = order_for(target, workflow="validate", backends={}, directive="Check it.", local_only=True)

    def work(number: int) -> None:
        for index in range(3):
            view = bench.start(replace(order, run_id=f"side-{number}{index}"))
            assert view.finished is not None

    children = [os.fork() or _leave(work, number) for number in range(3)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 3
    bench.start(replace(order, run_id="last-0001"))
    text = (bench.workspace.root / "tinymean" / "CHANGELOG.md").read_text()
    names = {f"side-{number}{index}" for number in range(3) for index in range(3)}
    assert set(re.findall(r"\((side-\d\d)\)", text)) == names and text.count("(side-") == 9
    committed = git_text("ls-files", cwd=bench.workspace.root).splitlines()
    for name in names:
        assert f"tinymean/runs/{name}/events.jsonl" in committed
        assert verify(bench.workspace.find(name).path) > 10
    assert not [name for name in committed if ".writing-" in name or name.endswith(("local.json", "/lock"))]
    assert git_text("status", "--porcelain", cwd=bench.workspace.root) == ""


def _leave(work: Callable[[int], object], number: int) -> int:
    try:
        work(number)
        os._exit(0)
    except BaseException:
        os._exit(1)


def test_a_file_that_another_run_is_writing_does_not_keep_the_workspace_from_being_committed(
    bench: Bench, target: Path
) -> None:
    place = bench.workspace.root / "tinymean" / "runs" / "other-0001" / "store" / "ab"
    place.mkdir(parents=True)
    stop = bench.folder / "stop"
    code = (
        f"i = 0\nwhile not os.path.exists({str(stop)!r}):\n"
        f"    i += 1; p = {str(place)!r} + f'/.writing-{{i}}'; open(p, 'wb').write(b'x' * 50000); os.unlink(p)\n"
    )
    busy = subprocess.Popen([sys.executable, "-S", "-c", "import os\n" + code])
    try:
        for number in range(4):
            order = order_for(target, workflow="validate", backends={}, directive="Check it.", local_only=True)
            view = bench.start(replace(order, run_id=f"calm-{number}"))
            assert view.synced is not None and "could not" not in view.synced.note, view.synced.note
    finally:
        stop.touch()
        busy.wait()
    assert git_text("status", "--porcelain", cwd=bench.workspace.root) == ""


def test_one_damaged_run_does_not_hide_the_others(bench: Bench, target: Path) -> None:
    for name in ("good-0001", "bad-0001"):
        order = order_for(target, workflow="quick-fix", local_only=True, run_id=name)
        start_run(bench.workspace, order, Scrubber())[1].close()
    place = bench.workspace.find("bad-0001").path / EVENTS
    place.write_bytes(place.read_bytes().replace(b"Build", b"Break"))
    done = statsclaw(bench, "list")
    assert "good-0001" in done.stdout and "bad-0001" in done.stdout + done.stderr


@pytest.mark.parametrize("named", ["by path", "by a dot"])
@pytest.mark.parametrize("remote", [True, False], ids=["with a remote", "without a remote"])
def test_two_repositories_of_the_same_name_do_not_share_a_hand_off(
    named: str, remote: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    for name in ("mine", "yours"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(make_target(tmp_path / name, remote=remote))
        place = Path() if named == "by a dot" else Path.cwd()
        order = order_for(place, workflow="validate", backends={}, directive=f"Check what is {name}.")
        view = bench.start(replace(order, local_only=True))
    store = ContentStore(bench.workspace.find(view.head.run_id).store)
    assert "what is mine" not in store.get_text(view.artifacts["request.md"].sha256)


@pytest.mark.parametrize("remote", [True, False], ids=["with a remote", "without a remote"])
def test_a_repository_is_the_same_however_its_path_is_written(
    remote: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, target = Bench(tmp_path), make_target(tmp_path, remote=remote)
    monkeypatch.chdir(target)
    for text in (str(target), ".", f"{target}/", "../tinymean", "src"):
        order = order_for(target, workflow="quick-fix", local_only=True)
        start_run(bench.workspace, replace(order, target=text), Scrubber())[1].close()
    assert len({run.repository for run in bench.workspace.runs()}) == 1


# --- replay ----------------------------------------------------------------------------------------------------------


def seed_of(recording: Path) -> str:
    """`statsclaw replay` gives suites, studies and readings the same seeds again; so do the tests that compare."""
    return Recording(recording).created.canary_seed


def outline(view: RunView) -> list[tuple[str, str, str]]:
    return [(d.id, d.status, d.reason) for d in view.dispatches.values()]


def test_a_replayed_run_reproduces_artifacts_tree_and_verdict(bench: Bench, target: Path, recorded: Path) -> None:
    view = bench.start(
        order_for(target, "replay", recording=recorded, run_id=recorded.name, canary_seed=seed_of(recorded)),
        person=Unattended(yes=True),
    )
    expected = read_view(recorded)
    assert documents(view) == documents(expected)
    assert (view.tree_sha256, view.review_verdict) == (expected.tree_sha256, expected.review_verdict)
    assert outline(view) == outline(expected) and view.attempts == expected.attempts
    assert [(c.name, c.passed, c.summary, c.tests) for c in view.evidence.values()] == [
        (c.name, c.passed, c.summary, c.tests) for c in expected.evidence.values()
    ]
    assert view.pushed and expected.pushed and view.pushed.commit == expected.pushed.commit


EVENTFUL = {
    "a STOP with a review": (
        "if role == 'reviewer' and attempt == 1:\n"
        "    names = ('Comprehension', 'Isolation', 'Cross-comparison', 'Convergence', 'Coverage',\n"
        "             'Tolerance integrity', 'Evidence', 'Verdict')\n"
        "    text = '# r\\n\\n' + ''.join(f'## {n}\\n\\nx\\n\\n' for n in names) + 'Verdict: STOP\\n'\n"
        "    (out / 'review.md').write_text(text); over()"
    ),
    "a STOP in words": (
        "if role == 'reviewer' and attempt == 1: over(signal='STOP', message='rewrite it', route_to='scriber')"
    ),
    "a crash": "if role == 'scriber' and attempt == 1: sys.exit(3)",
    "something refused": "if role == 'scriber' and attempt == 1: pathlib.Path('src/tinymean/x.py').write_text('x = 1')",
    "the same question twice": (
        "if role == 'planner' and attempt < 3:\n"
        "    over(signal='HOLD', message='which?', options=[{'label': 'a'}, {'label': 'b'}])"
    ),
}


class OneAfterTheOther:
    """A person who answers 1, then 2, then 1 …, and pushes."""

    def __init__(self) -> None:
        self.count = 0

    def answer(self, question: e.QuestionAsked) -> e.QuestionAnswered:
        choice = 0 if question.topic == "ship" else self.count % len(question.options)
        self.count += 1
        return e.QuestionAnswered(question=question.question, choice=choice, by="prompt")

    def wait(self, run: RunView) -> bool:
        return False


@pytest.mark.parametrize("name", EVENTFUL)
def test_a_run_with_trouble_in_it_can_be_replayed_too(name: str, tmp_path: Path) -> None:
    first, second = Bench(tmp_path / "first"), Bench(tmp_path / "second")
    for bench in (first, second):
        bench.folder.mkdir()
    order = order_for(make_target(first.folder), scripted(first.folder, EVENTFUL[name]), workflow="docs")
    expected = first.start(replace(order, run_id="same-0001"), person=OneAfterTheOther())
    assert expected.finished is not None and expected.finished.outcome == "shipped"
    recording = first.workspace.find("same-0001").path
    again = order_for(make_target(second.folder), "replay", recording=recording, workflow="docs", run_id="same-0001")
    view = second.start(again, person=Unattended(recorded=Recording(recording).answer_to))
    assert outline(view) == outline(expected) and documents(view) == documents(expected)
    assert {q: a.answer_text for q, a in view.questions.items()} == {
        q: a.answer_text for q, a in expected.questions.items()
    }


@pytest.mark.slow
def test_a_run_without_a_second_reader_is_replayed_without_one(bench: Bench, target: Path) -> None:
    first = bench.start(order_for(target, scripted(bench.folder), run_id="alone-0001", second_reading=False))
    assert first.finished is not None and "reader-1" not in first.dispatches
    again = statsclaw(bench, "replay", "alone-0001", "--yes")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("what", ["target", "source", "directive"])
def test_a_replay_on_anything_else_than_was_recorded_is_refused(
    what: str, bench: Bench, target: Path, recorded: Path
) -> None:
    order = order_for(target, "replay", recording=recorded, run_id="other-0001")
    if what == "target":
        (target / "README.md").write_text("# another\n")
        commit_all(target, push=True)
    elif what == "source":
        (bench.folder / "notes.md").write_text("other notes\n")
        order = replace(order, sources=(bench.folder / "notes.md",))
    else:
        order = replace(order, directive=order.directive + " Quickly.")
    with pytest.raises(RecordingMissing) as missing:
        bench.start(order)
    assert "planner, attempt 1" in missing.value.line() and missing.value.exit_code == 9
    with pytest.raises(RecordingMissing):
        bench.resume("other-0001")
    assert verify(bench.workspace.find("other-0001").path) > 0
    assert list(branches(bench.folder / "tinymean.git")) == ["main"]


# --- people ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_several_roles_played_by_people_wait_at_once_and_hand_in_only_what_is_complete(
    bench: Bench, target: Path
) -> None:
    agent = scripted(bench.folder)
    people = dict.fromkeys(("builder", "tester", "simulator"), "human")
    view = bench.start(order_for(target, backends={"*": agent, **people}, run_id="hands-0001", directive=NO_SHIP))
    assert sorted(d.role for d in view.running) == ["builder", "simulator", "tester"] and view.finished is None
    rooms = {d.role: bench.workspace.find("hands-0001").room(d.id) for d in view.running}
    assert all((room / "README.md").is_file() and (room / "in" / "prompt.md").is_file() for room in rooms.values())

    several = statsclaw(bench, "done", "hands-0001")
    assert several.returncode == 4 and len(several.stderr.splitlines()) == 1
    assert all(role in several.stderr for role in people)
    incomplete = statsclaw(bench, "done", "hands-0001", "tester")
    assert incomplete.returncode == 4 and incomplete.stderr.startswith("error: not handed in yet")
    assert [line for line in incomplete.stdout.splitlines() if "audit-notes.md is missing" in line]
    assert [line for line in incomplete.stdout.splitlines() if "no file with questions" in line]
    assert not (rooms["tester"] / "handin.json").exists()

    for role, room in rooms.items():
        env = {"PATH": os.environ["PATH"], "STATSCLAW_ROLE": role, "STATSCLAW_ATTEMPT": "2"}
        env["STATSCLAW_OUT"] = str(room / "out")
        argv = [sys.executable, "-I", "-S", str(SCRIPT), str(HONEST)]
        subprocess.run(argv, cwd=room / "repo", env=env, stdin=subprocess.DEVNULL, check=True, capture_output=True)
    (rooms["builder"] / "repo" / "tests" / "validation").mkdir(parents=True)
    outside = rooms["builder"] / "repo" / "tests" / "validation" / "test_mine.py"
    outside.write_text("def test_nothing(): pass\n")
    beyond = statsclaw(bench, "done", "hands-0001", "builder")
    assert beyond.returncode == 4 and "tests/validation/test_mine.py" in beyond.stdout
    outside.unlink()
    assert statsclaw(bench, "done", "hands-0001", "tester").returncode == 0
    still = bench.resume("hands-0001")
    assert sorted(d.role for d in still.running) == ["builder", "simulator"], "one handed in, two are still at it"
    for role in ("builder", "simulator"):
        assert statsclaw(bench, "done", "hands-0001", role).returncode == 0
    over = bench.resume("hands-0001")
    assert over.finished is not None and over.finished.outcome == "done" and not over.finished.reason
    assert statsclaw(bench, "done", "hands-0001", "builder").returncode == 4, "nobody waits any more"


def test_a_person_may_end_with_a_signal_that_the_role_owns_and_with_no_other(bench: Bench, target: Path) -> None:
    agent = scripted(bench.folder)
    order = order_for(target, backends={"*": agent, "planner": "human"}, workflow="docs", directive=NO_SHIP)
    bench.start(replace(order, run_id="ask-0001"))
    wrong = statsclaw(bench, "done", "ask-0001", "--signal", "STOP", "--message", "no")
    assert wrong.returncode == 4 and "does not own" in wrong.stdout
    silent = statsclaw(bench, "done", "ask-0001", "--signal", "HOLD")
    assert silent.returncode == 4 and "--message" in silent.stderr
    options = ("--option", "n|the mean", "--option", "n - 1|not a mean")
    right = statsclaw(bench, "done", "ask-0001", "--signal", "HOLD", "--message", "Which divisor?", *options)
    assert right.returncode == 0
    view = bench.resume("ask-0001", person=Unattended())
    (question,) = view.open_questions
    assert [o.label for o in question.options] == ["n", "n - 1"]


@pytest.mark.parametrize(
    "argv",
    [("--message", "x" * 5000), ("--message", "?", *["--option", "a|b"] * 12), ("--message", "?", "--option", "|b")],
    ids=["message too long", "too many options", "option without a label"],
)
def test_a_signal_that_cannot_be_recorded_is_refused_in_one_line(
    argv: tuple[str, ...], bench: Bench, target: Path
) -> None:
    order = order_for(target, "human", workflow="docs", directive=NO_SHIP)
    bench.start(replace(order, run_id="ask-0001"))
    done = statsclaw(bench, "done", "ask-0001", "--signal", "HOLD", *argv)
    assert done.returncode == 4 and len(done.stderr.splitlines()) == 1, done.stderr


HOLDING = (
    "if role == 'planner' and attempt == 1:\n"
    "    over(signal='HOLD', message='which?', options=[{'label': 'a'}, {'label': 'b'}])"
)


def run_argv(bench: Bench, target: Path, *more: str) -> tuple[str, ...]:
    backend = ("--backend", scripted(bench.folder, HOLDING), "--workflow", "docs", "--local-only")
    sources = ("--source", str(HONEST / "sources" / "notes.md"))
    return ("run", NO_SHIP, "--target", str(target), *sources, *backend, *more)


@pytest.mark.parametrize("text", ['planner = "2"', "planner = 2", 'hold = "b"', 'q1 = "B"'])
def test_an_answers_file_answers_by_question_by_role_or_by_topic(text: str, tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text(text)
    options = (e.Option(label="a"), e.Option(label="b"))
    asked = e.QuestionAsked(question="q1", topic="hold", asked_by="planner", text="?", options=options, about="planner")
    answer = Unattended(answers=read_answers(tmp_path / "answers.toml")).answer(asked)
    assert answer is not None and (answer.choice, answer.by) == (1, "file")


def test_an_answer_from_a_file_lets_a_run_go_through_unattended(bench: Bench, target: Path) -> None:
    (bench.folder / "answers.toml").write_text('hold = "b"\ncomprehension = "approve"\n')
    done = statsclaw(bench, *run_argv(bench, target, "--answers", str(bench.folder / "answers.toml")))
    assert done.returncode == 0, done.stderr
    (run,) = bench.workspace.runs()
    asked = read_view(run.path).questions
    assert [(q.asked.topic, q.answer_text) for q in asked.values()] == [("hold", "b"), ("comprehension", "approve")]
    assert {q.answer.by for q in asked.values() if q.answer} == {"file"}


@pytest.mark.parametrize("answers", [{"planner": "b"}, {"planner": "2"}, {"hold": "a", "comprehension": "2"}], ids=str)
def test_an_answers_file_does_not_send_a_comprehension_back_for_ever(
    answers: dict[str, str], bench: Bench, target: Path
) -> None:
    """A file says the same again and again; a planner would be paid for every time."""
    started: list[str] = []

    def look(record: chain.Record, view: RunView) -> None:
        if isinstance(record.event, e.DispatchStarted):
            started.append(record.event.dispatch)
            assert len(started) < 8, "the file keeps the planner at work"

    order = order_for(target, scripted(bench.folder, HOLDING), workflow="docs", directive=NO_SHIP)
    view = bench.start(order, person=Unattended(yes=True, answers=answers), observers=(look,))
    assert view.open_questions or view.finished is not None


@pytest.mark.slow
def test_an_answer_can_be_given_days_later_by_another_process(bench: Bench, target: Path) -> None:
    waiting = statsclaw(bench, *run_argv(bench, target))
    assert waiting.returncode == 3 and "statsclaw answer" in waiting.stdout
    (run,) = bench.workspace.runs()
    for bad in (("--choose", "3"), ("--choose", "0"), ("--text", ""), ()):
        assert statsclaw(bench, "answer", run.id, *bad).returncode == 4
    assert read_view(run.path).open_questions
    answered = statsclaw(bench, "answer", run.id, "--choose", "2", "--text", "as in the paper")
    assert answered.returncode == 0 and "statsclaw resume" in answered.stdout
    assert read_view(run.path).questions["q1"].answer_text == "b — as in the paper"
    assert statsclaw(bench, "answer", run.id, "--choose", "1").returncode == 4, "it is answered"
    approval = statsclaw(bench, "resume", run.id)
    assert approval.returncode == 3 and "Is this what the sources say?" in approval.stdout
    assert statsclaw(bench, "answer", run.id, "--choose", "1").returncode == 0
    done = statsclaw(bench, "resume", run.id, "--json")
    assert done.returncode == 0
    assert [json.loads(line)["kind"] for line in done.stdout.splitlines()][-1] == "run_finished"


@contextmanager
def at_a_terminal(
    argv: list[str], env: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[str], str]]]:
    """A process with a terminal; `read(text)` returns what it printed up to `text`."""
    master, slave = pty.openpty()
    process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
    os.close(slave)
    seen = ""

    def read(text: str) -> str:
        nonlocal seen
        end = time.monotonic() + 30
        while text not in seen:
            assert time.monotonic() < end, f"{text!r} was not printed:\n{seen}"
            if select.select([master], [], [], 0.2)[0]:
                try:
                    seen += os.read(master, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        assert text in seen, seen
        return seen

    try:
        yield process, read
    finally:
        process.kill()
        process.wait()
        os.close(master)


@pytest.mark.slow
def test_an_answer_from_another_terminal_is_taken_up_by_the_living_run(bench: Bench, target: Path) -> None:
    env = os.environ | {"STATSCLAW_WORKSPACE": str(bench.workspace.root), "TERM": "xterm", "COLUMNS": "200"}
    env["XDG_CACHE_HOME"] = str(bench.folder / "cache")
    with at_a_terminal([*CLI, *run_argv(bench, target)], env) as (process, read):
        read("your answer")
        (run,) = bench.workspace.runs()
        assert statsclaw(bench, "resume", run.id).returncode == 6, "the run is alive in another process"
        answered = statsclaw(bench, "answer", run.id, "--choose", "2")
        assert answered.returncode == 0 and "is alive" in answered.stdout
        read("Is this what the sources say?")
        wait_for(lambda: len(read_view(run.path).open_questions) == 1, "the second question")
        assert statsclaw(bench, "answer", run.id, "--choose", "1").returncode == 0
        read("artifacts")
        assert process.wait(timeout=20) == 0
    view = read_view(run.path)
    assert view.questions["q1"].answer_text == "b" and view.finished is not None
    assert view.resumed == 0, "it was the same process all along"


def test_an_answer_left_in_the_inbox_for_another_question_is_not_taken(bench: Bench, target: Path) -> None:
    backend = scripted(bench.folder, HOLDING)
    view = bench.start(order_for(target, backend, workflow="docs", run_id="box-0001"), person=Unattended())
    inbox = bench.workspace.find("box-0001").inbox
    leave_answer(inbox, e.QuestionAnswered(question="q9", choice=0, by="answer"))
    for choice in ("7", "-1", '"a"'):
        (inbox / "q1.json").write_text(f'{{"question": "q1", "choice": {choice}, "by": "answer"}}')
        assert bench.resume("box-0001", person=Unattended()).open_questions == view.open_questions, choice
    (inbox / "q1.json").write_text('{"question": "q1", "choice"')
    assert bench.resume("box-0001", person=Unattended()).open_questions == view.open_questions


# --- the engine is killed --------------------------------------------------------------------------------------------


def killed_at_work(bench: Bench, target: Path, backend: str, pid_file: Path) -> tuple[str, int]:
    """Start a run, wait until something it started has written its pid, kill the engine; run and pid."""
    argv = ("run", "Fix it.", "--workflow", "quick-fix", "--local-only", "--target", str(target), "--backend", backend)
    argv += ("--unsafe-no-sandbox",)  # its pid is written outside the room; behind the barrier it dies with its engine
    env = os.environ | {"STATSCLAW_WORKSPACE": str(bench.workspace.root)}
    env["XDG_CACHE_HOME"] = str(bench.folder / "cache")
    engine = subprocess.Popen([*CLI, *argv], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"), "the program's start")
    finally:
        engine.send_signal(signal.SIGKILL)
        engine.wait()
    (run,) = bench.workspace.runs()
    return run.id, int(pid_file.read_text())


def test_an_agent_that_outlives_its_engine_is_ended_before_its_work_is_given_out_again(
    bench: Bench, target: Path
) -> None:
    pid_file = bench.folder / "pid"
    code = (
        f"if role == 'builder' and not os.path.exists({str(pid_file)!r}):\n"
        f"    open({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(60)"
    )
    run_id, pid = killed_at_work(bench, target, scripted(bench.folder, code), pid_file)
    assert alive(pid)
    RunLog.open(bench.workspace.find(run_id).path).close()  # the agent does not hold the engine's lock
    view = bench.resume(run_id)
    assert view.finished is not None and view.finished.outcome == "done"
    wait_for(lambda: not alive(pid), "the end of the old agent", 3)


def test_a_verification_that_outlives_its_engine_is_ended_before_the_tree_is_verified_again(
    bench: Bench, target: Path
) -> None:
    pid_file = bench.folder / "pid"
    code = (
        f"import os, sys, time\nif not os.path.exists({str(pid_file)!r}):\n"
        f"    open({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}\\n'); time.sleep(60)\n"
    )
    settings = target / "statsclaw.toml"
    argv = json.dumps(["{python}", "-S", "-c", code])
    check = f'\n[[profile.checks]]\nname = "slow"\nparser = "exit"\ntimeout_s = 90\nargv = {argv}\n'
    settings.write_text(settings.read_text().replace("checks = []\n", "") + check)
    commit_all(target, push=True)
    run_id, pid = killed_at_work(bench, target, scripted(bench.folder), pid_file)
    try:
        view = bench.resume(run_id)
        assert view.finished is not None and view.finished.outcome == "done"
        wait_for(lambda: not alive(pid), "the end of the old verification", 3)
    finally:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


def test_after_a_kill_the_readable_copies_are_those_of_the_log(bench: Bench, target: Path) -> None:
    """Killed between the line that takes a second version of a document and its copy into the run's folder."""
    after = "if role == 'builder': (out / 'implementation.md').open('a').write(f'\\nattempt {attempt}\\n')"
    backend = scripted(bench.folder, after=after, flags=("--no-hold",))  # the first attempt is blocked

    def work() -> None:
        write = RunLog._write

        def dying_write(log: RunLog, line: bytes, *more: object) -> None:
            write(log, line, *more)  # type: ignore[arg-type]
            if b'"dispatch_finished"' in line and b'"builder-2"' in line:
                os.kill(os.getpid(), signal.SIGKILL)

        RunLog._write = dying_write  # type: ignore[method-assign]
        bench.start(order_for(target, backend, workflow="quick-fix", run_id="copy-0001"))

    assert in_child(work) == -signal.SIGKILL
    view = bench.resume("copy-0001")
    assert view.finished is not None and view.finished.outcome == "shipped"
    folder = bench.workspace.find("copy-0001")
    store = ContentStore(folder.store)
    for name, artifact in view.artifacts.items():
        assert (folder.path / name).read_bytes() == store.get(artifact.sha256), name


# --- a machine without the language ---------------------------------------------------------------------------------


def test_a_run_whose_compiler_is_missing_is_not_started_and_says_how_to_get_it(tmp_path: Path) -> None:
    order = order_for(make_target(tmp_path, fast=False), workflow="quick-fix", profile="stata")
    line = refused(Bench(tmp_path), order, MachineRefused)
    assert line.startswith("Stata packages cannot be built here: stata not found. Nothing was started. Fix: "), line


def test_a_compiler_in_a_folder_of_the_languages_own_is_found_there(tmp_path: Path, monkeypatch) -> None:
    profile = load_profile("rust")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    assert missing_programs(profile, profile.needed(profile.build)) == ("cargo",)
    cargo = tmp_path / ".cargo" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    cargo.write_text("#!/bin/sh\n", encoding="utf-8")
    cargo.chmod(0o755)
    assert missing_programs(profile, profile.needed(profile.build)) == ()

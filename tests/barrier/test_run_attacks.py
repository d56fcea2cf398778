"""Attacks that need a whole run: roles that lay traps for the engine, for each other, and for the verification.

The planner writes a secret into test-spec.md and another into sim-spec.md; it is a program of its own, so that no
other role finds them in the program it is itself. What a role saw it prints, and the test reads its transcript.
Where a trap is laid, the test springs it afterwards by hand, to show that it would have worked.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from statsclaw.engine.loop import drive
from statsclaw.engine.start import start_run
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog import log as runlog
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import places_of
from statsclaw.verify.interpreter import InterpreterMissing, find_interpreter
from statsclaw.workspace.layout import RunFolder
from statsclaw.workspace.scrub import Scrubber
from tests.support.patience import within
from tests.support.runs import HERE, HONEST, Bench, branches, make_target, noon, order_for

RUN = "attacked-0001"
AGENT = HERE / "agent.py"
PLAIN_SUITE = """from tinymean import mean


def test_mean_of_constants_is_the_constant():
    assert mean([2, 2]) == 2
"""
ENDINGS = (e.DispatchFinished, e.DispatchFailed, e.SignalRaised, e.IsolationBreached)

PRELUDE = """
import json, os, re, runpy, shutil, signal, socket, subprocess, sys, time
from pathlib import Path
ROLE, ATTEMPT = os.environ["STATSCLAW_ROLE"], int(os.environ["STATSCLAW_ATTEMPT"])
OUT, IN, REPO = (Path(os.environ["STATSCLAW_" + name]) for name in ("OUT", "IN", "REPO"))
HOME, TMP = Path(os.environ["HOME"]), Path(os.environ["TMPDIR"])
FOLDER, RUN = Path({folder!r}), Path({run!r})

def saw(*what):
    print("SAW " + json.dumps([ROLE, ATTEMPT, *map(str, what)]), flush=True)

def attempt(deed, *given):
    try:
        saw(getattr(deed, "__name__", "deed"), deed(*given))
    except OSError as error:
        print("refused:", error, flush=True)

def honest():
    sys.argv = ["agent.py", {honest!r}, "--good", "--no-hold"]
    runpy.run_path({agent!r}, run_name="__main__")
    if ROLE == "tester" and not (IN / "test-spec.md").exists():  # nobody planned: there is no criterion to refer to
        Path("tests/validation/test_tinymean.py").write_text({suite!r})
    sys.stdout.flush()
"""

PLANNER = """
honest()
for name, secret in {secrets!r}.items():
    if (OUT / name).exists():
        with open(OUT / name, "a") as file:
            file.write("\\n\\nThe answer that nobody else may know is " + secret + ".\\n")
"""


class Enough(Exception):
    """Raised by an observer to end a test's run where it has seen enough."""


@pytest.fixture(autouse=True)
def nothing_takes_forever() -> Iterator[None]:
    with within(120):
        yield


@dataclass
class Stage:
    bench: Bench
    target: Path
    secrets: dict[str, str] = field(default_factory=lambda: {n: word() for n in ("test-spec.md", "sim-spec.md")})
    events: list[e.AnyEvent] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.bench.folder

    @property
    def run(self) -> Path:
        return self.bench.workspace.root / "tinymean" / "runs" / RUN

    @property
    def effects(self) -> Path:
        """A folder of the machine that nothing of a role may reach."""
        place = self.folder / "effects"
        place.mkdir(exist_ok=True)
        return place

    @property
    def store(self) -> ContentStore:
        return ContentStore(self.run / "store")

    def room(self, dispatch: str) -> Room:
        folder = RunFolder(self.run)
        return Room(folder.room(dispatch), folder.desk(dispatch))

    def program(self, name: str, attacks: dict[str, str]) -> str:
        """A backend that does `attacks["builder"]` when it plays the builder, and is honest otherwise."""
        known = {"folder": str(self.folder), "run": str(self.run), "agent": str(AGENT), "honest": str(HONEST)}
        known["suite"] = PLAIN_SUITE
        lines = [PRELUDE.format(**known), "if False: pass"]
        for role, code in attacks.items():
            lines += [f"elif ROLE == {role!r}:", textwrap.indent(textwrap.dedent(code).strip(), "    ")]
        place = self.folder / f"{name}.py"
        place.write_text("\n".join([*lines, "else: honest()"]), encoding="utf-8")
        return f"command:{sys.executable} -S {place} {HONEST}"  # among the tools its package would be hidden

    def play(
        self,
        attacks: dict[str, str],
        *,
        workflow: str = "full",
        until: Callable[[e.AnyEvent], bool] = lambda _: False,
    ) -> RunView:
        """Drive a run of the hostile cast to its end, or until what was recorded is enough."""
        assert self.effects

        def look(record: chain.Record, view: RunView) -> None:
            self.events.append(record.event)
            if until(record.event):
                raise Enough

        planner = self.program("planner", {"planner": PLANNER.format(secrets=self.secrets)})
        backends = {"planner": planner, "*": self.program("attack", attacks)}
        order = order_for(self.target, workflow=workflow, run_id=RUN, backends=backends, tools=(AGENT,))
        folder, log, local = start_run(
            self.bench.workspace, replace(order, barrier=self.bench.barrier), Scrubber(), noon
        )
        with log:
            run = self.bench.assemble(folder, log, local)
            log.observers.append(look)
            try:
                return drive(run)
            except Enough:
                return run.view

    def ending(self, attack: str, role: str = "builder", workflow: str = "full") -> tuple[e.AnyEvent, Room]:
        """How the first dispatch of `role` ended, and its room as the role left it."""
        self.play({role: attack}, workflow=workflow, until=lambda event: is_ending(event, f"{role}-1"))
        runlog.verify(self.run)
        return self.events[-1], self.room(f"{role}-1")

    @property
    def transcripts(self) -> dict[str, str]:
        ends = [event for event in self.events if isinstance(event, ENDINGS) and getattr(event, "dispatch", None)]
        return {end.dispatch: self.store.get_text(end.transcript_sha256) for end in ends if end.transcript_sha256}  # type: ignore[union-attr, misc]

    def witness(self, role: str = "builder") -> list[list[str]]:
        lines = [line for d, text in self.transcripts.items() if d.startswith(role) for line in text.splitlines()]
        return [json.loads(line[4:])[2:] for line in lines if line.startswith("SAW ")]

    def evidence(self, *phases: str) -> list[e.CommandExecuted]:
        """Of the package as the builder left it, not of the one before; not of questions that nobody has answered."""
        executed = [event for event in self.events if isinstance(event, e.CommandExecuted) and event.name != "ask"]
        return [event for event in executed if event.phase in phases and event.subject == "after"]

    def said(self, *phases: str) -> str:
        return "\n".join(self.store.get_text(event.output_sha256) for event in self.evidence(*phases))

    def left(self) -> list[str]:
        return sorted(path.name for path in self.effects.iterdir())

    def assert_untold(self, role: str = "builder") -> None:
        """Neither secret is in anything that came from the role."""
        texts = [text.encode() for dispatch, text in self.transcripts.items() if dispatch.startswith(role)]
        for event in self.events:
            if isinstance(event, e.DispatchFinished) and event.role == role:
                digests = [change.sha256 for change in event.files] + [*event.artifacts.values()]
                texts += [self.store.get(digest) for digest in digests if digest]
            if isinstance(event, e.DispatchFailed) and event.role == role:
                texts.append(event.model_dump_json().encode())
        assert texts, f"the {role} has not ended"
        for name, secret in self.secrets.items():
            assert not any(secret.encode() in text for text in texts), f"the {role} knows what {name} says"


def word() -> str:
    return "q" + secrets.token_hex(10)


def judged(event: e.AnyEvent, phase: str = "validation") -> bool:
    """The work of the builder has been through this phase."""
    return (
        isinstance(event, e.CommandExecuted)
        and event.name != "ask"
        and (event.phase, event.subject) == (phase, "after")
    )


def is_ending(event: e.AnyEvent, dispatch: str) -> bool:
    return isinstance(event, ENDINGS) and event.dispatch == dispatch


@pytest.fixture
def folder() -> Iterator[Path]:
    """Removed by rm, because a test may nest folders deeper than Python can go."""
    place = Path(tempfile.mkdtemp(prefix="statsclaw-attacked-"))
    try:
        yield place
    finally:
        subprocess.run(["rm", "-rf", str(place)], check=False)


@pytest.fixture
def stage(folder: Path) -> Stage:
    return Stage(Bench(folder), make_target(folder))


def test_an_honest_cast_ships_and_the_secrets_are_where_they_belong(stage: Stage) -> None:
    """The stage itself: without this, every assertion that a secret is not there would be empty."""
    look = "print((IN / 'test-spec.md').read_text()); honest()"
    view = stage.play({"tester": look})
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert stage.secrets["test-spec.md"] in stage.transcripts["tester-1"]
    with pytest.raises(AssertionError, match=r"knows what test-spec\.md says"):
        stage.assert_untold("tester")
    for role in ("builder", "reader"):
        stage.assert_untold(role)


# --- what a role can reach -------------------------------------------------------------------------------------------

REACH = """
places = [RUN / "dispatches" / f"{role}-1" / "in" / name
          for role, name in (("tester", "test-spec.md"), ("simulator", "sim-spec.md"), ("planner", "prompt.md"))]
places += [RUN / name for name in ("events.jsonl", "local.json", "head")]
end = time.monotonic() + 1.5
while time.monotonic() < end:
    for place in places:
        attempt(place.read_text)
    for folder in (RUN / "store", RUN / "desk", RUN / "target.git", RUN, RUN.parent.parent, FOLDER):
        attempt(os.listdir, folder)
    time.sleep(0.1)
tests = RUN / "dispatches" / "tester-1" / "repo" / "tests" / "validation" / "test_mine.py"
for place in (RUN / "events.jsonl", RUN / "inbox" / "q1.json", RUN / "desk" / "tester-1" / "handin.json", tests,
              FOLDER / "effects" / "x"):
    attempt(lambda: (place.parent.mkdir(parents=True, exist_ok=True), place.write_text("mine")))
honest()
"""


def test_a_role_reaches_nothing_of_the_run_while_the_others_work(stage: Stage) -> None:
    """Reading and writing by full path: other rooms, desk, log, store, clone, answers."""
    view = stage.play(
        {"builder": REACH, "tester": "time.sleep(1.5); honest()", "simulator": "time.sleep(1.5); honest()"}
    )
    # the only folders of these names that are there hold the programs it was given
    seen = {tuple(row) for row in stage.witness() if row[0] != "<lambda>"}
    assert seen <= {("listdir", "['attack.py']")}, seen
    assert "tests/validation/test_mine.py" not in view.overlay and stage.left() == []
    assert view.finished is not None and view.finished.outcome == "shipped"
    runlog.verify(stage.run)
    stage.assert_untold("builder")


def test_a_role_cannot_see_or_stop_the_engine_or_the_other_roles(stage: Stage) -> None:
    attack = f"""
        for pid in [{os.getpid()}, {os.getppid()}]:
            attempt(os.kill, pid, 0)
            attempt(os.listdir, f"/proc/{{pid}}/fd")
        names = [Path(f"/proc/{{n}}/cmdline").read_bytes().decode("utf-8", "replace").replace("\\0", " ")
                 for n in os.listdir("/proc") if n.isdigit()]
        saw("processes", len(names), any("tester" in name or "planner" in name for name in names))
        honest()
    """
    stage.ending(attack)
    (row,) = stage.witness()
    assert row[0] == "processes" and int(row[1]) <= 4 and row[2] == "False"


LEFTOVERS = """
seen = [p for place in (HOME, TMP, OUT, "/dev/shm") for p in Path(place).rglob("*")]
mounts = [Path(line.split()[4]) for line in open("/proc/self/mountinfo") if line.split()[4].count("/") > 1]
tools = [m for m in mounts if m.parts[1] in ("tmp", "home") and str(m) not in (str(HOME), str(TMP))]  # where they lie
tools.append(FOLDER)
saw("leftovers", [str(p) for p in seen if not any(t.is_relative_to(p) or p.is_relative_to(t) for t in tools)])
for place in (HOME / ".cache" / "x", HOME / ".bashrc", TMP / "x", Path("/dev/shm/x"), OUT / "x.md", REPO / "x.tmp"):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("left by " + ROLE)
(OUT / "x.md").unlink()
(REPO / "x.tmp").unlink()
if ROLE == "builder":
    sys.argv = ["agent.py", {honest!r}]  # its first attempt is wrong, so that there is a second one
    runpy.run_path({agent!r}, run_name="__main__")
else:
    honest()
"""


@pytest.mark.slow
def test_a_role_finds_nothing_that_another_or_an_earlier_one_has_left(stage: Stage) -> None:
    code = LEFTOVERS.replace("{agent!r}", repr(str(AGENT))).replace("{honest!r}", repr(str(HONEST)))
    view = stage.play({"builder": code, "tester": code, "simulator": code})
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert set(stage.transcripts) >= {"builder-1", "builder-2", "tester-1", "simulator-1"}
    for role in ("builder", "tester", "simulator"):
        assert all(row == ["leftovers", "[]"] for row in stage.witness(role)) and stage.witness(role)


OUTLIVES = """
honest()
sys.stdout.flush()
for way in range(3):
    if os.fork() == 0:
        os.setsid()
        if way == 0 or os.fork() == 0:
            [signal.signal(n, signal.SIG_IGN) for n in range(1, 65) if n not in (9, 19, 32, 33)]
            null = os.open("/dev/null", os.O_RDWR)
            [os.dup2(null, fd) for fd in (0, 1, 2)]
            end = time.monotonic() + 10
            while time.monotonic() < end:
                with open(REPO / ".git" / "heartbeat", "a") as file:
                    file.write("x")
                time.sleep(0.02)
        os._exit(0)
while not (REPO / ".git" / "heartbeat").exists():
    time.sleep(0.02)
"""


def test_no_process_outlives_its_dispatch(stage: Stage) -> None:
    """In sessions of their own, without parents, deaf to signals. What is taken in is not changed any more."""
    event, room = stage.ending(OUTLIVES, workflow="quick-fix")
    assert isinstance(event, e.DispatchFinished)
    assert not beats(room.repo / ".git" / "heartbeat")


def beats(heart: Path) -> bool:
    size = heart.stat().st_size
    assert size > 0, "the attack did not happen"
    time.sleep(0.5)
    return heart.stat().st_size != size


# --- traps in what a role hands in -----------------------------------------------------------------------------------

LINKS = {
    "a link in the repository": "os.symlink(RUN / 'dispatches/tester-1/in/test-spec.md', 'src/tinymean/x.py')",
    "a link to a folder": "os.symlink(RUN / 'dispatches/tester-1/in', 'src/tinymean/x')",
    "a link in the outbox": "(OUT / 'implementation.md').unlink()\n"
    "os.symlink(RUN / 'dispatches/tester-1/in/test-spec.md', OUT / 'implementation.md')",
    "a link to the engine's environment": "os.symlink('/proc/self/environ', 'src/tinymean/x.py')",
    "a fifo in the outbox": "(OUT / 'implementation.md').unlink(); os.mkfifo(OUT / 'implementation.md')",
    "a socket": "socket.socket(socket.AF_UNIX).bind('src/tinymean/x.py')",
    "a second name": "os.link('src/tinymean/__init__.py', 'src/tinymean/x.py')",
}


@pytest.mark.parametrize("kind", LINKS)
def test_nothing_is_followed_that_a_role_leaves(kind: str, stage: Stage) -> None:
    event, _ = stage.ending(f"honest()\n{LINKS[kind]}\nsaw('left')")
    assert stage.witness() == [["left"]], "the attack did not happen"
    assert isinstance(event, e.DispatchFailed)
    assert event.refused and any("x" in row or "implementation.md" in row for row in event.refused)
    stage.assert_untold()


def test_a_role_can_make_neither_devices_nor_second_names_of_documents(stage: Stage) -> None:
    attack = """
        import stat
        attempt(os.mknod, "src/x.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        attempt(os.mknod, "/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(254, 0))
        attempt(os.link, IN / "spec.md", OUT / "implementation.md")
        attempt((IN / "spec.md").write_text, "mine")
        saw("tried")
        honest()
    """
    event, _ = stage.ending(attack)
    assert stage.witness() == [["tried"]] and isinstance(event, e.DispatchFinished)


def test_an_archive_with_paths_that_lead_out_is_only_a_file(stage: Stage) -> None:
    attack = """
        import io, tarfile, zipfile
        honest()
        for name in ("../../../effects/x", str(FOLDER / "effects" / "x")):
            with tarfile.open("src/tinymean/data.tar", "a") as file:
                file.addfile(tarfile.TarInfo(name), io.BytesIO())
            with zipfile.ZipFile("src/tinymean/data.zip", "a") as file:
                file.writestr(name, "x")
    """
    view = stage.play({"builder": attack}, workflow="quick-fix")
    assert view.pushed is not None and {"src/tinymean/data.tar", "src/tinymean/data.zip"} <= set(view.overlay)
    assert stage.left() == []


#: Settings, hooks and attributes that make git run a program. {touch} leaves a file of the trap's name.
TRAPS = """
def touch(name):
    return f"touch {FOLDER}/effects/{name}"

git = REPO / ".git"
config = f'''
[core]
\\tfsmonitor = "{touch('fsmonitor')} #"
\\tsshCommand = "{touch('ssh')} #"
\\tpager = "{touch('pager')} #"
\\teditor = "{touch('editor')} #"
[filter "trap"]
\\tclean = "{touch('clean')}; cat"
\\tsmudge = "{touch('smudge')}; cat"
\\trequired = true
[diff "trap"]
\\ttextconv = "{touch('textconv')}; cat"
\\tcommand = "{touch('diff')}"
[url "ssh://nobody@localhost/"]
\\tinsteadOf = "trap:"
[include]
\\tpath = included
[gpg]
\\tprogram = "{FOLDER}/effects/gpg"
[log]
\\tshowSignature = true
[credential]
\\thelper = "!{touch('credential')} #"
[alias]
\\tlog = "!{touch('alias')}"
[submodule "x"]
\\turl = "ext::sh -c '{touch('submodule')}'"
\\tupdate = "!{touch('update')}"
'''
(git / "config").write_text((git / "config").read_text() + config)
(git / "included").write_text(f'[core]\\n\\thooksPath = {git / "planted"}\\n')
(git / "info").mkdir(exist_ok=True)
(git / "info" / "attributes").write_text("* filter=trap diff=trap\\n")
(git / "objects" / "info").mkdir(exist_ok=True)
(git / "objects" / "info" / "alternates").write_text(f"{RUN}/target.git/objects\\n")
(git / "planted").mkdir()
for folder in ("planted", "hooks"):
    (git / folder).mkdir(exist_ok=True)
    for hook in ("pre-commit", "post-commit", "post-checkout", "pre-push", "reference-transaction"):
        (git / folder / hook).write_text(f"#!/bin/sh\\n{touch(hook)}\\n")
        (git / folder / hook).chmod(0o755)
honest()
subprocess.run(["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "commit", "-qam", "mine"],
               env={**os.environ, "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x",
                    "GIT_COMMITTER_EMAIL": "x"})
saw("planted")
"""


def test_what_a_role_plants_in_its_git_folder_never_runs_on_the_machine(stage: Stage) -> None:
    """The run is shipped; then the same folder is used as a careless engine would use it, and the traps go off."""
    kept = stage.folder / "kept"

    def keep(event: e.AnyEvent) -> bool:
        if is_ending(event, "builder-1"):
            shutil.copytree(stage.room("builder-1").repo, kept, symlinks=True)
        return False

    view = stage.play({"builder": TRAPS}, workflow="quick-fix", until=keep)
    assert stage.witness() == [["planted"]]
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert view.pushed is not None and view.pushed.branch in branches(stage.folder / "tinymean.git")
    assert stage.left() == [], "something of the role ran on the machine"
    config = (kept / ".git" / "config").read_text().replace("/repo/.git/planted", str(kept / ".git" / "planted"))
    (kept / ".git" / "config").write_text(config)
    included = (kept / ".git" / "included").read_text().replace("/repo/.git", str(kept / ".git"))
    (kept / ".git" / "included").write_text(included)
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_SSH_VARIANT": "simple"}
    (kept / "README.md").write_text("changed\n")
    for words in ("status", "add -A", "commit -qm x", "checkout -q -b other", "fetch trap:x", "diff HEAD~1"):
        subprocess.run(["git", *words.split()], cwd=kept, env=env, capture_output=True, check=False, timeout=20)
    sprung = set(stage.left())
    assert sprung >= {"fsmonitor", "clean", "ssh", "post-checkout", "diff"}, sprung


# --- the build, which runs what the builder wrote ------------------------------------------------------------------

SETTINGS = """
[[profile.unit_tests]]
name = "unit-tests"
parser = "exit"
timeout_s = 60
on = "unit_tests"
argv = ["{python}", "-I", "-S", "-c", "pass"]

[[profile.paths]]
cls = "source"
globs = ["build.py"]
"""
BUILD = """
import os, shutil, sys
tree, site = sys.argv[1:]
shutil.copytree(tree + "/src/tinymean", site + "/tinymean", dirs_exist_ok=True)
"""


@pytest.fixture
def built(folder: Path) -> Stage:
    """A target whose package is built by a script in the repository, as with setup.py."""
    target = make_target(folder)
    settings = (HERE / "fast_settings.toml").read_text().replace("unit_tests = []\n", "")
    start, end = settings.index("argv = ["), settings.index("[[profile.validation]]")
    argv = 'argv = ["{python}", "-I", "-S", "{tree}/build.py", "{tree}", "{site}"]\n\n'
    (target / "statsclaw.toml").write_text(settings[:start] + argv + settings[end:] + SETTINGS)
    (target / "build.py").write_text(BUILD)
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    for words in ("add -A", "-c user.name=x -c user.email=x commit -qm build", "push -q origin main"):
        subprocess.run(["git", *words.split()], cwd=target, env=env, check=True, capture_output=True)
    return Stage(Bench(folder), target)


def builder_with(build: str, package: str = "") -> str:
    """A builder that is honest but for the build script, and for what the package does when it is imported."""
    return f"""
honest()
Path("build.py").write_text({BUILD + textwrap.dedent(build)!r})
with open("src/tinymean/__init__.py", "a") as file:
    file.write({textwrap.dedent(package)!r})
"""


TELL = """
honest()
given, place = IN / "{document}", Path("{place}")
words = " ".join(re.findall("q[0-9a-f]{{20}}", given.read_text()))
place.write_text(place.read_text() + "\\n# " + words + "\\n")
"""
TELLING = {
    "tester": TELL.format(document="test-spec.md", place="tests/validation/ask_tinymean.py"),
    "simulator": TELL.format(document="sim-spec.md", place="simulations/study.py"),
}

READ_ALL = """
for root, folders, names in os.walk("/"):
    folders[:] = [n for n in folders if os.path.join(root, n) not in ("/proc", "/sys", "/usr", "/dev", sys.prefix,
                                                                       sys.base_prefix)]
    # what is installed beside the tests fills the output, which is limited
    folders[:] = [n for n in folders if not os.path.exists(os.path.join(root, n, "pyvenv.cfg"))]
    for name in names:
        try:
            if not os.path.isfile(os.path.join(root, name)):  # a pipe would wait for ever
                continue
            with open(os.path.join(root, name), errors="replace") as file:
                text = file.read(100_000)
            if any(word in text for word in ("def test_", "criteria", "answer")):
                print(os.path.join(root, name), text)
        except OSError:
            pass
print("looked everywhere")
"""


def test_the_build_sees_neither_the_tests_nor_the_study(built: Stage) -> None:
    view = built.play({"builder": builder_with(READ_ALL), **TELLING})
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert "looked everywhere" in built.said("build")
    tests = (built.store.get(view.overlay["tests/validation/ask_tinymean.py"].sha256 or "")).decode()
    assert built.secrets["test-spec.md"] in tests
    for secret in built.secrets.values():
        assert secret not in built.said("build", "checks", "unit_tests")


def listen(server: socket.socket, heard: list[bytes]) -> None:
    with suppress(OSError):
        heard.append(server.accept()[0].recv(100))


def test_the_build_reaches_no_network(built: Stage) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        threading.Thread(target=listen, args=(server, heard), daemon=True).start()
        code = f"""
            import socket
            for family, address in ((socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})),):
                try:
                    there = socket.socket(family)
                    there.settimeout(2)
                    there.connect(address)
                    there.sendall(b"out")
                    print("connected")
                except OSError as error:
                    print("refused", error)
            print([name for _, name in socket.if_nameindex()])
        """
        view = built.play({"builder": builder_with(code)}, workflow="quick-fix")
        assert view.finished is not None and view.finished.outcome == "shipped"
    said = built.said("build")
    assert "refused" in said and "connected" not in said and "['lo']" in said and heard == []


IN_THE_WAY = {
    "the folder of tests": "os.makedirs(tree + '/tests'); os.symlink(OUTSIDE, tree + '/tests/validation')",
    "the folder above": "os.symlink(OUTSIDE, tree + '/tests')",
    "the folder of the study": "os.symlink(OUTSIDE, tree + '/simulations')",
    "a test": "os.makedirs(tree + '/tests/validation'); "
    "os.symlink(OUTSIDE + '/test_tinymean.py', tree + '/tests/validation/test_tinymean.py')",
}


@pytest.mark.parametrize("kind", [kind for kind in IN_THE_WAY if "study" not in kind])
def test_the_engine_lays_no_test_where_the_build_points(kind: str, built: Stage) -> None:
    """Links in the tree to a folder of the machine. Without a contract the tests are written there after the build."""
    built.play({"builder": points_outside(kind, built.effects)}, workflow="quick-fix", until=over)
    assert built.left() == []
    assert isinstance(built.events[-1], e.VerificationFinished)
    if kind != "a test":  # a link in place of one file is replaced by the file
        assert [event.name for event in built.evidence("validation", "study")] == ["lay-out"]
        assert "the build put something in the way" in built.said("validation", "study")


@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_with_a_contract_no_test_is_laid_where_the_build_could_point(kind: str, built: Stage) -> None:
    """The package is built in one place and judged from another: there is nothing to put into the way."""
    built.play({"builder": points_outside(kind, built.effects)}, until=over)
    assert built.left() == []
    assert isinstance(built.events[-1], e.VerificationFinished) and built.events[-1].failed == ()
    assert {event.name.partition(",")[0] for event in built.evidence("validation", "study")} == {"validation", "study"}
    tree = built.run / "verify" / "tree"
    assert not any(path.is_file() for name in ("tests/validation", "simulations") for path in (tree / name).rglob("*"))


def points_outside(kind: str, outside: Path) -> str:
    build = f"import shutil as s\nOUTSIDE = {str(outside)!r}\n"
    build += "for name in ('/tests', '/simulations'): s.rmtree(tree + name, ignore_errors=True)\n" + IN_THE_WAY[kind]
    return builder_with(build).replace("honest()", 'honest()\nshutil.rmtree("tests", ignore_errors=True)', 1)


def over(event: e.AnyEvent) -> bool:
    return isinstance(event, e.VerificationFinished)


def test_the_build_leaves_no_process_behind(built: Stage) -> None:
    beat = """
        import signal, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                [os.dup2(os.open(os.devnull, os.O_RDWR), fd) for fd in (0, 1, 2)]
                end = time.monotonic() + 10
                while time.monotonic() < end:
                    open("/verify/scratch/heartbeat", "a").write("x")
                    time.sleep(0.02)
            os._exit(0)
        while not os.path.exists("/verify/scratch/heartbeat"):
            time.sleep(0.02)
    """
    built.play({"builder": builder_with(beat)}, until=lambda event: judged(event, "build"))
    assert built.evidence("build")[0].passed
    assert not beats(built.run / "verify" / "scratch" / "heartbeat")


LITTER = {
    "a name with a newline": "open(tree + '/a\\nb', 'w').close()",
    "a name with a backslash": "open(tree + '/a\\\\b', 'w').close()",
    "a name that is not UTF-8": "open(tree.encode() + b'/\\xff', 'w').close()",
    "folders nested deep": "shutil.rmtree(tree + '/tests'); os.chdir(tree)\n"
    "for _ in range(1200): os.mkdir('d'); os.chdir('d')",
    "a folder nobody may enter": "os.mkdir(tree + '/shut'); os.chmod(tree + '/shut', 0)",
    "a loop of links": "os.symlink('.', tree + '/loop'); os.symlink('b', tree + '/a'); os.symlink('a', tree + '/b')",
    "a pipe in place of the report": "os.mkfifo('/verify/reports/validation-validation')",
    "a link in place of the report": "os.symlink('/proc/self/environ', '/verify/reports/validation-validation')",
    "a folder in place of the report": "os.mkdir('/verify/reports/validation-validation')",
}


@pytest.mark.parametrize("kind", LITTER)
def test_the_engine_survives_what_a_build_leaves(kind: str, built: Stage) -> None:
    """Whatever lies in the tree afterwards, the verification comes to an end and says how."""
    built.play(
        {"builder": builder_with(LITTER[kind])},
        workflow="full",
        until=over,
    )
    assert isinstance(built.events[-1], e.VerificationFinished) and built.evidence("build")[0].passed


CHANGE_LATER = """
import os, sys
if os.path.isdir("/verify/own"):  # while it is judged
    def _try():
        for place in ("/verify/site/tinymean/planted.py", "/verify/site/planted.py"):
            try:
                open(place, "w").write("x = 1")
                print("changed", place)
            except OSError as error:
                print("refused", place, error.strerror)
    _try()
"""


def test_the_package_cannot_be_changed_once_it_is_built(built: Stage) -> None:
    """What was built is what is judged: the tests must not run against something else than what was checked."""
    built.play({"builder": builder_with("", CHANGE_LATER)}, until=lambda event: judged(event, "study"))
    (validation,) = built.evidence("validation")
    said = built.said("validation")
    assert validation.passed
    assert "refused /verify/site/tinymean/planted.py" in said and "changed" not in said


#: A mean that is wrong, so that what judges it has something to find.
WRONG = """
_right = mean
def mean(x):
    return _right(x) + 1
"""
AROUND = ("validation", "simulation", "reports", "scratch", "tree")
LOOK_AROUND = (
    f"""
def _look():
    import os, sys
    if not os.path.isdir("/verify/own"):
        return
    for _name in {AROUND!r}:
        try:
            print("SEES", _name, os.listdir("/verify/" + _name))
        except OSError as error:
            print("SEES NO", _name)
    print("TOLD", sorted(name for name in os.environ if name.startswith("STATSCLAW_")), sys.argv[0])
"""
    + textwrap.indent(READ_ALL, "    ")
    + "\n_look()\n"
)


def test_the_package_sees_nothing_of_what_judges_it(built: Stage) -> None:
    """In a process and a root of its own: no test, no study, no report, and no word about any of them."""
    built.play({"builder": builder_with("", LOOK_AROUND), **TELLING}, until=lambda event: judged(event, "study"))
    (validation,), (study,) = built.evidence("validation"), built.evidence("study")
    assert validation.passed and study.passed
    for phase in ("validation",):
        said = built.said(phase)
        assert "looked everywhere" in said
        assert {line for line in said.splitlines() if line.startswith("SEES")} == {f"SEES NO {name}" for name in AROUND}
        assert "test_mean_of_drawn_numbers" not in said and "tinymean.interval(" not in said
        assert "TOLD [] " in said, "it must not know with which seed it is judged"
        for secret in built.secrets.values():
            assert secret not in said


REWRITE_TESTS = """
import glob as _glob, os as _os
for _path in [*_glob.glob("/verify/**/*.py", recursive=True), "/verify/validation/tests/validation/ask_tinymean.py"]:
    try:
        with open(_path, "r+") as _file:
            _file.truncate(0)
        print("rewrote", _path)
    except OSError as _error:
        print("refused", _path, _error.strerror)
"""


def test_the_package_cannot_rewrite_the_tests_that_judge_it(built: Stage) -> None:
    """At its first import the package empties everything it can reach; what judges it is not among it."""
    built.play({"builder": builder_with("", REWRITE_TESTS + WRONG)}, until=judged)
    (validation,) = built.evidence("validation")
    said = built.said("validation")
    assert "refused /verify/validation/tests/validation/ask_tinymean.py No such file" in said
    assert not [line for line in said.splitlines() if line.startswith("rewrote")]
    assert len(validation.tests) == 6 and not validation.passed


SECOND_TEST = """
honest()
Path("tests/validation/test_second.py").write_text("def test_that_fails():\\n    assert False\\n")
"""


def test_without_a_contract_the_package_cannot_rewrite_the_tests_either(built: Stage) -> None:
    """There it runs in the process of the tests, which lie where nothing can be written."""
    attack = {"builder": builder_with("", REWRITE_TESTS), "tester": SECOND_TEST}
    built.play(attack, workflow="quick-fix", until=judged)
    (validation,) = built.evidence("validation")
    said = built.said("validation")
    assert "refused /verify/validation/tests/validation/test_second.py" in said and not validation.passed
    assert "rewrote /verify/validation" not in said


FORGED = '<testsuite><testcase name="all_is_well"/></testsuite>'
FORGE = f"""
for name in ("validation-validation", "validation-validation.xml"):
    open("/verify/reports/" + name, "w").write({FORGED!r})
"""
QUIT = """
import os as _os, sys as _sys
if any("/verify/reports/validation" in word for word in _sys.argv):
    _os._exit(0)
"""


def test_a_report_that_the_build_has_left_is_not_believed(built: Stage) -> None:
    """The build forges the report of the validation; the package ends the validation before it writes its own."""
    built.play({"builder": builder_with(FORGE, QUIT)}, workflow="quick-fix", until=judged)
    (validation,) = built.evidence("validation")
    assert not validation.passed, validation.summary


EVIDENCE = json.dumps({"criterion": "C1", "test": "all_is_well", "rule": "close", "observed": 1.0, "expected": 1.0})
FORGE_INSIDE = f"""
import os as _os
def _forge():
    for name, text in (("validation-validation", {FORGED!r}), ("evidence.jsonl", {EVIDENCE!r})):
        for folder in ("/verify/reports", "/verify/scratch", "/tmp", "/verify/own"):
            try:
                open(folder + "/" + name, "w").write(text + chr(10))
                print("forged", folder + "/" + name, flush=True)
            except OSError as error:
                print("refused", folder + "/" + name, flush=True)
_forge()
"""
AT_A_CALL = """
def mean(x):
    _forge()
    _os._exit(0)
"""
AT_IMPORT = """
if _os.path.isdir("/verify/own"):
    _os._exit(0)
"""


@pytest.mark.parametrize("ending", [AT_A_CALL, AT_IMPORT, WRONG], ids=["call", "import", "lie"])
def test_a_package_cannot_forge_what_is_said_of_it(ending: str, built: Stage) -> None:
    """It writes report and evidence wherever it can, and ends its process with success, or lies about its results."""
    built.play({"builder": builder_with(FORGE, FORGE_INSIDE + ending)}, until=over)
    (validation,) = built.evidence("validation")
    said = built.said("validation")
    assert "refused /verify/reports/validation-validation" in said, "the attack did not happen"
    assert "forged /verify/reports" not in said
    assert "all_is_well" not in {test.name for test in validation.tests}
    assert "all_is_well" not in {row.test for row in validation.observations}
    assert not validation.passed and len(validation.tests) == 6
    finished = built.events[-1]
    assert isinstance(finished, e.VerificationFinished) and finished.failed
    verdicts = {row.id: row.verdict for event in built.events if isinstance(event, e.CriteriaJudged)
                and event.subject == "after" for row in event.judgements}  # fmt: skip
    assert verdicts["C1"] == "FAIL"


# --- what the engine does on the machine itself ----------------------------------------------------------------------

EVIL_PACKAGE = """
honest()
root = next(line.split()[3] for line in open("/proc/self/mountinfo") if line.split()[4] == "/repo")
tree = Path(root).parents[2] / "verify" / "tree"
evil = Path("src/evil")
evil.mkdir(parents=True)
(evil / "pyproject.toml").write_text(
    '[build-system]\\nrequires = []\\nbuild-backend = "backend"\\nbackend-path = ["."]\\n'
    '[project]\\nname = "evil"\\nversion = "1"\\n')
(evil / "backend.py").write_text(f"open({str(FOLDER / 'effects' / 'ran-on-the-machine')!r}, 'w').write('x')\\n")
place = Path("pyproject.toml")
named = f'[project]\\ndependencies = ["evil @ file://{tree}/src/evil"]'
place.write_text(place.read_text().replace("[project]", named, 1))
saw("planted", tree)
"""


def test_a_dependency_that_the_builder_names_is_not_installed_on_the_machine(stage: Stage) -> None:
    """pip builds a dependency by running its code: named in pyproject.toml, it may lie in the tree itself."""
    stage.play(
        {"builder": EVIL_PACKAGE},
        workflow="quick-fix",
        until=over,
    )
    assert stage.witness()[0][0] == "planted"
    assert stage.left() == [], "the builder's code ran on the machine"


def test_what_a_dependency_does_to_its_environment_leads_nowhere(folder: Path) -> None:
    """While it is installed it may write to the environment: the engine must not follow the links it leaves there."""
    tree, private, outside = folder / "tree", folder / "private" / "bin" / "program", folder / "made-by-the-engine"
    for place, text in (
        (private, "#!/bin/sh\n"),
        (tree / "pyproject.toml", '[project]\ndependencies = ["no-such-thing"]'),
    ):
        place.parent.mkdir(parents=True)
        place.write_text(text)
    private.chmod(0o755)

    def install(environment: Path, wanted: list[str]) -> tuple[int, str]:
        (environment / "complete").symlink_to(outside)
        (environment / "bin" / "python").unlink()
        (environment / "bin" / "python").symlink_to(private)
        return 0, ""

    try:
        python = find_interpreter(tree, folder / "cache", "python", install)
    except InterpreterMissing:
        python = sys.executable
    assert not outside.exists(), "the engine made a file where the dependency pointed"
    assert not any(private.is_relative_to(place) for place in places_of(Path(python))), "the next phases would see it"

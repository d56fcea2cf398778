"""Every attack of the list: it is held behind the barrier, and gets through where there is none.

The second half makes the first one mean something: an attack that fails for a reason of its own proves nothing.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pydantic
import pytest

from statsclaw.errors import InputRefused
from statsclaw.sandbox import bubblewrap
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import GIB, MIB, Limits
from statsclaw.sandbox.process import Completed, end_leftover
from statsclaw.sandbox.props import disguised
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.selftest import Attack, AttackResult, attacks, attempt, run_attacks
from statsclaw.sandbox.stage import LIMITS as SMALL
from statsclaw.sandbox.stage import Stage, programs
from statsclaw.sandbox.toolchain import system
from tests.support.patience import within

HERE = Path(__file__).parents[2]
ROOT = os.geteuid() == 0
Patch = pytest.MonkeyPatch
LIST = [attack for attack in attacks() if not attack.known_limit]
LIMITED = [attack for attack in attacks() if attack.known_limit]

#: Faults of the barrier that are reported and not mended yet.
KNOWN_FAULTS: dict[str, str] = {}


def cases(wanted: list[Attack], known: dict[str, str] | None = None) -> list[object]:
    known = known or {}
    return [
        pytest.param(
            attack,
            id=attack.name,
            marks=[pytest.mark.xfail(strict=True, reason=known[attack.name])] if attack.name in known else [],
        )
        for attack in wanted
    ]


@pytest.fixture(autouse=True)
def nothing_takes_forever() -> Iterator[None]:
    with within(120):
        yield


@pytest.fixture(scope="module")
def behind() -> Iterator[Stage]:
    with Stage(Bubblewrap()) as stage:
        yield stage


@pytest.fixture(scope="module")
def bare() -> Iterator[Stage]:
    with Stage(NoBarrier()) as stage:
        yield stage


@pytest.mark.parametrize("attack", cases(LIST, KNOWN_FAULTS))
def test_the_barrier_holds(attack: Attack, behind: Stage) -> None:
    result = attempt(behind, attack)
    assert result.held, result.detail


def can_be_tried(attack: Attack, stage: Stage) -> bool:
    """Whether the machine has what the attack needs to get through where nothing stops it."""
    needed = attack.control_needs
    if needed in ("root", "cgroup"):
        return ROOT and (needed == "root" or Path("/sys/fs/cgroup").is_dir())
    if needed in stage.bystander:
        return stage.bystander[needed] is not None
    if needed == "ia32":
        settings = subprocess.run("zcat /proc/config.gz", shell=True, capture_output=True, text=True)
        return "CONFIG_IA32_EMULATION=y" in settings.stdout
    return not needed or shutil.which(needed) is not None


SIGNS = {
    "secret": "it could see the secret of",
    "effect": "it changed|was ended|was changed|it wrote to|arrived at a socket|lives on|it left|was run by",
    "claim": ".",
}


@pytest.mark.parametrize("attack", cases([attack for attack in attacks() if attack.control]))
def test_without_a_barrier_it_gets_through(attack: Attack, bare: Stage) -> None:
    if not can_be_tried(attack, bare):
        pytest.skip(f"needs {attack.control_needs}")
    result = attempt(bare, attack)
    assert not result.held, "the attack does not work even where nothing stops it"
    assert re.search(SIGNS[attack.success], result.detail), result.detail
    assert not re.search("could not be made|cut short|broke off", result.detail), result.detail


@pytest.mark.parametrize("attack", cases(LIMITED))
def test_what_is_known_to_get_through_still_does(attack: Attack, behind: Stage) -> None:
    """Fails when a limit is gone: then the row loses its `known_limit` and joins the list."""
    assert not attempt(behind, attack).held


class Generous(Bubblewrap):
    """Sets far wider limits than the attack is told."""

    def run(self, argv: Sequence[str], enclosure: Enclosure, *, limits: Limits, **given: Any) -> Completed:
        wide = {"timeout_s": 60, "memory_bytes": 4 * GIB, "processes": 2000, "disk_bytes": GIB, "output_bytes": GIB}
        wide |= {"shared_memory_bytes": 64 * MIB, "disk_files": 1_000_000}
        return super().run(argv, enclosure, limits=limits.model_copy(update=wide), **given)


@pytest.mark.parametrize(
    "attack", cases([attack for attack in LIST if attack.ends and attack.name not in KNOWN_FAULTS])
)
def test_where_its_limit_is_not_set_it_gets_through(attack: Attack, behind: Stage, monkeypatch: Patch) -> None:
    """These are never run without a barrier; that they would get through shows behind one with wider limits."""
    monkeypatch.setattr(behind, "barrier", Generous())
    result = attempt(behind, attack)
    assert not result.held and re.search("allowed|sixty-four|nobody minded", result.detail), result.detail


class Careless(NoBarrier):
    """Passes everything on that the engine has open and in its environment."""

    kind = "careless"

    def run(self, argv: Sequence[str], enclosure: Enclosure, *, env: Mapping[str, str], **_: Any) -> Completed:
        env = {**os.environ, **env}
        done = subprocess.run(argv, env=env, cwd="/", stdin=subprocess.PIPE, capture_output=True, close_fds=False)
        return Completed(done.returncode, done.stdout, 0.0)


@pytest.mark.parametrize("name", ["environment", "inherited-descriptors"])
def test_what_a_program_inherits_is_noticed(name: str, behind: Stage, monkeypatch: Patch) -> None:
    monkeypatch.setattr(behind, "barrier", Careless())
    result = attempt(behind, attack_called(name))
    assert not result.held and "it could see the secret of" in result.detail, result.detail


def test_what_could_harm_the_machine_is_never_run_without_a_barrier(monkeypatch: Patch) -> None:
    dangerous = [attack.name for attack in attacks() if not attack.control]
    ran: list[object] = []
    monkeypatch.setattr("statsclaw.sandbox.selftest._run", lambda *given: ran.append(given))
    results = run_attacks(NoBarrier(), dangerous)
    assert ran == [] and len(results) == len(dangerous) > 20
    assert all(not result.held and "not tried" in result.detail for result in results)


# --- the list ------------------------------------------------------------------------------------------------------


def test_every_program_is_in_the_list_and_says_what_it_tries() -> None:
    rows = tomllib.loads((programs() / "attacks.toml").read_text())["attack"]
    files = {path.name for path in programs().glob("*.py")} - {"kit.py"}
    assert sorted(row["file"] for row in rows) == sorted(files)
    assert len(LIST) >= 60 and len({attack.category for attack in LIST}) >= 8
    for attack in attacks():
        assert attack.what.endswith(".") and len(attack.what) > 15, attack.file
        assert attack.success in SIGNS
        assert attack.control or attack.why, f"{attack.name} says not why it is never run without a barrier"


def test_the_programs_need_nothing_but_the_standard_library() -> None:
    for path in programs().rglob("*.py"):
        assert path.stem not in sys.stdlib_module_names, f"{path.name} would stand in for a module it imports"
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                top = name.partition(".")[0]
                assert top in sys.stdlib_module_names or top in ("kit", "tinymean", "tinymedian"), (
                    f"{path.name}: {name}"
                )


# --- the judge -----------------------------------------------------------------------------------------------------


class Deaf(NoBarrier):
    """A barrier behind which nothing runs, or only the beginning of it."""

    kind = "bubblewrap"
    said = b""

    def run(self, argv: object, enclosure: object, **given: object) -> Completed:  # type: ignore[override]
        return Completed(127, self.said, 0.0)


def attack_called(name: str) -> Attack:
    return next(attack for attack in attacks() if attack.name == name)


def test_an_attack_that_was_not_made_is_not_held(behind: Stage, monkeypatch: Patch) -> None:
    deaf = Deaf()
    monkeypatch.setattr(behind, "barrier", deaf)
    monkeypatch.setattr(deaf, "said", b"python: not found\n")
    result = attempt(behind, attack_called("path-direct"))
    assert not result.held and "could not be made: python: not found" in result.detail


def test_a_secret_is_found_in_disguise(behind: Stage) -> None:
    secret = behind.secret("test-spec.md")
    for text in disguised(secret):
        assert behind.leaked([b"xx" + text + b"yy"]) == ["test-spec.md"]
    assert len(set(disguised(secret))) == 8
    assert behind.leaked([b"nothing", secret[:-3].encode()]) == []


def test_secrets_differ_between_places_and_stages(behind: Stage, bare: Stage) -> None:
    both = [*behind.secrets.values(), *bare.secrets.values()]
    assert len(set(both)) == len(both) and behind.secrets.keys() == bare.secrets.keys()


def test_what_an_attacker_knows_holds_no_secret(behind: Stage) -> None:
    room = behind.new_room(1)
    try:
        text = json.dumps(behind.knowledge(room, behind.enclosure(room), "mark", SMALL))
        assert behind.leaked([text.encode()]) == []
        assert str(behind.tester.inbox / "test-spec.md") in text and str(behind.bystander["pid"]) in text
    finally:
        room.clear()


# --- running the list ------------------------------------------------------------------------------------------------


def test_some_attacks_by_name_in_the_order_of_the_list() -> None:
    told: list[AttackResult] = []
    results = run_attacks(Bubblewrap(), ["tcp4", "path-direct", "environment"], told.append)
    assert [result.name for result in results] == ["path-direct", "environment", "tcp4"]
    assert sorted(told, key=lambda result: result.name) == sorted(results, key=lambda result: result.name)
    assert all(result.held and result.detail == "" and result.elapsed_s > 0 for result in results)
    assert {result.category for result in results} == {"files", "processes", "network"}


def test_an_unknown_attack_is_refused() -> None:
    with pytest.raises(InputRefused, match="no-such-attack"):
        run_attacks(Bubblewrap(), ["no-such-attack"])


def the_list(names: list[str]) -> None:
    """What the next test has done in a process of its own."""
    print("begun", flush=True)
    run_attacks(Bubblewrap(), names)


def left_by(pid: int) -> list[str]:
    """Processes that a run of the list has started, wherever they are now."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_text()
        except OSError:
            continue
        if "sandbox/attacks/stage/bystander.py" in words or "/in/accomplice.py" in words:
            parents = Path(f"/proc/{entry.parent.name}/stat").read_text().rsplit(")", 1)[1].split()
            if int(parents[1]) in (pid, 1) or int(parents[3]) == pid:
                found.append(words)
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, None], ids=["control-c", "kill", "to the end"])
def test_whatever_happens_nothing_is_left(how: signal.Signals | None, tmp_path: Path) -> None:
    names = ["path-direct", "outlives-daemon", "outlives-many"] if how is None else ["never-ends"]
    program = f"from tests.barrier.test_attacks import the_list; the_list({names!r})"
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": f"{HERE}:{HERE / 'src'}"}
    with subprocess.Popen([sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        if how is not None:
            while not list(tmp_path.glob("*/workspace/*/runs/*/dispatches/builder-*/tmp/heartbeat")):
                assert process.poll() is None
            process.send_signal(how)
        process.wait()
        process.stdout.read()
    assert until(lambda: not left_by(process.pid)), left_by(process.pid)
    left = [path for place in ("/dev/shm", "/var/tmp") for path in Path(place).glob(f"statsclaw-*{process.pid}-*")]
    if how is signal.SIGKILL:  # nobody can tidy up after that, but nothing runs on
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    else:
        assert left == [] and list(tmp_path.iterdir()) == []


def killed_before_it_says_go(folder: Path) -> None:
    """An engine that is killed when the sandbox is made and the program in it has not begun."""

    def killed(told: int) -> None:
        os.read(told, 4096)
        os.kill(os.getpid(), signal.SIGKILL)

    bubblewrap._inner_process = killed  # type: ignore[assignment]
    room = Room(folder / "room", folder / "desk")
    room.repo.mkdir(parents=True)
    room.furnish({}, {})
    beat = "for i in $(seq 60); do echo $i >> /out/heartbeat; sleep 0.05; done"
    Bubblewrap().run(["sh", "-c", beat], room.enclosure(system()), desk=room.desk, env={}, limits=SMALL)


def test_a_program_does_not_begin_once_its_engine_is_gone(tmp_path: Path) -> None:
    """Nobody would watch it, and its number is not on the desk: the next engine could not end it either."""
    where = f"from pathlib import Path; killed_before_it_says_go(Path({str(tmp_path)!r}))"
    program = f"from tests.barrier.test_attacks import killed_before_it_says_go; {where}"
    env = {**os.environ, "PYTHONPATH": f"{HERE}:{HERE / 'src'}"}
    done = subprocess.run([sys.executable, "-c", program], env=env, check=False)
    assert done.returncode == -signal.SIGKILL, "the attack did not happen"
    end_leftover(tmp_path / "desk" / "pid")  # what the next engine does first
    heart = tmp_path / "room" / "out" / "heartbeat"
    time.sleep(0.5)
    size = heart.stat().st_size if heart.exists() else 0
    time.sleep(0.5)
    assert (heart.stat().st_size if heart.exists() else 0) == size


def until(test: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not test() and time.monotonic() < end:
        time.sleep(0.05)
    return test()


# --- for a person who is not root ----------------------------------------------------------------------------------

PROBE = """
import subprocess, sys, pydantic
assert sys.version_info >= (3, 11)
subprocess.run([sys.executable, "-c", ""], check=True)  # setpriv itself may still start what the user may not
"""
UNPRIVILEGED = """
import json
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.selftest import run_attacks
from statsclaw.sandbox.choose import make_barrier
results = run_attacks(make_barrier("bubblewrap"))
print(json.dumps([[result.name, result.held, result.detail] for result in results]))
"""


def a_copy_for_everybody(folder: Path) -> None:
    """StatsClaw and what it needs, where another user may read it."""
    shutil.copytree(HERE / "src" / "statsclaw", folder / "statsclaw")
    installed = Path(str(pydantic.__file__)).parent.parent
    for pattern in ("pydantic*", "annotated_types*", "typing_extensions*", "typing_inspection*", "packaging*", "h11*"):
        for path in installed.glob(pattern):
            place = folder / path.name
            shutil.copytree(path, place) if path.is_dir() else shutil.copy(path, place)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.skipif(not ROOT, reason="the other tests run as a person who is not root already")
def test_the_barrier_holds_for_a_person_who_is_not_root() -> None:
    """The same list for another user: what root owns is then somebody else's, and there are no control groups."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        a_copy_for_everybody(Path(name))
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": name}

        def run(python: str, program: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([*nobody, python, "-c", program], env=env, cwd="/", capture_output=True, text=True)

        usable = [python for python in (sys.executable, "/usr/bin/python3") if run(python, PROBE).returncode == 0]
        if not usable:
            pytest.skip("no interpreter that another user may start")
        done = run(usable[0], UNPRIVILEGED)
        assert done.returncode == 0, done.stderr
    results = {name: (held, detail) for name, held, detail in json.loads(done.stdout.splitlines()[-1])}
    assert len(results) == len(LIST)
    assert {name: detail for name, (held, detail) in results.items() if not held} == {}

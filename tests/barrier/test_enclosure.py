"""What is visible inside is the view, no more and no less; limits end a program with a record; nothing outlives it."""

from __future__ import annotations

import hashlib
import os
import string
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.sandbox import bubblewrap, choose
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.enclosure import Enclosure, Mount, nested
from statsclaw.sandbox.limits import MIB, Limits
from statsclaw.sandbox.process import Completed
from statsclaw.sandbox.readings import Readings
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import (
    check_apart,
    find_program,
    hide,
    installed_copies,
    places_of,
    system,
    with_agent,
    with_tools,
)
from tests.support.patience import within


@pytest.fixture(autouse=True)
def nothing_takes_forever():  # type: ignore[no-untyped-def]
    with within(60):
        yield


def shown(folder: Path, **writable: Path) -> Enclosure:
    """The system, a temporary folder, and the named folders under their names."""
    own = [
        Mount(inside=f"/{name}", host=str(path), purpose="repository", writable=True) for name, path in writable.items()
    ]
    (folder / "tmp").mkdir(exist_ok=True)
    tmp = Mount(inside="/tmp", host=str(folder / "tmp"), purpose="temporary", writable=True)
    return replace(system(), mounts=nested((*system().mounts, *own, tmp)), cwd="/tmp")


def run(folder: Path, enclosure: Enclosure, *argv: str, barrier: Barrier | None = None, **limits: float) -> Completed:
    (folder / "desk").mkdir(exist_ok=True)
    made = barrier or Bubblewrap()
    return made.run(argv, enclosure, desk=folder / "desk", env={}, limits=Limits(**limits))  # type: ignore[arg-type]


# --- the view --------------------------------------------------------------------------------------------------------

names = st.text(string.ascii_letters + "0123456789 ._-äß", min_size=1, max_size=12).filter(
    lambda n: n.strip(". ") != ""
)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
trees = st.dictionaries(paths, st.binary(max_size=30), max_size=8)


@given(given=trees, secret=trees, tool=trees)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_visible_tree_is_the_view(
    tmp_path_factory: pytest.TempPathFactory, given: dict[str, bytes], secret: dict[str, bytes], tool: dict[str, bytes]
) -> None:
    """Random views beside random folders that are not part of them: what is found inside is the view, to the byte."""
    folder = tmp_path_factory.mktemp("view")
    expected = {
        **{f"/repo/{path}": data for path, data in _lay(folder / "room" / "repo", given).items()},
        **{f"/opt/tool/{path}": data for path, data in _lay(folder / "tools", tool).items()},
    }
    _lay(folder / "room2" / "repo", secret)
    _lay(folder / "store", secret)
    enclosure = shown(folder, repo=folder / "room" / "repo")
    more = Mount(inside="/opt/tool", host=str(folder / "tools"), purpose="toolchain")
    enclosure = replace(enclosure, mounts=(*enclosure.mounts, more))
    before = {entry.name for entry in Path("/").iterdir()}
    program = """
import hashlib, os, sys
system = tuple(sys.argv[1].split(":"))
for root, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(root, f) not in system]
    for name in files:
        path = os.path.join(root, name)
        data = open(path, "rb").read() if os.path.isfile(path) else b"?"
        sys.stdout.buffer.write(os.fsencode(path) + b"\\0" + hashlib.sha256(data).hexdigest().encode() + b"\\0")
"""
    tools = [mount.inside for mount in system().mounts] + ["/proc", "/dev", *(path for path, _ in system().links)]
    done = run(folder, enclosure, "/usr/bin/python3", "-I", "-S", "-c", program, ":".join(tools))
    rows = done.output.split(b"\0")[:-1]
    found = {os.fsdecode(path): digest.decode() for path, digest in zip(rows[::2], rows[1::2], strict=True)}
    made = {path for path, _ in system().files}
    config = {mount.inside for mount in system().mounts if Path(mount.host).is_file()}
    assert done.exit_code == 0
    assert {p: d for p, d in found.items() if p not in made | config} == {
        path: hashlib.sha256(data).hexdigest() for path, data in expected.items()
    }
    assert {entry.name for entry in Path("/").iterdir()} == before  # nothing of it was made on the machine


def _lay(folder: Path, tree: dict[str, bytes]) -> dict[str, bytes]:
    """Write what can be written: a name cannot be a file and a folder at once."""
    folder.mkdir(parents=True)
    kept: dict[str, bytes] = {}
    for path, data in tree.items():
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError:
            continue
        kept[path] = data
    return kept


def test_only_writable_folders_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    program = """
import os
for root, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(root, f) not in ("/proc", "/sys")]
    try:
        open(os.path.join(root, "written-by-the-test"), "w").close()
        print(root)
    except OSError:
        pass
"""
    done = run(tmp_path, shown(tmp_path, repo=tmp_path / "room"), "/usr/bin/python3", "-I", "-S", "-c", program)
    assert sorted(done.output.decode().split()) == ["/dev/shm", "/repo", "/tmp"]


def test_a_room_shows_its_folders_and_its_documents_cannot_be_changed(tmp_path: Path) -> None:
    room = Room(tmp_path / "room", tmp_path / "desk")
    room.repo.mkdir(parents=True)
    room.furnish({}, {"spec.md": b"what to do", "sources/paper.tex": b"\\alpha"})
    script = "cat /in/spec.md /in/sources/paper.tex; echo x > /in/spec.md; rm /in/spec.md; echo done > /out/result; pwd"
    done = run(tmp_path, room.enclosure(system()), "sh", "-c", script)
    assert done.output.startswith(b"what to do\\alpha") and done.output.rstrip().endswith(b"/repo")
    assert (room.inbox / "spec.md").read_bytes() == b"what to do"
    assert (room.outbox / "result").read_text() == "done\n"


def test_what_a_role_opens_is_seen_from_outside(tmp_path: Path) -> None:
    room = Room(tmp_path / "room", tmp_path / "desk")
    room.repo.mkdir(parents=True)
    room.furnish({}, {"spec.md": b"1", "request.md": b"2", "sources/a.tex": b"3", "sources/b.tex": b"4"})
    with Readings(room.inbox) as readings:
        run(tmp_path, room.enclosure(system()), "sh", "-c", "cat /in/spec.md /in/sources/b.tex; ls -R /in")
    assert readings.complete and readings.opened == {"spec.md", "sources/b.tex"}


# --- who the program is ----------------------------------------------------------------------------------------------


def test_an_unprivileged_user_in_namespaces_of_its_own(tmp_path: Path) -> None:
    program = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
print(os.getuid(), os.getgid(), os.getpid() < 20, os.uname().nodename)
print([status[k].strip() for k in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb", "NoNewPrivs", "Seccomp")])
for kind in ("user", "pid", "ipc", "uts", "net", "mnt"): print(kind, os.readlink("/proc/self/ns/" + kind))
print(sorted(os.listdir("/sys/class/net")) if os.path.exists("/sys") else "no /sys")
"""
    done = run(tmp_path, shown(tmp_path), "/usr/bin/python3", "-I", "-S", "-c", program)
    lines = done.output.decode().splitlines()
    zero = "0000000000000000"
    assert lines[0] == "1000 1000 True sandbox"
    assert lines[1] == str([zero] * 5 + ["1", "2"])
    for line in lines[2:8]:
        kind, name = line.split()
        assert name != str(Path(f"/proc/self/ns/{kind}").readlink())
    assert lines[8] == "no /sys"


def test_the_environment_is_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_PERSON", "1234")
    (tmp_path / "desk").mkdir()
    done = Bubblewrap().run(["env"], shown(tmp_path), desk=tmp_path / "desk", env={"A": "1"}, limits=Limits())
    names = {line.partition("=")[0] for line in done.output.decode().splitlines()}
    assert names == {"A", "PATH", "PWD"}


# --- limits ----------------------------------------------------------------------------------------------------------

HUNGRY = "x = []\nwhile True:\n    b = bytearray(20 << 20); b[::4096] = b'x' * len(b[::4096]); x.append(b)"
HUNGRY_FAMILY = """
import os, time
for n in range(8):
    if os.fork() == 0:
        b = bytearray(60 << 20)
        b[::4096] = b"x" * len(b[::4096])
        time.sleep(30)
time.sleep(30)
"""


def test_memory_of_a_family_of_processes_ends_it(tmp_path: Path) -> None:
    done = run(tmp_path, shown(tmp_path), "/usr/bin/python3", "-c", HUNGRY_FAMILY, memory_bytes=200 * MIB)
    assert done.ended_by == "it used more than 200 MiB of memory"


def test_one_process_cannot_take_more_memory_than_the_limit(tmp_path: Path) -> None:
    done = run(tmp_path, shown(tmp_path), "/usr/bin/python3", "-c", HUNGRY, memory_bytes=200 * MIB)
    assert done.exit_code != 0 and (b"MemoryError" in done.output or "memory" in done.ended_by)


def test_a_fork_bomb_is_ended(tmp_path: Path) -> None:
    done = run(tmp_path, shown(tmp_path), "bash", "-c", ":(){ :|:& };:; sleep 30", processes=200)
    assert done.ended_by == "it started more than 200 processes"


def test_filling_the_disk_is_ended(tmp_path: Path) -> None:
    script = "n=0; while :; do n=$((n+1)); head -c 5000000 /dev/zero > /tmp/f$n; sleep 0.01; done"
    done = run(tmp_path, shown(tmp_path), "sh", "-c", script, disk_bytes=50 * MIB)
    assert done.ended_by == "it wrote more than 50 MiB to the disk"


def test_one_file_cannot_be_larger_than_the_limit(tmp_path: Path) -> None:
    run(tmp_path, shown(tmp_path), "sh", "-c", "head -c 90000000 /dev/zero > /tmp/big", disk_bytes=50 * MIB)
    assert (tmp_path / "tmp" / "big").stat().st_size <= 50 * MIB


def test_shared_memory_is_bounded(tmp_path: Path) -> None:
    script = "head -c 9000000 /dev/zero > /dev/shm/x; wc -c < /dev/shm/x"
    done = run(tmp_path, shown(tmp_path), "sh", "-c", script, shared_memory_bytes=MIB)
    assert int(done.output.split()[-1]) <= MIB


def test_time_and_output_are_bounded(tmp_path: Path) -> None:
    assert run(tmp_path, shown(tmp_path), "sleep", "60", timeout_s=0.5).ended_by == "it took longer than 0 s"
    assert run(tmp_path, shown(tmp_path), "yes", output_bytes=100_000).ended_by == "it printed more than 100000 bytes"


@pytest.mark.parametrize("way", ["setsid sleep 4242 &", "(setsid sleep 4242 &) &", "nohup sleep 4242 &"])
@pytest.mark.parametrize("ends", ["exit 0", "sleep 60"])
def test_nothing_outlives_its_program(tmp_path: Path, way: str, ends: str) -> None:
    run(tmp_path, shown(tmp_path), "sh", "-c", f"{way} sleep 0.1; {ends}", timeout_s=0.6)
    for _ in range(50):
        alive = subprocess.run(["pgrep", "-f", "sleep 4242"], capture_output=True, text=True).stdout
        if not alive:
            return
        time.sleep(0.05)
    raise AssertionError("a process is still there")


def test_a_killed_engine_takes_its_programs_with_it(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from tests.barrier.test_enclosure import run, shown
folder = Path({str(tmp_path)!r})
run(folder, shown(folder), "sleep", "4343")
"""
    engine = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    _wait_for("sleep 4343", there=True)
    engine.kill()
    engine.wait()
    _wait_for("sleep 4343", there=False)


def _wait_for(pattern: str, *, there: bool) -> None:
    for _ in range(200):
        found = subprocess.run(["pgrep", "-f", f"^{pattern}$"], capture_output=True, text=True).stdout
        if bool(found) == there:
            return
        time.sleep(0.05)
    raise AssertionError(f"{pattern}: there is {not there}")


# --- tools -----------------------------------------------------------------------------------------------------------


def test_a_program_outside_the_system_is_shown_with_its_prefix_and_nothing_else(tmp_path: Path) -> None:
    prefix = tmp_path / "apps" / "agent-1.2"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    (tmp_path / "apps" / "other.txt").write_text("not for roles")
    agent = prefix / "bin" / "agent"
    agent.write_text("#!/usr/bin/python3\nprint(open(__file__.replace('bin/agent', 'lib/words')).read())\n")
    agent.chmod(0o755)
    (prefix / "lib" / "words").write_text("hello")
    assert list(places_of(agent)) == [prefix]
    enclosure, argv = with_agent(shown(tmp_path), [str(agent)])
    assert run(tmp_path, enclosure, *argv).output == b"hello\n"
    assert run(tmp_path, enclosure, "ls", str(tmp_path / "apps")).output == b"agent-1.2\n"


def test_a_virtual_environment_brings_its_base_interpreter() -> None:
    enclosure = with_tools(system(), [Path(sys.executable)])
    inside = {mount.inside for mount in enclosure.of("toolchain")}
    assert sys.prefix in inside
    assert find_program("python", enclosure) == str(Path(sys.executable).parent / "python")


def test_home_and_root_are_never_shown_as_a_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from statsclaw.sandbox import toolchain

    monkeypatch.setenv("HOME", str(tmp_path))
    toolchain._shared.cache_clear()
    (tmp_path / ".local" / "bin").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for program in (tmp_path / ".local" / "bin" / "agent", tmp_path / "bin" / "agent"):
        program.write_bytes(b"\x7fELF")
        assert list(places_of(program)) == [program]
    toolchain._shared.cache_clear()


def test_an_installed_copy_of_the_target_is_covered(tmp_path: Path) -> None:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    for name in ("tinymean/__init__.py", "tinymean-1.0.dist-info/RECORD", "other/__init__.py"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("the source")
    (site / "tinymean.pth").write_text("x")
    enclosure = replace(
        shown(tmp_path),
        mounts=(*shown(tmp_path).mounts, Mount(inside="/env", host=str(tmp_path / "env"), purpose="toolchain")),
    )
    patterns = (
        "lib/python*/site-packages/{name}",
        "lib/python*/site-packages/{name}.*",
        "lib/python*/site-packages/{name}-*",
    )
    covered = hide(enclosure, installed_copies(enclosure, patterns, ["tinymean"]))
    done = run(tmp_path, covered, "grep", "-r", "-s", "-l", "source", "/env")
    assert done.output == b"/env/lib/python3.11/site-packages/other/__init__.py\n"
    assert run(tmp_path, enclosure, "grep", "-r", "-c", "source", "/env/lib").output.count(b":1") == 3


def test_tools_that_would_show_the_workspace_are_refused(tmp_path: Path) -> None:
    (tmp_path / "home" / "workspace").mkdir(parents=True)
    mount = Mount(inside=str(tmp_path / "home"), host=str(tmp_path / "home"), purpose="agent")
    enclosure = replace(system(), mounts=(*system().mounts, mount))
    with pytest.raises(InputRefused, match="must not be"):
        check_apart(enclosure, [tmp_path / "home" / "workspace"], "keep them apart")


# --- fail closed -----------------------------------------------------------------------------------------------------


def test_without_bubblewrap_there_is_no_barrier_and_no_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap.why_not.cache_clear()
    try:
        with pytest.raises(MachineRefused) as refused:
            choose.make_barrier("bubblewrap")
    finally:
        bubblewrap.why_not.cache_clear()
    assert "bwrap is not installed" in refused.value.line() and "apt-get install bubblewrap" in refused.value.line()


def test_a_bubblewrap_that_fails_is_no_barrier(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bubblewrap.why_not.cache_clear()
    try:
        with pytest.raises(MachineRefused) as refused:
            choose.make_barrier("bubblewrap")
    finally:
        bubblewrap.why_not.cache_clear()
    assert "Creating new namespace failed" in refused.value.line() and "user namespaces" in refused.value.line()


def test_no_barrier_is_only_what_somebody_typed() -> None:
    assert isinstance(choose.make_barrier("none"), NoBarrier)
    for kind in ("", "folders", "None", "off"):
        with pytest.raises(InputRefused):
            choose.make_barrier(kind)

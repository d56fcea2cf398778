"""A command that needs the tree alone runs beside the phases, in a copy of its own."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from signal import default_int_handler

import pytest

from statsclaw.profiles.profile import Command, load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.landlock import Landlock
from statsclaw.sandbox.limits import Limits
from statsclaw.verify.runner import Bench, verify_tree

AWAIT = "for i in $(seq 3000); do test -e {there} && break; sleep 0.01; done; test -e {there}"
LASTS = "echo $$ > {began}.part; mv {began}.part {began}; sleep 60"


def shell(name: str, script: str, *, beside: bool = False) -> Command:
    return Command(name=name, argv=("sh", "-c", script), parser="exit", timeout_s=60, beside=beside)


@pytest.fixture
def evidence(tmp_path):
    def run(**phases: Command):
        empty = dict.fromkeys(("build", "checks", "unit_tests", "validation", "study"), ())
        profile = load_profile("r").model_copy(update=empty | {phase: (one,) for phase, one in phases.items()})
        bench = Bench(
            folder=tmp_path / "verify",
            desk=tmp_path / "desk",
            cache=tmp_path / "cache",
            profile=profile,
            store=ContentStore(tmp_path / "store"),
            barrier=NoBarrier(),
            tools=lambda _: Enclosure(mounts=(), search_path=("/usr/bin", "/bin")),
            limits=Limits(),
            scrub=str,
            python="python3",
        )
        return verify_tree(bench, lay_out, "0" * 64, "after")

    return run


def lay_out(folder: Path, _: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "laid-out").touch()


def outcomes(found) -> list[tuple[str, bool]]:
    return [(one.phase, one.passed) for one in found]


@pytest.mark.parametrize("phase", ["build", "unit_tests", "validation"])
def test_it_runs_while_the_phases_do(evidence, tmp_path, phase):
    """Each waits for the other."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    check = shell("check", f"touch {ours}; " + AWAIT.format(there=theirs), beside=True)
    other = shell("other", f"touch {theirs}; " + AWAIT.format(there=ours))
    assert outcomes(evidence(checks=check, **{phase: other})) == [(phase, True), ("checks", True)]


def test_a_study_waits_for_it(evidence, tmp_path):
    done = tmp_path / "done"
    check = shell("check", f"sleep 0.3; touch {done}", beside=True)
    study = shell("study", f"test -e {done}")
    assert outcomes(evidence(checks=check, study=study)) == [("checks", True), ("study", True)]


def test_its_failure_is_one(evidence):
    found = evidence(checks=shell("check", "exit 3", beside=True), validation=shell("test", "true"))
    assert outcomes(found) == [("validation", True), ("checks", False)]


def test_its_tree_is_its_own(evidence, tmp_path):
    """What tests write into theirs while it runs, it does not see."""
    written = tmp_path / "written"
    test = shell("test", f"touch $PWD/stray {written}; test -e laid-out")
    check = shell("check", AWAIT.format(there=written) + "; test -e laid-out && ! test -e stray", beside=True)
    assert outcomes(evidence(checks=check, unit_tests=test)) == [("unit_tests", True), ("checks", True)]


def test_a_failed_build_ends_it_and_nothing_is_told_of_it(evidence, tmp_path):
    began = tmp_path / "began"
    check = shell("check", LASTS.format(began=began), beside=True)
    build = shell("install", AWAIT.format(there=began) + "; exit 1")
    assert outcomes(evidence(build=build, checks=check)) == [("build", False)]
    assert not Path(f"/proc/{began.read_text().strip()}").exists()


def test_an_interruption_ends_it(evidence, tmp_path, request):
    request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, default_int_handler)))
    began = tmp_path / "began"
    found = evidence(checks=shell("check", LASTS.format(began=began), beside=True), validation=shell("t", "sleep 60"))
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(found)
    assert time.monotonic() - begun < 30, "nobody waited for the minute to pass"
    assert not Path(f"/proc/{began.read_text().strip()}").exists()


def test_whoever_stops_listening_ends_it(evidence, tmp_path):
    began = tmp_path / "began"
    check = shell("check", LASTS.format(began=began), beside=True)
    found = evidence(checks=check, validation=shell("test", AWAIT.format(there=began)))
    assert next(found).phase == "validation"
    found.close()
    assert not Path(f"/proc/{began.read_text().strip()}").exists()


def test_behind_landlock_everything_comes_in_turn():
    barrier = object.__new__(Landlock)
    assert Bench(*[Path("/n")] * 3, None, None, barrier, *[None] * 3).beside("x") is None  # type: ignore[arg-type]

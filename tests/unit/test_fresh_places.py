"""What one command leaves behind configures no later one: each starts in a home and a temporary folder of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from statsclaw.profiles.profile import Command, load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.room import remove_tree
from statsclaw.verify.runner import Bench, fresh_places, go_on, verify_tree

PLANT = 'for place in "$HOME" "$TMPDIR" {scratch}; do mkdir -p "$place/.config"; echo no > "$place/.Rprofile"; done'
IS_EMPTY = 'for place in "$HOME" "$TMPDIR"; do test -z "$(ls -A "$place")" || exit 1; done'


def shell(name: str, script: str, argument: str = "{scratch}") -> Command:
    return Command(name=name, argv=("sh", "-c", script, "sh", argument), parser="exit", timeout_s=60)


def bench_of(folder: Path, profile: str = "r", **phases: tuple[Command, ...]) -> Bench:
    empty = dict.fromkeys(("build", "checks", "unit_tests", "validation", "study"), ())
    return Bench(
        folder=folder / "verify",
        desk=folder / "desk",
        cache=folder / "cache",
        profile=load_profile(profile).model_copy(update=(empty if phases else {}) | phases),
        store=ContentStore(folder / "store"),
        barrier=NoBarrier(),
        tools=lambda _: Enclosure(mounts=(), search_path=("/usr/bin", "/bin")),
        limits=Limits(),
        scrub=str,
        python=sys.executable,
    )


def laid_out(folder: Path, _: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def passed(bench: Bench) -> list[tuple[str, bool]]:
    return [(row.name, row.passed) for row in verify_tree(bench, laid_out, "0" * 64, "after")]


@pytest.mark.parametrize("later", ["checks", "unit_tests", "validation", "study"])
def test_every_command_has_an_empty_home_and_an_empty_temporary_folder(tmp_path: Path, later: str) -> None:
    phases = {"build": (shell("plants", PLANT),), later: (shell("looks", IS_EMPTY), shell("looks-again", IS_EMPTY))}
    found = passed(bench_of(tmp_path, **phases))
    assert found == [("plants", True), ("looks", True), ("looks-again", True)]


def test_also_when_a_phase_goes_on(tmp_path: Path) -> None:
    bench = bench_of(
        tmp_path,
        build=(shell("plants", PLANT),),
        study=(shell("looks", IS_EMPTY + '; test ! -e "$1/x"; touch "$1/x"'),),
    )
    assert all(ok for _, ok in passed(bench))
    assert [row.passed for row in go_on(bench, "study", "0" * 64, "batch 2")] == [True]


@pytest.mark.parametrize("judges", ["validation", "study"])
def test_what_judges_works_in_an_empty_folder_that_its_commands_share(tmp_path: Path, judges: str) -> None:
    """A Makefile that lay where a suite is copied to was made in place of the suite's own."""
    plants = shell("plants", 'mkdir -p "$1/validation"; touch "$1/validation/Makefile"')
    kept = shell("kept", 'test -e "$1/validation/Makefile"')
    looks = shell("looks", 'test -z "$(ls -A "$1")" && touch "$1/configured"')
    builds_on = shell("builds-on", 'test -e "$1/configured"')
    found = passed(bench_of(tmp_path, build=(plants,), unit_tests=(kept,), **{judges: (looks, builds_on)}))
    assert [ok for _, ok in found] == [True] * 4


def test_a_link_in_a_workers_home_is_not_followed(tmp_path: Path) -> None:
    """A cache that was a link to the person's files brought them into the next worker's home."""
    persons = tmp_path / "persons"
    persons.mkdir()
    (persons / "letter").write_text("private")
    bench = bench_of(tmp_path)
    home = bench.place("worker") / "home"
    home.mkdir(parents=True)
    (home / ".cache").symlink_to(persons)
    for _ in range(2):
        fresh_places(bench)
        assert not [path for path in bench.folder.rglob("*") if path.name == "letter"]
    assert (persons / "letter").read_text() == "private"


def test_folders_without_rights_are_removed_all_the_same(tmp_path: Path) -> None:
    """As an ordinary user: what cannot be listed stayed, and the next command could not begin."""
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents[:3]:  # one more where tests run side by side
        parent.chmod(parent.stat().st_mode | 0o011)
    child = os.fork()
    if not child:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            place = tmp_path / "home"
            (place / "closed" / "inner").mkdir(parents=True)
            (place / "closed").chmod(0)
            remove_tree(place)
            status = int(place.exists())
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# --- interpreters that the engine starts ------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["python", "r"])
def test_every_interpreter_is_started_without_anybodys_settings(profile: str) -> None:
    starts = {"{python}": "-I", "Rscript": "--vanilla"}
    for command in load_profile(profile).commands():
        wanted = starts.get(command.argv[0])
        assert wanted is None or command.argv[1] == wanted, command.name


def test_r_reads_no_settings_of_a_home(tmp_path: Path) -> None:
    bench = bench_of(
        tmp_path, build=(shell("settings", 'test "$R_PROFILE_USER $R_ENVIRON_USER" = "/dev/null /dev/null"'),)
    )
    assert passed(bench) == [("settings", True)]

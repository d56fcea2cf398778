"""No program that a target's own git configuration names is started by the engine, whatever git is asked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from statsclaw.errors import InputRefused
from statsclaw.git import git, persons_environment
from statsclaw.intake.target import Target, fetch_target, verify_push_access
from statsclaw.workspace.ship import remote_branches


class Place:
    """A target whose configuration would leave a mark if git ran what it names."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mark, self.target = folder, folder / "mark", folder / "target"
        self.evil = f"touch {self.mark}; cat"
        self.make(self.target)

    def make(self, target: Path) -> None:
        target.mkdir()
        self.run(target, "init", "--quiet", "--initial-branch=main")
        (target / "data.txt").write_text("one\n")
        self.commit(target)

    def commit(self, target: Path) -> None:
        self.run(target, "add", "--all")
        self.run(target, "commit", "--quiet", "-m", "x")

    def run(self, cwd: Path, *args: str) -> None:
        settings = ("protocol.file.allow=always", "user.name=t", "user.email=t@example.org")
        command = ["git", *(part for row in settings for part in ("-c", row)), *args]
        subprocess.run(command, cwd=cwd, check=True, capture_output=True)

    def config(self, key: str, value: str, cwd: Path | None = None) -> None:
        self.run(cwd or self.target, "config", key, value)

    def touched(self) -> None:
        """The same text at another time: git has to look into the file."""
        os.utime(self.target / "data.txt", (1, 1))

    def fetched(self) -> Target:
        return fetch_target(str(self.target), self.folder / "clone.git")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "gitconfig").touch()
    return Place(tmp_path)


@pytest.mark.parametrize("key", ["filter.evil.clean", "filter.evil.process", "filter.a=b.clean"])
def test_a_filter_of_the_target_is_not_run(place: Place, key: str) -> None:
    name = key.split(".")[1]
    (place.target / ".gitattributes").write_text(f"* filter={name}\n")
    place.commit(place.target)
    place.config(key, place.evil)
    place.config(f"filter.{name}.required", "true")
    place.touched()
    assert place.fetched().base_commit
    assert not place.mark.exists()


def test_nor_one_that_an_included_file_names(place: Place) -> None:
    (place.target / ".gitattributes").write_text("* filter=evil\n")
    place.commit(place.target)
    (place.folder / "more").write_text(f'[filter "evil"]\n\tclean = "{place.evil}"\n')
    place.config("include.path", str(place.folder / "more"))
    place.touched()
    place.fetched()
    assert not place.mark.exists()


def test_nor_one_of_a_submodule(place: Place) -> None:
    place.make(place.folder / "inner")
    place.run(place.target, "submodule", "--quiet", "add", str(place.folder / "inner"), "inner")
    place.commit(place.target)
    inside = place.target / "inner"
    place.config("filter.evil.clean", place.evil, inside)
    (place.target / ".git" / "modules" / "inner" / "info" / "attributes").write_text("* filter=evil\n")
    os.utime(inside / "data.txt", (1, 1))
    place.fetched()
    assert not place.mark.exists()


def test_nor_a_monitor_of_its_files(place: Place) -> None:
    program = place.folder / "monitor"
    program.write_text(f"#!/bin/sh\n{place.evil}\n")
    program.chmod(0o755)
    place.config("core.fsmonitor", str(program))
    place.touched()
    place.fetched()
    assert not place.mark.exists()


def test_the_persons_own_filters_go_on(place: Place) -> None:
    """git-lfs is named in the person's settings: without it every large file of an honest target would look changed."""
    clean = place.folder / "own"
    clean.write_text("#!/bin/sh\ntr a-z A-Z\n")
    clean.chmod(0o755)
    place.run(place.target, "config", "--global", "filter.own.clean", str(clean))
    (place.target / ".gitattributes").write_text("*.txt filter=own\n")
    place.run(place.target, "add", "--renormalize", ".")
    place.commit(place.target)
    place.config("filter.own.clean", place.evil)
    place.touched()
    assert place.fetched().base_commit
    assert not place.mark.exists()
    (place.target / "data.txt").write_text("changed\n")
    with pytest.raises(InputRefused, match="uncommitted changes"):
        fetch_target(str(place.target), place.folder / "another.git")


def test_settings_of_an_honest_target_are_left_alone(place: Place) -> None:
    settings = {"diff.context": "5", "diff.algorithm": "patience", "merge.ff": "only", "core.autocrlf": "input",
                "submodule.x.update": "none", "gc.auto": "7", "alias.st": "status", "core.pager": "less"}  # fmt: skip
    for key, value in settings.items():
        place.config(key, value)
    place.touched()
    assert place.fetched().base_commit


def test_the_person_is_told_when_filters_were_not_run(place: Place) -> None:
    place.config("filter.own.clean", "tr a-z A-Z")
    (place.target / "data.txt").write_text("changed\n")
    with pytest.raises(InputRefused, match="1 path; filters of its own git configuration were not run"):
        place.fetched()


def test_the_folder_one_stands_in_does_not_configure_how_it_is_fetched(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`statsclaw run --target .`: an address was rewritten to a command by the settings of the target."""
    place.config("protocol.ext.allow", "always")
    place.config(f"url.ext::sh -c touch% {place.mark}% #.insteadOf", "/")
    monkeypatch.chdir(place.target)
    assert place.fetched().base_commit
    remote_branches(place.folder / "clone.git", str(place.target))
    assert not place.mark.exists()


def test_a_remote_on_this_machine_runs_nothing_when_access_is_tried(place: Place) -> None:
    remote = place.folder / "remote.git"
    place.run(place.folder, "clone", "--quiet", "--bare", str(place.target), str(remote))
    place.run(place.target, "remote", "add", "origin", str(remote))
    place.make(place.folder / "other")
    (remote / "objects" / "info" / "alternates").write_text(f"{place.folder / 'other' / '.git' / 'objects'}\n")
    place.config("core.alternateRefsCommand", f"touch {place.mark} #", remote)
    assert verify_push_access(place.fetched()).can_ship
    assert not place.mark.exists()


def test_a_remote_inside_the_target_is_refused(place: Place) -> None:
    """Its hooks would be the target's own, and would run when the result is pushed."""
    place.run(place.target, "init", "--quiet", "--bare", ".git/inner.git")
    place.run(place.target, "remote", "add", "origin", ".git/inner.git")
    with pytest.raises(InputRefused, match="inside the target"):
        place.fetched()


def test_the_persons_credential_helper_is_asked(place: Place) -> None:
    helper = f"!touch {place.mark}; echo password=x; echo username=y; :"
    place.run(place.target, "config", "--global", "credential.helper", helper)
    git(
        "credential", "fill", env=persons_environment(), stdin=b"protocol=https\nhost=example.org\n\n", cwd=place.folder
    )
    assert place.mark.exists()

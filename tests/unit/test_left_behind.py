"""Files that a confined program could write and the engine reads: no link is followed, and garbage is a result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from statsclaw.backends import agent_program
from statsclaw.backends.codex import CodexBackend
from statsclaw.engine import conversations
from statsclaw.sandbox.left_behind import json_left_behind, read_left_behind
from statsclaw.sandbox.room import Room
from statsclaw.verify.interpreter import requirements_of
from statsclaw.verify.measure_coverage import read_dumps
from statsclaw.verify.parsers import junit, rcheck, study
from statsclaw.verify.shadows import why_unfit

MOST = 10_000


def linked(place: Path) -> None:
    place.with_name("secret").write_text("private")
    place.symlink_to(place.with_name("secret"))


def hard_linked(place: Path) -> None:
    place.with_name("secret").write_text("private")
    place.hardlink_to(place.with_name("secret"))


def sparse(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(2**40)


ODD: list[Callable[[Path], None]] = [
    linked, hard_linked, sparse, os.mkfifo, Path.mkdir, lambda place: None, lambda place: place.symlink_to(place),
]  # fmt: skip


@pytest.mark.parametrize("make", ODD)
def test_only_a_plain_file_of_bounded_size_is_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    place = tmp_path / "left"
    make(place)
    assert read_left_behind(place, MOST) is None
    assert json_left_behind(place, MOST) is None


def test_a_plain_file_is_read_to_its_end(tmp_path: Path) -> None:
    place = tmp_path / "left"
    place.write_bytes(b"x" * MOST)
    assert read_left_behind(place, MOST) == b"x" * MOST
    place.write_bytes(b"x" * (MOST + 1))
    assert read_left_behind(place, MOST) is None


GARBAGE = [
    b"\xff\xfe", b"{", b"[" * 100_000, b"3", b'"cells"', b"[]", b"null", b'{"cells": 3}', b'{"cells": [[]]}', b"NaN",
    b'{"numbers": 3, "sizes": [[1]]}', b'{"numbers": [[1], {}, null, "x"], "sizes": [1e400, "n"]}', b"9" * 5000,
    b'{"numbers": ["\\ud800"], "sizes": []}', b"\x00", b"\n\n{}\n", b"<testsuite>" * 5000,
    b'{"criteria": [{"id": "\\ud800", "value": 1, "low": 0}], "replications": 1e400, "failures": "x"}',
]  # fmt: skip


@pytest.mark.parametrize("data", GARBAGE)
def test_garbage_is_never_an_exception(tmp_path: Path, data: bytes) -> None:
    place = tmp_path / "left.json"
    place.write_bytes(data)
    for parse in (junit, study, rcheck):
        parsed = parse(place, 0)
        assert not parsed.passed
    assert all(isinstance(row, dict) for row in read_dumps([place]))


# --- what agents leave in their home ---------------------------------------------------------------------------------


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path / "room", tmp_path / "desk")
    room.home.mkdir(parents=True)
    yield room
    room.clear()  # nobody else could remove what is nested so deep


@pytest.fixture
def codex(monkeypatch: pytest.MonkeyPatch) -> CodexBackend:
    monkeypatch.setattr(agent_program.shutil, "which", lambda name: f"/opt/{name}")
    return CodexBackend()


def test_settings_are_not_written_through_a_link_of_the_role(tmp_path: Path, room: Room, codex: CodexBackend) -> None:
    """The role that goes on with its conversation had put a link where its settings are written."""
    persons = tmp_path / "persons"
    persons.mkdir()
    (persons / "config.toml").write_text("mine")
    connected = SimpleNamespace(env={})
    (room.home / ".codex").mkdir()
    (room.home / ".codex" / "config.toml").symlink_to(persons / "config.toml")
    assert codex.settle_in(room, connected) == ""  # type: ignore[arg-type]
    assert not (room.home / ".codex" / "config.toml").is_symlink()
    (room.home / ".codex" / "config.toml").unlink()
    (room.home / ".codex").rmdir()
    (room.home / ".codex").symlink_to(persons)
    assert "its home folder" in codex.settle_in(room, connected)  # type: ignore[arg-type]
    assert (persons / "config.toml").read_text() == "mine"


def test_a_home_nested_too_deep_is_not_kept_and_ends_nothing(tmp_path: Path, room: Room) -> None:
    here = os.open(room.home, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    desk = tmp_path / "run"
    run = SimpleNamespace(folder=SimpleNamespace(desk=lambda name: desk / name), room=lambda _: room)
    dispatch = SimpleNamespace(role=conversations.GOES_ON[0], id="d", backend="codex")
    conversations.keep_conversation(run, dispatch, SimpleNamespace(session="s1"))  # type: ignore[arg-type]
    assert not (desk / "conversations" / dispatch.role).exists()


# --- what a package or its build leaves ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "project = 3", "project = []", "build-system = 3", "[project]\ndependencies = 3",
        "[project]\noptional-dependencies = 3", "[project]\noptional-dependencies = {test = 3}",
        "[build-system]\nrequires = 'setuptools'", "\x00", "a = " + "[" * 5000,
    ],
)  # fmt: skip
def test_a_pyproject_of_another_form_asks_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert set(requirements_of(tmp_path)) <= {"pytest", "setuptools", "wheel"}


def test_a_folder_that_the_build_closed_is_a_failed_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "json.py").touch()
    assert why_unfit(tmp_path) == "the package would replace json"
    monkeypatch.setattr(Path, "iterdir", closed)
    assert why_unfit(tmp_path) == "the built package cannot be read (Permission denied)"

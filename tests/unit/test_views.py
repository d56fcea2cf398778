"""What a role is given: the first cut of the barrier. Nothing of another role's specification is in its room."""

from __future__ import annotations

import json
import shutil

import pytest

from statsclaw.backends.protocol import Backend
from statsclaw.backends.task import Task
from statsclaw.engine import dispatch as dispatching
from statsclaw.git import git_text
from statsclaw.roles.matrix import MATRIX, Role
from statsclaw.roles.view import criteria_in, without_criteria
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room
from tests.support.runs import AGENT, HONEST, Bench, make_target, order_for

DIRECTIVE = (
    "Build the mean estimator of these notes. Ship it.\nAcceptance criteria\nC1 bias below 0.0123 with seed 998877"
)
SPECS = {Role.BUILDER: "spec.md", Role.TESTER: "test-spec.md", Role.SIMULATOR: "sim-spec.md"}


class Spying:
    """Plays the scripted agent and looks around in every room before it does."""

    waits_for_person = False
    executes = True

    def __init__(self, inner: Backend, seen: dict[str, dict[str, bytes]]) -> None:
        self.inner, self.seen, self.name = inner, seen, inner.name

    def equip(self, tools: Enclosure) -> Enclosure:
        return self.inner.equip(tools)

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn | None:
        files = (p for p in room.folder.rglob("*") if p.is_file() and ".git/" not in str(p))
        self.seen[f"{task.role}-{task.attempt}"] = {str(p.relative_to(room.folder)): p.read_bytes() for p in files}
        self.seen[f"{task.role}-{task.attempt}"]["git log"] = git_text("log", "--all", cwd=room.repo).encode()
        return self.inner.run(task, room, confinement)


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """Every file of every room of a full run."""
    folder = tmp_path_factory.mktemp("rooms")
    seen: dict[str, dict[str, bytes]] = {}
    patch = pytest.MonkeyPatch()
    make = dispatching.Run.backend
    patch.setattr(dispatching.Run, "backend", lambda run, role: Spying(make(run, role), seen))
    target = make_target(folder)
    material = folder / "material"  # the honest work, with the request's criterion carried
    shutil.copytree(HONEST, material)
    spec = material / "out" / "test-spec.md"
    spec.write_text(spec.read_text().replace("  source: notes.md A1\n", "  source: notes.md A1, request C1\n"))
    view = Bench(folder).start(order_for(target, AGENT.replace(str(HONEST), str(material)), directive=DIRECTIVE))
    patch.undo()
    assert view.pushed
    return seen


@pytest.mark.parametrize("role", SPECS)
def test_a_role_is_given_its_own_specification_and_no_other(rooms, role):
    for name, files in rooms.items():
        if name.startswith(role):
            assert f"in/{SPECS[role]}" in files
            assert not {f"in/{spec}" for other, spec in SPECS.items() if other != role} & set(files)


def test_the_tester_is_given_no_source_and_none_of_the_builders_tests(rooms):
    assert not [path for path in rooms["tester-1"] if path.startswith(("repo/src", "repo/tests/test_"))]


def test_the_builder_is_given_neither_the_validation_suite_nor_the_study_after_a_block(rooms):
    assert not [path for path in rooms["builder-2"] if "validation" in path or "simulations" in path]


def test_the_second_reader_is_given_the_sources_and_what_to_define_and_nothing_of_the_first_reading(rooms):
    files = {path for path in rooms["reader-1"] if path != "git log"}
    assert files == {"in/prompt.md", "in/questions.md", "in/request.md", "in/sources/notes.md"}
    first = (HONEST / "out" / "comprehension.md").read_text()
    code = first.partition("```python definitions\n")[2].partition("```")[0]
    meant = [line.partition("restated: ")[2].partition(", meaning")[0].strip('"') for line in first.splitlines()]
    everything = b"\n".join(rooms["reader-1"].values()).decode()
    assert "standard_error" in everything, "it is told what to define, and how it is called"
    written = [line.strip() for line in code.splitlines() if line.startswith("    ")] + [row for row in meant if row]
    assert len(written) > 8 and [line for line in written if line in everything] == []


def test_the_language_of_questions_is_given_to_who_judges_and_to_nobody_else(rooms):
    given = {name for name, files in rooms.items() if any(path.startswith("in/ask/") for path in files)}
    assert given == {"tester-1", "simulator-1"}
    known = {name: json.loads(rooms[name]["in/ask/specification.json"]) for name in given}
    assert set(known["tester-1"]) == {"scenarios", "criteria", "functions"}
    assert set(known["simulator-1"]) == {"methods", "cells"}
    assert "in/ask/oracles.py" in rooms["tester-1"] and "in/ask/oracles.py" not in rooms["simulator-1"]


@pytest.mark.parametrize("role", ["builder-1", "builder-2", "reader-1", "simulator-1", "tester-1"])
def test_the_acceptance_criteria_of_the_request_reach_only_who_may_know_them(rooms, role):
    everything = b"\n".join(rooms[role].values())
    assert b"0.0123" not in everything and b"998877" not in everything


def test_the_planner_and_the_reviewer_see_the_criteria(rooms):
    assert b"0.0123" in rooms["planner-2"]["in/prompt.md"]
    assert b"0.0123" in rooms["reviewer-1"]["in/request.md"]


def test_the_history_of_a_room_is_one_commit(rooms):
    for name, files in rooms.items():
        assert files["git log"].count(b"commit ") == 1, name


def test_no_two_roles_side_by_side_may_write_the_same_class_of_files():
    builder, tester, simulator = (MATRIX[role].writes for role in SPECS)
    assert not (builder & tester or builder & simulator or tester & simulator)


def test_criteria_are_cut_out_of_a_directive():
    assert without_criteria(DIRECTIVE) == "Build the mean estimator of these notes. Ship it."
    assert criteria_in(DIRECTIVE) == "C1 bias below 0.0123 with seed 998877"
    assert without_criteria("no criteria at all") == "no criteria at all"

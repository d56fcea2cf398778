"""What is handed in is checked as it is handed in, completely, so that its author mends it in one conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from statsclaw.backends.command import CommandBackend
from statsclaw.backends.task import Task
from statsclaw.engine import run as engine_run
from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.git import git
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import Room
from statsclaw.ui.cli import app
from tests.replay.test_contracts import WIDE, Edit, Stopped, played, stop_at
from tests.replay.test_taken_back import CARRIED
from tests.support.runs import AGENT, HERE, HONEST, Bench, order_for

#: Equation (3) is not accounted for: what the comprehension itself lacks, beside what the lint finds.
EQUATION = '  - {ref: "notes.md(3)", restated: "se = sqrt(s2 / n)", meaning: the standard error of the mean}\n'
FORGOTTEN = ("out/comprehension.md", EQUATION, "")


class Talking(CommandBackend):
    """Any program, with which one can talk: what is sent back is mended as `mend` says."""

    def __init__(self, command: str, mend: Any) -> None:
        super().__init__(command)
        self.mend, self.heard = mend, []

    def run(self, task: Task, room: Room, confinement: Confinement) -> HandIn:
        return super().run(task, room, confinement).model_copy(update={"session": "one"})

    def go_on(self, task: Task, room: Room, confinement: Confinement, earlier: HandIn, message: str) -> HandIn:
        self.heard.append((task.role, message))
        self.mend(task.role, room)
        return HandIn(session="one")


@pytest.fixture
def talking(monkeypatch: pytest.MonkeyPatch):
    made: list[Talking] = []

    def with_mending(mend: Any) -> list[Talking]:
        def make(name: str, run_id: str, **_: Any) -> Talking:
            made.append(Talking(name.partition(":")[2], mend))
            return made[-1]

        monkeypatch.setattr(engine_run, "make_backend", make)
        return made

    return with_mending


def heard_by(made: list[Talking]) -> list[tuple[str, str]]:
    return [row for backend in made for row in backend.heard]


def line_of(place: Path, text: str) -> int:
    return next(n for n, row in enumerate(place.read_text().split("\n"), start=1) if text in row)


def test_a_planner_hears_at_once_what_all_layers_found_with_the_lines_it_wrote(bench, target, tmp_path, talking):
    def mend(role: str, room: Room) -> None:
        for name in ("comprehension.md", "sim-spec.md"):
            text = (HONEST / "out" / name).read_text(encoding="utf-8")
            (room.outbox / name).write_text(text.replace("decided_by: person\n", "decided_by: planner\n"))

    made = talking(mend)
    view = bench.start(order_for(target, backend=played(tmp_path, WIDE, CARRIED, FORGOTTEN)))
    ((role, message),) = heard_by(made)
    line = line_of(tmp_path / "material" / "out" / "sim-spec.md", "- id: M1")
    assert role == "planner" and "notes.md(3)" in message
    assert f"sim-spec.md:{line}: M1 " in message
    assert not view.signals and view.dispatches["planner-1"].status == "finished"
    assert view.finished is not None and view.finished.outcome == "shipped"


def test_what_is_not_mended_is_handed_in_after_all_and_sent_back_as_ever(bench, target, tmp_path, talking):
    made = talking(lambda role, room: None)
    view = bench.start(order_for(target, backend=played(tmp_path, WIDE, CARRIED)))
    assert [role for role, _ in heard_by(made)[:2]] == ["planner", "planner"]
    assert view.dispatches["planner-1"].status == "finished" and view.signals[0][0].raised_by == "contract"


# --- a person as the planner -----------------------------------------------------------------------------------------


def leave(room: Path, *edits: Edit) -> None:
    """The honest documents, edited, where the planner hands in."""
    for document in (HONEST / "out").iterdir():
        text = document.read_text(encoding="utf-8").replace("decided_by: person\n", "decided_by: planner\n")
        for file, old, new in edits:
            text = text.replace(old, new) if file == f"out/{document.name}" else text
        (room / "out" / document.name).write_text(text, encoding="utf-8")


def typed(bench: Bench, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--workspace", str(bench.workspace.root)], env={"COLUMNS": "200"})


def planned_by_a_person(bench: Bench, target: Path, run_id: str) -> Path:
    order = order_for(target, run_id=run_id, backends={"*": AGENT + " --good --no-hold", "planner": "human"})
    assert [d.id for d in bench.start(order).running] == ["planner-1"]
    return bench.workspace.find(run_id).room("planner-1")


@pytest.mark.slow
def test_a_person_is_told_all_findings_mends_and_hands_in_again_in_the_same_attempt(bench, target):
    room = planned_by_a_person(bench, target, "p-1")
    leave(room, WIDE, CARRIED, FORGOTTEN)
    line = line_of(room / "out" / "sim-spec.md", "- id: M1")
    before = typed(bench, "lint", "p-1")
    refused = typed(bench, "done", "p-1")
    assert isinstance(refused.exception, InputRefused) and before.exit_code == 1
    for said in (before.output, refused.output):
        assert f"sim-spec.md:{line}: M1 " in said and "notes.md(3)" in said
    leave(room)
    assert typed(bench, "lint", "p-1").exit_code == 0
    assert typed(bench, "done", "p-1").exit_code == 0
    view = bench.resume("p-1")
    assert not view.signals and view.dispatches["planner-1"].status == "finished"


@pytest.mark.slow
def test_a_person_may_hand_in_with_findings_and_then_let_them_stand(bench, target):
    room = planned_by_a_person(bench, target, "p-2")
    leave(room, WIDE, CARRIED)
    assert "--as-it-is" in typed(bench, "done", "p-2").exception.todo
    assert typed(bench, "done", "p-2", "--as-it-is").exit_code == 0
    view = bench.resume("p-2")
    assert [signal.raised_by for signal, _ in view.signals] == ["contract"]
    for key in dict.fromkeys(f.key for f in view.checked.findings if f.severity == "error"):
        assert typed(bench, "override", "p-2", key, "--why", "a first look").exit_code == 0
    assert bench.resume("p-2").finished is not None


def test_of_several_roles_that_wait_one_can_be_looked_at(bench, target):
    order = order_for(target, run_id="p-3", backends={"*": AGENT, "builder": "human", "tester": "human"})
    view = bench.start(order)
    assert [d.role for d in view.running] == ["builder", "tester"]
    room = bench.workspace.find("p-3").room("tester-1")
    questions = "tests/validation/ask_tinymean.py"
    (room / "repo" / questions).parent.mkdir(parents=True, exist_ok=True)
    (room / "repo" / questions).write_text((HONEST / questions).read_text(encoding="utf-8"), encoding="utf-8")
    (room / "out" / "audit-notes.md").write_text("## Suite\n\nAll of it.\n\n## Not tested\n\nNothing.\n")
    assert typed(bench, "lint", "p-3", "tester").exit_code == 0
    builder = typed(bench, "lint", "p-3", "builder")
    assert builder.exit_code == 1 and "implementation.md" in builder.output
    both = typed(bench, "lint", "p-3").output
    assert both.index("builder:") < both.index("implementation.md") < both.index("tester: nothing found")
    other = typed(bench, "lint", "p-3", "scriber").exception
    assert isinstance(other, InputRefused) and "builder, tester" in str(other)


ABSENT = 'dependencies = ["no-such-package-anywhere>=3"]'


GREEDY = """
import os, pathlib, runpy, sys
if os.environ["STATSCLAW_ROLE"] == "builder":
    place = pathlib.Path("pyproject.toml")
    place.write_text(place.read_text().replace("[project]", "[project]\\n" + ABSENT))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
"""


def test_a_builder_hears_of_a_requirement_that_nobody_could_install(bench, target, tmp_path, talking):
    plain = (target / "pyproject.toml").read_text(encoding="utf-8")

    def mend(role: str, room: Room) -> None:
        (room.repo / "pyproject.toml").write_text(plain, encoding="utf-8")

    made = talking(mend)
    script = tmp_path / "greedy.py"
    script.write_text(GREEDY.replace("ABSENT", repr(ABSENT)), encoding="utf-8")
    backend = played(tmp_path).replace(str(HERE / "agent.py"), f"{script} {HERE / 'agent.py'}")
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=backend, run_id="r-1"), observers=(stop_at("suite_checked"),))
    (said,) = [message for role, message in heard_by(made) if role == "builder"]
    assert "pyproject.toml: the package would need no-such-package-anywhere>=3" in said


def test_a_run_does_not_start_where_the_package_needs_what_is_not_here(bench, target):
    place = target / "pyproject.toml"
    place.write_text(place.read_text().replace("[project]\n", f"[project]\n{ABSENT}\n"))
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "needs more", cwd=target)
    with pytest.raises(MachineRefused) as refused:
        bench.start(order_for(target, run_id="r-2"))
    assert "the package needs no-such-package-anywhere>=3" in refused.value.line()
    assert "--registry" in refused.value.line() and not (bench.workspace.root / "r-2").exists()


def test_a_folder_is_linted_before_there_is_a_run(tmp_path):
    leave_in = tmp_path / "planned"
    (leave_in / "out").mkdir(parents=True)
    leave(leave_in, WIDE, CARRIED)
    line = line_of(leave_in / "out" / "sim-spec.md", "- id: M1")
    words = ["lint", str(leave_in / "out"), "--source", str(HONEST / "sources" / "notes.md")]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 1 and f"sim-spec.md:{line}: M1 " in found.output
    leave(leave_in)
    assert CliRunner().invoke(app, words).exit_code == 0


# --- tester and simulator --------------------------------------------------------------------------------------------


def test_a_tester_and_a_simulator_hear_at_once_what_is_wrong_with_their_code(bench, target, tmp_path, talking):
    """A criterion that does not exist, and a study that draws nothing: neither needs a package to be seen."""
    edits = [
        ("tests/validation/ask_tinymean.py", '"C2"', '"C99"'),
        ("simulations/study.py", "rng.normal(", "rng.no_such_law("),
    ]

    def mend(role: str, room: Room) -> None:
        for file, _, _ in edits:
            if (room.repo / file).is_file():
                (room.repo / file).write_text((HONEST / file).read_text(encoding="utf-8"))

    made = talking(mend)
    with pytest.raises(Stopped):
        order = order_for(target, backend=played(tmp_path, *edits), run_id="t-1")
        bench.start(order, observers=(stop_at("suite_checked"),))
    heard = dict(heard_by(made))
    assert "C99" in heard["tester"] and "no_such_law" in heard["simulator"]
    view = bench.view("t-1")
    assert not view.signals and not [f for f in view.suite.findings if f.severity == "error"]
    assert not list(bench.workspace.find("t-1").desk("checking-tester").iterdir())

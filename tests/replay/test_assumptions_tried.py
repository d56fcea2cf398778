"""What a planner assumes without a source is tried in a run: whole runs up to the freeze, real barrier."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from statsclaw.runlog.events import QuestionAnswered, QuestionAsked
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import ContentStore
from tests.replay.test_contracts import Listening, Stopped, stop_at
from tests.support.runs import HERE, HONEST, Bench, order_for

ROW = "  - {text: the observations are independent, stated: false, why_not: no formula changes with it}\n"
ASSUMED = (
    "  - text: notes.md(2) has the divisor n - 1 in small samples, too\n"
    "    stated: false\n"
    "    otherwise: {function: variance_n, instead_of: variance, label: the divisor is n}\n"
)
BY_N = "def variance_n(x):\n    return variance(x) * (len(x) - 1) / len(x)\n\n\n"
CHOICE = (
    "choices:\n"
    "  - id: variance_n\n"
    "    question: Which divisor?\n"
    "    options:\n"
    "      - {label: 'notes.md(2) has the divisor n - 1 in small samples, too', consequence: as assumed}\n"
    "      - {label: the divisor is n, consequence: otherwise}\n"
    "    default: 0\n"
    "    changes: results\n"
    "    decided_by: person\n"
    "    decision: 1\n"
)
#: Plays every role from the folder of its attempt, as far as there is one.
SCRIPT = """
import os, pathlib, runpy, sys
agent, folder, *options = sys.argv[1:]
attempt = pathlib.Path(folder) / f"attempt-{os.environ['STATSCLAW_ATTEMPT']}"
if os.environ["STATSCLAW_ROLE"] == "reader":
    attempt = pathlib.Path(folder) / "reader"
material = attempt if attempt.is_dir() else max(p for p in pathlib.Path(folder).iterdir() if "attempt" in p.name)
sys.argv = ["agent", str(material), *options]
runpy.run_path(agent)
"""


def comprehension(*changes: tuple[str, str]) -> str:
    text = (HONEST / "out" / "comprehension.md").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def with_otherwise(code: str = BY_N) -> str:
    return comprehension((ROW, ASSUMED), ("def standard_error", code + "def standard_error"))


def carried() -> str:
    """What the person took instead, as a choice, with the definition that follows it."""
    return comprehension(
        (ROW, "  - {text: the observations are independent, stated: false}\n"),
        ("choices:\n", CHOICE),
        ("for v in x) / (len(x) - 1)", "for v in x) / len(x)"),
        ("    quantity: the sample variance\n", "    quantity: the sample variance\n    follows: variance_n\n"),
    )


def played(folder: Path, *attempts: str, reader: str) -> str:
    """A planner that hands in one comprehension after the other, and a reader with a reading of its own."""
    place = folder / "material"
    for name, text in (*((f"attempt-{n}", text) for n, text in enumerate(attempts, 1)), ("reader", reader)):
        shutil.copytree(HONEST, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        (place / name / "out" / "comprehension.md").write_text(text, encoding="utf-8")
    script = folder / "by_attempt.py"
    script.write_text(SCRIPT, encoding="utf-8")
    return f"command:{sys.executable} {script} {HERE / 'agent.py'} {place} --good --no-hold"


def frozen(bench: Bench, target: Path, backend: str, person: Listening) -> RunView:
    with pytest.raises(Stopped):
        bench.start(
            order_for(target, backend=backend, run_id="a-1"), person=person, observers=(stop_at("spec_frozen"),)
        )
    return bench.view("a-1")


def document(bench: Bench, view: RunView, name: str) -> str:
    return ContentStore(bench.workspace.find("a-1").store).get_text(view.artifacts[name].sha256)


def asked(person: Listening, topic: str) -> list[QuestionAsked]:
    return [question for question in person.heard if question.topic == topic]  # type: ignore[attr-defined]


def test_an_assumption_that_changes_results_is_put_to_the_person_and_stands_if_they_say_so(bench, target, tmp_path):
    text = with_otherwise()
    person = Listening(choice=0)
    view = frozen(bench, target, played(tmp_path, text, reader=text), person)
    (question,) = asked(person, "choice")
    assert "no source says" in question.text and "variance differs at" in question.text
    assert [option.label for option in question.options][1] == "the divisor is n" and question.default == 0
    assert view.attempt_number("planner") == 2, "the planner was called once"
    shown = document(bench, view, "questions.md")
    assert "Decided:" in shown and "→ notes.md(2) has the divisor n - 1 in small samples, too" in shown
    (row,) = view.understood.assumed
    assert row.differs is True and row.inputs > 20


def test_what_the_person_takes_instead_is_carried_and_shown_to_the_second_reader_as_decided(bench, target, tmp_path):
    other = comprehension(("for v in x) / (len(x) - 1)", "for v in x) / len(x)"))
    person = Listening(choice=1)
    view = frozen(bench, target, played(tmp_path, with_otherwise(), carried(), reader=other), person)
    assert len(asked(person, "choice")) == 1 and asked(person, "readings") == []
    assert view.attempt_number("planner") == 3
    assert (
        "→ the divisor is n" in document(bench, view, "questions.md").partition("notes.md(2) (")[2].partition("##")[0]
    )
    assert all(row.agrees for row in view.readings.rows)
    assert "an assumption stands that no source states" in asked(person, "comprehension")[0].options[0].consequence


def test_a_planner_that_keeps_its_assumption_against_the_person_is_refused(bench, target, tmp_path):
    text = with_otherwise()
    view = bench.start(
        order_for(target, backend=played(tmp_path, text, reader=text), run_id="a-1"), person=Listening(choice=1)
    )
    failed = [d.reason for d in view.dispatches.values() if d.role == "planner" and d.status == "failed"]
    assert failed and "the person decided variance_n as 'the divisor is n'" in failed[0]
    assert "decided_by: person" in failed[0] and not view.frozen


def test_readings_that_differ_although_a_decision_was_shown_are_put_to_the_person(bench, target, tmp_path):
    reader = comprehension()  # divides by n - 1 all the same
    person = Listening(choice=1)
    backend = played(tmp_path, with_otherwise(), carried(), reader=reader)
    view = bench.start(order_for(target, backend=backend, run_id="a-1"), person=person)
    (question,) = view.open_questions
    assert question.topic == "readings" and "notes.md(2)" in question.text


@pytest.mark.parametrize(
    ("code", "differs", "note"),
    [
        (
            "def variance_n(x):\n    m = mean(x)\n    return sum((v - m) ** 2 for v in x) / (len(x) - 1)\n\n\n",
            False,
            "",
        ),
        ("def variance_n(x):\n    while True: pass\n\n\n", None, "takes longer than five seconds"),
        ("def variance_n(x):\n    raise KeyError\n\n\n", None, "KeyError"),
    ],
)
def test_an_alternative_that_shows_nothing_leaves_the_assumption_and_is_told(
    bench, target, tmp_path, code, differs, note
):
    text = with_otherwise(code)
    person = Listening()
    view = frozen(bench, target, played(tmp_path, text, reader=text), person)
    assert asked(person, "choice") == []
    (row,) = view.understood.assumed
    assert row.differs is differs and note in row.note
    assert ("assumption stands" in asked(person, "comprehension")[0].options[0].consequence) is (differs is None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("instead_of: variance,", "instead_of: no_such,", "no_such is no definition"),
        ("def variance_n(x)", "def variance_n(x, k)", "variance_n must be defined as variance_n(x)"),
        ("def variance_n(x)", "def other(x)", "variance_n() stands here 0 times"),
    ],
)
def test_an_alternative_that_cannot_be_called_is_refused_at_hand_in(bench, target, tmp_path, old, new, said):
    text = with_otherwise()
    assert text.count(old) == 1
    backend = played(tmp_path, text.replace(old, new), reader=text)
    view = bench.start(order_for(target, backend=backend, run_id="a-1"), person=Listening())
    assert said in next(d.reason for d in view.dispatches.values() if d.status == "failed")


def test_a_quantity_in_words_is_defined_twice_and_compared(bench, target, tmp_path):
    quoted = (
        "  - ref: notes.md\n"
        "    quote: The interval of level $\\ell$ is\n"
        "    function: width\n"
        "    quantity: its width\n"
        "    arguments: [{name: se, kind: positive}]\n"
    )
    code = "def width(se):\n    return 2 * 1.96 * se\n\n\n"
    text = comprehension(
        ("definitions:\n  - ref", f"definitions:\n{quoted}  - ref"), ("def limits", code + "def limits")
    )
    reader = text.replace("2 * 1.96 * se", "1.96 * se")
    person = Listening(readings=-1)
    view = bench.start(order_for(target, backend=played(tmp_path, text, reader=reader), run_id="a-1"), person=person)
    assert "The interval of level $\\ell$ is" in document(bench, view, "questions.md")
    (question,) = view.open_questions
    assert question.topic == "readings" and "notes.md “The interval of level" in question.text
    assert "```text\nThe interval of level $\\ell$ is\n```" in question.text, "and the passage"


def test_unattended_the_assumption_stands_and_the_log_says_that_nobody_answered(bench, target, tmp_path):
    text = with_otherwise()
    view = frozen(bench, target, played(tmp_path, text, reader=text), Listening())
    (question,) = [q for q in view.questions.values() if q.asked.topic == "choice"]
    assert isinstance(question.answer, QuestionAnswered) and question.answer.by == "default"


OWN = CHOICE.replace("decided_by: person", "decided_by: planner").replace("changes: results", "changes: wording")
TRIED = "{label: the divisor is n, consequence: otherwise, functions: {variance: variance_by_n}}"


def own_choice(*, functions: bool, follows: bool, decision: int = 0, by: str = "planner") -> str:
    """A planner that decides about the divisor itself, and calls that wording."""
    row = OWN.replace("decision: 1", f"decision: {decision}").replace("decided_by: planner", f"decided_by: {by}")
    row = row.replace("{label: the divisor is n, consequence: otherwise}", TRIED) if functions else row
    follow = [("    quantity: the sample variance\n", "    quantity: the sample variance\n    follows: variance_n\n")]
    code = BY_N.replace("variance_n", "variance_by_n") if functions else ""
    by_n = [("for v in x) / (len(x) - 1)", "for v in x) / len(x)")] if decision else []
    return comprehension(
        ("choices:\n", row), *(follow if follows else ()), *by_n, ("def standard_error", code + "def standard_error")
    )


@pytest.mark.parametrize(("functions", "follows"), [(True, False), (False, True)])
def test_a_choice_called_wording_on_which_results_hang_is_put_to_the_person(
    bench, target, tmp_path, functions, follows
):
    text = own_choice(functions=functions, follows=follows)
    person = Listening(choice=0)
    view = frozen(bench, target, played(tmp_path, text, reader=text), person)
    (question,) = asked(person, "choice")
    assert "changes wording only, and results hang on it" in question.text and "variance" in question.text
    assert question.default == 0 and "(decides: results)" in question.text
    assert not functions or "differs at" in question.options[1].consequence, "what was computed is told"
    assert view.attempt_number("planner") == 2, "the planner was called once"
    assert "Which divisor?" not in asked(person, "comprehension")[0].options[0].consequence


def test_what_the_person_decides_of_it_is_the_planners_to_carry(bench, target, tmp_path):
    first = own_choice(functions=False, follows=True)
    second = own_choice(functions=False, follows=True, decision=1, by="person")
    person = Listening(choice=1)
    view = frozen(bench, target, played(tmp_path, first, second, reader=second), person)
    assert len(asked(person, "choice")) == 1 and view.attempt_number("planner") == 3


def test_what_the_planner_decided_itself_is_named_where_the_person_approves(bench, target, tmp_path):
    text = own_choice(functions=False, follows=False)
    person = Listening()
    frozen(bench, target, played(tmp_path, text, reader=text), person)
    assert asked(person, "choice") == []
    said = asked(person, "comprehension")[0].options[0].consequence
    assert "2 choices stand that the planner made itself" in said and "Which divisor? → notes.md(2) has" in said
    assert "(wording)" in said

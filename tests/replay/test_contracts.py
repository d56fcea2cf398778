"""What was understood is approved, what will be judged is frozen, and both are held to: whole runs, real barrier."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from statsclaw.artifacts.check import section
from statsclaw.engine.amending import amendment, leave, override
from statsclaw.engine.people import Unattended
from statsclaw.engine.run import read_local
from statsclaw.errors import InputRefused
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import Finding, FindingOverridden, QuestionAnswered, QuestionAsked
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.ui.cli import app
from tests.support.runs import AGENT, HONEST, Bench, make_target, noon, order_for

Edit = tuple[str, str, str]
STATED = "- **A2** The 95% interval covers the true mean in between 92% and 98% of samples of size 40.\n"


class Stopped(Exception):
    """The run is killed here."""


def stop_at(kind: str, count: int = 1) -> Callable[[Record, RunView], None]:
    left = [count]

    def observe(record: Record, view: RunView) -> None:
        if record.event.kind == kind:
            left[0] -= 1
            if not left[0]:
                raise Stopped

    return observe


def played(folder: Path, *edits: Edit, options: str = "--good --no-hold") -> str:
    """A backend that hands in the honest work with some texts replaced."""
    material = folder / "material"
    shutil.copytree(HONEST, material, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in edits:
        text = (material / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file}: {old!r} stands there {text.count(old)} times"
        (material / file).write_text(text.replace(old, new), encoding="utf-8")
    return f"{AGENT.replace(str(HONEST), str(material))} {options}"


class Listening(Unattended):
    """Takes the defaults, but answers some topics as told, and remembers what was asked."""

    def __init__(self, **answers: int) -> None:
        super().__init__(yes=True)
        object.__setattr__(self, "told", answers)
        object.__setattr__(self, "heard", [])

    def answer(self, question: QuestionAsked) -> QuestionAnswered | None:
        self.heard.append(question)  # type: ignore[attr-defined]
        told = self.told.get(question.topic)  # type: ignore[attr-defined]
        if told is None:
            return super().answer(question)
        if told < 0:
            return None
        return QuestionAnswered(question=question.question, choice=told, by="answer")


# --- what was understood ---------------------------------------------------------------------------------------------


SECOND_CHOICE = """choices:
  - id: spelling
    question: How is the result called?
    options: [{label: Interval, consequence: as a class}, {label: tuple, consequence: without names}]
    default: 0
    changes: wording
    decided_by: nobody
"""


def test_open_choices_are_asked_at_once_the_weightiest_first_and_the_specifications_wait(bench, target, tmp_path):
    edits = [
        ("out/comprehension.md", "choices:\n", SECOND_CHOICE),
        ("out/comprehension.md", "    decided_by: person\n    decision: 0\n", "    decided_by: nobody\n"),
    ]
    person = Listening(choice=-1)
    view = bench.start(order_for(target, backend=played(tmp_path, *edits)), person=person)
    asked = [question for question in view.open_questions if question.topic == "choice"]
    assert [question.cause.rpartition("/")[2] for question in asked] == ["few", "spelling"]
    assert all(question.default == 0 and question.options[0].consequence for question in asked)
    assert view.artifact("spec.md") is None or not view.frozen
    assert "builder" not in {d.role for d in view.dispatches.values()}


def test_a_decision_of_the_person_must_be_carried_as_it_was_made(bench, target, tmp_path):
    person = Listening(choice=1)  # the person wants NaN; the planner hands in "refuse" all the same
    view = bench.start(order_for(target, backend=played(tmp_path, options="--good")), person=person)
    failed = [d.reason for d in view.dispatches.values() if d.role == "planner" and d.status == "failed"]
    assert failed and "the person decided few as 'return NaN'" in failed[0]
    assert not view.frozen


def test_partial_understanding_is_a_hold_with_the_planners_questions(bench, target, tmp_path):
    edit = (
        "out/comprehension.md",
        "verdict: understood with assumptions\n",
        "verdict: partial\nquestions: ['What is z?']\n",
    )
    view = bench.start(order_for(target, backend=played(tmp_path, edit)))
    (hold,) = view.open_questions
    assert hold.topic == "hold" and "What is z?" in hold.text
    assert view.artifact("comprehension.md") is None


def test_two_readings_that_differ_are_put_side_by_side_and_nobody_goes_on(bench, target, tmp_path):
    """The planner divides by n; the second reader, who has not seen that, by n - 1 as the source says."""
    edit = ("out/comprehension.md", "for v in x) / (len(x) - 1)", "for v in x) / len(x)")
    backend = played(tmp_path, edit)
    reader = AGENT + " --good --no-hold"
    person = Listening()
    order = order_for(target, backend=backend)
    order.backends["reader"] = reader  # type: ignore[index]
    view = bench.start(order, person=person)
    (hold,) = view.open_questions
    assert hold.topic == "readings" and "notes.md(2)" in hold.text
    assert "/ len(x)" in hold.text and "/ (len(x) - 1)" in hold.text, "both readings are shown"
    assert "\\frac{1}{n-1}" in hold.text, "and the passage"
    assert view.state == "PLANNED"
    assert [row.agrees for row in view.readings.rows] == [True, False, True, True]


def test_without_a_second_reader_the_review_says_so(bench, target, tmp_path):
    view = bench.start(order_for(target, backend=played(tmp_path), second_reading=False))
    assert view.finished.outcome == "shipped"
    assert "reader" not in {d.role for d in view.dispatches.values()}
    assert any("one reading only" in finding.message for finding in view.reviewed.findings)


@pytest.mark.slow
def test_an_unattended_approval_is_told_in_the_review_and_one_by_a_person_is_not(bench, target, tmp_path):
    view = bench.start(order_for(target, backend=played(tmp_path)))
    assert any("unattended" in finding.message for finding in view.reviewed.findings)
    (tmp_path / "b").mkdir()
    other = Bench(tmp_path / "b")
    view = other.start(
        order_for(make_target(tmp_path / "b"), backend=played(tmp_path / "b")), person=Listening(comprehension=0)
    )
    assert not any("unattended" in finding.message for finding in view.reviewed.findings)


# --- what is frozen --------------------------------------------------------------------------------------------------


def test_the_interface_stands_byte_for_byte_the_same_in_every_specification(bench, target, tmp_path):
    view = bench.start(order_for(target, backend=played(tmp_path)))
    store = ContentStore(bench.workspace.find(view.head.run_id).store)
    texts = {name: store.get_text(view.artifacts[name].sha256) for name in view.frozen}
    shared = section(texts["interface.md"], "Interface")
    assert shared is not None and "yaml interface" in shared
    assert {section(texts[name], "Interface") for name in ("spec.md", "test-spec.md", "sim-spec.md")} == {shared}


def resumed_with(bench: Bench, run_id: str, change: Callable[..., None]) -> RunView:
    folder = bench.workspace.find(run_id)
    with RunLog.open(folder.path, clock=noon) as log:
        change(bench.assemble(folder, log, read_local(folder)))
    return bench.resume(run_id)


@pytest.mark.slow
def test_an_amendment_keeps_both_versions_and_calls_only_whom_it_concerns(bench, target, tmp_path):
    order = order_for(target, backend=played(tmp_path), run_id="amended-1")
    with pytest.raises(Stopped):
        bench.start(order, observers=(stop_at("verification_finished"),))

    def change(run):
        leave(run, *amendment(run, "M1", "high", "0.985", "the source allows it"))

    view = resumed_with(bench, "amended-1", change)
    ((amended, _),) = view.amendments
    assert (amended.what, amended.before, amended.after) == ("M1.high", "0.98", "0.985")
    store = ContentStore(bench.workspace.find("amended-1").store)
    assert "high: 0.98\n" in store.get_text(amended.before_sha256)
    assert "high: 0.985\n" in store.get_text(amended.after_sha256)
    again = {d.role: d.attempt for d in view.dispatches.values()}
    assert again["simulator"] == 2 and again["builder"] == again["tester"] == again["planner"] == 1
    assert view.finished.outcome == "shipped"
    judged = view.judged[view.tree_sha256, "after"].judgements
    assert next(row for row in judged if row.id == "M1").rule == "coverage between 0.92 and 0.985"
    assert any("M1.high" in f.message and "the source allows it" in f.message for f in view.reviewed.findings)
    assert view.verdict == "PASS WITH NOTE"


@pytest.mark.slow
def test_a_planner_that_widens_a_criterion_after_the_freeze_needs_a_person(bench, target, tmp_path):
    """The tester sends its specification back; the planner uses the occasion. Nobody at the terminal: it stops here."""
    backend = played(tmp_path)
    script = tmp_path / "later.py"
    script.write_text(
        "import io, json, os, pathlib, runpy, sys\n"
        "role, attempt = os.environ['STATSCLAW_ROLE'], int(os.environ['STATSCLAW_ATTEMPT'])\n"
        "agent, material = sys.argv[1:3]\n"
        "if role == 'tester' and attempt == 1:\n"
        "    print(json.dumps({'signal': 'BLOCK', 'message': 'S1 is unclear', 'route_to': 'planner'}))\n"
        "    sys.exit(0)\n"
        "sys.argv = ['agent', material, '--good', '--no-hold']\n"
        "runpy.run_path(agent)\n"
        "if role == 'planner' and attempt == 2:\n"
        "    place = pathlib.Path(os.environ['STATSCLAW_OUT']) / 'test-spec.md'\n"
        "    text = place.read_text().replace('{relative: 1e-10}', '{relative: 1e-8}')\n"
        "    place.write_text(text)\n"
    )
    _, _, words = backend.partition(":")
    python, agent, material = words.split()[:3]
    backend = f"command:{python} {script} {agent} {material}"
    view = bench.start(order_for(target, backend=backend, run_id="w-1"))
    (asked,) = view.open_questions
    assert asked.topic == "refreeze" and "criterion C2: tolerance was" in asked.text and asked.default is None
    assert view.frozen["test-spec.md"] != view.artifacts["test-spec.md"].sha256
    view = bench.resume("w-1", person=Listening(refreeze=0))
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert any("C2" in f.message and "what is judged" in f.message for f in view.reviewed.findings)


@pytest.mark.parametrize(
    ("name", "key", "value", "said"),
    [
        ("M9", "high", "0.9", "no criterion, scenario or study"),
        ("M1", "higher", "0.9", "has no higher"),
        ("M1", "high", "0.1", "not valid"),
        ("M1", "high", ".nan", "not valid"),
        ("C1", "tolerance.relative", "wide", "not valid"),
        ("M1", "high", "0.98\n    low: 0.1", "not valid"),
    ],
)
def test_an_amendment_that_makes_no_sense_is_refused_and_changes_nothing(
    bench, target, tmp_path, name, key, value, said
):
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=played(tmp_path), run_id="a-1"), observers=(stop_at("spec_frozen"),))
    folder = bench.workspace.find("a-1")
    with RunLog.open(folder.path, clock=noon) as log:
        run = bench.assemble(folder, log, read_local(folder))
        before = dict(run.view.frozen)
        with pytest.raises(InputRefused, match=said):
            amendment(run, name, key, value, "because")
        assert run.view.frozen == before


@pytest.mark.slow
def test_two_amendments_typed_on_the_same_version_are_both_taken_one_on_top_of_the_other(bench, target, tmp_path):
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=played(tmp_path), run_id="a-1"), observers=(stop_at("spec_frozen"),))

    def change(run):
        leave(run, *amendment(run, "M1", "high", "0.985", "one"))
        leave(run, *amendment(run, "M1", "low", "0.93", "two"))  # of the same old version

    view = resumed_with(bench, "a-1", change)
    assert sorted(event.what for event, _ in view.amendments) == ["M1.high", "M1.low"]
    assert view.amendments[1][0].before_sha256 == view.amendments[0][0].after_sha256
    judged = view.judged[view.tree_sha256, "after"].judgements
    assert next(row for row in judged if row.id == "M1").rule == "coverage between 0.93 and 0.985"


WIDE = ("out/sim-spec.md", "    low: 0.92\n    high: 0.98\n", "    low: 0.5\n    high: 1.0\n")


@pytest.mark.slow
def test_a_finding_that_a_person_lets_stand_is_in_the_review_for_ever(bench, target, tmp_path):
    """The band accepts everything. The planner does not mend it; the person, who has reasons, lets it stand."""
    carried = ("out/sim-spec.md", "    source: notes.md A2\n", "    source: planner\n")
    order = order_for(target, backend=played(tmp_path, WIDE, carried), run_id="o-1")
    view = bench.start(order)
    (asked,) = view.open_questions
    assert asked.topic == "escalation" and [option.label for option in asked.options][2] == "accept as it is"
    keys = [f.key for f in view.checked.findings if f.severity == "error"]
    assert keys

    def change(run):
        for key in keys:
            leave(run, override(run, key, "a first look only"))

    def refused(run):
        with pytest.raises(InputRefused, match="has no finding"):
            override(run, "nothing-like-it", "why")

    resumed_with(bench, "o-1", refused)
    view = resumed_with(bench, "o-1", change)
    assert {key for key, _ in view.overrides} >= set(keys)
    person = Listening(escalation=0)
    view = bench.resume("o-1", person=person)
    assert view.finished is not None and view.finished.outcome == "shipped"
    assert any("a first look only" in finding.message for finding in view.reviewed.findings)


# --- what is judged --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_undecided_criterion_gets_more_replications_and_is_then_taken_literally(bench, target, tmp_path):
    """A band whose edge is the truth: no number of replications decides it, and it never blocks."""
    edits = [
        ("out/sim-spec.md", "    low: 0.92\n    high: 0.98\n", "    low: 0.945\n    high: 0.99\n"),
        ("out/sim-spec.md", "    source: notes.md A2\n", "    source: planner\n"),
        ("out/sim-spec.md", "replications: 1000\ncap: 4000\n", "replications: 300\ncap: 1200\n"),
        ("out/sim-spec.md", "value: 0.859", "value: 0.80"),
        (
            "sources/notes.md",
            "- **A2** The 95% interval covers the true mean in between 92% and 98% of samples of size 40.\n",
            "",
        ),
    ]
    backend = played(tmp_path, *edits)
    source = tmp_path / "material" / "sources" / "notes.md"
    digest = sha256(source.read_bytes())
    place = tmp_path / "material" / "out" / "comprehension.md"
    old = sha256((HONEST / "sources" / "notes.md").read_bytes())
    place.write_text(place.read_text().replace(old, digest))
    with pytest.raises(Stopped):
        order = order_for(target, backend=backend, sources=(source,), run_id="u-1")
        bench.start(order, observers=(stop_at("verification_finished", 2),))
    view = read_view(bench.workspace.find("u-1").path)
    first, documented = [tree for tree, subject in view.judged if subject == "after"]
    assert documented == view.tree_sha256, "the documents came in between"
    for tree, is_carried in ((first, False), (documented, True)):
        ran = [e for e in view.evidence_for(tree) if e.phase == "study"]
        assert [e.name for e in ran] == ["study", "study, batch 2", "study, batch 3"]
        assert [e.carried_from for e in ran] == [first if is_carried else ""] * 3
        row = next(j for j in view.judged[tree, "after"].judgements if j.id == "M1")
        assert row.verdict == "UNDECIDED" and row.replications == 1200 and "taken literally" in row.note
        asked = [e for e in view.evidence_for(tree, "before") if e.phase == "validation"]
        assert [e.carried_from for e in asked] == [first if is_carried else ""] * 2, "asked once"
        assert view.judged[tree, "before"].judgements


def test_every_frozen_criterion_is_judged_once_in_its_order(bench, target, tmp_path):
    view = bench.start(order_for(target, backend=played(tmp_path)))
    ids = [row.id for row in view.judged[view.tree_sha256, "after"].judgements]
    assert ids == ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "M1", "M2"]
    null = next(judged for (_, subject), judged in view.judged.items() if subject == "null")
    values = {"C1", "C2", "C3", "C4", "C5"}
    assert {row.id for row in null.judgements if row.verdict == "PASS"}.isdisjoint(values)
    before = view.judged[view.tree_sha256, "before"].judgements
    assert {row.id for row in before if row.literal == "FAIL"} >= values, "the package as it was had none of it"


def test_a_package_that_forges_the_report_from_within_is_not_believed(bench, target, tmp_path):
    """It would write a perfect JUnit report and end the process, were it in the process of its suite."""
    forged = (
        "import glob, os\n"
        "for place in glob.glob('/verify/reports/*') + ['/verify/reports/validation-validation']:\n"
        "    try:\n"
        "        open(place, 'w').write('<testsuite><testcase name=\"all\"/></testsuite>')\n"
        "    except OSError:\n"
        "        pass\n"
        "def mean(x):\n    os._exit(0)\n"
        "def interval(x, level=0.95):\n    os._exit(0)\n"
    )
    backend = played(tmp_path)
    (tmp_path / "material" / "src" / "tinymean" / "__init__.py").write_text(forged)
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=backend, run_id="f-1"), observers=(stop_at("verification_finished"),))
    view = read_view(bench.workspace.find("f-1").path)
    suite = next(e for e in view.evidence_for(view.tree_sha256) if e.name == "validation")
    assert not suite.passed and len(suite.tests) == 6
    assert view.verified[view.tree_sha256].failed
    assert all(j.literal == "FAIL" for j in view.judged[view.tree_sha256, "after"].judgements if j.id in ("C1", "C2"))


@pytest.mark.slow
def test_a_criterion_that_fails_while_all_exact_checks_pass_is_put_to_the_person(bench, target, tmp_path):
    """The truth in the specification is wrong, so that a correct package misses a band. The builder cannot mend it."""
    edits = [("out/sim-spec.md", "parameters: [{name: mu, truth: 1.0}]", "parameters: [{name: mu, truth: 1.35}]")]
    view = bench.start(order_for(target, backend=played(tmp_path, *edits)))
    (asked,) = view.open_questions
    assert asked.topic == "criterion" and "M1" in asked.text and "while every exact check passes" in asked.text
    assert view.attempts["BLOCK", "study"] == 1
    told = [signal.message for signal, _ in view.signals if signal.route_to == "builder"]
    assert told and not any("1.35" in text or "0.92" in text for text in told)
    assert not any(q.asked.topic == "criterion" for q in view.answers_for("builder"))


# --- at the terminal -------------------------------------------------------------------------------------------------


def test_a_person_reads_and_amends_at_the_terminal(bench, target, tmp_path, monkeypatch):
    with pytest.raises(Stopped):
        bench.start(order_for(target, backend=played(tmp_path), run_id="t-1"), observers=(stop_at("spec_frozen"),))
    place = ["--workspace", str(bench.workspace.root)]
    monkeypatch.setenv("COLUMNS", "200")
    shown = CliRunner().invoke(app, ["review-comprehension", "t-1", *place])
    assert shown.exit_code == 0, shown.output
    assert "notes.md(2)" in shown.output and "variance agrees" in shown.output and "unattended" in shown.output
    without = CliRunner().invoke(app, ["amend", "t-1", "M1", "high=0.985", *place])
    assert isinstance(without.exception, InputRefused) and "needs a reason" in str(without.exception)
    odd = CliRunner().invoke(app, ["amend", "t-1", "M1", "higher", "--why", "x", *place])
    assert isinstance(odd.exception, InputRefused)
    done = CliRunner().invoke(app, ["amend", "t-1", "M1", "high=0.985", "--why", "the source allows it", *place])
    assert done.exit_code == 0, done.output
    assert "0.98 → 0.985" in done.output and "statsclaw resume t-1" in done.output
    assert read_view(bench.workspace.find("t-1").path).amendments


# --- found by an attacker --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("heading", ["### Interface", "## 1. Interface", "# Interface"])
def test_an_interface_of_its_own_under_another_heading_reaches_nobody(bench, target, tmp_path, heading):
    """The builder would build another default than the one that is tested, and the engine would not have written it."""
    own = f"{heading}\n\n`interval(x, level=0.9)`\n"
    edit = ("out/spec.md", "## Interface\n\n(as in interface.md)\n", own)
    view = bench.start(order_for(target, backend=played(tmp_path, edit)))
    store = ContentStore(bench.workspace.find(view.head.run_id).store)
    given = store.get_text(view.artifacts["spec.md"].sha256) if view.frozen else ""
    assert "level=0.9)" not in given


def test_a_finding_that_a_person_let_stand_does_not_excuse_a_worse_one_under_the_same_name():
    """0.001 was accepted; the planner, sent back for another reason, makes it 0.5."""
    view, found = RunView(), "C1 would accept values off by {}"
    first = Finding(check="lint", severity="error", message=found.format(0.001), key="tolerance-too-wide:C1")
    view.overrides[first.key, first.message] = FindingOverridden(
        key=first.key, message=first.message, why="enough here"
    )
    assert view.stands(first)
    assert not view.stands(first.model_copy(update={"message": found.format(0.5)}))

"""No choice passes as an assumption: what else could be meant is executed, and a person decides if results change."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from statsclaw.engine.people import compose, compose_choices
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import (
    Assumed,
    ComprehensionChecked,
    OpenChoice,
    Option,
    QuestionAnswered,
    ReadingsCompared,
)
from statsclaw.runlog.fold import RunView
from statsclaw.sources.extract import read_sources
from statsclaw.specs.blocks import Malformed, check, read_yaml, the_block
from statsclaw.specs.comprehension import Comprehension
from statsclaw.specs.contract import read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.readings import harness
from statsclaw.specs.readings.alternatives import (
    Tried,
    calls_as_assumed,
    calls_otherwise,
    trials_of,
    tried_alternatives,
)
from statsclaw.specs.readings.reading import questions_for, signature_faults

HONEST = Path(__file__).parents[1] / "support" / "honest"
DOCUMENT = (HONEST / "out" / "comprehension.md").read_text(encoding="utf-8")
NOTES = {"notes.md": (HONEST / "sources" / "notes.md").read_bytes()}
CODE = DOCUMENT.partition("```python definitions\n")[2].partition("```")[0]
OTHERWISE = {"function": "variance_n", "instead_of": "variance", "label": "the divisor is n"}
BY_N = "def variance_n(x):\n    return variance(x) * (len(x) - 1) / len(x)\n"


def read(*assumptions: dict[str, Any], **changes: Any) -> Comprehension:
    block = the_block("comprehension.md", DOCUMENT, "yaml", "comprehension")
    assert block is not None
    data = check(read_yaml(block), Comprehension).model_dump()
    return Comprehension.model_validate(data | {"assumptions": list(assumptions)} | changes)


def assumed(**more: Any) -> dict[str, Any]:
    return {"text": "the divisor is n - 1", "stated": False} | more


def values(folder: Path, code: str, calls: list[object]) -> Any:
    (folder / "code.py").write_text(code)
    (folder / "calls.json").write_text(json.dumps(calls))
    command = [sys.executable, "-I", "-B", harness.__file__, str(folder / "code.py"), str(folder / "calls.json")]
    subprocess.run([*command, str(folder / "out.json")], check=True, timeout=100)
    return json.loads((folder / "out.json").read_text())


def tried(folder: Path, body: str, row: dict[str, Any] | None = None) -> Tried:
    comprehension = read(assumed(otherwise=row or OTHERWISE))
    trials = trials_of(comprehension, 7)
    parts = (calls_as_assumed(trials), calls_otherwise(trials))
    (found,) = tried_alternatives(trials, *(values(folder, CODE + "\n" + body, part) for part in parts))
    return found


# --- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (assumed(otherwise=OTHERWISE | {"instead_of": "nothing"}), "nothing is no definition"),
        (assumed(otherwise=OTHERWISE | {"function": "mean"}), "'mean' stands here twice"),
        (assumed(otherwise=OTHERWISE | {"function": "few"}), "'few' stands here twice"),
        (assumed(otherwise=OTHERWISE, why_not="no formula depends on it"), "otherwise or why_not"),
        (assumed(stated=True, otherwise=OTHERWISE), "the source states"),
    ],
)
def test_an_alternative_that_stands_for_nothing_is_refused(row, said):
    with pytest.raises(ValueError, match=said):
        read(row)


def test_two_alternatives_of_one_name_are_refused():
    with pytest.raises(ValueError, match="stands here twice"):
        read(assumed(otherwise=OTHERWISE), assumed(text="b", otherwise=OTHERWISE))


def with_otherwise(code: str) -> str:
    row = "otherwise: {function: variance_n, instead_of: variance, label: the divisor is n}"
    text = DOCUMENT.replace("stated: false", f"stated: false, {row}").replace(
        ", why_not: no formula changes with it", ""
    )
    return text.replace("\ndef standard_error", f"\n{code}\n\ndef standard_error")


def test_an_alternative_is_a_function_of_the_definitions_with_the_same_arguments():
    assert read_contract({"comprehension.md": with_otherwise(BY_N)}).comprehension
    with pytest.raises(Malformed, match=r"variance_n\(\) stands here 0 times"):
        read_contract({"comprehension.md": with_otherwise("")})
    other = with_otherwise(BY_N.replace("def variance_n(x)", "def variance_n(x, k)"))
    contract = read_contract({"comprehension.md": other})
    block = the_block("comprehension.md", other, "python", "definitions")
    assert contract.comprehension is not None and block is not None
    assert "must be defined as variance_n(x)" in str(signature_faults(block, contract.comprehension.executable)[0])


def test_a_definition_follows_a_choice_that_there_is():
    rows = [row.model_dump() for row in read().definitions]
    with pytest.raises(ValueError, match="mean follows nothing"):
        read(definitions=[rows[0] | {"follows": "nothing"}, *rows[1:]])


# --- what is executed -------------------------------------------------------------------------------------------------


def test_an_alternative_that_changes_results_is_seen_with_the_inputs_counted(tmp_path):
    found = tried(tmp_path, BY_N)
    assert found.differs is True and 0 < found.different <= found.inputs
    assert "as defined" in found.example and "otherwise" in found.example and "x = " in found.example


def test_an_alternative_that_computes_the_same_leaves_an_assumption(tmp_path):
    same = "def variance_n(x):\n    n = len(x)\n    return (sum(v * v for v in x) - sum(x) ** 2 / n) / (n - 1)\n"
    found = tried(tmp_path, same)
    assert found.differs is False and found.inputs > 20


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('no')", "ValueError"),
        ("return no_such_name", "NameError"),
        ("while True: pass", "longer than five seconds"),
        ("return 'words'", "something other than numbers"),
        ("return __import__('random').random()", "different values for the same input"),
        ("__import__('os')._exit(0)", "ends its own process"),
        ("return float('nan')", "no number"),
    ],
)
def test_an_alternative_that_cannot_be_executed_is_neither_a_choice_nor_the_same(tmp_path, body, said):
    found = tried(tmp_path, f"def variance_n(x):\n    {body}\n")
    assert found.differs is None
    assert said in found.note and "otherwise" in found.note


def test_an_alternative_of_another_shape_changes_results(tmp_path):
    found = tried(tmp_path, "def variance_n(x):\n    return [variance(x), 0.0]\n")
    assert found.differs is True and "(2)" in found.example


def test_an_alternative_that_refuses_some_inputs_changes_results(tmp_path):
    body = "def variance_n(x):\n    if len(x) < 4:\n        raise ValueError\n    return variance(x)\n"
    found = tried(tmp_path, body)
    assert found.differs is True and 0 < found.different < found.inputs


@pytest.mark.parametrize("written", [None, [], {}, "x", [{"value": 1.0}], [{"error": 3}] * 500])
def test_whatever_the_sandbox_leaves_is_no_result(written):
    comprehension = read(assumed(otherwise=OTHERWISE))
    trials = trials_of(comprehension, 7)
    honest = [{"value": 1.0, "nudged": 1.0}] * len(calls_otherwise(trials))
    for pair in ((honest, written), (written, honest), (written, written)):
        assert tried_alternatives(trials, *pair)[0].differs is None


def test_without_alternatives_nothing_is_executed():
    trials = trials_of(read(assumed()), 7)
    assert calls_as_assumed(trials) == calls_otherwise(trials) == []


# --- what is said -----------------------------------------------------------------------------------------------------


def findings(*assumptions: dict[str, Any], **changes: Any) -> list[tuple[str, str, str]]:
    comprehension = read(*assumptions, **changes)
    hashes = {source.name: source.sha256 for source in comprehension.sources}
    rows = comprehension_findings(comprehension, read_sources(NOTES), hashes)
    return [(row.key, row.severity, row.message) for row in rows if row.key.partition(":")[0] in ("assumed", "follows")]


def test_an_assumption_that_says_neither_what_else_nor_why_nothing_else_is_a_warning():
    (found,) = findings(assumed(), assumed(text="rows are in order"))
    assert found[:2] == ("assumed", "warning")
    assert "the divisor is n - 1" in found[2] and "rows are in order" in found[2]
    assert findings(assumed(otherwise=OTHERWISE)) == findings(assumed(why_not="nothing depends on it")) == []
    assert findings(assumed(stated=True), verdict="fully understood") == []


def test_a_definition_that_follows_the_planners_own_decision_is_told_that_the_person_is_asked():
    rows, choices = [row.model_dump() for row in read().definitions], [row.model_dump() for row in read().choices]
    definitions = [rows[0] | {"follows": "few"}, *rows[1:]]
    assert findings(definitions=definitions) == []
    own = [choices[0] | {"decided_by": "planner"}]
    ((key, severity, text),) = findings(definitions=definitions, choices=own)
    assert (key, severity) == ("follows:mean", "note") and "the person is asked" in text


def test_the_second_reader_is_shown_what_was_decided_beside_the_definition_it_concerns():
    index = read_sources(NOTES)
    plain = questions_for(read(), index)
    asked = questions_for(read(), index, {"variance": ["Which divisor?\n## n `n - k`"]})
    assert "Decided: Which divisor? ## n 'n - k'" in asked, "on one line, so that it opens nothing"
    parts = {part.split()[0]: part for part in asked.split("\n## ")[1:]}
    assert [name for name, part in parts.items() if "Decided" in part] == ["notes.md(2)"]
    assert "Decided" not in plain


# --- what the person decides ------------------------------------------------------------------------------------------


OPTIONS = (Option(label="the divisor is n - 1"), Option(label="the divisor is n"))
CHOICE = OpenChoice(id="variance_n", question="?", options=OPTIONS, default=0, changes="results", assumed=True)
OPEN = OpenChoice(id="few", question="?", options=OPTIONS, default=0, changes="failures")


class Log:
    """Events, applied one by one."""

    def __init__(self) -> None:
        self.view, self.seq = RunView(), 0

    def add(self, event: Any) -> None:
        self.seq += 1
        self.view.apply(Record(seq=self.seq, at=datetime(2026, 1, 1, tzinfo=UTC), prev="", event=event, hash=""))

    def understood(self, sha256: str, *choices: OpenChoice) -> None:
        counts = {"equations": 4, "accounted": 4, "symbols": 7}
        self.add(ComprehensionChecked(sha256=sha256, choices=choices, **counts))

    def asked(self) -> list[str]:
        rows = compose_choices(self.view)
        for row in rows:
            self.add(row)
        return [row.cause for row in rows]

    def answered(self, question: str, choice: int | None, text: str = "") -> None:
        self.add(QuestionAnswered(question=question, choice=choice, text=text, by="answer"))


def test_an_assumption_that_the_person_lets_stand_calls_nobody_and_is_not_asked_about_again():
    log = Log()
    log.understood("a" * 64, CHOICE)
    assert log.asked() == [f"{'a' * 64}/variance_n"]
    log.answered("q1", 0)
    assert log.view.work_order("planner") is None and log.view.open_choices == []
    log.understood("b" * 64, CHOICE)
    assert log.view.open_choices == [], "another document, the same assumption"


def test_an_assumption_that_the_person_turns_round_is_the_planners_to_carry():
    log = Log()
    log.understood("a" * 64, CHOICE)
    log.asked()
    log.answered("q1", 1)
    order = log.view.work_order("planner")
    assert order is not None and order.about == ("choices",) and "variance_n" in order.text


def test_words_of_the_person_are_carried_by_the_planner_too():
    log = Log()
    log.understood("a" * 64, CHOICE)
    log.asked()
    log.answered("q1", None, "n - k, as in the appendix")
    order = log.view.work_order("planner")
    assert order is not None and "n - k, as in the appendix" in order.text


def test_another_assumption_under_the_same_name_is_asked_about():
    log = Log()
    log.understood("a" * 64, CHOICE)
    log.asked()
    log.answered("q1", 0)
    other = CHOICE.model_copy(update={"options": (Option(label="the divisor is n - 2"), OPTIONS[1])})
    log.understood("b" * 64, other)
    assert log.view.open_choices == [other]


def test_open_choices_and_assumptions_are_asked_at_once_and_carried_together():
    log = Log()
    log.understood("a" * 64, CHOICE, OPEN)
    assert len(log.asked()) == 2
    log.answered("q1", 0)
    log.answered("q2", 1)
    order = log.view.work_order("planner")
    assert order is not None and order.text == "The person has decided what your comprehension left open."


def test_what_nobody_tried_is_listed_where_the_person_approves():
    log = Log()
    rows = (
        Assumed(text="rows are in order"),
        Assumed(text="the divisor is n - 1", function="variance_n", otherwise="n", differs=False, inputs=40),
        Assumed(text="draws are independent", why_not="nothing depends on it"),
        Assumed(text="lags are whole", function="lags_n", otherwise="n", note="it never ends"),
    )
    log.add(ComprehensionChecked(sha256="a" * 64, equations=4, accounted=4, symbols=7, assumed=rows))
    log.add(ReadingsCompared(comprehension_sha256="a" * 64, reading_sha256="b" * 64, rows=()))

    class One:
        view = log.view

    question = compose(One, "comprehension")  # type: ignore[arg-type]
    said = question.options[0].consequence
    assert "2 assumptions" in said and "rows are in order" in said and "lags are whole" in said
    assert "divisor" not in said and "independent" not in said
    assert "assum" not in question.text, "recordings are found by it"

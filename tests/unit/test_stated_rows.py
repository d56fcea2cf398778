"""What the sources demand, beside what was judged: on the screen, in the report, in the audit, before a push."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from statsclaw.engine.people import compose
from statsclaw.runlog import events as e
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore
from statsclaw.sources.extract import read_sources
from statsclaw.specs.contract import read_contract
from statsclaw.ui.summary import print_summary
from statsclaw.verify.audit import render_audit
from statsclaw.verify.criteria.stated import abbreviated, stated_in, stated_lines, stated_rows
from tests.support.runs import HONEST
from tests.unit.test_report import TREE, Made
from tests.unit.test_review import command
from tests.unit.test_tally import row, run_with

PASSED, FAILED = row("PASS", id="T1"), row("FAIL", id="T2")
UNDECIDED, LEFT_OPEN = row("UNDECIDED", id="T3"), row("UNDECIDED", id="T4", replications=12, planned=500)


def stated(name: str, *carriers: str, source: str = "note.tex", text: str = "It agrees.") -> e.Stated:
    return e.Stated(source=source, name=name, text=text, carried_by=carriers)


@pytest.mark.parametrize(
    ("carriers", "state"),
    [
        (("T1",), "met"),
        (("T1", "T2"), "not met"),
        (("T2", "T4"), "not met"),
        (("T1", "T3"), "open"),
        (("T1", "T4"), "open"),
        (("T1", "T9"), "open"),
        ((), "open"),
    ],
)
def test_a_stated_criterion_is_met_only_if_everything_that_carries_it_passes(carriers, state):
    (found,) = stated_rows([stated("C1", *carriers)], [PASSED, FAILED, UNDECIDED, LEFT_OPEN])
    assert (found.name, found.text, found.state) == ("C1", "It agrees.", state)
    assert [carrier.id for carrier in found.carriers] == list(carriers)


def test_an_undecided_criterion_that_counts_as_failed_is_not_met():
    lost = row("UNDECIDED", id="T5").model_copy(update={"literal": "FAIL"})
    assert stated_rows([stated("C1", "T5")], [lost])[0].state == "not met"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["C1", "C2", "C3", "C4", "C5", "C6", "C7"], "C1–C7"),
        (["C1", "C2"], "C1, C2"),
        (["C3", "C6"], "C3, C6"),
        (["C1", "C3", "C6"], "C1, C3, C6"),
        (["A1", "A2", "A3", "B1", "B3"], "A1–A3, B1, B3"),
        (["1", "2", "3"], "1–3"),
        (["criterion-1", "criterion-2", "criterion-3", "C9"], "criterion-1–criterion-3, C9"),
        (["i", "ii", "1@41"], "i, ii, 1@41"),
        ([], ""),
    ],
)
def test_names_in_a_row_are_abbreviated(names, words):
    assert abbreviated(names) == words


def test_one_line_for_each_source():
    rows = stated_rows(
        [
            *(stated(f"C{number}", "T4" if number in (3, 6) else "T1") for number in range(1, 8)),
            stated("A1", "T2", source="request"),
            stated("1", "T1", source="notes.md"),
        ],
        [PASSED, FAILED, LEFT_OPEN],
    )
    assert stated_lines(rows) == [
        "C1–C7 of note.tex: 5 met, 2 open (C3, C6)",
        "A1 of the request: 0 met, 1 not met (A1)",
        "criteria 1 of notes.md: 1 met",
    ]
    assert stated_lines(()) == []


def test_what_carries_a_criterion_is_read_from_the_frozen_ones():
    contract = read_contract({path.name: path.read_text(encoding="utf-8") for path in (HONEST / "out").iterdir()})
    index = read_sources({"notes.md": (HONEST / "sources" / "notes.md").read_bytes()})
    found = stated_in(contract, index)
    assert [(row.source, row.name) for row in found] == [("notes.md", "A1"), ("notes.md", "A2")]
    carriers = {row.id for row in (*contract.tests.criteria, *contract.study.criteria)}
    assert all(row.carried_by and set(row.carried_by) <= carriers for row in found)


# --- where it is told


def test_whoever_decides_about_pushing_is_told_what_the_source_demands():
    run = run_with([PASSED, LEFT_OPEN], [stated("C1", "T1"), stated("C2", "T4")])
    assert "C1, C2 of note.tex: 1 met, 1 open (C2). Push the result?" in compose(run, "ship").text


def test_the_audit_has_a_row_for_each_and_none_where_nothing_is_stated(tmp_path: Path):
    store = ContentStore(tmp_path)
    ran = [command(output_sha256=store.put(b"ok"))]
    rows = stated_rows([stated("C1", "T1", text="a | b"), stated("C2")], [PASSED])
    text = render_audit(ran, [], store, judgements=[PASSED], stated=rows)
    assert "C1, C2 of note.tex: 1 met, 1 open (C2)" in text
    assert "| note.tex C1 | a \\| b | T1 PASS | met |" in text
    assert "| note.tex C2 | It agrees. | no criterion | open |" in text
    assert "What the source demands" not in render_audit(ran, [], store, judgements=[PASSED])


def test_report_and_summary_name_what_the_source_demands(tmp_path: Path):
    made = Made(tmp_path).planned()
    rows = (stated("C1", "T1", text="One <b>agrees</b>."), stated("C2", "T4"), stated("C3", "T2"), stated("C4"))
    made.add(
        made.command(),
        e.CriteriaJudged(tree_sha256=TREE, judgements=(PASSED, FAILED, LEFT_OPEN), stated=rows),
    )
    page = made.page()
    assert page.index("What the source demands") < page.index("What was understood")
    section = page.partition('<section id="demanded">')[2].partition("</section>")[0]
    assert "C1–C4 of note.tex: 1 met, 1 not met (C3), 2 open (C2, C4)" in section
    assert "One &lt;b&gt;agrees" in section
    assert "left open" in section
    assert "no frozen criterion" in section

    folder = made.folder
    made.add(e.RunFinished(outcome="done"))
    view = read_view(folder.path)
    view.judged = {(view.tree_sha256, "after"): view.judged[TREE, "after"]}
    out = StringIO()
    print_summary(Console(file=out, width=100), folder, view)
    assert "C1–C4 of note.tex: 1 met, 1 not met (C3), 2 open (C2, C4)" in out.getvalue()
    assert "✓ C1 One <b>agrees</b>. ← T1" in out.getvalue()
    assert "? C4 It agrees. ← no frozen criterion" in out.getvalue()


def test_nothing_is_said_where_the_sources_state_nothing(tmp_path: Path):
    made = Made(tmp_path).planned()
    made.add(made.command(), e.CriteriaJudged(tree_sha256=TREE, judgements=(PASSED,)))
    assert "What the source demands" not in made.page()

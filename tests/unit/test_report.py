"""The report of a run: self-contained, complete, every figure with its evidence, and inert whatever the log says."""

from __future__ import annotations

import html
import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pypdfium2
import pytest
import typer
from typer.testing import CliRunner

from statsclaw.engine.run import Run
from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.report import FORMATS, REPORT, render_markdown, render_page, report_of, write_report
from statsclaw.report.alike import alike, wording
from statsclaw.report.figures import inline
from statsclaw.report.first import first_sentence
from statsclaw.report.markdown import inert
from statsclaw.report.printing import browser
from statsclaw.report.wording import last_lines, shortened
from statsclaw.runlog import events as e
from statsclaw.runlog.log import EVENTS, RunLog
from statsclaw.runlog.replies import Reply
from statsclaw.runlog.store import ContentStore
from statsclaw.states import Signal
from statsclaw.ui.report_commands import Format, report
from statsclaw.verify.study_report import packed
from statsclaw.workspace.layout import RunFolder
from tests.support.runs import HONEST, noon

RECORDED = Path(__file__).parents[2] / "src" / "statsclaw" / "demo" / "hac" / "recording"
HOSTILE = '<script>alert(1)</script><img src="http://evil.example/x" onerror=alert(1)>"\'&\x1b[2J\u202e\x00'
TREE = "7" * 64
SPECS = ("comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md")
VOID = {"meta", "br", "path", "use", "rect"}


class Page(HTMLParser):
    """Every tag and attribute of a page, as a browser would read them; `torn` where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.torn = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.torn |= not self.open or self.open.pop() != tag

    def values(self, *names: str) -> list[str]:
        return [value for _, attrs in self.tags for name, value in attrs.items() if name in names and value]


class Made:
    """A run made of nothing but its log and its store."""

    def __init__(self, folder: Path, **changes: object) -> None:
        self.folder = RunFolder(folder / "workspace" / "tinymean" / "runs" / "made-0001")
        self.store = ContentStore(self.folder.store)
        with RunLog.create(self.folder.path, clock=noon):
            pass
        created = e.RunCreated(
            run_id="made-0001", statsclaw_version="1", directive="Build it.", target="tinymean", base_commit="c" * 40,
            profile="python", workflow="full", ship_requested=False, barrier="bubblewrap",
            credentials=e.Credentials(remote=None, how="none", can_ship=False),
        )  # fmt: skip
        self.add(created.model_copy(update=changes))

    def add(self, *events: e.Event) -> Made:
        with RunLog.open(self.folder.path, clock=noon) as log:
            for event in events:
                log.append(event)
        return self

    def dispatch(self, role: str, artifacts: dict[str, str] | None = None, note: str = "", path: str = "") -> Made:
        kept = {name: self.store.put_text(text) for name, text in (artifacts or {}).items()}
        files = (e.FileChange(path=path, sha256=self.store.put(b"x")),) if path else ()
        prompt = self.store.put(b"prompt")
        return self.add(
            e.DispatchStarted(
                dispatch=f"{role}-1", role=role, attempt=1, backend="human", task_sha256="1" * 64,
                prompt_sha256=prompt, view_sha256="2" * 64, barrier="human",
            ),
            e.DispatchFinished(dispatch=f"{role}-1", role=role, artifacts=kept, files=files, note=note),
        )  # fmt: skip

    def planned(self) -> Made:
        """With the contract of the honest planner, frozen."""
        texts = {name: (HONEST / "out" / name).read_text(encoding="utf-8") for name in SPECS}
        self.dispatch("planner", texts)
        return self.add(e.SpecFrozen(specs={name: self.store.put_text(text) for name, text in texts.items()}))

    def command(self, **changes: object) -> e.CommandExecuted:
        found = e.CommandExecuted(
            name="validation", phase="validation", subject="after", tree_sha256=TREE, argv=("pytest",), exit_code=0,
            elapsed_s=1.0, output_sha256=self.store.put(b"3 passed"), passed=True, summary="3 passed",
        )  # fmt: skip
        return found.model_copy(update=changes)

    def page(self) -> str:
        return render_page(self.folder)


def judgement(name: str, **changes: object) -> e.Judgement:
    found = e.Judgement(id=name, quantity="q", rule="close", verdict="PASS", literal="PASS", observed=0.25)
    return found.model_copy(update=changes)


def judged(*rows: e.Judgement) -> e.CriteriaJudged:
    return e.CriteriaJudged(tree_sha256=TREE, judgements=rows)


@pytest.fixture(scope="module")
def recorded() -> str:
    """The page of a whole run with a study, the one that the demonstration replays."""
    return render_page(RunFolder(RECORDED))


def events_of_the_recording() -> Iterator[dict[str, object]]:
    for line in (RECORDED / EVENTS).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["event"]


# --- nothing from elsewhere ------------------------------------------------------------------------------------------


def assert_inert(text: str) -> None:
    page = Page(text)
    assert not page.torn
    assert not page.open
    assert not {tag for tag, _ in page.tags} & {"script", "img", "iframe", "link", "object", "embed", "image", "base"}
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert all(value.startswith("#") for value in page.values("href", "src", "xlink:href", "srcset", "action"))
    assert not re.search(r"url\((?!#)|@import", text)


def test_the_page_is_self_contained(recorded: str) -> None:
    assert_inert(recorded)
    assert "<svg" in recorded
    assert "prefers-color-scheme: dark" in recorded
    assert "@media print" in recorded


def test_a_drawing_keeps_only_what_is_drawn() -> None:
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9pt" height="9pt">'
        "<script>alert(1)</script><style>@import url(http://evil.example)</style>"
        '<defs><path id="m1" d="M 0 0"/></defs><g id="unused" onclick="alert(1)">'
        '<use xlink:href="#m1"/><use xlink:href="http://evil.example/#m1"/><path style="fill: url(http://evil.example)"/>'
        '<path clip-path="url(#m1)"/><text>a &lt; b</text></g></svg>'
    )
    made = str(inline(text, "f0-"))
    assert_inert(made)
    assert "evil" not in made
    assert "unused" not in made
    assert 'id="f0-m1"' in made
    assert 'href="#f0-m1"' in made
    assert "url(#f0-m1)" in made
    assert "a &lt; b" in made


# --- hostile and enormous texts --------------------------------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    made = Made(
        tmp_path,
        directive=HOSTILE,
        target=HOSTILE,
        sources=(e.Source(name=HOSTILE[:40].replace("/", ""), sha256="a" * 64),),
    )
    made.dispatch("builder", {"implementation.md": HOSTILE}, note=HOSTILE, path=f"src/{HOSTILE[:20]}x")
    made.dispatch("reviewer", {"review.md": HOSTILE})
    option = e.Option(label=HOSTILE, consequence=HOSTILE, reply=Reply.PUSH)
    finding = e.Finding(check="evidence", severity="error", message=HOSTILE, where=HOSTILE, key="k")
    made.add(
        e.QuestionAsked(question="q1", topic="ship", asked_by=HOSTILE, text=HOSTILE, options=(option,)),
        e.QuestionAnswered(question="q1", choice=0, text=HOSTILE, by="answer"),
        e.SignalRaised(
            signal=Signal.BLOCK, raised_by=HOSTILE, cause=HOSTILE, route_to="builder", message=HOSTILE,
            told=f"{HOSTILE}.",
        ),
        made.command(name=HOSTILE, summary=HOSTILE, argv=(HOSTILE,), output_sha256=made.store.put_text(HOSTILE)),
        judged(judgement(HOSTILE, quantity=HOSTILE, rule=HOSTILE, where=HOSTILE, note=HOSTILE)),
        e.FindingOverridden(key=HOSTILE, message=HOSTILE, why=HOSTILE),
        e.ReviewComputed(of="x", verdict="STOP", findings=(finding,)),
        e.RunFinished(outcome="stopped", reason=HOSTILE),
    )  # fmt: skip
    return made.page()


def test_hostile_texts_are_escaped_wherever_they_stand(hostile: str) -> None:
    assert_inert(hostile)
    assert hostile.count("&lt;script&gt;alert(1)") > 20


def test_nothing_invisible_reaches_the_page(hostile: str) -> None:
    assert not [char for char in hostile if not char.isprintable() and char not in "\n\t"]


def test_an_enormous_text_is_cut_and_the_page_says_by_how_much(tmp_path: Path) -> None:
    made = Made(tmp_path, directive="x" * 1_000_000)
    made.dispatch("reviewer", {"review.md": "y" * 1_000_000})
    made.add(made.command(summary="z" * 1_000_000, output_sha256=made.store.put(b"w" * 1_000_000)))
    page = made.page()
    assert len(page) < 100_000
    assert "994,000 characters left out" in page
    assert "970,000 characters left out" in page
    assert "998,000 characters left out" in page


def test_what_is_cut_adds_up() -> None:
    assert shortened("abcdef", 4) == "abcd … (2 characters left out)"
    assert last_lines("a\nb\nc\n", lines=2) == "(2 characters left out) …\nb\nc"
    assert last_lines("a\nb\n") == "a\nb"


# --- what the page says ----------------------------------------------------------------------------------------------


def test_every_link_has_its_target_once(recorded: str, hostile: str) -> None:
    for text in (recorded, hostile):
        page = Page(text)
        ids = page.values("id")
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in page.values("href")} <= set(ids)
    assert len([link for link in Page(recorded).values("href") if link.startswith("#event-")]) > 200


def test_every_frozen_criterion_is_there_with_its_source(recorded: str) -> None:
    last = [
        event
        for event in events_of_the_recording()
        if event["kind"] == "criteria_judged" and event["subject"] == "after"
    ][-1]
    part = recorded[recorded.index('<section id="checked">') : recorded.index('<section id="study">')]
    rows = last["judgements"]
    assert isinstance(rows, list)
    assert len(rows) > 20
    for row in rows:
        assert re.search(rf'href="#event-\d+">{row["id"]}</a>', part)
    assert len(re.findall(r'href="#event-\d+">newey-west.md', part)) == len(rows)


def test_every_number_of_the_tables_of_checks_and_study_is_a_link(recorded: str) -> None:
    part = recorded[recorded.index('<section id="checked">') : recorded.index('<section id="reviewed">')]
    cells = re.findall(r'<td class="num">(.*?)</td>', part, re.DOTALL)
    assert len(cells) > 80
    for cell in cells:
        bare = re.sub(r"<a [^>]*>.*?</a>", "", cell, flags=re.DOTALL)
        assert not re.search(r"\d", re.sub(r"<[^>]*>", "", bare)), cell


def test_a_criterion_that_nobody_has_judged_is_there_too(tmp_path: Path) -> None:
    page = Made(tmp_path).planned().page()
    names = [*(f"C{number}" for number in range(1, 8)), "M1", "M2"]
    for name in names:
        assert re.search(rf'href="#event-\d+">{name}</a>', page)
    assert page.count("not judged") == len(names)
    assert "None of 9 criteria has been judged yet." in page


def test_what_the_person_left_open_is_called_open_and_not_passed(tmp_path: Path) -> None:
    row = judgement("M1", verdict="UNDECIDED", literal="PASS", mcse=0.01, replications=100, planned=1000)
    page = Made(tmp_path).planned().add(e.StudyShortened(replications=100), judged(row)).page()
    assert '<span class="open"><a class="n" href="#event-6">left open: 100 of 1,000 replications</a></span>' in page
    assert "A person wanted only 100 replications" in page


def test_amendments_and_overrides_are_shown_with_their_reasons(tmp_path: Path) -> None:
    made = Made(tmp_path).planned()
    before = made.store.put_text((HONEST / "out" / "sim-spec.md").read_text(encoding="utf-8"))
    made.add(
        e.SpecAmended(
            document="sim-spec.md", what="M1.high", before="0.98", after="0.99", why="as agreed with the referee",
            before_sha256=before, after_sha256=before,
        ),
        e.FindingOverridden(key="lint:1", message="a band is wide", why="it is meant to be"),
    )  # fmt: skip
    page = made.page()
    for text in (
        "M1.high",
        ">0.98</a>",
        ">0.99</a>",
        "as agreed with the referee",
        "a band is wide",
        "it is meant to be",
    ):
        assert text in page


def test_a_study_is_summarised_drawn_and_tried_out(tmp_path: Path) -> None:
    columns = {"mu.estimate": [], "mu.se": [], "mu.low": [], "mu.high": []}
    for number in range(60):
        value = 1 + ((number * 37) % 60 - 29.5) / 30
        for name, found in zip(columns, (value, 0.6, value - 1.2, value + 1.2), strict=True):
            columns[name].append(found)
    cell = {
        "cell": "n=40",
        "method": "interval",
        "replication": list(range(60)),
        "failed": [False] * 60,
        "columns": columns,
    }
    made = Made(tmp_path).planned()
    records = made.store.put(packed(json.dumps({"seed": 5, "cells": [cell]}).encode()))
    page = made.add(made.command(name="study", phase="study", records_sha256=records, seed=5)).page()
    part = page[page.index('<section id="study">') :].split("</section>")[0]
    assert "<svg" in page[: page.index("<main>")]
    assert re.search(r'href="#event-5">60</a> made', part)
    assert "1,000</a> planned" in part
    assert "RMSE" in part
    assert "<svg" in part
    assert "would not notice" not in part  # 60 of 1,000 replications decide nothing
    assert_inert(page)


# --- the first screen ------------------------------------------------------------------------------------------------


def first_screen(page: str) -> str:
    """As a reader sees it: without tags, entities and line breaks, and without what is folded or drawn."""
    head = page[page.index("<header") : page.index("<main>")]
    head = re.sub(r"<(svg|details)\b.*?</\1>", "", head, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", head)).split())


@pytest.fixture
def answered(tmp_path: Path) -> Made:
    """With stated criteria that are open, a choice of a person, and one that nobody looked at."""
    made = Made(
        tmp_path,
        directive="Build tinymean from note.tex, e.g. as a\nfunction. Then ship it.",
        sources=(e.Source(name="note.tex", sha256="a" * 64),),
    )
    options = (e.Option(label="divide by n"), e.Option(label="divide by n - 1"))
    left_open = judgement("M1", verdict="UNDECIDED", literal="PASS", mcse=0.01, replications=100, planned=1000)
    stated = (
        e.Stated(source="note.tex", name="K1", text="The mean is exact.", carried_by=("C1",)),
        e.Stated(source="note.tex", name="K2", text="Intervals cover.", carried_by=("M1", "C2")),
        e.Stated(source="note.tex", name="K3", text="It is pretty."),
    )
    verdicts = (
        judgement("C1"),
        judgement("C2"),
        judgement("C3", verdict="FAIL", quantity="the third thing"),
        left_open,
    )
    return made.planned().add(
        e.QuestionAsked(
            question="q1", topic="choice", asked_by="planner", text="Which? (decides: results)", options=options
        ),
        e.QuestionAnswered(question="q1", choice=1, by="prompt"),
        e.QuestionAsked(question="q2", topic="choice", asked_by="planner", text="What of NaN?", options=options),
        e.QuestionAnswered(question="q2", choice=0, by="default"),
        e.StudyShortened(replications=100),
        e.CriteriaJudged(tree_sha256=TREE, judgements=verdicts, stated=stated),
    )  # fmt: skip


def test_the_first_screen_answers_from_the_log(answered: Made) -> None:
    page, text = answered.page(), render_markdown(answered.folder)
    plain = text.replace("**", "").replace("  - ", "").replace("- What", "What").replace("\\", "")
    for said in (
        "Build tinymean from note.tex, e.g. as a function.",
        "tinymean",
        "from note.tex",
        "4 criteria: 2 PASS, 1 FAIL, 1 left open: 100 of 1000 replications are too few.",
        "K1–K3 of note.tex: 1 met, 2 open (K2, K3).",
        "K2 is open: 1 of 2 checks left open",
        "K3 is open: no frozen criterion carries it",
        "FAIL C3: the third thing",
        "answered 2 questions: 2 choices that the sources leave open.",
        "1 answer is the safe default, taken while nobody looked.",
        "Which? divide by n - 1 (a person)",
        "What of NaN? divide by n (nobody: the safe default was taken)",
        "A person wanted only 100 replications",
        "statsclaw resume made-0001",
    ):
        assert said in first_screen(page), said
        assert said in plain, said
    assert "Then ship it" not in first_screen(page)
    judged_at = len(answered.folder.path.joinpath(EVENTS).read_text(encoding="utf-8").splitlines())
    assert f'href="#event-{judged_at}">4 criteria: 2 PASS' in page


def test_the_first_screen_of_a_whole_run_is_short_has_no_hash_and_one_figure_and_table(recorded: str) -> None:
    text = first_screen(recorded)
    head = recorded[recorded.index("<header") : recorded.index("<main>")]
    assert "28 criteria: 28 PASS" in text
    assert "6 questions (answers as recorded)" in text
    assert "Work was sent back 1 time on the way" in text
    assert "statsclaw replay" in text
    assert len(text.partition("Figure 1.")[0].split()) < 300
    assert not [word for word in re.findall(r"\b[0-9a-f]{7,}\b", text) if re.search("[a-f]", word)]
    assert head.count("<svg") == 1
    assert head.count("<table") == 1


def test_the_first_screen_says_what_failed_with_the_first_error_and_what_a_check_noted(tmp_path: Path) -> None:
    made = Made(tmp_path, workflow="validate", profile="c")
    error = ("src/x.c:1:21: error: 'undefined' undeclared", "    1 | int f(void){ return undefined; }", "      |  ^~")
    note = ("NOTE: R code for possible problems", "  f: no visible binding for global variable 'x'")
    case = e.CaseOutcome(name="test_two", outcome="failed", error="AssertionError: 3 is not 2")
    made.add(
        made.command(name="earlier", tree_sha256="6" * 64, passed=False, summary="exit status 3", exit_code=3),
        made.command(name="build", phase="build", passed=False, summary=f"exit status 2: {error[0]}", said=error),
        made.command(name="r-cmd-check", phase="checks", summary="0 errors, 0 warnings, 1 notes", said=note),
        made.command(name="unit-tests", phase="unit_tests", passed=False, summary="1 failed", tests=(case,)),
        made.command(name="before", subject="before", passed=False, summary="exit status 4"),
        e.VerificationFinished(tree_sha256=TREE, failed=("build",)),
        e.RunFinished(outcome="done", reason="verification failed: build"),
    )  # fmt: skip
    screen = first_screen(made.page())
    plain = re.sub(r"\\([\\`*_{}\[\]|~$])", r"\1", render_markdown(made.folder))
    for said in (
        "build failed: exit status 2: src/x.c:1:21: error: 'undefined' undeclared",
        "1 | int f(void){ return undefined; }",
        "r-cmd-check passed: 0 errors, 0 warnings, 1 notes",
        "NOTE: R code for possible problems",
        "f: no visible binding for global variable 'x'",
        "unit-tests failed: 1 failed",
        "test_two: AssertionError: 3 is not 2",
    ):
        assert said in screen, said
        assert said in plain, said
    for text in (screen, plain):
        assert text.index("build failed") < text.index("Is it right?")
        assert text.count("undeclared") == 1 and "^~" not in text
        assert "earlier failed" not in text and "before failed" not in text


def test_the_first_sentence_of_a_directive_ends_where_the_next_begins() -> None:
    assert first_sentence("Fix v1.2, e.g. the mean. Ship it.") == "Fix v1.2, e.g. the mean."
    assert first_sentence("one line") == "one line"
    assert first_sentence("") == ""


def test_parts_with_nothing_in_them_are_absent(tmp_path: Path) -> None:
    page = Made(tmp_path).page()
    assert re.findall(r'<section id="(\w+)">', page) == ["asked", "provenance", "evidence"]
    assert_inert(page)


def test_every_part_is_folded_and_its_title_is_outside(recorded: str) -> None:
    parts = re.findall(r'<section id="(\w+)">\n<details(?: class="printed")?>\n<summary><h2>', recorded)
    assert parts == re.findall(r'<section id="(\w+)">', recorded)
    assert parts[-2:] == ["provenance", "evidence"]
    assert {"understood", "checked", "study", "decided", "ran", "reviewed", "built", "seen", "cost"} <= set(parts)


def test_what_has_one_cause_is_one_row_with_a_count_and_all_of_it_is_there(tmp_path: Path) -> None:
    def finding(key: str, message: str) -> e.Finding:
        return e.Finding(check="evidence", severity="warning", message=message, key=key).keyed()

    rows = [finding(f"left-open:M{at}", f"M{at} was judged on 20 of 500") for at in range(1, 39)]
    rows += [finding("", f"“{name}” is empty in line {at}") for at, name in enumerate(("a", "b"))]
    rows += [finding("", "something else")]
    page = Made(tmp_path).add(e.ReviewComputed(of="x", verdict="PASS WITH NOTE", findings=tuple(rows))).page()
    part = page[page.index('<section id="reviewed">') :].split("</section>")[0]
    assert re.findall(r'<td class="num"><a class="n" href="#event-2">(\d+)</a></td>', part) == ["38", "2", "1"]
    assert all(f">M{at} was judged on 20 of 500</a>" in part for at in range(1, 39))
    assert "41 warnings of 3 kinds" in first_screen(page)


def test_messages_are_alike_if_only_names_and_numbers_differ() -> None:
    messages = ["M1 failed in n=40", "x.y failed in n=50", "M1 failed in 3 cells", "M2 failed in n=60"]
    assert alike(messages, wording) == [(messages[0], messages[1], messages[3]), (messages[2],)]


# --- other formats ---------------------------------------------------------------------------------------------------


def test_hostile_texts_are_words_in_markdown_too() -> None:
    made = inert(
        "<script>alert(1)</script> ![x](http://evil.example) | @anna closes #12 `code` *b* _c_ www.evil.example"
    )
    assert made == (
        "&lt;script&gt;alert(1)&lt;/script&gt; !\\[x\\](http:\\//evil.example) \\| @<!-- -->anna closes #<!-- -->12 "
        "\\`code\\` \\*b\\* \\_c\\_ www\\.evil.example"
    )
    assert inert("# title\n- item") == "\\# title - item"
    assert inert("1. one") == "1\\. one"
    assert inert("-0.5 and 0.107") == "-0.5 and 0.107"


def test_no_text_of_a_run_is_markup_in_the_markdown(tmp_path: Path) -> None:
    bad = f"{HOSTILE} | @anna #12\n# heading\n</details>"
    made = Made(tmp_path, directive=bad, target=bad).add(
        judged(judgement(bad, quantity=bad, verdict="FAIL", literal="FAIL")),
        e.RunFinished(outcome="stopped", reason=bad),
    )
    text = render_markdown(made.folder)
    assert not re.search(r"<(?!!-- -->)", text)
    assert not re.search(r"^# heading|@anna|#12|://|[\x00-\x08\x1b]", text, re.MULTILINE)
    assert text.count("\n# ") == 0
    row = next(line for line in text.splitlines() if line.startswith("| &lt;script"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 6


def test_the_markdown_is_short_and_folds_a_long_table_of_criteria() -> None:
    text = render_markdown(RunFolder(RECORDED))
    assert text.startswith("# hacse\n")
    assert len(re.findall(r"^\| [CM]\d+ \|.*\| PASS \|$", text, re.MULTILINE)) == 28
    assert "\n\n\n" not in text
    assert len(text) < 12_000


def test_without_a_browser_a_pdf_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    made = Made(tmp_path)
    with pytest.raises(MachineRefused, match="needs Chromium") as refused:
        report_of(made.folder, tmp_path / "report.pdf", "pdf")
    assert "apt install chromium" in refused.value.line()
    assert not (tmp_path / "report.pdf").exists()


needs_browser = pytest.mark.skipif(browser() is None, reason="no Chromium is installed: apt install chromium")


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("demonstration", ["hac", "probit-python"])
def test_a_demonstration_prints_on_twelve_pages_at_most(tmp_path: Path, demonstration: str) -> None:
    folder = RunFolder(RECORDED.parents[1] / demonstration / "recording")
    printed = pypdfium2.PdfDocument(report_of(folder, tmp_path / "report.pdf", "pdf"))
    assert 2 <= len(printed) <= 12
    text = "".join(page.get_textpage().get_text_range() for page in printed)
    assert "Is it right?" in text
    assert "Criteria and their verdicts" in text


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("demonstration", ["hac", "probit-python"])
def test_nothing_is_wider_than_a_screen_of_1200_pixels_with_every_part_unfolded(
    tmp_path: Path, demonstration: str
) -> None:
    page = render_page(RunFolder(RECORDED.parents[1] / demonstration / "recording"))
    page = re.sub(r"<meta http-equiv=[^>]*>", "", page).replace("<details", "<details open")
    wide = "[...document.querySelectorAll('.wide, html')].filter(x => x.scrollWidth > x.clientWidth).length"
    page = page.replace("</body>", f"<script>document.title = 'too wide: ' + {wide}</script></body>")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    argv = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    argv += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,900", "--dump-dom"]
    found = subprocess.run(
        [str(browser()), *argv, (tmp_path / "page.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=180,
    )
    assert "<title>too wide: 0</title>" in found.stdout


# --- runs that are not whole -----------------------------------------------------------------------------------------


def test_a_run_that_waits_at_a_question_says_so(tmp_path: Path) -> None:
    asked = e.QuestionAsked(
        question="q1", topic="workflow", asked_by="leader", text="Which?", options=(e.Option(label="full"),)
    )
    page = Made(tmp_path, workflow=None, profile=None).add(asked).page()
    assert "Not finished: waits for an answer to 1 question." in page
    assert "Not answered yet." in page
    assert "It was not reviewed." in page
    assert '<section id="study">' not in page
    assert_inert(page)


def test_a_run_of_one_line_renders(tmp_path: Path) -> None:
    page = Made(tmp_path).page()
    assert "Not finished: in state before the first." in page
    assert "No criterion was frozen in this run." in page


@pytest.mark.parametrize(
    ("outcome", "reason", "said", "kind"),
    [
        ("done", "", "Done, not shipped.", "good"),
        ("done", "validation failed", "Done, not shipped: validation failed.", "bad"),
        ("stopped", "enough", "Stopped, not shipped: enough.", "bad"),
    ],
)
def test_how_a_run_ended_is_the_first_sentence(tmp_path: Path, outcome: str, reason: str, said: str, kind: str) -> None:
    page = Made(tmp_path).add(e.RunFinished.model_validate({"outcome": outcome, "reason": reason})).page()
    assert f'<p class="lead"><span class="{kind}">{said}</span>' in page


def test_a_log_that_verifies_is_called_so_and_one_that_does_not_too(tmp_path: Path) -> None:
    made = Made(tmp_path).dispatch("builder", {"implementation.md": "words"})
    assert '<span class="good">holds: 3 lines verified' in made.page()
    made.store.path(made.store.put_text("words")).write_text("other words", encoding="utf-8")
    page = made.page()
    assert '<span class="bad">does not hold: the stored content' in page


def test_a_page_is_written_even_if_every_stored_text_is_gone(tmp_path: Path) -> None:
    made = Made(tmp_path).planned()
    made.dispatch("reviewer", {"review.md": "words"}).add(made.command(), judged(judgement("C1")))
    for path in made.folder.store.rglob("*"):
        if path.is_file():
            path.unlink()
    page = made.page()
    assert "is gone" in page
    assert "but it cannot be read" in page
    assert ">C1</a>" in page


def test_roles_that_are_recorded_are_said_to_be(tmp_path: Path) -> None:
    assert "Roles are recorded" in Made(tmp_path, replay_of="demo/hac").page()
    assert "Roles are recorded" not in Made(tmp_path / "other").page()


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_report_is_written_beside_the_log_and_the_log_stays_as_it_is(tmp_path: Path) -> None:
    made = Made(tmp_path)
    before = (made.folder.path / EVENTS).read_bytes()
    place = write_report(cast(Run, SimpleNamespace(folder=made.folder)), made.folder.path / REPORT)
    assert place.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (made.folder.path / EVENTS).read_bytes() == before


def test_the_command_offers_every_format() -> None:
    assert tuple(Format) == FORMATS


def test_the_command_prints_where_it_wrote(tmp_path: Path) -> None:
    made, app = Made(tmp_path), typer.Typer()
    app.command()(report)
    where = ["--workspace", str(tmp_path / "workspace")]
    said = CliRunner().invoke(app, ["made", *where]).output
    assert said.strip().replace("\n", "") == str(made.folder.path / REPORT)
    assert (made.folder.path / REPORT).is_file()
    CliRunner().invoke(app, ["made", "--format", "md", *where])
    assert (made.folder.path / "report.md").read_text(encoding="utf-8").startswith("# tinymean")
    CliRunner().invoke(app, ["made", "--out", str(tmp_path / "page.html"), *where])
    assert (tmp_path / "page.html").is_file()
    refused = CliRunner().invoke(app, ["made", "--out", str(tmp_path), *where]).exception
    assert isinstance(refused, InputRefused)

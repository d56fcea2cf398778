"""Every cheat is caught, by the right check, with a message that names it; the honest run passes clean."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from statsclaw.engine import reviewing
from statsclaw.errors import LogDamaged
from statsclaw.review.case import Case
from statsclaw.review.review import Reviewed, review
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import CommandExecuted, CriteriaJudged, Event, SpecFrozen
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS, read_view
from statsclaw.runlog.store import ContentStore
from statsclaw.specs.contract import SPECIFICATIONS
from statsclaw.verify.blind import asking
from statsclaw.verify.criteria.claims import contradicted_claims
from statsclaw.verify.parsers import rcheck
from tests.corpus.cheats import Edit, Fault, faults, impossible, names, play
from tests.support.runs import Bench

FAULTS = list(faults())
ROLES = {"planner", "reader", "builder", "tester", "simulator", "scriber", "reviewer"}


def test_there_are_at_least_a_hundred_by_every_role_and_each_has_its_own_name():
    assert len(FAULTS) >= 100
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert {fault.by for fault in FAULTS} == ROLES


def test_no_cheat_is_lost():
    """Each one there ever was can be tried, and stands in faults*.toml, or is impossible, and is said to be."""
    tried, former = [fault.name for fault in FAULTS], [row.name for row in impossible()]
    assert len(set(names())) == len(names())
    assert sorted(tried + former) == sorted(names())
    assert all(row.by in ROLES and row.why.endswith(".") for row in impossible())


def test_the_honest_run_passes_clean(tmp_path: Path):
    caught, view = play(None, tmp_path)
    assert caught is None, caught
    assert view is not None and view.finished is not None and view.finished.outcome == "shipped"
    assert view.reviewed is not None and view.reviewed.verdict != "STOP"
    assert all(row.literal == "PASS" for row in view.judged[view.tree_sha256, "after"].judgements)


def _marked(number: int, fault: Fault) -> object:
    """Of the longer runs, two of three are played with the slow tests."""
    longer = number % 3 and fault.caught_by not in ("hand-in", "lint")
    marks = [pytest.mark.slow] if longer else []
    if fault.missed:
        marks.append(pytest.mark.xfail(reason=fault.missed, strict=True))
    return pytest.param(fault, marks=marks, id=fault.name)


@pytest.mark.parametrize("fault", [_marked(number, fault) for number, fault in enumerate(FAULTS)])
def test_it_is_caught(fault: Fault, tmp_path: Path):
    caught, view = play(fault, tmp_path)
    assert caught is not None, f"nobody noticed; the run ended {view.finished if view else None}"
    assert caught.by == fault.caught_by, caught
    assert caught.to in ("", fault.to or fault.by), caught
    assert re.search(fault.says, caught.words), caught.words


# --- cheats that are no change of what a role hands in ----------------------------------------------------------------


class Enough(Exception):
    pass


def until(kind: type[Event], told: Callable[[Event], bool] = lambda event: True) -> Callable[[Record, RunView], None]:
    """An observer that leaves a run where such an event was written."""

    def stop(record: Record, view: RunView) -> None:
        if isinstance(record.event, kind) and told(record.event):
            raise Enough

    return stop


def the_run(folder: Path) -> Path:
    (run,) = Bench(folder).workspace.runs()
    return run.path


def test_an_interface_that_differs_in_each_specification_reaches_nobody(tmp_path: Path):
    own = "`tinymean.interval(x, level=0.9)`, where the standard error divides by n."
    marks = ("## Interface\n\n(as in interface.md)", f"## Interface\n\n{own}")
    edits = tuple(Edit(f"out/{name}", f"{marks[1]} In {name}.", marks[0]) for name in SPECIFICATIONS)
    with pytest.raises(Enough):
        play(Fault("", "", edits, "", ""), tmp_path, until(SpecFrozen))
    view, store = read_view(the_run(tmp_path)), ContentStore(the_run(tmp_path) / "store")
    texts = [store.get_text(view.frozen[name]) for name in SPECIFICATIONS]
    assert len({text.partition("## Interface\n")[2].partition("\n## ")[0].strip() for text in texts}) == 1
    assert not any(own in text for text in texts)


def test_questions_without_end_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asking, "ASK_S", 2.0)
    first = "import statsclaw_ask as ask\n"
    endless = Edit("tests/validation/ask_tinymean.py", f"{first}\nwhile True:\n    pass\n", first)
    caught, _ = play(Fault("", "tester", (endless,), "", ""), tmp_path)
    assert caught is not None
    assert (caught.by, caught.to) == ("suite check", "tester")
    assert "the questions could not be asked: it was ended" in caught.words


def test_a_reviewer_cannot_pass_what_the_checks_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A STOP that no role can mend goes by the reviewer, who says PASS; it stays a STOP, and nothing is shipped."""
    fault = Finding(check="isolation", severity="error", message="the record of what roles saw is gone", key="gone")

    def stopping(case: Case, claims: Sequence[Finding] = ()) -> Reviewed:
        return Reviewed((*review(case, claims).findings, fault), "STOP")

    monkeypatch.setattr(reviewing, "review", stopping)
    caught, view = play(None, tmp_path)
    assert caught is None and view is not None and view.finished is not None
    assert view.review_verdict == "PASS"
    assert view.verdict == "STOP"
    assert view.pushed is None and view.finished.outcome != "shipped"
    assert "STOP" in view.finished.reason, "whoever looks at the end of the run is told why"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was left when its criteria were judged: the evidence is there, the rest is to come."""
    folder = tmp_path_factory.mktemp("judged")
    with pytest.raises(Enough):
        play(None, folder, until(CriteriaJudged, lambda event: event.subject == "after"))
    return folder


def alter_a_figure(run: Path) -> str:
    """An observed number of the judge, and nothing else: as many bytes as before."""
    lines = (run / EVENTS).read_bytes().split(b"\n")
    number = next(n for n, line in enumerate(lines) if b'"criteria_judged"' in line and b'"after"' in line)
    changed = re.sub(rb'("observed": ?0\.)9\d', rb"\g<1>99", lines[number], count=1)
    assert changed != lines[number]
    (run / EVENTS).write_bytes(b"\n".join([*lines[:number], changed, *lines[number + 1 :]]))
    return f"line {number + 1} "


def alter_a_verdict(run: Path) -> str:
    lines = (run / EVENTS).read_bytes().split(b"\n")
    number = next(n for n, line in enumerate(lines) if b'"command_executed"' in line and b'"study"' in line)
    changed = lines[number].replace(b'"passed":true', b'"passed":false').replace(b'"passed": true', b'"passed": false')
    assert changed != lines[number]
    (run / EVENTS).write_bytes(b"\n".join([*lines[:number], changed, *lines[number + 1 :]]))
    return f"line {number + 1} "


def take_a_line_away(run: Path) -> str:
    """How meaningless answers were judged, as if nobody had tried them."""
    lines = (run / EVENTS).read_bytes().split(b"\n")
    number = next(n for n, line in enumerate(lines) if b'"criteria_judged"' in line and b'"null"' in line)
    (run / EVENTS).write_bytes(b"\n".join([*lines[:number], *lines[number + 1 :]]))
    return f"line {number + 1} "


def take_the_last_line_away(run: Path) -> str:
    """What is left is a chain that fits; the head file still knows that there was more."""
    lines = (run / EVENTS).read_bytes().splitlines(keepends=True)
    (run / EVENTS).write_bytes(b"".join(lines[:-1]))
    return f"line {len(lines)} "


def alter_stored(what: Callable[[RunView], str]) -> Callable[[Path], str]:
    def alter(run: Path) -> str:
        digest = what(read_view(run))
        place = ContentStore(run / "store").path(digest)
        data = place.read_bytes()
        place.write_bytes(bytes([data[0] ^ 1]) + data[1:] if data else b"x")
        return digest[:12]

    return alter


def _records(view: RunView) -> str:
    found = [row.records_sha256 for row in view.evidence_for(view.tree_sha256) if row.phase == "study"]
    return str(found[0])


TAMPERING = {
    "a figure of the judge": alter_a_figure,
    "the result of a command": alter_a_verdict,
    "a line is taken away": take_a_line_away,
    "the last line is taken away": take_the_last_line_away,
    "the frozen tolerances": alter_stored(lambda view: view.frozen["test-spec.md"]),
    "the records of the study": alter_stored(_records),
    "what a command printed": alter_stored(lambda view: view.evidence_for(view.tree_sha256)[0].output_sha256),
}


@pytest.mark.parametrize("alter", TAMPERING.values(), ids=TAMPERING.keys())
def test_edited_evidence_is_found_by_log_verify(alter: Callable[[Path], str], judged: Path, tmp_path: Path):
    run, named = spoilt(judged, tmp_path, alter)
    argv = [sys.executable, "-m", "statsclaw", "log", "verify", run.name, "--workspace", str(run.parents[2])]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 7, done
    assert named in done.stderr


@pytest.mark.parametrize("what", [name for name in TAMPERING if not name.startswith(("the records", "what a"))])
def test_a_run_with_edited_evidence_is_not_taken_up_again(what: str, judged: Path, tmp_path: Path):
    """Stored content is looked at when it is used: the specifications at once, what a command printed never again."""
    run, named = spoilt(judged, tmp_path, TAMPERING[what])
    with pytest.raises(LogDamaged, match=re.escape(named.strip())):
        Bench(tmp_path).resume(run.name)


def test_nothing_is_pushed_over_edited_records(judged: Path, tmp_path: Path):
    run, _ = spoilt(judged, tmp_path, TAMPERING["the records of the study"])
    with pytest.raises(LogDamaged, match="was altered"):
        Bench(tmp_path).resume(run.name)
    assert read_view(run).pushed is None


def spoilt(judged: Path, folder: Path, alter: Callable[[Path], str]) -> tuple[Path, str]:
    """A copy of the run with something altered, and how that must be named."""

    def special(place: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(place, name).is_socket() or Path(place, name).is_fifo()]

    shutil.copytree(judged / "workspace", folder / "workspace", symlinks=True, ignore=special)
    run = the_run(folder)
    return run, alter(run)


def executed(summary: str, *, passed: bool) -> CommandExecuted:
    return CommandExecuted(
        name="r-cmd-check", phase="checks", subject="after", tree_sha256="0" * 64, argv=("R",), exit_code=0,
        elapsed_s=1.0, output_sha256="0" * 64, passed=passed, summary=summary,
    )  # fmt: skip


def test_warnings_are_not_counted_as_none(tmp_path: Path):
    """A check with a warning does not pass; who writes that there is none, or lets it pass, is told otherwise."""
    (tmp_path / "00check.log").write_text("* checking R code ... WARNING\nStatus: 1 WARNING\n")
    parsed = rcheck(tmp_path / "00check.log", 0)
    assert (parsed.passed, parsed.summary) == (False, "0 errors, 1 warnings, 0 notes")
    for said in ("R CMD check gives 0 errors and 0 warnings.", "The check runs without warnings.", "No warnings."):
        evidence = [executed(parsed.summary, passed=False)]
        found = contradicted_claims({"log-entry.md": f"# Log\n\n{said}\n"}, [], evidence)
        assert [(row.severity, row.route_to) for row in found] == [("error", "scriber")], said
        assert "1 warnings in r-cmd-check" in found[0].message

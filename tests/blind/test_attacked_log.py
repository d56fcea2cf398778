"""A log that was changed and chained anew: what its stored evidence contradicts is found, and no more is claimed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statsclaw.engine import rejudging
from statsclaw.engine.rejudging import judged_again
from statsclaw.errors import LogDamaged, StatsClawError
from statsclaw.runlog import chain
from statsclaw.runlog import log as runlog
from statsclaw.runlog.events import CommandExecuted, Judgement
from statsclaw.runlog.store import ContentStore
from statsclaw.verify.audit import render_audit
from statsclaw.verify.blind import result
from statsclaw.verify.criteria.judge import judge
from statsclaw.verify.criteria.study import settle
from statsclaw.verify.run_study import recorded
from statsclaw.workspace.layout import RunFolder
from tests.support.runs import AGENT, Bench, make_target, order_for

Row = dict[str, Any]
Change = Callable[[Row], Row | None]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    bench = Bench(folder)
    done = bench.start(order_for(make_target(folder), backend=f"{AGENT} --good --no-hold"))
    return bench.workspace.find(done.head.run_id).path


def forged(source: Path, to: Path, change: Change) -> Path:
    """A copy of a run whose events went through `change`, chained anew, with a head that fits. None: left out."""
    shutil.copytree(source, to)
    prev, lines = chain.GENESIS, []
    for record in chain.read(source / runlog.EVENTS).records:
        row = change(json.loads(record.event.model_dump_json()))
        if row is None:
            continue
        event = chain._EVENT.validate_python(row)
        line, prev = chain.encode(len(lines) + 1, record.at, prev, event)
        lines.append(line)
    assert change is same or b"".join(lines) != (source / runlog.EVENTS).read_bytes(), "nothing was forged"
    (to / runlog.EVENTS).write_bytes(b"".join(lines))
    chain.write_head(to / runlog.HEAD, len(lines), prev)
    return to


def noticed(path: Path) -> list[str]:
    """What `statsclaw log verify` objects to."""
    try:
        runlog.verify(path)
        view = runlog.read_view(path)
        store = ContentStore(RunFolder(path).store)
        for digest in view.named:
            store.get(digest)
    except StatsClawError as error:
        return [str(error)]
    return judged_again(view, store, path).faults


def of(row: Row, kind: str, **wanted: object) -> bool:
    return bool(row["kind"] == kind and all(row[name] == value for name, value in wanted.items()))


def same(row: Row) -> Row:
    return row


def better(row: Row, by: float = 1e-6) -> Row:
    """Other figures, with no deviation."""
    for observation in row["observations"] if of(row, "command_executed") else ():
        if observation["expected"] is not None:
            observation["observed"] = observation["expected"] = observation["expected"] + by
    return row


def other_processor(row: Row) -> Row:
    """Figures summed in another order: other last digits."""
    for judgement in row["judgements"] if of(row, "criteria_judged", subject="after") else ():
        for name in ("observed", "margin", "mcse"):
            if judgement[name] is not None:
                judgement[name] *= 1 + 1e-13
    return better(row, by=1e-13)


def fewer_verdicts(row: Row) -> Row:
    if of(row, "criteria_judged", subject="after"):
        row["judgements"] = [j for j in row["judgements"] if j["id"] not in ("C2", "M1")]
    return row


def no_verdicts(row: Row) -> Row | None:
    return None if of(row, "criteria_judged", subject="after") else row


def no_verdicts_on_meaningless_answers(row: Row) -> Row | None:
    return None if of(row, "criteria_judged", subject="null") else row


def other_verdicts_on_meaningless_answers(row: Row) -> Row:
    for judgement in row["judgements"] if of(row, "criteria_judged", subject="null") else ():
        judgement["verdict"] = judgement["literal"] = "PASS" if judgement["verdict"] == "FAIL" else "FAIL"
    return row


def further_tests(row: Row) -> Row:
    """The real ones stay, others are added: audit.md and the summary count them."""
    if of(row, "command_executed", name="validation", subject="after"):
        row["summary"] = "4711 passed"
        more = 4711 - len(row["tests"])
        row["tests"] += [dict(row["tests"][0], name=f"t{i}", outcome="passed", error="") for i in range(more)]
    return row


def other_summary(row: Row) -> Row:
    if of(row, "command_executed", name="validation", subject="after"):
        row["summary"] = "4711 passed"
    return row


def other_seed(row: Row) -> Row:
    if of(row, "command_executed") and row["seed"] is not None:
        row["seed"] = 4
    return row


def other_figure(row: Row) -> Row:
    """The verdict stays."""
    for judgement in row["judgements"] if of(row, "criteria_judged", subject="after") else ():
        judgement["observed"] = 0.95 if judgement["id"] == "M1" else judgement["observed"]
    return row


def verification_gone(row: Row) -> Row | None:
    return None if of(row, "verification_finished") else row


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (better, "what the log says was observed is not"),
        (further_tests, "the tests in the log are not those"),
        (other_summary, "the tests in the log are not those"),
        (other_seed, "in the log, and FAIL"),
        (other_figure, "M1 is PASS (observed 0.95"),
        (fewer_verdicts, "not one for each frozen criterion"),
        (no_verdicts, "the verdicts on the package as it is are gone"),
        (no_verdicts_on_meaningless_answers, "the verdicts on meaningless answers are gone"),
        (other_verdicts_on_meaningless_answers, "on meaningless answers in the log"),
        (verification_gone, "what was pushed did not pass verification"),
    ],
)
def test_a_log_that_was_changed_and_chained_anew_is_noticed(
    honest: Path, tmp_path: Path, change: Change, says: str
) -> None:
    assert any(says in fault for fault in noticed(forged(honest, tmp_path / "run", change)))


def test_an_honest_log_that_was_chained_anew_is_the_same(honest: Path, tmp_path: Path) -> None:
    assert noticed(forged(honest, tmp_path / "run", same)) == []


def test_figures_that_another_processor_rounds_otherwise_are_no_fault(honest: Path, tmp_path: Path) -> None:
    assert noticed(forged(honest, tmp_path / "run", other_processor)) == []


@pytest.mark.parametrize("how", ["the folder is gone", "the log names no answers", "the answers are damaged"])
def test_evidence_that_is_gone_is_noticed_where_figures_fit(honest: Path, tmp_path: Path, how: str) -> None:
    """Whoever forges uses the judge itself, for verdicts that fit the forged figures."""
    first = forged(honest, tmp_path / "first", better)
    view, store = runlog.read_view(first), ContentStore(RunFolder(first).store)
    contract = rejudging._contract(view, store)
    assert contract is not None and contract.study is not None
    evidence = view.evidence_for(view.tree_sha256)
    rows = settle(judge(contract, evidence, recorded(store, evidence, contract.study)), None)
    made = {row.id: json.loads(row.model_dump_json()) for row in rows}

    def change(row: Row) -> Row:
        if of(row, "criteria_judged", subject="after", tree_sha256=view.tree_sha256):
            row["judgements"] = [made[j["id"]] for j in row["judgements"]]
        if how == "the log names no answers" and of(row, "command_executed"):
            row["kept_sha256"] = None
        return better(row)

    path = forged(honest, tmp_path / "run", change)
    if how == "the folder is gone":
        shutil.rmtree(path / result.KEPT)
    for file in (path / result.KEPT).iterdir() if how == "the answers are damaged" else ():
        file.write_bytes(b"?")
    assert any("are gone or cannot be read" in fault for fault in noticed(path))


def test_a_log_cannot_name_a_path(honest: Path, tmp_path: Path) -> None:
    def change(row: Row) -> Row:
        return row | {"kept_sha256": "../../pipe"} if of(row, "command_executed", name="validation") else row

    with pytest.raises(ValueError, match="kept_sha256"):
        forged(honest, tmp_path / "run", change)


def test_a_pipe_in_the_place_of_evidence_is_not_waited_for(tmp_path: Path) -> None:
    store = ContentStore(tmp_path)
    digest = hashlib.sha256(b"").hexdigest()
    for place in (tmp_path / result.KEPT / digest, store.path(digest)):
        place.parent.mkdir()
        os.mkfifo(place)
    assert result.kept(tmp_path, digest) is None
    with pytest.raises(LogDamaged, match="is gone"):
        store.get(digest)


def test_evidence_that_unpacks_to_more_than_a_run_can_hold_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "_LARGEST", 1000)
    for size, is_read in ((1000, True), (1001, False)):
        data = bytes(size)
        assert (result.kept(tmp_path, result.keep(tmp_path, data)) == data) is is_read


def test_a_shipped_suite_that_was_exchanged_is_noticed(honest: Path, tmp_path: Path) -> None:
    """Once with the names of the trees as they were, once with new ones wherever they stand."""
    digest = hashlib.sha256(b"def test_validation(): pass\n").hexdigest()

    def change(row: Row) -> Row:
        for file in row["files"] if of(row, "suite_checked") else ():
            if file["path"].endswith("test_validation.py"):
                file["sha256"] = digest
        return row

    path = forged(honest, tmp_path / "first", change)
    ContentStore(RunFolder(path).store).put(b"def test_validation(): pass\n")
    assert "what was pushed is not the tree that the files in the log give" in noticed(path)
    old, new = (runlog.read_view(place).tree_sha256 for place in (honest, path))

    def renamed(row: Row) -> Row:
        return json.loads(json.dumps(row).replace(old, new))  # type: ignore[no-any-return]

    path = forged(path, tmp_path / "second", renamed)
    assert "tests/validation/test_validation.py, which ships, is not what the stored questions give" in noticed(path)


def verified(run: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "statsclaw", "log", "verify", run.name, "--workspace", str(run.parents[2])]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60)


def test_log_verify_says_how_many_verdicts_it_made_again(honest: Path) -> None:
    view = runlog.read_view(honest)
    after, before = (len(view.judged[view.tree_sha256, subject].judgements) for subject in ("after", "before"))
    (null,) = (len(row.judgements) for (_, subject), row in view.judged.items() if subject == "null")
    done = verified(honest)
    assert done.returncode == 0
    counted = f"{after} on the package as it is, {before} on the package as it was, {null} on meaningless answers"
    assert f"verdicts made again from the stored answers and records: {counted}; the same\n" in done.stdout
    assert "the suite that ships, made again from the stored questions: the same" in done.stdout


def test_log_verify_claims_no_verdict_of_a_tree_that_is_not_verified(honest: Path, tmp_path: Path) -> None:
    def unfinished(row: Row) -> Row | None:
        return None if row["kind"] in ("verification_finished", "commit_prepared", "pushed") else row

    workspace = tmp_path / "workspace"
    shutil.copytree(honest.parents[2], workspace, ignore=shutil.ignore_patterns(honest.name))
    done = verified(forged(honest, workspace / honest.relative_to(honest.parents[2]), unfinished))
    assert "no verdict was made again: the tree as it stands is not verified" in done.stdout
    assert "the same" not in done.stdout


# --- what is rendered -------------------------------------------------------------------------------------------------


def audit_of(quantity: str, tmp_path: Path, notes: str = "") -> str:
    row = Judgement(id="C1", quantity=quantity, rule="holds", verdict="PASS", literal="PASS")
    store = ContentStore(tmp_path)
    ran = CommandExecuted(
        name="build", phase="build", subject="after", tree_sha256="0" * 64, argv=(), exit_code=0, elapsed_s=1.0,
        output_sha256=store.put(b"ok"), passed=True, summary="ok",
    )  # fmt: skip
    return render_audit([ran], [], store, notes=notes, judgements=[row])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<img src=x>", "&lt;img src=x>"),
        ("![x](http://example.org/seen)", "!\\[x]\\(http://example.org/seen)"),
        ("[x](http://example.org/seen)", "[x]\\(http://example.org/seen)"),
        ("[x]: http://example.org/seen", "[x]\\: http://example.org/seen"),
        ("&#x202e;degnahcnu", "&amp;#x202e;degnahcnu"),
    ],
)
def test_words_of_a_planner_or_tester_are_words_in_the_audit(tmp_path: Path, text: str, shown: str) -> None:
    made = audit_of(text, tmp_path, f"## Notes\n\n{text}\n")
    assert text not in made
    assert f"| C1 | {shown} |" in made
    assert f"\n> {shown}\n" in made


@pytest.mark.parametrize("text", ["x_1*y in [0, 1]", "a < b & c > d", "**n** of `fit.cov[0, 1]`", "\\hat\\beta < 0"])
def test_honest_words_are_shown_as_they_were_written(tmp_path: Path, text: str) -> None:
    assert f"| C1 | {text} |" in audit_of(text, tmp_path)


def test_words_of_a_planner_do_not_leave_their_cell(tmp_path: Path) -> None:
    assert "| C1 | a \\\\\\| PASS \\| b |" in audit_of("a \\| PASS | b", tmp_path)


@pytest.mark.parametrize("mark", ["\u202e", "\u202a", "\u2066", "\u2069", "\x1b"])
def test_words_of_a_planner_do_not_turn_the_direction_of_the_audit_or_command_a_terminal(
    tmp_path: Path, mark: str
) -> None:
    assert mark not in audit_of(f"{mark}degnahcnu", tmp_path, f"{mark}degnahcnu")

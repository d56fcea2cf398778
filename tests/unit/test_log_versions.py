"""The log has a version: logs of today, of yesterday and of tomorrow are read, migrated, or refused in one line."""

from __future__ import annotations

import copy
import inspect
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import statsclaw
from statsclaw.engine.offers import offer
from statsclaw.errors import LogDamaged
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.causes import Breach, CameBack, Cause, CauseKind, ChoiceLeft, ReadingPair
from statsclaw.runlog.dispatch_id import DispatchId
from statsclaw.runlog.events.criteria_judged import Reason
from statsclaw.runlog.fold import RunView, dispatches, shipping, signals, specifications
from statsclaw.runlog.fold import progress_events as progress
from statsclaw.runlog.fold import question_events as questions
from statsclaw.runlog.fold import verification as verification_of
from statsclaw.runlog.fold.stored import named_in
from statsclaw.runlog.log import EVENTS, RunLog, read_view, verify
from statsclaw.runlog.migrations import LOG_VERSION, migrated
from statsclaw.runlog.replies import REPLIES, Reply
from statsclaw.states import Phase, Signal

ROOT = Path(statsclaw.__file__).parent
RECORDINGS = sorted((ROOT / "demo").glob("*/recording"))
NOW = datetime(2026, 1, 1, tzinfo=UTC)

#: What version 1 offered, by topic, in its order.
VERSION_1 = {
    "escalation": [Reply.TRY_AGAIN, Reply.STOP_RUN, Reply.ACCEPT],
    "breach": [Reply.START_OVER, Reply.STOP_RUN],
    "ship": [Reply.PUSH, Reply.KEEP],
    "readings": [Reply.FIRST_IS_RIGHT, Reply.SECOND_IS_RIGHT, Reply.NEITHER_IS_RIGHT],
    "comprehension": [Reply.APPROVE, Reply.SEND_BACK],
    "refreeze": [Reply.AGREE, Reply.SEND_BACK],
    "criterion": [Reply.PACKAGE_IS_WRONG, Reply.STOP_RUN, Reply.CRITERION_IS_WRONG],
    "budget": [Reply.GO_ON, Reply.STOP_RUN],
    "model": [Reply.ASK_AGAIN, Reply.STOP_RUN],
}


def created(**changes: Any) -> e.RunCreated:
    credentials = e.Credentials(remote=None, how="not tried", can_ship=False)
    made = e.RunCreated(
        run_id="r-0001", statsclaw_version="0", directive="fix it", target="t", base_commit=None, profile="python",
        workflow="full", credentials=credentials, ship_requested=False,
    )  # fmt: skip
    return made.model_copy(update=changes)


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A log of these events as they stand, with the hashes that any version would have given them."""
    folder.mkdir()
    prev, lines = chain.GENESIS, []
    for number, row in enumerate(rows, start=1):
        event = type("AsWritten", (), {"model_dump_json": lambda _, row=row: json.dumps(row)})()
        line, prev = chain.encode(number, NOW, prev, event)
        lines.append(line)
    (folder / EVENTS).write_bytes(b"".join(lines))
    chain.write_head(folder / "head", len(lines), prev)
    return folder


def as_version_1(event: e.Event) -> dict[str, Any]:
    """The event as the first version wrote it: without what the second added."""
    row: dict[str, Any] = json.loads(event.model_dump_json())
    row.pop("log_version", None)
    for option in row.get("options", ()):
        option.pop("reply", None)
    for judgement in row.get("judgements", ()):
        judgement.pop("reason", None)
    return row


# --- today's recordings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.parent.name)
def test_recordings_of_the_first_version_are_read_as_if_they_were_written_today(recording: Path) -> None:
    rows = [json.loads(line)["event"] for line in (recording / EVENTS).read_bytes().splitlines()]
    read = [record.event for record in chain.read(recording / EVENTS).records]
    assert len(rows) == len(read) and "log_version" not in rows[0]
    assert isinstance(read[0], e.RunCreated) and read[0].log_version == 1
    asked = [event for event in read if isinstance(event, e.QuestionAsked)]
    assert {event.topic for event in asked} >= {"comprehension", "ship"}
    for event in asked:
        known = VERSION_1.get(event.topic, [None] * len(event.options))
        assert [option.reply for option in event.options] == known[: len(event.options)]
    view = read_view(recording)
    assert view.finished is not None and view.ship_authorised is True
    assert [as_version_1(event) for event in read] == [
        as_version_1(chain._EVENT.validate_python(migrated(copy.deepcopy(row), 1))) for row in rows
    ]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.parent.name)
def test_a_log_as_it_is_written_today_is_read_as_it_was_written(recording: Path, tmp_path: Path) -> None:
    events = [record.event for record in chain.read(recording / EVENTS).records]
    with RunLog.create(tmp_path / "today") as log:
        log.append(events[0].model_copy(update={"log_version": LOG_VERSION}))
        for event in events[1:]:
            log.append(event)
    rows = [json.loads(line)["event"] for line in (tmp_path / "today" / EVENTS).read_bytes().splitlines()]
    assert rows[0]["log_version"] == LOG_VERSION
    assert rows == [migrated(copy.deepcopy(row), 1) for row in rows], "a step leaves alone what has its form"
    assert verify(tmp_path / "today") == len(events)
    assert [r.event for r in chain.read(tmp_path / "today" / EVENTS).records][1:] == events[1:]
    now, then = read_view(tmp_path / "today"), read_view(recording)
    assert (now.state, now.artifacts, now.frozen) == (then.state, then.artifacts, then.frozen)
    assert now.attempts == then.attempts


def test_a_log_that_one_version_began_a_later_one_goes_on_with(tmp_path: Path) -> None:
    folder = written(tmp_path / "r-0001", [as_version_1(created())])
    options = (e.Option(label="go on", reply=Reply.GO_ON), e.Option(label="stop the run", reply=Reply.STOP_RUN))
    with RunLog.open(folder) as log:
        log.append(e.QuestionAsked(question="q1", topic="budget", asked_by="leader", text="?", options=options[::-1]))
        log.append(e.QuestionAnswered(question="q1", choice=0, by="prompt"))
        assert log.view.stop_requested and log.view.head.log_version == 1
    assert read_view(folder).stop_requested, "by name: the first option was the one that stops"


def test_a_log_of_a_later_version_is_refused_in_one_line(tmp_path: Path) -> None:
    later = written(tmp_path / "r-0001", [json.loads(created().model_dump_json()) | {"log_version": LOG_VERSION + 1}])
    with pytest.raises(LogDamaged, match="is of version 3; this StatsClaw reads versions up to 2") as refused:
        RunLog.open(later)
    assert refused.value.todo == "update StatsClaw" and "\n" not in refused.value.line()


@pytest.mark.parametrize("version", [0, -1, "two", None, 1.5, [2]])
def test_a_version_that_is_none_is_no_event_of_the_log(version: object, tmp_path: Path) -> None:
    folder = written(tmp_path / "r-0001", [json.loads(created().model_dump_json()) | {"log_version": version}])
    with pytest.raises(LogDamaged, match="line 1 of the log is not an event of this version"):
        verify(folder)


def test_a_new_run_says_the_version_of_its_log() -> None:
    assert json.loads(created().model_dump_json())["log_version"] == LOG_VERSION == 2


# --- from 1 to 2 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("no test decided it; 0 observations in 0 tests", Reason.NO_TEST),
        ("no test decided it for S2; 1 observations in 1 tests", Reason.NO_TEST),
        ("no test decided it; its test failed: t: TypeError: level; 0 observations in 0 tests", Reason.TEST_BROKE),
        ('answered another question: "holds" where "close" is asked', Reason.ANOTHER_QUESTION),
        ("the study has no records", Reason.NO_RECORDS),
        ("the study has no records: fewer replications than planned: 4 of 5 are reported in n=40", Reason.NO_RECORDS),
        ("1.25 where 1.28 is expected; 1 observations in 1 tests", None),
        ("it does not hold: no test decided it; 1 observations in 1 tests", None),
        ("486 of 1,000 replications failed in n=40, and no criterion allows failures", None),
    ],
)
def test_what_the_first_version_read_off_a_note_has_a_name(note: str, reason: Reason | None, tmp_path: Path) -> None:
    row = e.Judgement(id="C1", quantity="q", rule="close", verdict="FAIL", literal="FAIL", note=note)
    judged = as_version_1(e.CriteriaJudged(tree_sha256="t", judgements=(row,)))
    view = read_view(written(tmp_path / "r-0001", [as_version_1(created()), judged]))
    assert [found.reason for found in view.judged["t", "after"].judgements] == [reason]


@pytest.mark.parametrize("topic", sorted(VERSION_1))
def test_an_option_of_the_first_version_is_known_by_its_place(topic: str, tmp_path: Path) -> None:
    options = tuple(e.Option(label=f"option {n}", reply=reply) for n, reply in enumerate(VERSION_1[topic]))
    asked = e.QuestionAsked(question="q1", topic=topic, asked_by="leader", text="?", options=options)  # type: ignore[arg-type]
    folder = written(tmp_path / "r-0001", [as_version_1(created()), as_version_1(asked)])
    assert chain.read(folder / EVENTS).records[1].event == asked


# --- options mean what their names say -------------------------------------------------------------------------------


def test_every_reply_belongs_to_a_topic_and_has_words() -> None:
    assert {*VERSION_1} == {*REPLIES} and set().union(*REPLIES.values()) == {*Reply}
    for topic, replies in REPLIES.items():
        options = offer(dict.fromkeys(replies, "so"))
        e.QuestionAsked(question="q1", topic=topic, asked_by="leader", text="?", options=options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("topic", "replies"),
    [
        ("ship", [Reply.PUSH, None]),
        ("ship", [Reply.PUSH, Reply.STOP_RUN]),
        ("ship", [Reply.PUSH, Reply.PUSH]),
        ("hold", [Reply.STOP_RUN]),
        ("choice", [None, Reply.APPROVE]),
    ],
)
def test_a_question_whose_options_the_engine_could_not_tell_apart_is_not_put(topic: Any, replies: list[Any]) -> None:
    options = tuple(e.Option(label=f"option {n}", reply=reply) for n, reply in enumerate(replies))
    with pytest.raises(ValidationError):
        e.QuestionAsked(question="q1", topic=topic, asked_by="leader", text="?", options=options)


# --- causes ----------------------------------------------------------------------------------------------------------


@given(st.text())
def test_every_cause_of_a_log_comes_back_as_it_was(text: str) -> None:
    assert str(Cause.parse(text)) == text
    assert str(DispatchId.parse(f"{text}-1")) == f"{text}-1"


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        (Cause(CauseKind.ROLE, "builder"), "builder"),
        (Cause(CauseKind.SUITE, "tester"), "suite/tester"),
        (Cause(CauseKind.CONTRACT), "contract"),
        (Cause(CauseKind.REVIEW), "review"),
        (Cause(CauseKind.CRITERIA), "criteria"),
        *((Cause(CauseKind.PHASE, phase), phase.value) for phase in Phase),
    ],
)
def test_a_cause_is_written_as_the_logs_have_it(cause: Cause, text: str) -> None:
    assert str(cause) == text and Cause.parse(text) == cause
    assert CameBack.parse(f"{Signal.BLOCK}/{text}") == CameBack("BLOCK", cause)
    assert str(CameBack(Signal.BLOCK, cause)) == f"BLOCK/{text}"


def test_what_a_question_is_about_is_written_as_the_logs_have_it() -> None:
    assert str(ChoiceLeft("a1", "few")) == "a1/few" and ChoiceLeft.parse("a1/few") == ChoiceLeft("a1", "few")
    assert str(ReadingPair("a1", "b2")) == "a1/b2" and ReadingPair.parse("a1/b2") == ("a1", "b2")
    assert str(Breach("builder-2")) == "BREACH/builder-2"


# --- no event vanishes -----------------------------------------------------------------------------------------------

FOLDED = (
    progress.ProgressEvent, dispatches.DispatchEvent, signals.SignalEvent, questions.QuestionEvent,
    specifications.SpecificationEvent, verification_of.VerificationEvent, shipping.ShippingEvent,
)  # fmt: skip


def test_every_event_is_folded_by_exactly_one_module() -> None:
    every = get_args(get_args(e.AnyEvent)[0])
    folded = [event for group in FOLDED for event in get_args(group)]
    assert len(every) > 30 and sorted(folded, key=repr) == sorted(every, key=repr)


def test_an_event_that_nobody_folds_is_an_error_and_not_a_silence() -> None:
    class Forgotten(e.Event):
        kind: str = "forgotten"

    with pytest.raises(AssertionError):
        RunView().apply(chain.Record(1, NOW, "", "", Forgotten()))  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        named_in(Forgotten())  # type: ignore[arg-type]
    for fold in (
        progress.fold_progress, dispatches.fold_dispatch, signals.fold_signal, questions.fold_question,
        specifications.fold_specification, verification_of.fold_verification, shipping.fold_shipping,
    ):  # fmt: skip
        at = (NOW,) if "at" in inspect.signature(fold).parameters else ()
        with pytest.raises(AssertionError):
            fold(RunView(), Forgotten(), *at)  # type: ignore[operator]

"""The first screen: what was built, whether it is right, what was assumed and decided, and how to run it again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from statsclaw.profiles.profile import load_profile
from statsclaw.report.checking import Checking, Judged
from statsclaw.report.decisions import Decision, Decisions
from statsclaw.report.demand import Demand
from statsclaw.report.ledger import Ledger
from statsclaw.report.study import StudyPart
from statsclaw.report.understanding import Understanding
from statsclaw.report.wording import count, one_line
from statsclaw.runlog import events as e
from statsclaw.runlog.causes import ChoiceLeft
from statsclaw.states import Signal
from statsclaw.verify.criteria.stated import StatedRow
from statsclaw.verify.criteria.tally import tally

_LONGEST_SENTENCE = 420
_MOST_ROWS = 24
#: Lines of one command.
_MOST_SAID = 6
_WORD = re.compile(r"\w")
#: An end of a sentence is followed by a new one: not that of "e.g. this", nor of "newey-west.md as".
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d“\"(])")
_DECIDES = re.compile(r" \(decides: \w+\)$")
#: What the questions to a person were about, one and several.
_TOPICS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "choice": ("choice that the sources leave open", "choices that the sources leave open"),
        "readings": ("difference between two readings", "differences between two readings"),
        "comprehension": ("approval of what was understood", "approvals of what was understood"),
        "criterion": ("criterion in doubt", "criteria in doubt"),
        "ship": ("decision about publishing", "decisions about publishing"),
    }
)
_OTHER = ("question on the way", "questions on the way")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice that the sources leave open, with the answer. `by`: who decided; `at`: the line of the answer."""

    question: str
    answer: str
    by: Literal["a person", "nobody: the safe default was taken", "the planner", ""]
    at: int


@dataclass(frozen=True, slots=True)
class Remarked:
    """A command that did not pass, or passed with a remark, with what it said first. `cut`: lines left out."""

    name: str
    result: Literal["failed", "passed"]
    summary: str
    lines: tuple[str, ...]
    cut: int
    at: int


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """`files`: how many the result changes, and where that is said. `unmet`: what the sources demand and is not met.

    `remarked`: commands on the tree that was judged last. `assumed`, at `assumed_at`: what no source states.
    `sent_back`: the lines that sent work back.
    """

    title: str
    language: str
    sentence: str
    sources: tuple[str, ...]
    files: int
    files_at: int
    branch: str
    remote: str
    remarked: tuple[Remarked, ...]
    tally: str
    judged_at: int
    frozen: int
    failed: tuple[Judged, ...]
    unmet: tuple[tuple[StatedRow, str], ...]
    sent_back: tuple[int, ...]
    answered: tuple[str, ...]
    recorded: str
    asked: int
    unattended: int
    open_questions: int
    answered_at: int
    chosen: tuple[Chosen, ...]
    assumed: tuple[str, ...]
    assumed_at: int
    table: tuple[tuple[str, ...], ...]
    rows_left_out: int
    again: Literal["replay", "resume"]


def first_of(
    ledger: Ledger,
    checking: Checking,
    decisions: Decisions,
    demand: Demand,
    understanding: Understanding,
    study: StudyPart | None,
) -> FirstScreen:
    view = ledger.view
    judged_at, judged = ledger.judged
    answered = [row for row in decisions.questions if row.question.answer]
    return FirstScreen(
        title=view.head.target,
        language=load_profile(view.profile).name if view.profile else "",
        sentence=first_sentence(view.head.directive),
        sources=tuple(source.name for source in view.head.own_sources),
        files=view.commit.files if view.commit else len(view.overlay),
        files_at=ledger.last(e.CommitPrepared) or ledger.last(e.DispatchFinished),
        branch=view.pushed.branch if view.pushed else view.commit.branch if view.commit else "",
        remote=view.pushed.remote if view.pushed else "",
        remarked=tuple(_remarked(ledger)),
        tally=tally(judged.judgements) if judged else "",
        judged_at=judged_at,
        frozen=len(checking.criteria),
        failed=tuple(row for row in checking.criteria if row.kind == "bad"),
        unmet=tuple((row, _why(row)) for row in demand.rows if row.state != "met"),
        sent_back=tuple(seq for signal, seq in view.signals if signal.signal == Signal.BLOCK),
        answered=tuple(_topics(answered)),
        recorded="(answers as recorded)" if answered and all(_by(row) == "recording" for row in answered) else "",
        asked=len(answered),
        unattended=sum(_by(row) == "default" for row in answered),
        open_questions=len(view.open_questions),
        answered_at=max((row.question.answered_at for row in answered), default=0),
        chosen=tuple(_chosen(answered, understanding)),
        assumed=tuple(understanding.assumed),
        assumed_at=understanding.handed_in_at,
        table=_grouped(study) if study else (),
        rows_left_out=max(0, len(study.rows) - _MOST_ROWS) if study else 0,
        again="replay" if view.finished else "resume",
    )


def _remarked(ledger: Ledger) -> Iterator[Remarked]:
    """What failed comes first."""
    tree = ledger.judged_tree
    done = [row for row in ledger.each(e.CommandExecuted) if (row[1].tree_sha256, row[1].subject) == (tree, "after")]
    for seq, command in sorted(done, key=lambda row: row[1].passed):
        bad = [test for test in command.tests if test.outcome in ("failed", "error")]
        said = [line for line in command.said if _WORD.search(line) and line.strip() not in command.summary]
        lines = said + [f"{test.name}: {test.error}" for test in bad]
        if lines or not command.passed:
            yield Remarked(
                name=command.name,
                result="passed" if command.passed else "failed",
                summary=command.summary,
                lines=tuple(lines[:_MOST_SAID]),
                cut=max(0, len(lines) - _MOST_SAID),
                at=seq,
            )


def first_sentence(directive: str) -> str:
    """What was asked for, as far as its first sentence goes."""
    text = " ".join(directive.split())
    return one_line(_END.split(text, maxsplit=1)[0], _LONGEST_SENTENCE)


def _why(row: StatedRow) -> str:
    """Why a stated criterion is not met, by the frozen ones that carry it."""
    if not row.carriers:
        return "no frozen criterion carries it"
    found = Counter(carrier.verdict for carrier in row.carriers if carrier.state != "met")
    return ", ".join(f"{size} of {count(len(row.carriers), 'check')} {verdict}" for verdict, size in found.items())


def _by(row: Decision) -> str:
    return row.question.answer.by if row.question.answer else ""


def _topics(answered: list[Decision]) -> list[str]:
    found = Counter(_TOPICS.get(row.question.asked.topic, _OTHER) for row in answered)
    return [count(size, *names) for names, size in found.items()]


def _chosen(answered: list[Decision], understanding: Understanding) -> list[Chosen]:
    """Those that a person was asked about, then those that the planner made itself."""
    rows = [
        Chosen(
            question=_DECIDES.sub("", row.question.asked.text),
            answer=row.question.answer_text,
            by="nobody: the safe default was taken" if _by(row) == "default" else "a person",
            at=row.question.answered_at,
        )
        for row in answered
        if row.question.asked.topic in ("choice", "readings", "criterion")
    ]
    choices = understanding.comprehension.choices if understanding.comprehension else ()
    put = {
        ChoiceLeft.parse(row.question.asked.cause).choice for row in answered if row.question.asked.topic == "choice"
    }
    return rows + [
        Chosen(row.question, row.options[row.decision].label, "the planner", understanding.handed_in_at)
        for row in choices
        if row.decided_by == "planner" and row.decision is not None and row.id not in put
    ]


def _grouped(study: StudyPart) -> tuple[tuple[str, ...], ...]:
    """The rows of the table as a journal prints them: a cell and a method are named where they begin."""
    shown: list[tuple[str, ...]] = []
    before: tuple[str, ...] = ()
    for row in study.rows[:_MOST_ROWS]:
        same = 0
        while same < study.numbers_from - 1 and row[: same + 1] == before[: same + 1]:
            same += 1
        shown.append(("",) * same + row[same:])
        before = row
    return tuple(shown)

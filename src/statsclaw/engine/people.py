"""Questions to the person, and the doors through which answers come."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from statsclaw.engine.offers import STOPPED, offer
from statsclaw.engine.plan import cannot_be_judged
from statsclaw.errors import InputRefused
from statsclaw.intake.workflow import all_workflows
from statsclaw.profiles.profile import all_profiles
from statsclaw.runlog.causes import CameBack, Cause, CauseKind, ChoiceLeft, ReadingPair
from statsclaw.runlog.dispatch_id import DispatchId
from statsclaw.runlog.events import ComprehensionChecked, Option, QuestionAnswered, QuestionAsked
from statsclaw.runlog.fold import Overdrawn, RunView
from statsclaw.runlog.replies import Reply
from statsclaw.runlog.store import write_durably
from statsclaw.states import MAX_ATTEMPTS, Signal
from statsclaw.verify.criteria.stated import stated_lines, stated_rows
from statsclaw.verify.criteria.tally import tally

if TYPE_CHECKING:
    from statsclaw.engine.run import Run


class Person(Protocol):
    def answer(self, question: QuestionAsked) -> QuestionAnswered | None:
        """An answer that is at hand now, or None."""
        ...

    def wait(self, run: RunView) -> bool:
        """Wait a moment for somebody to answer or hand in; False: nobody is there, leave it for later."""
        ...


#: All that a general answer in a file may say: with any other, a machine would go round in circles.
_UNATTENDED = {
    "escalation": Reply.STOP_RUN,
    "breach": Reply.STOP_RUN,
    "comprehension": Reply.APPROVE,
    "readings": Reply.FIRST_IS_RIGHT,
    "refreeze": Reply.AGREE,
    "criterion": Reply.STOP_RUN,
    "budget": Reply.STOP_RUN,
    "model": Reply.STOP_RUN,
}


#: Of what stands with an approval; two lists and some words are the consequence of an option.
_LONGEST_LIST, _MOST_LISTED = 560, 12


@dataclass(frozen=True)
class Unattended:
    """Answers from a recording, an answers file, or the safe defaults (`--yes`), in this order."""

    yes: bool = False
    answers: dict[str, str] = field(default_factory=dict)
    recorded: Callable[[QuestionAsked], QuestionAnswered | None] = lambda _: None

    def answer(self, question: QuestionAsked) -> QuestionAnswered | None:
        known = self.recorded(question)
        if known is not None:
            return QuestionAnswered(question=question.question, choice=known.choice, text=known.text, by="recording")
        given = self._from_file(question)
        if given is not None:
            return given
        if self.yes and question.topic == "ship":
            return QuestionAnswered(question=question.question, choice=question.choice_of(Reply.PUSH), by="option")
        if self.yes and question.default is not None:
            return QuestionAnswered(question=question.question, choice=question.default, by="default")
        return None

    def _from_file(self, question: QuestionAsked) -> QuestionAnswered | None:
        """By question; by role where a role asks; by topic."""
        by_role = question.about if question.topic in ("hold", "escalation", "breach") else ""
        for key in (question.question, by_role, question.topic):
            if key and key in self.answers:
                answer = parse_answer(question, self.answers[key], by="file")
                if key == question.question or _may_be_general(question, answer):
                    return answer
        return None

    def wait(self, run: RunView) -> bool:
        return False


def _may_be_general(question: QuestionAsked, answer: QuestionAnswered) -> bool:
    if question.topic == "choice":
        return answer.choice is not None
    allowed = _UNATTENDED.get(question.topic)
    return allowed is None or question.reply(answer.choice) is allowed


def read_answers(path: Path) -> dict[str, str]:
    """`planner = "2"`, `ship = "push"`, `q3 = "free text"`: by question, by role, or by topic."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputRefused(f"the answers file cannot be read: {error}") from None
    if bad := [key for key, value in table.items() if not isinstance(value, str | int)]:
        raise InputRefused(f"the answer to {bad[0]!r} is neither text nor a number", todo='write `name = "answer"`')
    return {key: str(value) for key, value in table.items()}


def parse_answer(question: QuestionAsked, text: str, by: str) -> QuestionAnswered:
    """A number from 1 names an option; an option's own words do too; anything else is an answer in words."""
    text = text.strip()
    labels = [option.label.lower() for option in question.options]
    choice = None
    if text.isascii() and text.isdecimal() and len(text) < 4 and 1 <= int(text) <= len(labels):
        choice, text = int(text) - 1, ""
    elif text.lower() in labels:
        choice, text = labels.index(text.lower()), ""
    if choice is None and (not text or question.topic in ("ship", "workflow", "profile", "budget", "model")):
        offered = ", ".join(f"{n} ({option.label})" for n, option in enumerate(question.options, start=1))
        raise InputRefused(f"{text!r} is not an answer to this question", todo=f"choose {offered or 'some words'}")
    return QuestionAnswered(question=question.question, choice=choice, text=text[:4000], by=by)


# --- asking --------------------------------------------------------------------------------------------------------


def compose(run: Run, topic: str, about: str = "") -> QuestionAsked:
    view = run.view
    number = f"q{len(view.questions) + 1}"
    if topic == "workflow":
        return _about_workflow(view, number)
    if topic == "profile":
        names = view.head.profile_candidates or tuple(profile.id for profile in all_profiles())
        options = tuple(Option(label=name) for name in names)
        text = "Which language is the target written in? Its files do not say it clearly."
        return QuestionAsked(question=number, topic="profile", asked_by="leader", text=text, options=options)
    if topic == "ship":
        remote = view.head.credentials.remote
        options = offer(
            {
                Reply.PUSH: f"branch statsclaw/{run.folder.id} is pushed to {remote}",
                Reply.KEEP: "the result stays in the workspace on this machine",
            }
        )
        text = f"{'. '.join([_what_was_found(view), *_what_is_demanded(view)])}. Push the result?"
        return QuestionAsked(
            question=number, topic="ship", asked_by="shipper", text=text, options=options, cause=view.ship_basis
        )
    if topic == "readings":
        return _about_readings(view, number)
    if topic == "comprehension":
        return _about_comprehension(view, number)
    if topic == "criterion":
        return _about_criterion(view, number)
    if topic == "budget":
        return _about_budget(view, number, about)
    if topic == "model":
        return _about_model(view, number, about)
    return _about_escalation(view, number)


def _what_was_found(view: RunView) -> str:
    judged = view.judged.get((view.tree_sha256, "after"))
    if judged is None or all(row.counts_as != "OPEN" for row in judged.judgements):
        return "Everything that was to be checked has passed"
    return f"Nothing that was checked has failed, but not everything is decided. {tally(judged.judgements)}"


def _what_is_demanded(view: RunView) -> list[str]:
    judged = view.judged.get((view.tree_sha256, "after"))
    return stated_lines(stated_rows(judged.stated, judged.judgements)) if judged else []


def compose_choices(view: RunView) -> list[QuestionAsked]:
    """Everything the sources leave open, in one batch, the weightiest first."""
    assert view.understood is not None
    return [
        QuestionAsked(
            question=f"q{len(view.questions) + number}",
            topic="choice",
            asked_by="engine" if choice.assumed else "planner",
            text=f"{choice.question} (decides: {choice.changes})",
            options=choice.options,
            default=choice.default,
            about="planner",
            cause=str(ChoiceLeft(view.understood.sha256, choice.id)),
        )
        for number, choice in enumerate(view.open_choices, start=1)
    ]


def _about_readings(view: RunView, number: str) -> QuestionAsked:
    compared = view.readings
    assert compared is not None
    names = ", ".join(row.ref for row in compared.disagreements)
    text = f"Two readings of the sources differ in {names}.\n\n{compared.shown}" if names else ""
    unclear = [f"{row.ref}: {row.note}" for row in compared.unsettled if row.agrees is None]
    if unclear:
        text += f"\n\nWhat could not be compared: {'; '.join(unclear)}."
    return QuestionAsked(
        question=number,
        topic="readings",
        asked_by="engine",
        text=text.strip()[:20_000],
        options=offer(
            {
                Reply.FIRST_IS_RIGHT: "the planner's definitions stand; recorded",
                Reply.SECOND_IS_RIGHT: "the planner corrects its reading",
                Reply.NEITHER_IS_RIGHT: "say in words how the source is meant; the planner corrects",
            }
        ),
        about="planner",
        cause=str(ReadingPair(compared.comprehension_sha256, compared.reading_sha256)),
    )


def _about_comprehension(view: RunView, number: str) -> QuestionAsked:
    understood, compared = view.understood, view.readings
    assert understood is not None
    text = f"{understood.accounted} of {understood.equations} numbered equations are accounted for"
    text += f", {understood.symbols} symbols, {understood.definitions} executable definitions"
    if compared is not None and compared.comprehension_sha256 == understood.sha256:
        same = sum(row.agrees is True for row in compared.rows)
        text += f"; a second reading agrees on {same} of {len(compared.rows)}"
    elif not view.head.second_reading:
        text += "; there is no second reading, by choice"
    text += ". Read it with `statsclaw review-comprehension`. Is this what the sources say?"
    return QuestionAsked(
        question=number,
        topic="comprehension",
        asked_by="leader",
        text=text,
        options=offer(
            {
                Reply.APPROVE: f"the specifications are checked and frozen{_standing(understood)}",
                Reply.SEND_BACK: "the planner corrects its reading; add words to say what is wrong",
            }
        ),
        default=0,
        about="planner",
        cause=understood.sha256,
    )


def _standing(understood: ComprehensionChecked) -> str:
    """What stands with an approval although no source states it: what nobody tried, and what the planner decided."""
    rows = [row.text for row in understood.assumed if row.untried]
    own = [f"{row.question} → {row.label} ({row.changes})" for row in understood.settled]
    told = ""
    if rows:
        what = "an assumption stands" if len(rows) == 1 else f"{len(rows)} assumptions stand"
        told += f", and {what} that no source states and nobody tried: {_listed(rows)}"
    if own:
        what = "a choice stands" if len(own) == 1 else f"{len(own)} choices stand"
        told += f", and {what} that the planner made itself, as changing no results: {_listed(own)}"
    return told


def _listed(rows: Sequence[str]) -> str:
    """Each as long as there is room for all."""
    longest = _LONGEST_LIST // min(len(rows), _MOST_LISTED)
    cut = (row if len(row) <= longest else row[: longest - 1] + "…" for row in rows[:_MOST_LISTED])
    more = ["…"] if len(rows) > _MOST_LISTED else []
    return "; ".join([*(f"{number}. {row}" for number, row in enumerate(cut, start=1)), *more])


def _about_criterion(view: RunView, number: str) -> QuestionAsked:
    judged = view.judged[view.tree_sha256, "after"]
    row = next(j for j in judged.judgements if j.id == judged.in_doubt)
    value = "nothing" if row.observed is None else f"{row.observed:.6g}"
    error = f" ± {row.mcse:.2g}" if row.mcse is not None else ""
    text = f"{row.id} ({row.quantity}) fails while every exact check passes: {value}{error} against {row.rule}"
    text += f" {row.where}. {row.note} The criterion may be wrong rather than the package."
    return QuestionAsked(
        question=number,
        topic="criterion",
        asked_by="verification",
        text=text[:4000],
        options=offer(
            {
                Reply.PACKAGE_IS_WRONG: "the builder is sent back once more",
                Reply.STOP_RUN: STOPPED,
                Reply.CRITERION_IS_WRONG: "then change it with `statsclaw amend`; recorded",
            }
        ),
        about="builder",
        cause=row.id,
    )


def _about_workflow(view: RunView, number: str) -> QuestionAsked:
    routing = view.head.routing
    first = [routing.workflow, routing.runner_up] if routing else []
    whole = [name for name, found in all_workflows().items() if not found.repeats]
    whole = [name for name in whole if view.profile is None or not cannot_be_judged(name, view.profile)]
    names = [name for name in first if name in whole] or whole
    why = {
        "close": "Two readings of the directive are close.",
        "small-fix": "This looks like a small fix that could take the short way, without planner and review.",
        "unclear": "The directive does not say what kind of work it is.",
        "unseen": "This is how the words of the directive read. Is that what is meant?",
    }
    text = why.get(routing.ask or "", "Which workflow?") if routing else "Which workflow?"
    if routing and routing.ask == "unclear":
        names = [*names, *(name for name in whole if name not in names)]
    default = None if routing and routing.ask == "unclear" else 0
    if view.workflow and view.profile and (refused := cannot_be_judged(view.workflow, view.profile)):
        names, default = whole, None
        text = f"{refused[0].upper()}{refused[1:]}. Which of those that can be done?"
    options = tuple(Option(label=name, consequence=_route_of(name)) for name in names)
    return QuestionAsked(
        question=number, topic="workflow", asked_by="leader", text=text, options=options, default=default
    )


def _route_of(name: str) -> str:
    found = all_workflows()[name]
    return f"{found.title}: " + " → ".join(" ∥ ".join(stage) for stage in found.stages)


def _about_model(view: RunView, number: str, dispatch: str) -> QuestionAsked:
    rests = view.dispatches[dispatch]
    text = f"The {rests.role} ({rests.backend}) cannot go on: {rests.reason}. Its work so far is kept. Ask again?"
    options = offer(
        {
            Reply.ASK_AGAIN: "once you have mended it, the role goes on where it stopped",
            Reply.STOP_RUN: STOPPED,
        }
    )
    return QuestionAsked(
        question=number, topic="model", asked_by="leader", text=text[:4000], options=options, cause=dispatch
    )


def _about_budget(view: RunView, number: str, name: str) -> QuestionAsked:
    spent: dict[str, list[str]] = {}
    for dispatch in view.all_work:
        used = f"${dispatch.usage.cost_usd:.2f}, {dispatch.usage.tokens + dispatch.usage.cached_tokens:,} tokens"
        spent.setdefault(dispatch.role, []).append(f"{used}, {dispatch.elapsed_s:.0f} s")
    rows = "; ".join(f"{role}: {' + '.join(attempts)}" for role, attempts in spent.items())
    options = offer(
        {
            Reply.GO_ON: "as much again may be spent before you are asked again",
            Reply.STOP_RUN: STOPPED,
        }
    )
    over = view.over_budget(name, DispatchId.parse(name).role) or Overdrawn("", "")
    whose = f"The budget of {over.key}" if over.key else "The budget"
    text = f"{whose} is spent: {over.spent}. Spent on {rows}. Go on?"
    return QuestionAsked(
        question=number, topic="budget", asked_by="leader", text=text[:4000], options=options, cause=over.key
    )


def _about_escalation(view: RunView, number: str) -> QuestionAsked:
    due = view.escalations[0]
    if due.topic == "hold":
        return QuestionAsked(
            question=number, topic="hold", asked_by=due.role, text=due.text, options=due.options,
            default=due.default, about=due.role, cause=due.cause,
        )  # fmt: skip
    if due.topic == "breach":
        consequences = {
            Reply.START_OVER: f"the attempt is thrown away and the {due.role} begins again",
            Reply.STOP_RUN: STOPPED,
        }
        return QuestionAsked(
            question=number, topic="breach", asked_by="barrier", text=due.text[:4000], options=offer(consequences),
            default=list(consequences).index(Reply.STOP_RUN), about=due.role, cause=due.cause,
        )  # fmt: skip
    back = CameBack.parse(due.cause)
    text = f"{back.signal} came back after {MAX_ATTEMPTS} retries by the {due.role}. {due.text}"
    consequences = {
        Reply.TRY_AGAIN: f"{MAX_ATTEMPTS} more attempts; add words to guide the {due.role}",
        Reply.STOP_RUN: STOPPED,
    }
    if back == CameBack(Signal.BLOCK, Cause(CauseKind.CONTRACT)):
        consequences[Reply.ACCEPT] = "these findings stand, and the review shows them for ever"
    return QuestionAsked(
        question=number, topic="escalation", asked_by="leader", text=text[:4000], options=offer(consequences),
        about=due.role, cause=due.cause,
    )  # fmt: skip


# --- answering -----------------------------------------------------------------------------------------------------


def settle_questions(run: Run) -> None:
    """Take every answer that has arrived, by whichever way."""
    for question in [] if run.view.finished else run.view.open_questions:
        answer = _from_inbox(run, question) or run.person.answer(question)
        if answer is not None:
            run.log.append(answer)


def leave_answer(inbox: Path, answer: QuestionAnswered) -> None:
    """Put an answer where the run, alive or not, will find it."""
    inbox.mkdir(parents=True, exist_ok=True)
    write_durably(inbox / f"{answer.question}.json", answer.model_dump_json().encode())


def _from_inbox(run: Run, question: QuestionAsked) -> QuestionAnswered | None:
    place = run.folder.inbox / f"{question.question}.json"
    try:
        answer = QuestionAnswered.model_validate_json(place.read_bytes())
    except (OSError, ValueError, json.JSONDecodeError):
        return None
    valid = answer.question == question.question and (answer.choice is None or answer.choice < len(question.options))
    return answer if valid else None

"""Questions to the person, and the doors through which answers come."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from statsclaw.errors import InputRefused
from statsclaw.intake.workflow import all_workflows
from statsclaw.profiles.profile import all_profiles
from statsclaw.runlog.events import Option, QuestionAnswered, QuestionAsked
from statsclaw.runlog.fold import STOP_RUN, RunView
from statsclaw.runlog.store import write_durably
from statsclaw.states import MAX_ATTEMPTS

if TYPE_CHECKING:
    from statsclaw.engine.run import Run


class Person(Protocol):
    def answer(self, question: QuestionAsked) -> QuestionAnswered | None:
        """An answer that is at hand now, or None."""
        ...

    def wait(self, run: RunView) -> bool:
        """Wait a moment for somebody to answer or hand in; False: nobody is there, leave it for later."""
        ...


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
            return QuestionAnswered(question=question.question, choice=0, by="option")
        if self.yes and question.default is not None:
            return QuestionAnswered(question=question.question, choice=question.default, by="default")
        return None

    def _from_file(self, question: QuestionAsked) -> QuestionAnswered | None:
        """By question, role or topic. An escalation is only stopped that way, or a machine would try for ever."""
        for key in (question.question, question.about, question.topic):
            if key and key in self.answers:
                answer = parse_answer(question, self.answers[key], by="file")
                if (
                    question.topic in ("escalation", "breach")
                    and key != question.question
                    and answer.choice != STOP_RUN
                ):
                    continue
                return answer
        return None

    def wait(self, run: RunView) -> bool:
        return False


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
    if choice is None and (not text or question.topic in ("ship", "workflow", "profile")):
        offered = ", ".join(f"{n} ({option.label})" for n, option in enumerate(question.options, start=1))
        raise InputRefused(f"{text!r} is not an answer to this question", todo=f"choose {offered or 'some words'}")
    return QuestionAnswered(question=question.question, choice=choice, text=text[:4000], by=by)


# --- asking --------------------------------------------------------------------------------------------------------


def compose(run: Run, topic: str) -> QuestionAsked:
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
        options = (
            Option(label="push", consequence=f"branch statsclaw/{run.folder.id} is pushed to {remote}"),
            Option(label="do not push", consequence="the result stays in the workspace on this machine"),
        )
        text = "Everything that was to be checked has passed. Push the result?"
        return QuestionAsked(question=number, topic="ship", asked_by="shipper", text=text, options=options)
    return _about_escalation(view, number)


def _about_workflow(view: RunView, number: str) -> QuestionAsked:
    routing = view.head.routing
    first = [routing.workflow, routing.runner_up] if routing else []
    whole = [name for name, found in all_workflows().items() if not found.repeats]
    names = [name for name in first if name in whole] or whole
    why = {
        "close": "Two readings of the directive are close.",
        "small-fix": "This looks like a small fix that could take the short way, without planner and review.",
        "unclear": "The directive does not say what kind of work it is.",
    }
    text = why.get(routing.ask or "", "Which workflow?") if routing else "Which workflow?"
    if routing and routing.ask == "unclear":
        names = [*names, *(name for name in whole if name not in names)]
    options = tuple(Option(label=name, consequence=_route_of(name)) for name in names)
    default = None if routing and routing.ask == "unclear" else 0
    return QuestionAsked(
        question=number, topic="workflow", asked_by="leader", text=text, options=options, default=default
    )


def _route_of(name: str) -> str:
    found = all_workflows()[name]
    return f"{found.title}: " + " → ".join(" ∥ ".join(stage) for stage in found.stages)


def _about_escalation(view: RunView, number: str) -> QuestionAsked:
    due = view.escalations[0]
    if due.topic == "hold":
        return QuestionAsked(
            question=number, topic="hold", asked_by=due.role, text=due.text, options=due.options,
            default=due.default, about=due.role, cause=due.cause,
        )  # fmt: skip
    if due.topic == "breach":
        options = (
            Option(label="start over", consequence=f"the attempt is thrown away and the {due.role} begins again"),
            Option(label="stop the run", consequence="everything is kept; nothing is shipped"),
        )
        return QuestionAsked(
            question=number, topic="breach", asked_by="barrier", text=due.text[:4000], options=options,
            default=STOP_RUN, about=due.role, cause=due.cause,
        )  # fmt: skip
    what = due.cause.partition("/")[0]
    text = f"{what} came back after {MAX_ATTEMPTS} retries by the {due.role}. {due.text}"
    options = (
        Option(label="try again", consequence=f"{MAX_ATTEMPTS} more attempts; add words to guide the {due.role}"),
        Option(label="stop the run", consequence="everything is kept; nothing is shipped"),
    )
    return QuestionAsked(
        question=number, topic="escalation", asked_by="leader", text=text[:4000], options=options,
        about=due.role, cause=due.cause,
    )  # fmt: skip


# --- answering -----------------------------------------------------------------------------------------------------


def settle_questions(run: Run) -> None:
    """Take every answer that has arrived, through whichever door."""
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

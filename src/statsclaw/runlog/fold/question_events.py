"""What a person was asked and has decided."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e
from statsclaw.runlog.causes import CameBack, ReadingPair
from statsclaw.runlog.fold.run_rows import Question, WorkOrder
from statsclaw.runlog.fold.state import RunState
from statsclaw.runlog.replies import Reply

QuestionEvent = e.QuestionAsked | e.QuestionAnswered


def fold_question(run: RunState, event: QuestionEvent) -> None:
    match event:
        case e.QuestionAsked():
            run.questions[event.question] = Question(event)
            if event.topic in ("hold", "escalation", "breach"):
                run.escalations.pop(0)
        case e.QuestionAnswered():
            question = run.questions[event.question]
            question.answer, question.answered_at = event, run.seq
            _decide(run, question, event)
        case _:
            assert_never(event)


def _decide(run: RunState, question: Question, answer: e.QuestionAnswered) -> None:
    asked = question.asked
    if question.reply is Reply.STOP_RUN:
        run.stop_requested = True
        return
    match asked.topic:
        case "workflow":
            run.workflow = _label(asked, answer) or run.workflow
        case "profile":
            run.profile = _label(asked, answer) or run.profile
        case "hold":
            run.remarks[asked.about] = WorkOrder("The person answered your question.", ())
        case "choice":
            _order_choices(run, answer)
        case "readings":
            if question.reply is Reply.FIRST_IS_RIGHT:
                run.readings_settled.add(ReadingPair.parse(asked.cause))
            else:
                _send_back(run, asked, answer)
        case "comprehension":
            if question.reply is not Reply.APPROVE:
                _send_back(run, asked, answer)
        case "refreeze":
            if question.reply is not Reply.AGREE:
                _send_back(run, asked, answer)
        case "escalation":
            if question.reply is Reply.ACCEPT and run.checked is not None:
                _accept(run, run.checked, asked, answer)
            else:
                _try_again(run, asked, answer)
        case "budget":
            run.granted[asked.cause] = run.used(asked.cause)
        case "model":
            rests = run.dispatches[asked.cause]
            if rests.paused is not None:
                rests.paused = rests.paused.model_copy(update={"until": run.last_at})
        case "breach" | "criterion" | "ship":
            pass  # the next step follows from the answer as it stands
        case _:
            assert_never(asked.topic)


def _label(asked: e.QuestionAsked, answer: e.QuestionAnswered) -> str | None:
    return asked.options[answer.choice].label if answer.choice is not None else None


def _said(answer: e.QuestionAnswered) -> str:
    return f" The person says: {answer.text}" if answer.text else ""


def _send_back(run: RunState, asked: e.QuestionAsked, answer: e.QuestionAnswered) -> None:
    told = f"{asked.text}\nThe person did not accept your reading.{_said(answer)}"
    run.orders["planner"] = WorkOrder(told, (asked.topic, answer.text))


def _order_choices(run: RunState, answer: e.QuestionAnswered) -> None:
    """Once all are answered: the planner carries what was decided."""
    waiting = [q for q in run.open_questions if q.topic == "choice"]
    if not waiting and (left := run.open_choices):
        told = "The person has decided what your comprehension left open."
        if turned := [choice.id for choice in left if choice.assumed]:
            told += (
                f" What you assumed or decided yourself is the person's choice now: write it as one "
                f"({', '.join(turned)}; decided_by: person), as it was decided."
            )
        run.orders["planner"] = WorkOrder(told + _said(answer), ("choices",))


def _accept(run: RunState, checked: e.ContractChecked, asked: e.QuestionAsked, answer: e.QuestionAnswered) -> None:
    """Every finding that is open stands."""
    why = answer.text or "accepted as it is"
    for finding in checked.findings:
        if finding.severity == "error" and not run.stands(finding):
            over = e.FindingOverridden(key=finding.key, message=finding.message, why=why)
            run.overrides[finding.key, finding.message] = over
    run.orders.pop(asked.about, None)


def _try_again(run: RunState, asked: e.QuestionAsked, answer: e.QuestionAnswered) -> None:
    back = CameBack.parse(asked.cause)
    run.attempts[back.signal, str(back.cause)] = 1  # the attempt that follows is the first of three
    if answer.text:
        run.remarks[asked.about] = WorkOrder(f"The person says: {answer.text}", (answer.text,))

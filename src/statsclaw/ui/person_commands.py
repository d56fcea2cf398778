"""Commands by which a person takes part: answer a question, hand in a role's work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from statsclaw.backends.command import read_ending
from statsclaw.engine.people import leave_answer, parse_answer, settle_questions
from statsclaw.errors import InputRefused, RunLocked
from statsclaw.runlog.events import Option, QuestionAsked
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import RunLog, read_view
from statsclaw.sandbox.handin import HandIn, Raised
from statsclaw.sandbox.printable import printable_lines
from statsclaw.sandbox.room import Room
from statsclaw.states import Signal
from statsclaw.ui import session, settings
from statsclaw.ui.lint_commands import checked_hand_in
from statsclaw.ui.options import RunArgument, WorkspaceOption
from statsclaw.workspace.layout import RunFolder


def answer(
    run: RunArgument,
    choose: Annotated[int | None, typer.Option("--choose", help="Number of the option, from 1.")] = None,
    text: Annotated[str, typer.Option("--text", help="An answer in words, alone or beside --choose.")] = "",
    question: Annotated[str | None, typer.Option("--question", help="Which question, if several are open.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Answer a question of a run, now or next week, whether or not the run is alive."""
    place = settings.workspace_from(workspace)
    folder = place.find(run)
    asked = _open_question(read_view(folder.path), folder, question)
    if choose is None and not text:
        raise InputRefused("no answer was given", todo="--choose K, --text WORDS, or both")
    given = parse_answer(asked, str(choose) if choose is not None else text, by="answer")
    if choose is not None:
        if given.choice is None:
            raise InputRefused(f"there is no option {choose}", todo=f"choose 1 to {len(asked.options)}")
        given = given.model_copy(update={"text": text})
    leave_answer(folder.inbox, given)
    try:
        with RunLog.open(folder.path) as log:
            settle_questions(session.quiet_run(place, folder, log))
        print(f"answered {asked.question}. Continue with: statsclaw resume {folder.id}")
    except RunLocked:
        print(f"answered {asked.question}. The run is alive and takes it up.")


def _open_question(view: RunView, folder: RunFolder, wanted: str | None) -> QuestionAsked:
    there = view.open_questions
    if wanted:
        there = [question for question in there if question.question == wanted]
    if not there:
        raise InputRefused(f"run {folder.id} has no such open question", todo=f"`statsclaw show {folder.id}`")
    if len(there) > 1:
        names = ", ".join(question.question for question in there)
        raise InputRefused(f"{len(there)} questions are open ({names})", todo="name one with --question")
    return there[0]


def done(
    run: RunArgument,
    role: Annotated[str | None, typer.Argument(help="Which role, if several wait.")] = None,
    signal: Annotated[Signal | None, typer.Option("--signal", help="End with a signal instead.")] = None,
    message: Annotated[str, typer.Option("--message", help="What the signal says.")] = "",
    option: Annotated[list[str] | None, typer.Option("--option", help="LABEL|CONSEQUENCE. Repeatable.")] = None,
    route_to: Annotated[str | None, typer.Option("--route-to", help="Which role has to act.")] = None,
    note: Annotated[str, typer.Option("--note", help="A remark for the record.")] = "",
    ending: Annotated[
        Path | None, typer.Option("--ending", help="A transcript; a JSON ending may stand near its end.")
    ] = None,
    as_it_is: Annotated[
        bool, typer.Option("--as-it-is", help="Hand in although checks find errors: for what you want to let stand.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Hand in what you did as a role. Nothing is handed in before it is complete."""
    place = settings.workspace_from(workspace)
    folder = place.find(run)
    view = read_view(folder.path)
    waiting = [d for d in view.running if d.backend == "human" and role in (None, d.role)]
    if len(waiting) != 1:
        names = ", ".join(d.role for d in waiting) or "nobody"
        raise InputRefused(f"{names} of run {folder.id} waits to hand in", todo="name one role that waits")
    result = read_ending(_read(ending)) if ending else HandIn()
    if signal is not None:
        result = result.model_copy(update={"signal": _raised(signal, message, option or [], route_to)})
    result = result.model_copy(update={"note": note})
    checked = checked_hand_in(place, folder, view, waiting[0].id, result)
    if complaints := checked.problems if as_it_is else checked.complaints:
        for complaint in complaints:
            print(f"  ✗ {printable_lines(complaint)[0]}")
        otherwise = "" if checked.problems else "; or hand in with --as-it-is, and override what is to stand"
        raise InputRefused(
            "not handed in yet", kept="your folder is as you left it", todo=f"mend the points above{otherwise}"
        )
    Room(folder.room(waiting[0].id), folder.desk(waiting[0].id)).hand_in(result)
    print(f"handed in for {waiting[0].role}. If the run is not alive: statsclaw resume {folder.id}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputRefused(f"{path} cannot be read: {error.strerror}") from None


def _raised(signal: Signal, message: str, options: list[str], route_to: str | None) -> Raised:
    if not message.strip():
        raise InputRefused(f"{signal} needs a --message")
    try:
        parsed = tuple(
            Option(label=o.partition("|")[0].strip(), consequence=o.partition("|")[2].strip()) for o in options
        )
        return Raised(signal=signal, message=message, options=parsed, route_to=route_to)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputRefused(f"the signal cannot be raised like that: {first['loc'][0]}: {first['msg']}") from None

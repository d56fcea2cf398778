"""One event, one or a few lines for a person. Nothing that came from a role reaches the terminal unfiltered."""

from __future__ import annotations

from statsclaw.intake.workflow import workflow
from statsclaw.runlog import events as e
from statsclaw.runlog.chain import Record
from statsclaw.runlog.fold import EACH_DISPATCH, WHOLE_RUN, RunView
from statsclaw.sandbox.printable import printable
from statsclaw.states import MAX_ATTEMPTS, State
from statsclaw.ui.contract_lines import contract_lines
from statsclaw.ui.line import Line, plain

_DOORS = {"recording": "recorded answer", "default": "safe default", "file": "answers file", "option": "--yes"}

_LINES_OF_A_SIGNAL = 5
_LINES_SAID = 8
#: Two readings side by side, with the input they differ in, are some fifty lines.
_LONGEST_QUESTION = 120

#: Questions that stop a run where others only steer it.
_LABELS = {
    "hold": "HOLD",
    "escalation": "HOLD",
    "readings": "HOLD",
    "criterion": "HOLD",
    "refreeze": "HOLD",
    "budget": "HOLD",
    "model": "HOLD",
    "breach": "STOP",
}


def budget_text(budget: e.BudgetSet) -> str:
    amounts = {f"${budget.usd:.2f}": budget.usd, f"{budget.tokens:,} tokens": budget.tokens}
    amounts[f"{budget.hours:g} hours of work"] = budget.hours
    text = ", ".join(t for t, amount in amounts.items() if amount) or "as much as it takes"
    return {WHOLE_RUN: text, EACH_DISPATCH: f"{text} for each dispatch"}.get(
        budget.scope, f"{text} for the {budget.scope}"
    )


def lines_for(record: Record, run: RunView, *, brief: bool = False) -> list[Line]:
    """What to say about an event. `brief`: nobody has to answer the questions that are shown."""
    if brief and isinstance(record.event, e.QuestionAsked):
        return _brief_question(record.event)
    match record.event:
        case e.RunCreated() as event:
            rows = [Line("run", f"{event.run_id} · target {event.target} · {_routing(event)}", "bold")]
            if event.barrier == "none":
                text = "NO SANDBOX: agents and their code run as you, on your machine; every document says so"
                rows.append(Line("unsafe", text, "bold red"))
            elif event.barrier != "bubblewrap":
                rows.append(Line("barrier", f"{event.barrier}: weaker than bubblewrap", "bold yellow"))
            return rows
        case e.StateEntered() as event:
            text = _about_state(event, run) if event.applicable else f"not applicable: {event.reason}"
            return [Line(event.state, text, "bold blue" if event.applicable else "dim")]
        case e.DispatchStarted() as event:
            attempt = f" · attempt {event.attempt}" if event.attempt > 1 else ""
            same = " · goes on with its conversation" if event.goes_on else ""
            return [Line(event.role, f"at work ({event.backend}){attempt}{same}", "cyan")]
        case e.DispatchFinished() as event:
            parts = [", ".join(event.artifacts)] if event.artifacts else []
            parts += [f"{len(event.files)} file{'s' if len(event.files) != 1 else ''}"] if event.files else []
            note = [Line("", plain(event.note), "yellow")] if event.note else []
            return [Line(event.role, "✓ " + " · ".join(parts), "green"), *note]
        case e.DispatchFailed() as event:
            return [Line(event.role, f"✗ nothing taken: {plain(event.reason)}", "red")]
        case e.DispatchPaused() as event:
            on = f"; goes on at {event.until.astimezone():%H:%M:%S}" if event.until and event.why == "model" else ""
            return [Line(event.role, f"rests: {plain(event.reason)}{on} (its work is kept)", "yellow")]
        case e.DispatchResumed() as event:
            return [Line(event.role, "goes on where it stopped", "cyan")]
        case e.DispatchInterrupted() as event:
            return [Line(event.role, "was interrupted and starts over (its room was discarded)", "yellow")]
        case _:
            return _other(record.event, run)


def _other(event: e.Event, run: RunView) -> list[Line]:
    match event:
        case e.SignalRaised():
            count = run.attempts[event.signal, event.cause]
            if event.signal == "HOLD":
                return []
            label = f"{event.signal} ({min(count, MAX_ATTEMPTS)}/{MAX_ATTEMPTS})"
            rows = event.message.splitlines()
            said = [Line("", plain(row), "dim") for row in rows[:_LINES_OF_A_SIGNAL]]
            if len(rows) > _LINES_OF_A_SIGNAL:
                said.append(Line("", f"… {len(rows) - _LINES_OF_A_SIGNAL} more in status.md", "dim"))
            return [Line(label, f"by {event.raised_by}, to {event.route_to}", "bold red"), *said]
        case e.OrderWithdrawn():
            return [Line("taken back", withdrawal_text(event), "bold yellow")]
        case e.QuestionAsked():
            return question_lines(event)
        case e.QuestionAnswered():
            answer = plain(run.questions[event.question].answer_text)
            return [Line("", f"{_DOORS.get(event.by, 'answer')}: {answer}", "bold yellow")]
        case e.SandboxClosed():
            seen = [Line("", f"possible leak: {_trace(trace)}", "yellow") for trace in event.suspicions]
            if event.network.refused:
                seen.append(Line("", f"network: {event.network.refused} requests refused", "yellow"))
            return seen
        case e.IsolationBreached():
            found = [Line("", _trace(trace), "red") for trace in event.traces[:5]]
            return [Line("STOP", f"isolation breach: the {event.role} knew what it could not know", "bold red"), *found]
        case e.BudgetSet() as event:
            return [Line("budget", budget_text(event))]
        case e.StudyShortened(replications=None):
            return [Line("study", "as many replications as were planned")]
        case e.StudyShortened():
            text = (
                f"{event.replications} replications a cell, not what is planned: what they leave undecided stays open"
            )
            return [Line("study", text, "yellow")]
        case e.ChannelOpened():
            return [Line("reveal", f"the person lets the {event.role} see the failures in full", "bold yellow")]
        case e.SpecFrozen():
            return [Line("freeze", f"{len(event.specs)} documents frozen by hash", "")]
        case e.CommandExecuted():
            return _evidence_lines(event)
        case e.CommitPrepared():
            return [Line("commit", f"{event.commit[:10]} · {event.files} files · {event.branch}")]
        case e.Pushed():
            remarks = [event.note, "was there already" if event.already_there else ""]
            text = " · ".join([f"{event.branch} → {event.remote}", *(remark for remark in remarks if remark)])
            return [Line("push", text, "green")]
        case e.WorkspaceSynced():
            return [Line("workspace", "pushed" if event.pushed else event.note or "up to date, not pushed")]
        case e.RunResumed():
            return [Line("resume", f"{event.verified_lines} events verified")]
        case e.LogRepaired():
            return [Line("log", f"a line cut short was set aside ({event.cut_bytes} bytes, {event.kept_as})", "yellow")]
        case e.RunFinished():
            style = "bold green" if not event.reason else "bold red"
            return [Line(event.outcome, plain(event.reason) or "finished", style)]
        case _:
            return contract_lines(event)


def withdrawal_text(event: e.OrderWithdrawn) -> str:
    return f"the {event.role} need not work again ({event.signal}, {event.cause}): {plain(event.reason)}"


def _trace(trace: e.Trace) -> str:
    return plain(f"{trace.where}: {trace.sign} of {trace.of}: {trace.evidence}", 300)


def question_lines(event: e.QuestionAsked) -> list[Line]:
    label = _LABELS.get(event.topic, "question")
    first, *more = [part for part in event.text.split("\n") if part.strip()] or [""]
    rows = [Line(label, f"{event.asked_by} asks: {plain(first, 2000)}", "bold yellow")]
    rows += [Line("", _indented(part)) for part in more[:_LONGEST_QUESTION]]
    if (cut := len(more) - _LONGEST_QUESTION) > 0:
        rows.append(Line("", f"… {cut} more lines, in events.jsonl of the run", "dim"))
    for number, option in enumerate(event.options, start=1):
        rows.append(Line("", f"{number}  {plain(option.label)}", "yellow"))
        rows += [Line("", f"   {plain(option.consequence)}", "dim")] if option.consequence else []
    return rows


def _indented(text: str) -> str:
    """One line of code keeps its place."""
    return " " * min(len(text) - len(text.lstrip(" ")), 40) + plain(text, 2000)


def _brief_question(event: e.QuestionAsked) -> list[Line]:
    first, *options = question_lines(event.model_copy(update={"text": event.text.strip().partition("\n")[0]}))
    return [first, *(line for line in options if line.style == "yellow")]


def _evidence_lines(event: e.CommandExecuted) -> list[Line]:
    if event.subject == "null":
        return []
    if event.subject == "before":
        if event.phase != "validation" or not event.tests:
            return []
        passed = sum(test.outcome == "passed" for test in event.tests)
        return [
            Line("verify", f"the package as it was before: {passed} of {len(event.tests)} of these tests pass", "dim")
        ]
    mark, style = ("✓", "green") if event.passed else ("✗", "red")
    failed = [test for test in event.tests if test.outcome in ("failed", "error")]
    names = [Line("", f"- {plain(test.name, 100)}: {plain(test.error, 100)}", "dim") for test in failed[:3]]
    more = [Line("", f"… {len(failed) - 3} more in audit.md", "dim")] if len(failed) > 3 else []
    took = "as before: only documents have changed" if event.carried_from else f"{event.elapsed_s:.1f} s"
    text = f"{mark} {event.name}: {plain(event.summary)} ({took})"
    said = [Line("", printable(row.expandtabs(), 160), "dim") for row in event.said[:_LINES_SAID]]
    if len(event.said) > _LINES_SAID:
        said.append(Line("", f"… {len(event.said) - _LINES_SAID} more lines in audit.md", "dim"))
    return [Line("verify", text, style), *said, *names, *more]


def _routing(event: e.RunCreated) -> str:
    if event.workflow is None:
        return "workflow not clear yet"
    read = event.routing
    sure = f" ({read.confidence:.2f})" if read and read.workflow == event.workflow else ""
    if read and read.by_model and read.by_model.workflow == event.workflow:
        sure = f" (read by {plain(read.by_model.backend)})"
    ships = (event.ship_requested or workflow(event.workflow).ship) and not event.ship_refused
    ship = "asks before pushing" if ships and event.credentials.can_ship else "ships nothing"
    return f"workflow {event.workflow}{sure} · profile {event.profile or '?'} · {ship}"


def _about_state(event: e.StateEntered, run: RunView) -> str:
    match event.state:
        case State.CREDENTIALS_VERIFIED:
            return run.head.credentials.detail
        case State.NEW:
            return f"{run.workflow} · {len(run.head.own_sources)} source(s)"
        case State.PLANNED:
            return "request and impact written"
        case State.SPEC_READY:
            return f"{len(run.frozen)} documents frozen, nobody has built anything yet"
        case State.PIPELINES_COMPLETE:
            tests = [t for c in run.evidence_for(run.tree_sha256) for t in c.tests]
            verification = run.verified.get(run.tree_sha256)
            word = "checked, did not pass" if verification and verification.failed else "verified"
            if not tests:
                return f"{word}: no test was run"
            return f"{word}: {sum(t.outcome == 'passed' for t in tests)} of {len(tests)} tests passed"
        case State.DOCUMENTED:
            return "architecture, log entry and user documentation are in"
        case State.REVIEW_PASSED:
            return run.verdict
        case State.READY_TO_SHIP:
            return "authorised by the person"
        case State.DONE:
            return "pushed" if run.pushed else "nothing was to be shipped"
        case _:
            return ""

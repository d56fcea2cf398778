"""What an event names in the store beside the log."""

from __future__ import annotations

from typing import assert_never

from statsclaw.runlog import events as e


def named_in(event: e.AnyEvent) -> set[str]:
    """The hash of everything in the store that an event names."""
    match event:
        case e.RunCreated():
            found = {source.sha256 for source in event.sources} | {event.previous_handoff_sha256}
        case e.DispatchStarted():
            found = {event.prompt_sha256, event.sandbox.repository_sha256 if event.sandbox else None}
        case e.DispatchFinished():
            found = {*event.artifacts.values(), event.transcript_sha256, *(change.sha256 for change in event.files)}
        case e.DispatchPaused() | e.DispatchFailed() | e.IsolationBreached():
            found = {event.transcript_sha256}
        case e.SignalRaised():
            found = {*event.artifacts.values(), event.transcript_sha256}
        case e.ArtifactWritten():
            found = {event.sha256}
        case e.SpecAmended():
            found = {event.before_sha256, event.after_sha256}
        case e.SuiteChecked():
            found = {change.sha256 for change in event.files}
        case e.CommandExecuted():
            found = {event.output_sha256, event.records_sha256}
        case (
            e.StateEntered()
            | e.GateChecked()
            | e.DispatchResumed()
            | e.DispatchInterrupted()
            | e.SandboxClosed()
            | e.OrderWithdrawn()
            | e.ChannelOpened()
            | e.QuestionAsked()
            | e.QuestionAnswered()
            | e.ComprehensionChecked()
            | e.ReadingsCompared()
            | e.ContractChecked()
            | e.FindingOverridden()
            | e.SpecFrozen()
            | e.StudyShortened()
            | e.BudgetSet()
            | e.CriteriaJudged()
            | e.ReviewComputed()
            | e.VerificationFinished()
            | e.CommitPrepared()
            | e.Pushed()
            | e.WorkspaceSynced()
            | e.RunResumed()
            | e.LogRepaired()
            | e.RunFinished()
        ):
            found = set()
        case _:
            assert_never(event)
    return {digest for digest in found if digest}

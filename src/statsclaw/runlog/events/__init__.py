"""One event per file; the union below is what a line of the log may hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from statsclaw.runlog.events.artifact_written import ArtifactWritten
from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.budget_set import BudgetSet
from statsclaw.runlog.events.channel_opened import ChannelOpened
from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Criterion, Deviation, Observation
from statsclaw.runlog.events.commit_prepared import CommitPrepared
from statsclaw.runlog.events.comprehension_checked import Assumed, ComprehensionChecked, OpenChoice, Settled
from statsclaw.runlog.events.contract_checked import ContractChecked
from statsclaw.runlog.events.criteria_judged import CriteriaJudged, Judgement, Stated
from statsclaw.runlog.events.dispatch_failed import DispatchFailed
from statsclaw.runlog.events.dispatch_finished import DispatchFinished
from statsclaw.runlog.events.dispatch_interrupted import DispatchInterrupted
from statsclaw.runlog.events.dispatch_paused import DispatchPaused
from statsclaw.runlog.events.dispatch_resumed import DispatchResumed
from statsclaw.runlog.events.dispatch_started import DispatchStarted
from statsclaw.runlog.events.file_change import FileChange
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.events.finding_overridden import FindingOverridden
from statsclaw.runlog.events.gate_checked import GateChecked
from statsclaw.runlog.events.isolation_breached import IsolationBreached, Trace
from statsclaw.runlog.events.leak import Leak
from statsclaw.runlog.events.log_repaired import LogRepaired
from statsclaw.runlog.events.order_withdrawn import OrderWithdrawn
from statsclaw.runlog.events.pushed import Pushed
from statsclaw.runlog.events.question_answered import QuestionAnswered
from statsclaw.runlog.events.question_asked import Option, QuestionAsked
from statsclaw.runlog.events.readings_compared import ReadingRow, ReadingsCompared
from statsclaw.runlog.events.review_computed import Covered, ReviewComputed
from statsclaw.runlog.events.run_created import Credentials, ModelReading, RoutingChoice, RunCreated, Source
from statsclaw.runlog.events.run_finished import RunFinished
from statsclaw.runlog.events.run_resumed import RunResumed
from statsclaw.runlog.events.sandbox import NetworkUse, Sandbox, Shown
from statsclaw.runlog.events.sandbox_closed import SandboxClosed
from statsclaw.runlog.events.signal_raised import SignalRaised
from statsclaw.runlog.events.spec_amended import SpecAmended
from statsclaw.runlog.events.spec_frozen import SpecFrozen
from statsclaw.runlog.events.state_entered import StateEntered
from statsclaw.runlog.events.study_shortened import StudyShortened
from statsclaw.runlog.events.suite_checked import SuiteChecked
from statsclaw.runlog.events.usage import Usage
from statsclaw.runlog.events.verification_finished import VerificationFinished
from statsclaw.runlog.events.workspace_synced import WorkspaceSynced

AnyEvent = Annotated[
    RunCreated
    | StateEntered
    | GateChecked
    | DispatchStarted
    | DispatchPaused
    | DispatchResumed
    | DispatchFinished
    | DispatchFailed
    | DispatchInterrupted
    | SandboxClosed
    | IsolationBreached
    | SignalRaised
    | OrderWithdrawn
    | ChannelOpened
    | QuestionAsked
    | QuestionAnswered
    | ArtifactWritten
    | ComprehensionChecked
    | ReadingsCompared
    | ContractChecked
    | FindingOverridden
    | SpecFrozen
    | SpecAmended
    | StudyShortened
    | BudgetSet
    | SuiteChecked
    | CommandExecuted
    | CriteriaJudged
    | ReviewComputed
    | VerificationFinished
    | CommitPrepared
    | Pushed
    | WorkspaceSynced
    | RunResumed
    | LogRepaired
    | RunFinished,
    Field(discriminator="kind"),
]

__all__ = [
    "AnyEvent",
    "ArtifactWritten",
    "Assumed",
    "BudgetSet",
    "CaseOutcome",
    "ChannelOpened",
    "CommandExecuted",
    "CommitPrepared",
    "ComprehensionChecked",
    "ContractChecked",
    "Covered",
    "Credentials",
    "CriteriaJudged",
    "Criterion",
    "Deviation",
    "DispatchFailed",
    "DispatchFinished",
    "DispatchInterrupted",
    "DispatchPaused",
    "DispatchResumed",
    "DispatchStarted",
    "Event",
    "Fact",
    "FileChange",
    "Finding",
    "FindingOverridden",
    "GateChecked",
    "IsolationBreached",
    "Judgement",
    "Leak",
    "LogRepaired",
    "ModelReading",
    "NetworkUse",
    "Observation",
    "OpenChoice",
    "Option",
    "OrderWithdrawn",
    "Pushed",
    "QuestionAnswered",
    "QuestionAsked",
    "ReadingRow",
    "ReadingsCompared",
    "ReviewComputed",
    "RoutingChoice",
    "RunCreated",
    "RunFinished",
    "RunResumed",
    "Sandbox",
    "SandboxClosed",
    "Settled",
    "Shown",
    "SignalRaised",
    "Source",
    "SpecAmended",
    "SpecFrozen",
    "StateEntered",
    "Stated",
    "StudyShortened",
    "SuiteChecked",
    "Trace",
    "Usage",
    "VerificationFinished",
    "WorkspaceSynced",
]

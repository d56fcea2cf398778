"""The fold: every event of the log, each taken by the module that it belongs to."""

from __future__ import annotations

from typing import assert_never

from statsclaw.errors import GateClosed
from statsclaw.runlog import events as e
from statsclaw.runlog.chain import Record
from statsclaw.runlog.fold.dispatches import DispatchEvent, fold_dispatch
from statsclaw.runlog.fold.progress_events import ProgressEvent, fold_progress
from statsclaw.runlog.fold.question_events import QuestionEvent, fold_question
from statsclaw.runlog.fold.shipping import ShippingEvent, fold_shipping
from statsclaw.runlog.fold.signals import SignalEvent, fold_signal
from statsclaw.runlog.fold.specifications import SpecificationEvent, fold_specification
from statsclaw.runlog.fold.state import RunState
from statsclaw.runlog.fold.stored import named_in
from statsclaw.runlog.fold.verification import VerificationEvent, fold_verification
from statsclaw.states import NEXT


class RunView(RunState):
    """The state of a run, as a fold of its log and of nothing else."""

    def check(self, record: Record) -> None:
        """Refuse a step that is not in the table, before it is written."""
        if isinstance(record.event, e.StateEntered) and NEXT.get(self.state) is not record.event.state:
            raise GateClosed(record.event.state, (f"it does not follow {self.state or 'the start'}",))
        if self.finished is not None and not isinstance(record.event, e.RunResumed | e.LogRepaired):
            raise GateClosed("the run", ("it is finished",))

    def apply(self, record: Record) -> None:
        """Take the next line. An event that no module takes is found by mypy, and raises."""
        self.check(record)
        event = record.event
        self.seq, self.last_at = record.seq, record.at
        self.named |= named_in(event)
        if isinstance(event, ProgressEvent):
            fold_progress(self, event, record.at)
        elif isinstance(event, DispatchEvent):
            fold_dispatch(self, event, record.at)
        elif isinstance(event, SignalEvent):
            fold_signal(self, event)
        elif isinstance(event, QuestionEvent):
            fold_question(self, event)
        elif isinstance(event, SpecificationEvent):
            fold_specification(self, event)
        elif isinstance(event, VerificationEvent):
            fold_verification(self, event)
        elif isinstance(event, ShippingEvent):
            fold_shipping(self, event)
        else:
            assert_never(event)

"""The state of a run, as a fold of its log and of nothing else; `run_view.py` puts the parts together."""

from __future__ import annotations

from statsclaw.runlog.fold.run_rows import (
    EACH_DISPATCH,
    WHOLE_RUN,
    Artifact,
    DispatchView,
    Escalation,
    Live,
    Overdrawn,
    Question,
    WorkOrder,
)
from statsclaw.runlog.fold.run_view import RunView
from statsclaw.runlog.fold.state import specs_digest

__all__ = [
    "EACH_DISPATCH",
    "WHOLE_RUN",
    "Artifact",
    "DispatchView",
    "Escalation",
    "Live",
    "Overdrawn",
    "Question",
    "RunView",
    "WorkOrder",
    "specs_digest",
]

from __future__ import annotations

from typing import Literal

from pydantic import PositiveInt

from statsclaw.runlog.events.base import Event


class StudyShortened(Event):
    """The person wants only so many replications in each cell of the study; null: as many as were planned."""

    kind: Literal["study_shortened"] = "study_shortened"
    replications: PositiveInt | None

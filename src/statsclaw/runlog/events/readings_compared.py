from __future__ import annotations

from typing import Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact


class ReadingRow(Fact):
    """Two readings of one equation, evaluated on the same inputs. `agrees` None: they could not be compared."""

    ref: str
    function: str
    agrees: bool | None
    tried: int = 0
    largest_difference: float | None = None
    note: str = Field("", max_length=2000)
    different: int = 0


class ReadingsCompared(Event):
    """Both readings were executed; `shown` is what the person is shown of a disagreement."""

    kind: Literal["readings_compared"] = "readings_compared"
    comprehension_sha256: str
    reading_sha256: str
    rows: tuple[ReadingRow, ...]
    shown: str = Field("", max_length=20_000)

    @property
    def disagreements(self) -> tuple[ReadingRow, ...]:
        return tuple(row for row in self.rows if row.agrees is False)

    @property
    def unsettled(self) -> tuple[ReadingRow, ...]:
        """What two readings do not agree on: that they could not be compared is no agreement."""
        return tuple(row for row in self.rows if row.agrees is not True)

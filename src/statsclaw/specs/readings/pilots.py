"""Pilots: cheap draws of a criterion's quantity, to see contradictions before anybody builds anything."""

from __future__ import annotations

import math

from statsclaw.specs.comprehension import Pilot


def pilot_values(pilot: Pilot, written: object) -> tuple[list[float], str]:
    """The draws, and what is wrong with them in one sentence or "". `written`: what the harness left, decoded."""
    rows = written if isinstance(written, list) else []
    values: list[float] = []
    for row in rows[: pilot.draws]:
        if isinstance(row, bool) or not isinstance(row, int | float) or not -1e300 < row < 1e300:
            break
        values.append(float(row))
    if len(values) == pilot.draws and all(map(math.isfinite, values)):
        return values, ""
    return values, f"the pilot {pilot.function} of {pilot.criterion} gave {len(values)} of {pilot.draws} draws"

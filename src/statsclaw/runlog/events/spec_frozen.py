from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Event


class SpecFrozen(Event):
    """From here on, another text under one of these names closes every later gate."""

    kind: Literal["spec_frozen"] = "spec_frozen"
    specs: dict[str, str]

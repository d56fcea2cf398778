"""An input at which two readings differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from statsclaw.specs.readings.draws import Nested


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`inputs`: the simplest input found at which the readings differ; `first`, `second`: what each computes there."""

    ref: str
    function: str
    quantity: str
    inputs: Mapping[str, Nested]
    first: str
    second: str

"""The nine states, the only way through them, the three signals, and the verdicts of a review."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, get_args


class State(StrEnum):
    CREDENTIALS_VERIFIED = "CREDENTIALS_VERIFIED"
    NEW = "NEW"
    PLANNED = "PLANNED"
    SPEC_READY = "SPEC_READY"
    PIPELINES_COMPLETE = "PIPELINES_COMPLETE"
    DOCUMENTED = "DOCUMENTED"
    REVIEW_PASSED = "REVIEW_PASSED"
    READY_TO_SHIP = "READY_TO_SHIP"
    DONE = "DONE"


_ORDER = tuple(State)

#: The state that follows each state; `None` stands for "before the first".
NEXT: Mapping[State | None, State] = MappingProxyType(dict(zip((None, *_ORDER[:-1]), _ORDER, strict=True)))


class Phase(StrEnum):
    """What the engine does with a tree, in this order; evidence is told in it, whatever ended first."""

    BUILD = "build"
    CHECKS = "checks"
    UNIT_TESTS = "unit_tests"
    VALIDATION = "validation"
    STUDY = "study"


PHASES = tuple(Phase)


class Signal(StrEnum):
    """HOLD asks the person, BLOCK sends work back, STOP closes the quality gate."""

    HOLD = "HOLD"
    BLOCK = "BLOCK"
    STOP = "STOP"


ReviewVerdict = Literal["PASS", "PASS WITH NOTE", "STOP"]
#: The verdicts of a review, from best to worst.
VERDICTS: tuple[ReviewVerdict, ...] = get_args(ReviewVerdict)

#: A signal with the same cause may be raised this often before the person is asked.
MAX_ATTEMPTS = 3

"""The access matrix: who sees what, writes what, and may raise which signal. There is no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from statsclaw.profiles.profile import PathClass
from statsclaw.states import Signal

_C = PathClass
_ALL_PATHS = frozenset(PathClass)

#: What a planner has written before, when it is asked again.
_OWN = ("comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md")

#: Every document of the run, and its status.
EVERYTHING = ("*",)


class Role(StrEnum):
    """Who does the work. The shipper is code; the leader is the engine itself and not listed."""

    PLANNER = "planner"
    READER = "reader"
    BUILDER = "builder"
    TESTER = "tester"
    SIMULATOR = "simulator"
    SCRIBER = "scriber"
    REVIEWER = "reviewer"
    SHIPPER = "shipper"


@dataclass(frozen=True, slots=True)
class Access:
    """`artifacts`: documents in its inbox ("*": all of the run). `request`: as written, or without its criteria."""

    artifacts: tuple[str, ...]
    sees: frozenset[PathClass]
    writes: frozenset[PathClass]
    may_raise: frozenset[Signal]
    full_request: bool = False
    sources: bool = False


def _row(
    artifacts: tuple[str, ...],
    sees: frozenset[PathClass],
    writes: set[PathClass],
    may_raise: set[Signal],
    *,
    full_request: bool = False,
    sources: bool = False,
) -> Access:
    return Access(artifacts, sees, frozenset(writes), frozenset(may_raise), full_request, sources)


# fmt: off
MATRIX: Mapping[Role, Access] = MappingProxyType({
    Role.PLANNER:   _row(("impact.md", "references.md", *_OWN), _ALL_PATHS, set(), {Signal.HOLD},
                         full_request=True, sources=True),
    Role.READER:    _row(("questions.md",), frozenset(), set(), {Signal.HOLD}, sources=True),
    Role.BUILDER:   _row(("spec.md",), frozenset({_C.SOURCE, _C.METADATA, _C.UNIT_TESTS, _C.DOCS, _C.OTHER}),
                         {_C.SOURCE, _C.METADATA, _C.UNIT_TESTS}, {Signal.HOLD}),
    Role.TESTER:    _row(("test-spec.md", "oracles.md"), frozenset({_C.VALIDATION, _C.METADATA, _C.DOCS}),
                         {_C.VALIDATION}, {Signal.BLOCK}),
    Role.SIMULATOR: _row(("sim-spec.md",), frozenset({_C.SIMULATION, _C.METADATA, _C.DOCS}),
                         {_C.SIMULATION}, {Signal.HOLD, Signal.BLOCK}),
    Role.SCRIBER:   _row(EVERYTHING, _ALL_PATHS, {_C.DOCS}, {Signal.HOLD}, full_request=True),
    Role.REVIEWER:  _row(EVERYTHING, _ALL_PATHS, set(), {Signal.STOP}, full_request=True, sources=True),
})
# fmt: on

#: Where a signal may send the run back to.
ROUTES: Mapping[Signal, frozenset[Role]] = MappingProxyType(
    {
        Signal.HOLD: frozenset(),
        Signal.BLOCK: frozenset({Role.BUILDER, Role.SIMULATOR, Role.PLANNER}),
        Signal.STOP: frozenset({Role.PLANNER, Role.READER, Role.BUILDER, Role.TESTER, Role.SIMULATOR, Role.SCRIBER}),
    }
)

"""What changed between the package as it was and as it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from statsclaw.runlog.events.command_executed import CommandExecuted
from statsclaw.runlog.events.criteria_judged import Judgement

#: Relative changes below this are the arithmetic's, not the package's.
_NOISE = 1e-12
_ABSENT = "absent"
_WORST_FIRST = ("error", "failed", "skipped", "passed")


@dataclass(frozen=True, slots=True)
class Moved:
    """`old` and `new`: outcomes, verdicts or values as text. `relative_change`: of values, None where it has none."""

    kind: Literal["test", "criterion"]
    name: str
    old: str
    new: str
    relative_change: float | None = None


def moved(
    before: Sequence[CommandExecuted],
    after: Sequence[CommandExecuted],
    before_judgements: Sequence[Judgement],
    after_judgements: Sequence[Judgement],
) -> list[Moved]:
    """Tests whose outcome or observed value changed, then criteria whose verdict or value did; each in its order."""
    found = _changed("test", _outcomes(before), _outcomes(after))
    found += _values("test", _observed(before), _observed(after))
    old, new = ({row.id: row for row in side} for side in (before_judgements, after_judgements))
    verdicts = [{name: row.verdict for name, row in side.items()} for side in (old, new)]
    values = [{name: row.observed for name, row in side.items()} for side in (old, new)]
    return found + _changed("criterion", *verdicts) + _values("criterion", *values)


def _outcomes(commands: Sequence[CommandExecuted]) -> dict[str, str]:
    """The worst outcome of each test, whichever command ran it."""
    found: dict[str, str] = {}
    for command in commands:
        for case in command.tests:
            name = f"{command.phase}: {case.name}"
            found[name] = min(found.get(name, "passed"), case.outcome, key=_WORST_FIRST.index)
    return found


def _observed(commands: Sequence[CommandExecuted]) -> dict[str, float | None]:
    """What each test showed about a criterion; its several observations are told apart by their order."""
    found: dict[str, float | None] = {}
    for command in commands:
        counted: dict[str, int] = {}
        for part in command.observations:
            name = f"{command.phase}: {part.test} ({part.criterion})"
            counted[name] = counted.get(name, 0) + 1
            found[name if counted[name] == 1 else f"{name} #{counted[name]}"] = part.observed
    return found


def _changed(kind: Literal["test", "criterion"], old: Mapping[str, str], new: Mapping[str, str]) -> list[Moved]:
    names = dict.fromkeys([*old, *new])
    pairs = [(name, old.get(name, _ABSENT), new.get(name, _ABSENT)) for name in names]
    return [Moved(kind, name, was, now) for name, was, now in pairs if was != now]


def _values(
    kind: Literal["test", "criterion"], old: Mapping[str, float | None], new: Mapping[str, float | None]
) -> list[Moved]:
    found = []
    for name, was in old.items():
        now = new.get(name)
        if was is None or now is None or _same(was, now):
            continue
        change = (now - was) / abs(was) if was != 0 else math.nan
        found.append(Moved(kind, name, f"{was:.12g}", f"{now:.12g}", change if math.isfinite(change) else None))
    return found


def _same(was: float, now: float) -> bool:
    if not math.isfinite(was) or not math.isfinite(now):
        return was == now or (math.isnan(was) and math.isnan(now))
    return abs(now - was) <= _NOISE * max(abs(was), abs(now))

"""One observation against one criterion, recomputed here: what the test itself concluded does not count."""

from __future__ import annotations

import math
from dataclasses import dataclass

from statsclaw.runlog.events.command_executed import Observation
from statsclaw.runlog.events.criteria_judged import Reason
from statsclaw.specs.test_spec import Criterion, Rule, Tolerance

MOST_DIGITS = 15.0
_FARTHEST = 1e300
ASKED: dict[Rule, str] = {
    "close": "close",
    "at most": "value",
    "at least": "value",
    "between": "value",
    "raises": "raises",
    "warns": "warns",
    "holds": "holds",
    "equals": "holds",
    "same as base": "holds",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """`margin`: how much of the bound is left, negative beyond it, None where nothing was measured.

    `told`: what missed, in words; `reason`: why it is no answer to the criterion at all.
    """

    observation: Observation
    passed: bool
    margin: float | None = None
    told: str = ""
    reason: Reason | None = None

    @property
    def rank(self) -> tuple[bool, float]:
        """Worst first; what failed without being measured before all that was measured."""
        return self.passed, -math.inf if self.margin is None else self.margin


def answer(criterion: Criterion, observation: Observation) -> Answer:
    """Does the observation meet the criterion, and by how much?"""
    if observation.rule != ASKED[criterion.rule]:
        told = f'answered another question: "{observation.rule}" where "{criterion.rule}" is asked'
        return Answer(observation, False, None, told, Reason.ANOTHER_QUESTION)
    if ASKED[criterion.rule] == "holds":
        held = observation.held is True
        return Answer(observation, held, None, "" if held else _said("it does not hold", observation))
    if criterion.rule in ("raises", "warns"):
        return _condition(criterion, observation)
    if criterion.rule == "close":
        return _close(criterion, observation)
    return _bounded(criterion, observation)


def lre(observed: float, expected: float) -> float:
    """Log relative error: the number of digits that agree, at most 15; of an expected zero, the digits of zero."""
    difference = abs(observed - expected)
    if difference == 0:
        return MOST_DIGITS
    if not math.isfinite(difference):
        return -_FARTHEST
    scale = math.log10(abs(expected)) if expected != 0 else 0.0
    return min(scale - math.log10(difference), MOST_DIGITS)


def _condition(criterion: Criterion, observation: Observation) -> Answer:
    error = observation.asked_error or criterion.error
    wanted = criterion.message if observation.asked_message is None else observation.asked_message
    if observation.error_class != error:
        found = observation.error_class or "nothing"
        return Answer(observation, False, None, f"{found} came where {error} is asked")
    message = observation.said.removeprefix(observation.error_class)
    if wanted not in message:
        return Answer(observation, False, None, f"the message does not hold {wanted!r}")
    return Answer(observation, True)


def _close(criterion: Criterion, observation: Observation) -> Answer:
    if observation.observed is None and observation.held is True and observation.size > 0:
        return Answer(observation, True)  # NaN or an infinity, and expected to be
    observed, expected = observation.observed, observation.expected
    if observation.size == 0 or observed is None or expected is None:
        return Answer(observation, False, None, _said("nothing was compared", observation))
    if not math.isfinite(observed) or not math.isfinite(expected):
        return Answer(observation, False, None, f"not finite: {observed} where {expected} is expected")
    margin = _left_over(criterion.tolerance or Tolerance(), observed, expected)
    return _measured(observation, margin, f"{observed!r} where {expected!r} is expected")


def _left_over(tolerance: Tolerance, observed: float, expected: float) -> float:
    """The share of the tolerance that is left, or the digits beyond those that are asked."""
    if tolerance.lre is not None:
        return lre(observed, expected) - tolerance.lre
    difference = abs(observed - expected)
    allowed = tolerance.absolute + tolerance.relative * abs(expected)
    if not math.isfinite(difference):
        return -_FARTHEST
    if difference <= allowed:
        return 1 - difference / allowed if 0 < allowed < math.inf else float(allowed > 0)
    return 1 - difference / allowed if allowed > 0 else -difference


def _bounded(criterion: Criterion, observation: Observation) -> Answer:
    observed = observation.observed
    if observation.size == 0 or observed is None:
        return Answer(observation, False, None, _said("nothing was measured", observation))
    if not math.isfinite(observed):
        return Answer(observation, False, None, f"not finite: {observed}")
    below = observed - criterion.low if criterion.low is not None else math.inf
    above = criterion.high - observed if criterion.high is not None else math.inf
    return _measured(observation, min(below, above), f"{observed!r} is beyond the bound")


def _measured(observation: Observation, margin: float, reason: str) -> Answer:
    """A margin is a number that can be written down, however far off."""
    shown = min(max(margin, -_FARTHEST), _FARTHEST)
    return Answer(observation, shown >= 0, shown, "" if shown >= 0 else reason)


def _said(reason: str, observation: Observation) -> str:
    first = observation.said.strip().split("\n")[0][:200]
    return f"{reason}: {first}" if first else reason

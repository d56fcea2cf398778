"""Metrics that a study defines itself, by name: functions of what was recorded in one cell."""

from __future__ import annotations

import inspect
from collections.abc import Callable

#: Arguments of such a function that are columns of a parameter; `truth` is its true value. Any other is a number that
#: the method records under that name.
OF_PARAMETER = ("estimate", "se", "low", "high", "reject", "rhat", "ess_bulk", "ess_tail", "rank")
TRUTH = "truth"


class OwnMetric(str):
    """The name of a metric, with its function. `arguments`: what that is called with, those without a default."""

    function: Callable[..., float]
    arguments: tuple[str, ...]

    @property
    def of_parameter(self) -> bool:
        return bool({*OF_PARAMETER, TRUTH} & set(self.arguments))

    def columns(self, parameter: str | None) -> tuple[str, ...]:
        """What it is made of, in the order of its arguments."""
        return tuple(
            f"{parameter}.{name}" if name in OF_PARAMETER else name for name in self.arguments if name != TRUTH
        )


def own_metric(name: str, function: Callable[..., float]) -> OwnMetric:
    """Raises ValueError or TypeError where the arguments of the function cannot be known."""
    found = OwnMetric(name)
    found.function = function
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.POSITIONAL_ONLY) for each in parameters):
        raise ValueError("its arguments have no names")
    found.arguments = tuple(each.name for each in parameters if each.default is each.empty)
    return found

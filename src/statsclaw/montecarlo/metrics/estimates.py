"""The value of a metric with its Monte Carlo error, and all an interval needs to know of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from statsclaw.montecarlo.table import Floats


@dataclass(frozen=True, slots=True)
class McEstimate:
    """`value` is NaN where there is none, `mcse` None where it cannot be estimated.

    `replications`: all that were run; `failures`: those of them that failed or lack a needed column; `trials`: those
    the value is made of; `successes`: of a proportion, how many of the trials; `ordered`: of what is made of
    quantiles, the sorted estimates, with `quantiles` and the `scale` of their difference. `robust`: the error for any
    distribution, where `mcse` is of normal estimates. `log_shift`: the interval is taken on the scale of
    log(value + log_shift). `wider_below`, `wider_above`: so many times as far the limit on that side lies, because of
    the tail; infinite: there is none. `nearer`: a limit that excludes zero is multiplied by it. `parts`: the value is
    the second minus the first of them. `undefined`: why there can be no value, where that is no fault of the method.
    """

    value: float
    mcse: float | None
    replications: int
    failures: int
    successes: int | None = None
    trials: int = 0
    ordered: Floats | None = field(default=None, compare=False, repr=False)
    quantiles: tuple[float, ...] = ()
    scale: float = 1.0
    shift: float = 0.0
    robust: float | None = None
    log_shift: float | None = None
    wider_below: float = 1.0
    wider_above: float = 1.0
    parts: tuple[McEstimate, McEstimate] | None = field(default=None, compare=False, repr=False)
    nearer: float = 1.0
    undefined: str = ""

    @property
    def open_below(self) -> bool:
        return self.wider_below == math.inf

    @property
    def open_above(self) -> bool:
        return self.wider_above == math.inf

    @property
    def error(self) -> float | None:
        """The larger of the two standard errors."""
        if self.mcse is None or self.robust is None:
            return self.mcse
        return max(self.mcse, self.robust)


@dataclass(frozen=True, slots=True)
class Found:
    """What a formula gives; the fields are those of `McEstimate`."""

    value: float
    mcse: float | None
    robust: float | None = None
    log_shift: float | None = None
    wider_below: float = 1.0
    wider_above: float = 1.0
    nearer: float = 1.0
    undefined: str = ""

    def counted(self, total: int, count: int) -> McEstimate:
        """Of `count` of `total` replications; what is not finite is unknown."""
        known = self.mcse is not None and math.isfinite(self.mcse)
        return McEstimate(
            self.value if math.isfinite(self.value) else math.nan,
            self.mcse if known else None,
            total,
            total - count,
            trials=count,
            robust=self.robust if known and self.robust is not None and math.isfinite(self.robust) else None,
            log_shift=self.log_shift,
            wider_below=self.wider_below,
            wider_above=self.wider_above,
            nearer=self.nearer,
            undefined=self.undefined,
        )

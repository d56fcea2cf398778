from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from statsclaw.runlog.events.base import Event, Fact
from statsclaw.runlog.events.sandbox import NetworkUse
from statsclaw.states import Phase

Direction = Literal["too large", "too small", ""]
#: The name of stored content, which is never a path.
Digest = Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]


class Deviation(Fact):
    """How a compared value missed. `decade` d: the relative difference is in [10^d, 10^(d+1)), clipped at both ends."""

    direction: Direction = ""
    decade: int | None = Field(None, ge=-12, le=3)


class CaseOutcome(Fact):
    """`own_message` is what the package itself said, and empty unless an exception was `raised_by` the package."""

    name: str
    outcome: Literal["passed", "failed", "error", "skipped"]
    error: str = ""
    deviation: Deviation | None = None
    raised_by: Literal["package", "suite", ""] = ""
    error_class: str = ""
    own_message: str = ""
    scenarios: tuple[str, ...] = ()


class Observation(Fact):
    """What a test showed about a criterion: the element that missed most, of `size` compared.

    `said`: class and message of what was raised or warned, or why nothing could be compared; `held`: of a statement
    that holds or does not; `asked_…`: the error that was to come, where it is another of the interface than the frozen
    one. `outcome` of the test is in the test's own row.
    """

    criterion: str = Field(max_length=200)
    test: str = Field(max_length=1000)
    scenarios: tuple[str, ...] = ()
    rule: Literal["close", "value", "raises", "warns", "holds"]
    observed: float | None = None
    expected: float | None = None
    size: int = Field(1, ge=0)
    held: bool | None = None
    error_class: str = ""
    said: str = Field("", max_length=1000)
    asked_error: str | None = None
    asked_message: str | None = None


class Criterion(Fact):
    id: str = Field(max_length=200)
    quantity: str = Field(max_length=500)
    value: float = Field(allow_inf_nan=False)
    mcse: float | None = Field(None, allow_inf_nan=False)
    low: float | None = Field(None, allow_inf_nan=False)
    high: float | None = Field(None, allow_inf_nan=False)

    @property
    def met(self) -> bool:
        return (self.low is None or self.value >= self.low) and (self.high is None or self.value <= self.high)


class CommandExecuted(Event):
    """Evidence: a command the engine ran itself on `tree_sha256`, with what came out of it.

    What was `carried_from` another tree was not run again: all it depends on, `basis_sha256`, is the same.
    """

    kind: Literal["command_executed"] = "command_executed"
    name: str
    phase: Phase
    subject: Literal["before", "after", "null"]
    tree_sha256: str
    argv: tuple[str, ...]
    exit_code: int
    elapsed_s: float
    output_sha256: str
    passed: bool
    summary: str
    tests: tuple[CaseOutcome, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    observations: tuple[Observation, ...] = ()
    records_sha256: Digest | None = None
    #: Questions or answers, which the run's folder keeps beside the log: they may be as large as all draws together.
    kept_sha256: Digest | None = None
    fault_of: str | None = None
    seed: int | None = None
    basis_sha256: str = ""
    carried_from: str = ""
    network: NetworkUse | None = None
    barrier: str = ""
    #: What a person should read first: the first error of a compiler, the notes of R CMD check.
    said: tuple[str, ...] = ()

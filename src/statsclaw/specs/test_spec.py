"""test-spec.md: scenarios, criteria and references, for the tester and for the judge."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from statsclaw.specs.words import ElementRef, Id, Name, Number, Positive, Seed, Typed, Words

Rule = Literal["close", "equals", "at most", "at least", "between", "raises", "warns", "holds", "same as base"]
#: A number, or rows of them.
Printed = Number | tuple[Number | tuple[Number, ...], ...]


class Scenario(Typed):
    """A situation to be tried. `inputs`: the values, or how they are drawn (then with a seed)."""

    id: Id
    behaviour: Words
    exercises: tuple[ElementRef, ...] = ()
    inputs: Words
    seed: Seed | None = None
    may_skip: str = ""


class Tolerance(Typed):
    """Passes if |observed - expected| <= absolute + relative * |expected|, elementwise; or if the LRE is reached."""

    absolute: Annotated[Number, Field(ge=0)] = 0.0
    relative: Annotated[Number, Field(ge=0)] = 0.0
    lre: Annotated[Number, Field(ge=0, le=15)] | None = None

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Tolerance:
        if self.lre is not None and (self.absolute or self.relative):
            raise ValueError("either lre, or absolute and relative")
        return self


class Alternative(Typed):
    """A wrong implementation worth noticing: what the quantity would be, and its standard deviation per replication."""

    name: Words
    value: Number
    spread: Positive | None = None


class Criterion(Typed):
    """A question with a computed answer.

    `kind` value: about numbers, so that meaningless answers must fail it; structure: shapes, time,
    untouched arguments, messages. `scale`: the usual size of the quantity; `standard_error`: of the estimate it is
    about, where there is one; `limited_by`: why the tolerance is not smaller; `monte_carlo_error`: how much what is
    compared varies from seed to seed for a correct package, as a standard deviation. `expected`: what a source prints,
    so that nobody has to type it again. `times`: how often the warning comes.
    """

    id: Id
    quantity: Words
    of: ElementRef | None = None
    kind: Literal["value", "structure"] = "value"
    scenarios: tuple[Id, ...] = ()
    rule: Rule
    tolerance: Tolerance | None = None
    expected: Printed | None = None
    low: Number | None = None
    high: Number | None = None
    error: Name | None = None
    message: str = ""
    times: Annotated[int, Field(ge=1, le=1000, strict=True)] | None = None
    decided_by: Literal["test", "check", "timing"] = "test"
    check: str | None = None
    source: Words
    reference: Id | None = None
    scale: Positive | None = None
    standard_error: Positive | None = None
    limited_by: Literal["floating point", "iteration", "digits of the reference", "Monte Carlo"] = "floating point"
    condition: Positive | None = None
    monte_carlo_error: Positive | None = None
    alternatives: tuple[Alternative, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Criterion:
        needs: dict[str, tuple[str, ...]] = {
            "close": ("tolerance",),
            "equals": (),
            "at most": ("high",),
            "at least": ("low",),
            "between": ("low", "high"),
            "raises": ("error",),
            "warns": ("error",),
            "holds": (),
            "same as base": (),
        }
        may_have = {"close": {"expected"}, "equals": {"expected"}, "warns": {"times"}, "same as base": {"tolerance"}}
        bounds = ("tolerance", "expected", "low", "high", "error", "times")
        used = {*needs[self.rule], *may_have.get(self.rule, ())}
        missing = [key for key in needs[self.rule] if getattr(self, key) is None]
        extra = [key for key in bounds if key not in used and getattr(self, key) is not None]
        if missing or extra:
            found = f"needs {', '.join(missing)}" if missing else f"has no use for {', '.join(extra)}"
            raise ValueError(f'{self.id}: the rule "{self.rule}" {found}')
        numbers = self.rule in ("close", "at most", "at least", "between")
        if numbers and self.kind == "structure" and self.decided_by != "timing":
            raise ValueError(
                f'{self.id}: the rule "{self.rule}" is about numbers, so it is of kind value, not structure '
                "(time and memory: decided_by: timing)"
            )
        if self.rule == "between" and not (self.low or 0.0) < (self.high or 0.0):
            raise ValueError(f"{self.id}: low is not below high")
        if (self.decided_by == "check") != (self.check is not None):
            raise ValueError(f'{self.id}: a criterion "decided_by: check" names the check, and only that')
        if self.decided_by == "check" and (self.rule != "holds" or self.kind != "structure"):
            raise ValueError(f'{self.id}: a check is "rule: holds", "kind: structure"')
        if self.decided_by != "check" and not self.scenarios:
            raise ValueError(f"{self.id}: no scenario decides it")
        return self


class Reference(Typed):
    """Another implementation to compare with, pinned: its defaults are part of what it says."""

    id: Id
    program: Words
    version: Words
    call: Words
    defaults: dict[str, str] = {}


class TestSpec(Typed):
    """The three blocks of test-spec.md together."""

    __test__ = False  # a specification of tests, not a test

    scenarios: Annotated[tuple[Scenario, ...], Field(min_length=1)]
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    references: tuple[Reference, ...] = ()

    @model_validator(mode="after")
    def _ids_once(self) -> TestSpec:
        ids = [row.id for row in self.scenarios] + [row.id for row in self.criteria]
        ids += [row.id for row in self.references]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"the id {twice[0]!r} stands here twice")
        return self

    def elements(self) -> set[str]:
        """Everything that scenarios and criteria refer to."""
        return {name for row in self.scenarios for name in row.exercises} | {row.of for row in self.criteria if row.of}

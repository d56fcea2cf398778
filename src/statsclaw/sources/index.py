"""What was found in the sources. References are the names by which a reading accounts for everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Kind = Literal["latex", "markdown", "pdf", "text", "notebook", "code"]


@dataclass(frozen=True, slots=True)
class Equation:
    """A displayed equation.

    `ref` is `notes.md(3)` where it has a number, `notes.md#eq:score` where it has only a label, and `notes.md@41`
    (its line) where it has neither. `numbered`: the source gives it a number or a label, so a reading must account
    for it. `symbols`: the letters in it, decorations kept (`\\hat\\beta`), operators and function names left out.
    """

    ref: str
    source: str
    text: str
    numbered: bool
    line: int | None = None
    page: int | None = None
    number: str | None = None
    label: str | None = None
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Algorithm:
    ref: str
    source: str
    title: str
    steps: tuple[str, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    ref: str
    source: str
    caption: str
    rows: tuple[tuple[str, ...], ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StatedCriterion:
    """An acceptance criterion that a source states. `ref` is `notes.md A1`; of the directive, `request A1`."""

    ref: str
    source: str
    id: str
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PublicFunction:
    """Of a code source: what can be called, how, and what its documentation says."""

    ref: str
    source: str
    name: str
    signature: str
    defaults: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    documentation: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """One source. `not_extracted`: in plain words, what of it no program could read."""

    name: str
    sha256: str
    kind: Kind
    text: str = ""
    equations: tuple[Equation, ...] = ()
    algorithms: tuple[Algorithm, ...] = ()
    tables: tuple[Table, ...] = ()
    criteria: tuple[StatedCriterion, ...] = ()
    functions: tuple[PublicFunction, ...] = ()
    not_extracted: tuple[str, ...] = ()
    images: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Index:
    """All sources of a run."""

    sources: tuple[Extracted, ...] = ()

    @property
    def equations(self) -> tuple[Equation, ...]:
        return tuple(equation for source in self.sources for equation in source.equations)

    @property
    def criteria(self) -> tuple[StatedCriterion, ...]:
        return tuple(criterion for source in self.sources for criterion in source.criteria)

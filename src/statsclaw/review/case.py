"""Everything a review looks at, as plain data. The engine gathers it; the checks only compute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from statsclaw.runlog.events import CommandExecuted, Trace
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Index
from statsclaw.specs.contract import Contract
from statsclaw.specs.readings.agreement import Agreement


@dataclass(frozen=True, slots=True)
class Approval:
    """`by`: person, file, recording, or default (`--yes`). `matches`: the document has not changed since."""

    by: str
    matches: bool


@dataclass(frozen=True, slots=True)
class Amended:
    what: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Overridden:
    key: str
    message: str
    why: str


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """Of one changed source file: lines and branches that the tester's questions could execute, and those it did."""

    path: str
    lines: int
    lines_hit: int
    branches: int = 0
    branches_hit: int = 0
    missed: tuple[int, ...] = ()


_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Case:
    """One run, ready to be reviewed. `after`, `before`: evidence on the new and on the old package."""

    roles: tuple[str, ...]
    contract: Contract | None = None
    index: Index = field(default_factory=Index)
    approval: Approval | None = None
    agreements: tuple[Agreement, ...] = ()
    #: A person has seen where two readings differ and said that the first one stands.
    readings_settled: bool = False
    second_reading: bool = False
    barrier: str = ""
    attestation_faults: tuple[str, ...] = ()
    breaches: tuple[Trace, ...] = ()
    suspicions: tuple[Trace, ...] = ()
    revealed: tuple[str, ...] = ()
    frozen: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    current: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    amendments: tuple[Amended, ...] = ()
    overrides: tuple[Overridden, ...] = ()
    contract_findings: tuple[Finding, ...] = ()
    suite_findings: tuple[Finding, ...] = ()
    after: tuple[CommandExecuted, ...] = ()
    before: tuple[CommandExecuted, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    null_judgements: tuple[Judgement, ...] = ()
    #: Of moved copies of the stored answers.
    disturbed: tuple[Judgement, ...] = ()
    #: Choices for which nobody answered and the safe default was taken.
    unattended: tuple[str, ...] = ()
    coverage: tuple[FileCoverage, ...] | None = None
    #: Of the coverage, as far as it is known.
    why_not_measured: str = ""
    documents: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    changed_sources: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: The same files as they were before the run.
    sources_before: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: What users read and this run changed.
    changed_docs: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: Every path of the repository as it stands.
    package_files: frozenset[str] = frozenset()

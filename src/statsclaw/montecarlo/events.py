"""What happens in a run, for whoever shows it or records it as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Started:
    kind: ClassVar[str] = "started"
    study: str
    folder: str
    cells: tuple[str, ...]
    methods: tuple[str, ...]
    planned: tuple[int, ...]  # replications of each cell
    done: tuple[int, ...]  # by cell, from earlier runs
    failures: tuple[int, ...] = ()  # by cell, of all methods, among these
    warned: tuple[int, ...] = ()  # by cell: how often a method warned among these


@dataclass(frozen=True, slots=True)
class BatchStored:
    """`failures`: by method, how many of the replications failed. `warnings`: how many gave a warning."""

    kind: ClassVar[str] = "batch_stored"
    cell: int
    first: int
    count: int
    seconds: float
    failures: Mapping[str, int] = field(default_factory=dict)
    warnings: int = 0


@dataclass(frozen=True, slots=True)
class WorkerLost:
    kind: ClassVar[str] = "worker_lost"
    cell: int
    replication: int
    method: str | None
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remarked:
    """Something about the study itself, or about a file of results, said once."""

    kind: ClassVar[str] = "remarked"
    text: str


@dataclass(frozen=True, slots=True)
class Extended:
    """Replications that a sequential run adds to cells that are not decided."""

    kind: ClassVar[str] = "extended"
    cells: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Ended:
    kind: ClassVar[str] = "ended"
    interrupted: bool
    replications: int
    seconds: float


Event = Started | BatchStored | WorkerLost | Remarked | Extended | Ended
OnEvent = Callable[[Event], None]


def as_json(event: Event) -> str:
    """One line."""
    return json.dumps({"kind": event.kind, **asdict(event)}, ensure_ascii=False)

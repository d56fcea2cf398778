"""What failed or warned in a folder of results: alike texts together, with where they came."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.storage.store import Store

_NUMBERS = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
_LONGEST = 300


@dataclass(slots=True)
class Failing:
    """`cells`: by the number of the cell, the replications. `kind`: as `Status`, or "warning". `text`: the first."""

    method: str
    kind: str
    headline: str
    text: str
    cells: dict[int, list[int]] = field(default_factory=dict)
    #: By cell, what each replication said, in the order of `cells`.
    texts: dict[int, list[str]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(len(replications) for replications in self.cells.values())


def failing(store: Store, cells: Sequence[int], *, warnings: bool = True, texts: bool = False) -> list[Failing]:
    """The most frequent first, failures before warnings; all that is stored, gaps or not. `texts`: of each."""
    found: dict[tuple[str, str, str], Failing] = {}
    for method in store.methods:
        for cell in cells:
            for problem in store.told(cell, method):
                if problem.status == Status.OK and not warnings:
                    continue
                kind = "warning" if problem.status == Status.OK else problem.status.name.lower().replace("_", " ")
                line = headline(problem.status, problem.text)
                key = (method, kind, _NUMBERS.sub("#", line))
                group = found.setdefault(key, Failing(method, kind, line, problem.text))
                group.cells.setdefault(cell, []).append(problem.replication)
                if texts:
                    group.texts.setdefault(cell, []).append(problem.text)
    return sorted(
        found.values(), key=lambda each: (each.kind == "warning", store.methods.index(each.method), -each.count)
    )


def headline(status: Status, text: str) -> str:
    """The one line of a text that says what happened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return status.name.lower().replace("_", " ")
    traced = next((place for place, line in enumerate(lines) if line.startswith("Traceback (")), None)
    line = lines[-1] if traced is not None else lines[0]
    if line.startswith("the data-generating process: Traceback"):
        line = f"the data-generating process: {lines[-1]}"
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def counts(groups: Sequence[Failing]) -> Mapping[str, tuple[int, int]]:
    """By method: failures and replications that gave a warning."""
    found: dict[str, tuple[int, int]] = {}
    for each in groups:
        failed, warned = found.get(each.method, (0, 0))
        is_warning = each.kind == "warning"
        found[each.method] = (failed + (0 if is_warning else each.count), warned + (each.count if is_warning else 0))
    return found

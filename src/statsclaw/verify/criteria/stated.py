"""What the sources demand, by the names that the sources give it: met, not met, or open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from statsclaw.runlog.events import Judgement, Stated
from statsclaw.sources.index import Index
from statsclaw.specs.contract import Contract
from statsclaw.specs.lint.request import carried_by, carriers

State = Literal["met", "not met", "open"]
_STATES: tuple[State, ...] = ("met", "not met", "open")
_NUMBERED = re.compile(r"(.*?)(\d{1,4})")
#: Shorter rows are written out: C1, C2.
_FEWEST_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class CarrierRow:
    """A frozen criterion that carries a stated one. `judgement`: None while it has not been judged."""

    id: str
    judgement: Judgement | None

    @property
    def state(self) -> State:
        if self.judgement is None:
            return "open"
        if self.judgement.counts_as == "FAIL":
            return "not met"
        return "met" if self.judgement.verdict == "PASS" else "open"

    @property
    def verdict(self) -> str:
        if self.judgement is None:
            return "not judged"
        return "left open" if self.judgement.counts_as == "OPEN" else self.judgement.verdict


@dataclass(frozen=True, slots=True)
class StatedRow:
    """A stated criterion beside what was judged. Open: something that carries it is not decided, or nothing does."""

    source: str
    name: str
    text: str
    carriers: tuple[CarrierRow, ...]

    @property
    def state(self) -> State:
        states = {carrier.state for carrier in self.carriers}
        if "not met" in states:
            return "not met"
        return "met" if states == {"met"} else "open"


def stated_in(contract: Contract, index: Index) -> tuple[Stated, ...]:
    """Every criterion that the sources state, with the ids of the frozen criteria that carry it."""
    frozen = carriers(contract)
    return tuple(
        Stated(
            source=source.name,
            name=row.ref.removeprefix(f"{source.name} "),
            text=row.text,
            carried_by=tuple(carrier.id for carrier in carried_by(row, frozen, index)),
        )
        for source in index.sources
        for row in source.criteria
    )


def stated_rows(stated: Iterable[Stated], judgements: Iterable[Judgement]) -> tuple[StatedRow, ...]:
    """One row for each stated criterion, in the order of the sources."""
    judged = {row.id: row for row in judgements}
    return tuple(
        StatedRow(row.source, row.name, row.text, tuple(CarrierRow(id_, judged.get(id_)) for id_ in row.carried_by))
        for row in stated
    )


def stated_lines(rows: Sequence[StatedRow]) -> list[str]:
    """For each source a line such as "C1–C7 of note.tex: 5 met, 2 open (C3, C6)"."""
    return [
        _line(source, [row for row in rows if row.source == source]) for source in dict.fromkeys(r.source for r in rows)
    ]


def _line(source: str, rows: Sequence[StatedRow]) -> str:
    names = {state: [row.name for row in rows if row.state == state] for state in _STATES}
    kind = "" if rows[0].name[0].isupper() else "criteria "
    of = "the request" if source == "request" else source
    counts = [f"{len(names['met'])} met"]
    counts += [
        f"{len(found)} {state} ({abbreviated(found)})" for state, found in names.items() if found and state != "met"
    ]
    return f"{kind}{abbreviated([row.name for row in rows])} of {of}: {', '.join(counts)}"


def abbreviated(names: Sequence[str]) -> str:
    """Names one after the other with the same prefix as C1–C7."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _goes_on(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) >= _FEWEST_IN_A_ROW else ", ".join(run) for run in runs)


def _goes_on(before: str, name: str) -> bool:
    first, second = _NUMBERED.fullmatch(before), _NUMBERED.fullmatch(name)
    return bool(first and second and first[1] == second[1] and int(second[2]) == int(first[2]) + 1)

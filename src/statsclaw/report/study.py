"""The study of a run: its design, what came out of it, its figures, and what it would not have noticed."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.errors import StatsClawError
from statsclaw.montecarlo import design
from statsclaw.montecarlo.storage.results import MemoryResults
from statsclaw.report.alike import alike, wording
from statsclaw.report.figures import Figure, figures_of
from statsclaw.report.ledger import Ledger
from statsclaw.runlog import events as e
from statsclaw.specs import sim_spec
from statsclaw.specs.contract import SIM_SPEC
from statsclaw.verify.run_study import recorded_study

_SHOWN = ("bias", "rmse", "coverage")
_MOST_ROWS = 400
#: What numbers that a role's program recorded can lead to; a report is written all the same.
_FROM_NUMBERS = (ArithmeticError, LookupError, ValueError, StatsClawError)


@dataclass(frozen=True, slots=True)
class StudyPart:
    """`recorded_at`: the commands that recorded it. `numbers_from`: the column from which a table holds numbers."""

    spec: sim_spec.Study
    frozen_at: int
    recorded_at: tuple[int, ...]
    replications: tuple[int, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers_from: int
    warnings: tuple[str, ...]
    figures: tuple[Figure, ...]
    unseen: tuple[str, ...]

    @property
    def made(self) -> str:
        """The replications of a cell; the fewest and the most where cells differ."""
        least, most = min(self.replications, default=0), max(self.replications, default=0)
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    @property
    def warning_groups(self) -> list[tuple[str, ...]]:
        return alike(self.warnings, wording)

    @property
    def last_recorded(self) -> int:
        return max(self.recorded_at, default=0)


def study_of(ledger: Ledger) -> StudyPart | None:
    """None where the run has no study, or nothing of it was recorded."""
    spec = ledger.contract.study
    batches = _batches(ledger)
    if spec is None or not batches:
        return None
    try:
        found = recorded_study(ledger.store, [event for _, event in batches], ledger.contract)
    except StatsClawError:
        return None  # what was recorded is gone from the store, which the first lines of the report say
    if found is None:
        return None
    study, results = found
    document = ledger.view.artifact(SIM_SPEC)
    header, rows, warnings = _summary(study, results)
    return StudyPart(
        spec=spec,
        frozen_at=max(ledger.last(e.SpecFrozen), document.seq if document else 0),
        recorded_at=tuple(seq for seq, _ in batches),
        replications=tuple(results.completed(cell) for cell in range(len(study.cells()))),
        header=header,
        rows=rows,
        numbers_from=_names_in(header),
        warnings=warnings,
        figures=_figures(study, results),
        unseen=_unseen(study, results),
    )


def _batches(ledger: Ledger) -> list[tuple[int, e.CommandExecuted]]:
    """The last batches of records of the tree that was judged last, in the order of their replications."""
    tree = ledger.judged_tree
    last: dict[str, tuple[int, e.CommandExecuted]] = {}
    for seq, event in ledger.each(e.CommandExecuted):
        if event.phase == "study" and event.subject == "after" and event.tree_sha256 == tree:
            last[event.name] = (seq, event)
    return [row for row in last.values() if row[1].records_sha256]


def _summary(
    study: design.Study, results: MemoryResults
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[str, ...]]:
    from statsclaw.montecarlo.metrics.rendering import table_of
    from statsclaw.montecarlo.metrics.summary import summarise

    try:
        found = summarise(study, results)
        header, body = table_of(found, _SHOWN, bounds=False)
    except _FROM_NUMBERS as error:
        return (), (), (f"No summary could be computed: {error}",)
    left_out = (f"{len(body) - _MOST_ROWS:,} rows are left out.",) if len(body) > _MOST_ROWS else ()
    return tuple(header), tuple(tuple(row) for row in body[:_MOST_ROWS]), (*found.warnings, *left_out)


def _names_in(header: tuple[str, ...]) -> int:
    return sum(name in ("cell", "method", "parameter") for name in header)


def _figures(study: design.Study, results: MemoryResults) -> tuple[Figure, ...]:
    try:
        return tuple(figures_of(study, results))
    except _FROM_NUMBERS:
        return ()


def _unseen(study: design.Study, results: MemoryResults) -> tuple[str, ...]:
    """One sentence for each criterion that passed: the largest faults that it would have passed with."""
    from statsclaw.montecarlo.verdicts.sensitivity import sensitivity

    try:
        rows = [row for row in sensitivity(study, results) if row.rule == "literal"]
    except _FROM_NUMBERS:
        return ()
    said: dict[str, list[str]] = {}
    for row in rows:
        most = " (the most that was tried)" if row.smallest is None else ""
        said.setdefault(row.criterion, []).append(f"{row.perturbation} {row.size} {row.direction}{most}")
    return tuple(f"{name} would not notice {_alternatives(faults)}." for name, faults in said.items())


def _alternatives(faults: list[str]) -> str:
    *others, last = faults
    return f"{', '.join(others)} or {last}" if others else last

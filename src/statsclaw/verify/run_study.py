"""The study of a run in the terms of the Monte Carlo engine, which then summarises it, draws it and tries it out."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from statsclaw.montecarlo import design
from statsclaw.montecarlo.storage.results import SECONDS, MemoryResults
from statsclaw.montecarlo.table import Table
from statsclaw.runlog.events.command_executed import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.specs.contract import Contract
from statsclaw.specs.sim_spec import Study, as_design
from statsclaw.verify.study_report import Records, RecordsRefused, merge, read_records, unpacked

#: What studies call the field that holds the seconds a method took.
_TIMES = ("seconds", "time", "time_s", "time_seconds", "elapsed", "elapsed_s", "elapsed_seconds", "runtime")


def recorded_study(
    store: ContentStore, evidence: Sequence[CommandExecuted], contract: Contract
) -> tuple[design.Study, MemoryResults] | None:
    """From the evidence of one tree; None where there is no study, or nothing of it was recorded."""
    records = recorded(store, evidence, contract.study) if contract.study else None
    return (as_design(contract.study), as_results(contract.study, records)) if contract.study and records else None


def recorded(store: ContentStore, evidence: Sequence[CommandExecuted], study: Study) -> Records | None:
    """All batches together, as far as they follow each other."""
    found: Records | None = None
    for executed in evidence:
        if executed.phase != "study" or not executed.passed or executed.records_sha256 is None:
            continue
        try:
            batch = read_records(unpacked(store.get(executed.records_sha256)), study, seed=executed.seed or 0)
            if found is None and batch.first:
                return None
            found = merge(found, batch) if found else batch
        except RecordsRefused:
            return found
    return found


def as_results(study: Study, records: Records) -> MemoryResults:
    numbers = {cell: number for number, cell in enumerate(study.cells())}
    return MemoryResults({(numbers[cell], method): _timed(table) for (cell, method), table in records.tables.items()})


def _timed(table: Table) -> Table:
    """With the column that figures and summaries read times from: NaN where the study recorded none."""
    name = next((name for name in _TIMES if name in table.columns), None)
    seconds = table.columns[name] if name else np.full(len(table.failed), np.nan)
    return Table(table.failed, MappingProxyType({**table.columns, SECONDS: seconds}))

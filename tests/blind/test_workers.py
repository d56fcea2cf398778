"""Workers of a study in a run: the cores of the machine, or what the person wants; the records are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.engine import verifying
from statsclaw.engine.start import start_run
from statsclaw.engine.verifying import bench_for, workers_that_fit
from statsclaw.sandbox.limits import GIB, Limits
from statsclaw.verify.blind import replicating
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.study_report import read_records
from statsclaw.workspace.scrub import Scrubber
from tests.blind.small_bench import Small
from tests.support.runs import Bench, make_target, noon, order_for


class Counted(replicating.Pair):
    """A worker of a study that is counted where it begins."""

    def __init__(self, simulation: object) -> None:
        type(self).begun += 1  # type: ignore[attr-defined]
        super().__init__(simulation)  # type: ignore[arg-type]


def computed(simulation: Simulation) -> dict[str, bytes]:
    """All columns but the one that is measured."""
    (table,) = read_records(simulation.report(0, 400), simulation.study, seed=7).tables.values()
    return {name: values.tobytes() for name, values in table.columns.items() if name != "seconds"}


@pytest.mark.parametrize("workers", [1, 3])
def test_a_study_has_as_many_workers_as_are_wanted_and_the_same_records(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Counted.begun = 0  # type: ignore[attr-defined]
    made = Small(tmp_path / "bench")
    made.lay_out({}, {})
    monkeypatch.setattr(replicating, "Pair", Counted)
    wanted, other = (
        replace(made.simulation, bench=replace(made.bench, workers=number), folder=tmp_path / name)
        for number, name in ((workers, "wanted"), (2, "other"))
    )
    records = computed(wanted)
    assert Counted.begun == workers  # type: ignore[attr-defined]
    assert len(records) >= 4 and records == computed(other)


def test_a_run_takes_the_cores_of_its_machine_or_what_the_person_wants(tmp_path: Path) -> None:
    bench, target = Bench(tmp_path), make_target(tmp_path)
    for wanted in (None, 7):
        folder, log, local = start_run(bench.workspace, order_for(target, workers=wanted), Scrubber(), noon)
        with log:
            assert bench_for(bench.assemble(folder, log, local)).workers == (wanted or workers_that_fit(Limits()))


def test_no_more_workers_start_than_the_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "cores", lambda: 64)
    fitting = [workers_that_fit(Limits(memory_bytes=bytes)) for bytes in (GIB // 2, 12 * GIB, 500 * GIB)]
    assert fitting == [1, 12, 64]

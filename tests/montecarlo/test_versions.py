"""Results of two versions of a study are never mixed unless a person says so, and then it is said."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from statsclaw.errors import InputRefused
from statsclaw.montecarlo import Store, load_study, run
from statsclaw.montecarlo.events import BatchStored, Event
from tests.montecarlo.test_mc_commands import mc

needs_r = pytest.mark.skipif(shutil.which("R") is None, reason="R is not installed")

STUDY_R = """
.libPaths(c("LIBRARY", .libPaths()))
dgp <- function(cell) rnorm(5)
methods <- list(m = function(data, cell) list(mu = hlr::scaled(mean(data))))
"""
STUDY_TOML = """
name = "s"
replications = 4
seed = 1
methods = ["m"]
truth = {mu = 0.0}
program = {r = "study.R"}
grid = {n = [5]}
"""


def install(folder: Path, body: str, *options: str) -> None:
    """hlr 0.1.0 with this body, into a library of its own."""
    package, library = folder / "hlr", folder / "library"
    (package / "R").mkdir(parents=True, exist_ok=True)
    library.mkdir(exist_ok=True)
    (package / "DESCRIPTION").write_text(
        "Package: hlr\nVersion: 0.1.0\nTitle: T\nDescription: D.\nLicense: MIT\nAuthor: A\nMaintainer: A <a@b.c>\n"
    )
    (package / "NAMESPACE").write_text("export(scaled)\n")
    (package / "R" / "a.R").write_text(f"factor <- 1.5\nscaled <- function(x) {{\n  {body}\n}}\n")
    command = ["R", "CMD", "INSTALL", "--no-docs", *options, "-l", str(library), str(package)]
    subprocess.run(command, check=True, capture_output=True)


@needs_r
def test_a_package_that_was_mended_and_installed_again_is_noticed(tmp_path: Path) -> None:
    install(tmp_path, "factor * x")
    (tmp_path / "study.R").write_text(STUDY_R.replace("LIBRARY", str(tmp_path / "library")))
    (tmp_path / "study.toml").write_text(STUDY_TOML)
    small = ("--workers", "1", "--quiet")
    assert mc(tmp_path, "run", "study.toml", *small).returncode == 0
    results = tmp_path / "study.results"
    old = Store.open(results).table(0, "m").columns["mu.estimate"].tolist()

    install(tmp_path, "factor * x", "--with-keep.source")  # the same code: other bytes, no alarm
    assert mc(tmp_path, "summary", "study.toml").returncode == 0

    install(tmp_path, "2 * factor * x")
    more = ("-r", "8", *small)
    for command in (["run", "study.toml", *more], ["summary", "study.toml"], ["figures", "study.toml"]):
        refused = mc(tmp_path, *command)
        assert refused.returncode == 4 and len(refused.stderr.splitlines()) == 1, refused
        assert "R package hlr: 0.1.0 (" in refused.stderr and "→ 0.1.0 (" in refused.stderr
        assert all(way in refused.stderr for way in ("--apart", "--redo", "--accept"))
    assert "R package hlr" in mc(tmp_path, "status", "study.toml").stdout

    assert mc(tmp_path, "run", "study.toml", "--accept", *more).returncode == 0
    both = Store.open(results).table(0, "m").columns["mu.estimate"].tolist()
    assert both[:4] == old
    said = mc(tmp_path, "summary", "study.toml")
    assert said.returncode == 0 and "4 of 8 stored replications are of an earlier version" in said.stdout
    assert "R package hlr: 0.1.0 (" in said.stdout and "replications 0–3 in every cell" in said.stdout

    assert mc(tmp_path, "run", "study.toml", "--redo", *more).returncode == 0
    new = Store.open(results).table(0, "m").columns["mu.estimate"].tolist()
    assert new == [*(2 * value for value in old), *both[4:]]
    assert len(list((results / "aside" / "version-1").glob("*.parquet"))) == 1
    assert "earlier version" not in mc(tmp_path, "summary", "study.toml").stdout

    install(tmp_path, "3 * factor * x")
    assert mc(tmp_path, "run", "study.toml", "--apart", *small).returncode == 0
    said = mc(tmp_path, "summary", "study.toml")
    assert said.returncode == 0 and "apart-" in said.stderr


LOCAL = """
import sys
sys.path.insert(0, "ELSEWHERE")
from statsclaw.montecarlo import Study
def dgp(cell, rng): return rng.normal(size=cell["n"])
def mean(x, cell):
    import hlpy
    return {"mu": hlpy.scaled(x.mean())}
study = Study(name="s", grid={"n": [5, 10]}, methods={"mean": mean}, truth={"mu": 0.0}, replications=6, seed=7, dgp=dgp)
"""


def local_study(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "hlpy.py").write_text("def scaled(x):\n    return x\n")
    (tmp_path / "study").mkdir()
    path = tmp_path / "study" / "study.py"
    path.write_text(LOCAL.replace("ELSEWHERE", str(tmp_path / "elsewhere")))
    return path


def test_a_module_from_elsewhere_that_changed_is_noticed(tmp_path: Path) -> None:
    path = local_study(tmp_path)
    run(load_study(path), workers=1)
    (tmp_path / "elsewhere" / "hlpy.py").write_text("def scaled(x):\n    return x  # as before\n")
    run(load_study(path), workers=1)
    (tmp_path / "elsewhere" / "hlpy.py").write_text("def scaled(x):\n    return 2 * x\n")
    with pytest.raises(InputRefused, match="Python package hlpy"):
        run(load_study(path), workers=1)


def test_results_from_before_all_this_open_and_say_so(tmp_path: Path) -> None:
    path = local_study(tmp_path)
    run(load_study(path), workers=1)
    description = path.parent / "study.results" / "study.json"
    from statsclaw.montecarlo.storage.identity import describe

    # as it was written then: no version, no format, nothing of what is loaded
    old = describe(load_study(path), 1)
    description.write_text(json.dumps(old))
    store_folder = path.parent / "study.results"
    _rewrite(store_folder, old)
    said = mc(path.parent, "summary", "study.py")
    assert said.returncode == 0 and "cannot be said" in said.stderr
    store = run(load_study(path), workers=1, replications=8)
    assert store.completed(0) == 8 and "cannot be said" in store.mixed()[0]


def _rewrite(folder: Path, description: dict) -> None:  # type: ignore[type-arg]
    """The chunks with the metadata that they had then."""
    import pyarrow.parquet as pq

    from statsclaw.montecarlo.storage.identity import identity_of

    for path in (folder / "chunks").glob("*.parquet"):
        table = pq.read_table(path)
        said = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
        said |= {f"statsclaw.{key}": value for key, value in identity_of(description).metadata().items()}
        said.pop("statsclaw.version")
        pq.write_table(table.replace_schema_metadata(said), path)


def computed(path: Path, **options: object) -> tuple[Store, list[BatchStored]]:
    events: list[Event] = []
    store = run(load_study(path), workers=1, on_event=events.append, **options)  # type: ignore[arg-type]
    return store, [event for event in events if isinstance(event, BatchStored)]


def test_a_level_more_computes_only_its_cells(tmp_path: Path) -> None:
    path = local_study(tmp_path)
    first, _ = computed(path)
    old = {n: first.table(place, "mean").columns["mu.estimate"].tolist() for place, n in enumerate((5, 10))}
    path.write_text(path.read_text().replace('"n": [5, 10]', '"n": [3, 5, 7, 10]'))
    store, stored = computed(path)
    assert {event.cell for event in stored} == {0, 2} and sum(event.count for event in stored) == 12
    assert [store.completed(cell) for cell in range(4)] == [6] * 4
    assert store.table(1, "mean").columns["mu.estimate"].tolist() == old[5]
    assert store.table(3, "mean").columns["mu.estimate"].tolist() == old[10]
    assert not store.mixed()
    path.write_text(path.read_text().replace('"n": [3, 5, 7, 10]', '"n": [10, 5]'))
    store, stored = computed(path)
    assert not stored and store.table(0, "mean").columns["mu.estimate"].tolist() == old[10]
    assert mc(path.parent, "summary", "study.py").returncode == 0


def test_a_method_more_computes_only_that_method(tmp_path: Path) -> None:
    path = local_study(tmp_path)
    first, _ = computed(path)
    old = first.table(0, "mean").columns["mu.estimate"].tolist()
    text = path.read_text().replace('methods={"mean": mean}', 'methods={"mean": mean, "last": last}')
    path.write_text(text.replace("study = Study", 'def last(x, cell): return {"mu": x[-1]}\nstudy = Study'))
    with pytest.raises(InputRefused, match=r"code: study\.py"):
        run(load_study(path), workers=1)
    store, stored = computed(path, accept=True, replications=8)
    assert {tuple(event.failures) for event in stored if event.first < 6} == {("last",)}
    assert store.completed(0) == store.completed(1) == 8
    assert store.table(0, "mean").columns["mu.estimate"].tolist()[:6] == old
    whole = run(load_study(path), workers=1, replications=8, folder=tmp_path / "whole")
    for cell in range(2):
        for method in ("mean", "last"):
            mine, theirs = (each.table(cell, method).columns["mu.estimate"] for each in (store, whole))
            assert mine.tobytes() == theirs.tobytes()

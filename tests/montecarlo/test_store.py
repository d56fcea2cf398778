"""Results on disk: whole or not at all, never counted twice, never mixed."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.errors import InputRefused, RunLocked
from statsclaw.montecarlo import Study
from statsclaw.montecarlo.batch import Batch, Rows, Status, Task
from statsclaw.montecarlo.storage import chunks as chunk_files
from statsclaw.montecarlo.storage.chunks import Chunk, without_gaps
from statsclaw.montecarlo.storage.lock import is_locked
from statsclaw.montecarlo.storage.store import Store
from statsclaw.montecarlo.storage.writer import writing


def dgp(cell: Any, rng: Any) -> Any: ...
def method(data: Any, cell: Any) -> Any: ...


STUDY = Study("s", {"n": [1, 2]}, {"a": method, "b": method}, {"mu": 0.0}, 100, 3, dgp=dgp)


def value(cell: int, replication: int, name: str) -> float:
    return cell * 1e6 + replication + (0.5 if name == "b" else 0.0)


def batch(cell: int, first: int, count: int, **columns: Any) -> Batch:
    """Every seventh replication of method b has failed."""
    methods = {}
    for name in ("a", "b"):
        numbers = np.array([value(cell, first + place, name) for place in range(count)])
        failed = np.array([name == "b" and (first + place) % 7 == 0 for place in range(count)])
        values = {"mu.estimate": np.where(failed, np.nan, numbers), **columns}
        problems = {place: f"no {first + place}" for place in np.flatnonzero(failed).tolist()}
        status = np.where(failed, Status.EXCEPTION, Status.OK).astype(np.uint8)
        methods[name] = Rows(status, numbers / 10, values, np.zeros(count, np.uint16), problems)
    return Batch(Task(cell, first, count), methods)


def check(store: Store, cell: int, count: int) -> None:
    assert store.completed(cell) == count
    for name in ("a", "b"):
        table = store.table(cell, name, ["mu.estimate"])
        wanted = np.array([value(cell, replication, name) for replication in range(count)])
        failed = np.array([name == "b" and replication % 7 == 0 for replication in range(count)], bool)
        assert table.failed.tolist() == failed.tolist()
        assert table.columns["mu.estimate"][~failed].tolist() == wanted[~failed].tolist()
        assert np.isnan(table.columns["mu.estimate"][failed]).all()
        assert (table.columns["seconds"] == wanted / 10).all()
        assert (store.statuses(cell, name) != 0).tolist() == failed.tolist()
    assert [p.replication for p in store.problems(cell, "b")] == [r for r in range(count) if r % 7 == 0]
    assert all(p.text == f"no {p.replication}" and p.status == Status.EXCEPTION for p in store.problems(cell, "b"))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "chunks").iterdir())


def test_what_was_added_is_there(tmp_path: Path) -> None:
    with writing(tmp_path, STUDY) as writer:
        for first, count in ((10, 10), (0, 10), (25, 5)):
            writer.add(batch(1, first, count))
        check(writer, 1, 20)
    store = Store.open(tmp_path)
    check(store, 1, 20)
    check(store, 0, 0)
    assert store.columns("a") == ("mu.estimate",)
    assert store.missing(1, 40) == [(20, 25), (30, 40)] and store.missing(1, 22) == [(20, 22)]
    assert store.missing(0, 5) == [(0, 5)] and store.missing(1, 20) == []
    assert store.stored(1) == 25 and store.stored(1, 22) == 20
    assert store.row(1, "a", 27) == (Status.OK, {"mu.estimate": value(1, 27, "a")})
    assert store.row(1, "b", 28) == (Status.EXCEPTION, {}) and store.row(1, "a", 22) is None
    with pytest.raises(KeyError, match="no method 'c'"):
        store.table(1, "c")


def test_columns_that_some_chunks_do_not_have_are_nan_there(tmp_path: Path) -> None:
    with writing(tmp_path, STUDY) as writer:
        writer.add(batch(0, 0, 3))
        writer.add(batch(0, 3, 2, extra=np.array([1.0, 2.0])))
        for _ in range(2):
            assert np.isnan(writer.table(0, "a").columns["extra"]).tolist() == [True] * 3 + [False] * 2
            assert writer.columns("a") == ("mu.estimate", "extra")
            writer.tidy(0, fully=True)
        assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("fully", [False, True])
def test_many_chunks_become_few_and_hold_the_same(tmp_path: Path, fully: bool) -> None:
    with writing(tmp_path, STUDY) as writer:
        order = list(range(70))
        random.Random(1).shuffle(order)
        for place in order:
            writer.add(batch(0, 3 * place, 3))
        writer.add(batch(0, 300, 5))
        writer.tidy(0, fully=fully)
        check(writer, 0, 210)
        assert len(files(tmp_path)) == (2 if fully else 9)
        assert writer.missing(0, 305) == [(210, 300)]
    check(Store.open(tmp_path), 0, 210)


def test_a_merged_chunk_and_its_parts_are_not_counted_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process leaves it that is killed after the merged chunk was written and before its parts were removed."""
    with writing(tmp_path, STUDY) as writer:
        for place in range(6):
            writer.add(batch(0, 4 * place, 4))
        monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
        writer.tidy(0, fully=True)
        monkeypatch.undo()
    assert len(files(tmp_path)) == 7
    check(Store.open(tmp_path), 0, 24)
    with writing(tmp_path, STUDY) as writer:
        check(writer, 0, 24)
    assert len(files(tmp_path)) == 1


def test_any_cover_of_the_replications_counts_each_once() -> None:
    rng = random.Random(3)
    for _ in range(300):
        spans = [(first := rng.randrange(40), first + rng.randrange(1, 15)) for _ in range(rng.randrange(8))]
        held = [Chunk(Path(), 0, first, stop, ()) for first, stop in spans]
        pieces = without_gaps(held)
        covered = {replication for first, stop in spans for replication in range(first, stop)}
        k = next(replication for replication in range(100) if replication not in covered)
        assert [r for _, first, stop in pieces for r in range(first, stop)] == list(range(k))
        assert all(chunk.first <= first < stop <= chunk.stop for chunk, first, stop in pieces)


def test_torn_and_foreign_files_are_set_aside_and_never_read(tmp_path: Path) -> None:
    folder, other = tmp_path / "one", tmp_path / "two"
    with writing(folder, STUDY) as writer:
        for place in range(4):
            writer.add(batch(0, 10 * place, 10))
    with writing(other, replace(STUDY, seed=4)) as writer:
        writer.add(batch(0, 40, 10))
    names = files(folder)
    chunks = folder / "chunks"
    torn = chunks / names[2]
    torn.write_bytes(torn.read_bytes()[:-30])
    (chunks / files(other)[0]).write_bytes((other / "chunks" / files(other)[0]).read_bytes())
    (chunks / "cell000000-00000000050+10.parquet").write_bytes((chunks / names[0]).read_bytes())
    (chunks / "empty.parquet").touch()
    (chunks / "cell000001-00000000000+9.123.partial").write_bytes(b"half")
    reader = Store.open(folder)
    assert reader.completed(0) == 20 and len(reader.notes) == 4 and len(files(folder)) == 8
    with writing(folder, STUDY) as writer:
        assert writer.missing(0, 40) == [(20, 30)]
        assert len(writer.notes) == 4 and all("\n" not in note for note in writer.notes)
        assert any("another design" in note for note in writer.notes)
        writer.add(batch(0, 20, 10))
        check(writer, 0, 40)
    assert len(list((folder / "aside").iterdir())) == 4 and len(files(folder)) == 4


def test_a_chunk_whose_numbers_were_altered_is_not_read(tmp_path: Path) -> None:
    with writing(tmp_path, STUDY) as writer:
        writer.add(batch(0, 0, 500))
        writer.add(batch(0, 500, 500))
    path = tmp_path / "chunks" / files(tmp_path)[1]
    data = bytearray(path.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 8] = bytes(255 - byte for byte in data[middle : middle + 8])
    path.write_bytes(data)
    store = Store.open(tmp_path)
    read = [len(store.table(0, name).failed) for name in ("a", "b")]
    assert 500 in read and store.completed(0) == 500 and len(store.notes) == 1


def test_a_reader_survives_chunks_being_merged_under_it(tmp_path: Path) -> None:
    with writing(tmp_path, STUDY) as writer:
        for place in range(5):
            writer.add(batch(0, 4 * place, 4))
        reader = Store.open(tmp_path)
        writer.tidy(0, fully=True)
        check(reader, 0, 20)
        assert not reader.notes


@pytest.mark.parametrize(("change", "said"), [({"seed": 4}, "seed 3 → 4"), ({"level": 0.9}, "level 0.95 → 0.9")])
def test_results_of_a_changed_study_are_refused_or_kept_apart(tmp_path: Path, change: Any, said: str) -> None:
    with writing(tmp_path, STUDY) as writer:
        writer.add(batch(0, 0, 5))
    changed = replace(STUDY, **change)
    with pytest.raises(InputRefused, match=said) as refusal, writing(tmp_path, changed):
        pass
    assert "--apart" in refusal.value.line()
    for count in (0, 3):
        with writing(tmp_path, changed, apart=True) as writer:
            assert writer.completed(0) == count and writer.folder.parent == tmp_path
            writer.add(batch(0, 0, 3))
    with writing(tmp_path, replace(STUDY, replications=500)) as writer:
        check(writer, 0, 5)


def test_two_runs_of_one_folder_refuse_each_other(tmp_path: Path) -> None:
    with writing(tmp_path, STUDY):
        assert is_locked(tmp_path)
        with pytest.raises(RunLocked, match=f"process {os.getpid()}"), writing(tmp_path, STUDY):
            pass
    assert not is_locked(tmp_path)
    (tmp_path / "lock").write_text('{"pid": 999999, "host": "gone"}')  # of a process that was killed
    with writing(tmp_path, STUDY):
        pass


def test_no_results_and_damaged_descriptions_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="there are no results"):
        Store.open(tmp_path)
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(InputRefused, match="damaged"):
        Store.open(tmp_path)


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with writing(tmp_path, STUDY) as writer:
        writer.add(batch(0, 0, 5))
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(Exception, match="No space left"):
            writer.add(batch(0, 5, 5))
        monkeypatch.undo()
        assert len(files(tmp_path)) == 1
        writer.add(batch(0, 5, 5))
        check(writer, 0, 10)


def test_only_asked_columns_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(tmp_path, STUDY) as writer:
        writer.add(batch(0, 0, 5, extra=np.arange(5.0)))
    asked: list[Any] = []
    real = chunk_files.pq.ParquetFile.read

    def read(file: Any, columns: Any, **more: Any) -> Any:
        asked.append(columns)
        return real(file, columns, **more)

    monkeypatch.setattr(chunk_files.pq.ParquetFile, "read", read)
    table = Store.open(tmp_path).table(0, "a", ["mu.estimate"])
    assert set(table.columns) == {"mu.estimate", "seconds"}
    assert asked == [["a/status", "a/mu.estimate", "a/seconds"]]

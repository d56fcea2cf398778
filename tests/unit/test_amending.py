"""Changes that a person leaves for a run are taken once, in the order in which they were written."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from statsclaw.engine.amending import _taken, leave, take_changes
from statsclaw.runlog.events import FindingOverridden, SpecAmended
from statsclaw.runlog.store import sha256

NAMES = ["lint:9", "suite:2", "review:5", "lint:1", "suite:8", "review:3"]


def over(name: str) -> FindingOverridden:
    return FindingOverridden(key=name, message=f"message of {name}", why="it is known")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    taken: list[Any] = []
    return SimpleNamespace(
        folder=SimpleNamespace(inbox=tmp_path / "inbox"),
        view=SimpleNamespace(finished=None, overrides={}, amendments=[]),
        log=SimpleNamespace(append=taken.append),
        taken=taken,
    )


def test_they_are_taken_in_the_order_in_which_they_were_left(run: Any) -> None:
    for name in NAMES:
        leave(run, over(name))
    take_changes(run)
    assert [event.key for event in run.taken] == NAMES
    assert list(run.folder.inbox.iterdir()) == []


def test_what_an_earlier_version_left_is_taken_too_and_first(run: Any) -> None:
    run.folder.inbox.mkdir()
    for number, name in enumerate(NAMES[:3]):
        text = over(name).model_dump_json().encode()
        place = run.folder.inbox / f"change-{sha256(text)[:16]}.json"
        place.write_bytes(text)
        os.utime(place, ns=(0, 1_700_000_000_000_000_000 + number))
    for name in NAMES[3:]:
        leave(run, over(name))
    take_changes(run)
    assert [event.key for event in run.taken] == NAMES


def amended(after: str) -> SpecAmended:
    return SpecAmended(
        document="sim-spec.md", what="M1.high", before="0.98", after=after, why="as agreed",
        before_sha256="a" * 64, after_sha256="b" * 64,
    )  # fmt: skip


def test_a_value_that_is_changed_and_changed_back_is_not_taken_for_the_first_change(run: Any) -> None:
    run.view.amendments = [(amended("0.6"), 1)]
    assert _taken(run, amended("0.6")), "the run was killed before the file was gone"
    run.view.amendments.append((amended("0.7"), 2))
    assert not _taken(run, amended("0.6"))
    assert _taken(run, amended("0.7"))

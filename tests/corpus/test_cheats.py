"""Every cheat is caught, by the right check, with a message that names it; the honest run passes clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.corpus.cheats import Fault, faults, play

FAULTS = list(faults())


def test_there_are_at_least_forty_and_each_has_its_own_name():
    assert len(FAULTS) >= 40
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_the_honest_run_passes_clean(tmp_path: Path):
    caught, view = play(None, tmp_path)
    assert caught is None, caught
    assert view is not None and view.finished is not None and view.finished.outcome == "shipped"
    assert view.reviewed is not None and view.reviewed.verdict != "STOP"
    assert all(row.literal == "PASS" for row in view.judged[view.tree_sha256, "after"].judgements)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_is_caught(fault: Fault, tmp_path: Path):
    caught, view = play(fault, tmp_path)
    assert caught is not None, f"nobody noticed; the run ended {view.finished if view else None}"
    assert caught.by == fault.caught_by, caught
    assert re.search(fault.says, caught.words), caught.words

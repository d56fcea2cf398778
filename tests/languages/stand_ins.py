"""Programs that stand in for a language that is not installed here. What they execute is said in each of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.languages.packages import HERE


@contextmanager
def stand_in(id: str, folder: Path) -> Iterator[None]:
    """First on the search path, laid out as a program that was installed into a folder of its own."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    prefix = folder / f"{id}-stand-in"
    shutil.copytree(HERE / id / "stand_in", prefix / "bin")
    (prefix / "lib").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{prefix / 'bin'}:{os.environ['PATH']}")
        yield


@contextmanager
def without(program: str, folder: Path) -> Iterator[None]:
    """A search path on which this program is not found, and a home of one's own."""
    found = [place for place in os.environ["PATH"].split(":") if not (Path(place) / program).exists()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", ":".join(found))
        patch.setenv("HOME", str(folder))
        yield

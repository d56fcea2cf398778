"""Looking for processes: whoever ends while we look is no trouble of ours."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from statsclaw.sandbox import lending
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import run_program


@pytest.fixture
def gone(monkeypatch):
    """Every process but this one ends between being listed and being looked at, as Linux says it of some files."""
    real = os.stat

    def stat(path, **options):
        if isinstance(path, str | Path) and Path(path).parts[:2] == ("/", "proc") and len(Path(path).parts) > 3:
            raise ProcessLookupError(3, "No such process", str(path))
        return real(path, **options)

    def read_text(self, *_, **__):
        raise ProcessLookupError(3, "No such process", str(self))

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(Path, "read_text", read_text)


@pytest.mark.usefixtures("gone")
def test_a_program_ends_well_whoever_else_ends_meanwhile(tmp_path):
    assert run_program(["true"], cwd=tmp_path, env=dict(os.environ), limits=Limits()).exit_code == 0


@pytest.mark.usefixtures("gone")
def test_so_does_the_search_for_a_free_user():
    assert lending.users_at_work() == set()


def test_what_left_its_group_but_not_its_session_is_ended_with_the_program(tmp_path):
    leaves = (
        "import os, time; os.fork() or (os.setpgid(0, 0), print(os.getpid(), flush=True), os.close(1), time.sleep(60))"
    )
    argv = ["python3", "-c", f"{leaves}; time.sleep(0.5)"]
    done = run_program(argv, cwd=tmp_path, env=dict(os.environ), limits=Limits())
    left = int(done.output)
    deadline = time.monotonic() + 10
    while _runs(left) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(left)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

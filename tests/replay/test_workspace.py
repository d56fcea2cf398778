"""The workspace: what is pushed, what stays, and how the next run starts from the last."""

from __future__ import annotations

from pathlib import Path

import pytest

from statsclaw.engine.people import Unattended
from statsclaw.git import git, git_text
from statsclaw.runlog.log import verify
from statsclaw.runlog.store import ContentStore
from tests.support.runs import Bench, order_for

LOCAL = ("context.md", "local.json", "/lock", "/desk/", "/dispatches/", "/target.git/", "/verify/", "summary.json")


def with_remote(bench: Bench) -> Path:
    remote = bench.folder / "workspace.git"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    git("init", "--quiet", "--initial-branch=main", str(bench.workspace.root))
    git("remote", "add", "origin", str(remote), cwd=bench.workspace.root)
    return remote


def test_a_shipped_run_is_pushed_with_the_workspace_to_its_last_line_and_nothing_local_is(bench, target):
    remote = with_remote(bench)
    view = bench.start(order_for(target, run_id="ship-0001"))
    assert view.pushed and view.synced.pushed
    paths = git_text("ls-tree", "-r", "--name-only", "main", git_dir=remote).splitlines()
    kept = {path.removeprefix("tinymean/") for path in paths}
    assert {"CHANGELOG.md", "HANDOFF.md", "docs.md", "runs/ship-0001/events.jsonl", "runs/ship-0001/audit.md"} <= kept
    assert {f"runs/ship-0001/{name}" for name in ("comprehension.md", "contract.md", "oracles.md", "checks.md")} <= kept
    assert not [path for path in paths if any(part in f"/{path}" for part in LOCAL)]
    clone = bench.folder / "elsewhere"
    git("clone", "--quiet", str(remote), str(clone))
    assert verify(clone / "tinymean" / "runs" / "ship-0001") == view.seq


@pytest.mark.slow
def test_a_run_that_was_not_authorised_leaves_the_remote_of_the_workspace_alone(bench, target):
    remote = with_remote(bench)
    view = bench.start(
        order_for(target, run_id="stay-0001"),
        person=Unattended(yes=False, answers={"choice": "1", "comprehension": "1", "ship": "2"}),
    )
    assert view.finished and view.pushed is None and not view.synced.pushed
    assert git_text("for-each-ref", git_dir=remote) == ""


@pytest.mark.slow
def test_the_next_run_starts_from_the_hand_off_of_the_last(bench, target):
    bench.start(order_for(target, run_id="first-0001"))
    view = bench.start(order_for(target, run_id="second-0001"))
    request = ContentStore(bench.workspace.find("second-0001").store).get_text(view.artifacts["request.md"].sha256)
    assert "Last run: first-0001" in request
    assert "What should happen with fewer than two numbers" in request and "refuse" in request, (
        "what the person decided is not handed on"
    )
    changelog = (bench.workspace.root / "tinymean" / "CHANGELOG.md").read_text()
    assert changelog.index("(second-0001)") < changelog.index("(first-0001)")

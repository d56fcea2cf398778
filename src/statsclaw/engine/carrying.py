"""A study is not run again where only documents have changed since: its package and its harness are the same.

Everything else is: tests take seconds, and a check of a package reads its documents. What the study recorded is judged
anew on the tree it is carried to, and the log says where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from statsclaw.engine.run import Run
from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import sha256


def study_basis(run: Run, seed: int, replications: tuple[int, int] | None) -> str:
    """Names all that the results of a study depend on."""
    files = sorted(
        (change.path, change.sha256, change.executable)
        for change in run.view.overlay.values()
        if run.profile.classify(change.path) is not PathClass.DOCS
    )
    barrier = f"{run.barrier.kind} {run.barrier.version}"
    asked = [run.view.head.base_commit, files, seed, replications, barrier, run.local.python]
    return sha256(json.dumps(asked).encode())


def carried_study(run: Run, basis: str) -> Iterator[CommandExecuted]:
    """The evidence of the last tree that was studied on the same basis, as evidence of this one; batch by batch."""
    tree = run.view.tree_sha256
    rows = [e for e in run.view.evidence.values() if e.phase == "study" and e.basis_sha256 == basis]
    studied = [row.tree_sha256 for row in rows if row.tree_sha256 != tree]
    found = [row for row in rows if row.tree_sha256 == studied[-1]] if studied else []
    if all(row.passed for row in found):
        for row in found:
            update = {"tree_sha256": tree, "carried_from": row.carried_from or row.tree_sha256, "elapsed_s": 0.0}
            yield row.model_copy(update=update)

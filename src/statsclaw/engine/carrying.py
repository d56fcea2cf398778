"""Answers and a study are not asked for again where only documents have changed since.

Everything else is done again: unit tests take seconds, and a check of a package reads its documents. What is carried is
judged anew on the tree it is carried to, and the log says where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from statsclaw.engine.run import Run
from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import sha256


def basis_of(run: Run, seed: int, *further: object) -> str:
    """Names all that answers depend on. `further`: what else does, such as the replications of a study."""
    files = sorted(
        (change.path, change.sha256, change.executable)
        for change in run.view.overlay.values()
        if run.profile.classify(change.path) is not PathClass.DOCS
    )
    barrier = f"{run.barrier.kind} {run.barrier.version}"
    asked = [run.view.head.base_commit, files, seed, *further, barrier, run.local.python]
    return sha256(json.dumps(asked).encode())


def carried(run: Run, phase: str, basis: str, subject: str = "after") -> Iterator[CommandExecuted]:
    """The evidence of the last tree that was tried on the same basis, as evidence of this one; command by command.

    Of the package as it is, only what passed. Of the package as it was (`subject` before) nobody expects that it does.
    """
    tree = run.view.tree_sha256
    rows = [e for e in run.view.evidence.values() if (e.phase, e.subject, e.basis_sha256) == (phase, subject, basis)]
    tried = [row.tree_sha256 for row in rows if row.tree_sha256 != tree]
    found = [row for row in rows if row.tree_sha256 == tried[-1]] if tried else []
    if subject == "before" or all(row.passed for row in found):
        for row in found:
            update = {"tree_sha256": tree, "carried_from": row.carried_from or row.tree_sha256, "elapsed_s": 0.0}
            yield row.model_copy(update=update)

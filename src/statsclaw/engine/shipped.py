"""What users will read of this run: the documentation that it changed, and what stood there before."""

from __future__ import annotations

from pathlib import PurePosixPath

from statsclaw.engine.run import Run
from statsclaw.profiles.profile import PathClass
from statsclaw.sandbox.tree import read_text

_PROSE = ("", ".md", ".rst", ".txt", ".rmd", ".qmd", ".adoc")


def changed_docs(run: Run) -> dict[str, str]:
    changed = [path for path, change in run.view.overlay.items() if change.sha256]
    docs = [path for path in changed if run.profile.classify(path) is PathClass.DOCS and _is_prose(path)]
    return {path: read_text(run.target, run.view.overlay, run.store, path) for path in docs}


def _is_prose(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in _PROSE


def docs_before(run: Run) -> dict[str, str]:
    """The same files as they were: what somebody said earlier is no claim of this run."""
    return {path: read_text(run.target, {}, run.store, path) for path in changed_docs(run)}

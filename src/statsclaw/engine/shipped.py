"""What of a run leaves it: the files that are committed, and the documentation that users will read."""

from __future__ import annotations

from pathlib import PurePosixPath

from statsclaw.engine.run import Run
from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.events import FileChange
from statsclaw.sandbox.tree import read_text

_PROSE = ("", ".md", ".rst", ".txt", ".rmd", ".qmd", ".adoc")
#: No runner of tests, and no import, takes a file that is called like this.
_FOR_READERS = ".source"


def committed(run: Run) -> list[FileChange]:
    """All changes. Where the engine made the suite, what the author of the questions wrote ships only to be read."""
    suite = run.view.suite
    made = {change.path for change in suite.files} if suite is not None else set()

    def is_read(change: FileChange) -> bool:
        asks = suite is not None and run.profile.classify(change.path) is PathClass.VALIDATION
        return asks and change.path not in made and change.sha256 is not None

    changes = [_for_readers(change) if is_read(change) else change for change in run.view.overlay.values()]
    return sorted(changes, key=lambda change: change.path)


def _for_readers(change: FileChange) -> FileChange:
    return change.model_copy(update={"path": f"{change.path}{_FOR_READERS}", "executable": False})


def changed_docs(run: Run) -> dict[str, str]:
    changed = [path for path, change in run.view.overlay.items() if change.sha256]
    docs = [path for path in changed if run.profile.classify(path) is PathClass.DOCS and _is_prose(path)]
    return {path: read_text(run.target, run.view.overlay, run.store, path) for path in docs}


def _is_prose(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in _PROSE


def docs_before(run: Run) -> dict[str, str]:
    """The same files as they were: what somebody said earlier is no claim of this run."""
    return {path: read_text(run.target, {}, run.store, path) for path in changed_docs(run)}

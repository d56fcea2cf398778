"""The workspace: a git repository of the person's that keeps every run.

<workspace>/<repository>/
  context.md              what is known of the repository (local)
  CHANGELOG.md            one line per run (pushed)
  HANDOFF.md              where the next run starts (pushed)
  docs.md                 latest documentation changes (pushed)
  ref/                    sources (pushed)
  runs/<run>/             log, store, artifacts of a run (pushed; rooms and clones local)
  runs/<date>-<slug>.md   the record of a finished run (pushed)
  logs/ tmp/              diagnostics and transient data (local)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from statsclaw.errors import InputRefused, StatsClawError
from statsclaw.git import git
from statsclaw.runlog import chain
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.lock import FileLock
from statsclaw.runlog.log import EVENTS, read_view
from statsclaw.runlog.store import cannot_write, write_durably


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def repository(self) -> Path:
        return self.path.parent.parent

    @property
    def store(self) -> Path:
        return self.path / "store"

    @property
    def target(self) -> Path:
        return self.path / "target.git"

    @property
    def verify(self) -> Path:
        return self.path / "verify"

    @property
    def inbox(self) -> Path:
        return self.path / "inbox"

    @property
    def local(self) -> Path:
        return self.path / "local.json"

    def room(self, dispatch: str) -> Path:
        return self.path / "dispatches" / dispatch

    def desk(self, dispatch: str) -> Path:
        return self.path / "desk" / dispatch


class Workspace:
    def __init__(self, root: Path) -> None:
        self.root = root

    def ensure(self) -> None:
        """Make the workspace a git repository that ignores what must stay local."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self.root / ".lock"):
                if not (self.root / ".git").exists():
                    git("init", "--quiet", "--initial-branch=main", cwd=self.root)
                ignore = files(__package__).joinpath("workspace.gitignore").read_text(encoding="utf-8")
                place = self.root / ".gitignore"
                if not place.exists() or place.read_text(encoding="utf-8") != ignore:
                    place.write_text(ignore, encoding="utf-8")
        except OSError as error:
            raise cannot_write(self.root, error) from error

    def repository(self, name: str, identity: str) -> Path:
        """The folder of a repository. Two repositories of the same name have a folder each."""
        folder = self.root / name
        with FileLock(self.root / ".lock"):
            known = folder / "identity"
            if known.is_file() and known.read_text(encoding="utf-8").strip() != identity:
                folder = self.root / f"{name}-{identity[:6]}"
            if not (folder / "identity").is_file():
                write_durably(folder / "identity", f"{identity}\n".encode())
        for part in ("runs", "ref", "logs", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        return folder

    def runs(self) -> Iterator[RunFolder]:
        if not self.root.is_dir():
            return
        for log in sorted(self.root.glob(f"*/runs/*/{EVENTS}")):
            if log.stat().st_size or (log.parent / "head").exists():  # a run killed before its first line never was
                yield RunFolder(log.parent)

    def find(self, name: str) -> RunFolder:
        """The run called `name`, or the only one that starts with it."""
        if not name or "/" in name or name.startswith("."):
            raise InputRefused(f"{name!r} is not the name of a run")
        found = [run for run in self.runs() if run.id.startswith(name)]
        exact = [run for run in found if run.id == name]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            raise InputRefused(f"several runs start with {name!r}: {', '.join(sorted(run.id for run in found))}")
        raise InputRefused(f"there is no run {name!r} in this workspace", todo="`statsclaw list` shows what there is")


_UNREADABLE = {"state": "log damaged", "verdict": "", "cost": "", "workflow": "?", "started": ""}


def summary(run: RunFolder) -> dict[str, str]:
    """What `list` shows of a run. Kept beside the log under the hash of its last line, so that it is never stale."""
    place = run.path / "summary.json"
    head = chain.read_head(run.path / "head")
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        if head and isinstance(kept, dict) and kept.get("head") == head[1] and _UNREADABLE.keys() <= kept.keys():
            return kept
    except (OSError, ValueError, RecursionError):
        kept = None  # it is made anew below
    try:
        made = describe(read_view(run.path))
    except StatsClawError as error:
        return _UNREADABLE | {"run": run.id, "repository": run.repository.name, "directive": error.line()[:80]}
    made |= {"run": run.id, "repository": run.repository.name}
    if head:
        made["head"] = head[1]
        try:
            place.write_text(json.dumps(made), encoding="utf-8")
        except OSError:
            return made
    return made


def describe(view: RunView) -> dict[str, str]:
    state = str(view.state or "–")
    if view.finished:
        state = {"shipped": "DONE (shipped)", "done": "DONE", "stopped": "STOPPED"}[view.finished.outcome]
        state += " · did not pass" if view.finished.reason and view.finished.outcome != "stopped" else ""
    elif view.open_questions:
        state += " · HOLD"
    elif any(d.backend == "human" for d in view.running):
        state += " · waits for " + ", ".join(d.role for d in view.running)
    return {
        "state": state,
        "verdict": _verdict(view),
        "cost": f"${view.usage.cost_usd:.2f}" if view.usage.cost_usd else "",
        "workflow": view.workflow or "?",
        "directive": view.created.directive.strip().splitlines()[0][:80] if view.created else "",
        "started": view.created_at.isoformat(timespec="seconds") if view.created_at else "",
    }


def _verdict(view: RunView) -> str:
    """Of the review; without one, of the checks."""
    if view.verdict or view.finished is None:
        return str(view.verdict)
    verified = view.verified.get(view.tree_sha256)
    return "" if verified is None else "checks failed" if verified.failed else "checks passed"

"""Whole runs in any language, played by scripted roles behind the barrier."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from statsclaw.git import git
from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import DispatchFailed, Event, QuestionAsked, SignalRaised
from statsclaw.runlog.fold import RunView
from tests.support.runs import HERE, Bench, order_for


class Objection(Exception):
    """Somebody objected; the run ends there."""

    def __init__(self, event: Event, view: RunView) -> None:
        super().__init__(str(event))
        self.event, self.view = event, view


def object_at_once(record: Record, view: RunView) -> None:
    match record.event:
        case DispatchFailed() | SignalRaised() as event:
            raise Objection(event, view)
        case QuestionAsked(topic="readings" | "criterion") as event:
            raise Objection(event, view)


def make_repository(folder: Path, name: str, files: Mapping[str, str]) -> Path:
    """A repository with these files and a bare one as its origin."""
    target = folder / name
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
    git("init", "--quiet", "--initial-branch=main", cwd=target)
    git("add", "--all", cwd=target)
    git("commit", "--quiet", "-m", "base", cwd=target)
    git("init", "--quiet", "--bare", "--initial-branch=main", str(folder / f"{name}.git"))
    git("remote", "add", "origin", str(folder / f"{name}.git"), cwd=target)
    git("push", "--quiet", "origin", "main", cwd=target)
    return target


def play(
    folder: Path, material: Path, profile: str, files: Mapping[str, str], *, tools: tuple[Path, ...] = ()
) -> RunView:
    """From a repository with `files` to a pushed branch, every role played from `material`, see agent_any.py."""
    target = make_repository(folder, "package", files)
    backend = f"command:{sys.executable} {HERE / 'agent_any.py'} {material}"
    sources = tuple(sorted((material / "sources").iterdir()))
    order = order_for(target, backend=backend, sources=sources, workflow="fix-and-ship", profile=profile, tools=tools)
    return Bench(folder).start(order, observers=(object_at_once,))


def verdicts(view: RunView, subject: str = "after") -> dict[str, str]:
    judged = [row for (_, of), row in view.judged.items() if of == subject]
    return {row.id: row.verdict for row in judged[-1].judgements}

"""Runs with one fault each: an honest run in which somebody does one thing that should not be done.

`faults.toml` says what is changed in what an honest author would hand in, and who must notice. A run is played by
scripted roles through the real engine, behind the real barrier, until somebody notices or it ends.

    python -m tests.corpus.cheats          the table: fault, who caught it, with which words
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from statsclaw.runlog.chain import Record
from statsclaw.runlog.events import (
    DispatchFailed,
    IsolationBreached,
    QuestionAsked,
    SignalRaised,
)
from statsclaw.runlog.fold import RunView
from tests.support.runs import AGENT, HONEST, Bench, make_target, order_for

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """`edits`: (file below honest/, old text, new text); an empty old text writes a new file."""

    name: str
    by: str
    edits: tuple[tuple[str, str, str], ...]
    caught_by: str
    says: str


@dataclass(frozen=True)
class Caught:
    """Who noticed first, and the words."""

    by: str
    words: str


class _Noticed(Exception):
    def __init__(self, caught: Caught) -> None:
        super().__init__(caught.words)
        self.caught = caught


def faults() -> Iterator[Fault]:
    for path in sorted(HERE.glob("faults*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
            edits = tuple((edit["file"], edit.get("old", ""), edit["new"]) for edit in row["edit"])
            yield Fault(row["name"], row["by"], edits, row["caught_by"], row["says"])


def noticed(record: Record, view: RunView) -> None:
    """The first event that is somebody's objection ends the run."""
    match record.event:
        case DispatchFailed() as event:
            raise _Noticed(Caught("hand-in", event.reason))
        case IsolationBreached() as event:
            raise _Noticed(Caught("barrier", "; ".join(f"{t.sign} {t.of} {t.evidence}" for t in event.traces)))
        case SignalRaised() as event if event.raised_by in ("contract", "suite", "verification", "review"):
            raise _Noticed(Caught(_CHECKS[event.raised_by], f"{event.message} {_judged(view)}"))
        case QuestionAsked() as event if event.topic in ("readings", "criterion"):
            raise _Noticed(Caught(event.topic, event.text))


_CHECKS = {"contract": "lint", "suite": "suite check", "verification": "judge", "review": "review"}


def _judged(view: RunView) -> str:
    """The criteria that failed, in the judge's own words: a builder is told less than this."""
    judged = view.judged.get((view.tree_sha256, "after"))
    failed = [row for row in judged.judgements if row.verdict == "FAIL"] if judged else []
    summaries = [row.summary for row in view.evidence_for(view.tree_sha256) if not row.passed]
    return " ".join([*(f"{row.id} FAIL {row.note}" for row in failed), *summaries])


def play(fault: Fault | None, folder: Path) -> tuple[Caught | None, RunView | None]:
    """Play a run with one fault, or an honest one; who objected first, or the end of the run."""
    material = folder / "honest"
    shutil.copytree(HONEST, material, ignore=shutil.ignore_patterns("__pycache__"))
    for file, old, new in fault.edits if fault else ():
        place = material / file
        text = place.read_text(encoding="utf-8") if place.exists() else ""
        if old and text.count(old) != 1:
            raise ValueError(
                f"{fault.name if fault else ''}: {file} has the old text {text.count(old)} times, not once"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace(old, new) if old else new, encoding="utf-8")
    backend = AGENT.replace(str(HONEST), str(material)) + " --good --no-hold"
    source = material / "sources" / "notes.md"
    order = order_for(make_target(folder), backend=backend, sources=(source,))
    try:
        view = Bench(folder).start(order, observers=(noticed,))
    except _Noticed as found:
        return found.caught, None
    return None, view


def main() -> int:
    missed = 0
    print("| fault | by | caught by | words |\n|---|---|---|---|")
    for fault in faults():
        with tempfile.TemporaryDirectory() as folder:
            caught, _ = play(fault, Path(folder))
        missed += caught is None
        words = " ".join(caught.words.split())[:160].replace("|", "\\|") if caught else ""
        print(f"| {fault.name} | {fault.by} | {caught.by if caught else 'NOBODY'} | {words} |", flush=True)
    print(f"\nnot caught: {missed}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs with one fault each: an honest run in which somebody does one thing that should not be done.

`faults*.toml` say what is changed in what an honest author would hand in, and who must notice. A run is played by
scripted roles through the real engine, behind the real barrier, until somebody notices or it ends.
`impossible.toml` names what can no longer be written down, and why; `names.txt` every name there ever was.

    python -m tests.corpus.cheats          the table: fault, who caught it, with which words; and both numbers
    python -m tests.corpus.cheats WORDS    only the faults whose names hold these words
"""

from __future__ import annotations

import re
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
    Finding,
    IsolationBreached,
    QuestionAsked,
    SignalRaised,
)
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import Observer
from statsclaw.runlog.store import ContentStore
from tests.support.runs import AGENT, HONEST, Bench, make_target, order_for

HERE = Path(__file__).parent
SCRIPT = HONEST.parent / "agent.py"


@dataclass(frozen=True)
class Edit:
    """One change in the copy of honest/, beside which the scripted role lies as agent.py.

    `old` stands there once and is replaced; without it a new file is written. `repeat`: so many times `new`.
    """

    file: str
    new: str
    old: str = ""
    repeat: int = 1

    def make(self, material: Path) -> None:
        place = material / self.file
        text = place.read_text(encoding="utf-8") if place.exists() else ""
        if self.old and text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {text.count(self.old)} times, not once")
        if not self.old and place.exists():
            raise ValueError(f"{self.file} is there already")
        place.parent.mkdir(parents=True, exist_ok=True)
        new = self.new * self.repeat
        place.write_text(text.replace(self.old, new) if self.old else new, encoding="utf-8")


@dataclass(frozen=True)
class Fault:
    """`caught_by`: who must be the first to object; "… warning" or "… note" where the run goes on and people
    are told, "named" where the audit says of the criterion or the study what cannot be decided by computation.

    `to`: the role that must be sent back, where that is not the one that cheats.
    `missed`: why it is not yet caught like that; a known weakness.
    """

    name: str
    by: str
    edits: tuple[Edit, ...]
    caught_by: str
    says: str
    to: str = ""
    missed: str = ""

    @property
    def only_told(self) -> bool:
        return self.caught_by.endswith((" warning", " note")) or self.caught_by == "named"


@dataclass(frozen=True)
class Impossible:
    """A cheat of former days that has no words any more; `why` in one sentence."""

    name: str
    by: str
    why: str


@dataclass(frozen=True)
class Caught:
    """Who noticed, the words, and the role that was sent back; nobody is where a person decides."""

    by: str
    words: str
    to: str = ""

    def as_it_should(self, fault: Fault) -> bool:
        right = self.by == fault.caught_by and self.to in ("", fault.to or fault.by)
        return right and re.search(fault.says, self.words) is not None


class _Noticed(Exception):
    def __init__(self, caught: Caught) -> None:
        super().__init__(caught.words)
        self.caught = caught


def faults() -> Iterator[Fault]:
    for path in sorted(HERE.glob("faults*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
            edits = tuple(Edit(**edit) for edit in row.pop("edit"))
            yield Fault(edits=edits, **row)


def impossible() -> list[Impossible]:
    rows = tomllib.loads((HERE / "impossible.toml").read_text(encoding="utf-8"))["impossible"]
    return [Impossible(**row) for row in rows]


def names() -> list[str]:
    """Every cheat there ever was: a line is added here, and none is taken away."""
    return (HERE / "names.txt").read_text(encoding="utf-8").splitlines()


def noticed(record: Record, view: RunView) -> None:
    """The first event that is somebody's objection ends the run."""
    match record.event:
        case DispatchFailed() as event:
            raise _Noticed(Caught("hand-in", event.reason, event.role))
        case IsolationBreached() as event:
            words = "; ".join(f"{t.sign} {t.of} {t.evidence}" for t in event.traces)
            raise _Noticed(Caught("barrier", words, event.role))
        case SignalRaised() as event if event.raised_by in _CHECKS:
            judged = f" {_judged(view)}" if event.raised_by == "verification" else ""
            raise _Noticed(Caught(_CHECKS[event.raised_by], event.message + judged, event.route_to or ""))
        case QuestionAsked() as event if event.topic in ("readings", "criterion"):
            raise _Noticed(Caught(event.topic, event.text))


_CHECKS = {"contract": "lint", "suite": "suite check", "verification": "judge", "review": "review"}


def _judged(view: RunView) -> str:
    """The criteria that failed, in the judge's own words: a builder is told less than this."""
    judged = view.judged.get((view.tree_sha256, "after"))
    failed = [row for row in judged.judgements if row.verdict == "FAIL"] if judged else []
    summaries = [row.summary for row in view.evidence_for(view.tree_sha256) if not row.passed]
    return " ".join([*(f"{row.id} FAIL {row.note}" for row in failed), *summaries])


def warnings_of(view: RunView, store: ContentStore) -> dict[str, str]:
    """What a run that went through was told by each of the computed checks."""
    rows: dict[str, tuple[Finding, ...]] = {
        "lint": view.checked.findings if view.checked else (),
        "suite": view.suite.findings if view.suite else (),
        "review": view.reviewed.findings if view.reviewed else (),
    }
    told = {
        f"{name} {severity}": "\n".join(row.message for row in found if row.severity == severity)
        for name, found in rows.items()
        for severity in ("warning", "note")
    }
    evidence = view.evidence_for(view.tree_sha256)
    outputs = [store.get_text(row.output_sha256) for row in evidence if row.phase == "study"]
    return told | {"named": "\n".join([*(row.summary for row in evidence if row.name == "ask"), *outputs])}


def play(fault: Fault | None, folder: Path, *also: Observer) -> tuple[Caught | None, RunView | None]:
    """Play a run with one fault, or an honest one; who objected first, or the end of the run. `also`: who looks on."""
    material = folder / "honest"
    shutil.copytree(HONEST, material, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SCRIPT, material / "agent.py")
    for edit in fault.edits if fault else ():
        edit.make(material)
    backend = AGENT.replace(str(SCRIPT), str(material / "agent.py")).replace(str(HONEST), str(material))
    source = material / "sources" / "notes.md"
    target = make_target(folder)
    order = order_for(target, backend=f"{backend} --good --no-hold", sources=(source,))
    try:
        view = Bench(folder).start(order, observers=(*also, noticed))
    except _Noticed as found:
        return found.caught, None
    if fault and fault.only_told:
        (run,) = Bench(folder).workspace.runs()
        return Caught(fault.caught_by, warnings_of(view, ContentStore(run.path / "store"))[fault.caught_by]), view
    return None, view


def main(words: str = "") -> int:
    caught, weak, wrong = 0, 0, 0
    print("| fault | by | caught by | words |\n|---|---|---|---|")
    for fault in faults():
        if words not in fault.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found, _ = play(fault, Path(folder))
        right = found is not None and found.as_it_should(fault)
        caught, weak = caught + right, weak + bool(not right and fault.missed)
        wrong += right == bool(fault.missed)
        print(f"| {fault.name} | {fault.by} | {_who(found, fault, right)} | {_shown(found, fault)} |", flush=True)
    former = [row for row in impossible() if words in row.name]
    for row in former:
        print(f"| {row.name} | {row.by} | impossible | {row.why} |")
    print(f"\ncaught: {caught}, impossible: {len(former)}, known and not caught: {weak}, otherwise than said: {wrong}")
    return 1 if wrong else 0


def _who(found: Caught | None, fault: Fault, right: bool) -> str:
    who = f"{found.by}{f' → {found.to}' if found.to else ''}" if found else "NOBODY"
    if right:
        return who
    return f"{who} (should be: {fault.caught_by}{f'; known: {fault.missed}' if fault.missed else ''})"


def _shown(caught: Caught | None, fault: Fault) -> str:
    """The words around those that name the fault."""
    if caught is None:
        return ""
    found = re.search(fault.says, caught.words)
    start = max(0, found.start() - 60) if found else 0
    return " ".join(caught.words[start : start + 200].split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))

"""What was built, by whom, from what, and what was sent back."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.report.ledger import Ledger
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import DispatchView

_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class FilesOfARole:
    """The files that a role left last. `rows`: path, place in the log, whether it was deleted."""

    role: str
    rows: tuple[tuple[str, int, bool], ...]

    @property
    def shown(self) -> tuple[tuple[str, int, bool], ...]:
        return self.rows[:_MOST_FILES]


@dataclass(frozen=True, slots=True)
class Worked:
    """A dispatch. `ended_at`: the line that ended it, 0 while it runs; `bytes_given`: None where that is not known."""

    view: DispatchView
    started_at: int
    ended_at: int
    bytes_given: int | None

    @property
    def documents(self) -> dict[str, str]:
        return self.view.started.sandbox.documents if self.view.started.sandbox else {}

    def mark(self, document: str) -> str:
        """● opened, ○ given and not opened, · given, where nobody could see what was opened."""
        if document not in self.documents:
            return ""
        opened = self.view.closed.opened if self.view.closed else None
        if opened is None:
            return "·"
        return "●" if document in opened else "○"


@dataclass(frozen=True, slots=True)
class SentBack:
    signal: e.SignalRaised
    at: int

    @property
    def told(self) -> str:
        return self.signal.message if self.signal.told is None else self.signal.told


@dataclass(frozen=True, slots=True)
class Work:
    files: tuple[FilesOfARole, ...]
    dispatches: tuple[Worked, ...]
    sent_back: tuple[SentBack, ...]
    breaches: tuple[tuple[int, e.IsolationBreached], ...]
    opened: tuple[tuple[int, e.ChannelOpened], ...]

    @property
    def documents(self) -> list[str]:
        return sorted({name for dispatch in self.dispatches for name in dispatch.documents})


def work_of(ledger: Ledger) -> Work:
    started = {event.dispatch: seq for seq, event in ledger.each(e.DispatchStarted)}
    ended = _endings(ledger)
    return Work(
        files=tuple(_files(ledger)),
        dispatches=tuple(
            Worked(view, started.get(name, 0), ended.get(name, 0), ledger.bytes_given.get(name))
            for name, view in ledger.view.dispatches.items()
        ),
        sent_back=tuple(SentBack(signal, seq) for signal, seq in ledger.view.signals),
        breaches=tuple(ledger.each(e.IsolationBreached)),
        opened=tuple(ledger.each(e.ChannelOpened)),
    )


def _endings(ledger: Ledger) -> dict[str, int]:
    found: dict[str, int] = {}
    for record in ledger.records:
        match record.event:
            case (
                e.DispatchFinished(dispatch=str(name))
                | e.DispatchFailed(dispatch=str(name))
                | e.DispatchInterrupted(dispatch=str(name))
                | e.IsolationBreached(dispatch=str(name))
                | e.SignalRaised(dispatch=str(name))
            ):
                found[name] = record.seq
            case _:
                pass
    return found


def _files(ledger: Ledger) -> list[FilesOfARole]:
    last: dict[str, tuple[str, int, bool]] = {}
    for seq, event in ledger.each(e.DispatchFinished):
        last |= {change.path: (event.role, seq, change.sha256 is None) for change in event.files}
    roles = dict.fromkeys(role for role, _, _ in last.values())
    return [
        FilesOfARole(role, tuple((path, seq, gone) for path, (by, seq, gone) in sorted(last.items()) if by == role))
        for role in roles
    ]

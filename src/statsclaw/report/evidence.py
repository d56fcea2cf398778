"""The appendix: one entry for every line of the log that a figure of the page comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from statsclaw.report.ledger import Ledger
from statsclaw.report.wording import last_lines, moment, one_line
from statsclaw.runlog import events as e
from statsclaw.runlog.chain import Record

_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_HASHES = 40
#: What a sandbox showed of the machine, which says nothing to somebody on another one.
_OF_THE_MACHINE = {"sandbox": {"mounts"}}


@dataclass(frozen=True, slots=True)
class Entry:
    """`hashes`: what they are of, and the hashes that the line names. `output`: of a command, its end."""

    seq: int
    at: str
    kind: str
    sha256: str
    says: str
    hashes: tuple[tuple[str, str], ...]
    left_out: int
    output: str


def entries(ledger: Ledger, cited: Collection[int]) -> list[Entry]:
    return [_entry(ledger, record) for record in ledger.records if record.seq in cited]


def _entry(ledger: Ledger, record: Record) -> Entry:
    found = list(_hashes("", record.event.model_dump(mode="json", exclude=_OF_THE_MACHINE)))
    return Entry(
        seq=record.seq,
        at=moment(record.at),
        kind=record.event.kind,
        sha256=record.hash,
        says=_says(record.event),
        hashes=tuple(found[:_MOST_HASHES]),
        left_out=max(0, len(found) - _MOST_HASHES),
        output=last_lines(ledger.text(record.event.output_sha256))
        if isinstance(record.event, e.CommandExecuted)
        else "",
    )


def _hashes(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Every hash inside an event, with the way to it."""
    if isinstance(value, str):
        if _HASH.fullmatch(value):
            yield one_line(name, 200), value
    elif isinstance(value, dict):
        label = value.get("path") or value.get("name")
        for key, part in value.items():
            inner = f"{name} {label}" if key == "sha256" and isinstance(label, str) and name else f"{name} {key}"
            yield from _hashes(inner.strip(), part)
    elif isinstance(value, list):
        for part in value:
            yield from _hashes(name, part)


def _says(event: e.Event) -> str:
    match event:
        case e.CommandExecuted():
            return one_line(f"{event.phase}: {event.name}, exit status {event.exit_code}: {event.summary}")
        case e.CriteriaJudged():
            passed = sum(row.verdict == "PASS" for row in event.judgements)
            return f"{passed} of {len(event.judgements)} criteria PASS ({event.subject})"
        case e.QuestionAsked():
            return one_line(f"{event.question}: {event.text}", 160)
        case e.QuestionAnswered():
            option = f"option {event.choice + 1}" if event.choice is not None else ""
            return one_line(f"{event.question}: {' '.join(part for part in (option, event.text) if part)}", 160)
        case e.DispatchStarted() | e.DispatchFinished() | e.DispatchFailed() | e.DispatchInterrupted():
            return one_line(event.dispatch)
        case e.SignalRaised():
            return one_line(f"{event.signal} by {event.raised_by} to {event.route_to}")
        case e.ReviewComputed():
            return f"{event.verdict}, {len(event.findings)} findings"
        case _:
            return ""

"""A line of the log: sequence number, time, hash of the line before, event, own hash.

The hash is taken over the bytes as they stand in the file, so nothing depends on how JSON is spelled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from statsclaw.errors import LogDamaged
from statsclaw.runlog.events import AnyEvent, Event
from statsclaw.runlog.migrations import LOG_VERSION, migrated, version_of

GENESIS = "0" * 64
_HASH_FIELD = b',"hash":"'
_TAIL_LENGTH = len(_HASH_FIELD) + 64 + len(b'"}')
_EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


@dataclass(frozen=True, slots=True)
class Record:
    """An event in its place."""

    seq: int
    at: datetime
    prev: str
    hash: str
    event: AnyEvent


def encode(seq: int, at: datetime, prev: str, event: Event) -> tuple[bytes, str]:
    """The line for `event`, newline included, and its hash."""
    stamp = at.astimezone(UTC).isoformat(timespec="milliseconds")
    body = f'{{"seq":{seq},"at":"{stamp}","prev":"{prev}","event":{event.model_dump_json()}'.encode()
    digest = hashlib.sha256(body).hexdigest()
    return body + _HASH_FIELD + digest.encode() + b'"}\n', digest


def decode(line: bytes, number: int, prev: str, version: int = LOG_VERSION) -> Record:
    """The record in `line`, which must be line `number` and follow the line with hash `prev`.

    `version`: of the log, where an earlier StatsClaw may have written the line; the event is migrated.
    """
    body, tail = line[:-_TAIL_LENGTH], line[-_TAIL_LENGTH:]
    digest = hashlib.sha256(body).hexdigest()
    if tail != _HASH_FIELD + digest.encode() + b'"}':
        raise LogDamaged(f"line {number} of the log was altered", number)
    try:
        fields = json.loads(line)
        record = Record(
            seq=fields["seq"],
            at=datetime.fromisoformat(fields["at"]),
            prev=fields["prev"],
            hash=digest,
            event=_EVENT.validate_python(migrated(fields["event"], version)),
        )
    except (ValueError, KeyError, TypeError, ValidationError, RecursionError) as error:
        raise LogDamaged(f"line {number} of the log is not an event of this version", number) from error
    if record.seq != number or record.prev != prev:
        raise LogDamaged(
            f"line {number} of the log does not follow the line before it: lines were removed, added or reordered",
            number,
        )
    return record


@dataclass(frozen=True, slots=True)
class ReadLog:
    """The whole lines of a log, and what follows the last newline (a line cut short by a crash)."""

    records: tuple[Record, ...]
    torn: bytes
    whole_bytes: int

    @property
    def last_hash(self) -> str:
        return self.records[-1].hash if self.records else GENESIS


def read(path: Path) -> ReadLog:
    """Read and verify the log; LogDamaged names the first line that is wrong."""
    data = path.read_bytes()
    cut = data.rfind(b"\n") + 1
    return ReadLog(records=tuple(_records(data[:cut])), torn=data[cut:], whole_bytes=cut)


def _records(data: bytes) -> Iterator[Record]:
    prev, version = GENESIS, LOG_VERSION
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        if number == 1:
            version = _version_in(line)
        record = decode(line, number, prev, version)
        prev = record.hash
        yield record


def _version_in(line: bytes) -> int:
    """What the first line says; of a line that is no event, `decode` will say so."""
    try:
        return version_of(json.loads(line)["event"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return LOG_VERSION


# The head file says how far the log once reached; without it, lines cut off the end would leave no trace.


def write_head(path: Path, seq: int, digest: str) -> None:
    path.write_text(f"{seq:020d} {digest}\n", encoding="ascii")


def read_head(path: Path) -> tuple[int, str] | None:
    try:
        seq, digest = path.read_text(encoding="ascii").split()
        return int(seq), digest
    except (OSError, ValueError):
        return None


def check_head(log: ReadLog, head: tuple[int, str] | None) -> None:
    """Raise if the log ends before the line that the head file names, or has another line there."""
    if head is None:
        return
    seq, digest = head
    if seq > len(log.records):
        missing = f"{len(log.records) + 1}" if seq == len(log.records) + 1 else f"{len(log.records) + 1}–{seq}"
        raise LogDamaged(
            f"the log was cut: line {missing} of {seq} is missing",
            len(log.records) + 1,
            kept=f"the {len(log.records)} lines before it are intact",
            todo="restore the log from the workspace's history, or go on without what was cut: `statsclaw log repair`",
        )
    if seq and log.records[seq - 1].hash != digest:
        raise LogDamaged(f"line {seq} of the log was replaced", seq)

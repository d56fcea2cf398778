"""The append-only log of a run: the only thing that is the run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from statsclaw.errors import InputRefused, LogDamaged
from statsclaw.runlog import chain
from statsclaw.runlog.events import Event, LogRepaired
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.lock import FileLock
from statsclaw.runlog.store import cannot_write, sha256, write_durably

EVENTS, HEAD, LOCK = "events.jsonl", "head", "lock"

Observer = Callable[[chain.Record, RunView], None]
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class RunLog:
    """Open for writing: holds the run's lock until closed. Appending is safe from several threads."""

    def __init__(self, folder: Path, *, clock: Clock = utc_now) -> None:
        self.folder = folder
        self.clock = clock
        self.observers: list[Observer] = []
        self.view = RunView()
        self.repaired = False
        self._guard = threading.RLock()
        self._last: chain.Record | None = None
        self._lock = FileLock(folder / LOCK)
        self._fd = -1

    @classmethod
    def create(cls, folder: Path, *, clock: Clock = utc_now) -> RunLog:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise InputRefused(f"a run named {folder.name} exists already") from None
        except OSError as error:
            raise cannot_write(folder.parent, error) from error
        (folder / EVENTS).touch()
        return cls.open(folder, clock=clock)

    @classmethod
    def open(cls, folder: Path, *, clock: Clock = utc_now, accept_loss: bool = False) -> RunLog:
        """Take the run over: verify every line, cut a torn one off, fold the rest."""
        log = cls(folder, clock=clock)
        try:
            log._lock.acquire()
        except OSError as error:
            raise cannot_write(folder, error) from error
        try:
            log._load(accept_loss)
        except BaseException:
            log._lock.release()
            raise
        return log

    def _load(self, accept_loss: bool) -> None:
        path = self.folder / EVENTS
        found = chain.read(path)
        head = chain.read_head(self.folder / HEAD)
        lost = max(0, head[0] - len(found.records)) if head else 0
        if not (lost and accept_loss):
            _explain_damage(found, head, self.folder.name)
        for record in found.records:
            self.view.apply(record)
        self._last = found.records[-1] if found.records else None
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        if found.torn or lost:
            kept_as = f"torn-after-{len(found.records)}-{sha256(found.torn)[:8]}.bin"
            write_durably(self.folder / kept_as, found.torn)
            os.ftruncate(self._fd, found.whole_bytes)
            chain.write_head(self.folder / HEAD, len(found.records), found.last_hash)
            self.repaired = True
            self.append(LogRepaired(cut_bytes=len(found.torn), lost_lines=lost, kept_as=kept_as))

    def append(self, event: Event) -> chain.Record:
        """Write, sync, fold, tell the observers, in this order."""
        with self._guard:
            last = self._last
            seq, prev = (last.seq + 1, last.hash) if last else (1, chain.GENESIS)
            now = self.clock()
            at = max(now, last.at) if last else now  # a clock that goes back does not reorder the log
            line, digest = chain.encode(seq, at, prev, event)
            record = chain.decode(line[:-1], seq, prev)
            self.view.check(record)
            self._write(line, seq, digest)
            self._last = record
            self.view.apply(record)
            for observer in self.observers:
                observer(record, self.view)
            return record

    def _write(self, line: bytes, seq: int, digest: str) -> None:
        """The line and the head that names it, or neither."""
        size = os.fstat(self._fd).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(self._fd, line[written:])
            os.fsync(self._fd)
            chain.write_head(self.folder / HEAD, seq, digest)
        except OSError as error:
            os.ftruncate(self._fd, size)
            raise cannot_write(self.folder, error) from error

    @property
    def last_seq(self) -> int:
        return self._last.seq if self._last else 0

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._lock.release()

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _explain_damage(found: chain.ReadLog, head: tuple[int, str] | None, run_id: str) -> None:
    try:
        chain.check_head(found, head)
    except LogDamaged as damage:
        raise LogDamaged(
            damage.happened,
            damage.line_number,
            kept=f"the {len(found.records)} lines before it are intact",
            todo=f"restore the log from the workspace's history, or go on without what was cut: "
            f"`statsclaw log repair {run_id}`",
        ) from None


def read_view(folder: Path) -> RunView:
    """The state of a run for somebody who only looks: no lock, a torn last line ignored."""
    view = RunView()
    for record in chain.read(folder / EVENTS).records:
        view.apply(record)
    return view


def verify(folder: Path) -> int:
    """The number of lines, all intact; otherwise LogDamaged names the first that is not."""
    found = chain.read(folder / EVENTS)
    chain.check_head(found, chain.read_head(folder / HEAD))
    if found.torn:
        number = len(found.records) + 1
        raise LogDamaged(f"line {number} of the log was cut in the middle", number)
    return len(found.records)

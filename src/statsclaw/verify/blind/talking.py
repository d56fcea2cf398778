"""A conversation with a program behind the barrier, by two named pipes in a folder of its own."""

from __future__ import annotations

import fcntl
import os
import secrets
import select
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from statsclaw.errors import StatsClawError
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.process import Completed, end_leftover
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra

_SHORT_S = 0.05
_TRIES = 100
#: What a pipe holds, where the kernel allows it: most replications as a whole.
_PIPE_BYTES = 1 << 18
_PROBE = 256 * 1024
#: Numbers of calls, as every language has them. A step that is odd meets each of them once.
_MOST_NUMBERS = 2**31


class Silent(Exception):
    """No answer came; the message says why."""


def _room_is_left(folder: Path) -> None:
    """A program may have ended because the disk is full: that is the machine's, not the program's fault (OSError)."""
    place = folder.parent / "room"
    place.write_bytes(b"\0" * _PROBE)
    place.unlink()


class Conversation:
    """Starts a program, sends values and receives values until the block ends.

    `folder` is shown to the program and holds the pipes `questions` and `answers`, which are opened here before the
    program begins: what it later does to their names does not matter.
    """

    def __init__(self, confinement: Confinement, folder: Path, env: Mapping[str, str]) -> None:
        self.confinement, self.folder, self.env = confinement, folder, env
        self.done: list[Completed] = []
        self.refused: StatsClawError | OSError | None = None
        self.thread: threading.Thread | None = None
        self.buffer, self.held = bytearray(), bytearray()
        self.numbers: dict[int, int] = {}
        self.last, self.step = secrets.randbelow(_MOST_NUMBERS), 2 * secrets.randbelow(_MOST_NUMBERS // 2) + 1

    def start(self, argv: Sequence[str]) -> Conversation:
        for name in ("questions", "answers"):
            (self.folder / name).unlink(missing_ok=True)
            os.mkfifo(self.folder / name, 0o600)
        flags = os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        self.to, self.back = (os.open(self.folder / name, flags) for name in ("questions", "answers"))
        for handle in (self.to, self.back):
            with suppress(OSError):
                fcntl.fcntl(handle, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self.confinement.desk.mkdir(parents=True, exist_ok=True)
        self.thread = threading.Thread(target=self._run, args=(argv,), daemon=True)
        self.thread.start()
        return self

    def _run(self, argv: Sequence[str]) -> None:
        try:
            self.done.append(self.confinement.run(argv, self.env))
        except (StatsClawError, OSError) as refused:
            self.refused = refused  # told to whoever waits for an answer

    @property
    def output(self) -> str:
        return self.done[0].output.decode("utf-8", "replace") if self.done else ""

    def ask(self, request: Mapping[str, Any], limit_s: float) -> Any:
        """A call and its answer. On the way it has a number of this conversation, which no program can foresee."""
        own = request["id"]
        self.last = self.numbers[own] = (self.last + self.step) % _MOST_NUMBERS
        self.send(self._hidden(dict(request)) | {"id": self.last}, limit_s)
        reply = self.receive(limit_s)
        if isinstance(reply, dict) and type(reply.get("id")) is int:
            reply["id"] = own if reply["id"] == self.last else None
        return reply

    def _hidden(self, node: Any) -> Any:
        """With the numbers of this conversation where it names the answers of earlier calls."""
        if isinstance(node, Extra):
            if node.kind != "answer":
                return Extra(node.kind, self._hidden(node.value))
            return Extra("answer", {**node.value, "call": self.numbers.get(node.value["call"], -1)})
        if isinstance(node, dict):
            return {name: self._hidden(part) for name, part in node.items()}
        if isinstance(node, list) and any(type(part) in (Extra, dict, list) for part in node):
            return [self._hidden(part) for part in node]
        return node

    def send_later(self, value: Any) -> None:
        """What is not answered need not wake anybody: it goes before what is sent next."""
        self.held += wire.framed(value)

    def send(self, value: Any, limit_s: float) -> None:
        data = memoryview(self.held + wire.framed(value))
        self.held = bytearray()
        until = time.monotonic() + limit_s
        while data:
            try:
                data = data[os.write(self.to, data[:_PIPE_BYTES]) :]
                ready = True
            except BlockingIOError:
                ready = bool(select.select([], [self.to], [], _SHORT_S)[1])
            self._look(until, limit_s, waiting=not ready)

    def receive(self, limit_s: float) -> Any:
        until = time.monotonic() + limit_s
        while True:
            if len(self.buffer) >= 8:
                (size,) = struct.unpack("<q", self.buffer[:8])
                if not 0 <= size <= wire.LARGEST_FRAME:
                    raise Silent("it wrote what is no answer")
                if len(self.buffer) >= 8 + size:
                    with memoryview(self.buffer) as view:
                        data = bytes(view[8 : 8 + size])
                    del self.buffer[: 8 + size]
                    return self._decoded(data)
            ready, _, _ = select.select([self.back], [], [], _SHORT_S)
            if ready:
                self.buffer += os.read(self.back, _PIPE_BYTES)
            self._look(until, limit_s, waiting=not ready)

    def _decoded(self, data: bytes) -> Any:
        try:
            return wire.decode(data)
        except (ValueError, RecursionError, MemoryError):
            raise Silent("it wrote what is no answer") from None

    def _look(self, until: float, limit_s: float, *, waiting: bool) -> None:
        """Is it still there, and is there still time? Also of one that says a little now and then."""
        assert self.thread is not None
        if waiting and not self.thread.is_alive():
            if self.refused is not None:
                raise self.refused
            _room_is_left(self.folder)
            why = self.done[0].ended_by if self.done else ""
            code = self.done[0].exit_code if self.done else 0
            raise Silent(why or f"its process ended (exit status {code})")
        if time.monotonic() > until:
            raise Silent(f"it took longer than {limit_s:.0f} s")

    def finish(self, patience_s: float = 10.0) -> None:
        """Let it end by itself, so that it can write what it has to; not for longer than that."""
        with suppress(Silent):
            self.send({"do": "end"}, patience_s)
        if self.thread is not None:
            self.thread.join(timeout=patience_s)
        self.end()

    def end(self) -> None:
        """Leave nothing of it behind, also of one that is only about to start."""
        for _ in range(_TRIES):
            end_leftover(self.confinement.desk / "pid")
            if self.thread is None:
                break
            self.thread.join(timeout=_SHORT_S)
            if not self.thread.is_alive():
                break
        for handle in (self.to, self.back):
            os.close(handle)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

"""One long-lived process in another language: everything said to it and heard from it has a deadline.

What it prints beside the conversation goes to a file, so it can neither block nor be mistaken for an answer.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from statsclaw.montecarlo.batch import Status
from statsclaw.montecarlo.design import StudyRefused
from statsclaw.montecarlo.executors.starting import ENVIRONMENT, FROM_OUTSIDE

_ONE_THREAD = {
    **ENVIRONMENT,
    **dict.fromkeys(("RCPP_PARALLEL_NUM_THREADS", "R_DATATABLE_NUM_THREADS", "MC_CORES"), "1"),
    "LANGUAGE": "en",
}
MOST_TEXT = 4000
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1
_LOOK_S = 0.2  # how often an idle wait looks whether the process is alive: others may hold its pipes open
_READ = 1 << 18
_SHORTEST_NAP_S, _LONGEST_NAP_S = 0.0005, 0.05


class ProgramEnded(Exception):
    """The process died, was killed for its silence, or said what cannot be understood. It has to be started again."""

    def __init__(self, status: Status, reason: str, *, from_outside: bool = False) -> None:
        super().__init__(reason)
        self.status, self.reason, self.from_outside = status, reason, from_outside


class ProgramProcess:
    """`argv` is given the numbers of the two descriptors and the path of the file it prints to; where `plain`, it
    talks on standard input and output instead, and only standard error goes to the file."""

    def __init__(
        self, argv: Callable[[int, int, Path], Sequence[str]], *, folder: Path | None, plain: bool = False
    ) -> None:
        self._scratch = Path(tempfile.mkdtemp(prefix="statsclaw-mc-"))
        self.printed = self._scratch / "printed"
        there_in, self._say = os.pipe()
        self._hear, there_out = os.pipe()
        self._heard = bytearray()
        command = list(argv(there_in, there_out, self.printed))
        try:
            # O_APPEND: the file is emptied while the process holds it open
            with self.printed.open("ab") as printed:
                self._process = subprocess.Popen(
                    command,
                    stdin=there_in if plain else subprocess.DEVNULL,
                    stdout=there_out if plain else printed,
                    stderr=printed,
                    pass_fds=() if plain else (there_in, there_out),
                    cwd=folder,
                    env={**os.environ, **_ONE_THREAD},
                    start_new_session=True,
                    # a thread that ends would take the process with it
                    preexec_fn=_end_with_parent if threading.current_thread() is threading.main_thread() else None,
                )
        except OSError as error:
            self._close_files()
            raise StudyRefused(f"{command[0]} cannot be started: {error.strerror or error}.") from None
        finally:
            os.close(there_in)
            os.close(there_out)
        # on Linux: a program that sends draws need not wait until they are read
        with contextlib.suppress(AttributeError, OSError):
            fcntl.fcntl(self._hear, fcntl.F_SETPIPE_SZ, 1 << 20)
        os.set_blocking(self._say, False)
        os.set_blocking(self._hear, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def say(self, message: bytes, limit_s: float) -> None:
        """All of it, within `limit_s` seconds."""
        deadline, left = time.monotonic() + limit_s, memoryview(message)
        while left:
            with contextlib.suppress(BlockingIOError):
                try:
                    left = left[os.write(self._say, left) :]
                except BrokenPipeError:
                    raise self._dead() from None
            if left:
                self._wait(self._say, select.POLLOUT, deadline, "did not read what it was asked")

    def hear(self, size: int, deadline: float) -> bytes:
        """The next `size` bytes."""
        while len(self._heard) < size:
            self._fill(deadline)
        return self._take(size)

    def nap(self, seconds: float) -> None:
        """Lets answers gather where many are still to come: to be woken by every one costs more than to read it."""
        if not self._heard and seconds > _SHORTEST_NAP_S:
            time.sleep(min(seconds, _LONGEST_NAP_S))

    def hear_line(self, deadline: float, most: int) -> bytes:
        """The next line, without its end."""
        looked = 0
        while (end := self._heard.find(b"\n", looked)) < 0:
            looked = len(self._heard)
            if looked > most:
                raise self._absurd(f"wrote {looked} bytes without the end of a line")
            self._fill(deadline)
        return self._take(end + 1)[:-1]

    def print_out(self) -> str:
        """What it printed since the last time, start and end of it."""
        with contextlib.suppress(OSError), self.printed.open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            text = file.read(MOST_TEXT // 2)
            if size > MOST_TEXT:
                text += b"\n[... %d bytes left out ...]\n" % (size - MOST_TEXT)
                file.seek(size - MOST_TEXT // 2)
            text += file.read(MOST_TEXT // 2)
            file.truncate(0)
            return text.decode("utf-8", "replace").strip()
        return ""

    def absurd(self, what: str) -> ProgramEnded:
        """The end of a process that `what` ("said …"); the caller raises it."""
        return self._absurd(what)

    def close(self, *, patience_s: float = 0.0) -> None:
        """Its input ends; whatever of it still runs after `patience_s` seconds is killed."""
        os.close(self._say)
        if patience_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        self._kill()
        os.close(self._hear)
        self._close_files()

    def _take(self, size: int) -> bytes:
        message = bytes(self._heard[:size])
        del self._heard[:size]
        return message

    def _fill(self, deadline: float) -> None:
        try:
            read = os.read(self._hear, _READ)
        except BlockingIOError:
            self._wait(self._hear, select.POLLIN, deadline, "gave no answer")
            return
        if not read:
            raise self._dead()
        self._heard += read

    def _wait(self, descriptor: int, event: int, deadline: float, silence: str) -> None:
        """Until the descriptor is ready. The process is killed at the deadline."""
        poll = select.poll()
        poll.register(descriptor, event)
        asked = time.monotonic()
        while not poll.poll(1000 * max(0.0, min(_LOOK_S, deadline - time.monotonic()))):
            if self._process.poll() is not None and not poll.poll(0):
                raise self._dead()
            if time.monotonic() >= deadline:
                self._kill()
                waited = time.monotonic() - asked
                raise ProgramEnded(Status.TIMEOUT, self._with_print(f"It {silence} for {waited:.3g} s and was killed."))

    def _absurd(self, what: str) -> ProgramEnded:
        self._kill()
        return ProgramEnded(Status.EXCEPTION, self._with_print(f"The program {what}; it was started anew."))

    def _dead(self) -> ProgramEnded:
        """The pipe is closed: the process has ended, or has at least closed it."""
        closed_only = False
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            closed_only, code = True, 0
        self._kill()
        if closed_only:
            how = "The program closed its output without having answered."
        elif code < 0:
            how = f"The process was killed by {_signal_name(-code)}."
        else:
            how = f"The process ended by itself with exit status {code}."
        from_outside = not closed_only and -code in FROM_OUTSIDE
        return ProgramEnded(Status.DIED, self._with_print(how), from_outside=from_outside)

    def _with_print(self, reason: str) -> str:
        printed = self.print_out()
        return f"{reason}\nIt printed:\n{printed}" if printed else reason

    def _kill(self) -> None:
        """With everything it started: it leads a process group of its own."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _close_files(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)


def _end_with_parent() -> None:
    """Runs in the process between fork and exec: however the worker ends, its program does not outlive it."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

"""Running a program with bounded output and time, and leaving nothing of it behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from statsclaw.sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class Completed:
    exit_code: int
    output: bytes
    elapsed_s: float
    ended_by: str = ""  # why the engine ended it, if it did


End = Callable[[str], None]

#: Called with the process number once the program has started, and with the way to end it; closed when it has ended.
Attendant = Callable[[int, End], AbstractContextManager[object]]


def run_program(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limits: Limits,
    stdin: bytes = b"",
    pid_file: Path | None = None,
    pass_fds: Sequence[int] = (),
    attend: Attendant = lambda pid, end: nullcontext(),
    own_namespace: bool = False,
) -> Completed:
    """Run `argv` in its own process group; kill the whole group when it ends, times out or prints too much.

    `own_namespace`: whatever it starts ends with it, so that nobody has to look for what it left behind.
    """
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    except OSError as error:
        return Completed(127, f"{argv[0]}: {error.strerror}\n".encode(), 0.0, "")
    _ALIVE.add(process.pid)
    if pid_file:
        pid_file.write_text(f"{process.pid} {_start_time(process.pid)}\n", encoding="ascii")
    why: list[str] = []
    kill = _kill_processes if own_namespace else _kill_group

    def end(reason: str) -> None:
        why.append(reason)
        kill(process.pid)

    collector = _Collector(process, limits, end)
    threading.Thread(target=_feed, args=(process, stdin), daemon=True).start()
    collector.start()
    try:
        with attend(process.pid, end):
            if not _ended(process, limits.timeout_s):
                end(f"it took longer than {limits.timeout_s:.0f} s")
            process.wait()
    finally:
        kill(process.pid)  # what the program started and left behind
        _ALIVE.discard(process.pid)
        collector.join(timeout=2)
        if pid_file:
            pid_file.unlink(missing_ok=True)
    return Completed(process.returncode, collector.output(), time.monotonic() - start, why[0] if why else "")


#: Leaders of the process groups that are running now.
_ALIVE: set[int] = set()


def end_all() -> None:
    """End every program this process has running, when the person interrupts."""
    for pid in tuple(_ALIVE):
        _kill_group(pid)


def end_leftover(pid_file: Path) -> None:
    """End a program whose engine was killed, if it is still the same program."""
    try:
        pid, started = pid_file.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return
    if started != "unknown" and _start_time(int(pid)) == started:
        _kill_group(int(pid))
    pid_file.unlink(missing_ok=True)


def _start_time(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return "unknown"


def _ended(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """Wait for the end without asking again and again, where the kernel can tell."""
    try:
        handle = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout_s)
        return process.poll() is not None
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))
    finally:
        os.close(handle)


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError), process.stdin:
        process.stdin.write(data)


class _Collector(threading.Thread):
    """Keeps the beginning and the end of what a program prints, whatever the amount."""

    def __init__(self, process: subprocess.Popen[bytes], limits: Limits, end: End) -> None:
        super().__init__(daemon=True)
        assert process.stdout is not None
        self.pipe, self.limits, self.end = process.stdout, limits, end
        self.half = limits.kept_output_bytes // 2
        self.head, self.tail, self.total = bytearray(), bytearray(), 0

    def run(self) -> None:
        with self.pipe:
            while chunk := os.read(self.pipe.fileno(), 65536):
                self.total += len(chunk)
                room = max(0, self.half - len(self.head))
                self.head += chunk[:room]
                self.tail += chunk[room:]
                if len(self.tail) > 2 * self.half:
                    del self.tail[: -self.half]
                if self.total > self.limits.output_bytes:
                    self.end(f"it printed more than {self.limits.output_bytes} bytes")
                    return

    def output(self) -> bytes:
        head, tail = bytes(self.head), bytes(self.tail[-self.half :])
        return _joined(head, self.total - len(head) - len(tail), tail)


def without_middle(output: bytes, most: int) -> bytes:
    """The beginning and the end, as of a program that printed too much to be kept."""
    if len(output) <= most:
        return output
    return _joined(output[: most // 2], len(output) - most // 2 * 2, output[-(most // 2) :])


def _joined(head: bytes, left_out: int, tail: bytes) -> bytes:
    middle = f"\n… {left_out} bytes left out …\n".encode() if left_out > 0 else b""
    return head + middle + tail


def _kill_group(pid: int) -> None:
    """End the program's process group and whatever else is left of its session."""
    _kill_processes(pid)
    for other in running_processes():
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(Path(f"/proc/{other}/stat").read_text().rsplit(")", 1)[1].split()[3]) == pid:
                os.kill(other, signal.SIGKILL)


def running_processes() -> list[int]:
    """Whoever is there just now; by the names alone, since looking closer is an error for one that ends meanwhile."""
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208


def _kill_processes(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)

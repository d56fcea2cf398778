"""What a role opens of the documents it was given, seen from outside through the kernel's file notifications."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import threading
from pathlib import Path

_OPEN, _ONLY_FOLDER, _OVERFLOW = 0x20, 0x01000000, 0x4000
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC
_HEADER = struct.Struct("iIII")


class Readings:
    """Use as a context while the role works. `opened` names the files below `folder` that were opened."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.opened, self.complete = folder, set[str](), True
        self._fd, self._names = -1, dict[int, str]()
        self._stop_read, self._stop_write = -1, -1
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Readings:
        libc = ctypes.CDLL(None, use_errno=True)
        if not hasattr(libc, "inotify_init1"):
            self.complete = False
            return self
        self._fd = libc.inotify_init1(_NONBLOCK | _CLOEXEC)
        if self._fd < 0:
            self.complete = False
            return self
        for folder in [self.folder, *(path for path in self.folder.rglob("*") if path.is_dir())]:
            watch = libc.inotify_add_watch(self._fd, os.fsencode(folder), _OPEN | _ONLY_FOLDER)
            self.complete &= watch >= 0
            self._names[watch] = "" if folder == self.folder else folder.relative_to(self.folder).as_posix() + "/"
        self._stop_read, self._stop_write = os.pipe2(_CLOEXEC)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            os.write(self._stop_write, b".")
            self._thread.join()
            self._take()
            for fd in (self._fd, self._stop_read, self._stop_write):
                os.close(fd)

    def _listen(self) -> None:
        while True:
            ready, _, _ = select.select([self._fd, self._stop_read], [], [])
            if self._stop_read in ready:
                return
            self._take()

    def _take(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    self.complete = False
                return
            at = 0
            while at < len(data):
                watch, mask, _, length = _HEADER.unpack_from(data, at)
                name = data[at + _HEADER.size : at + _HEADER.size + length].rstrip(b"\0")
                at += _HEADER.size + length
                if mask & _OVERFLOW:
                    self.complete = False
                elif name and not mask & 0x40000000:  # not a folder
                    self.opened.add(self._names.get(watch, "") + os.fsdecode(name))

"""Reading and writing where a confined program could write: no link is followed, nothing is believed."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from pathlib import Path


def read_left_behind(place: Path, most_bytes: int) -> bytes | None:
    """What a confined program left in a file; None for a link, a pipe or a device, and for what is too large."""
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
            return None
        with os.fdopen(os.dup(fd), "rb") as file:
            data = file.read(most_bytes + 1)
    except OSError:
        return None
    finally:
        os.close(fd)
    return data if len(data) <= most_bytes else None


def json_left_behind(place: Path, most_bytes: int) -> object:
    """The same read as JSON; None for what is not JSON, too."""
    data = read_left_behind(place, most_bytes)
    try:
        return None if data is None else json.loads(data)
    except (ValueError, RecursionError):
        return None


def write_among_left_behind(folder: Path, path: str, data: bytes, mode: int = 0o644) -> None:
    """A new file below a folder. A file or link in its place is replaced; a link among its parents is an OSError."""
    *parents, name = path.split("/")
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parents:
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, dir_fd=here)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=here)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, mode, dir_fd=here), "wb") as file:
            file.write(data)
    finally:
        os.close(here)

"""One run at a time in a folder of results. The lock ends with the process that holds it, however it ends."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statsclaw.errors import RunLocked

NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Refuses with one line while another process runs there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / NAME).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunLocked(
                f"{_holder(folder)} is running this study in {folder}",
                kept="nothing was changed",
                todo="wait for it or stop it (Ctrl-C keeps what it has), or give another folder with --out",
            ) from None
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def is_locked(folder: Path) -> bool:
    try:
        with (folder / NAME).open("r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _holder(folder: Path) -> str:
    try:
        held = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return f"process {held['pid']} on {held['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"

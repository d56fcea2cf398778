"""Artifacts, files and outputs kept by the hash of their content, beside the log."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statsclaw.errors import LogDamaged, MachineRefused

_DIGEST = re.compile(r"[0-9a-f]{64}")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class ContentStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise LogDamaged(f"{digest[:20]!r} is not the name of stored content", 0)
        return self.folder / digest[:2] / digest[2:]

    def put(self, data: bytes) -> str:
        """Keep `data`; on return it is on the disk under its hash."""
        digest = sha256(data)
        path = self.path(digest)
        if not path.exists():
            write_durably(path, data)
        return digest

    def put_text(self, text: str) -> str:
        return self.put(text.encode("utf-8", "replace"))

    def get(self, digest: str) -> bytes:
        path = self.path(digest)
        if not path.is_file():  # a pipe would be waited for
            raise LogDamaged(f"the stored content {digest[:12]}… is gone", 0, todo="restore the run's folder")
        data = path.read_bytes()
        if sha256(data) != digest:
            raise LogDamaged(f"the stored content {digest[:12]}… was altered", 0, todo="restore the run's folder")
        return data

    def get_text(self, digest: str) -> str:
        return self.get(digest).decode("utf-8", "replace")

    def __contains__(self, digest: str) -> bool:
        return self.path(digest).exists()


def write_durably(path: Path, data: bytes) -> None:
    """Write all of `data` under `path` or nothing, and have it on the disk on return."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot_write(path.parent, error) from error


@contextmanager
def machine_errors(folder: Path) -> Iterator[None]:
    """Whatever the machine refuses to do in here is one clear line, not a traceback."""
    try:
        yield
    except BrokenPipeError:
        raise  # somebody stopped reading what we print, which is no trouble of the disk
    except OSError as error:
        raise cannot_write(folder, error) from error


def cannot_write(folder: Path, error: OSError) -> MachineRefused:
    return MachineRefused(
        f"cannot write to {folder}: {error.strerror or error}",
        kept="everything up to the last recorded event is safe",
        todo="free space or make the folder writable, then `statsclaw resume`",
    )

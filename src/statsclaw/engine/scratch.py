"""What a role worked out on the side, programs and trials in its temporary folder, for its own next attempt."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from statsclaw.engine.run import Run
from statsclaw.roles.matrix import Role
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.limits import MIB
from statsclaw.sandbox.room import remove_tree

#: Where a role finds it, below its documents.
EARLIER = "earlier"
_MOST_FILES, _LARGEST_BYTES, _MOST_BYTES, _DEEPEST = 100, MIB, 8 * MIB, 8
_NAME = re.compile(r"(?!\.)[\w.+-]{1,80}", re.ASCII)


def keep_scratch(run: Run, dispatch: str, role: str) -> dict[str, str]:
    """Keep the plain files of a room's temporary folder, a bounded number of them; their hashes by path."""
    place = run.folder.desk("scratch") / role
    remove_tree(place)
    kept = {path: data for path, data in _plain_files(run.room(dispatch).tmp).items() if run.scrub(path) == path}
    for path, data in kept.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    return {path: sha256(data) for path, data in sorted(kept.items())}


def earlier_scratch(run: Run, role: Role) -> dict[str, bytes]:
    """What the last attempt of this role left, if it is still what the log names."""
    place = run.folder.desk("scratch") / role
    found = {}
    for path, digest in scratch_of(run.view, role).items():
        data = (place / path).read_bytes() if (place / path).is_file() else b""
        if sha256(data) == digest:
            found[f"{EARLIER}/{path}"] = data
    return found


def scratch_of(view: RunView, role: str) -> dict[str, str]:
    """Of the last attempt of a role that came to an end: path and hash of what it left on the side."""
    ended = [dispatch.closed for dispatch in view.dispatches.values() if dispatch.role == role and dispatch.closed]
    return ended[-1].scratch if ended else {}


def _plain_files(folder: Path) -> dict[str, bytes]:
    """Nothing is followed or waited for: files only, opened below an opened folder.

    Empty files are left out: a barrier leaves one wherever it laid a tool below the temporary folder.
    """
    found: dict[str, bytes] = {}
    total = 0
    for root, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False) if folder.is_dir() else ():
        below = Path(root).relative_to(folder)
        deep = len(below.parts) >= _DEEPEST
        folders[:] = [] if deep else sorted(n for n in folders if _NAME.fullmatch(n) and n != "__pycache__")
        for name in sorted(filter(_NAME.fullmatch, names)):
            data = _read(name, descriptor)
            if not data or len(found) >= _MOST_FILES or total + len(data) > _MOST_BYTES:
                continue
            found[(below / name).as_posix()], total = data, total + len(data)
    return found


def _read(name: str, folder: int) -> bytes | None:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(file, "rb") as opened:
        info = os.fstat(file)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST_BYTES:
            return None
        return opened.read(_LARGEST_BYTES)

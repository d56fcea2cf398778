"""Who goes on with the conversation of the last attempt, and who starts afresh.

A builder or simulator that is sent back knows best what it meant; a tester or reviewer that went on would defend what
it said. What is kept is the home folder of the agent program, in which it keeps its own conversation and nothing else.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from statsclaw.backends.protocol import Backend, Conversing
from statsclaw.engine.run import Run
from statsclaw.roles.matrix import Role
from statsclaw.runlog.fold import DispatchView
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.limits import MIB
from statsclaw.sandbox.room import Room, remove_tree

GOES_ON = (Role.BUILDER, Role.SIMULATOR)
_SESSION = "session"
#: What is larger is no conversation: a file of holes would be written out in full.
_MOST_BYTES = 256 * MIB


def keep_conversation(run: Run, dispatch: DispatchView, result: HandIn) -> None:
    """Of a role that goes on: its conversation, for the next attempt by the same backend."""
    place = _place(run, dispatch.role)
    remove_tree(place)
    home = run.room(dispatch.id).home
    if dispatch.role not in GOES_ON or not result.session:
        return
    if not _copied(home, place / "home"):  # then it starts afresh
        remove_tree(place)
        return
    (place / _SESSION).write_text(f"{dispatch.backend}\n{result.session}", encoding="utf-8")


def take_up_conversation(run: Run, role: Role, backend: Backend, room: Room) -> str:
    """The conversation to go on with, its home laid out; empty where there is none."""
    session = kept_conversation(run, role, backend)
    if session:
        remove_tree(room.home)
        shutil.copytree(_place(run, role) / "home", room.home, symlinks=True)
    return session


def kept_conversation(run: Run, role: str, backend: Backend) -> str:
    place = _place(run, role)
    if role not in GOES_ON or not isinstance(backend, Conversing) or not (place / _SESSION).is_file():
        return ""
    name, _, session = (place / _SESSION).read_text(encoding="utf-8").partition("\n")
    return session if name == backend.name else ""


def _copied(home: Path, place: Path) -> bool:
    """False for what no program keeps in its home: too large, nested too deep, no plain files."""
    try:
        if _bytes_in(home) > _MOST_BYTES:
            return False
        shutil.copytree(home, place, symlinks=True)
    except (OSError, shutil.Error, RecursionError):
        return False
    return True


def _bytes_in(folder: Path) -> int:
    """As the files say, whether or not they fill the disk with it."""
    return sum(Path(root, name).lstat().st_size for root, _, names in os.walk(folder) for name in names)


def _place(run: Run, role: str) -> Path:
    return run.folder.desk("conversations") / role

"""Taking in what a role left behind, trusting nothing about it.

Nothing in a role's folder is executed, followed or interpreted: no git command runs there, links are refused,
files are opened by descriptor below an opened directory and counted before they are read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from statsclaw.runlog.events import FileChange
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.printable import printable as printable
from statsclaw.sandbox.printable import printable_lines as printable_lines
from statsclaw.sandbox.tree import Manifest


@dataclass
class Taken:
    files: list[FileChange] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    artifacts: dict[str, bytes] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def refuse(self, path: str, why: str) -> None:
        if len(self.refused) < 50:
            self.refused.append(f"{printable(path)}: {why}")


class TooMuch(Exception):
    """A limit was passed; reading on would harm the machine."""


@dataclass(frozen=True, slots=True)
class Found:
    path: str
    fd: int | None
    problem: str = ""
    executable: bool = False


def take_repository(folder: Path, before: Manifest, may_write: Callable[[str], bool], limits: Limits) -> Taken:
    """What changed between `before` and now. Nothing is stored: the caller keeps it once all of it may be taken."""
    taken, seen, total = Taken(), set[str](), 0
    known = limits.model_copy(update={"files": limits.files + len(before)})
    for found in _walk(folder, known, before):
        seen.add(found.path)
        if found.problem:
            taken.refuse(found.path, found.problem)
            continue
        data = _read(found.fd, limits.file_bytes)
        if data is None and _unchanged(found, before):
            continue
        if data is None:
            taken.refuse(found.path, f"larger than {limits.file_bytes} bytes, or not a plain file")
            continue
        known_entry = before.get(found.path)
        if known_entry and (known_entry.sha256, known_entry.executable) == (sha256(data), found.executable):
            continue
        total += len(data)
        if total > limits.total_bytes:
            raise TooMuch(f"more than {limits.total_bytes} bytes were handed in")
        if not may_write(found.path):
            taken.refuse(found.path, "outside the role's surface")
            continue
        digest = sha256(data)
        taken.contents[digest] = data
        taken.files.append(FileChange(path=found.path, sha256=digest, executable=found.executable))
    for path in sorted(set(before) - seen):
        if may_write(path):
            taken.files.append(FileChange(path=path, sha256=None))
        else:
            taken.refuse(path, "deleted, outside the role's surface")
    taken.files.sort(key=lambda change: change.path)
    return taken


def take_outbox(folder: Path, allowed: Collection[str], limits: Limits) -> Taken:
    """The artifacts in the outbox. Only names the role owes or may hand in are read."""
    taken = Taken()
    for found in _walk(folder, limits):
        if found.problem:
            taken.refuse(found.path, found.problem)
        elif found.path not in allowed:
            taken.refuse(found.path, "not an artifact of this role")
        elif (data := _read(found.fd, limits.artifact_bytes)) is None:
            taken.refuse(found.path, f"larger than {limits.artifact_bytes} bytes, or not a plain file")
        else:
            taken.artifacts[found.path] = data
    taken.artifacts = dict(sorted(taken.artifacts.items()))
    return taken


def _unchanged(found: Found, before: Manifest) -> bool:
    """A file beyond the limits that the repository held already, and still holds as it was."""
    entry = before.get(found.path)
    if entry is None or found.fd is None or entry.executable != found.executable:
        return False
    if os.fstat(found.fd).st_size != entry.size:
        return False
    with os.fdopen(os.dup(found.fd), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256


def _walk(folder: Path, limits: Limits, before: Collection[str] = ()) -> Iterator[Found]:
    """Every file below `folder`, opened without following links; the role's own .git at the top is not looked at."""
    count = 0
    if folder.is_symlink() or not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "its folder was replaced", str(folder))
    for root, folders, names, root_fd in os.fwalk(folder, follow_symlinks=False, onerror=_give_up):
        inner = os.path.relpath(root, folder)
        prefix = "" if inner == "." else inner + "/"
        if prefix.count("/") > limits.depth:
            raise TooMuch(f"folders are nested more than {limits.depth} deep")
        if not prefix and ".git" in folders:
            folders.remove(".git")
        count += len(folders)
        if count > limits.files:
            raise TooMuch(f"more than {limits.files} files were left behind")
        for name in list(folders):
            mode = os.stat(name, dir_fd=root_fd, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                folders.remove(name)
                names.append(name)
            elif _git_lookalike(name):
                folders.remove(name)
                yield Found(prefix + name, None, "a git folder inside the repository")
        for name in names:
            count += 1
            if count > limits.files:
                raise TooMuch(f"more than {limits.files} files were left behind")
            yield from _open(prefix + name, name, root_fd, limits, known=prefix + name in before)


def _give_up(error: OSError) -> None:
    raise error


def _open(path: str, name: str, root_fd: int, limits: Limits, *, known: bool) -> Iterator[Found]:
    if not known and (problem := name_problem(path, limits)):
        yield Found(path, None, problem)
        return
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=root_fd)
    except OSError as error:
        yield Found(path, None, f"cannot be opened as a plain file ({error.strerror})")
        return
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            yield Found(path, None, "not a plain file")
        elif info.st_nlink > 1:
            yield Found(path, None, "has hard links")
        else:
            yield Found(path, fd, executable=bool(info.st_mode & 0o111))
    finally:
        os.close(fd)


def _read(fd: int | None, limit: int) -> bytes | None:
    if fd is None or os.fstat(fd).st_size > limit:
        return None
    with os.fdopen(os.dup(fd), "rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


def name_problem(path: str, limits: Limits) -> str:
    """Why a path cannot be a file of a repository, or nothing."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if len(path) > limits.path_length:
        return "its name is too long"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in path) or "\\" in path:
        return "its name has control characters or backslashes"
    parts = path.split("/")
    if path.startswith("/") or any(part in ("", ".", "..") or _git_lookalike(part) for part in parts):
        return "its name is not a path inside the repository"
    return ""


def twin_names(added: Iterable[str], before: Collection[str], after: Collection[str]) -> list[str]:
    """Added paths that a file system which folds case or Unicode forms takes for another path, or for its folder.

    `before` and `after`: all paths of the repository. What was there before is nobody's doing.
    """
    known = {part for path in before for part in _with_parents(path)}
    spelled: dict[str, set[str]] = {}
    for part in {part for path in after for part in _with_parents(path)}:
        spelled.setdefault(_folded(part), set()).add(part)
    found: dict[str, str] = {}
    for path in sorted(added):
        for part in _with_parents(path):
            if part not in known and len(spelled.get(_folded(part), ())) > 1:
                found.setdefault(_folded(part), path)
                break
    return sorted(found.values())


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _git_lookalike(part: str) -> bool:
    """Names that git, or a file system that folds case and drops dots, takes for its own folder."""
    return re.sub(r"[ .]+$", "", part.split(":")[0]).lower() in (".git", "git~1")

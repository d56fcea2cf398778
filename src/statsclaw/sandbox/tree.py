"""The repository of a run: a base commit in a bare clone, and the files taken from roles since."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from statsclaw.git import git, own_environment
from statsclaw.runlog.events import Fact, FileChange
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.left_behind import write_among_left_behind


class Entry(Fact):
    sha256: str
    executable: bool
    size: int = -1


Manifest = dict[str, Entry]


@dataclass(frozen=True, slots=True)
class BaseFile:
    path: str
    mode: str
    oid: str


class TargetRepo:
    """A bare clone that only the engine touches."""

    def __init__(self, git_dir: Path, base: str | None) -> None:
        self.git_dir, self.base = git_dir, base

    @cached_property
    def files(self) -> dict[str, BaseFile]:
        """Regular files of the base commit. Links and submodules point elsewhere and stay out of every view."""
        return {path: file for path, file in self._entries.items() if file.mode in ("100644", "100755")}

    @property
    def links(self) -> dict[str, BaseFile]:
        return {path: file for path, file in self._entries.items() if file.mode == "120000"}

    @cached_property
    def _entries(self) -> dict[str, BaseFile]:
        if self.base is None:
            return {}
        found = {}
        for row in git("ls-tree", "-r", "-z", self.base, git_dir=self.git_dir).split(b"\0")[:-1]:
            meta, _, name = row.partition(b"\t")
            mode, _, oid = meta.decode("ascii").split(" ")
            path = os.fsdecode(name)
            found[path] = BaseFile(path, mode, oid)
        return found

    def contents(self, files: Iterable[BaseFile]) -> Iterator[tuple[BaseFile, bytes]]:
        wanted = list(files)
        with tempfile.TemporaryFile() as questions:
            questions.write(b"".join(file.oid.encode() + b"\n" for file in wanted))
            questions.seek(0)
            with subprocess.Popen(
                ["git", "--git-dir", str(self.git_dir), "cat-file", "--batch", "--buffer"],
                stdin=questions,
                stdout=subprocess.PIPE,
                env=own_environment(),
            ) as process:
                assert process.stdout is not None
                for file in wanted:
                    size = int(process.stdout.readline().split()[2])
                    yield file, process.stdout.read(size + 1)[:-1]


def write_tree(
    target: TargetRepo,
    overlay: Mapping[str, FileChange],
    store: ContentStore,
    destination: Path,
    wanted: Callable[[str], bool],
) -> Manifest:
    """Lay the wanted part of the tree out in a new folder and say what is in it."""
    write = _write if not destination.exists() else _write_carefully
    manifest: Manifest = {}
    destination.mkdir(parents=True, exist_ok=True)
    from_base = [file for path, file in target.files.items() if path not in overlay and wanted(path)]
    for file, data in target.contents(from_base) if from_base else ():
        manifest[file.path] = write(destination, file.path, data, file.mode == "100755")
    for path, change in overlay.items():
        if change.sha256 is not None and wanted(path):
            manifest[path] = write(destination, path, store.get(change.sha256), change.executable)
    return manifest


def write_links(target: TargetRepo, overlay: Mapping[str, FileChange], destination: Path) -> None:
    """Lay out the links of the base commit that stay inside the tree: they ship, so they are verified with it."""
    links = [file for path, file in target.links.items() if path not in overlay]
    for file, data in target.contents(links) if links else ():
        goal = os.path.normpath(os.path.join(os.path.dirname(file.path), os.fsdecode(data)))  # noqa: PTH118, PTH120
        if goal.startswith(("/", "..")) or os.fsdecode(data).startswith("/"):
            continue
        place = destination / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.fsdecode(data))


def paths_in(target: TargetRepo, overlay: Mapping[str, FileChange]) -> set[str]:
    gone = {path for path, change in overlay.items() if change.sha256 is None}
    return (set(target.files) | set(overlay)) - gone


def read_text(target: TargetRepo, overlay: Mapping[str, FileChange], store: ContentStore, path: str) -> str:
    """One file of the tree as it stands; nothing where there is none."""
    if path in overlay:
        digest = overlay[path].sha256
        data = store.get(digest) if digest else b""
    else:
        data = next((data for _, data in target.contents([target.files[path]])), b"") if path in target.files else b""
    return data.decode("utf-8", "replace")


def _write(folder: Path, path: str, data: bytes, executable: bool) -> Entry:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    if executable:
        place.chmod(0o755)
    return Entry(sha256=sha256(data), executable=executable, size=len(data))


def _write_carefully(folder: Path, path: str, data: bytes, executable: bool) -> Entry:
    write_among_left_behind(folder, path, data, 0o755 if executable else 0o644)
    return Entry(sha256=sha256(data), executable=executable, size=len(data))

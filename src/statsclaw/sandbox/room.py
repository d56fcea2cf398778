"""The room of a dispatch: its private copy of the repository, what it is given, and where it hands in.

room/
  repo/          the role's slice of the repository: one squashed commit, no history, no remote
  in/            prompt.md and the artifacts the role may read
  out/           where it leaves its artifacts
  home/ tmp/     a fresh HOME and temporary folder

The engine's own notes on a dispatch lie on its desk, which is not part of the room:

desk/
  manifest.json  what repo/ held at the start
  handin.json    written when the role has finished; from then on the dispatch is never repeated
  rest.json      what the role had come to when it paused
  pid            of the program that plays the role, while it runs
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from statsclaw.git import git, own_environment
from statsclaw.runlog.store import sha256, write_durably
from statsclaw.sandbox.enclosure import Enclosure, Mount, nested
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.process import end_leftover
from statsclaw.sandbox.tree import Entry, Manifest

_MANIFEST: TypeAdapter[Manifest] = TypeAdapter(dict[str, Entry])
_DATE = "2000-01-01T00:00:00+00:00"


class Room:
    def __init__(self, folder: Path, desk: Path) -> None:
        self.folder, self.desk = folder, desk
        self.repo, self.inbox, self.outbox = folder / "repo", folder / "in", folder / "out"
        self.home, self.tmp = folder / "home", folder / "tmp"

    def clear(self) -> None:
        end_leftover(self.desk / "pid")
        remove_tree(self.folder)
        remove_tree(self.desk)

    def furnish(self, manifest: Manifest, documents: Mapping[str, bytes]) -> None:
        """`repo/` has been laid out; add everything else."""
        for folder in (self.inbox, self.outbox, self.home, self.tmp):
            folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)  # what a role leaves there, a program that runs as its owner say, is nobody else's
        for name, data in documents.items():
            (self.inbox / name).parent.mkdir(parents=True, exist_ok=True)
            (self.inbox / name).write_bytes(data)
        squash(self.repo)
        write_durably(self.desk / "manifest.json", _MANIFEST.dump_json(manifest))

    def enclosure(self, tools: Enclosure) -> Enclosure:
        """What a program in this room sees: the tools, its repository, its documents, and nothing else."""
        own = (
            Mount(inside="/repo", host=str(self.repo), purpose="repository", writable=True),
            Mount(inside="/in", host=str(self.inbox), purpose="documents"),
            Mount(inside="/out", host=str(self.outbox), purpose="outbox", writable=True),
            Mount(inside="/home/role", host=str(self.home), purpose="home", writable=True),
            Mount(inside="/tmp", host=str(self.tmp), purpose="temporary", writable=True),
        )
        return replace(tools, mounts=nested((*tools.mounts, *own)), cwd="/repo")

    def manifest(self) -> Manifest:
        return _MANIFEST.validate_json((self.desk / "manifest.json").read_bytes())

    @property
    def is_furnished(self) -> bool:
        return (self.desk / "manifest.json").is_file() and self.repo.is_dir()

    def hand_in(self, result: HandIn) -> None:
        write_durably(self.desk / "handin.json", result.model_dump_json().encode())

    def rest(self, so_far: HandIn) -> None:
        write_durably(self.desk / "rest.json", so_far.model_dump_json().encode())

    def rested(self) -> HandIn:
        try:
            return HandIn.model_validate_json((self.desk / "rest.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return HandIn()

    def handed_in(self) -> HandIn | None:
        try:
            return HandIn.model_validate_json((self.desk / "handin.json").read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            return HandIn(failure=f"its hand-in cannot be read: {error.error_count()} fault(s)")


def remove_tree(folder: Path) -> None:
    """Remove a folder however deep somebody nested it, and whatever rights its folders have."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir() and not folder.is_symlink():
        subprocess.run(["chmod", "-R", "u+rwx", "--", str(folder)], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, stderr=subprocess.DEVNULL)


def manifest_json(manifest: Manifest) -> bytes:
    """What a repository held: path, hash, executable, in the order of paths."""
    return json.dumps(sorted((path, entry.sha256, entry.executable) for path, entry in manifest.items())).encode()


def manifest_digest(manifest: Manifest) -> str:
    return sha256(manifest_json(manifest))


def squash(repo: Path) -> None:
    """Make the folder a git repository with one commit, so that a role can use git without any history."""
    env = own_environment() | {"GIT_AUTHOR_DATE": _DATE, "GIT_COMMITTER_DATE": _DATE}
    repo.mkdir(parents=True, exist_ok=True)
    git("init", "--quiet", "--initial-branch=main", cwd=repo, env=env)
    git("add", "--all", "--force", ".", cwd=repo, env=env)
    git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", "the repository as given", cwd=repo, env=env)

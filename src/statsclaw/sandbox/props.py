"""The files of the stage: a run, a clone, a person's folders and tools, with a secret of its own in every place."""

from __future__ import annotations

import base64
import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from statsclaw.git import git, git_text, own_environment
from statsclaw.sandbox.room import Room, remove_tree

PACKAGE = "tinymean"
SHAPE = "zq[0-9a-f]{24}qz"
_LENGTH = 28


class Props:
    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.paths: dict[str, Path] = {}
        self.word = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._undo = contextlib.ExitStack()

    def lay_out(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="statsclaw-stage-")).resolve()
        self._undo.callback(remove_tree, self.folder)
        self.run = self.folder / "workspace" / PACKAGE / "runs" / f"{PACKAGE}-0001"
        self.person, self.effects = self.folder / "person", self.folder / "effects"
        apart = "/var/tmp" if os.access("/var/tmp", os.W_OK) else None  # what is shown must not be beside what is not
        self.tools = Path(tempfile.mkdtemp(prefix=f"statsclaw-tools-{self.word}-", dir=apart)).resolve()
        self._undo.callback(remove_tree, self.tools)
        self._lay_out_run()
        self._lay_out_target()
        self._lay_out_person()
        self._lay_out_tools()
        self._leave_in_shared_folders()
        self.tester = self._make_tester()

    def secret(self, place: str) -> str:
        """A new secret, or the one that is in this place already."""
        return self.secrets.setdefault(place, f"zq{secrets.token_hex(12)}qz")

    def leaked(self, texts: Iterable[bytes]) -> list[str]:
        """The places whose secrets stand in one of the texts, as they are or in a simple disguise."""
        disguises = [(place, disguise) for place, secret in self.secrets.items() for disguise in disguised(secret)]
        return sorted({place for text in texts for place, disguise in disguises if disguise in text})

    def _put(self, name: str, path: Path, text: str = "{}") -> None:
        """A file with a secret of its own."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(self.secret(name)) + "\n", encoding="utf-8")
        self.paths[name] = path

    def _lay_out_run(self) -> None:
        self.effects.mkdir()
        (self.folder / "meeting").mkdir()
        self._put("the log", self.run / "events.jsonl", "# {}")
        self._put("the store", self.run / "store" / "ab" / "cdef")
        self._put("the run's local facts", self.run / "local.json")
        self._put("an answer", self.run / "inbox" / "q1.json")
        self._put("the verified tree", self.run / "verify" / "validation" / "test_x.py")
        self._put("the desk", self.run / "desk" / "tester-1" / "handin.json")
        self._put("the hand-off", self.run.parent.parent / "HANDOFF.md")

    def _lay_out_target(self) -> None:
        """A clone with a history: what was removed, noted, stashed or packed is still there."""
        self.clone, self.target = self.folder / "person" / PACKAGE, self.run / "target.git"
        self.clone.mkdir(parents=True)
        env = own_environment()
        git("init", "--quiet", "--initial-branch=main", cwd=self.clone, env=env)
        for number, place in enumerate(("an old commit", "the last commit")):
            (self.clone / "notes.md").write_text(self.secret(place))
            git("add", "--all", cwd=self.clone, env=env)
            git("commit", "--quiet", "-m", f"{number}", cwd=self.clone, env=env)
        git("notes", "add", "-m", self.secret("a note"), cwd=self.clone, env=env)
        (self.clone / "notes.md").write_text(self.secret("a stash"))
        git("stash", cwd=self.clone, env=env)
        git("clone", "--quiet", "--mirror", "--no-hardlinks", str(self.clone), str(self.target), env=env)
        git("gc", "--quiet", git_dir=self.target, env=env)
        rows = git_text("rev-list", "--all", "--objects", "--no-object-names", git_dir=self.target).split()
        self.objects = rows[:40]

    def _lay_out_person(self) -> None:
        self._put("the person's key", self.person / ".ssh" / "id_ed25519")
        self._put("the person's password", self.person / ".netrc")
        self._put("the person's transcript", self.person / ".claude" / "projects" / "x.jsonl")
        (self.person / ".bashrc").write_text("# the person's own\n")
        (self.person / ".gitconfig").write_text("[user]\n\tname = Person\n")

    def _lay_out_tools(self) -> None:
        """A prefix of tools in which an older copy of the package is installed in every usual way."""
        python = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        site, library = self.tools / python, self.tools / "lib" / "R" / "library"
        (self.tools / "bin").mkdir(parents=True)
        (self.tools / "bin" / "tool").write_text("#!/bin/sh\n")
        (self.tools / "bin" / "tool").chmod(0o755)
        self.installed = {
            "an installed package": site / PACKAGE / "__init__.py",
            "its byte code": site / PACKAGE / "__pycache__" / "core.cpython-311.pyc",
            "its metadata": site / f"{PACKAGE}-1.0.dist-info" / "RECORD",
            "its finder": site / f"__editable___{PACKAGE}_finder.py",
            "an installed module": site / "tinymedian.py",
            "the byte code of a module": site / "__pycache__" / "tinymedian.cpython-311.pyc",
            "a checkout among the tools": self.tools / "src" / PACKAGE / "core.py",
            "what an upgrade left": site / f"~{PACKAGE[1:]}" / "__init__.py",
            "a cached package": self.tools / "pkgs" / f"{PACKAGE}-1.0-py_0" / "core.py",
            "an installed R package": library / PACKAGE / "R" / PACKAGE,
        }
        for name, path in self.installed.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'"""{self.secret(name)}"""\n')
        self.import_paths = [site]
        self.shared_files = [self.tools / "share" / f"{number:03}" for number in range(8 * _LENGTH)]
        for path in self.shared_files:
            path.parent.mkdir(exist_ok=True)
            path.touch()

    def _leave_in_shared_folders(self) -> None:
        self.temporary = []
        for folder in (tempfile.gettempdir(), "/var/tmp", "/dev/shm"):
            if os.access(folder, os.W_OK):
                path = Path(folder) / f"statsclaw-left-{self.word}"
                path.write_text(self.secret(f"a file in {folder}"))
                self._undo.callback(path.unlink, missing_ok=True)
                self.temporary.append(path)

    def _make_tester(self) -> Room:
        room = Room(self.run / "dispatches" / "tester-1", self.run / "desk" / "tester-1")
        self._put("a validation test", room.repo / "tests" / "validation" / "test_x.py")
        documents = {"test-spec.md": self.secret("test-spec.md").encode(), "prompt.md": self.secret("prompt").encode()}
        room.furnish({}, documents)
        self.paths["test-spec.md"], self.paths["prompt"] = room.inbox / "test-spec.md", room.inbox / "prompt.md"
        self._put("the tester's notes", room.outbox / "audit-notes.md")
        self._put("the tester's transcript", room.home / ".agent" / "transcript.jsonl")
        self._put("the tester's cache", room.home / ".cache" / "x")
        self._put("the tester's temporary file", room.tmp / "x")
        return room


def disguised(secret: str) -> Iterator[bytes]:
    """The secret as it is, backwards, in hexadecimal, in base 64 at every alignment, in two-byte letters."""
    raw = secret.encode()
    yield from (raw, raw[::-1], raw.hex().encode(), raw.hex().upper().encode(), secret.encode("utf-16-le"))
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + raw)
        yield text[(0, 2, 3)[shift] : -4]

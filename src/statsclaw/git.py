"""Calling git without letting a repository's or a person's configuration run anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from statsclaw.errors import MachineRefused

_QUIET = tuple(
    part
    for setting in ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "commit.gpgSign=false")
    for part in ("-c", setting)
)
_IDENTITY = {"NAME": "StatsClaw", "EMAIL": "statsclaw@localhost"}


#: Set inside a git hook; there they would turn every call to the repository of the hook.
_OF_ANOTHER_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in (
        "ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR", "DIR", "INDEX_FILE", "NAMESPACE", "OBJECT_DIRECTORY", "PREFIX",
        "QUARANTINE_PATH", "WORK_TREE",
    )
)  # fmt: skip


class GitFailed(MachineRefused):
    """What git complained about. Callers that know more say more; otherwise the machine refused."""

    def __init__(self, args: tuple[str, ...], stderr: str) -> None:
        super().__init__(
            f"git {args[0]} failed: {(stderr.strip().splitlines() or ['no answer'])[-1][:200]}",
            kept="everything up to the last recorded event is safe",
            todo="free space, or mend what git names, then `statsclaw resume`",
        )
        self.command, self.stderr = args, stderr.strip()

    @property
    def last_line(self) -> str:
        return (self.stderr.splitlines() or ["no answer"])[-1][:200]


def own_environment() -> dict[str, str]:
    """For repositories that the engine made: nobody's configuration."""
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_{field}": value for field, value in _IDENTITY.items()}
    return env


def persons_environment() -> dict[str, str]:
    """For the person's own target and remotes: their credentials and ssh settings, never a prompt."""
    env = {key: value for key, value in os.environ.items() if key not in _OF_ANOTHER_REPOSITORY}
    env |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
    env.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    return env


def git(
    *args: str,
    cwd: Path | None = None,
    git_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout_s: float | None = 600,
) -> bytes:
    """Run git and return what it printed; GitFailed carries what it complained about."""
    where = ("--git-dir", str(git_dir)) if git_dir else ()
    command = ("git", *_QUIET, *where, *args)
    try:
        done = subprocess.run(
            command, cwd=cwd, env=dict(env or own_environment()), input=stdin, capture_output=True, timeout=timeout_s
        )
    except FileNotFoundError:
        raise MachineRefused("git is not installed", todo="install git (Debian: apt-get install git)") from None
    except subprocess.TimeoutExpired:
        raise GitFailed(args, f"no answer within {timeout_s:.0f} s") from None
    if done.returncode != 0:
        raise GitFailed(args, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def git_text(*args: str, **kwargs: object) -> str:
    return git(*args, **kwargs).decode("utf-8", "replace").strip()  # type: ignore[arg-type]

"""Calling git without letting a repository's or a person's configuration run anything."""

from __future__ import annotations

import os
import re
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


#: Settings with which a repository would have git start a program.
_STARTS_A_PROGRAM = re.compile(
    r"filter\..+\.(clean|smudge|process|required)|diff\.external|diff\..+\.(textconv|command)|merge\..+\.driver"
    r"|core\.(fsmonitor|hookspath|sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)"
    r"|(alias|pager)\..+|credential\.(.+\.)?helper|gpg\.(.+\.)?program",
    re.IGNORECASE,
)
#: Of a remote that is a folder of this machine, git obeys the configuration.
_RECEIVE_PACK = "--receive-pack=git -c core.alternateRefsCommand=true receive-pack"


def foreign_environment(folder: Path) -> dict[str, str]:
    """For calls in a repository that somebody else configured: none of the programs it names is started.

    What the person's own settings name stays as it is, git-lfs for example.
    """
    env = persons_environment()
    rows = git("config", "--list", "--show-scope", "-z", cwd=folder, env=env).decode("utf-8", "surrogateescape")
    parts = rows.split("\0")[:-1]
    own: dict[str, str] = {}
    foreign: set[str] = set()
    for scope, row in zip(parts[::2], parts[1::2], strict=True):
        key, _, value = row.partition("\n")
        if scope in ("local", "worktree"):
            foreign.add(key)
        elif scope in ("system", "global"):
            own[key] = value
    known = int(env.get("GIT_CONFIG_COUNT") or 0)
    overridden = sorted(key for key in foreign if _STARTS_A_PROGRAM.fullmatch(key))
    for number, key in enumerate(overridden, start=known):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": own.get(key, "")}
    return env | {"GIT_CONFIG_COUNT": str(known + len(overridden))}


def to_remote(url: str) -> tuple[str, ...]:
    """Where to push, for the command line. Hooks of a remote run as with any push; nothing else of it does."""
    on_this_machine = url.startswith(("/", ".", "file:"))
    return (_RECEIVE_PACK, url) if on_this_machine else (url,)


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

"""The target: where it is, whether it can be worked on, and whether the result could be pushed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from statsclaw.errors import InputRefused
from statsclaw.git import GitFailed, foreign_environment, git, git_text, own_environment, persons_environment, to_remote
from statsclaw.workspace.scrub import display_remote, display_url

_URL = re.compile(r"^([a-z][a-z0-9+.\-]*://|[\w.\-]+@[\w.\-]+:)")
PROBE = "statsclaw/access-probe"


@dataclass(frozen=True, slots=True)
class Target:
    """`git_dir` is the engine's own bare clone; `remote_url` where shipping would push, credentials included.

    `folder`: what of the repository the person named, "" for all of it.
    """

    name: str
    origin: str  # where it was fetched from: a URL, or the full path of the repository
    git_dir: Path
    base_commit: str | None
    base_branch: str
    remote_url: str | None
    author: tuple[str, str] | None = None
    folder: str = ""

    @property
    def local_folders(self) -> tuple[str, ...]:
        """Folders of this machine that hold the target: no role may be shown them."""
        named = [url.removeprefix("file://") for url in (self.origin, self.remote_url) if url]
        return tuple(dict.fromkeys(str(Path(url).resolve()) for url in named if url.startswith("/")))


@dataclass(frozen=True, slots=True)
class PushAccess:
    how: str
    can_ship: bool
    detail: str


def is_url(text: str) -> bool:
    return bool(_URL.match(text))


def fetch_target(text: str, git_dir: Path, *, ignore_dirty: bool = False) -> Target:
    """Make a bare clone of the target at its current commit. The target itself is only read."""
    if not text.strip():
        raise _nothing_started("no target was given", "pass --target PATH_OR_GIT_URL")
    if is_url(text):
        name = re.sub(r"\.git$", "", text.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1])
        return _fetch(text, git_dir, _safe_name(name), text, "", None)
    folder = Path(text).expanduser()
    if not folder.exists():
        raise _nothing_started(f"{text} does not exist", "give the path or git URL of the package's repository")
    try:
        bare = git_text("rev-parse", "--is-bare-repository", cwd=folder, env=persons_environment()) == "true"
        below = "" if bare else git_text("rev-parse", "--show-prefix", cwd=folder, env=persons_environment())
        top = folder if bare else Path(git_text("rev-parse", "--show-toplevel", cwd=folder, env=persons_environment()))
    except (GitFailed, NotADirectoryError):
        raise _nothing_started(
            f"{text} is not a git repository",
            "run `git init && git add -A && git commit` there first",
        ) from None
    name = _safe_name(top.resolve().name)
    if not bare:
        _refuse_dirty(top, ignore_dirty)
    remote = str(top.resolve()) if bare else _remote_of(top)
    return replace(_fetch(str(top.resolve()), git_dir, name, remote, "", _author(top)), folder=below.rstrip("/"))


def only_folder(target: Target, folder: str) -> Target:
    """A folder of the target as if it were a repository of its own: as it is in the last commit, without history."""
    here = {"git_dir": target.git_dir}
    tree = git_text("rev-parse", f"{target.base_commit}:{folder}", **here)
    when = git_text("show", "-s", "--format=@%ct +0000", str(target.base_commit), **here)
    env = own_environment() | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    commit = git_text("commit-tree", tree, "-m", f"{folder} of {target.base_commit}", env=env, **here)
    git("update-ref", f"refs/heads/{target.base_branch}", commit, git_dir=target.git_dir)
    return replace(target, base_commit=commit)


def _safe_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._\-]", "-", name).strip(".-") or "target"


def _refuse_dirty(folder: Path, ignore_dirty: bool) -> None:
    asked = ("--no-optional-locks", "status", "--porcelain", "-z", "--ignore-submodules=dirty")
    env = foreign_environment(folder)
    rows = git(*asked, cwd=folder, env=env).split(b"\0")[:-1]
    if rows and not ignore_dirty:
        unfiltered = any(value.startswith("filter.") for name, value in env.items() if "GIT_CONFIG_KEY" in name)
        how = "; filters of its own git configuration were not run" if unfiltered else ""
        raise _nothing_started(
            f"the target has uncommitted changes ({len(rows)} path{'s' if len(rows) > 1 else ''}{how})",
            "commit or stash them, or pass --ignore-dirty to work from the last commit",
        )


def _remote_of(folder: Path) -> str | None:
    names = git_text("remote", cwd=folder, env=persons_environment()).split()
    if not names:
        return None
    name = "origin" if "origin" in names else names[0]
    url = git_text("remote", "get-url", "--push", name, cwd=folder, env=persons_environment())
    if is_url(url):
        return url
    place = (folder / url.removeprefix("file://")).resolve()
    if place.is_relative_to(folder.resolve()):
        raise _nothing_started("the target's remote is a folder inside the target", "give it a remote of its own")
    return str(place)


def _author(folder: Path) -> tuple[str, str] | None:
    try:
        return (
            git_text("config", "user.name", cwd=folder, env=persons_environment()),
            git_text("config", "user.email", cwd=folder, env=persons_environment()),
        )
    except GitFailed:
        return None


def _fetch(
    url: str, git_dir: Path, name: str, remote: str | None, branch: str, author: tuple[str, str] | None
) -> Target:
    env = persons_environment()
    try:
        git("init", "--quiet", "--bare", "--initial-branch=main", str(git_dir))
        rows = git_text("ls-remote", "--symref", url, "HEAD", git_dir=git_dir, env=env, timeout_s=120)
        head = re.search(r"^ref: refs/heads/(\S+)\s+HEAD$", rows, re.MULTILINE)
        branch = head[1] if head else "main"
        git("symbolic-ref", "HEAD", f"refs/heads/{branch}", git_dir=git_dir)
        if not re.search(r"^[0-9a-f]{40,64}\s+HEAD$", rows, re.MULTILINE):
            return Target(name, url, git_dir, None, branch, remote, author)
        git(
            "fetch",
            "--quiet",
            "--no-tags",
            "--update-shallow",
            url,
            f"+HEAD:refs/heads/{branch}",
            git_dir=git_dir,
            env=env,
        )
        base = git_text("rev-parse", "HEAD^{commit}", git_dir=git_dir)
    except GitFailed as failure:
        last = display_url(failure.last_line)
        if str(git_dir) in failure.stderr or "No space left" in failure.stderr:
            raise  # it is our own copy that cannot be written
        raise _nothing_started(f"cannot read {display_url(url)}: {last}", "check the address and your access") from None
    return Target(name, url, git_dir, base, branch, remote, author)


def verify_push_access(target: Target) -> PushAccess:
    """Try the push that shipping would make, without making it."""
    if target.remote_url is None:
        return PushAccess("no remote", False, "local only: the target has no remote, so nothing can be shipped")
    shown = display_remote(target.remote_url)
    try:
        _dry_run(target)
    except GitFailed as failure:
        last = display_url(failure.last_line)
        raise _nothing_started(
            f"cannot push to {shown}: {last}",
            "sort out your access (for GitHub: `gh auth login`), or pass --local-only to work without shipping",
        ) from None
    place = Path(target.remote_url)
    if not is_url(target.remote_url) and not os.access(
        place / "objects" if (place / "objects").is_dir() else place, os.W_OK
    ):
        raise _nothing_started(
            f"cannot push to {shown}: the folder is not writable", "make it writable, or pass --local-only"
        )
    return PushAccess("git push --dry-run", True, f"a push to {shown} would be accepted")


def _dry_run(target: Target) -> None:
    assert target.remote_url is not None
    commit = target.base_commit
    if commit is None:
        tree = git_text("hash-object", "-w", "-t", "tree", "--stdin", git_dir=target.git_dir, stdin=b"")
        commit = git_text("commit-tree", tree, "-m", "probe", git_dir=target.git_dir)
    git(
        "push", "--dry-run", "--quiet", "--no-verify", *to_remote(target.remote_url), f"{commit}:refs/heads/{PROBE}",
        git_dir=target.git_dir, env=persons_environment(), timeout_s=120,
    )  # fmt: skip


def _nothing_started(what: str, todo: str) -> InputRefused:
    return InputRefused(what, kept="Nothing was started", todo=todo)

"""The shipper: code, not a model. A verified tree becomes one commit on a branch of its own, pushed once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from statsclaw.errors import MachineRefused, RunStopped
from statsclaw.git import GitFailed, git, git_text, own_environment, persons_environment, to_remote
from statsclaw.runlog.events import FileChange
from statsclaw.runlog.store import ContentStore
from statsclaw.workspace.scrub import display_remote, display_url


@dataclass(frozen=True, slots=True)
class PushResult:
    already_there: bool
    note: str


def make_commit(
    repo: Path,
    base: str | None,
    changes: list[FileChange],
    store: ContentStore,
    *,
    message: str,
    date: datetime,
    author: tuple[str, str] | None,
) -> str:
    """The commit of base + changes. The same input always gives the same commit, so making it twice is harmless."""
    env = own_environment() | {"GIT_INDEX_FILE": str(repo / "statsclaw-index")}
    stamp = date.isoformat(timespec="seconds")
    env |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    if author:
        env |= {"GIT_AUTHOR_NAME": author[0], "GIT_AUTHOR_EMAIL": author[1]}
    git("read-tree", base or "--empty", git_dir=repo, env=env)
    rows = []
    for change in changes:
        if change.sha256 is None:
            rows.append(f"0 {'0' * 40}\t{change.path}")
            continue
        data = store.get(change.sha256)
        oid = git("hash-object", "-w", "--no-filters", "--stdin", git_dir=repo, env=env, stdin=data).decode().strip()
        rows.append(f"{'100755' if change.executable else '100644'} {oid}\t{change.path}")
    if rows:
        git("update-index", "-z", "--index-info", git_dir=repo, env=env, stdin=("\0".join(rows) + "\0").encode())
    tree = git_text("write-tree", git_dir=repo, env=env)
    _check_tree(repo, tree, changes)
    parent = ("-p", base) if base else ()
    return git_text("commit-tree", tree, *parent, "-m", message, git_dir=repo, env=env)


def _check_tree(repo: Path, tree: str, changes: list[FileChange]) -> None:
    """git leaves out names it does not like without a word; then the commit is not what was verified."""
    there = {os.fsdecode(name) for name in git("ls-tree", "-r", "-z", "--name-only", tree, git_dir=repo).split(b"\0")}
    if wrong := [change.path for change in changes if (change.path in there) is (change.sha256 is None)]:
        raise RunStopped(f"git does not take {wrong[0]!r} into a commit", kept="nothing was pushed")


def keep_branch(repo: Path, branch: str, commit: str) -> None:
    """Name the commit in the run's own clone, from where it can be fetched whether or not it is ever pushed."""
    git("update-ref", f"refs/heads/{branch}", commit, git_dir=repo)


def remote_branches(repo: Path, url: str) -> dict[str, str]:
    """Asked from the run's own clone: the folder one stands in does not configure it."""
    rows = git_text("ls-remote", "--heads", url, git_dir=repo, env=persons_environment(), timeout_s=120).splitlines()
    return {name.removeprefix("refs/heads/"): oid for oid, _, name in (row.partition("\t") for row in rows)}


def push(repo: Path, url: str, branch: str, commit: str, base_branch: str, base: str | None) -> PushResult:
    """Push the commit to its branch unless it is there already. Never forces, never touches another branch."""
    shown = display_remote(url)
    try:
        branches = remote_branches(repo, url)
        there = branches.get(branch)
        if there is not None and there != commit:
            raise RunStopped(
                f"branch {branch} exists on {shown} with another commit",
                kept="nothing was pushed; the commit is kept in the run",
                todo="delete or rename that branch on the remote, then `statsclaw resume`",
            )
        if there is None:
            git(
                "push", "--quiet", "--no-verify", *to_remote(url), f"{commit}:refs/heads/{branch}",
                git_dir=repo, env=persons_environment(),
            )  # fmt: skip
    except GitFailed as failure:
        raise MachineRefused(
            f"cannot push to {shown}: {display_url(failure.last_line)}",
            kept="the commit is kept in the run, nothing was pushed",
            todo="make the remote reachable, then `statsclaw resume`",
        ) from failure
    moved = base is not None and branches.get(base_branch) not in (None, base)
    note = (
        f"{base_branch} has moved on since this run started; the branch starts from {base[:10]}"
        if moved and base
        else ""
    )
    return PushResult(there == commit, note)

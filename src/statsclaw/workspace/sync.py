"""Bringing the workspace up to date after a run: record, changelog, hand-off, sources; committed, pushed if allowed."""

from __future__ import annotations

import re
from pathlib import Path

from statsclaw.artifacts.check import section
from statsclaw.git import GitFailed, git, git_text, own_environment, persons_environment
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.lock import FileLock
from statsclaw.runlog.store import ContentStore, write_durably
from statsclaw.templates import cell, render
from statsclaw.workspace.layout import RunFolder, Workspace
from statsclaw.workspace.scrub import display_url

_PACKAGE = "statsclaw.workspace"
_CHANGELOG_HEAD = "# Changelog of the runs on this repository\n\n"


def synchronise(
    workspace: Workspace, folder: RunFolder, run: RunView, store: ContentStore, title: str
) -> tuple[bool, str]:
    """Idempotent: the same run writes the same text wherever it is repeated."""
    home = folder.repository
    facts = _facts(run, folder, store, title)
    with FileLock(workspace.root / ".lock"):
        write_durably(home / "context.md", _context(run).encode())
        write_durably(home / "runs" / f"{facts['slug']}.md", render(_PACKAGE, "record.md", **facts).encode())
        _note_in_changelog(home / "CHANGELOG.md", facts)
        if run.pushed or not run.head.replay_of:  # looking at a run again does not move the hand-off
            write_durably(home / "HANDOFF.md", render(_PACKAGE, "handoff.md", **facts).encode())
            if docs := _text(run, store, "docs.md"):
                write_durably(home / "docs.md", docs.encode())
        for source in run.head.own_sources:
            write_durably(home / "ref" / source.name, store.get(source.sha256))
        return _commit_and_push(workspace.root, folder, run)


def seal(workspace: Workspace, folder: RunFolder, run: RunView) -> None:
    """Commit the last lines of a finished run's log; what cannot be pushed now goes with the next run."""
    with FileLock(workspace.root / ".lock"):
        _commit_and_push(workspace.root, folder, run)


def _text(run: RunView, store: ContentStore, name: str) -> str:
    artifact = run.artifact(name)
    return store.get_text(artifact.sha256) if artifact else ""


def _facts(run: RunView, folder: RunFolder, store: ContentStore, title: str) -> dict[str, object]:
    assert run.created_at is not None
    date = run.created_at.date().isoformat()
    words = re.sub(r"[^a-z0-9]+", "-", run.head.directive.lower()).strip("-")[:40].strip("-")
    verification = run.verified.get(run.tree_sha256)
    failed = ", ".join(verification.failed) if verification else "never run"
    entry = _text(run, store, "log-entry.md")
    tests = sum(t.outcome == "passed" for c in run.evidence_for(run.tree_sha256) for t in c.tests)
    outcome = "shipped" if run.pushed else "not shipped"
    return {
        "run_id": folder.id,
        "date": date,
        "slug": f"{date}-{words or 'run'}-{folder.id.rsplit('-', 1)[-1]}",
        "title": title,
        "workflow": run.workflow,
        "outcome": outcome,
        "directive": " ".join(run.head.directive.split()),
        "entry": re.sub(r"^# ", "## ", entry.strip(), flags=re.MULTILINE) or "No scriber took part in this workflow.",
        "verification": f"failed ({failed})" if failed else f"passed, {tests} tests",
        "review": run.verdict,
        "pushed": run.pushed,
        "standing": f"Verification {'failed: ' + failed if failed else f'passed ({tests} tests)'}; {outcome}.",
        "decisions": [
            q for q in run.questions.values() if q.answer and q.asked.topic not in ("workflow", "profile", "ship")
        ],
        "notes": (section(entry, "Hand-off notes") or "None.").strip(),
    }


def _context(run: RunView) -> str:
    head = run.head
    return render(
        _PACKAGE,
        "context.md",
        target=head.target,
        profile=run.profile,
        base=head.base_commit,
        remote=head.credentials.remote,
    )


def _note_in_changelog(place: Path, facts: dict[str, object]) -> None:
    text = place.read_text(encoding="utf-8") if place.exists() else _CHANGELOG_HEAD
    if f"({facts['run_id']})" in text:
        return
    line = (
        f"- {facts['date']} · [{cell(str(facts['directive'])[:70])}](runs/{facts['slug']}.md) · {facts['workflow']} · "
        f"verification {facts['verification']} · {facts['outcome']} ({facts['run_id']})\n"
    )
    head, _, rest = text.partition("\n\n")
    write_durably(place, f"{head}\n\n{line}{rest}".encode())


def _commit_and_push(root: Path, folder: RunFolder, run: RunView) -> tuple[bool, str]:
    assert run.last_at is not None
    stamp = run.last_at.isoformat(timespec="seconds")
    env = own_environment() | {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
    try:
        home = folder.repository.name
        git("add", "--all", "--", ".gitignore", home, cwd=root, env=env)
        if git_text("status", "--porcelain", "--untracked-files=no", cwd=root, env=env):
            git("commit", "--quiet", "--no-verify", "-m", f"{home}: run {folder.id}", "--", cwd=root, env=env)
        if not run.pushed or not git_text("remote", cwd=root, env=env):
            return False, "" if run.pushed else "not pushed: nothing was authorised to leave the machine"
        git("push", "--quiet", "--no-verify", "origin", "HEAD:refs/heads/main", cwd=root, env=persons_environment())
    except GitFailed as failure:
        return False, f"the workspace could not be pushed: {display_url(failure.last_line)}"
    return True, ""

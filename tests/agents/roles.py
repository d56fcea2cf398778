"""Scripts for every role: what the honest author of `tests/support` hands in, written through an agent's own tools."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.agents.scripted_model import Act, Say, Shell, Talk, Write, written_by_shell
from tests.support.runs import HERE, HONEST

ROLES = ("planner", "reader", "builder", "tester", "simulator", "scriber", "reviewer")


def honest_files(role: str, prompt: str, *options: str) -> dict[str, str]:
    """What the honest author leaves, by its path as the role sees it."""
    attempt = re.search(r"this is attempt (\d+)", prompt)
    with tempfile.TemporaryDirectory() as name:
        out, repo = Path(name) / "out", Path(name) / "repo"
        out.mkdir()
        repo.mkdir()
        env = {"STATSCLAW_ROLE": role, "STATSCLAW_ATTEMPT": attempt[1] if attempt else "1", "STATSCLAW_OUT": str(out)}
        argv = [sys.executable, str(HERE / "agent.py"), str(HONEST), *options]
        subprocess.run(
            argv, input=prompt, cwd=repo, env={**os.environ, **env}, text=True, check=True, capture_output=True
        )
        return {
            f"/{folder.name}/{path.relative_to(folder)}": path.read_text()
            for folder in (out, repo)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def honest(role: str, *options: str) -> Callable[[Talk], Iterator[Act]]:
    """Reads its documents, writes everything, says that it is done."""

    def script(talk: Talk) -> Iterator[Act]:
        made = honest_files(role, talk.now.first, *options)
        yield Shell("ls -R /in /repo")
        assert "prompt.md" in talk.last, talk.last
        for path, text in made.items():
            # Claude Code writes over a file only after it has read it.
            yield Write(path, text) if path.startswith("/out/") else written_by_shell(path, text)
        yield Say("Everything is handed in.")

    return script


def all_honest(*options: str) -> dict[str, Callable[[Talk], Iterator[Act]]]:
    return {f"# You are the {role}\n": honest(role, *options) for role in ROLES}

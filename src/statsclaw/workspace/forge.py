"""The seam for a forge: what happens after a branch was pushed. None is connected yet, so nothing does."""

from __future__ import annotations

from typing import Protocol


class Forge(Protocol):
    def propose(self, remote_url: str, branch: str, base_branch: str, title: str, body: str) -> str:
        """Open a pull request for a pushed branch, once however often it is asked, and return its address."""
        ...


class NoForge:
    def propose(self, remote_url: str, branch: str, base_branch: str, title: str, body: str) -> str:
        return ""

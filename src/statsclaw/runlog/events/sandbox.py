from __future__ import annotations

from typing import Literal

from statsclaw.runlog.events.base import Fact


class Shown(Fact):
    """A path inside a sandbox. `hashed` says what `sha256` is of: its content, or its names, sizes and times."""

    path: str
    purpose: str
    writable: bool
    sha256: str
    hashed: Literal["content", "listing", "empty"]


class Sandbox(Fact):
    """What a dispatch could see and use, written before it began. `network`: hosts it could reach, none if empty."""

    kind: str
    version: str = ""
    user: int
    shows: str
    mounts: tuple[Shown, ...]
    hidden: tuple[str, ...] = ()
    documents: dict[str, str] = {}
    repository_sha256: str
    limits: dict[str, float] = {}
    network: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


class NetworkUse(Fact):
    """What passed a bridge. `requests`, in all and by host, are those sent on; bytes are counted at the upstream."""

    requests: int = 0
    refused: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    by_host: dict[str, int] = {}
    refusals: tuple[str, ...] = ()

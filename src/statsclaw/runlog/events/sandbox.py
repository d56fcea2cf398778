from __future__ import annotations

from collections import Counter
from typing import Literal

from statsclaw.runlog.events.base import Fact
from statsclaw.runlog.events.usage import Usage


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
    """What passed a bridge. `requests`, in all and by host, are those sent on; bytes are counted at the upstream.

    `answers` of models by their status; `models`: what each says its answers cost, in tokens; `estimated`: how many
    answers did not say it, and are counted by their length.
    """

    requests: int = 0
    refused: int = 0
    bytes_up: int = 0
    bytes_down: int = 0
    by_host: dict[str, int] = {}
    answers: dict[str, int] = {}
    models: dict[str, Usage] = {}
    estimated: int = 0
    refusals: tuple[str, ...] = ()

    def __add__(self, other: NetworkUse) -> NetworkUse:
        return NetworkUse(
            requests=self.requests + other.requests,
            refused=self.refused + other.refused,
            bytes_up=self.bytes_up + other.bytes_up,
            bytes_down=self.bytes_down + other.bytes_down,
            by_host=dict(Counter(self.by_host) + Counter(other.by_host)),
            answers=dict(Counter(self.answers) + Counter(other.answers)),
            models={
                name: self.models.get(name, Usage()) + other.models.get(name, Usage())
                for name in {**self.models, **other.models}
            },
            estimated=self.estimated + other.estimated,
            refusals=tuple(dict.fromkeys((*self.refusals, *other.refusals))),
        )

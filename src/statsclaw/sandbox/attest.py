"""What a dispatch can see, written down before it begins: every path with its hash, limits, network, user, barrier."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from statsclaw.runlog.events import Sandbox, Shown
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.barrier import Described
from statsclaw.sandbox.enclosure import Enclosure, Mount
from statsclaw.sandbox.limits import Limits

#: How far the names, sizes and times of a folder of tools are looked at. Deep enough for lib/python3.11/site-packages.
_DEPTH = {"system": 1, "toolchain": 4, "agent": 4}
_OF_THE_MACHINE = ("toolchain", "agent")
#: Folders of a room, which change from one look to the next.
_OWN = ("home", "outbox", "temporary")
_LIMITS = ("timeout_s", "memory_bytes", "processes", "output_bytes", "disk_bytes", "network_bytes")
Hashed = Literal["content", "listing", "empty"]
_PACKAGE_DATABASES = (Path("/var/lib/dpkg/status"), Path("/var/lib/rpm/rpmdb.sqlite"), Path("/lib/apk/db/installed"))


def attest(
    barrier: Described,
    enclosure: Enclosure,
    limits: Limits,
    documents: Mapping[str, bytes],
    repository_sha256: str,
    network: tuple[str, ...],
    environment: tuple[str, ...],
    scrub: Callable[[str], str],
    in_use: Collection[str] = (),
) -> Sandbox:
    """`in_use`: which of its own folders are not empty at the start."""
    hashes = {name: sha256(data) for name, data in sorted(documents.items())}
    known: dict[str, tuple[str, Hashed]] = {
        "repository": (repository_sha256, "content"),
        "documents": (sha256("\n".join(f"{n} {h}" for n, h in hashes.items()).encode()), "content"),
        "outbox": (sha256(b""), "empty"),
        "home": (sha256(b""), "empty"),
        "temporary": (sha256(b""), "empty"),
    }
    known = {purpose: row for purpose, row in known.items() if purpose not in in_use}
    return Sandbox(
        kind=barrier.kind,
        version=barrier.version,
        user=barrier.user,
        shows=barrier.shows,
        mounts=tuple(_shown(mount, known, scrub) for mount in enclosure.mounts),
        hidden=tuple(scrub(path) for path in enclosure.hidden),
        documents=hashes,
        repository_sha256=repository_sha256,
        limits={name: float(getattr(limits, name)) for name in _LIMITS},
        network=network,
        environment=environment,
    )


def _shown(mount: Mount, known: Mapping[str, tuple[str, Hashed]], scrub: Callable[[str], str]) -> Shown:
    digest, hashed = known.get(mount.purpose) or (_hash.__wrapped__ if mount.purpose in _OWN else _hash)(
        mount.host, _DEPTH.get(mount.purpose, 4)
    )
    return Shown(
        path=scrub(mount.inside) if mount.purpose in _OF_THE_MACHINE else mount.inside,
        purpose=mount.purpose,
        writable=mount.writable,
        sha256=digest,
        hashed=hashed,
    )


@cache
def _hash(host: str, depth: int) -> tuple[str, Hashed]:
    """A file by its content; a folder of tools by its listing, and the system by its package database as well."""
    path = Path(host)
    if path.is_file():
        try:
            return sha256(path.read_bytes()), "content"
        except OSError:
            return sha256(b"unreadable"), "empty"
    rows = sorted(_listing(path, depth))
    if host == "/usr":
        rows += [sha256(file.read_bytes()) for file in _PACKAGE_DATABASES if os.access(file, os.R_OK)]
    return sha256("\n".join(rows).encode("utf-8", "surrogateescape")), "listing"


def _listing(root: Path, depth: int) -> list[str]:
    rows, waiting = list[str](), [(str(root), 0)]
    while waiting:
        folder, level = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    info = entry.stat(follow_symlinks=False)
                    rows.append(f"{entry.path} {info.st_mode:o} {info.st_size} {info.st_mtime_ns}")
                    if stat.S_ISDIR(info.st_mode) and level + 1 < depth:
                        waiting.append((entry.path, level + 1))
        except OSError:
            continue
    return rows

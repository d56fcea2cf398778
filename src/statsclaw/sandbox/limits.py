"""How much a role may hand in, and how long it may take. Whatever is beyond ends its dispatch with a record."""

from __future__ import annotations

from statsclaw.runlog.events import Fact

KIB, MIB = 1024, 1024 * 1024


class Limits(Fact):
    file_bytes: int = 8 * MIB
    total_bytes: int = 64 * MIB
    files: int = 5_000
    artifact_bytes: int = 2 * MIB
    path_length: int = 240
    depth: int = 40
    output_bytes: int = 64 * MIB
    kept_output_bytes: int = 2 * MIB
    timeout_s: float = 4 * 3600

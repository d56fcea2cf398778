"""How much a role may hand in and use, and how long it may take. Whatever is beyond ends its dispatch with a record."""

from __future__ import annotations

import os

from pydantic import Field

from statsclaw.runlog.events import Fact

MIB, GIB = 1024**2, 1024**3


def _most_of_the_memory() -> int:
    """Three quarters of what the machine has, so that the engine and the person can go on working."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4 // MIB * MIB
    except (ValueError, OSError):
        return 8 * GIB


class Limits(Fact):
    # what is taken in
    file_bytes: int = 8 * MIB
    total_bytes: int = 64 * MIB
    files: int = 5_000
    artifact_bytes: int = 2 * MIB
    path_length: int = 240
    depth: int = 40
    kept_output_bytes: int = 2 * MIB
    # what is used
    output_bytes: int = 64 * MIB
    timeout_s: float = 4 * 3600
    memory_bytes: int = Field(default_factory=_most_of_the_memory)
    reserved_bytes: int = 0
    processes: int = 4096
    disk_bytes: int = 16 * GIB
    disk_files: int = 1_000_000
    free_disk_bytes: int = 256 * MIB
    shared_memory_bytes: int = 512 * MIB
    network_bytes: int = 2 * GIB

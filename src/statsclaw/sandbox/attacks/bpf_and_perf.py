"""Loads programs into the kernel, and counts what it does (bpf, perf, userfaultfd)."""

from __future__ import annotations

import ctypes
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import apart, call, claim  # type: ignore[import-not-found]


def bpf() -> None:
    call("bpf", 0, ctypes.create_string_buffer(struct.pack("4I", 2, 4, 4, 1), 72), 72)
    claim("a map of bpf was made")


def perf() -> None:
    attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 1), 112)
    call("perf_event_open", attributes, 0, -1, -1, 0)
    claim("perf counts for it")


def faults() -> None:
    call("userfaultfd", 1)
    claim("userfaultfd is there")


for deed in (bpf, perf, faults):
    apart(deed)

"""Attaches to another process as a debugger and reads its memory word by word."""

from __future__ import annotations

import ctypes
import functools
import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import APART, CONFINED, KNOWN, LIBC, apart, call, claim, got, processes  # type: ignore[import-not-found]


def trace(pid: int) -> None:
    LIBC.ptrace.restype = ctypes.c_long
    LIBC.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    if LIBC.ptrace(16, pid, None, None) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")
    if CONFINED:
        claim(f"process {pid} can be traced")
    os.waitpid(pid, 0x40000000)
    words = b""
    for offset in range(0, KNOWN["bystander"]["length"], 8):
        word = LIBC.ptrace(1, pid, ctypes.c_void_p(KNOWN["bystander"]["address"] + offset), None)
        words += (word & (2**64 - 1)).to_bytes(8, "little")
    LIBC.ptrace(17, pid, None, None)
    got(words)


for pid in processes() if CONFINED else [KNOWN["bystander"]["pid"]]:
    apart(functools.partial(trace, pid))
for request, pid in ((0, 0), (0x4206, 1), (16, 1)) if APART else ():

    def deed(request: int = request, pid: int = pid) -> None:
        call("ptrace", request, pid, 0, 0)
        claim("ptrace is not refused")

    apart(deed)

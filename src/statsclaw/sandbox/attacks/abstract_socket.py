"""Connects to an abstract socket of another process, which has no place in the file system."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, MARK, got, trying  # type: ignore[import-not-found]

for name in (KNOWN["abstract"], KNOWN["abstract"] + "-accomplice"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with trying(name), socket.socket(socket.AF_UNIX, kind) as there:
            there.settimeout(1)
            there.connect("\0" + name)
            got(there.recv(4096))
            there.sendall(MARK.encode())

"""Connects through the channel between virtual machines (vsock)."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, claim, got, trying  # type: ignore[import-not-found]

for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    with trying(kind), socket.socket(40, kind) as there:
        if CONFINED:
            claim("a vsock socket can be opened")
        if KNOWN["vsock"]:
            there.settimeout(1)
            there.connect(tuple(KNOWN["vsock"]))
            got(there.recv(4096))

"""Listens in on the loopback interface with a packet socket."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, claim, pick, trying  # type: ignore[import-not-found]

for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM):
    with trying(kind), socket.socket(17, kind, socket.htons(3)) as ear:
        if CONFINED:
            claim("a packet socket can be opened")
        ear.bind(("lo", 0))
        ear.settimeout(0.5)
        for _ in range(50):
            pick(ear.recv(65536))

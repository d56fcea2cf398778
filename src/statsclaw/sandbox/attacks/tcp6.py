"""Connects to a service on this machine's loopback interface (TCP, IPv6)."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, MARK, got, trying  # type: ignore[import-not-found]

for address in ("::1", "::ffff:127.0.0.1", "localhost"):
    with trying(address), socket.create_connection((address, KNOWN["tcp6"]), timeout=2) as there:
        got(there.recv(4096))
        there.sendall(MARK.encode())

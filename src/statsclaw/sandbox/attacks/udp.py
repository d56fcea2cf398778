"""Sends datagrams to a service on this machine."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, got, trying  # type: ignore[import-not-found]

with trying(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
    there.settimeout(0.4)
    there.sendto(MARK.encode(), ("127.0.0.1", KNOWN["udp"]))
    got(there.recv(4096))
with trying("to everybody"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
    there.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    there.sendto(MARK.encode(), ("255.255.255.255" if CONFINED else "127.0.0.1", KNOWN["udp"]))

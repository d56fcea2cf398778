"""Listens in on the traffic of the machine with a raw socket."""

from __future__ import annotations

import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, claim, pick, trying  # type: ignore[import-not-found]

for protocol in (socket.IPPROTO_UDP, socket.IPPROTO_ICMP, socket.IPPROTO_RAW):
    with trying(protocol), socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol) as ear:
        if CONFINED:
            claim("a raw socket can be opened")
        ear.settimeout(0.5)
        for _ in range(20):
            pick(ear.recv(65536))

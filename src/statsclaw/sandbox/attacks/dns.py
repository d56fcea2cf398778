"""Asks a name server, with what it wants to tell hidden in the name it asks for."""

from __future__ import annotations

import socket
import struct
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, MARK, claim, got, read, trying  # type: ignore[import-not-found]

name = MARK.encode()[:60]
question = (
    struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + bytes([len(name)]) + name + b"\4test\0" + struct.pack(">HH", 1, 1)
)
for server, port in (("127.0.0.1", KNOWN["udp"]), ("127.0.0.53", KNOWN["udp"])):
    with trying(server), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.settimeout(0.4)
        there.sendto(question, (server, port))
        got(there.recv(4096))
if CONFINED:
    with trying("resolver"):
        claim(f"a name was resolved: {socket.getaddrinfo(MARK + '.example.com', 80)}")
    with trying("settings"):
        read("/etc/resolv.conf")

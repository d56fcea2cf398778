"""Asks the kernel for the machine's connections, routes and the starts of other programs (netlink)."""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, claim, got, trying  # type: ignore[import-not-found]

with trying("connections"), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as kernel:
    kernel.settimeout(1)
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        body = struct.pack("=BBBBI", family, 6 if family != 1 else 0, 0, 0, 0xFFFFFFFF) + b"\0" * 48
        kernel.send(struct.pack("=IHHII", 16 + len(body), 20, 0x301, 1, 0) + body)
        answer = kernel.recv(65536)
        if struct.pack(">H", KNOWN["tcp4"]) in answer or KNOWN["abstract"].encode() in answer:
            claim("the connections of the machine are listed")
with trying("processes"), socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 11) as kernel:
    kernel.bind((0, 1))
    kernel.settimeout(0.5)
    listen = struct.pack("=IIIIHHI", 1, 1, 0, 0, 4, 0, 1)
    kernel.send(struct.pack("=IHHII", 16 + len(listen), 3, 0, 0, os.getpid()) + listen)
    while True:
        if len(kernel.recv(65536)) > 60:
            claim("it is told when programs of the machine start")
            break
with trying("devices"), socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15) as kernel:
    kernel.bind((0, 1))
    got("it may wait for news of devices")
for path in ("/proc/net/unix", "/proc/net/tcp", "/proc/net/udp"):
    with trying(path):
        text = Path(path).read_text()
        if KNOWN["abstract"] in text or f":{KNOWN['tcp4']:04X} " in text or KNOWN["socket"] in text:
            claim(f"{path} lists the connections of the machine")

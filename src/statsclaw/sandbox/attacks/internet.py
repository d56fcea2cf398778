"""Looks for a way out of the machine: interfaces, routes, an address that answers."""

from __future__ import annotations

import errno
import socket
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import claim, trying  # type: ignore[import-not-found]

for _, name in socket.if_nameindex():
    if name != "lo":
        claim(f"there is an interface {name}")
routes = Path("/proc/net/route").read_text().splitlines()[1:]
if routes:
    claim(f"there is a route: {routes[0].split()[0]}")
for address in ("192.0.2.1", "198.51.100.1"):  # reserved for documentation: nobody is there
    with trying(address), socket.socket(socket.AF_INET, socket.SOCK_STREAM) as there:
        there.setblocking(False)
        code = there.connect_ex((address, 80))
        if code not in (errno.ENETUNREACH, errno.EPERM, errno.EACCES, errno.EHOSTUNREACH):
            claim(f"a connection to {address} was begun: {errno.errorcode.get(code, code)}")

"""Connects to the session's services: ssh agent, DBus, display, containers, system manager."""

from __future__ import annotations

import os
import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, claim, got, trying  # type: ignore[import-not-found]

usual = [
    f"/run/user/{KNOWN['uid']}/bus",
    "/run/dbus/system_bus_socket",
    "/var/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/systemd/private",
    "/run/systemd/notify",
    "/tmp/.X11-unix/X0",
    f"/run/user/{KNOWN['uid']}/wayland-0",
    f"/run/user/{KNOWN['uid']}/pulse/native",
    "/run/containerd/containerd.sock",
    "/dev/log",
    "/run/snapd.socket",
    "\0/tmp/.X11-unix/X0",
    "\0/tmp/dbus-session",
]
for path in [*KNOWN["session_sockets"], *(usual if CONFINED else [])]:
    with trying(path), socket.socket(socket.AF_UNIX) as there:
        there.settimeout(1)
        there.connect(path)
        if CONFINED:
            claim(f"something answers at {path!r}")
        got(there.recv(4096))
for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "GPG_AGENT_INFO"):
    if CONFINED and os.environ.get(name):
        claim(f"{name} is set")

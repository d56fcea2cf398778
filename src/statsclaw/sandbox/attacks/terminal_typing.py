"""Types a command into the person's terminal."""

from __future__ import annotations

import ctypes
import fcntl
import os
import sys
import termios

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, KNOWN, LIBC, MARK, claim, trying  # type: ignore[import-not-found]

line = f"echo {MARK}\n".encode()
more = ["/dev/tty", "/dev/console", *(f"/dev/pts/{n}" for n in range(16))] if CONFINED else []
for path in dict.fromkeys([KNOWN["terminal"], *more]):
    with trying(path):
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        for request in (termios.TIOCSTI, termios.TIOCSTI | 1 << 32):
            with trying(path):
                for byte in line:
                    raw = ctypes.create_string_buffer(bytes([byte]))
                    if LIBC.ioctl(fd, ctypes.c_ulong(request), raw) == -1:
                        raise OSError(ctypes.get_errno(), "TIOCSTI")
                if CONFINED:
                    claim(f"it can type into {path}")
for fd in (0, 1, 2):
    with trying(fd):
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        claim("it can type into the terminal it was started from")

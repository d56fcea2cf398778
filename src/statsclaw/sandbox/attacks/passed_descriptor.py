"""Has an open file handed to it through a socket."""

from __future__ import annotations

import os
import socket
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import KNOWN, got, trying  # type: ignore[import-not-found]

for address in ("\0" + KNOWN["abstract"] + "-fd", KNOWN["socket"] + "-fd"):
    with trying(address), socket.socket(socket.AF_UNIX) as there:
        there.settimeout(1)
        there.connect(address)
        for passed in socket.recv_fds(there, 16, 4)[1]:
            got(os.pread(passed, 4096, 0))

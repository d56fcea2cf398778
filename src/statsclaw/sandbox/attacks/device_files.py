"""Opens the machine's disks and other devices."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import CONFINED, claim, trying  # type: ignore[import-not-found]

names = "sda sda1 vda vda1 nvme0n1 nvme0n1p1 xvda dm-0 loop0 loop-control fuse kvm mem kmem port kmsg input/event0 "
names += (
    "uinput vsock vhost-net net/tun snapshot cpu_dma_latency hwrng rtc0 tty0 tty1 console ttyS0 vcs1 mapper/control"
)
for name in names.split() if CONFINED else ("sda", "vda", "nvme0n1", "xvda", "loop0", "kmsg", "mem"):
    with trying(name):
        fd = os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        claim(f"/dev/{name} can be opened")
        os.close(fd)

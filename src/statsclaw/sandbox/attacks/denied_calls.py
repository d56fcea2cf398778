"""Makes every system call that no program of a role needs, with arguments that do no harm."""

from __future__ import annotations

import errno
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import apart, call, claim, number  # type: ignore[import-not-found]

bad = 0xDEAD000
CALLS = {
    "acct": (bad,),
    "add_key": (bad, bad, 0, 0, -3),
    "bpf": (0, bad, 0),
    "clock_adjtime": (0, bad),
    "clock_settime": (0, bad),
    "delete_module": (bad, 0),
    "fanotify_init": (0x80, 0),
    "finit_module": (-1, bad, 0),
    "init_module": (bad, 0, bad),
    "io_uring_enter": (-1, 0, 0, 0, 0),
    "io_uring_register": (-1, 0, 0, 0),
    "io_uring_setup": (0, bad),
    "kcmp": (1, 1, 99, 0, 0),
    "kexec_file_load": (-1, -1, 0, bad, 0),
    "kexec_load": (0, 0, 0, 0xFF),
    "keyctl": (999, 0, 0, 0, 0),
    "lookup_dcookie": (0, bad, 0),
    "name_to_handle_at": (-100, bad, bad, bad, 0),
    "open_by_handle_at": (-1, bad, 0),
    "open_tree": (-1, bad, 0),
    "perf_event_open": (bad, 0, -1, -1, 0),
    "pidfd_getfd": (-1, 0, 0),
    "process_madvise": (-1, bad, 1, 4, 0),
    "process_vm_readv": (0, bad, 1, bad, 1, 0),
    "process_vm_writev": (0, bad, 1, bad, 1, 0),
    "ptrace": (999, 0, 0, 0),
    "quotactl": (0, bad, 0, bad),
    "quotactl_fd": (-1, 0, 0, bad),
    "reboot": (0, 0, 0, 0),
    "request_key": (bad, bad, 0, 0),
    "setdomainname": (bad, 1),
    "sethostname": (bad, 1),
    "setns": (-1, 0),
    "settimeofday": (bad, 0),
    "swapoff": (bad,),
    "swapon": (bad, 0),
    "syslog": (99, 0, 0),
    "umount2": (bad, 0),
    "unshare": (0x200,),
    "userfaultfd": (0xFFFF,),
    "mount_setattr": (-1, bad, 0, bad, 0),
    "move_mount": (-1, bad, -1, bad, 0),
    "fsopen": (bad, 0),
    "fsconfig": (-1, 0, 0, 0, 0),
    "fsmount": (-1, 0, 0),
    "fspick": (-1, bad, 0),
    "iopl": (9,),
    "ioperm": (-1, 1, 1),
    "modify_ldt": (99, 0, 0),
    "pivot_root": (bad, bad),
    "mount": (bad, bad, bad, 0, 0),
    "chroot": (bad,),
    "clone3": (bad, 0),
    "adjtimex": (bad,),
}
for name, arguments in CALLS.items():
    if not number(name):
        continue

    def deed(name: str = name, arguments: tuple = arguments) -> None:  # type: ignore[type-arg]
        try:
            call(name, *arguments)
        except OSError as error:
            if error.errno in (errno.EPERM, errno.ENOSYS):
                return
        claim(f"{name} is not refused")

    apart(deed)

"""A weaker barrier for macOS, only ever the one a person asked for: a Seatbelt profile, written from the enclosure.

Nothing is relocated. Of two rules that fit, the later one counts: what is hidden is denied last. The profile has been
tested as text only; no Mac has run it.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.process import Completed, End, run_program
from statsclaw.sandbox.watch import Watch

PROGRAM = "/usr/bin/sandbox-exec"

#: What every program of macOS needs to start: the loader, its caches, the system's libraries, time zones, certificates.
SYSTEM_FOLDERS = (
    "/System/Library", "/System/Volumes/Preboot/Cryptexes/OS", "/System/Cryptexes/OS", "/usr/lib", "/usr/share",
    "/Library/Apple/System", "/Library/Apple/usr", "/private/var/db/dyld", "/private/var/db/timezone",
    "/private/etc/ssl", "/private/var/select", "/Library/Developer/CommandLineTools",
)  # fmt: skip
SYSTEM_FILES = ("/", "/private/etc/localtime", "/dev/autofs_nowait")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper")
SERVICES = ("com.apple.system.opendirectoryd.libinfo",)
FACTS = (
    "kern.argmax", "kern.hostname", "kern.maxfilesperproc", "kern.maxproc", "kern.ngroups", "kern.osproductversion",
    "kern.osrelease", "kern.ostype", "kern.osvariant_status", "kern.osversion", "kern.secure_kernel",
    "kern.usrstack64", "kern.version", "sysctl.proc_cputype", "sysctl.proc_native", "vm.loadavg",
)  # fmt: skip
FACT_PREFIXES = ("hw.", "machdep.cpu.")

#: The same folder under two names. A rule under the name that the system does not use has no effect.
SAME = (
    ("/tmp", "/private/tmp"),
    ("/var", "/private/var"),
    ("/etc", "/private/etc"),
    ("/Users", "/System/Volumes/Data/Users"),
    ("/opt", "/System/Volumes/Data/opt"),
    ("/private", "/System/Volumes/Data/private"),
)


class Seatbelt:
    kind = "seatbelt"
    shows = (
        "it was never tried on a Mac: what its profile really hides is not known. By its text: no contents and no "
        "network outside the enclosure, but the names of the folders above it, the machine's name and kind, and what "
        "the system's own folders hold; programs left behind in a session of their own are not ended"
    )

    def __init__(self, bridge_port: int | None = None) -> None:
        self.version = platform.mac_ver()[0] or "unknown"
        self.user = os.getuid()
        self.bridge_port = bridge_port

    def path(self, enclosure: Enclosure, host: Path) -> str:
        return str(host)

    def run(
        self,
        argv: Sequence[str],
        enclosure: Enclosure,
        *,
        desk: Path,
        env: Mapping[str, str],
        limits: Limits,
        stdin: bytes = b"",
    ) -> Completed:
        inner = {"PATH": _search_path(enclosure), **enclosure.env, **env}

        @contextmanager
        def attend(pid: int, end: End) -> Iterator[None]:
            with Watch(pid, limits, [Path(mount.host) for mount in enclosure.mounts if mount.writable], end):
                yield

        return run_program(
            [PROGRAM, "-p", seatbelt_profile(enclosure, inner, self.bridge_port), *argv],
            cwd=Path(enclosure.outside(enclosure.cwd)),
            env=inner,
            limits=limits,
            stdin=stdin,
            pid_file=desk / "pid",
            attend=attend,
        )


def seatbelt_profile(enclosure: Enclosure, env: Mapping[str, str], bridge_port: int | None = None) -> str:
    """The profile as text. The folders that PATH names may be looked at, so that a search can go past those hidden."""
    shown = [path for mount in enclosure.mounts for path in _names(mount.host)]
    writable = [path for mount in enclosure.mounts if mount.writable for path in _names(mount.host)]
    hidden = [path for inside in enclosure.hidden for path in _names(enclosure.outside(inside))]
    searched = [path for folder in env.get("PATH", "").split(":") if folder.startswith("/") for path in _names(folder)]
    above = {str(folder) for path in (*shown, *SYSTEM_FOLDERS) for folder in PurePosixPath(path).parents}
    rules = [
        "(version 1)",
        "(deny default)",
        _rule("allow process-fork"),
        _rule("allow signal", "(target self)", "(target children)"),
        _rule("allow process-info*", "(target self)"),
        _rule(
            "allow sysctl-read",
            *(f"(sysctl-name {quoted(name)})" for name in FACTS),
            *(f"(sysctl-name-prefix {quoted(name)})" for name in FACT_PREFIXES),
        ),
        _rule("allow mach-lookup", *(f"(global-name {quoted(name)})" for name in SERVICES)),
        _rule("allow file-read* file-write-data", *(f"(literal {quoted(path)})" for path in DEVICES)),
        _rule("allow file-read* file-write-data", '(subpath "/dev/fd")'),
        _rule("allow file-read*", *(f"(literal {quoted(path)})" for path in SYSTEM_FILES)),
        _rule("allow file-read* process-exec", *_trees(SYSTEM_FOLDERS)),
        _rule("allow file-read-metadata", *(f"(literal {quoted(path)})" for path in sorted({*above, *searched}))),
    ]
    if shown:
        rules.append(_rule("allow file-read* process-exec", *_trees(shown)))
    if writable:
        rules.append(_rule("allow file-write*", *_trees(writable)))
    if protected := _protected(enclosure):
        rules.append(_rule("deny file-write*", *_trees(protected)))
    if enclosure.of("verification"):
        rules.append(_rule("allow ipc-posix-sem"))  # semaphores are the machine's: only where no agent is in reach
    if bridge_port is not None:
        rules.append(_rule("allow network-outbound", f'(remote ip "localhost:{int(bridge_port)}")'))
    if hidden:
        rules.append(_rule("deny file-read* file-write* process-exec", *_trees(hidden)))
    return "\n".join(rules) + "\n"


def quoted(text: str) -> str:
    """A string of the profile's language. Nothing in it can end it."""
    out = []
    for character in text:
        if character in '"\\':
            out.append("\\" + character)
        elif character == "\n":
            out.append("\\n")
        elif ord(character) < 0x20 or ord(character) == 0x7F:
            out.append(f"\\x{ord(character):02x}")
        else:
            out.append(character)
    return '"' + "".join(out) + '"'


def _rule(head: str, *filters: str) -> str:
    return f"({' '.join((head, *filters))})"


def _trees(paths: Iterable[str]) -> list[str]:
    return [f"(subpath {quoted(path)})" for path in dict.fromkeys(paths)]


def _names(path: str) -> list[str]:
    """A path and its other names: with links resolved, and as macOS joins its volumes."""
    found = [str(PurePosixPath(path)), os.path.realpath(path)]
    for name in found:  # grows while it is looked at
        for one, other in (*SAME, *((b, a) for a, b in SAME)):
            if PurePosixPath(name).is_relative_to(one):
                same = str(PurePosixPath(other) / PurePosixPath(name).relative_to(one))
                if same not in found and "/System/Volumes/Data/System" not in same:
                    found.append(same)
    return list(dict.fromkeys(found))


def _protected(enclosure: Enclosure) -> list[str]:
    """What is read-only inside a writable folder."""
    return [
        path
        for mount in enclosure.mounts
        if not mount.writable
        for outer in enclosure.mounts
        if outer.writable and mount.host != outer.host and Path(mount.host).is_relative_to(outer.host)
        for path in _names(mount.host)
    ]


def _search_path(enclosure: Enclosure) -> str:
    return ":".join(enclosure.outside(place) for place in enclosure.search_path)


def why_not() -> str:
    """Why this barrier cannot be used here; nothing if it can be tried."""
    if sys.platform != "darwin":
        return "the barrier seatbelt needs macOS"
    return "" if os.access(PROGRAM, os.X_OK) else f"macOS has no {PROGRAM} here"

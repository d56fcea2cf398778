"""The barrier that was asked for, or a refusal that says what to install. There is no silent second choice."""

from __future__ import annotations

import sys
import tomllib
from importlib.resources import files

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.sandbox import bubblewrap, landlock, seatbelt
from statsclaw.sandbox.barrier import Barrier, NoBarrier
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.landlock import Landlock
from statsclaw.sandbox.seatbelt import Seatbelt

KINDS = ("bubblewrap", "landlock", "seatbelt", "none")


def make_barrier(kind: str) -> Barrier:
    """Refused where it cannot be made. "none" is only ever what a person typed out."""
    if kind == NoBarrier.kind:
        return NoBarrier()
    if kind == Bubblewrap.kind:
        if not sys.platform.startswith("linux"):
            raise MachineRefused(
                "the barrier between the roles needs Linux",
                kept="Nothing was started",
                todo="run StatsClaw in a Linux machine or container",
            )
        if reason := bubblewrap.why_not():
            raise _cannot(reason)
        return Bubblewrap()
    if kind == Landlock.kind:
        if reason := landlock.why_not():
            raise _cannot(reason)
        return Landlock()
    if kind == Seatbelt.kind:
        if reason := seatbelt.why_not():
            raise _cannot(reason)
        return Seatbelt()
    raise InputRefused(f"there is no barrier {kind!r}", todo=f"use one of: {', '.join(KINDS)}")


def _cannot(reason: str) -> MachineRefused:
    return MachineRefused(
        f"no barrier can be made between the roles: {reason}", kept="Nothing was started", todo=remedy(reason)
    )


def remedy(reason: str) -> str:
    rows = tomllib.loads(files("statsclaw.sandbox").joinpath("remedies.toml").read_text(encoding="utf-8"))["remedy"]
    return next(str(row["todo"]) for row in rows if row["words"] in reason)

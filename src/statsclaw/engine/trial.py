"""One tiny call of a backend as it would play a role: the real program, the real barrier, the real bridge."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from statsclaw.backends.registry import make_backend
from statsclaw.backends.task import Task
from statsclaw.engine.spending import metered, settled
from statsclaw.engine.tools import language_tools
from statsclaw.errors import StatsClawError
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.events import Usage
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.barrier import Barrier
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.endpoints import Endpoint
from statsclaw.sandbox.limits import Limits
from statsclaw.sandbox.network import with_network
from statsclaw.sandbox.process import end_all
from statsclaw.sandbox.room import Room


@dataclass(frozen=True, slots=True)
class Trial:
    """`failure`: why it did not work, empty where it did. `said`: its last words."""

    seconds: float
    usage: Usage = field(default_factory=Usage)
    failure: str = ""
    transcript: str = ""
    said: str = ""


def tiny_call(
    backend_name: str,
    endpoints: Sequence[Endpoint],
    barrier: Barrier,
    prompt: str,
    *,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
) -> Trial:
    """In a room that is empty before and gone afterwards. `env`: what the program is told beside the usual."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="statsclaw-setup-", ignore_cleanup_errors=True) as scratch:
        room = Room(Path(scratch).resolve() / "room", Path(scratch).resolve() / "desk")
        try:
            room.furnish({}, {"prompt.md": prompt.encode()})
            backend = make_backend(backend_name, "setup")
            enclosure = room.enclosure(backend.equip(language_tools(load_profile("python"))))
            confinement = Confinement(barrier, enclosure, Limits(timeout_s=timeout_s), room.desk)
            task = Task(role="setup", attempt=1, digest=sha256(prompt.encode()), prompt=prompt)
            with with_network(confinement, endpoints) as (connected, bridge):
                told = replace(connected, env={**connected.env, **(env or {})})
                result = backend.run(task, room, told)
                counted = metered(bridge.use, [endpoints[0].name]) if bridge else Usage()
        except StatsClawError as refused:
            return Trial(time.monotonic() - begun, failure=refused.line())
        except KeyboardInterrupt:
            end_all()
            raise
    seconds = time.monotonic() - begun
    if result is None:
        return Trial(seconds, failure="it waits for a person")
    return Trial(seconds, settled(result.usage, counted), result.failure, result.transcript, result.said)

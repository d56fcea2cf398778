"""From a name on the command line to a backend."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from statsclaw.backends.acp import AcpBackend
from statsclaw.backends.agent_program import AgentProgram
from statsclaw.backends.api import ApiBackend
from statsclaw.backends.claude import ClaudeBackend
from statsclaw.backends.codex import CodexBackend
from statsclaw.backends.command import CommandBackend
from statsclaw.backends.gemini import GeminiBackend
from statsclaw.backends.human import HumanBackend
from statsclaw.backends.protocol import Backend
from statsclaw.backends.replay import Recording, ReplayBackend
from statsclaw.backends.twin import Finished, TwinBackend
from statsclaw.errors import InputRefused
from statsclaw.profiles.profile import Profile

KNOWN = "human, claude, codex, gemini (or with :MODEL), api:PROVIDER/MODEL, acp:PROGRAM, command:PROGRAM, replay:FOLDER"
AGENTS: dict[str, type[AgentProgram]] = {
    "acp": AcpBackend,
    "api": ApiBackend,
    "claude": ClaudeBackend,
    "codex": CodexBackend,
    "gemini": GeminiBackend,
}


def make_backend(
    name: str,
    run_id: str,
    *,
    recording: Recording | None = None,
    pass_env: Collection[str] = (),
    profile: Profile | None = None,
) -> Backend:
    """`profile`: of the package, for whoever carries a contract over from another language."""
    kind, _, rest = name.partition(":")
    if kind == "human" and not rest:
        return HumanBackend(run_id)
    if kind in AGENTS:
        return AGENTS[kind](rest)
    if kind == "command":
        return CommandBackend(rest, pass_env)
    if kind == "twin":
        return TwinBackend(Finished(Path(rest)), profile)
    if kind == "replay":
        return ReplayBackend(recording or Recording(Path(rest)))
    raise InputRefused(f"there is no backend {name!r}", todo=f"use one of: {KNOWN}")


def check_backend_name(name: str) -> None:
    """Refuse an unknown backend before anything is started."""
    if name != "replay":
        make_backend(name, "unnamed")

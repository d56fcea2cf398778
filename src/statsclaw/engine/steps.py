"""The steps of a run: what the loop may do next. Each is plain data; `perform` does it."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.roles.matrix import Role
from statsclaw.states import State


@dataclass(frozen=True, slots=True)
class Enter:
    """The gate is open: go into the state."""

    state: State
    applicable: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """Write a document that is the engine's own."""

    name: str


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Send roles to work, side by side."""

    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Freeze:
    """Fix the specifications by their hashes."""


@dataclass(frozen=True, slots=True)
class Verify:
    """Build, check, test and simulate the tree as it stands."""


@dataclass(frozen=True, slots=True)
class Block:
    """Verification failed: send the work back to whom it concerns."""

    role: Role


@dataclass(frozen=True, slots=True)
class Ask:
    """Put a question to the person: workflow, profile, ship, or an escalation that the log holds."""

    topic: str


@dataclass(frozen=True, slots=True)
class Commit:
    """Make the verified tree a commit."""


@dataclass(frozen=True, slots=True)
class Push:
    """Push the commit."""


@dataclass(frozen=True, slots=True)
class Sync:
    """Bring log entry, changelog and hand-off into the workspace."""


@dataclass(frozen=True, slots=True)
class Finish:
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be done before a person answers or hands in."""


Step = Enter | Write | Dispatch | Freeze | Verify | Block | Ask | Commit | Push | Sync | Finish | Wait

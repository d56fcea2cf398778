"""The steps of a run: what the loop may do next. Each is plain data; `perform` does it."""

from __future__ import annotations

from dataclasses import dataclass

from statsclaw.roles.matrix import Role
from statsclaw.runlog.causes import CauseKind
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
class Understand:
    """Read comprehension.md against the sources: what is missing in it, what it leaves to the person."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Execute both readings of the sources on the same inputs."""


@dataclass(frozen=True, slots=True)
class Lint:
    """Look at the specifications together, before anybody works from them."""


@dataclass(frozen=True, slots=True)
class SendBack:
    """The engine's checks of documents or tests found errors: back to their author."""

    role: Role
    cause: CauseKind


@dataclass(frozen=True, slots=True)
class CheckSuite:
    """Look at questions and study without a package, and try them on meaningless answers."""


@dataclass(frozen=True, slots=True)
class Review:
    """Compute the seven checks."""


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
    """Put a question to the person: workflow, profile, ship, or an escalation that the log holds.

    `about`: the dispatch that cannot go on without the answer.
    """

    topic: str
    about: str = ""


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


Step = (
    Enter
    | Write
    | Dispatch
    | Understand
    | Compare
    | Lint
    | SendBack
    | CheckSuite
    | Review
    | Freeze
    | Verify
    | Block
    | Ask
    | Commit
    | Push
    | Sync
    | Finish
    | Wait
)

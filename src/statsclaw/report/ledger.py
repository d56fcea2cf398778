"""A run as a report reads it: every line of its log in its place, the fold of them, the store, the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from statsclaw.backends.replay import ReplayBackend
from statsclaw.engine.breach import with_canaries
from statsclaw.errors import LogDamaged, StatsClawError
from statsclaw.intake.workflow import workflow
from statsclaw.roles.matrix import Role
from statsclaw.roles.view import view_of
from statsclaw.runlog import chain
from statsclaw.runlog import events as e
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import Contract, read_contract
from statsclaw.workspace.layout import RunFolder

E = TypeVar("E", bound=e.Event)


@dataclass(frozen=True)
class Ledger:
    """`bytes_given`: of every dispatch, the documents it was given; None where one of them is not known any more."""

    folder: RunFolder
    records: tuple[chain.Record, ...]
    view: RunView
    store: ContentStore
    contract: Contract
    bytes_given: Mapping[str, int | None]

    def each(self, kind: type[E]) -> Iterator[tuple[int, E]]:
        """The events of a kind with their places, in order."""
        for record in self.records:
            if isinstance(record.event, kind):
                yield record.seq, record.event

    def last(self, kind: type[E], of: Callable[[E], bool] = lambda _: True) -> int:
        """The place of the last such event; 0 if there is none."""
        return max((seq for seq, event in self.each(kind) if of(event)), default=0)

    def text(self, digest: str) -> str:
        """A stored text, or why it cannot be shown."""
        try:
            return self.store.get_text(digest)
        except LogDamaged as damage:
            return f"({damage.happened})"

    @property
    def recorded(self) -> bool:
        """Every role was played by a recording."""
        backends = {dispatch.backend for dispatch in self.view.dispatches.values()}
        return backends == {ReplayBackend.name} or (not backends and self.view.head.replay_of is not None)

    @property
    def judged_tree(self) -> str:
        """The tree that was judged or verified last: the tree of the run, unless work has gone on since."""
        commands = [event.tree_sha256 for _, event in self.each(e.CommandExecuted) if event.subject == "after"]
        current = self.view.tree_sha256
        return current if current in commands or not commands else commands[-1]

    @property
    def judged(self) -> tuple[int, e.CriteriaJudged | None]:
        """The last verdicts on the result, of the tree that was judged last, and their place; 0 and None: none."""
        return max(
            ((seq, event) for seq, event in self.each(e.CriteriaJudged) if event.subject == "after"),
            key=lambda row: (row[1].tree_sha256 == self.judged_tree, row[0]),
            default=(0, None),
        )


def read_ledger(folder: RunFolder) -> Ledger:
    records = chain.read(folder.path / EVENTS).records
    view, store = RunView(), ContentStore(folder.store)
    given: dict[str, int | None] = {}
    for record in records:
        if isinstance(record.event, e.DispatchStarted):
            given[record.event.dispatch] = _bytes_given(record.event, view, store)
        view.apply(record)
    return Ledger(folder, records, view, store, _contract(view, store), given)


def _contract(view: RunView, store: ContentStore) -> Contract:
    """What can be read of the planner's documents; an empty contract where they are gone or were never whole."""
    found = {name: artifact for name, artifact in view.artifacts.items() if artifact.producer == Role.PLANNER}
    try:
        return read_contract({name: store.get_text(artifact.sha256) for name, artifact in found.items()})
    except (LogDamaged, Malformed):
        return Contract()


def _bytes_given(event: e.DispatchStarted, view: RunView, store: ContentStore) -> int | None:
    if event.sandbox is None:
        return None
    computed = _documents(event.role, view, store)
    sizes = [_size(digest, computed.get(name), store) for name, digest in event.sandbox.documents.items()]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _documents(role: str, view: RunView, store: ContentStore) -> dict[str, bytes]:
    """What the log implies that a role was given; a specification is given with marks that are not in the store."""
    if view.workflow is None or role not in set(Role):
        return {}
    try:
        expected = view_of(Role(role), view, workflow(view.workflow).roles, store)
        return with_canaries(view, Role(role), expected.documents)
    except StatsClawError:
        return {}


def _size(digest: str, computed: bytes | None, store: ContentStore) -> int | None:
    if computed is not None and sha256(computed) == digest:
        return len(computed)
    try:
        return len(store.get(digest))
    except LogDamaged:
        return None

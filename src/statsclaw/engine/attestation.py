"""The access matrix as it was in fact: read from the log, and computed again from it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from statsclaw.backends.human import HumanBackend
from statsclaw.backends.replay import ReplayBackend
from statsclaw.backends.twin import TwinBackend
from statsclaw.engine.breach import with_canaries
from statsclaw.engine.scratch import EARLIER, scratch_of
from statsclaw.errors import LogDamaged
from statsclaw.intake.project import profile_settings
from statsclaw.intake.workflow import workflow
from statsclaw.profiles.profile import Profile, load_profile, with_overrides
from statsclaw.roles.matrix import EVERYTHING, MATRIX, Role
from statsclaw.roles.view import View, view_of
from statsclaw.runlog import chain
from statsclaw.runlog.events import DispatchResumed, DispatchStarted, Sandbox
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import EVENTS
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.tree import TargetRepo
from statsclaw.workspace.layout import RunFolder

_WITHOUT_PROGRAM = (HumanBackend.name, ReplayBackend.name, TwinBackend.name)
_WRITABLE = {"repository", "outbox", "home", "temporary"}


@dataclass
class Seen:
    """One dispatch: what it was given according to the log, and where that differs from what the log implies."""

    dispatch: str
    role: str
    sandbox: Sandbox | None
    classes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def dispatches_of(folder: RunFolder) -> list[Seen]:
    """Every dispatch of a run, each compared with the state of the log at the moment it began."""
    store, view = ContentStore(folder.store), RunView()
    found: list[Seen] = []
    for record in chain.read(folder.path / EVENTS).records:
        if isinstance(record.event, DispatchStarted):
            found.append(_look(record.event, view, store, folder))
        if isinstance(record.event, DispatchResumed) and record.event.sandbox:
            seen = next(seen for seen in reversed(found) if seen.dispatch == record.event.dispatch)
            seen.faults += _resumed(record.event.sandbox, seen.sandbox, view.dispatches[seen.dispatch].backend, view)
        view.apply(record)
    for seen in found:
        closed = view.dispatches[seen.dispatch].closed
        given = seen.sandbox.documents if seen.sandbox else {}
        strange = [name for name in (closed.opened or () if closed else ()) if name not in given]
        seen.faults += [f"{name} was opened, but not given" for name in strange]
    return found


def _look(event: DispatchStarted, view: RunView, store: ContentStore, folder: RunFolder) -> Seen:
    seen = Seen(event.dispatch, event.role, event.sandbox)
    if event.sandbox is None:
        seen.faults.append("the log says nothing about its sandbox")
        return seen
    if view.workflow is None or view.profile is None:
        seen.faults.append("it began before the workflow and the language were known")
        return seen
    profile = _profile(view.profile, folder.target, view)
    role = Role(event.role)
    expected = view_of(role, view, workflow(view.workflow).roles, store)
    seen.faults += _documents(event, role, expected, view)
    rows = _rows(event.sandbox, store, seen)
    seen.classes = Counter(profile.classify(path) for path, _, _ in rows)
    seen.faults += [
        f"{path} is shown, which the {role} may not see" for path, _, _ in rows if not expected.sees(path, profile)
    ]
    if event.sandbox.repository_sha256 != event.view_sha256:
        seen.faults.append("its repository is not the one the log names")
    if folder.target.is_dir():
        seen.faults += _repository(
            rows, expected, profile, view, store, TargetRepo(folder.target, view.head.base_commit)
        )
    seen.faults += _mounts(event.sandbox, event.backend, view)
    return seen


def _resumed(now: Sandbox, before: Sandbox | None, backend: str, view: RunView) -> Iterator[str]:
    """A role that rested is given what it was given before, and nothing else."""
    if before is None or now.documents != before.documents:
        yield "after its rest it was given other documents"
    if before is None or now.repository_sha256 != before.repository_sha256:
        yield "after its rest it was given another repository"
    yield from (f"after its rest: {fault}" for fault in _mounts(now, backend, view))


def _profile(name: str, target: Path, view: RunView) -> Profile:
    profile = load_profile(name)
    settings = profile_settings(TargetRepo(target, view.head.base_commit)) if target.is_dir() else {}
    return with_overrides(profile, settings)


def _is_of_engine(name: str) -> bool:
    """The language of questions is the engine's, the same for everybody; a newer engine has another."""
    return name.startswith(("ask/statsclaw_", "ask/ask_main.", "ask/questions.md"))


def _documents(event: DispatchStarted, role: Role, expected: View, view: RunView) -> Iterator[str]:
    assert event.sandbox is not None
    told = dict(event.sandbox.documents)
    if told.pop("prompt.md", None) != event.prompt_sha256:
        yield "prompt.md is not the prompt the log names"
    computed = {name: sha256(data) for name, data in with_canaries(view, role, expected.documents).items()}
    left = {f"{EARLIER}/{path}": digest for path, digest in scratch_of(view, role).items()}
    told = {name: digest for name, digest in told.items() if left.get(name) != digest}  # its own, of before
    yield from (f"{name} was given, and should not have been" for name in sorted(set(told) - set(computed)))
    yield from (f"{name} was not given" for name in sorted(set(computed) - set(told)))
    yield from (
        f"{name} is not the one of the log"
        for name in sorted(told)
        if computed.get(name, told[name]) != told[name] and not _is_of_engine(name)
    )
    allowed = MATRIX[role].artifacts
    for name in told:
        producer = view.artifacts[name].producer if name in view.artifacts else ""
        if producer == Role.PLANNER and allowed != EVERYTHING and name not in allowed:
            yield f"{name} is not for the {role}"


def _rows(sandbox: Sandbox, store: ContentStore, seen: Seen) -> list[tuple[str, str, bool]]:
    try:
        return [
            (path, digest, executable) for path, digest, executable in json.loads(store.get(sandbox.repository_sha256))
        ]
    except (OSError, ValueError, TypeError, LogDamaged):
        seen.faults.append("what its repository held cannot be read")
        return []


def _repository(
    rows: list[tuple[str, str, bool]],
    expected: View,
    profile: Profile,
    view: RunView,
    store: ContentStore,
    target: TargetRepo,
) -> Iterator[str]:
    """Compare with the base commit and everything taken from roles before this dispatch."""
    told = {path: digest for path, digest, _ in rows}
    wanted = [f for path, f in target.files.items() if path not in view.overlay and expected.sees(path, profile)]
    computed = {file.path: sha256(data) for file, data in (target.contents(wanted) if wanted else ())}
    taken = {path: c.sha256 for path, c in view.overlay.items() if c.sha256 and expected.sees(path, profile)}
    computed |= {path: digest for path, digest in taken.items() if digest}
    for path in sorted(set(told) | set(computed)):
        if told.get(path) != computed.get(path):
            yield f"{path} in its repository is not what the log implies"


def _mounts(sandbox: Sandbox, backend: str, view: RunView) -> Iterator[str]:
    for mount in sandbox.mounts:
        if mount.writable and mount.purpose not in _WRITABLE:
            yield f"{mount.path} was writable"
    if sandbox.user < 0 and backend not in _WITHOUT_PROGRAM:
        yield "a program played, and the log says that none was run"
    if sandbox.kind == NoBarrier.kind:
        yield "it ran without a sandbox: what it could see is not known"
    if sandbox.user >= 0 and sandbox.kind != view.head.barrier:
        yield f"it ran behind {sandbox.kind!r}, the run was started with {view.head.barrier!r}"
    yield from (f"it could reach {host}" for host in sandbox.network if host not in view.head.network)

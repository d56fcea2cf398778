"""The two ends of a dispatch: its view, room and sandbox; and the taking-in of what was left behind."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from statsclaw.artifacts.catalogue import ArtifactKind, catalogue, owed_by
from statsclaw.artifacts.check import faults, section, verdicts
from statsclaw.artifacts.mark import marked, unmarked
from statsclaw.backends.protocol import Backend
from statsclaw.backends.task import Task
from statsclaw.engine.breach import APART, interface_of, look_for_traces, with_canaries
from statsclaw.engine.contracts import contract_faults, leaves_choices_open, partial_understanding
from statsclaw.engine.conversations import keep_conversation, kept_conversation, take_up_conversation
from statsclaw.engine.plan import has_contract
from statsclaw.engine.readings import reading_faults
from statsclaw.engine.run import Run
from statsclaw.engine.scratch import earlier_scratch, keep_scratch
from statsclaw.engine.tools import check_tools
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import MATRIX, ROUTES, Role
from statsclaw.roles.prompt import render_prompt
from statsclaw.roles.view import View, view_of
from statsclaw.runlog.causes import Cause, CauseKind
from statsclaw.runlog.dispatch_id import DispatchId
from statsclaw.runlog.events import (
    DispatchFailed,
    DispatchFinished,
    DispatchStarted,
    Event,
    FileChange,
    IsolationBreached,
    Option,
    Sandbox,
    SandboxClosed,
    SignalRaised,
)
from statsclaw.runlog.fold import DispatchView
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.attest import attest
from statsclaw.sandbox.barrier import NoBarrier, NoProgram
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Enclosure
from statsclaw.sandbox.endpoints import CUSTOM, Endpoint
from statsclaw.sandbox.handin import HandIn, Raised
from statsclaw.sandbox.importer import TooMuch, take_outbox, take_repository, twin_names
from statsclaw.sandbox.network import hosts_of
from statsclaw.sandbox.room import Room, manifest_digest, manifest_json
from statsclaw.sandbox.tree import Manifest, paths_in, write_tree
from statsclaw.specs.contract import COMPREHENSION
from statsclaw.specs.render import Assembled, assemble
from statsclaw.states import Signal
from statsclaw.verify.blind.asking import is_ask_file
from statsclaw.verify.report import redacted_words


def models_of(run: Run, backend: Backend) -> tuple[Endpoint, ...]:
    """What a role's program may reach: all that the run may, or of an agent program its own, else a gateway."""
    own = getattr(backend, "endpoint", "")
    if not backend.executes or not own:
        return run.endpoints if backend.executes else ()
    by_name = {row.name: row for row in run.endpoints}
    found = by_name.get(own) or by_name.get(CUSTOM)
    return (found,) if found else ()


def compose_prompt(run: Run, view: View, *, earlier: bool = False) -> str:
    """`earlier`: its last attempt left something on the side."""
    return render_prompt(
        view.role,
        roles=run.plan.roles,
        profile=run.profile,
        attempt=view.attempt,
        directive=view.directive,
        inputs=sorted(view.documents),
        answers=run.view.answers_for(view.role),
        feedback=view.feedback,
        kept=any(d.role == view.role and d.finished for d in run.view.dispatches.values()),
        limits=run.limits,
        earlier=earlier,
    )


def start_dispatch(run: Run, role: Role, backend: Backend, tools: Enclosure) -> tuple[Task, Room, Confinement]:
    view = view_of(role, run.view, run.plan.roles, run.store)
    earlier = earlier_scratch(run, role)
    prompt = compose_prompt(run, view, earlier=bool(earlier))
    name = str(DispatchId(role, view.attempt))
    room = run.room(name)
    room.clear()
    profile = run.profile
    manifest = write_tree(run.target, run.view.overlay, run.store, room.repo, lambda path: view.sees(path, profile))
    documents = with_canaries(run.view, role, view.documents) | earlier | {"prompt.md": prompt.encode()}
    room.furnish(manifest, documents)
    repository = manifest_digest(manifest)
    session = take_up_conversation(run, role, backend, room)
    enclosure = room.enclosure(backend.equip(tools))
    check_tools(run, enclosure)
    confinement = Confinement(run.barrier, enclosure, run.limits, room.desk)
    digest = _task_digest(run, view, manifest)
    task = Task(role=role, attempt=view.attempt, digest=digest, prompt=prompt, session=session)
    started = DispatchStarted(
        dispatch=name,
        role=role,
        attempt=view.attempt,
        backend=backend.name,
        task_sha256=task.digest,
        prompt_sha256=run.store.put_text(prompt),
        view_sha256=repository,
        barrier=run.barrier.kind if backend.executes else backend.name,
        sandbox=_attested(
            run, backend, enclosure, documents, run.store.put(manifest_json(manifest)), {"home"} if session else set()
        ),
        goes_on=bool(session),
    )
    run.log.append(started)
    return task, room, confinement


def can_go_on(run: Run, rests: DispatchView, backend: Backend) -> bool:
    """Whether a role that rests has its room, its own mind, and just what it would be given now."""
    if backend.name != rests.backend or not run.room(rests.id).is_furnished:
        return False
    view = view_of(Role(rests.role), run.view, run.plan.roles, run.store)
    with tempfile.TemporaryDirectory(dir=run.folder.desk("")) as scratch:
        sees = partial(view.sees, profile=run.profile)
        manifest = write_tree(run.target, run.view.overlay, run.store, Path(scratch) / "repo", sees)
    return _task_digest(run, view, manifest) == rests.started.task_sha256


def _task_digest(run: Run, view: View, manifest: Manifest) -> str:
    """Names what a role is given, without the files that the engine itself writes: a better runner is no other task."""
    made = {change.path for change in run.view.suite.files} if run.view.suite else set()
    return view.digest(manifest_digest({path: entry for path, entry in manifest.items() if path not in made}))


def take_up_dispatch(
    run: Run, dispatch: DispatchView, backend: Backend, tools: Enclosure
) -> tuple[Task, Room, Confinement, Sandbox] | None:
    """A role that rests, ready to go on in its room as it left it; None if the room is gone."""
    room, started = run.room(dispatch.id), dispatch.started
    if not room.is_furnished or started.sandbox is None:
        return None
    documents = {name: (room.inbox / name).read_bytes() for name in started.sandbox.documents}
    enclosure = room.enclosure(backend.equip(tools))
    check_tools(run, enclosure)
    digest = started.sandbox.repository_sha256
    sandbox = _attested(run, backend, enclosure, documents, digest, {"home", "outbox", "temporary"})
    task = Task(
        role=dispatch.role,
        attempt=dispatch.attempt,
        digest=started.task_sha256,
        prompt=run.store.get_text(started.prompt_sha256),
        session=kept_conversation(run, dispatch.role, backend) if started.goes_on else "",
    )
    return task, room, Confinement(run.barrier, enclosure, run.limits, room.desk), sandbox


def _attested(
    run: Run,
    backend: Backend,
    enclosure: Enclosure,
    documents: Mapping[str, bytes],
    repository_sha256: str,
    in_use: Collection[str],
) -> Sandbox:
    return attest(
        run.barrier if backend.executes else NoProgram(backend.name),
        enclosure,
        run.limits,
        documents,
        repository_sha256,
        hosts_of(models_of(run, backend)),
        run.local.pass_env if backend.executes else (),
        run.scrub,
        in_use,
    )


def collect(run: Run, dispatch: DispatchView, result: HandIn) -> None:
    """Take in a finished dispatch, or record why nothing of it can be taken."""
    transcript = run.store.put_text(run.scrub(result.transcript)) if result.transcript else None
    common = {
        "dispatch": dispatch.id,
        "usage": result.usage,
        "elapsed_s": result.elapsed_s,
        "transcript_sha256": transcript,
    }
    inspected = inspect(run, dispatch, result)
    traces = look_for_traces(run, dispatch, result, inspected.named_contents())
    breaches = tuple(trace for trace in traces if trace.severity == "breach")
    run.log.append(
        SandboxClosed(
            dispatch=dispatch.id,
            opened=result.opened,
            network=result.network,
            ended_by=result.ended_by,
            suspicions=tuple(trace for trace in traces if trace.severity == "suspicion"),
            scratch={} if breaches else keep_scratch(run, dispatch.id, dispatch.role),
        )
    )
    refused = tuple(run.scrub(row) for row in inspected.refused)
    event: Event
    if breaches:
        event = IsolationBreached(role=dispatch.role, traces=breaches, **common)
    elif inspected.problems or refused:
        reason = why_nothing_is_taken(inspected.problems, refused)
        event = DispatchFailed(role=dispatch.role, reason=run.scrub(reason)[:2000], refused=refused, **common)
    elif inspected.signal:
        event = _signal(run, Role(dispatch.role), inspected.signal, common, inspected.artifacts)
    else:
        event = DispatchFinished(
            role=dispatch.role,
            artifacts=inspected.artifacts,
            files=tuple(inspected.files),
            note=result.note,
            verdict=inspected.verdict,
            **common,
        )
    if not isinstance(event, DispatchFailed | IsolationBreached):
        for data in inspected.contents.values():
            run.store.put(data)
    run.log.append(event)
    run.meters.forget(dispatch.id)
    keep_conversation(run, dispatch, result if not breaches else HandIn())
    run.room(dispatch.id).clear()


def why_nothing_is_taken(problems: Sequence[str], refused: Sequence[str]) -> str:
    """What was refused comes first: a document that is missing may be one that was handed in and not taken."""
    what = "not taken" if problems else "it wrote outside its surface"
    left_out = [f"{what}: {'; '.join(refused[:5])}"] if refused else []
    return "; ".join([*left_out, *problems])


@dataclass
class Inspected:
    """`missing`: of the problems, the documents that are not there at all; `undelivered`: questions or a study.

    `assembled`: what a planner left.
    """

    problems: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    undelivered: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    signal: Raised | None = None
    artifacts: dict[str, str] = field(default_factory=dict)
    files: list[FileChange] = field(default_factory=list)
    contents: dict[str, bytes] = field(default_factory=dict)
    verdict: str = ""
    assembled: Assembled | None = None

    def named_contents(self) -> dict[str, bytes]:
        """Everything handed in, under the name a person knows it by."""
        rows = [*self.artifacts.items(), *((change.path, change.sha256) for change in self.files)]
        return {name: self.contents[digest] for name, digest in rows if digest in self.contents}


def inspect(run: Run, dispatch: DispatchView, result: HandIn) -> Inspected:
    """Look at what is in the room without believing any of it."""
    role = Role(dispatch.role)
    found = Inspected(signal=result.signal)
    if result.failure:
        found.problems.append(result.failure)
        return found
    if result.signal is not None and result.signal.signal not in MATRIX[role].may_raise:
        found.problems.append(f"{role} raised {result.signal.signal}, which it does not own")
        return found
    if result.signal is not None and result.signal.signal is Signal.BLOCK and not _authors(run, Signal.BLOCK):
        found.problems.append(f"{role} raised BLOCK, but nobody in this workflow could act on it")
        return found
    room, profile = run.room(dispatch.id), run.profile
    try:
        manifest = room.manifest()
        if manifest_digest(manifest) != dispatch.started.view_sha256:
            found.problems.append("its room was changed from outside")
            return found
        owed = owed_by(role, run.plan.roles)
        outbox = take_outbox(room.outbox, [kind.name for kind in owed], run.limits)
        found.refused += outbox.refused
        if role is Role.PLANNER:
            assembled = assemble(outbox.artifacts)
            outbox.artifacts = assembled.documents
            clean = {name: _clean(run, data) for name, data in outbox.artifacts.items()}
            found.assembled = replace(assembled, documents=clean)
            found.signal = found.signal or partial_understanding(outbox.artifacts)
            if leaves_choices_open(outbox.artifacts):
                owed = [kind for kind in owed if kind.name == COMPREHENSION]
        if found.signal is None:
            view = view_of(role, run.view, run.plan.roles, run.store)
            taken = take_repository(room.repo, manifest, lambda p: view.may_write(p, profile), run.limits)
            found.refused += taken.refused
            found.files, found.contents = taken.files, taken.contents
            found.missing = [kind.name for kind in owed if kind.name not in outbox.artifacts]
            found.problems += _missing(run, owed, outbox.artifacts)
            found.problems += _contract_problems(run, outbox.artifacts, found.assembled)
            found.undelivered = _undelivered(run, role, found.files)
            found.problems += found.undelivered
            found.problems += _collisions(run, found.files)
            found.problems += _secrets(run, found)
    except TooMuch as reason:
        found.problems.append(str(reason))
        return found
    except (OSError, ValueError) as error:
        found.problems.append(f"its room cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}")
        return found
    _keep_artifacts(run, role, outbox.artifacts, found)
    return found


def _missing(run: Run, owed: Sequence[ArtifactKind], artifacts: dict[str, bytes]) -> list[str]:
    problems = []
    for kind in owed:
        data = artifacts.get(kind.name)
        problems += [f"{kind.name} is missing"] if data is None else faults(kind, _clean(run, data))
    return problems


def _contract_problems(run: Run, artifacts: dict[str, bytes], planned: Assembled | None) -> list[str]:
    """Typed blocks that cannot be read, in the words of whoever can mend them."""
    if planned is not None:
        return contract_faults(run, planned)
    return reading_faults(run, _clean(run, artifacts["reading.md"])) if "reading.md" in artifacts else []


def _clean(run: Run, data: bytes) -> bytes:
    """A document as it will be kept: scrubbed before it is checked, so that what is kept is what was checked."""
    try:
        text = data.decode("utf-8")
    except UnicodeError:
        return data
    if "\0" in text:
        return data  # not text: it will be refused
    clean = run.scrub(text).encode("utf-8")
    return marked(clean) if clean.strip() and run.barrier.kind == NoBarrier.kind else clean


def _collisions(run: Run, files: Sequence[FileChange]) -> list[str]:
    """A file where the repository has a folder, or below what is a file there; a name that another machine confuses."""
    before = paths_in(run.target, run.view.overlay)
    paths = paths_in(run.target, run.view.overlay | {change.path: change for change in files})
    both = {parent for path in paths for parent in _parents(path)} & paths
    touched = [change.path for change in files if change.path in both or both & set(_parents(change.path))]
    twins = twin_names([change.path for change in files if change.sha256], before, paths)
    return [
        *(f"{path}: something is a file and a folder at once" for path in touched),
        *(f"{path}: its name differs from another only in case or in Unicode form" for path in twins),
    ]


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _undelivered(run: Run, role: Role, files: Sequence[FileChange]) -> list[str]:
    """A tester without a test or a simulator without a study has nothing that could be executed."""
    paths = paths_in(run.target, run.view.overlay | {change.path: change for change in files})
    own = [path for path in paths if run.profile.classify(path) is PathClass.VALIDATION]
    if role is Role.TESTER and has_contract(run.plan) and not any(map(is_ask_file, own)):
        return ["there is no file with questions, tests/validation/ask_<topic>.py or .R, in the repository"]
    if role is Role.TESTER and not own:
        return ["there is no validation test in the repository"]
    if role is Role.SIMULATOR:
        return _study_faults(run.profile.study_entries(), paths)
    return []


def _study_faults(entries: Sequence[str], paths: Collection[str]) -> list[str]:
    there = [entry for entry in entries if entry in paths]
    if not there:
        return [f"{' or '.join(entries)} is missing"]
    return [f"{' and '.join(there)} are both there, and one of them is the study: remove the other"] * (len(there) > 1)


def _secrets(run: Run, found: Inspected) -> list[str]:
    return [
        f"{run.scrub(change.path)} holds a secret or a path of this machine"
        for change in found.files
        if run.finds_secret(change.path.encode() + b"\n" + found.contents.get(change.sha256 or "", b""))
    ]


def _keep_artifacts(run: Run, role: Role, artifacts: dict[str, bytes], found: Inspected) -> None:
    for name, raw in artifacts.items():
        data = _clean(run, raw)
        if faults(catalogue()[name], data):
            continue  # only possible beside a signal; an unfinished document is not kept
        text = data.decode("utf-8")
        found.artifacts[name] = sha256(data)
        found.contents[sha256(data)] = data
        if catalogue()[name].in_repo:
            own = unmarked(data)  # in the repository it stands as it was written; the commit says how it was made
            found.contents[sha256(own)] = own
            found.files = [change for change in found.files if change.path != name]
            found.files.append(FileChange(path=name, sha256=sha256(own)))
        if name == "review.md":
            found.verdict = verdicts(text)[0]
            if found.verdict == "STOP" and found.signal is None:
                reason = (section(text, "Verdict") or "").strip()
                found.signal = Raised(signal=Signal.STOP, message=reason[:4000])
    if found.signal and found.signal.signal is Signal.STOP and found.verdict and not _authors(run, Signal.STOP):
        found.signal, found.verdict = None, "STOP"  # nobody here could act on it: the review itself is the result


def _signal(run: Run, role: Role, raised: Raised, common: dict[str, object], artifacts: dict[str, str]) -> SignalRaised:
    goes_to = _route(run, role, raised)
    crosses = role is not goes_to and goes_to in APART and not run.local.reveal
    heard = redacted_words(raised.message, interface_of(run), raised.signal) if crosses else None
    return SignalRaised(
        signal=raised.signal,
        raised_by=role,
        cause=str(Cause(CauseKind.ROLE, role)),
        route_to=goes_to,
        message=run.scrub(raised.message),
        told=heard.text if heard else None,
        leak=heard.leak if heard else None,
        options=tuple(
            Option(label=run.scrub(option.label), consequence=run.scrub(option.consequence))
            for option in raised.options
        ),
        default=raised.default,
        artifacts=artifacts if raised.signal is Signal.STOP else {},
        **common,
    )


def _authors(run: Run, signal: Signal) -> list[Role]:
    return [role for role in run.plan.roles if role in ROUTES[signal]]


def _route(run: Run, role: Role, raised: Raised) -> Role:
    """Who has to act: as the role says, if it may send work there and somebody is there; else the nearest author."""
    if raised.signal is Signal.HOLD:
        return role
    there = _authors(run, raised.signal)
    if raised.signal is Signal.BLOCK and role is Role.SIMULATOR and Role.PLANNER in there:
        return Role.PLANNER  # it sees nobody's work but its specification
    if raised.route_to in there:
        return Role(str(raised.route_to))
    for candidate in (Role.BUILDER, Role.SIMULATOR, Role.SCRIBER, Role.PLANNER):
        if candidate in there:
            return candidate
    return role

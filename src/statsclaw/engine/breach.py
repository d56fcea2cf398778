"""The second line of the barrier: signs, in what a role hands in, of a specification it was not given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from statsclaw.artifacts.check import section
from statsclaw.engine.run import Run
from statsclaw.leaks.markers import markers_for, with_markers
from statsclaw.leaks.scan import Finding, scan
from statsclaw.roles.matrix import Role
from statsclaw.roles.view import View, view_of
from statsclaw.runlog.events import Trace
from statsclaw.runlog.fold import DispatchView, RunView
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Mount
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.limits import MIB
from statsclaw.sandbox.room import Room
from statsclaw.sandbox.toolchain import system
from statsclaw.specs.blocks import Malformed, the_block
from statsclaw.specs.contract import COMPREHENSION, INTERFACE, read_contract

#: The roles that must not know each other's specification.
APART = frozenset({Role.BUILDER, Role.TESTER, Role.SIMULATOR})


def with_canaries(run: RunView, role: Role, documents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The documents as `role` is given them: a specification that others must not know carries its markers."""
    given = dict(documents)
    for name in specifications(run) if role in APART else ():
        if name in given:
            marked = with_markers(given[name].decode("utf-8", "replace"), _markers(run, name))
            given[name] = marked.encode("utf-8")
    return given


def specifications(run: RunView) -> list[str]:
    return [name for name, artifact in run.artifacts.items() if artifact.producer == Role.PLANNER]


def _markers(run: RunView, name: str) -> tuple[str, ...]:
    return markers_for(run.head.canary_seed, run.artifacts[name].sha256, name)


def look_for_traces(
    run: Run, dispatch: DispatchView, result: HandIn, handed_in: Mapping[str, bytes]
) -> tuple[Trace, ...]:
    role = Role(dispatch.role)
    if role not in APART:
        return ()
    view = view_of(role, run.view, run.plan.roles, run.store)
    hidden = {
        n: run.store.get(run.view.artifacts[n].sha256) for n in specifications(run.view) if n not in view.documents
    }
    if not hidden:
        return ()
    if COMPREHENSION in hidden:  # formulas as code: whoever implements the same formula writes the same words
        hidden[COMPREHENSION] = _without_code(hidden[COMPREHENSION])
    output = {**handed_in, "transcript": result.transcript.encode(), "commit messages": result.commits.encode()}
    if result.signal is not None:
        output["signal"] = result.signal.model_dump_json().encode()
    markers = {name: _markers(run.view, name) for name in hidden}
    given = [*view.documents.values(), run.store.get(dispatch.started.prompt_sha256)]
    found = scan(output, hidden, given, markers)
    if found:  # what stands in the role's part of the repository was given to it as well
        found = scan(output, hidden, [*given, *_repository(run, view)], markers)
    return tuple(_trace(run, finding) for finding in found)


def _without_code(document: bytes) -> bytes:
    text = document.decode("utf-8", "replace")
    try:
        block = the_block(COMPREHENSION, text, "python", "definitions", needed=False)
    except Malformed:
        return document
    return text.replace(block.text, "").encode() if block and block.text else document


def _trace(run: Run, finding: Finding) -> Trace:
    return Trace(
        sign=finding.kind,
        severity=finding.severity,
        where=run.scrub(finding.where),
        of=finding.of,
        evidence=run.scrub(finding.evidence),
    )


def _repository(run: Run, view: View) -> list[bytes]:
    overlay = run.view.overlay
    base = [f for path, f in run.target.files.items() if path not in overlay and view.sees(path, run.profile)]
    kept = [data for _, data in run.target.contents(base)] if base else []
    taken = [c.sha256 for path, c in overlay.items() if c.sha256 and view.sees(path, run.profile)]
    return [*kept, *map(run.store.get, taken)]


def commit_messages(confinement: Confinement, room: Room) -> str:
    """What the role wrote into its own repository's history, read behind the barrier: git obeys that repository."""
    if confinement.barrier.kind == NoBarrier.kind or not (room.repo / ".git").is_dir():
        return ""
    shown = system()
    mounts = (*shown.mounts, Mount(inside="/repo", host=str(room.repo), purpose="repository"))
    limits = confinement.limits.model_copy(
        update={"timeout_s": 30.0, "output_bytes": 8 * MIB, "memory_bytes": 512 * MIB}
    )
    looking = replace(confinement, enclosure=replace(shown, mounts=mounts, cwd="/repo"), limits=limits)
    env = {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_PAGER": "cat"}
    done = looking.run(
        ["git", "-c", "safe.directory=*", "log", "--all", "--reflog", "--no-textconv", "--format=%an %ae%n%B%n%N"], env
    )
    return done.output.decode("utf-8", "replace")


def interface_of(run: Run) -> str:
    """What every specification holds: its words are known to all roles. Of a typed interface, its names."""
    if (shared := run.view.artifact(INTERFACE)) is not None:
        try:
            interface = read_contract({INTERFACE: run.store.get_text(shared.sha256)}).interface
        except Malformed:
            interface = None
        if interface is not None:
            return "\n".join(f"`{name}`" for name in interface.names())
    spec = run.view.artifact("spec.md")
    return (section(run.store.get_text(spec.sha256), "Interface") or "") if spec else ""

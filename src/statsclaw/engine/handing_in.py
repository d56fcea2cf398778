"""What is wrong with a hand-in, of all layers at once, for an author who can still mend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import uuid4

from statsclaw.engine.contracts import contract_of, leaves_choices_open
from statsclaw.engine.dispatch import Inspected, inspect
from statsclaw.engine.linting import lint_documents
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import look_at_hand_in
from statsclaw.engine.run import Run
from statsclaw.engine.tools import absent_requirements, registries_of
from statsclaw.engine.verifying import bench_for
from statsclaw.profiles.profile import Package
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Finding
from statsclaw.runlog.fold import DispatchView
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import remove_tree
from statsclaw.specs.blocks import Malformed
from statsclaw.verify.interpreter import METADATA

#: More complaints than these help nobody.
_SHOWN = 40


@dataclass(frozen=True)
class Checked:
    """`problems`: why nothing of it can be taken. `findings`: what the engine's checks find in it, of any severity.

    `standing`: the errors among them that are the author's own and that no person has let stand.
    """

    problems: list[str]
    findings: list[Finding]
    standing: list[Finding]

    @property
    def complaints(self) -> list[str]:
        rows = [*self.problems, *map(told, self.standing)]
        return rows[:_SHOWN] + ([f"… and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])


def check_hand_in(run: Run, dispatch: DispatchView, result: HandIn) -> Checked:
    """Every check that needs nobody else's work, whatever another one finds. Nothing is written to the log."""
    found = inspect(run, dispatch, result)
    role = Role(dispatch.role)
    findings = _LOOKS.get(role, _of_nobody)(run, role, found)
    own = [row for row in findings if row.severity == "error" and row.route_to in ("", role)]
    standing = [row for row in own if not run.view.stands(row)]
    return Checked([*found.refused, *found.problems], findings, standing)


def told(finding: Finding) -> str:
    return f"{finding.where}: {finding.message}" if finding.where else finding.message


def _of_builder(run: Run, role: Role, found: Inspected) -> list[Finding]:
    """Requirements that nobody here can install: then nothing of what was written could be built."""
    taken = {change.path: change.sha256 for change in found.files}
    if METADATA not in taken or run.local.python is not None or registries_of(run):
        return []
    text = found.contents.get(taken[METADATA] or "", b"").decode("utf-8", "replace")
    absent = absent_requirements(run.profile, Package((METADATA,), lambda _: text))
    if not absent:
        return []
    said = f"the package would need {', '.join(absent)}, which is not there where it is built and tested"
    said += ": do without it, or ask the person (HOLD), who could install it"
    return [Finding(check="build", severity="error", message=said, where=METADATA, route_to=role, key="requires")]


def _of_planner(run: Run, _: Role, found: Inspected) -> list[Finding]:
    """What the lint finds in documents that are whole enough to be looked at, where their author wrote it."""
    if found.assembled is None or found.missing or found.signal is not None or not has_contract(run.plan):
        return []
    if leaves_choices_open(found.assembled.documents):
        return []  # the specifications come after the answers
    try:
        texts = {name: data.decode("utf-8") for name, data in found.assembled.documents.items()}
        return [found.assembled.finding(row) for row in lint_documents(run, texts)]
    except (UnicodeDecodeError, Malformed):
        return []  # told as a problem; nothing can be said about the whole before it can be read


def _of_judges(run: Run, role: Role, found: Inspected) -> list[Finding]:
    """What is wrong with questions or a study by themselves: their code is run, without any package."""
    handed_in = {change.path: found.contents.get(change.sha256 or "", b"") for change in found.files if change.sha256}
    if found.undelivered or found.signal is not None or not has_contract(run.plan):
        return []
    place = run.folder.desk(f"checking-{role}") / uuid4().hex  # somebody may look at the run while it is at work
    bench = replace(bench_for(run, contract_of(run)), folder=place / "bench", desk=place / "desk")
    bench.desk.mkdir(parents=True)
    try:
        return look_at_hand_in(run, role, bench, handed_in)
    finally:
        remove_tree(place)


def _of_nobody(_run: Run, _role: Role, _found: Inspected) -> list[Finding]:
    """What these write is looked at by its form only."""
    return []


_LOOKS: Mapping[Role, Callable[[Run, Role, Inspected], list[Finding]]] = MappingProxyType(
    {Role.PLANNER: _of_planner, Role.BUILDER: _of_builder, Role.TESTER: _of_judges, Role.SIMULATOR: _of_judges}
)

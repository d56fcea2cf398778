"""What is wrong with a hand-in, of all layers at once, for an author who can still mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import uuid4

from statsclaw.engine.contracts import contract_of, leaves_choices_open
from statsclaw.engine.dispatch import Inspected, inspect
from statsclaw.engine.linting import lint_documents
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import look_at_hand_in
from statsclaw.engine.run import Run
from statsclaw.engine.verifying import bench_for
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import Finding
from statsclaw.runlog.fold import DispatchView
from statsclaw.sandbox.handin import HandIn
from statsclaw.sandbox.room import remove_tree
from statsclaw.specs.blocks import Malformed

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
    findings = _of_judges(run, role, found) if role in (Role.TESTER, Role.SIMULATOR) else _of_planner(run, found)
    own = [row for row in findings if row.severity == "error" and row.route_to in ("", role)]
    standing = [row for row in own if not run.view.stands(row)]
    return Checked([*found.refused, *found.problems], findings, standing)


def told(finding: Finding) -> str:
    return f"{finding.where}: {finding.message}" if finding.where else finding.message


def _of_planner(run: Run, found: Inspected) -> list[Finding]:
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

"""The lint of the planner's documents: at hand-in, before the freeze, and whenever a person wants to see it."""

from __future__ import annotations

from collections.abc import Mapping

from statsclaw.artifacts.catalogue import owed_by
from statsclaw.artifacts.check import faults
from statsclaw.engine.contracts import document_faults, leaves_choices_open, texts_of
from statsclaw.engine.readings import draw_pilots, sizes_of_definitions
from statsclaw.engine.run import Run
from statsclaw.engine.tools import imported_names
from statsclaw.profiles.profile import Profile
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import ContractChecked, Finding
from statsclaw.runlog.store import sha256
from statsclaw.sources.extract import read_sources
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import COMPREHENSION, SIM_SPEC, TEST_SPEC, Contract, read_contract
from statsclaw.specs.lint import lint
from statsclaw.specs.lint.conflict import pilot_finding
from statsclaw.specs.render import Assembled


def lint_contract(run: Run) -> ContractChecked:
    """The documents that the run holds, looked at together."""
    specs = {n: a.sha256 for n, a in run.view.artifacts.items() if a.producer == Role.PLANNER}
    return ContractChecked(specs=specs, findings=tuple(lint_documents(run, texts_of(run))))


def lint_documents(run: Run, texts: Mapping[str, str]) -> list[Finding]:
    """Every finding of the lint. Pilots and definitions run behind the barrier. `texts`: a whole contract."""
    contract = read_contract(texts)
    pilots, missing = draw_pilots(run, contract)
    computed, names = sizes_of_definitions(run, contract), imported_names(run)
    checks, request = _checks(run.profile), run.view.head.directive
    found = lint(contract, texts, run.index, checks=checks, packages=names, computed=computed, request=request)
    found += missing
    for name, (low, high) in _bounds_of(contract).items():
        if name in pilots and (finding := pilot_finding(name, low, high, pilots[name])):
            found.append(finding)
    return [_placed(contract, finding).keyed() for finding in found]


def lint_without_run(
    planned: Assembled, sources: Mapping[str, bytes], profile: Profile
) -> tuple[list[str], list[Finding]]:
    """Problems and findings of documents for which there is no run yet: without pilots, and without a request."""
    index = read_sources(dict(sources))
    documents = planned.documents
    roles = (Role.PLANNER, Role.BUILDER, Role.TESTER, *((Role.SIMULATOR,) if SIM_SPEC in documents else ()))
    waits = leaves_choices_open(documents)  # the specifications come after the answers
    owed = [kind for kind in owed_by(Role.PLANNER, roles) if not waits or kind.name == COMPREHENSION]
    problems = [f"{kind.name} is missing" for kind in owed if kind.name not in documents]
    for kind in owed:
        problems += faults(kind, documents[kind.name]) if kind.name in documents else []
    problems += document_faults(planned, index, {name: sha256(data) for name, data in sources.items()})
    try:
        texts = {name: data.decode("utf-8") for name, data in documents.items()}
        contract = read_contract(texts)
    except (UnicodeDecodeError, Malformed):
        return problems, []
    if waits or contract.interface is None or contract.tests is None:
        return problems, []
    found = lint(contract, texts, index, checks=_checks(profile))
    return problems, [planned.finding(row.keyed()) for row in found]


def _checks(profile: Profile) -> list[str]:
    """The commands that a criterion may name."""
    return [command.name for command in (*profile.build, *profile.checks, *profile.unit_tests)]


def _bounds_of(contract: Contract) -> dict[str, tuple[float | None, float | None]]:
    tested = {row.id: (row.low, row.high) for row in contract.tests.criteria} if contract.tests else {}
    studied = {row.id: (row.low, row.high) for row in contract.study.criteria} if contract.study else {}
    return tested | studied


def _placed(contract: Contract, finding: Finding) -> Finding:
    """What is known of a criterion by its id alone gets the line where that stands."""
    if contract.tests is not None:
        for number, row in enumerate(contract.tests.criteria):
            if row.id == finding.where:
                where = f"{TEST_SPEC}:{contract.line_of(TEST_SPEC, 'criteria', number)}"
                return finding.model_copy(update={"where": where})
    for number, study_row in enumerate(contract.study.criteria if contract.study else ()):
        if study_row.id == finding.where:
            where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', number)}"
            return finding.model_copy(update={"where": where})
    return finding

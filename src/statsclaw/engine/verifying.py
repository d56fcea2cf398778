"""Verification: build, check, test and simulate the tree as it stands, and judge every frozen criterion from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from statsclaw.engine.carrying import basis_of, carried
from statsclaw.engine.contracts import contract_of
from statsclaw.engine.plan import has_contract
from statsclaw.engine.questions import asks_base, with_questions, with_study
from statsclaw.engine.run import Run
from statsclaw.engine.tools import registries_of, tools_for
from statsclaw.montecarlo.executors.local import cores
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import (
    CommandExecuted,
    CriteriaJudged,
    Criterion,
    FileChange,
    Judgement,
    VerificationFinished,
)
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.limits import GIB, Limits
from statsclaw.sandbox.tree import write_links, write_tree
from statsclaw.specs.contract import Contract
from statsclaw.specs.sim_spec import Study
from statsclaw.states import PHASES
from statsclaw.verify.criteria.judge import failed as failed_criteria
from statsclaw.verify.criteria.judge import judge, question_about_criterion
from statsclaw.verify.criteria.stated import stated_in
from statsclaw.verify.criteria.study import needed_replications, settle
from statsclaw.verify.report import failed_phases
from statsclaw.verify.runner import Bench, LayOut, go_on, verify_tree
from statsclaw.verify.study_report import Records, RecordsRefused, merge, read_records, unpacked


def verify(run: Run) -> None:
    """Everything on the tree as it stands, judged; if it passes, the package as it was, by the same questions."""
    tree = run.view.tree_sha256
    contract = _shortened(contract_of(run), run.view.replications) if has_contract(run.plan) else None
    bench = with_questions(run, bench_for(run, contract), contract)
    seen = _Seen(run, contract)
    if bench.validate is not None:  # what answers are compared with is frozen, and a person may amend it
        seen.basis["validation"] = basis_of(run, bench.seed, sorted(run.view.frozen.items()))
    seen.basis["study"] = basis_of(run, bench.seed, seen.planned)
    bench = with_study(run, bench, contract, basis_of(run, bench.seed, None))
    kept = {phase: list(carried(run, phase, basis)) for phase, basis in seen.basis.items()}
    if asks_base(contract) and _has_base(run):
        _look_back(run, bench, contract, tree, seen.basis.get("validation", ""))
    first = replace(bench, replications=seen.planned)
    phases = tuple(phase for phase in PHASES if not kept.get(phase))
    for executed in verify_tree(first, lay_out(run, run.view.overlay), tree, "after", phases):
        run.log.append(seen.add(executed))
    for executed in chain(*kept.values()) if not failed_phases(seen.evidence) else ():
        run.log.append(seen.add(executed))
    judgements = _judge(run, bench, seen)
    failed = failed_phases(seen.evidence) if seen.evidence else ("nothing was executed",)
    failed = failed or _unexecuted(run, {executed.phase for executed in seen.evidence})
    missed = failed_criteria(judgements)
    failed = failed or ((f"criteria {', '.join(missed)}",) if missed else ())
    has_suite = any(executed.phase == "validation" for executed in seen.evidence)
    if not failed and has_suite and _has_base(run) and not asks_base(contract):
        _look_back(run, bench, contract, tree, seen.basis.get("validation", ""))
    run.log.append(VerificationFinished(tree_sha256=tree, failed=failed))


@dataclass
class _Seen:
    """The evidence so far, and the records of all batches of the study."""

    run: Run
    contract: Contract | None
    evidence: list[CommandExecuted] = field(default_factory=list)
    records: Records | None = None
    refused: str = ""
    basis: dict[str, str] = field(default_factory=dict)

    @property
    def study(self) -> Study | None:
        return self.contract.study if self.contract and Role.SIMULATOR in self.run.plan.roles else None

    @property
    def planned(self) -> tuple[int, int] | None:
        return (0, self.study.replications) if self.study else None

    def add(self, executed: CommandExecuted) -> CommandExecuted:
        """Take evidence in; the records of a study are read here, or the simulator has to mend them."""
        if executed.phase == "study" and self.study is not None and executed.passed:
            try:
                kept = self.run.store.get(executed.records_sha256) if executed.records_sha256 else b""
                found = read_records(unpacked(kept), self.study, seed=executed.seed or 0)
                self.records = merge(self.records, found) if self.records else found
                summary = f"{found.count} replications a cell recorded, from number {found.first}"
                executed = executed.model_copy(update={"summary": summary})
            except RecordsRefused as refused:
                self.refused = str(refused)
                update = {"passed": False, "summary": self.refused[:400], "fault_of": Role.SIMULATOR}
                executed = executed.model_copy(update=update)
        if basis := self.basis.get(executed.phase):
            executed = executed.model_copy(update={"basis_sha256": basis})
        self.evidence.append(executed)
        return executed


def _judge(run: Run, bench: Bench, seen: _Seen) -> list[Judgement]:
    """Every frozen criterion; what is undecided gets more replications, up to the cap, and is then taken literally."""
    if seen.contract is None or not any(e.phase == "validation" for e in seen.evidence):
        return []
    judgements = judge(seen.contract, seen.evidence, seen.records, refused=seen.refused)
    batch = 1
    while seen.study and seen.records and (more := needed_replications(seen.study, judgements, seen.records)):
        batch += 1
        first = seen.records.count
        wider = replace(bench, replications=(first, more))
        for executed in go_on(wider, "study", run.view.tree_sha256, f"batch {batch}"):
            run.log.append(seen.add(executed))
        if seen.refused or not seen.evidence[-1].passed:
            break
        judgements = judge(seen.contract, seen.evidence, seen.records)
    judgements = settle(judgements, _planned(run))
    doubt = question_about_criterion(judgements, seen.contract)
    run.log.append(
        CriteriaJudged(
            tree_sha256=run.view.tree_sha256,
            judgements=tuple(judgements),
            in_doubt=doubt.id if doubt else "",
            stated=tuple(
                row.model_copy(update={"text": run.scrub(row.text)}) for row in stated_in(seen.contract, run.index)
            ),
        )
    )
    return judgements


def _planned(run: Run) -> int | None:
    """How many replications there were to be, where the person wanted fewer."""
    frozen, wanted = contract_of(run).study, run.view.replications
    return frozen.replications if frozen and wanted is not None and wanted < frozen.replications else None


def _shortened(contract: Contract, wanted: int | None) -> Contract:
    """The contract with the study as the person wants it: so many replications, and no further looks."""
    if contract.study is None or wanted is None or wanted >= contract.study.replications:
        return contract
    return replace(contract, study=contract.study.model_copy(update={"replications": wanted, "cap": wanted}))


def _look_back(run: Run, bench: Bench, contract: Contract | None, tree: str, basis: str) -> None:
    """The same questions to the package as it was before this run: what moved. It is not asked the same twice."""
    before = []
    kept = list(carried(run, "validation", basis, "before")) if basis else []
    asked = verify_tree(bench, lay_out(run, _suite_only(run)), tree, "before", ("build", "validation"))
    for executed in kept or asked:
        if basis and executed.phase == "validation":
            executed = executed.model_copy(update={"basis_sha256": basis})
        run.log.append(executed)
        before.append(executed)
    if contract is not None and any(e.phase == "validation" for e in before):
        judgements = [row for row in judge(contract, before, None) if row.id in _by_tests(contract)]
        run.log.append(CriteriaJudged(tree_sha256=tree, subject="before", judgements=tuple(judgements)))


def _has_base(run: Run) -> bool:
    return bool(run.view.head.base_commit and run.view.overlay)


def _by_tests(contract: Contract) -> set[str]:
    """Those that questions alone decide: of the package as it was, nothing else is executed."""
    return {row.id for row in contract.tests.criteria if row.decided_by != "check"} if contract.tests else set()


def missed_in_study(run: Run) -> list[CommandExecuted]:
    """The study as evidence of what it missed, for the report to the builder."""
    view = run.view
    judged = view.judged.get((view.tree_sha256, "after"))
    study = contract_of(run).study if has_contract(run.plan) else None
    ran = [e for e in view.evidence_for(view.tree_sha256) if e.phase == "study" and e.passed]
    if judged is None or study is None or not ran:
        return []
    bounds = {row.id: row for row in study.criteria}
    rows = [
        Criterion(
            id=j.id, quantity=j.quantity, value=j.observed, mcse=j.mcse, low=bounds[j.id].low, high=bounds[j.id].high
        )
        for j in judged.judgements
        if j.id in bounds and j.observed is not None and j.counts_as == "FAIL"
    ]
    missed = [row for row in rows if not row.met]
    if not missed:
        return []
    update = {"passed": False, "criteria": tuple(missed), "fault_of": Role.BUILDER}
    return [ran[-1].model_copy(update=update)]


def _unexecuted(run: Run, phases: set[str]) -> tuple[str, ...]:
    """The work of a role that no command of the profile has executed, whatever else has passed."""
    owed = {Role.TESTER: "validation", Role.SIMULATOR: "study"}
    missing = [phase for role, phase in owed.items() if role in run.plan.roles and phase not in phases]
    return tuple(f"{phase} was not executed" for phase in missing)


def bench_for(run: Run, contract: Contract | None = None) -> Bench:
    return Bench(
        folder=run.folder.verify,
        desk=run.folder.desk("verify"),
        cache=run.cache,
        profile=run.profile,
        store=run.store,
        barrier=run.barrier,
        tools=lambda python: tools_for(run, python or None),
        limits=run.limits,
        scrub=run.scrub,
        python=run.local.python,
        seed=seed_of(run.view, contract.study.seed if contract and contract.study else None),
        registries=registries_of(run),
        registry_env=run.registry_env,
        progress=run.progress,
        workers=run.local.workers or workers_that_fit(run.limits),
    )


def workers_that_fit(limits: Limits) -> int:
    """One for each core, as far as each has a gibibyte: who draws and who answers are a process of their own."""
    return max(1, min(cores(), limits.memory_bytes // GIB))


def seed_of(view: RunView, frozen: int | None = None) -> int:
    """The seed of what tester and simulator draw: the frozen one; after a BLOCK one that no report has described."""
    blocks = sum(view.blocks.values())
    if frozen is not None and not blocks:
        return frozen
    return int(sha256(f"{view.head.canary_seed} {blocks}".encode())[:8], 16) % 2**30


def _suite_only(run: Run) -> dict[str, FileChange]:
    return {p: c for p, c in run.view.overlay.items() if run.profile.classify(p) is PathClass.VALIDATION}


def lay_out(run: Run, overlay: dict[str, FileChange]) -> LayOut:
    profile = run.profile

    def lay(folder: Path, classes: frozenset[PathClass]) -> None:
        write_tree(run.target, overlay, run.store, folder, lambda path: profile.classify(path) in classes)
        if PathClass.SOURCE in classes:
            write_links(run.target, overlay, folder)

    return lay

"""Questions and study as judges: how they are looked at, asked, and judged again from evidence."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.run import Run
from statsclaw.languages import language
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import CommandExecuted, CriteriaJudged, FileChange, Finding, Judgement, SuiteChecked
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.tree import write_tree
from statsclaw.specs.contract import Contract
from statsclaw.specs.test_spec import Criterion
from statsclaw.verify.blind.meaningless import NULLS
from statsclaw.verify.blind.native import native_suite, unwritable
from statsclaw.verify.blind.questionnaire import Questionnaire
from statsclaw.verify.blind.result import kept
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.blind.varying import equal_inputs, never_varied
from statsclaw.verify.interpreter import InterpreterMissing, find_interpreter
from statsclaw.verify.runner import Bench, LayOut, verify_tree

#: What the writer of the suite that ships may raise over values that are not what their kind says.
_UNWRITABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def check_judges(run: Run, bench: Bench) -> SuiteChecked:
    """Questions and study, looked at without any package: do they fit their criteria, and could they fail?"""
    found, files = check_questions(run, bench, lay_out_judges(run))
    if contract_of(run).study is not None and Role.SIMULATOR in run.plan.roles:
        found += check_study(run, bench, lay_out_judges(run))
    kept = tuple(f.keyed() for f in found)
    return SuiteChecked(judges_sha256=run.view.judges_sha256, findings=kept, files=files)


def lay_out_judges(run: Run, handed_in: Mapping[str, bytes] = MappingProxyType({})) -> LayOut:
    """Nothing of the package: what asks and what draws, and the metadata that names their dependencies.

    `handed_in`: files by their path that are not part of the run yet.
    """
    judges = frozenset({PathClass.VALIDATION, PathClass.SIMULATION, PathClass.METADATA})
    profile = run.profile

    def lay_out(folder: Path, classes: frozenset[PathClass]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        wanted = classes & judges

        def is_kept(path: str) -> bool:
            return path not in handed_in and profile.classify(path) in wanted

        write_tree(run.target, run.view.overlay, run.store, folder, is_kept)
        for path, data in handed_in.items():
            if profile.classify(path) in wanted:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)

    return lay_out


def look_at_hand_in(run: Run, role: Role, bench: Bench, handed_in: Mapping[str, bytes]) -> list[Finding]:
    """What `check_judges` would find in the questions or the study of a hand-in; nothing is kept."""
    if role is Role.SIMULATOR:
        found = check_study(run, bench, lay_out_judges(run, handed_in)) if contract_of(run).study else []
        return [row.keyed() for row in found]
    validation = _laid_out(run, bench, lay_out_judges(run, handed_in))
    questions, found, _ = validation.checked()
    if questions is not None and not any(row.severity == "error" for row in found):
        try:
            native_suite(run.profile.id, questions, validation.tests, validation.interface)
        except _UNWRITABLE as error:
            found = [*found, unwritable(error)]
    return [row.keyed() for row in found]


def with_questions(run: Run, bench: Bench, contract: Contract | None) -> Bench:
    """The bench of a run whose tester asks: nothing of the author's code is near the package."""
    if contract is None or contract.tests is None or contract.interface is None:
        return bench
    made = contract

    def validate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
        validation = Validation.of(bench, made, secret_of(run), base_answers(run))
        assert validation is not None
        yield from validation.judged(subject, tree)

    spoken, interface = language(run.profile.id), contract.interface
    adapt = partial(spoken.adapter, interface) if spoken is not None else None
    return replace(bench, validate=validate, adapt=adapt)


def asks_base(contract: Contract | None) -> bool:
    """Whether a criterion compares with the package as it was, which is then asked first."""
    return bool(contract and contract.tests and any(row.rule == "same as base" for row in contract.tests.criteria))


def base_answers(run: Run) -> bytes | None:
    rows = run.view.evidence_for(run.view.tree_sha256, "before")
    return next((kept(run.folder.path, row.kept_sha256) for row in rows if row.name == "validation"), None)


def with_study(run: Run, bench: Bench, contract: Contract | None, basis: str) -> Bench:
    """The bench of a run whose study asks; what was computed is kept in the run's folder, by what it depends on."""
    if contract is None or contract.study is None or contract.interface is None:
        return bench

    def simulate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
        assert bench.replications is not None
        made = simulation_of(run, bench, contract, basis)
        yield from made.evidence(subject, tree, *bench.replications, secret_of(run))

    return replace(bench, simulate=simulate)


def simulation_of(run: Run, bench: Bench, contract: Contract, basis: str) -> Simulation:
    validation = Validation.of(bench, contract, secret_of(run))
    assert validation is not None and contract.study is not None
    lay_out_scripts(bench)
    folder = run.folder.path / "study" / sha256(f"{basis} {bench.seed}".encode())[:16]
    laid_out = bench.place("simulation")
    entries = run.profile.study_entries()
    entry = next((path for path in entries if (laid_out / path).is_file()), run.profile.study_entry)
    return Simulation(bench, contract.study, entry, validation.forms, validation.start, folder)


def check_study(run: Run, bench: Bench, lay_out: LayOut) -> list[Finding]:
    """Before anybody is asked: is the study drawn from its streams, and does it record what its criteria need?"""
    contract = contract_of(run)
    validation = _laid_out(run, bench, lay_out)
    return list(simulation_of(run, validation.bench, contract, "check").checked())


def secret_of(run: Run) -> str:
    """What no author knows: order, repetition, and how far answers are moved follow from it."""
    return f"{run.view.head.canary_seed} {run.view.tree_sha256}"


def check_questions(run: Run, bench: Bench, lay_out: LayOut) -> tuple[list[Finding], tuple[FileChange, ...]]:
    """Before anybody is asked: do the questions fit the criteria, and could meaningless answers meet them?

    With them, where they do fit: the suite that maintainers of the package get.
    """
    validation = _laid_out(run, bench, lay_out)
    questions, found, met = validation.checked()
    if questions is not None and met:
        judged = tuple(
            _judgement(row, met=len(met[row.id]) == len(NULLS), note=_told(met[row.id]))
            for row in validation.tests.criteria
            if row.id in met
        )
        run.log.append(CriteriaJudged(tree_sha256=run.view.tree_sha256, subject="null", judgements=judged))
    if questions is None or any(row.severity == "error" for row in found):
        return found, ()
    try:
        return found, _native(run, validation, questions)
    except _UNWRITABLE as error:
        return [*found, unwritable(error)], ()


def _native(run: Run, validation: Validation, questions: Questionnaire) -> tuple[FileChange, ...]:
    """Questions, expectations and tolerances as data, with a runner of the package's language."""
    made = native_suite(run.profile.id, questions, validation.tests, validation.interface)
    return tuple(FileChange(path=path, sha256=run.store.put(text.encode())) for path, text in sorted(made.items()))


def tried(run: Run, bench: Bench, lay_out: LayOut) -> tuple[tuple[Judgement, ...], list[Finding]]:
    """The claims that were met, once more with moved answers: from the stored ones, the package is not run."""
    rows = [e for e in run.view.evidence_for(run.view.tree_sha256) if e.phase == "validation"]
    found_data = {e.name: kept(run.folder.path, e.kept_sha256) for e in rows}
    asked, answered = found_data.get("ask"), found_data.get("validation")
    if asked is None or answered is None:
        return (), []
    validation = _laid_out(run, bench, lay_out)
    result = validation.recalled(asked, answered)
    found = validation.findings(result)
    found += [*never_varied(result.questions, validation.forms), *equal_inputs(result.questions)]
    deaf = {f.subject: f.message for f in found if f.rule == "cannot-fail"}
    claimed = {row.claim.criterion for row in result.rows}
    judged = tuple(
        _judgement(row, met=row.id in deaf, note=deaf.get(row.id, "fails when the answers are moved"))
        for row in validation.tests.criteria
        if row.id in claimed
    )
    return judged, found


def _laid_out(run: Run, bench: Bench, lay_out: LayOut) -> Validation:
    contract = contract_of(run)
    for _ in verify_tree(bench, lay_out, run.view.tree_sha256, "null", ()):
        pass
    bench = replace(bench, python=bench.python or _interpreter(bench))
    validation = Validation.of(bench, contract, secret_of(run))
    assert validation is not None
    return validation


def _interpreter(bench: Bench) -> str:
    """What the package needs to be built is not needed to ask: where it is missing, verification says so."""
    try:
        return find_interpreter(bench.place("tree"), bench.cache, bench.profile.id, None)
    except InterpreterMissing:
        return sys.executable


def _judgement(row: Criterion, *, met: bool, note: str) -> Judgement:
    verdict = "PASS" if met else "FAIL"
    return Judgement(
        id=row.id, quantity=row.quantity, rule=row.rule, verdict=verdict, literal=verdict, note=note[:2000]
    )  # fmt: skip


def _told(kinds: tuple[str, ...]) -> str:
    return f"met by meaningless answers: {', '.join(kinds)}" if kinds else "not met by meaningless answers"

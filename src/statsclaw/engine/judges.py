"""Tests and study as judges: what the engine adds to them, and what they must show before they judge anyone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from statsclaw.engine.contracts import STAND_INS, contract_of
from statsclaw.engine.run import Run
from statsclaw.engine.side_by_side import benches_beside, side_by_side
from statsclaw.profiles.profile import PathClass
from statsclaw.roles.matrix import Role
from statsclaw.runlog.events import CommandExecuted, CriteriaJudged, FileChange, Finding, Judgement, SuiteChecked
from statsclaw.runlog.store import sha256
from statsclaw.sandbox.landlock import Landlock
from statsclaw.sandbox.tree import paths_in, read_text, write_tree
from statsclaw.specs.contract import Contract
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.criteria.tests import judge_tests
from statsclaw.verify.frozen_criteria import judge_files
from statsclaw.verify.runner import Bench, LayOut, verify_tree, write_files
from statsclaw.verify.standin.door_python import door_python
from statsclaw.verify.study_report import Records, RecordsRefused, read_records, unpacked
from statsclaw.verify.suite.executed import check_against_null, check_execution
from statsclaw.verify.suite.python_suite import check_python_suite
from statsclaw.verify.suite.r_suite import check_r_suite

if TYPE_CHECKING:
    from statsclaw.engine.dispatch import Inspected

NOT_EXECUTED = "the study was not executed: no command of the profile runs it"
_SMOKE = 2
_OTHER_VALUES = 2
_STATIC = {"python": check_python_suite, "r": check_r_suite}


def add_judge_files(run: Run, found: Inspected) -> None:
    """The frozen criteria stand beside the suite, whatever the tester left there under these names."""
    contract = contract_of(run)
    if contract.tests is None:
        return
    made = judge_files(run.profile.id, contract.tests, contract.definitions)
    found.files = [change for change in found.files if change.path not in made]
    for path, text in made.items():
        data = text.encode()
        found.contents[sha256(data)] = data
        found.files.append(FileChange(path=path, sha256=sha256(data)))


def stand_in(run: Run, contract: Contract) -> dict[str, str]:
    """A package of meaningless values with the right names; empty where a language has none yet."""
    if contract.interface is None:
        return {}
    made = STAND_INS.get(run.profile.id)
    return made(contract.interface) if made else {}


def has_door(run: Run) -> bool:
    """Python only, and not behind Landlock, whose programs cannot open a socket."""
    return run.profile.id == "python" and run.barrier.kind != Landlock.kind


def with_door(run: Run, bench: Bench, contract: Contract | None) -> Bench:
    """Where it can be, the package is judged through the door; otherwise still in the process of its suite."""
    if contract is None or contract.interface is None or not has_door(run):
        return bench
    return replace(bench, door=door_python(contract.interface), package=contract.interface.package)


# --- before they judge anyone ----------------------------------------------------------------------------------------


def check_judges(run: Run, bench: Bench) -> SuiteChecked:
    """Static looks, then suite and study on the null package. The evidence of it goes into the log."""
    contract, found = contract_of(run), list[Finding]()
    assert contract.tests is not None
    if check := _STATIC.get(run.profile.id):
        package, whole = ("", frozenset[str]())
        if contract.interface:
            package, whole = contract.interface.package, contract.interface.whole_fields()
        found += check(suite_files(run), contract.tests, package=package, whole=whole)
    null = stand_in(run, contract)
    if null:
        found += _on_null(run, bench, contract, null)
        if contract.study is not None and Role.SIMULATOR in run.plan.roles:
            found += _study_on_null(run, bench, contract.study, null)
    own = {f"{name}" for name in judge_files(run.profile.id, contract.tests, contract.definitions)}
    found = [f for f in found if f.where.partition(":")[0] not in own]
    return SuiteChecked(judges_sha256=run.view.judges_sha256, findings=tuple(f.keyed() for f in found))


def suite_files(run: Run) -> dict[str, str]:
    """The tester's own files: those of the suite without what the engine added."""
    contract = contract_of(run)
    added = judge_files(run.profile.id, contract.tests, contract.definitions) if contract.tests else {}
    paths = paths_in(run.target, run.view.overlay)
    return {
        path: read_text(run.target, run.view.overlay, run.store, path)
        for path in sorted(paths)
        if run.profile.classify(path) is PathClass.VALIDATION and path not in added
    }


def _on_null(run: Run, bench: Bench, contract: Contract, null: Mapping[str, str]) -> Iterator[Finding]:
    assert contract.tests is not None
    evidence = list(_execute_on_null(run, bench, null, "validation"))
    for executed in evidence:
        run.log.append(executed)
    suites = [executed for executed in evidence if executed.phase == "validation"]
    if not suites:
        reason = evidence[-1].summary if evidence else "there is no command for it"
        text = f"the suite could not be tried on a package of meaningless values: {reason}"
        yield Finding(check="suite", severity="warning", message=text[:4000], key="null-not-run")
        return
    suite, judgements = _on_other_values(run, bench, contract.tests, null, suites[0], evidence)
    checks = {row.id for row in contract.tests.criteria if row.decided_by == "check"}
    tried = tuple(row for row in judgements if row.id not in checks)
    run.log.append(CriteriaJudged(tree_sha256=run.view.tree_sha256, subject="null", judgements=tried))
    yield from check_execution(contract.tests, suite)
    yield from check_against_null(contract.tests, suite, judgements)


def _on_other_values(
    run: Run,
    bench: Bench,
    spec: TestSpec,
    null: Mapping[str, str],
    suite: CommandExecuted,
    evidence: list[CommandExecuted],
) -> tuple[CommandExecuted, list[Judgement]]:
    """A number may lie within bounds by chance: what passes is tried on other values before it is blamed."""
    judgements = judge_tests(spec, evidence)
    values = {row.id for row in spec.criteria if row.kind == "value"}
    for standin in range(1, _OTHER_VALUES + 1):
        if not any(row.id in values and row.verdict == "PASS" for row in judgements):
            break
        again = list(_execute_on_null(run, replace(bench, standin=standin), null, "validation"))
        others = {row.id: row for row in judge_tests(spec, again)}
        judgements = [row if row.verdict != "PASS" else others[row.id] for row in judgements]
        failed = {test.name: test for e in again for test in e.tests if test.outcome in ("failed", "error")}
        tests = tuple(failed.get(test.name, test) if test.outcome == "passed" else test for test in suite.tests)
        suite = suite.model_copy(update={"tests": tests})
    return suite, judgements


def _study_on_null(run: Run, bench: Bench, study: Study, null: Mapping[str, str]) -> Iterator[Finding]:
    """A few replications in several ways: complete, repeatable, and moved by seed, replication and package."""

    def look(one: Bench, how: tuple[int, int, int]) -> Records | str:
        later_seed, first, standin = how
        smoke = replace(one, seed=one.seed + later_seed, replications=(first, _SMOKE), standin=standin)
        return _smoke_run(run, smoke, study, null)

    seen: dict[str, str] = {}
    once, *others = _LOOKS.values()
    looks = [look(bench, once)]  # one that hangs or fails is not tried again
    if not isinstance(looks[0], str):
        looks += side_by_side(benches_beside(bench, len(others)), look, others)
    for (name, (_, first, _)), found in zip(_LOOKS.items(), looks, strict=False):
        if found == NOT_EXECUTED:
            yield Finding(check="suite", severity="warning", message=NOT_EXECUTED, key="study-not-executed")
            return
        if isinstance(found, str):
            with_ = f"STATSCLAW_FIRST={first} and STATSCLAW_REPLICATIONS={_SMOKE}"
            yield _of_study(f"on the stand-in package, with {with_}: {found}", "study-smoke")
            return
        seen[name] = _values(found)
    if seen["once"] != seen["again"]:
        yield _of_study("the study gives other results when it is run again with the same seed", "study-not-repeatable")
    for name, (text, key) in _UNMOVED.items():
        if seen["once"] == seen[name]:
            yield _of_study(text, key)


#: Look → what is added to the seed, the first replication, and which meaningless values the package returns.
_LOOKS = {"once": (0, 0, 0), "again": (0, 0, 0), "seed": (1, 0, 0), "later": (0, _SMOKE, 0), "package": (0, 0, 1)}

_CLOCK = re.compile(
    r"(?:^|_)(?:ms|secs?|seconds|times?|elapsed|durations?|runtimes?|wall|cpu|speed|speeds|speedups?|faster)(?:$|_)"
)
_UNMOVED = {
    "seed": ("another seed gives the same results: the study does not use STATSCLAW_SEED", "study-seed-ignored"),
    "later": ("other replications give the same results: they are not drawn anew", "study-repeats"),
    "package": ("another package gives the same results: the study does not use the package", "study-without-package"),
}


def _smoke_run(run: Run, smoke: Bench, study: Study, null: Mapping[str, str]) -> Records | str:
    """What was recorded, or what is wrong with it in one sentence."""
    assert smoke.replications is not None
    first, count = smoke.replications
    reporting = {command.name for command in run.profile.study if command.parser == "study"}
    ran = [e for e in _execute_on_null(run, smoke, null, "study") if e.phase == "study" and e.name in reporting]
    if not ran:
        return NOT_EXECUTED
    if not ran[-1].passed:
        return ran[-1].summary
    if ran[-1].records_sha256 is None:
        return "the study recorded no replications"
    try:
        data = unpacked(run.store.get(ran[-1].records_sha256))
        return read_records(data, study, first=first, count=count, seed=smoke.seed)
    except RecordsRefused as refused:
        return str(refused)


def _of_study(text: str, key: str) -> Finding:
    return Finding(check="suite", severity="error", message=text[:4000], route_to=Role.SIMULATOR, key=key)


def _values(records: Records) -> str:
    """What was recorded, without numbers of replications and without times, in a form that can be compared."""
    return repr(
        [
            (key, {name: column.tolist() for name, column in sorted(table.columns.items()) if not is_time(name)})
            for key, table in sorted(records.tables.items())
        ]
    )


def is_time(field: str) -> bool:
    """By its name a reading of the clock, or made of one: it is another at every run, however it is seeded."""
    return "." not in field and _CLOCK.search(field.lower()) is not None


def _execute_on_null(run: Run, bench: Bench, null: Mapping[str, str], phase: str) -> Iterator[CommandExecuted]:
    """Python: the stand-in lies where the door would. R: it is installed like any package."""
    python = run.profile.id == "python"
    bench = replace(bench, door=null if python else {}, package="")
    phases: tuple[str, ...] = (phase,) if python else ("build", phase)
    return verify_tree(bench, _lay_out_null(run, null), run.view.tree_sha256, "null", phases)


def _lay_out_null(run: Run, null: Mapping[str, str]) -> LayOut:
    judges = frozenset({PathClass.VALIDATION, PathClass.SIMULATION})
    profile = run.profile

    def lay_out(folder: Path, classes: frozenset[PathClass]) -> None:
        wanted = classes & (judges | {PathClass.METADATA})
        folder.mkdir(parents=True, exist_ok=True)
        write_tree(run.target, run.view.overlay, run.store, folder, lambda path: profile.classify(path) in wanted)
        if PathClass.SOURCE in classes:
            write_files(folder, null)

    return lay_out

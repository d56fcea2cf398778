"""One package before its judges: its builder's own tests, the tester's suite, the study; as the engine runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path

from variants import Variant, judge_digest, judges, recorded

from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.runlog.events.command_executed import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.contract import Contract
from statsclaw.specs.readings.compare import compare
from statsclaw.specs.readings.inputs import calls_for
from statsclaw.specs.readings.reading import read_reading
from statsclaw.specs.sim_spec import Study
from statsclaw.verify.criteria.study import judge_study, settle
from statsclaw.verify.criteria.tests import judge_tests
from statsclaw.verify.runner import Bench, verify_tree
from statsclaw.verify.study_report import RecordsRefused, read_records, unpacked


@dataclass(frozen=True)
class Outcome:
    """What each judge says: what failed, empty where all is well. `study_literal`: the bare comparison alone.

    `readings`: None where no definition speaks of it.
    """

    variant: str
    kind: str
    what: str
    digest: str
    seed: int
    replications: int
    own_tests: tuple[str, ...]
    suite: tuple[str, ...]
    study: tuple[str, ...]
    study_literal: tuple[str, ...]
    readings: tuple[str, ...] | None
    seconds: float
    suite_digest: str
    study_digest: str

    @property
    def everything(self) -> tuple[str, ...]:
        return (*self.own_tests, *self.suite, *self.study)


def tried(
    variant: Variant, seed: int, replications: int, sizes: tuple[int, ...], folder: Path, known: Outcome | None = None
) -> Outcome:
    """`known`: the same package with the same seed, judged before; only a judge that is another now judges again."""
    suite_digest, study_digest = judge_digest(PathClass.VALIDATION), judge_digest(PathClass.SIMULATION)
    again = {
        "unit_tests": known is None,
        "validation": known is None or known.suite_digest != suite_digest,
        "study": known is None or known.study_digest != study_digest,
    }
    _, contract, reading = recorded()
    study = reduced(contract, replications, sizes)
    written = {**variant.files, **judges(sizes)}
    bench = bench_in(folder, seed, replications)
    phases = ("build", *(phase for phase, wanted in again.items() if wanted))
    evidence = list(verify_tree(bench, _lay_out(written), variant.digest, "after", phases))
    built = [row for row in evidence if row.phase == "build"]
    if not all(row.passed for row in built):
        raise SystemExit(f"error: {variant.id} does not build: {built[-1].summary}")
    assert contract.tests is not None
    if known is None or again["validation"]:
        answers = judge_tests(contract.tests, evidence)
        missed = tuple(row.id for row in answers if row.counts_as == "FAIL" and row.id not in _CHECK)
        suite = missed or _failed(evidence, "validation")
    else:
        suite = known.suite
    fresh = known is None or again["study"]
    decided, literal = _studied(study, evidence, bench) if fresh else (known.study, known.study_literal)
    return Outcome(
        variant=variant.id,
        kind=variant.kind,
        what=variant.what,
        digest=variant.digest,
        seed=seed,
        replications=replications,
        own_tests=_failed(evidence, "unit_tests") if known is None else known.own_tests,
        suite=suite,
        study=decided,
        study_literal=literal,
        readings=_readings(contract, reading, variant) if variant.definitions else None,
        seconds=round(sum(row.elapsed_s for row in evidence), 1),
        suite_digest=suite_digest,
        study_digest=study_digest,
    )


#: Decided by R CMD check, which is not run here.
_CHECK = {row.id for row in recorded()[1].tests.criteria if row.decided_by == "check"} if recorded()[1].tests else set()


def reduced(contract: Contract, replications: int, sizes: tuple[int, ...]) -> Study:
    """The study at some of its sample sizes: criteria about the others fall away."""
    study = contract.study
    assert study is not None
    criteria = []
    for row in study.criteria:
        cells = [n for n in (row.cells or {}).get("n", study.grid["n"]) if n in sizes]
        if cells:
            criteria.append(row.model_copy(update={"cells": {"n": tuple(cells)}}))
    update = {"grid": {"n": sizes}, "criteria": tuple(criteria), "replications": replications, "cap": replications}
    return Study.model_validate(study.model_copy(update=update).model_dump(exclude_unset=True))


def bench_in(folder: Path, seed: int, replications: int) -> Bench:
    profile = load_profile("r")
    return Bench(
        folder=folder / "verify",
        desk=folder / "desk",
        cache=folder / "cache",
        profile=profile,
        store=ContentStore(folder / "store"),
        barrier=make_barrier("bubblewrap"),
        tools=lambda python: language_tools(profile, python or None),
        limits=Limits(),
        scrub=lambda text: text,
        seed=seed,
        replications=(0, replications),
    )


def _lay_out(written: dict[str, bytes]):  # type: ignore[no-untyped-def]
    profile = load_profile("r")

    def lay(folder: Path, classes: frozenset[PathClass]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in written.items():
            if profile.classify(path) in classes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)

    return lay


def _failed(evidence: list[CommandExecuted], phase: str) -> tuple[str, ...]:
    ran = [row for row in evidence if row.phase == phase]
    if not ran:
        return (f"{phase} did not run",)
    bad = [test.name for row in ran for test in row.tests if test.outcome in ("failed", "error")]
    return tuple(bad or [row.summary for row in ran if not row.passed])


def _studied(study: Study, evidence: list[CommandExecuted], bench: Bench) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is decided with Monte Carlo error, and what the bare comparison says."""
    ran = [row for row in evidence if row.phase == "study"]
    if not ran or not ran[-1].passed or ran[-1].records_sha256 is None:
        broken = (ran[-1].summary if ran else "it did not run",)
        return broken, broken
    assert bench.replications is not None
    first, count = bench.replications
    try:
        data = unpacked(bench.store.get(ran[-1].records_sha256))
        records = read_records(data, study, first=first, count=count, seed=bench.seed)
    except RecordsRefused as refused:
        return (str(refused),), (str(refused),)
    rows = settle(judge_study(study, records, ""), planned=count + 1)
    decided = tuple(row.id for row in rows if row.counts_as == "FAIL")
    return decided, tuple(row.id for row in rows if row.literal == "FAIL")


def _readings(contract: Contract, reading: str, variant: Variant) -> tuple[str, ...]:
    """The misreading in the planner's definitions, compared by computation with the second reading."""
    assert contract.comprehension is not None
    definitions, code = contract.comprehension.definitions, contract.definitions
    for old, new in variant.definitions:
        assert old in code, f"{variant.id}: {old} is not in the definitions"
        code = code.replace(old, new)
    second, _ = read_reading(reading, definitions)
    calls = calls_for(definitions, seed=1)
    outcomes = [_values(text, [call.as_json() for call in calls]) for text in (code, second)]
    return tuple(row.function for row in compare(definitions, calls, *outcomes) if row.agrees is False)


def _values(code: str, calls: list[object]) -> object:
    with (
        tempfile.TemporaryDirectory() as name,
        as_file(files("statsclaw.specs.readings").joinpath("harness.py")) as harness,
    ):
        folder = Path(name)
        (folder / "definitions.py").write_text(code, encoding="utf-8")
        (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        argv = [sys.executable, "-I", "-B", str(harness)]
        argv += [str(folder / part) for part in ("definitions.py", "calls.json", "values.json")]
        subprocess.run(argv, check=True, capture_output=True)
        found: object = json.loads((folder / "values.json").read_bytes())
        return found


def as_row(outcome: Outcome) -> str:
    return json.dumps(asdict(outcome), ensure_ascii=False)


def from_row(row: str) -> Outcome:
    values = json.loads(row)
    return Outcome(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


def shortened(outcome: Outcome) -> Outcome:
    """Without the folders that test files lie in."""
    plain = [tuple(re.sub(r"^\S*?::", "", name)[:160] for name in rows) for rows in (outcome.own_tests, outcome.suite)]
    return replace(outcome, own_tests=plain[0], suite=plain[1])

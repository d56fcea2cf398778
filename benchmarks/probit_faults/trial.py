"""One package before its judges as the engine runs them: its builder's own tests, the tester's questions, the study."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

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
from statsclaw.verify.blind.questionnaire import Questionnaire
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.criteria.study import judge_study, settle
from statsclaw.verify.criteria.tests import judge_tests
from statsclaw.verify.runner import Bench, LayOut, verify_tree
from statsclaw.verify.runner import evidence as executed
from statsclaw.verify.study_report import RecordsRefused, read_records, unpacked

Named = tuple[str, ...]
#: A phase of the engine: (bench, subject, tree).
Judging = Callable[[Bench, str, str], Iterator[CommandExecuted]]


@dataclass(frozen=True)
class Outcome:
    """What each judge says: what failed, empty where all is well. `study_literal`: the bare comparison alone.

    `study`: None where it was not run; `readings`: None where no definition speaks of it. `seconds`: of each phase.
    """

    variant: str
    kind: str
    what: str
    digest: str
    seed: int
    own_tests: Named
    questions: Named
    questions_digest: str
    readings: Named | None = None
    study: Named | None = None
    study_literal: Named | None = None
    study_digest: str = ""
    replications: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def everything(self) -> Named:
        return (*self.own_tests, *self.questions, *(self.study or ()))

    def lacks(self, replications: int) -> tuple[str, ...]:
        """Judges that are others now, or have not judged; without replications the study is not asked for."""
        other = {
            "validation": self.questions_digest != judge_digest(PathClass.VALIDATION),
            "study": replications > 0
            and (self.study_digest, self.replications) != (judge_digest(PathClass.SIMULATION), replications),
        }
        return tuple(phase for phase, differs in other.items() if differs)


def tried(
    variant: Variant, seed: int, replications: int, sizes: tuple[int, ...], folder: Path, known: Outcome | None = None
) -> Outcome:
    """`known`: the same package with the same seed, judged before; only a judge that is another now judges again."""
    phases = known.lacks(replications) if known else ("unit_tests", "validation", *(["study"] if replications else []))
    _, contract, reading = recorded()
    study = reduced(contract, replications, sizes)
    bench = bench_in(folder, seed, replications)
    bench = replace(bench, validate=validating(contract, variant), simulate=simulating(contract, study, variant))
    lay_out = _lay_out({**variant.files, **judges()})
    evidence = list(verify_tree(bench, lay_out, variant.digest, "after", ("build", *phases)))
    built = [row for row in evidence if row.phase == "build"]
    if not all(row.passed for row in built):
        raise SystemExit(f"error: {variant.id} does not build: {built[-1].summary}")
    found = known or Outcome(
        variant.id, variant.kind, variant.what, variant.digest, seed, own_tests=_failed(evidence, "unit_tests"),
        questions=(), questions_digest="",
    )  # fmt: skip
    if "validation" in phases:
        digest = judge_digest(PathClass.VALIDATION)
        found = replace(found, questions=_asked(contract, evidence, seed), questions_digest=digest)
    if "study" in phases:
        decided, literal = _studied(study, evidence, bench)
        digest = judge_digest(PathClass.SIMULATION)
        found = replace(
            found, study=decided, study_literal=literal, study_digest=digest, replications=replications
        )  # fmt: skip
    took = {
        phase: round(sum(row.elapsed_s for row in evidence if row.phase == phase), 1) for phase in ("build", *phases)
    }
    readings = _readings(contract, reading, variant) if variant.definitions else None
    return replace(found, readings=readings, seconds={**found.seconds, **took})


def validating(contract: Contract, variant: Variant) -> Judging:
    """The tester's questions, answered by the package and compared by the engine.

    One of the dialogues has as many calls as all else together fifteen times, so they are held only where nothing else
    has failed; what is found does not depend on it.
    """

    def validate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
        validation = _validation(bench, contract, variant)
        questions = _questions(validation)
        spoken = tuple(claim for claim in questions.claims if claim.rule == "dialogue")
        others = tuple(claim for claim in questions.claims if claim.rule != "dialogue")
        passed = True
        for name, part in (
            ("validation", replace(questions, claims=others)),
            (DIALOGUES, replace(questions, calls=(), claims=spoken)),
        ):
            if passed and part.claims:
                begun = time.monotonic()
                made = validation.compared(part).parsed(validation.forms)
                took, passed = time.monotonic() - begun, made.passed
                yield executed(bench, name, "validation", subject, tree, ("statsclaw", name), 0, "", took, made)

    return validate


DIALOGUES = "dialogues"
#: By seed. Asking sees no package, so the same is asked of all of them.
_asked_before: dict[int, Questionnaire] = {}
_asking = threading.Lock()


def _questions(validation: Validation) -> Questionnaire:
    seed = validation.bench.seed
    with _asking:
        own = validation.author  # lays out what dialogues need, too
        if seed not in _asked_before:
            found = own.questionnaire()
            misfits = [row.message for row in validation.fitting(found) if row.severity == "error"]
            assert not misfits, misfits[0]
            _asked_before[seed] = found
        return _asked_before[seed]


def simulating(contract: Contract, study: Study, variant: Variant) -> Judging:
    """The simulator's study, as a study of the Monte Carlo engine."""

    def simulate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
        validation = _validation(bench, contract, variant)
        lay_out_scripts(bench)
        entry, folder = bench.profile.study_entry, bench.folder.parent / "study"
        made = Simulation(bench, study, entry, validation.forms, validation.start, folder)
        assert bench.replications is not None
        yield from made.evidence(subject, tree, *bench.replications, validation.secret)

    return simulate


def _validation(bench: Bench, contract: Contract, variant: Variant) -> Validation:
    validation = Validation.of(bench, contract, f"{bench.seed} {variant.digest}")
    assert validation is not None
    return validation


#: Decided by R CMD check, which is not run here.
_CHECK = {row.id for row in recorded()[1].tests.criteria if row.decided_by == "check"} if recorded()[1].tests else set()


def _asked(contract: Contract, evidence: list[CommandExecuted], seed: int) -> Named:
    """Criteria that are not met; where all are, answers of another form or that depend on earlier ones."""
    assert contract.tests is not None
    answers = judge_tests(contract.tests, evidence)
    missed = [row.id for row in answers if row.counts_as == "FAIL" and row.id not in _CHECK]
    if not any(row.name == DIALOGUES for row in evidence):  # then what only they decide was not looked at
        spoken = {claim.criterion for claim in _asked_before[seed].claims if claim.rule == "dialogue"}
        failed = {name for test in _failed(evidence, "validation") for name in re.findall(r"\[(\w+)\]$", test)}
        missed = [name for name in missed if name not in spoken - failed]
    return tuple(missed) or _failed(evidence, "validation")


def reduced(contract: Contract, replications: int, sizes: tuple[int, ...]) -> Study:
    """The study at some of its sample sizes: criteria about the others fall away."""
    study = contract.study
    assert study is not None
    criteria = []
    for row in study.criteria:
        cells = [n for n in (row.cells or {}).get("n", study.grid["n"]) if n in sizes]
        if cells:
            criteria.append(row.model_copy(update={"cells": {"n": tuple(cells)}}))
    count = max(replications, 1)
    update = {"grid": {"n": sizes}, "criteria": tuple(criteria), "replications": count, "cap": count}
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
        replications=(0, replications) if replications else None,
    )


def _lay_out(written: dict[str, bytes]) -> LayOut:
    profile = load_profile("r")

    def lay(folder: Path, classes: frozenset[PathClass]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in written.items():
            if profile.classify(path) in classes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)

    return lay


def _failed(evidence: list[CommandExecuted], phase: str) -> Named:
    ran = [row for row in evidence if row.phase == phase]
    if not ran:
        return (f"{phase} did not run",)
    bad = [test.name for row in ran for test in row.tests if test.outcome in ("failed", "error")]
    return tuple(bad or [row.summary for row in ran if not row.passed])


def _studied(study: Study, evidence: list[CommandExecuted], bench: Bench) -> tuple[Named, Named]:
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


def _readings(contract: Contract, reading: str, variant: Variant) -> Named:
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
    values: dict[str, Any] = json.loads(row)
    return Outcome(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


def shortened(outcome: Outcome) -> Outcome:
    """Without the folders that test files lie in."""
    plain = [
        tuple(re.sub(r"^\S*?::", "", name)[:160] for name in rows) for rows in (outcome.own_tests, outcome.questions)
    ]
    return replace(outcome, own_tests=plain[0], questions=plain[1])

"""False alarms on honest hand-ins by independent authors, each given its role's room alone.

Those of the recorded demonstrations, those of the live runs below live/ and methods/, and those below hand_ins/:
other authors, the same specifications. A planner's documents are put before the lint and what is checked of a
comprehension; a builder's package is built, and its unit tests are run; questions and studies are put before the
checks of the engine and before the package of the same run, behind the barrier. Whatever would send somebody back is
printed. `rightly` in its hand_in.toml names what was found by right, by the beginning of its words; everything else
is a false alarm of ours.

Run: python benchmarks/honest/bench_honest.py [NAME]
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from statsclaw.demo.demo import shipped_in
from statsclaw.engine.contracts import checked_sources
from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import PathClass, Profile, load_profile
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore, sha256
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.sources.extract import read_sources
from statsclaw.specs.contract import SPECIFICATIONS, Contract, read_contract
from statsclaw.specs.gate import comprehension_findings
from statsclaw.specs.lint import lint
from statsclaw.verify.blind.result import kept
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench, LayOut, verify_tree

HERE = Path(__file__).parent
DEMOS = Path(str(files("statsclaw.demo")))
MATERIAL = {place.parent.name: place.parent for root in (DEMOS, HERE / "live") for place in root.glob("*/recording")}
#: Live runs as plain files: documents, sources, and the package with questions and study.
METHODS = {place.parent.name: place.parent for place in (HERE / "methods").glob("*/documents")}
OWN = {"tester": PathClass.VALIDATION, "simulator": PathClass.SIMULATION}
#: Said of `same as base`: the package as it was is not kept here.
_NO_BASE = "the package as it was has not been asked"
#: Of a study, so many replications of each cell are enough to see whether it runs.
REPLICATIONS = 3


@dataclass(frozen=True)
class HandIn:
    """`rightly`: what was found in it by right, each by the beginning of its words."""

    name: str
    demo: str
    role: str
    rightly: tuple[str, ...]
    files: dict[str, bytes]

    @property
    def profile(self) -> Profile:
        return profile_of(self.demo)


@cache
def profile_of(demo: str) -> Profile:
    if demo in METHODS:
        return load_profile("r" if (METHODS[demo] / "package" / "DESCRIPTION").is_file() else "python")
    return load_profile(read_view(MATERIAL[demo] / "recording").profile or "")


@cache
def package_of(demo: str) -> dict[str, bytes]:
    """All files of the package that a run made, questions and study included."""
    if demo in MATERIAL:
        return shipped_in(MATERIAL[demo])
    folder = METHODS[demo] / "package"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def hand_ins() -> Iterator[HandIn]:
    for demo in sorted({*MATERIAL, *METHODS}):
        yield HandIn(f"recorded-{demo}-planner", demo, "planner", (), {})
        yield HandIn(f"recorded-{demo}-builder", demo, "builder", (), {})
        for role, cls in OWN.items():
            classify = profile_of(demo).classify
            own = {path: data for path, data in package_of(demo).items() if classify(path) is cls}
            if own:
                yield HandIn(f"recorded-{demo}-{role}", demo, role, (), own)
    for place in sorted((HERE / "hand_ins").glob("*/hand_in.toml")):
        about = tomllib.loads(place.read_text(encoding="utf-8"))
        folder = place.parent / "files"
        own = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        yield HandIn(place.parent.name, about["demo"], about["role"], tuple(about.get("rightly", ())), own)


@cache
def documents_of(demo: str) -> tuple[dict[str, str], dict[str, bytes]]:
    """The planner's documents, and the sources they were written from."""
    if demo in METHODS:
        folder = METHODS[demo]
        texts = {path.name: path.read_text(encoding="utf-8") for path in (folder / "documents").iterdir()}
        return texts, {path.name: path.read_bytes() for path in (folder / "sources").iterdir()}
    recording = MATERIAL[demo] / "recording"
    view, store = read_view(recording), ContentStore(recording / "store")
    names = dict.fromkeys(("comprehension.md", "interface.md", *SPECIFICATIONS))
    texts = {name: store.get_text(view.artifacts[name].sha256) for name in names if name in view.artifacts}
    return texts, {source.name: store.get(source.sha256) for source in view.head.sources}


def contract_of(demo: str) -> Contract:
    return read_contract(documents_of(demo)[0])


def of_documents(demo: str) -> Iterator[str]:
    texts, sources = documents_of(demo)
    profile = profile_of(demo)
    checks = [command.name for command in (*profile.build, *profile.checks, *profile.unit_tests)]
    contract, index = contract_of(demo), read_sources(sources)
    assert contract.comprehension is not None
    hashes = checked_sources(contract.comprehension, {name: sha256(data) for name, data in sources.items()})
    found = lint(contract, texts, index, checks=checks) + comprehension_findings(contract.comprehension, index, hashes)
    yield from (row.message for row in found if row.severity == "error")
    for row in contract.comprehension.own_choices:
        if contract.comprehension.followers(row) or any(option.functions for option in row.options):
            yield f"{row.id} would perhaps be put to the person"


def lay_out(written: dict[str, bytes], profile: Profile) -> LayOut:
    def lay(folder: Path, classes: frozenset[PathClass]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in written.items():
            if profile.classify(path) in classes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)

    return lay


def found_in(hand_in: HandIn, folder: Path) -> Iterator[str]:
    """Whatever would send this author back, or the builder because of it."""
    if hand_in.role == "planner":
        yield from of_documents(hand_in.demo)
        return
    profile, contract = hand_in.profile, contract_of(hand_in.demo)
    own = OWN.get(hand_in.role)
    shipped = package_of(hand_in.demo)
    written = {p: d for p, d in shipped.items() if profile.classify(p) is not own} | hand_in.files
    bench = Bench(
        folder=folder / "verify", desk=folder / "desk", cache=folder / "cache", profile=profile,
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"),
        tools=lambda python: language_tools(profile, python or None), limits=Limits(), scrub=lambda text: text, seed=7,
        python=sys.executable if profile.id == "python" else None,
    )  # fmt: skip
    phases = ("build", "unit_tests") if hand_in.role == "builder" else ("build",)
    for row in verify_tree(bench, lay_out(written, profile), "0" * 64, "after", phases):
        if not row.passed and hand_in.role == "builder":
            yield row.summary
        elif not row.passed:
            raise SystemExit(f"error: the recorded package of {hand_in.demo} does not build: {row.summary}")
    if hand_in.role == "builder":
        return
    validation = Validation.of(bench, contract, "nobody knows")
    assert validation is not None
    if hand_in.role == "tester":
        yield from of_questions(validation)
        return
    assert contract.study is not None
    lay_out_scripts(bench)
    entry = profile.study_entry
    study = Simulation(bench, contract.study, entry, validation.forms, validation.start, folder / "study")
    yield from (row.message for row in study.checked() if row.severity == "error")
    for row in study.evidence("after", "0" * 64, 0, REPLICATIONS, "nobody knows"):
        if not row.passed:
            yield row.summary


def of_questions(validation: Validation) -> Iterator[str]:
    _, found, _ = validation.checked()
    yield from (row.message for row in found if row.severity == "error")
    rows = list(validation.judged("after", "0" * 64))
    failed = [test for row in rows for test in row.tests if test.outcome != "passed" and test.error != _NO_BASE]
    yield from (f"{test.name}: {test.error}" for test in failed)
    yield from (row.summary for row in rows if not row.passed and not row.tests)
    ask, answers = ({row.name: kept(validation.bench.folder.parent, row.kept_sha256) for row in rows}.get(name)
                    for name in ("ask", "validation"))  # fmt: skip
    if ask is not None and answers is not None:
        tried = validation.findings(validation.recalled(ask, answers))
        yield from (row.message for row in tried if row.severity == "error")


def main() -> None:
    methods = {demo.removesuffix("-r").removesuffix("-python") for demo in (*MATERIAL, *METHODS)}  # probit is one
    counts = {"methods": len(methods), "honest_hand_ins": 0, "sent_back": 0, "sent_back_wrongly": 0}
    for hand_in in hand_ins():
        if len(sys.argv) > 1 and sys.argv[1] not in hand_in.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = list(found_in(hand_in, Path(folder)))
        wrongly = [text for text in found if not text.startswith(hand_in.rightly or ("\0",))]
        for text in found:
            print(f"# {hand_in.name}: {'wrongly' if text in wrongly else 'rightly'}: {text[:300]}", flush=True)
        counts["honest_hand_ins"] += 1
        counts["sent_back"] += bool(found)
        counts["sent_back_wrongly"] += bool(wrongly)
    for name, number in counts.items():
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()

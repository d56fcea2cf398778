"""Whether everything that is demanded is carried by something that can be checked, and refers to what exists."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from statsclaw.runlog.events.finding import Finding
from statsclaw.sources.index import Index
from statsclaw.specs.comprehension import Choice
from statsclaw.specs.contract import COMPREHENSION, INTERFACE, SIM_SPEC, SPEC, SPECIFICATIONS, TEST_SPEC, Contract
from statsclaw.specs.interface import Interface
from statsclaw.specs.lint.found import clip, finding
from statsclaw.specs.lint.power import cells_of
from statsclaw.specs.lint.vocabulary import words_of
from statsclaw.specs.readings.equation_names import Named
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import TestSpec

#: The checks that every run has.
CHECKS = ("build", "checks", "unit_tests")
_MOST_WORDS = 20


def coverage_findings(
    contract: Contract,
    documents: Mapping[str, str],
    checks: Collection[str] = (),
    packages: Collection[str] | None = None,
) -> Iterator[Finding]:
    tests = contract.tests
    if tests is not None:
        yield from _scenarios_without_criterion(contract, tests)
        yield from _names_that_do_not_exist(contract, tests, {*CHECKS, *checks})
    if contract.interface is not None:
        yield from _other_package(contract, contract.interface, packages)
        yield from _no_base(contract, contract.interface, packages)
        yield from _elements_that_do_not_exist(contract, contract.interface)
    if tests is not None and contract.steps:
        yield from _steps_and_scenarios(contract, tests)
    if tests is not None and contract.interface is not None:
        yield from _never_exercised(contract, contract.interface, tests)
        yield from _conditions(contract, contract.interface, tests)
    if contract.study is not None:
        yield from _no_cell(contract, contract.study)
    if tests is not None and contract.study is not None:
        yield from _ids_twice(contract, tests, contract.study)
    yield from _decisions(contract, documents)


def excused_equations(contract: Contract, index: Index) -> Iterator[Finding]:
    """An equation that a step uses and that was excused from being computed was read once, by whoever excused it."""
    excused = contract.comprehension.not_computed if contract.comprehension else {}
    names = Named(index)

    def meant(ref: str) -> str:
        equation = names.get(ref)
        return equation.ref if equation else "".join(ref.split())

    for ref, reason in excused.items():
        using = [n for n, step in enumerate(contract.steps) if meant(ref) in {meant(name) for name in step.equations}]
        if not using:
            continue
        steps = ", ".join(contract.steps[number].id for number in using)
        message = f"{clip(ref, 80)} is used by {steps} and was computed by neither reading, because: “{clip(reason)}”."
        where = _at(contract, SPEC, "steps", using[0])
        yield finding("coverage", "warning", message, where, f"equation-excused:{clip(ref, 80)}")


def _at(contract: Contract, file: str, block: str, *path: str | int) -> str:
    return f"{file}:{contract.line_of(file, block, *path)}"


def _no_base(contract: Contract, interface: Interface, packages: Collection[str] | None) -> Iterator[Finding]:
    """What is compared with the package as it was needs one that can be asked."""
    if packages is None or packages:
        return
    for number, row in enumerate(contract.tests.criteria if contract.tests else ()):
        if row.rule == "same as base":
            message = f"{row.id} compares with the package as it was, and the target has no package yet."
            yield finding(
                "coverage", "error", message, _at(contract, TEST_SPEC, "criteria", number), f"no-base:{row.id}"
            )
    for name, function in interface.callables():
        if function.extends:
            message = f"{name} extends what is there, and the target has no package yet."
            yield finding("coverage", "error", message, _at(contract, INTERFACE, "interface"), f"no-base:{name}")


def _other_package(contract: Contract, interface: Interface, packages: Collection[str] | None) -> Iterator[Finding]:
    """Whoever is asked must be the target: an innocent builder would answer for another package."""
    name = interface.package
    if packages and not {name, *name.split(".")} & set(packages):
        own = clip(", ".join(sorted(packages)))
        message = f"The interface is that of the package “{clip(name, 60)}”; the target has {own}."
        where = _at(contract, INTERFACE, "interface", "package")
        yield finding("coverage", "error", message, where, f"other-package:{clip(name, 60)}")


def _scenarios_without_criterion(contract: Contract, tests: TestSpec) -> Iterator[Finding]:
    used = {scenario for criterion in tests.criteria for scenario in criterion.scenarios}
    for number, row in enumerate(tests.scenarios):
        if row.id not in used:
            message = f"No criterion refers to the scenario {row.id}, so nothing it shows could fail."
            where = _at(contract, TEST_SPEC, "scenarios", number)
            yield finding("coverage", "error", message, where, f"scenario-without-criterion:{row.id}")


def _names_that_do_not_exist(contract: Contract, tests: TestSpec, checks: set[str]) -> Iterator[Finding]:
    scenarios, references = {row.id for row in tests.scenarios}, {row.id for row in tests.references}
    for number, row in enumerate(tests.criteria):
        wrong = [("scenario", name) for name in row.scenarios if name not in scenarios]
        wrong += [("reference", row.reference)] if row.reference and row.reference not in references else []
        wrong += [("check", row.check)] if row.check is not None and row.check not in checks else []
        if row.rule in ("raises", "warns") and not row.message:
            message = f"{row.id} asks for {row.error} without a word of its message: any other {row.error} would do."
            yield finding(
                "coverage", "warning", message, _at(contract, TEST_SPEC, "criteria", number), f"no-message:{row.id}"
            )
        for kind, name in wrong:
            message = f"{row.id} names the {kind} “{clip(name, 60)}”, and there is none of that name."
            where = _at(contract, TEST_SPEC, "criteria", number)
            yield finding("coverage", "error", message, where, f"no-such-{kind}:{row.id}:{clip(name, 60)}")


def _elements_that_do_not_exist(contract: Contract, interface: Interface) -> Iterator[Finding]:
    known = set(interface.elements())
    named: list[tuple[str, str, str]] = []
    for number, step in enumerate(contract.steps):
        named += [(step.id, name, _at(contract, SPEC, "steps", number)) for name in step.yields]
    for number, scenario in enumerate(contract.tests.scenarios if contract.tests else ()):
        named += [(scenario.id, name, _at(contract, TEST_SPEC, "scenarios", number)) for name in scenario.exercises]
    for number, row in enumerate(contract.tests.criteria if contract.tests else ()):
        named += [(row.id, row.of, _at(contract, TEST_SPEC, "criteria", number))] if row.of else []
    for who, name, where in named:
        if name not in known and not interface.is_of_base(name):
            message = f"{who} refers to {clip(name, 80)}, which the interface does not have."
            yield finding("coverage", "error", message, where, f"no-such-element:{who}:{clip(name, 80)}")


def _with_wholes(names: Iterable[str]) -> set[str]:
    """Whoever uses `fit.coef` uses `fit`; whoever uses `fit` has not looked at `fit.coef`."""
    split = [name.split(".") for name in names]
    return {".".join(parts[:size]) for parts in split for size in range(1, len(parts) + 1)}


def _steps_and_scenarios(contract: Contract, tests: TestSpec) -> Iterator[Finding]:
    exercised = _with_wholes(tests.elements())
    yielded = {name for step in contract.steps for name in step.yields}
    parts = _with_wholes(yielded)
    for number, step in enumerate(contract.steps):
        for name in step.yields:
            if name not in exercised:
                message = f"The step {step.id} yields {name}, and no scenario exercises it."
                where = _at(contract, SPEC, "steps", number)
                yield finding("coverage", "warning", message, where, f"step-not-exercised:{step.id}:{name}")
    for number, row in enumerate(tests.scenarios):
        for name in row.exercises:
            if contract.interface is not None and contract.interface.is_of_base(name):
                continue  # nothing is built there
            if name not in parts and not _with_wholes([name]) & yielded:
                message = f"The scenario {row.id} exercises {name}, and no step of the specification yields it."
                where = _at(contract, TEST_SPEC, "scenarios", number)
                yield finding("coverage", "warning", message, where, f"exercised-not-yielded:{row.id}:{name}")


def _never_exercised(contract: Contract, interface: Interface, tests: TestSpec) -> Iterator[Finding]:
    used = _with_wholes(tests.elements())
    where = _at(contract, INTERFACE, "interface")
    missing: set[str] = set()
    for element in interface.elements():
        if element in used or _with_wholes([element]) & missing:
            continue
        missing.add(element)
        message = f"Nothing exercises {element} of the interface."
        yield finding("coverage", "warning", message, where, f"never-exercised:{element}")


def _conditions(contract: Contract, interface: Interface, tests: TestSpec) -> Iterator[Finding]:
    stated = list(interface.conditions_of())
    checked = [row for row in tests.criteria if row.rule in ("raises", "warns")]
    carried: set[str] = set()
    for name, rule, row in stated:
        same = [
            criterion
            for criterion in checked
            if criterion.rule == rule
            and (criterion.of == name or (criterion.of or "").startswith(f"{name}."))
            and criterion.error == row.error
            and row.message.lower() in criterion.message.lower()
        ]
        carried |= {criterion.id for criterion in same}
        if not same:
            message = (
                f"{name} {rule} {row.error} (“{clip(row.message, 60)}”) when {clip(row.when)}; no criterion checks it."
            )
            key = f"condition-not-checked:{name}:{rule}:{row.error}:{row.message}"
            yield finding("coverage", "warning", message, _at(contract, INTERFACE, "interface"), key)
    for number, criterion in enumerate(tests.criteria):
        if criterion.rule in ("raises", "warns") and criterion.id not in carried:
            message = (
                f"{criterion.id} demands {criterion.error} (“{clip(criterion.message, 60)}”) of {criterion.of}; the "
                "interface states no such condition, so whoever builds it cannot know."
            )
            where = _at(contract, TEST_SPEC, "criteria", number)
            yield finding("coverage", "warning", message, where, f"condition-not-stated:{criterion.id}")


def _no_cell(contract: Contract, study: Study) -> Iterator[Finding]:
    for number, row in enumerate(study.criteria):
        if cells_of(study, row) == 0:
            message = f"{row.id} selects no cell of the grid, so nothing could miss it."
            where = _at(contract, SIM_SPEC, "study", "criteria", number)
            yield finding("coverage", "error", message, where, f"no-cell:{row.id}")


def _ids_twice(contract: Contract, tests: TestSpec, study: Study) -> Iterator[Finding]:
    known = {row.id for row in tests.scenarios} | {row.id for row in tests.criteria}
    rows = [(study.id, _at(contract, SIM_SPEC, "study", "id"))]
    rows += [(row.id, _at(contract, SIM_SPEC, "study", "criteria", n)) for n, row in enumerate(study.criteria)]
    for name, where in rows:
        if name in known:
            message = f"The id {name} stands in {TEST_SPEC} and again in {SIM_SPEC}; a verdict must name one thing."
            yield finding("coverage", "error", message, where, f"id-twice:{name}")


def _decisions(contract: Contract, documents: Mapping[str, str]) -> Iterator[Finding]:
    texts = [documents[name] for name in SPECIFICATIONS if name in documents]
    if contract.comprehension is None or not texts:
        return
    followed = {name for row in contract.comprehension.definitions for name in row.follows}
    for number, choice in enumerate(contract.comprehension.choices):
        if choice.decision is None or choice.id in followed or any(_mentions(text, choice) for text in texts):
            continue
        label = clip(choice.options[choice.decision].label)
        message = (
            f"The decision “{label}” on {choice.id} ({clip(choice.question)}) is mentioned in no specification; the "
            "decision must be carried into the specifications."
        )
        where = _at(contract, COMPREHENSION, "comprehension", "choices", number)
        yield finding("coverage", "warning", message, where, f"decision-not-carried:{choice.id}")


def _mentions(text: str, choice: Choice) -> bool:
    """The name of the choice, its label as it stands, or most of its words in any form."""
    if re.search(rf"(?<![\w.-]){re.escape(choice.id)}(?![\w-])", text):
        return True
    label = choice.options[choice.decision or 0].label.lower()
    if "".join(label.split()) in "".join(text.lower().split()):
        return True
    unimportant = words_of("decisions", "unimportant")
    words = sorted({word for word in re.findall(r"[a-z]{3,}", label) if word not in unimportant})[:_MOST_WORDS]
    present = " " + " ".join(re.findall(r"[a-z]{3,}", text.lower()))
    found = [word for word in words if f" {_stem(word)}" in present]
    return bool(words) and len(found) >= math.ceil(0.7 * len(words))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "e", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word

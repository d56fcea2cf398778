"""What one reader's specification tells about another's: seeds, bounds, true values, identifiers, the algorithm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.sources.index import Index
from statsclaw.specs.contract import INTERFACE, SIM_SPEC, SPEC, SPECIFICATIONS, TEST_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding
from statsclaw.specs.lint.numbers import Found, digits_of, key_of, numbers_in, plain
from statsclaw.specs.lint.overlap import overlap_findings
from statsclaw.specs.lint.prose import Row, private_rows
from statsclaw.specs.lint.vocabulary import named, pattern, vocabulary, words_of

_SMALLEST_SEED = 1000
_FEWEST_DIGITS = 3
_MOST_FINDINGS = 50
_IDENTIFIER = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9_.-]*")
_NUMBERED = re.compile(r"\s{0,8}\d{1,2}[.)]\s")
_ALGORITHM = re.compile(r"\balgorithm\s+\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A number of one document that must not stand in another."""

    value: float
    what: str
    kind: str


def leak_findings(contract: Contract, documents: Mapping[str, str], index: Index) -> Iterator[Finding]:
    known = _public_numbers(documents, index)
    for name in SPECIFICATIONS:
        if name not in documents:
            continue
        rows = private_rows(name, documents)
        found = list(_numbers(name, rows, _hidden_from(name, contract), known))
        found += _identifiers(name, rows, contract, index)
        found += _names(name, rows, documents, index)
        if name != SPEC:
            found += _algorithm(name, rows)
        yield from found[:_MOST_FINDINGS]
    yield from overlap_findings(contract, documents, index)


def _public_numbers(documents: Mapping[str, str], index: Index) -> set[str]:
    """Those of the interface, and those of the sources that are not acceptance criteria there."""
    public = {key_of(number.value) for number in numbers_in(plain(documents.get(INTERFACE, "")))}
    for source in index.sources:
        demanded = " ; ".join(row.text for row in source.criteria)
        count: dict[str, int] = {}
        for text, weight in ((source.text, 1), (demanded, -1)):
            for number in numbers_in(plain(text)):
                count[key_of(number.value)] = count.get(key_of(number.value), 0) + weight
        public |= {key for key, times in count.items() if times > 0}
    return public | {key_of(value) for value in cast("list[float]", vocabulary()["leaks"]["common"])}


def _hidden_from(name: str, contract: Contract) -> list[Hidden]:
    tests = [] if name == TEST_SPEC else _of_tests(contract)
    study = [] if name == SIM_SPEC else _of_study(contract)
    own = {key_of(row.value) for row in (_of_tests(contract) if name == TEST_SPEC else _of_study(contract))}
    return [row for row in (*tests, *study) if name == SPEC or row.kind != "bound" or key_of(row.value) not in own]


def _of_tests(contract: Contract) -> list[Hidden]:
    if contract.tests is None:
        return []
    found = [
        Hidden(row.seed, f"the seed of the scenario {row.id}", "seed")
        for row in contract.tests.scenarios
        if row.seed is not None
    ]
    for row in contract.tests.criteria:
        tolerance = row.tolerance
        bounds = [row.low, row.high, *((tolerance.absolute, tolerance.relative) if tolerance else ())]
        found += [Hidden(value, f"a bound of the criterion {row.id}", "bound") for value in bounds if value]
    return found


def _of_study(contract: Contract) -> list[Hidden]:
    study = contract.study
    if study is None:
        return []
    found = [Hidden(study.seed, "the seed of the study", "seed")]
    for row in study.criteria:
        found += [Hidden(v, f"a bound of the criterion {row.id}", "bound") for v in (row.low, row.high) if v]
    for parameter in study.parameters:
        values = parameter.truth.values() if isinstance(parameter.truth, dict) else (parameter.truth,)
        found += [Hidden(value, f"the true value of {parameter.name} in the study", "truth") for value in values]
    return found


def _numbers(name: str, rows: list[Row], hidden: list[Hidden], known: set[str]) -> Iterator[Finding]:
    secrets: dict[str, Hidden] = {}
    for row in hidden:
        key = str(int(row.value)) if row.kind == "seed" else key_of(row.value)
        if _telling(row) and key not in known:
            secrets.setdefault(key, row)
    seen: set[str] = set()
    for line, text in rows:
        for number in numbers_in(plain(text)):
            found = next((key for key in _keys(number) if key in secrets and key not in seen), None)
            if found is None:
                continue
            seen.add(found)
            secret = secrets[found]
            computing = secret.kind == "bound" and digits_of(secret.value) < _FEWEST_DIGITS and _computing(text)
            severity: Severity = "warning" if computing else "error"
            message = f"{name} holds {clip(number.literal, 40)}, which is {secret.what}."
            yield finding("leaks", severity, message, f"{name}:{line}", f"number-leaked:{name}:{secret.kind}:{found}")


def _keys(number: Found) -> list[str]:
    """A long whole number with all its digits; a percentage as a fraction and as it is written."""
    digits = number.literal.replace(",", "")
    first = digits if digits.isdigit() else key_of(number.value)
    return [first, key_of(number.value * 100.0)] if number.percent else [first]


def _telling(row: Hidden) -> bool:
    """A long seed; three digits; or a bound so small that only a tolerance is."""
    if row.kind == "seed":
        return row.value >= _SMALLEST_SEED
    return digits_of(row.value) >= _FEWEST_DIGITS or (row.kind == "bound" and 0 < abs(row.value) < 1e-3)


def _computing(text: str) -> bool:
    return pattern(words_of("leaks", "computing")).search(text.lower()) is not None


def _identifiers(name: str, rows: list[Row], contract: Contract, index: Index) -> Iterator[Finding]:
    tests, study = contract.tests, contract.study
    ids: dict[str, str] = {}
    if name != TEST_SPEC and tests is not None:
        ids |= {row.id: f"a scenario of {TEST_SPEC}" for row in tests.scenarios}
        ids |= {row.id: f"a criterion of {TEST_SPEC}" for row in tests.criteria}
    if name != SIM_SPEC and study is not None:
        ids |= {row.id: f"a criterion of {SIM_SPEC}" for row in study.criteria}
    taken = _own_identifiers(name, contract, index)
    ids = {key: what for key, what in ids.items() if key not in taken and not key.isalpha()}
    seen: set[str] = set()
    for line, text in rows:
        for word in _IDENTIFIER.findall(text):
            key = word if word in ids else word.rstrip(".-")
            if key in ids and key not in seen:
                seen.add(key)
                message = f"{name} names {key}, which is {ids[key]}."
                yield finding("leaks", "error", message, f"{name}:{line}", f"id-leaked:{name}:{key}")


def _own_identifiers(name: str, contract: Contract, index: Index) -> set[str]:
    """Words that mean something else to the reader: steps, stated criteria, symbols, names of the interface."""
    taken = {step.id for step in contract.steps} | {row.id for row in index.criteria}
    if contract.comprehension is not None:
        taken |= {row.symbol for row in contract.comprehension.symbols}
    if contract.interface is not None:
        taken |= set(contract.interface.elements())
        taken |= {argument.name for function in contract.interface.functions for argument in function.arguments}
    if name == TEST_SPEC and contract.tests is not None:
        taken |= {row.id for row in contract.tests.scenarios} | {row.id for row in contract.tests.criteria}
    if name == SIM_SPEC and contract.study is not None:
        taken |= {row.id for row in contract.study.criteria}
    return taken


def _names(name: str, rows: list[Row], documents: Mapping[str, str], index: Index) -> Iterator[Finding]:
    names = cast("dict[str, list[str]]", vocabulary()["leaks"]["names"])[name]
    common = " ".join([documents.get(INTERFACE, ""), *(source.text for source in index.sources)]).lower()
    telling = tuple(word for word in names if not named(word, common))
    seen: set[str] = set()
    if not telling:
        return
    for line, text in rows:
        for hit in pattern(telling).finditer(text.lower()):
            if hit[0] not in seen:
                seen.add(hit[0])
                message = f"{name} speaks of “{hit[0]}”; its reader is not to know that there is such a thing."
                yield finding("leaks", "error", message, f"{name}:{line}", f"named:{name}:{hit[0]}")


def _algorithm(name: str, rows: list[Row]) -> Iterator[Finding]:
    """A numbered algorithm with at least two numbered steps close below."""
    for place, (line, text) in enumerate(rows):
        if not _ALGORITHM.search(text):
            continue
        steps = sum(1 for _, below in rows[place + 1 : place + 16] if _NUMBERED.match(below))
        if steps >= 2:
            message = f"{name} gives an algorithm in {steps} numbered steps; its reader checks results, not steps."
            yield finding("leaks", "error", message, f"{name}:{line}", f"algorithm:{name}:{line}")
            return

"""What one reader's specification tells about another's: seeds, bounds, true values, identifiers, the algorithm.

Only a number that cannot be in the builder's specification by chance is an error. All else is a suspicion: a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from statsclaw.leaks.constants import anybodys
from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.sources.index import Index
from statsclaw.specs.contract import INTERFACE, SIM_SPEC, SPEC, SPECIFICATIONS, TEST_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding
from statsclaw.specs.lint.numbers import Found, digits_of, key_of, numbers_in, plain
from statsclaw.specs.lint.overlap import overlap_findings
from statsclaw.specs.lint.prose import Row, private_rows
from statsclaw.specs.lint.vocabulary import named, pattern, vocabulary

_SMALLEST_SEED = 1000
_FEWEST_DIGITS = 3
#: So many significant digits do not agree by chance.
_CERTAIN_DIGITS = 6
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


def leak_findings(
    contract: Contract, documents: Mapping[str, str], index: Index, request: str = ""
) -> Iterator[Finding]:
    known = _public_numbers([documents.get(INTERFACE, ""), request, *(source.text for source in index.sources)])
    for name in SPECIFICATIONS:
        if name not in documents:
            continue
        rows = private_rows(name, documents)
        found = list(_numbers(name, rows, _hidden_from(name, contract), known))
        found += _identifiers(name, rows, contract, index)
        found += _names(name, rows, documents, index)
        if name != SPEC:
            found += _algorithm(name, rows)
        yield from sorted(found, key=lambda row: row.severity != "error")[:_MOST_FINDINGS]
    yield from overlap_findings(contract, documents, index)


def _public_numbers(texts: Iterable[str]) -> set[str]:
    """Numbers that everybody may have: those of the interface, the request and the sources."""
    return {key_of(number.value) for text in texts for number in numbers_in(plain(text))}


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
    hits: dict[str, tuple[bool, int, str]] = {}
    for line, text in rows:
        for number in numbers_in(plain(text)):
            for key in [key for key in _keys(number) if key in secrets]:
                certain = name == SPEC and _certain(secrets[key], text)
                if key not in hits or (certain and not hits[key][0]):
                    hits[key] = certain, line, number.literal
    for key, (certain, line, literal) in hits.items():
        secret = secrets[key]
        message = f"{name} holds {clip(literal, 40)}, which is {secret.what}."
        where = f"{name}:{line}"
        severity: Severity = "error" if certain else "warning"
        yield finding("leaks", severity, message, where, f"number-leaked:{name}:{secret.kind}:{key}")


def _keys(number: Found) -> list[str]:
    """A long whole number with all its digits; a percentage as a fraction and as it is written."""
    digits = number.literal.replace(",", "")
    first = digits if digits.isdigit() else key_of(number.value)
    return [first, key_of(number.value * 100.0)] if number.percent else [first]


def _telling(row: Hidden) -> bool:
    """A long seed, or a number of three digits and more that not anybody may write."""
    if row.kind == "seed":
        return row.value >= _SMALLEST_SEED
    return digits_of(row.value) >= _FEWEST_DIGITS and not anybodys(row.value)


def _certain(row: Hidden, text: str) -> bool:
    """Whether chance is out of the question: many digits, or a seed that is called one."""
    return digits_of(row.value) >= _CERTAIN_DIGITS or (row.kind == "seed" and "seed" in text.lower())


#: R's systems of classes, which many a specification names.
_OF_R = {"S3", "S4", "R5", "R6"}


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
                yield finding("leaks", "warning", message, f"{name}:{line}", f"id-leaked:{name}:{key}")


def _own_identifiers(name: str, contract: Contract, index: Index) -> set[str]:
    """Words that mean something else to the reader: steps, stated criteria, symbols, names of the interface."""
    taken = {step.id for step in contract.steps} | {row.id for row in index.criteria} | _OF_R
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
                yield finding("leaks", "warning", message, f"{name}:{line}", f"named:{name}:{hit[0]}")


def _algorithm(name: str, rows: list[Row]) -> Iterator[Finding]:
    """A numbered algorithm with at least two numbered steps close below."""
    for place, (line, text) in enumerate(rows):
        if not _ALGORITHM.search(text):
            continue
        steps = sum(1 for _, below in rows[place + 1 : place + 16] if _NUMBERED.match(below))
        if steps >= 2:
            message = f"{name} gives an algorithm in {steps} numbered steps; its reader checks results, not steps."
            yield finding("leaks", "warning", message, f"{name}:{line}", f"algorithm:{name}:{line}")
            return

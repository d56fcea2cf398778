"""Is every equation that can be computed compared with a value that does not come from the package?

Answers that are only compared with each other may all be wrong in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.test_spec import Criterion
from statsclaw.verify.blind.comparing import expectation, numbers_of_all
from statsclaw.verify.blind.expressions import Answers, NoValue, evaluate, leaves_in
from statsclaw.verify.blind.questionnaire import Claim, Questionnaire
from statsclaw.verify.blind.trying import finding


def only_related(
    questions: Questionnaire, criteria: Mapping[str, Criterion], formulas: Mapping[str, Collection[str]]
) -> Iterator[Finding]:
    """`formulas`: of each computable equation the criteria of the rule close that carry it."""
    known = _anchored(questions, criteria)
    claimed = {claim.criterion for claim in questions.claims}
    for ref, names in formulas.items():
        carriers = [name for name in names if name in claimed]
        about = {criteria[name].of or "" for name in carriers}
        for claim in questions.claims:
            if claim.criterion in carriers:
                about |= _elements(claim.parts.get("observed"), questions)
        if carriers and not any(_touch(one, other) for one in about for other in known):
            text = (
                f"{ref} can be computed, and {', '.join(carriers)} only compare answers of the package with each "
                "other: a package that computes something else everywhere would meet them. "
                f"In one claim of {' or '.join(carriers)}, expect the value that {ref} gives."
            )
            yield finding("only-related", ref, text)


def _anchored(questions: Questionnaire, criteria: Mapping[str, Criterion]) -> set[str]:
    """Parts of answers that are held against something known: no answer, or parts of answers that are."""
    known: set[str] = set()
    waiting: list[tuple[set[str], set[str]]] = []
    for claim in questions.claims:
        criterion = criteria.get(claim.criterion)
        if criterion is None:
            continue
        expected = expectation(claim, criterion)
        if claim.rule == "dialogue":
            known |= {criterion.of or ""}
        elif claim.rule == "observe" and _of_one_call(claim):  # what its code compares with is not known
            known |= {criterion.of or "", *_elements(claim.parts.get("arguments"), questions)}
        elif claim.rule in ("close", "same") and (_of_one_call(claim) or _elements(expected, questions)):
            waiting.append((_elements(claim.parts.get("observed"), questions), _elements(expected, questions)))
        elif claim.rule in ("close", "same") and _is_something(expected):  # two answers differ by something known
            known |= _elements(claim.parts.get("observed"), questions)
    found = True
    while found:
        ready = [observed for observed, expected in waiting if expected <= known]
        found = any(not observed <= known for observed in ready)
        known = known.union(*ready)
    return known - {""}


def _of_one_call(claim: Claim) -> bool:
    return len(set(claim.uses())) == 1


def _elements(node: Any, questions: Questionnaire) -> set[str]:
    """The parts of answers that a value mentions, as specifications name them."""
    return {".".join([questions.calls[call].element, *path]) for call, path in leaves_in(node)}


def _touch(one: str, other: str) -> bool:
    """Whether two elements are the same, or one is a part of the other."""
    return bool(one) and (f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}."))


def _is_something(expected: Any) -> bool:
    """Whether a number other than zero is expected."""
    try:
        found = numbers_of_all(evaluate(expected, Answers({})))
    except NoValue:
        return False
    parts = found if isinstance(found, list) else [found]
    return any(bool(np.any(np.asarray(part) != 0)) for part in parts)

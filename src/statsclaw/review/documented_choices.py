"""Is every decision written down where users can read it: in the documentation or the sources that ship?

A passage tells of a choice if it holds half of the words of the option that was taken and a word of the question, or
all words of the choice's name. That is generous: who reads it has to judge whether it is told well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files

from statsclaw.review.case import Case
from statsclaw.runlog.events.finding import Finding
from statsclaw.runlog.findings import finding
from statsclaw.specs.comprehension import Choice

_LARGEST = 2_000_000
_SHORTEST = 3
#: The fewest words of a choice's name that say of which choice a passage is.
_FEWEST_IN_NAME = 2
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)?")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "al", "s", "e", "y")
_SHORTEST_STEM = 3
#: Words that stand in every text.
_EMPTY = frozenset(files(__package__).joinpath("empty_words.txt").read_text(encoding="utf-8").split())


def undocumented_choices(case: Case) -> list[Finding]:
    """A warning for each decided choice of which no changed file for users tells."""
    read = case.contract.comprehension if case.contract else None
    texts = [*case.changed_docs.values(), *case.changed_sources.values()]
    if read is None or not texts or "builder" not in case.roles:
        return []
    passages = [_stems(passage) for text in texts for passage in _passages(text)]
    writer = "scriber" if "scriber" in case.roles else "builder"
    return [
        finding(
            "comprehension",
            "warning",
            f"{row.id} was decided and is documented nowhere in the package: {row.options[row.decision].label} "
            f"({row.question})",
            route_to=writer,
            key=f"not-documented:{row.id}",
        )
        for row in read.choices
        if row.decision is not None and not _is_told(row, row.decision, passages)
    ]


def _is_told(choice: Choice, decision: int, passages: Iterable[frozenset[str]]) -> bool:
    taken = _stems(choice.options[decision].label)
    name, subject = _stems(choice.id.replace("_", " ")), _stems(choice.question)
    if not taken:
        taken = subject  # yes, no: what is told is what was asked
    if not taken and len(name) < _FEWEST_IN_NAME:
        return True  # nothing that could be looked for
    for words in passages:
        if len(name) >= _FEWEST_IN_NAME and name <= words:
            return True
        about = words & (name | subject) or not name | subject
        if taken and about and 2 * len(taken & words) >= len(taken):
            return True
    return False


def _passages(text: str) -> Iterator[str]:
    return (part for part in re.split(r"\n[ \t#*>]*\n", text[:_LARGEST]) if part.strip())


def _stems(text: str) -> frozenset[str]:
    """Words that mean something, in lower case and without their endings."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_stem(w) for w in words if w not in _EMPTY and (len(w) >= _SHORTEST or w[0].isdigit()))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= _SHORTEST_STEM), "")
    return word.removesuffix(ending)

"""Messages of one cause, so that a page can say them once, with how often."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from statsclaw.runlog import events as e

T = TypeVar("T")

#: In what two messages about one thing differ: quoted words, numbers, names with digits, dots or underscores.
_DIFFERS = re.compile(r"“[^”]*”|\"[^\"]*\"|`[^`]*`|\w*[\d_]\w*(?:\.\w+)*|\w+(?:\.\w+)+")


def alike(rows: Iterable[T], cause: Callable[[T], Hashable]) -> list[tuple[T, ...]]:
    """The rows in groups of one cause; groups and rows in the order in which they come."""
    groups: dict[Hashable, list[T]] = {}
    for row in rows:
        groups.setdefault(cause(row), []).append(row)
    return [tuple(group) for group in groups.values()]


def wording(message: str) -> str:
    """A message without the names and numbers that it is about."""
    return " ".join(_DIFFERS.sub("…", message).split())


def cause_of(finding: e.Finding) -> Hashable:
    """The rule that a finding breaks, as its key begins; its wording where its key is made of its words."""
    made_of_words = finding.model_copy(update={"key": ""}).keyed().key
    same = wording(finding.message) if finding.key in ("", made_of_words) else finding.rule
    return (finding.check, finding.severity, same)

"""Algorithms in prose: a line "Algorithm 1 ..." and the numbered lines after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from statsclaw.sources.index import Algorithm
from statsclaw.sources.readable import readable_markdown

_TITLE = re.compile(r"[\s#*_>]{0,12}Algorithm\s{1,3}([A-Z]?\d{1,3})\b[\s.:*_—–-]{0,9}(.{0,300})", re.IGNORECASE)
_STEP = re.compile(r"\s{0,40}[*_]{0,2}(\d{1,3})(?:[.:)][*_]{0,2}|[*_]{1,2}[.:)])\s{1,40}(?=\S)")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\s{1,9}[A-Z][^.=:]{2,70}")
_RULE = re.compile(r"\s{0,9}(?:[-=*_]{3,}|```\w{0,20}|~~~\w{0,20})\s{0,9}")
_MOST_ALGORITHMS = 200
_MOST_STEPS = 400


def algorithms_in(name: str, rows: Sequence[str], *, markdown: bool) -> list[Algorithm]:
    """Only a title with at least one numbered line counts: a sentence that mentions an algorithm is none."""
    found: list[Algorithm] = []
    at = 0
    while at < len(rows) and len(found) < _MOST_ALGORITHMS:
        title = _TITLE.match(rows[at][:400])
        at += 1
        if not title:
            continue
        steps, end = _steps(rows, at, markdown=markdown)
        if steps:
            words = title[2].strip().rstrip("*_")
            heading = readable_markdown(words, keep_formulas=True) if markdown else words
            found.append(Algorithm(f"{name} Algorithm {title[1]}", name, heading, tuple(steps), at))
            at = end
    return found


def _steps(rows: Sequence[str], at: int, *, markdown: bool) -> tuple[list[str], int]:
    """Numbered lines in order; a line without a number continues the step before it until an empty line."""
    steps: list[str] = []
    first, empty = at, False
    while at < len(rows) and len(steps) < _MOST_STEPS:
        row = rows[at][:2_000]
        step = _STEP.match(row)
        if step and int(step[1]) in (len(steps) + 1, len(steps)) and (steps or int(step[1]) <= 1):
            text = row[step.end() :].strip()
            steps.append(readable_markdown(text, keep_formulas=True) if markdown else text)
            empty = False
        elif (not row.strip() or _RULE.fullmatch(row)) and (steps or at < first + 6):
            empty = True
        elif steps and (not empty or row.startswith("    ")) and _goes_on(steps[-1], row, markdown=markdown):
            steps[-1] = f"{steps[-1]} {row.strip()}"[:2_000]
        elif not steps and not empty and at < first + 3 and not _TITLE.match(row):
            pass  # the title goes on
        else:
            break
        at += 1
    return steps, at


def _goes_on(step: str, row: str, *, markdown: bool) -> bool:
    """Whether a line without a number belongs to the step before it. Plain text may have no empty lines at all."""
    if _TITLE.match(row) or row.startswith("#"):
        return False
    return markdown or not (step.endswith(".") or _SECTION.fullmatch(row.strip()))

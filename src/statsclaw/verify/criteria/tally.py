"""What a set of judgements comes to, in a line: the same words on the screen and in the audit."""

from __future__ import annotations

from collections.abc import Sequence

from statsclaw.runlog.events import Judgement


def tally(judgements: Sequence[Judgement]) -> str:
    count = {kind: sum(row.verdict == kind for row in judgements) for kind in ("PASS", "FAIL", "UNDECIDED")}
    left_open = [row for row in judgements if row.counts_as == "OPEN"]
    literal = count["UNDECIDED"] - len(left_open)
    text = f"{len(judgements)} criteria: {count['PASS']} PASS"
    text += f", {count['FAIL']} FAIL" if count["FAIL"] else ""
    text += f", {literal} undecided, taken literally" if literal else ""
    return text + (f", {len(left_open)} left open: {_made(left_open)} too few" if left_open else "")


def _made(left_open: Sequence[Judgement]) -> str:
    """How many replications were made of those planned, where that is one number for all."""
    numbers = {(row.replications, row.planned) for row in left_open}
    made, planned = numbers.pop() if len(numbers) == 1 else (None, None)
    return f"{made} of {planned} replications are" if made and planned else "the replications are"

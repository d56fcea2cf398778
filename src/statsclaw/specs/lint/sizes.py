"""Sample sizes and other levels that a stated criterion speaks of must be among the cells that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from statsclaw.runlog.events.finding import Finding, Severity
from statsclaw.sources.index import Index, StatedCriterion
from statsclaw.specs.contract import SIM_SPEC, Contract
from statsclaw.specs.lint.found import clip, finding, show
from statsclaw.specs.lint.numbers import Found, numbers_in, plain
from statsclaw.specs.lint.request import carried_by, carriers
from statsclaw.specs.sim_spec import Level, Study, StudyCriterion

_LONGEST = 4000
_IS = r"\s*(?:=|≥|≤|:|of|is|are|at least|at most|up to|from)?\s*$"
_SIZE = re.compile(rf"\bsizes?{_IS}")
_NAMED = re.compile(rf"(?<!\w)(\w+){_IS}")
_COUNTED = re.compile(r"\s*(?:observations|individuals|subjects|units|rows|periods|clusters|draws)\b")
#: "n > 40" and "more than 40" leave 40 out themselves.
_WITHOUT = re.compile(r"(?:[<>≠]|\b(?:than|above|below|over|under|exceed\w*|beyond|except\w*|not))\s*$")
_LISTED = re.compile(r"\s*(?:,|;|/|and|or|to|, and|, or)\s*")
_USUAL_NAMES = ("n", "nobs", "n_obs", "size", "sample_size", "t", "periods")


@dataclass(frozen=True, slots=True)
class Size:
    """A whole number of a stated criterion, and the axis of the grid that it names; "" where it only says "size"."""

    value: float
    axis: str
    sure: bool


def sizes_of(text: str, axes: Sequence[str]) -> list[Size]:
    """The sizes that a sentence speaks of, in "n = 40", "samples of size 40" and "40 observations"."""
    sentence = plain(text[:_LONGEST])
    names = {axis.lower(): axis for axis in axes}
    sizes: list[Size] = []
    last: tuple[Found, Size | None] | None = None
    for number in numbers_in(sentence):
        size = None
        if number.whole and number.value >= 2 and not (number.times or number.seconds):
            before = sentence[max(0, number.start - 40) : number.start]
            size = _introduced(before, sentence[number.end : number.end + 30], number.value, names)
            if size is None and last is not None and last[1] and _LISTED.fullmatch(sentence, last[0].end, number.start):
                size = Size(number.value, last[1].axis, last[1].sure)
        sizes += [size] if size else []
        last = number, size
    return sizes


def _introduced(before: str, after: str, value: float, names: dict[str, str]) -> Size | None:
    if _WITHOUT.search(before):
        return None
    if _SIZE.search(before):
        return Size(value, "", sure=True)
    named = _NAMED.search(before)
    if named and named[1] in names:
        return Size(value, names[named[1]], sure=True)
    return Size(value, "", sure=False) if _COUNTED.match(after) else None


def size_findings(contract: Contract, index: Index) -> Iterator[Finding]:
    study = contract.study
    if study is None:
        return
    rows = carriers(contract)
    own = {row.id: row for row in study.criteria}
    for stated in index.criteria:
        ids = [row.id for row in carried_by(stated, rows, index)]
        answering = [own[name] for name in ids if name in own]
        if not answering:
            continue
        where = f"{SIM_SPEC}:{contract.line_of(SIM_SPEC, 'study', 'criteria', study.criteria.index(answering[0]))}"
        for size in dict.fromkeys(sizes_of(stated.text, tuple(study.grid))):
            yield from _left_out(stated, size, study, answering, where, alone=len(answering) == len(ids))


def _left_out(
    stated: StatedCriterion, size: Size, study: Study, answering: list[StudyCriterion], where: str, *, alone: bool
) -> Iterator[Finding]:
    axes = [size.axis] if size.axis else [axis for axis, levels in study.grid.items() if _has(levels, size.value)]
    axes = axes or [axis for axis in study.grid if axis.lower() in _USUAL_NAMES]
    if not axes or any(_answers(row, study, axis, size.value) for axis in axes for row in answering):
        return
    axis, value = axes[0], show(size.value)
    key = f"stated-size-left-out:{stated.ref}:{axis}={value}"
    names = ", ".join(row.id for row in answering)
    if not _has(study.grid[axis], size.value):
        message = f"{stated.ref} speaks of {axis} = {value}, and the grid of the study has no such level."
        yield finding("request", "warning", message, where, key)
        return
    message = f"{stated.ref} is carried by {names}, which leaves out {axis} = {value}, of which it speaks"
    severity: Severity = "error" if size.sure and alone else "warning"
    yield finding("request", severity, f"{message}: “{clip(stated.text)}”.", where, key)


def _has(levels: Sequence[Level], value: float) -> bool:
    return any(not isinstance(level, str) and float(level) == value for level in levels)


def _answers(row: StudyCriterion, study: Study, axis: str, value: float) -> bool:
    return _has(row.cells.get(axis, study.grid[axis]), value)

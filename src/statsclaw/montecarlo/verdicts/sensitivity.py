"""After a study: the smallest fault that its PASSed criteria would have noticed, from the stored replications alone.

Standard errors and the halves of the intervals are multiplied by a factor, or estimates and intervals are shifted by a
multiple of EmpSE, in every replication and cell; the criterion is judged again. "Noticed" is a literal FAIL, or for
the interval a verdict that is no longer PASS. Rejections cannot be recomputed from what is stored, and stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.intervals import error_to_include
from statsclaw.montecarlo.metrics.measures import needs_of
from statsclaw.montecarlo.metrics.paired import COMPARISONS
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.verdicts.judge import LEVEL, CriterionVerdict, judge_study
from statsclaw.montecarlo.verdicts.perturbed import Faulty, Perturbation, with_fault
from statsclaw.montecarlo.verdicts.questions import Question, metric_of, questions_of

#: Perturbations in the order they are tried, before halving: per cent of the standard errors, hundredths of EmpSE.
_STEPS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
_SHIFTS = (*_STEPS, 1.2, 1.6, 2.0)
_HALVINGS = 6


@dataclass(frozen=True, slots=True)
class SensitivityRow:
    """`smallest`: the least perturbation noticed, in per cent of the standard errors or in EmpSE; None: none of those
    tried (up to 90 %, or 2 EmpSE) was. `rule`: "literal" or "interval"."""

    criterion: str
    perturbation: str  # "standard errors" or "estimates"
    direction: str  # "too small", "too large"
    rule: str
    smallest: float | None
    where: str = ""

    @property
    def size(self) -> str:
        of_errors = self.perturbation == "standard errors"
        if self.smallest is None:
            return f"{100 * _STEPS[-1]:.0f} %" if of_errors else f"{_SHIFTS[-1]:g} EmpSE"
        return f"{_down(100 * self.smallest)} %" if of_errors else f"{_down(self.smallest)} EmpSE"

    @property
    def text(self) -> str:
        tried = ", the most that was tried" if self.smallest is None else ""
        what = f"{self.perturbation} {self.size} {self.direction}{tried}"
        return f"{self.criterion} ({self.rule}): this study would not notice {what}."


def _down(size: float) -> str:
    """Two digits, rounded down: this much is not noticed."""
    if size <= 0:
        return "0"
    digits = 1 - math.floor(math.log10(size))
    return f"{math.floor(size * 10**digits * (1 - 1e-9)) / 10**digits:.{max(digits, 0)}f}"


def sensitivity(
    study: Study, results: Results, level: float = LEVEL, verdicts: Sequence[CriterionVerdict] | None = None
) -> list[SensitivityRow]:
    """Of every criterion that is PASS, in both directions; what is undecided or failed has noticed nothing."""
    found: list[SensitivityRow] = []
    for verdict in judge_study(study, results, level) if verdicts is None else verdicts:
        if verdict.verdict != "PASS":
            continue
        said = {"literal": verdict.literal, "interval": verdict.interval}
        rules = [name for name, found in said.items() if found == "PASS"]
        if not rules or not _can_be_perturbed(verdict.criterion):
            continue
        questions = questions_of(study, verdict.criterion)
        under_fault = [with_fault(study, question, results) for question in questions]
        for rule in rules:
            found += _of_rule(verdict.criterion, questions, under_fault, rule, 1 - level)
    return found


def _can_be_perturbed(criterion: Criterion) -> bool:
    return bool({"estimate", "se", "low", "high"} & set(_columns(criterion)))


def _columns(criterion: Criterion) -> tuple[str, ...]:
    return (COMPARISONS[criterion.metric],) if criterion.metric in COMPARISONS else needs_of(metric_of(criterion))


def _of_rule(
    criterion: Criterion, questions: Sequence[Question], under_fault: Sequence[Faulty], rule: str, error: float
) -> list[SensitivityRow]:
    columns = set(_columns(criterion))
    kinds: list[tuple[str, str, Callable[[float], Perturbation], Sequence[float]]] = []
    if columns & {"se", "low", "high"}:
        kinds += [
            ("standard errors", "too small", lambda size: Perturbation(1 - size, 0.0), _STEPS),
            ("standard errors", "too large", lambda size: Perturbation(1 + size, 0.0), _STEPS),
        ]
    if columns & {"estimate", "low", "high"} and metric_of(criterion) not in _UNMOVED:
        kinds += [
            ("estimates", "too large", lambda size: Perturbation(1.0, size), _SHIFTS),
            ("estimates", "too small", lambda size: Perturbation(1.0, -size), _SHIFTS),
        ]
    rows = []
    for name, direction, made, sizes in kinds:
        best: tuple[float, str] | None = None
        for question, faulty in zip(questions, under_fault, strict=True):
            size = _smallest(question, faulty, made, sizes, rule, error, best[0] if best else math.inf)
            if size is not None and (best is None or size < best[0]):
                best = (size, question.name)
        smallest, where = best if best is not None else (None, "")
        rows.append(SensitivityRow(criterion.id, name, direction, rule, smallest, where))
    return rows


#: What a shift of all estimates leaves as it is.
_UNMOVED = (
    "empse", "robust_empse", "quantile_range", "se_ratio", "rms_se_ratio", "relative_error_modse", "be_coverage",
    "width", "modse", "relative_precision",
)  # fmt: skip


def _smallest(
    question: Question,
    faulty: Faulty,
    made: Callable[[float], Perturbation],
    sizes: Sequence[float],
    rule: str,
    error: float,
    known: float,
) -> float | None:
    """The least size that is noticed in this cell: the first of `sizes`, then halving. None if it is not below
    `known`, what another cell has."""

    def noticed(size: float) -> bool:
        found = faulty(made(size))
        if rule == "literal":
            return not question.low <= found.value <= question.high
        return not error_to_include(found, question.low, question.high) <= error

    below = 0.0
    for size in sizes:
        if below >= known:
            return None
        if noticed(size):
            break
        below = size
    else:
        return None
    above = size
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        below, above = (below, middle) if noticed(middle) else (middle, above)
    return above


def render_sensitivity(rows: Sequence[SensitivityRow]) -> str:
    """Of each criterion what it would not have failed for, and from where on it would have been undecided."""
    by_interval = {(row.criterion, row.perturbation, row.direction): row for row in rows if row.rule == "interval"}
    literal = [row for row in rows if row.rule == "literal"]
    lines = []
    for name in dict.fromkeys(row.criterion for row in literal):
        lines.append(f"{name} passed; this study would not notice")
        for row in literal:
            if row.criterion == name:
                other = by_interval.get((name, row.perturbation, row.direction))
                from_ = f" (undecided from {other.size} on)" if other and other.smallest is not None else ""
                tried = ", the most that was tried" if row.smallest is None else ""
                lines.append(f"  {row.perturbation} {row.size} {row.direction}{tried}{from_}")
    return "".join(f"{line}\n" for line in lines)

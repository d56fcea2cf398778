"""Before a study is run: what its criteria can and cannot notice at the planned replications.

A fault is taken to be in every cell a criterion is about, and cells to be independent. Intervals are taken to be
estimate ± z · standard error with normal estimates, so that standard errors c times as large as they should be give a
coverage of 2Φ(z c) − 1, and a bias of b EmpSE gives Φ(z − b) − Φ(−z − b). Proportions are then exactly binomial;
se_ratio, relative_error_modse and rates have the errors of normal estimates; all else needs a pilot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.measures import McEstimate
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.verdicts.faults import CORRECT, Fault, faults_of, model_of
from statsclaw.montecarlo.verdicts.judge import LEVEL
from statsclaw.montecarlo.verdicts.power import Chances, Model, chances, needed
from statsclaw.montecarlo.verdicts.questions import Evidence, Question, questions_of
from statsclaw.montecarlo.verdicts.wording import policy_of, rule_of
from statsclaw.words import span

TARGETS = (0.10, 0.01)
#: A fault that puts the value on the edge of the band is within it, whatever the last digit.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One criterion under one fault, or under none (`fault` is "correct").

    Probabilities over repeated studies that the criterion as a whole PASSes or FAILs. `needed`: replications from
    which a literal miss has a probability of at most 10 % and 1 %; `needed_interval`: from which the interval says
    FAIL with at least 90 % and 99 %, or PASS where nothing is wrong. None: no number would do.
    """

    criterion: str
    rule: str
    fault: str
    values: tuple[float, ...]
    inside: bool
    literal_pass: float
    interval_pass: float
    interval_fail: float
    needed: tuple[int | None, int | None] = (None, None)
    needed_interval: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Plan:
    """`replications`: of every cell. `unknown`: criteria of which nothing can be said without a pilot, and why."""

    study: str
    replications: tuple[int, ...]
    level: float
    rows: tuple[PlanRow, ...]
    unknown: tuple[str, ...] = ()
    failures_allowed: float = 0.01

    def find(self, criterion: str, fault: str = CORRECT) -> PlanRow | None:
        return next((row for row in self.rows if (row.criterion, row.fault) == (criterion, fault)), None)


def plan_study(study: Study, pilot: Results | None = None, level: float = LEVEL) -> Plan:
    """Every criterion of the study under no fault and under each named one. `pilot`: results of a shorter run."""
    asked = [(criterion, questions_of(study, criterion)) for criterion in study.criteria]
    family = max(sum(len(questions) for _, questions in asked), 1)
    rows: list[PlanRow] = []
    unknown: list[str] = []
    for criterion, questions in asked:
        seen = [_piloted(study, question, pilot) for question in questions]
        made = 0
        for fault in (Fault(CORRECT), *faults_of(criterion)):
            models = [model_of(study, question, fault, row) for question, row in zip(questions, seen, strict=True)]
            known = [model for model in models if model is not None]
            if known and len(known) == len(models):
                made += 1
                rows.append(_row(study, criterion, questions, fault, known, 1 - level, family))
        if not made:
            unknown.append(f"{criterion.id}: {rule_of(criterion)}: nothing can be said without a pilot")
    return Plan(study.name, study.planned, level, tuple(rows), tuple(unknown), study.failures_allowed)


def _piloted(study: Study, question: Question, pilot: Results | None) -> McEstimate | None:
    """What a pilot shows, if it has the question's cells."""
    if pilot is None or any(pilot.completed(cell) == 0 for cell in question.cells):
        return None
    try:
        found = Evidence(study, question, pilot).estimate()
    except KeyError:
        return None
    return found if math.isfinite(found.value) and found.error is not None else None


def _row(
    study: Study,
    criterion: Criterion,
    questions: Sequence[Question],
    fault: Fault,
    models: Sequence[Model],
    error: float,
    family: int,
) -> PlanRow:
    band = (questions[0].low, questions[0].high)

    def at(replications: int) -> Chances:
        return _over_cells([chances(model, replications, band, error, error / family) for model in models])

    planned = [study.replications_in(study.cell(question.cells[0])) for question in questions]
    now = _over_cells(
        [chances(model, count, band, error, error / family) for model, count in zip(models, planned, strict=True)]
    )
    most, rule = max(planned), rule_of(criterion)
    values = tuple(dict.fromkeys(model.value for model in models))
    within = all(band[0] - _ROUNDING <= value <= band[1] + _ROUNDING for value in values)
    row = PlanRow(
        criterion.id, rule, fault.name, values, within, now.literal_pass, now.interval_pass, now.interval_fail
    )
    if fault.name == CORRECT:
        enough = tuple(needed(lambda count: 1 - at(count).interval_pass, t, most) for t in TARGETS)
        return replace(row, needed_interval=(enough[0], enough[1])) if within else row
    if within:
        return row
    literal, by_interval = (
        tuple(needed(missed, target, most) for target in TARGETS)
        for missed in (lambda count: at(count).literal_pass, lambda count: 1 - at(count).interval_fail)
    )
    return PlanRow(
        row.criterion, rule, row.fault, values, within, row.literal_pass, row.interval_pass, row.interval_fail,
        (literal[0], literal[1]), (by_interval[0], by_interval[1]),
    )  # fmt: skip


def _over_cells(found: Sequence[Chances]) -> Chances:
    """A criterion passes where every cell does and fails where any does."""
    return Chances(
        math.prod(row.literal_pass for row in found),
        math.prod(row.interval_pass for row in found),
        1 - math.prod(1 - row.interval_fail for row in found),
    )


def render_plan(plan: Plan) -> str:
    """Sentences: per criterion the false alarms, what is missed how often, and what would do."""
    lines = [
        f"{plan.study}: R = {span(plan.replications)} per cell, interval verdicts at {100 * plan.level:g} %.",
        f"{policy_of(plan.failures_allowed)}.",
    ]
    for name in dict.fromkeys(row.criterion for row in plan.rows):
        own = [row for row in plan.rows if row.criterion == name]
        lines += ["", f"{name}: {own[0].rule}"]
        lines += [f"  {sentence(row, max(plan.replications))}" for row in own]
    return "\n".join([*lines, *(["", *plan.unknown] if plan.unknown else [])]) + "\n"


def sentence(row: PlanRow, replications: int) -> str:
    at = " to ".join(f"{value:.3g}" for value in sorted({min(row.values), max(row.values)}))
    undecided = max(1 - row.interval_pass - row.interval_fail, 0.0)
    outcome = (
        f"interval: PASS {percent(row.interval_pass)}, FAIL {percent(row.interval_fail)}, "
        f"UNDECIDED {percent(undecided)}."
    )
    enough = [
        f"R = {count:,} for {percent(1 - target)}"
        for count, target in zip(row.needed_interval, TARGETS, strict=True)
        if count is not None and count > replications
    ]
    verdict = "PASS" if row.fault == CORRECT else "FAIL"
    more = f" For this {verdict}: {', '.join(enough)}." if enough else ""
    if row.fault == CORRECT:
        return f"correct ({at}): literal false alarm {percent(1 - row.literal_pass)}; {outcome}{more}"
    said = f"{row.fault} ({at}): literal misses it {percent(row.literal_pass)}; {outcome}"
    if row.inside:
        return f"{said} It lies inside the band or on its edge: no number of replications would notice it."
    if row.needed == (None, None):
        return f"{said} No number of replications up to ten million would do."
    parts = [
        f"R = {count:,} would miss {percent(target)}"
        for count, target in zip(row.needed, TARGETS, strict=True)
        if count is not None and count > replications
    ]
    return (f"{said} {'; '.join(parts)}." if parts else said) + more


def percent(share: float) -> str:
    value = 100 * min(max(share, 0.0), 1.0)
    if 0 < value < 0.1:
        return "< 0.1 %"
    return f"{value:.1f} %" if value < 10 and value != round(value) else f"{value:.0f} %"

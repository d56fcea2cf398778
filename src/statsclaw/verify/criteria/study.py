"""Criteria of a study: three-valued verdicts whose error rates are known.

A cell passes if the interval of its metric lies inside of the band, fails if the interval lies outside of it, and is
undecided otherwise. The study is looked at no more than three times (replications, twice as many, the cap), and each
look gets its equal share of 1 %.

- A package whose every metric lies inside of its band gets a FAIL anywhere, at any look, in at most 1 % of studies: the
  interval that fails a cell is corrected (Bonferroni) over all cells of all criteria and all looks.
- A criterion of which one cell or more lies outside of the band gets a PASS in at most 1 % of studies: a PASS needs
  every cell to pass, so the interval that passes a cell is corrected over looks only, and it may err with that
  probability on each of its sides (two one-sided tests: the truth is beyond one edge of the band, not both).

Both hold exactly for proportions (Clopper-Pearson). The interval of a quantile range is made of those of its two
quantiles, exact for any distribution. For other metrics they hold as far as the intervals of montecarlo.intervals do:
with hundreds of replications (what heavy tails do to empse and se_ratio is in montecarlo.metrics). A verdict taken
literally, at the cap, has no such guarantee.

Failed replications are in no metric but failure_rate. Where no criterion of that metric says how many a method may have
in a cell, it may have 1 %: more than that, by a one-sided bound that errs in at most 1 % of studies over all cells and
looks, fails every criterion of the cell, whatever the replications that are left show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from statsclaw.montecarlo.metrics.intervals import clopper_pearson, interval
from statsclaw.montecarlo.metrics.measures import PROPORTIONS, McEstimate, estimate_metric
from statsclaw.runlog.events.criteria_judged import Judgement, Verdict
from statsclaw.specs.sim_spec import Study, StudyCriterion
from statsclaw.verify.study_report import Records

Interval = tuple[float, float]

FAMILY_ERROR = 0.01
#: The share of failed replications that nobody has to allow.
_MOST_FAILURES = 0.01
_LONGEST_NOTE = 2000
_NAMED_CELLS = 5


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """One cell: `margin` is minus infinity where there is no value at all.

    `unallowed`: replications failed that no criterion allows to fail, so that what the rest shows is not enough.
    """

    cell: str
    estimate: McEstimate
    margin: float
    verdict: Verdict
    unallowed: bool = False


def looks(study: Study) -> tuple[int, ...]:
    """How many replications there are at each look."""
    cap = study.cap or 4 * study.replications
    return tuple(sorted({study.replications, min(2 * study.replications, cap), cap}))


def judge_study(study: Study, records: Records, evidence: str) -> list[Judgement]:
    """One judgement per criterion, in their order; `evidence` names the records. See the module for error rates."""
    per_look = FAMILY_ERROR / len(looks(study))
    cells = sum(len(study.selected(row)) for row in study.criteria)
    errors = (2 * per_look, per_look / max(cells, 1))
    return [_judged(study, row, records, errors, evidence) for row in study.criteria]


def cell_values(study: Study, records: Records) -> dict[str, tuple[float, ...]]:
    """Of each criterion the metric in every cell, for those who check what is said about them."""
    found = {
        row.id: [_estimate(study, row, records, cell).value for cell in study.selected(row)] for row in study.criteria
    }
    return {name: tuple(value for value in values if math.isfinite(value)) for name, values in found.items()}


def needed_replications(study: Study, judgements: Sequence[Judgement], records: Records) -> int | None:
    """How many further replications the next look needs; None if all is decided or the cap is reached."""
    own = {row.id for row in study.criteria}
    if not any(row.verdict == "UNDECIDED" for row in judgements if row.id in own):
        return None
    return next((total - records.count for total in looks(study) if total > records.count), None)


def settle(judgements: Sequence[Judgement], planned: int | None = None) -> list[Judgement]:
    """At the cap: what is undecided stays so, with a note that the run goes by the bare comparison.

    `planned`: how many replications there were to be, where the person wanted fewer; then it is left open.
    """
    return [_settled(row, planned if row.replications is not None else None) for row in judgements]


def _settled(judgement: Judgement, planned: int | None) -> Judgement:
    judgement = judgement.model_copy(update={"planned": planned}) if planned is not None else judgement
    if judgement.verdict != "UNDECIDED":
        return judgement
    count = f"{judgement.replications:,}" if judgement.replications is not None else "?"
    taken = f"undecided at R = {count}" + (": taken literally" if planned is None else f" of {planned:,}: left open")
    if taken in judgement.note:
        return judgement
    return judgement.model_copy(update={"note": f"{taken}; {judgement.note}"[:_LONGEST_NOTE]})


def _judged(
    study: Study, row: StudyCriterion, records: Records, errors: tuple[float, float], evidence: str
) -> Judgement:
    answers = [_answer(study, row, records, cell, errors) for cell in study.selected(row)]
    if not answers:
        note = "the criterion selects no cell of the study"
        return Judgement(
            id=row.id, quantity=row.quantity, rule=_rule(row), verdict="FAIL", literal="FAIL",
            evidence=(evidence,), note=note,
        )  # fmt: skip
    verdicts = {answer.verdict for answer in answers}
    verdict: Verdict = "FAIL" if "FAIL" in verdicts else "PASS" if verdicts == {"PASS"} else "UNDECIDED"
    worst = min((answer for answer in answers if answer.verdict == verdict), key=lambda answer: answer.margin)
    known = math.isfinite(worst.margin)
    return Judgement(
        id=row.id,
        quantity=row.quantity,
        rule=_rule(row),
        verdict=verdict,
        literal="PASS" if all(answer.margin >= 0 and not answer.unallowed for answer in answers) else "FAIL",
        observed=worst.estimate.value if known else None,
        margin=worst.margin if known else None,
        mcse=worst.estimate.mcse,
        replications=records.count,
        where=worst.cell,
        evidence=(evidence,),
        note=_note(row, answers, worst, errors),
    )


def _answer(study: Study, row: StudyCriterion, records: Records, cell: str, errors: tuple[float, float]) -> CellAnswer:
    estimate = _estimate(study, row, records, cell)
    if not math.isfinite(estimate.value) or estimate.failures == estimate.replications:
        return CellAnswer(cell, estimate, -math.inf, "FAIL")
    low = -math.inf if row.low is None else row.low
    high = math.inf if row.high is None else row.high
    margin = min(estimate.value - low, high - estimate.value)
    if _fails_too_often(study, row, cell, estimate):
        return CellAnswer(cell, estimate, margin, "FAIL", unallowed=True)
    passes, fails = (interval(estimate, error) for error in errors)
    if _inside(passes, low, high):
        return CellAnswer(cell, estimate, margin, "PASS")
    return CellAnswer(cell, estimate, margin, "FAIL" if _outside(fails, low, high) else "UNDECIDED")


def _fails_too_often(study: Study, row: StudyCriterion, cell: str, estimate: McEstimate) -> bool:
    """Surely more failures than nobody has to allow, and no criterion about the failures of this method here."""
    allowed = any(
        other.metric == "failure_rate" and other.method == row.method and cell in study.selected(other)
        for other in study.criteria
    )
    if allowed or not estimate.failures:
        return False
    one_sided = FAMILY_ERROR / len(looks(study)) / (len(study.cells()) * len(study.methods))
    return clopper_pearson(estimate.failures, estimate.replications, 2 * one_sided)[0] > _MOST_FAILURES


def _estimate(study: Study, row: StudyCriterion, records: Records, cell: str) -> McEstimate:
    truth = study.truth(row.parameter, cell) if row.parameter is not None else math.nan
    table = records.tables[cell, row.method]
    return estimate_metric(row.metric, table, parameter=row.parameter, truth=truth, of_field=row.field)


def _inside(found: Interval, low: float, high: float) -> bool:
    return low <= found[0] and found[1] <= high


def _outside(found: Interval, low: float, high: float) -> bool:
    return found[1] < low or found[0] > high


def _rule(row: StudyCriterion) -> str:
    if row.low is not None and row.high is not None:
        return f"{row.metric} between {row.low:g} and {row.high:g}"
    return f"{row.metric} at least {row.low:g}" if row.low is not None else f"{row.metric} at most {row.high:g}"


def _note(row: StudyCriterion, answers: list[CellAnswer], worst: CellAnswer, errors: tuple[float, float]) -> str:
    said: list[str] = []
    if not math.isfinite(worst.margin):
        every = worst.estimate.failures == worst.estimate.replications
        said.append(f"{'every replication failed' if every else 'there is no finite value'} in {worst.cell}")
    elif worst.estimate.mcse == 0 and row.metric not in PROPORTIONS:
        said.append(f"what was recorded does not vary in {worst.cell}")
    for verdict, word in (("FAIL", "fail"), ("UNDECIDED", "are undecided")):
        cells = [answer.cell for answer in answers if answer.verdict == verdict]
        if cells:
            said.append(f"{len(cells)} of {len(answers)} cells {word}: {_listed(cells)}")
    failed = _failures(answers)
    said = [*failed, *said] if worst.unallowed else [*said, *failed]
    return "; ".join([*said, _described(row, worst, errors)])[:_LONGEST_NOTE]


def _failures(answers: list[CellAnswer]) -> list[str]:
    """How many replications failed, first where nobody allows it."""
    cells = sorted((answer for answer in answers if answer.estimate.failures), key=lambda a: not a.unallowed)
    said = [
        f"{a.estimate.failures:,} of {a.estimate.replications:,} replications failed in {a.cell}"
        + (", and no criterion allows failures" if a.unallowed else "")
        for a in cells[:_NAMED_CELLS]
    ]
    left = len(cells) - _NAMED_CELLS
    return [*said, f"replications failed in {left} further cells"] if left > 0 else said


def _described(row: StudyCriterion, worst: CellAnswer, errors: tuple[float, float]) -> str:
    ranks = "order statistics" if row.metric == "quantile_range" else "value ± t · mcse"
    kind = "Clopper-Pearson" if worst.estimate.successes is not None else ranks
    error = errors[1] if worst.verdict == "FAIL" else errors[0]
    low, high = interval(worst.estimate, error)
    return f"{100 * (1 - error):.6g} % interval ({kind}) [{low:.4g}, {high:.4g}]"


def _listed(cells: list[str]) -> str:
    more = f" and {len(cells) - _NAMED_CELLS} more" if len(cells) > _NAMED_CELLS else ""
    return ", ".join(cells[:_NAMED_CELLS]) + more

"""Criteria decided three ways, with stated error rates.

- literal: the value as it was found lies within the band, in every cell.
- interval: PASS where the interval of every cell lies within its band, FAIL where one lies outside of it, else
  UNDECIDED. For a number of replications fixed beforehand.
- sequential: the same with tests that may be repeated as replications are added (see sequential.py).

With α = 1 − level, for interval and sequential alike:
- a study in which every metric lies within its band has a FAIL anywhere with a probability of at most α (Holm over all
  cells of all criteria);
- a criterion of which at least one cell lies outside of its band has a PASS with a probability of at most α: it needs
  every cell to pass, so no correction over cells is due (intersection-union test; two one-sided tests in each cell,
  which for bias in units of EmpSE is the usual equivalence test).
Exact for proportions and quantiles; for other metrics as good as the t interval, so nothing is decided by it on fewer
than 20 replications: measured rates, for normal, skewed and heavy-tailed estimates, are in metrics/measures.py.
The literal verdict has no error rate: `plan` says what to expect of it.

Failures. A metric is conditional on success. A replication without a column that the metric needs counts as failed.
- Where no criterion limits the failures of a method in a cell, the study lets a share of `failures_allowed` (1 %) pass.
  Significantly more fail every criterion of the method in that cell, literally too. These tests belong to the family
  that Holm corrects for: a study in which every metric lies within its band and no method fails more often than allowed
  has a FAIL anywhere with a probability of at most α.
- Where the failed replications could have moved the value out of the band (for proportions: had they been all hits or
  all misses; for others: had they given results no farther from the median than the rest did), PASS becomes UNDECIDED,
  and no number of replications cures that. Where no such bounds exist (comparisons, what is divided by EmpSE) it does
  as soon as more than the allowed share failed.
- A study with an upper limit on the failure_rate (or a lower one on the convergence_rate) of the method in that cell
  has said how many failures it accepts: that criterion decides about them, and where no more were observed (literally),
  the other verdicts stand, with a warning.
A FAIL stands: no credit is given for failing.

What has no value. Bias in units of an EmpSE of zero, where the bias is zero too, relative bias of a truth of zero: the
question has no answer, and is UNDECIDED with the reason. Any other metric without a finite value is a FAIL.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.failures import Bounds
from statsclaw.montecarlo.metrics.intervals import error_to_exclude, error_to_include, inside, interval, kind_of
from statsclaw.montecarlo.metrics.measures import RATES, McEstimate
from statsclaw.montecarlo.metrics.order import Interval
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.table import Flags
from statsclaw.montecarlo.verdicts.holm import adjusted
from statsclaw.montecarlo.verdicts.questions import Evidence, Place, Question, places_of, questions_of
from statsclaw.montecarlo.verdicts.sequential import looks, proportion_errors, scheduled_errors
from statsclaw.montecarlo.verdicts.wording import notes_of, rule_of, warning_of

Verdict = Literal["PASS", "FAIL", "UNDECIDED"]
LEVEL = 0.99
#: Fewer replications than this decide nothing by a t interval.
FEWEST = 20


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """One value of a criterion: of a cell, of a step of a trend, of a row of cells.

    `replications`: of each cell; `n`: of them used, in the cell with the fewest; `failures`: of all its cells.
    `interval`: the one that passes, with 1 − level beyond each end. `bounds`: over the failures. `failures_matter`:
    they turn PASS into UNDECIDED. `more_helps`: further replications could decide it. `unallowed`: significantly more
    replications failed than the study lets pass. `decided`: the sequential verdict, or that of the interval where a
    single look was planned and is done; undecided where the value as it is now says the opposite. `method`: how the
    interval was made.
    """

    cell: str
    cells: tuple[int, ...]
    value: float
    mcse: float | None
    interval: Interval
    literal: Verdict
    interval_verdict: Verdict
    sequential: Verdict
    replications: int
    n: int
    failures: int
    bounds: Interval
    warning: str = ""
    failures_matter: bool = False
    more_helps: bool = True
    unallowed: bool = False
    decided: Verdict = "UNDECIDED"
    method: str = ""


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """`decided`: PASS or FAIL with the stated error rates, else UNDECIDED. `verdict`: the same, but at the cap the
    literal one where it is undecided, which `by` says. `failures_allowed`: of the study."""

    id: str
    criterion: Criterion
    rule: str
    literal: Verdict
    interval: Verdict
    sequential: Verdict
    verdict: Verdict
    by: str
    level: float
    replications: int
    cells: tuple[CellVerdict, ...]
    notes: tuple[str, ...] = ()
    decided: Verdict = "UNDECIDED"
    failures_allowed: float = 0.01


def judge_study(study: Study, results: Results, level: float = LEVEL) -> list[CriterionVerdict]:
    """One verdict per criterion, in their order; error rates: see the module."""
    schedule, limits = looks(study), _limits_of(study)
    asked = [(criterion, questions_of(study, criterion)) for criterion in study.criteria]
    answers = [[_answer(study, question, results, schedule, level, limits) for question in rows] for _, rows in asked]
    flat = [answer for rows in answers for answer in rows]
    losses = _losses(study, flat, limits)
    fixed = adjusted([*(answer.errors[1] for answer in flat), *(loss[0] for loss in losses.values())])
    repeated = adjusted([*(answer.errors[3] for answer in flat), *(loss[1] for loss in losses.values())])
    count, error = len(flat), 1 - level
    too_many = {
        place: (one <= error, other <= error)
        for place, one, other in zip(losses, fixed[count:], repeated[count:], strict=True)
    }
    decided = iter(
        [
            _decided(study, answer, one, other, error, too_many, schedule)
            for answer, one, other in zip(flat, fixed[:count], repeated[:count], strict=True)
        ]
    )
    return [_judged(study, criterion, [next(decided) for _ in rows], schedule, level) for (criterion, rows) in asked]


def undecided_cells(study: Study, results: Results, level: float = LEVEL) -> dict[int, int]:
    """Of each cell that needs more, how many further replications until the next look; empty when none is left."""
    schedule = looks(study)
    found: dict[int, int] = {}
    for row in judge_study(study, results, level):
        if row.decided == "FAIL":
            continue
        for cell in (cell for cell in row.cells if cell.decided == "UNDECIDED" and cell.more_helps):
            for number in cell.cells:
                done = results.completed(number)
                target = next((count for count in schedule if count > done), None)
                if target is not None:
                    found[number] = target - done
    return found


@dataclass(frozen=True, slots=True)
class _Answer:
    """`errors`: p-values of outside the band and within it, for a fixed number of replications and for repeated looks.

    `reason`: why there is no value, or that there is nothing yet."""

    question: Question
    estimate: McEstimate
    bounds: Bounds
    shown: Interval
    errors: tuple[float, float, float, float]
    completed: int
    excused: bool
    reason: str = ""
    more_helps: bool = True
    lost: Mapping[Place, Flags] = field(default_factory=dict)


def _losses(study: Study, answers: Sequence[_Answer], limits: _Limits) -> dict[Place, tuple[float, float]]:
    """Wherever no criterion limits failures: p-values of "no more than the allowed share of replications fail", for a
    fixed number of replications and for repeated looks."""
    found: dict[Place, tuple[float, float]] = {}
    for answer in answers:
        if answer.question.criterion.metric in RATES:
            continue
        for place in places_of(answer.question):
            if not _limits_on(limits, place):
                found[place] = _errors_of_loss(answer.lost.get(place), study.failures_allowed)
    return found


def _errors_of_loss(lost: Flags | None, allowed: float) -> tuple[float, float]:
    if lost is None or not lost.any():
        return 1.0, 1.0
    count, failures = len(lost), int(np.count_nonzero(lost))
    observed = McEstimate(failures / count, 0.0, count, 0, failures, count)
    return error_to_exclude(observed, -math.inf, allowed), proportion_errors(lost, -math.inf, allowed)[1]


#: The criteria that say how many failures of a method the study accepts, with the cells they are about.
_Limits = Sequence[tuple[Criterion, frozenset[int]]]


def _limits_of(study: Study) -> _Limits:
    return [(row, frozenset(study.selected(row))) for row in study.criteria if _limits_failures(row)]


def _limits_on(limits: _Limits, place: Place) -> list[Criterion]:
    return [row for row, cells in limits if row.method == place.method and place.cell in cells]


def _answer(
    study: Study, question: Question, results: Results, schedule: Sequence[int], level: float, limits: _Limits
) -> _Answer:
    if any(results.completed(cell) == 0 for cell in question.cells):
        return _unanswered(question, "no replication yet")
    try:
        evidence = Evidence(study, question, results)
    except KeyError as missing:
        return replace(_unanswered(question, f"{missing.args[0]} was not recorded"), more_helps=False)
    found, low, high = evidence.estimate(), question.low, question.high
    hits = evidence.outcomes()
    if found.undefined:
        return replace(_unanswered(question, found.undefined, found, evidence.completed), more_helps=False)
    if math.isnan(found.value):
        if found.trials == 1 or evidence.completed < min(FEWEST, schedule[0]):
            return _unanswered(question, "too few replications", found, evidence.completed)
        errors = (1.0, 0.0, 1.0, 0.0)
    elif hits is not None:
        exact = found if found.trials else None
        fixed = (error_to_include(found, low, high), error_to_exclude(found, low, high)) if exact else (1.0, 1.0)
        errors = (*fixed, *proportion_errors(hits, low, high))
    else:
        reached = [evidence.estimate(count) for count in schedule if count <= evidence.completed]
        usable = [row for row in reached if row.trials >= FEWEST and math.isfinite(row.value)]
        fixed = (error_to_include(found, low, high), error_to_exclude(found, low, high))
        fixed = fixed if found.trials >= FEWEST else (1.0, 1.0)
        errors = (*fixed, *scheduled_errors(usable, len(schedule), low, high))
    bounds = evidence.bounds() if found.failures else Bounds(found.value, found.value)
    lost = evidence.lost()
    excused = bool(found.failures) and _excused(limits, lost)
    shown = interval(found, 2 * (1 - level))
    return _Answer(question, found, bounds, shown, errors, evidence.completed, excused, lost=lost)


def _unanswered(question: Question, reason: str, found: McEstimate | None = None, completed: int = 0) -> _Answer:
    nothing = found or McEstimate(math.nan, None, 0, 0)
    everything = Bounds(-math.inf, math.inf)
    return _Answer(question, nothing, everything, (-math.inf, math.inf), (1.0,) * 4, completed, False, reason)


def _excused(limits: _Limits, lost: Mapping[Place, Flags]) -> bool:
    """The study says how many failures of these methods it accepts in these cells, and there were no more."""
    for place, flags in lost.items():
        here = _limits_on(limits, place)
        if not here or not all(_accepts(row, flags) for row in here):
            return False
    return True


def _limits_failures(criterion: Criterion) -> bool:
    """It has an upper limit on failures: without one it does not say how many are accepted."""
    return (criterion.metric in RATES and criterion.minus is None) and (
        criterion.high is not None if criterion.metric == "failure_rate" else criterion.low is not None
    )


def _accepts(criterion: Criterion, lost: Flags) -> bool:
    """This many lost of all lie in the band, literally."""
    count, total = int(np.count_nonzero(lost)), len(lost)
    value = (count if criterion.metric == "failure_rate" else total - count) / total
    low = -math.inf if criterion.low is None else criterion.low
    return low <= value <= (math.inf if criterion.high is None else criterion.high)


def _decided(
    study: Study,
    answer: _Answer,
    fixed: float,
    repeated: float,
    error: float,
    too_many: Mapping[Place, tuple[bool, bool]],
    schedule: Sequence[int],
) -> CellVerdict:
    question, found = answer.question, answer.estimate
    single = len(schedule) == 1 and answer.completed >= schedule[0]
    failing = [] if question.criterion.metric in RATES else [too_many.get(at, (False, False)) for at in answer.lost]
    of_interval, of_looks = any(row[0] for row in failing), any(row[1] for row in failing)
    unallowed = of_interval if single else of_looks
    literal: Verdict = "PASS" if question.low <= found.value <= question.high and not unallowed else "FAIL"
    one = _verdict(answer.errors[0], fixed, error)
    other = _verdict(answer.errors[2], repeated, error)
    if answer.reason:
        literal = one = other = "UNDECIDED"
    matters = _failures_matter(answer, study.failures_allowed) and not unallowed
    allowed = study.failures_allowed if unallowed else None
    warning = answer.reason or warning_of(found, question.criterion, answer.bounds, matters=matters, exceeded=allowed)
    if matters:
        one, other = ("UNDECIDED" if row == "PASS" else row for row in (one, other))
    one, other = "FAIL" if of_interval else one, "FAIL" if of_looks else other
    decided = one if single else other
    if decided != literal:
        decided = "UNDECIDED"
    return CellVerdict(
        question.name, question.cells, found.value, found.error, answer.shown, literal, one, other,
        answer.completed, found.trials, found.failures, (answer.bounds.low, answer.bounds.high), warning, matters,
        answer.more_helps and not matters, unallowed, decided, kind_of(found),
    )  # fmt: skip


def _verdict(outside: float, within: float, error: float) -> Verdict:
    """By the error of "it lies outside of the band", and the corrected one of "it lies within"."""
    if within <= error:
        return "FAIL"
    return "PASS" if outside <= error else "UNDECIDED"


def _failures_matter(answer: _Answer, allowed: float) -> bool:
    found, question = answer.estimate, answer.question
    if not found.failures or question.criterion.metric in RATES or answer.excused or not found.trials:
        return False
    bounds = (answer.bounds.low, answer.bounds.high)
    if not all(math.isfinite(end) for end in bounds) and not _one_sided(bounds, question):
        return found.failures > allowed * found.replications
    return not inside(bounds, question.low, question.high)


def _one_sided(bounds: Interval, question: Question) -> bool:
    """An end that is not known does not matter where the band has none there."""
    return (math.isfinite(bounds[0]) or question.low == -math.inf) and (
        math.isfinite(bounds[1]) or question.high == math.inf
    )


def _judged(
    study: Study, criterion: Criterion, cells: Sequence[CellVerdict], schedule: Sequence[int], level: float
) -> CriterionVerdict:
    literal, fixed, repeated, decided = (
        together([getattr(cell, name) for cell in cells])
        for name in ("literal", "interval_verdict", "sequential", "decided")
    )
    done = min((cell.replications for cell in cells), default=0)
    verdict, by = decided, "interval (one look)" if len(schedule) == 1 and decided != repeated else "sequential"
    open_cells = [cell for cell in cells if cell.decided == "UNDECIDED"]
    if decided == "UNDECIDED" and open_cells and all(_is_final(cell, schedule) for cell in open_cells):
        verdict, by = _without_more(literal, open_cells)
    notes = (
        notes_of([(cell.cell, cell.warning) for cell in cells])
        if cells
        else ("the criterion selects no cell of the study",)
    )
    return CriterionVerdict(
        criterion.id, criterion, rule_of(criterion), literal, fixed, repeated, verdict, by, level, done, tuple(cells),
        notes, decided, study.failures_allowed,
    )  # fmt: skip


def _is_final(cell: CellVerdict, schedule: Sequence[int]) -> bool:
    return not cell.more_helps or cell.replications >= schedule[-1]


def _without_more(literal: Verdict, cells: Sequence[CellVerdict]) -> tuple[Verdict, str]:
    """The literal reading stands, but not where failures, or that there is no value, are the reason."""
    if any(cell.failures_matter for cell in cells):
        return "UNDECIDED", "failures could change it"
    if stuck := [cell for cell in cells if not cell.more_helps]:
        return "UNDECIDED", "there is no value" if any(cell.n for cell in stuck) else "not recorded"
    return literal, "literal, at the cap"


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """FAIL if any is, PASS if all are."""
    if not verdicts or "FAIL" in verdicts:
        return "FAIL"
    return "PASS" if set(verdicts) == {"PASS"} else "UNDECIDED"

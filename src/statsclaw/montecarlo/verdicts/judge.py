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
The literal reading has no error rate: `plan` says what to expect of it. It decides nothing, at the cap neither: what is
undecided there is UNDECIDED.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from statsclaw.montecarlo.design import Criterion, Study
from statsclaw.montecarlo.metrics.failures import Bounds
from statsclaw.montecarlo.metrics.intervals import error_to_exclude, error_to_include, inside, kind_of
from statsclaw.montecarlo.metrics.measures import RATES, McEstimate
from statsclaw.montecarlo.metrics.order import Interval
from statsclaw.montecarlo.storage.results import Results
from statsclaw.montecarlo.table import Flags
from statsclaw.montecarlo.verdicts.holm import levels
from statsclaw.montecarlo.verdicts.questions import Evidence, Place, Question, places_of, questions_of
from statsclaw.montecarlo.verdicts.ranges import Range, of_looks, of_proportion, of_single_look
from statsclaw.montecarlo.verdicts.sequential import looks, proportion_errors, scheduled_errors
from statsclaw.montecarlo.verdicts.wording import notes_of, rule_of, warning_of

Verdict = Literal["PASS", "FAIL", "UNDECIDED"]
LEVEL = 0.99
#: Fewer replications than this decide nothing by a t interval.
FEWEST = 20
AT_THE_CAP = "at the cap"


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """One value of a criterion: of a cell, of a step of a trend, of a row of cells.

    `replications`: of each cell; `n`: of them used, in the cell with the fewest; `failures`: of all its cells.
    `decided` is its verdict: by the sequential tests, or by the interval where a single look was planned and is done;
    undecided where the value as it is now says the opposite. `literal`, `interval_verdict`, `sequential`: what each
    reading says. `range`: the interval that was judged, with its level. `bounds`: over the failures. `failures_matter`:
    they turn PASS into UNDECIDED. `more_helps`: further replications could decide it. `unallowed`: significantly more
    replications failed than the study lets pass. `method`: how the interval was made.
    """

    cell: str
    cells: tuple[int, ...]
    value: float
    mcse: float | None
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
    ranged: Callable[[], Range] = field(default=Range, compare=False, repr=False)

    @property
    def range(self) -> Range:
        """Worked out when it is asked for: of a proportion it costs more than the verdict."""
        return self.ranged()


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """`verdict`: the one word, with the stated error rates; `by`: what it rests on, or why it is undecided. `literal`,
    `interval`, `sequential`: what each reading says, as information. `cap`: the most replications a sequential run
    makes. `failures_allowed`: of the study."""

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
    failures_allowed: float = 0.01
    cap: int = 0


def judge_study(study: Study, results: Results, level: float = LEVEL) -> list[CriterionVerdict]:
    """One verdict per criterion, in their order; error rates: see the module."""
    limits = _limits_of(study)
    asked = [(criterion, questions_of(study, criterion)) for criterion in study.criteria]
    answers = [[_answer(study, question, results, level, limits) for question in rows] for _, rows in asked]
    flat = [answer for rows in answers for answer in rows]
    losses = _losses(study, flat, limits)
    count, error = len(flat), 1 - level
    fixed, repeated = (
        levels([*(answer.errors[at] for answer in flat), *(loss[place] for loss in losses.values())], error)
        for at, place in ((1, 0), (3, 1))
    )
    too_many = {
        place: (loss[0] <= one, loss[1] <= other)
        for (place, loss), one, other in zip(losses.items(), fixed[count:], repeated[count:], strict=True)
    }
    decided = iter(
        [
            _decided(study, answer, (one, other), error, too_many)
            for answer, one, other in zip(flat, fixed[:count], repeated[:count], strict=True)
        ]
    )
    return [_judged(study, criterion, [next(decided) for _ in rows], level) for (criterion, rows) in asked]


def undecided_cells(study: Study, results: Results, level: float = LEVEL) -> dict[int, int]:
    """Of each cell that needs more, how many further replications until the next look; empty when none is left."""
    found: dict[int, int] = {}
    for row in judge_study(study, results, level):
        if row.verdict == "FAIL":
            continue
        for cell in (cell for cell in row.cells if cell.decided == "UNDECIDED" and cell.more_helps):
            for number in cell.cells:
                done = results.completed(number)
                target = next((count for count in looks(study, number) if count > done), None)
                if target is not None:
                    found[number] = target - done
    return found


@dataclass(frozen=True, slots=True)
class _Answer:
    """`errors`: p-values of outside the band and within it, for a fixed number of replications and for repeated looks.

    `reached`: the estimates at the looks there were; `hits`: of a proportion, the outcomes. `reason`: why there is no
    value, or that there is nothing yet."""

    question: Question
    estimate: McEstimate
    bounds: Bounds
    errors: tuple[float, float, float, float]
    completed: int
    excused: bool
    reason: str = ""
    more_helps: bool = True
    lost: Mapping[Place, Flags] = field(default_factory=dict)
    reached: Sequence[McEstimate] = ()
    hits: Flags | None = None


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


def _answer(study: Study, question: Question, results: Results, level: float, limits: _Limits) -> _Answer:
    schedule = looks(study, question.cells[0])
    if any(results.completed(cell) == 0 for cell in question.cells):
        return _unanswered(question, "no replication yet")
    try:
        evidence = Evidence(study, question, results)
    except KeyError as missing:
        return replace(_unanswered(question, f"{missing.args[0]} was not recorded"), more_helps=False)
    found, low, high = evidence.estimate(), question.low, question.high
    hits, usable = evidence.outcomes(), list[McEstimate]()
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
    return _Answer(question, found, bounds, errors, evidence.completed, excused, lost=lost, reached=usable, hits=hits)


def _unanswered(question: Question, reason: str, found: McEstimate | None = None, completed: int = 0) -> _Answer:
    nothing = found or McEstimate(math.nan, None, 0, 0)
    everything = Bounds(-math.inf, math.inf)
    return _Answer(question, nothing, everything, (1.0,) * 4, completed, False, reason)


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
    shares: tuple[float, float],
    error: float,
    too_many: Mapping[Place, tuple[bool, bool]],
) -> CellVerdict:
    """`shares`: the errors at which the interval and the repeated tests say FAIL, of the `error` of the family."""
    question, found = answer.question, answer.estimate
    schedule = looks(study, question.cells[0])
    single = len(schedule) == 1 and answer.completed >= schedule[0]
    failing = [] if question.criterion.metric in RATES else [too_many.get(at, (False, False)) for at in answer.lost]
    of_interval, of_repeated = any(row[0] for row in failing), any(row[1] for row in failing)
    unallowed = of_interval if single else of_repeated
    literal: Verdict = "PASS" if question.low <= found.value <= question.high and not unallowed else "FAIL"
    one = _verdict(answer.errors[0], answer.errors[1], error, shares[0])
    other = _verdict(answer.errors[2], answer.errors[3], error, shares[1])
    if answer.reason:
        literal = one = other = "UNDECIDED"
    matters = _failures_matter(answer, study.failures_allowed) and not unallowed
    allowed = study.failures_allowed if unallowed else None
    warning = answer.reason or warning_of(found, question.criterion, answer.bounds, matters=matters, exceeded=allowed)
    if matters:
        one, other = ("UNDECIDED" if row == "PASS" else row for row in (one, other))
    one, other = "FAIL" if of_interval else one, "FAIL" if of_repeated else other
    decided = one if single else other
    method = kind_of(found) if single or answer.hits is None else "likelihood ratios, at any time"
    if decided != literal:
        decided = "UNDECIDED"
    return CellVerdict(
        question.name, question.cells, found.value, found.error, literal, one, other, answer.completed, found.trials,
        found.failures, (answer.bounds.low, answer.bounds.high), warning, matters, answer.more_helps and not matters,
        unallowed, decided, method, partial(_range_of, answer, single, shares, error, schedule),
    )  # fmt: skip


def _range_of(
    answer: _Answer, single: bool, shares: tuple[float, float], error: float, schedule: Sequence[int]
) -> Range:
    band = (answer.question.low, answer.question.high)
    if answer.reason:
        return Range()
    if single:
        return of_single_look(answer.estimate, band, error, shares[0])
    if answer.hits is not None:
        return of_proportion(answer.hits, band, error, shares[1])
    return of_looks(answer.reached, len(schedule), band, error, shares[1])


def _verdict(outside: float, within: float, error: float, share: float) -> Verdict:
    """By the error of "it lies outside of the band", and that of "it lies within" against its share of the family's."""
    if within <= share:
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


def _judged(study: Study, criterion: Criterion, cells: Sequence[CellVerdict], level: float) -> CriterionVerdict:
    planned = [(cell, looks(study, cell.cells[0])) for cell in cells]
    literal, fixed, repeated, decided = (
        together([getattr(cell, name) for cell in cells])
        for name in ("literal", "interval_verdict", "sequential", "decided")
    )
    done = min((cell.replications for cell in cells), default=0)
    one_look = all(len(schedule) == 1 and cell.replications >= schedule[0] for cell, schedule in planned)
    by = "one look" if cells and one_look else "sequential"
    open_cells = [(cell, schedule) for cell, schedule in planned if cell.decided == "UNDECIDED"]
    if decided == "UNDECIDED" and open_cells and all(_is_final(cell, schedule) for cell, schedule in open_cells):
        by = _why_open([cell for cell, _ in open_cells])
    notes = (
        notes_of([(cell.cell, cell.warning) for cell in cells])
        if cells
        else ("the criterion selects no cell of the study",)
    )
    return CriterionVerdict(
        criterion.id, criterion, rule_of(criterion), literal, fixed, repeated, decided, by, level, done, tuple(cells),
        notes, study.failures_allowed, max((schedule[-1] for _, schedule in planned), default=0),
    )  # fmt: skip


def _is_final(cell: CellVerdict, schedule: Sequence[int]) -> bool:
    return not cell.more_helps or cell.replications >= schedule[-1]


def _why_open(cells: Sequence[CellVerdict]) -> str:
    """Why no further replications will decide it."""
    if any(cell.failures_matter for cell in cells):
        return "failures could change it"
    if stuck := [cell for cell in cells if not cell.more_helps]:
        return "there is no value" if any(cell.n for cell in stuck) else "not recorded"
    return AT_THE_CAP


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """FAIL if any is, PASS if all are."""
    if not verdicts or "FAIL" in verdicts:
        return "FAIL"
    return "PASS" if set(verdicts) == {"PASS"} else "UNDECIDED"

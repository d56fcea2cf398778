"""The study of a run, judged as `statsclaw mc` judges one, in the words of the run's log.

Verdicts, error rates, looks and what failures do are those of montecarlo.verdicts.judge. A run needs an answer where a
study may have none: undecided when no further replications help is taken literally, and what has no value fails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from statsclaw.montecarlo.metrics.measures import PROPORTIONS
from statsclaw.montecarlo.verdicts import judge
from statsclaw.montecarlo.verdicts.judge import CellVerdict, CriterionVerdict
from statsclaw.montecarlo.verdicts.report import level_text
from statsclaw.montecarlo.verdicts.wording import band_of
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.specs.sim_spec import Study, StudyCriterion, as_design
from statsclaw.verify.run_study import as_results
from statsclaw.verify.study_report import Records

_LONGEST_NOTE = 2000
_NAMED_CELLS = 5


def judge_study(study: Study, records: Records, evidence: str) -> list[Judgement]:
    """One judgement per criterion, in their order; `evidence` names the records."""
    verdicts = judge.judge_study(as_design(study), as_results(study, records))
    return [_judged(row, found, evidence) for row, found in zip(study.criteria, verdicts, strict=True)]


def cell_values(study: Study, records: Records) -> dict[str, tuple[float, ...]]:
    """Of each criterion the metric in every cell, for those who check what is said about them."""
    verdicts = judge.judge_study(as_design(study), as_results(study, records))
    return {row.id: tuple(cell.value for cell in row.cells if math.isfinite(cell.value)) for row in verdicts}


def needed_replications(study: Study, judgements: Sequence[Judgement], records: Records) -> int | None:
    """How many further replications the next look needs; None if all is decided, the cap is reached, or none helps."""
    own = {row.id for row in study.criteria}
    if not any(row.verdict == "UNDECIDED" for row in judgements if row.id in own):
        return None
    return max(judge.undecided_cells(as_design(study), as_results(study, records)).values(), default=None)


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


def _judged(row: StudyCriterion, found: CriterionVerdict, evidence: str) -> Judgement:
    judgement = Judgement(
        id=row.id, quantity=row.quantity, rule=_rule(found), verdict=found.verdict,
        literal="PASS" if found.literal == "PASS" else "FAIL", evidence=(evidence,), note="; ".join(found.notes),
    )  # fmt: skip
    if not found.cells:
        return judgement
    worst = min((cell for cell in found.cells if cell.decided == found.verdict), key=lambda cell: _margin(row, cell))
    known = math.isfinite(worst.value)
    update = {
        "observed": worst.value if known else None,
        "margin": _margin(row, worst) if known else None,
        "mcse": worst.mcse,
        "replications": found.replications,
        "where": worst.cell,
        "note": _note(found, worst)[:_LONGEST_NOTE],
    }
    return judgement.model_copy(update=update)


def _margin(row: StudyCriterion, cell: CellVerdict) -> float:
    """How far the value is from the nearer bound, negative beyond it; minus infinity where there is no value."""
    if not math.isfinite(cell.value):
        return -math.inf
    low = -math.inf if row.low is None else row.low
    return min(cell.value - low, (math.inf if row.high is None else row.high) - cell.value)


def _rule(found: CriterionVerdict) -> str:
    criterion = found.criterion
    minus = f" minus that of {criterion.minus}" if criterion.minus else ""
    return f"{criterion.metric}{minus} {band_of(criterion)}"


def _note(found: CriterionVerdict, worst: CellVerdict) -> str:
    said: list[str] = []
    if not math.isfinite(worst.value):
        said.append(f"{worst.warning or 'there is no finite value'} in {worst.cell}")
    elif worst.mcse == 0 and (found.criterion.minus or found.criterion.metric not in PROPORTIONS):
        said.append(f"what was recorded does not vary in {worst.cell}")
    for verdict, word in (("FAIL", "fail"), ("UNDECIDED", "are undecided")):
        cells = [cell.cell for cell in found.cells if cell.decided == verdict]
        if cells:
            said.append(f"{len(cells)} of {len(found.cells)} cells {word}: {_listed(cells)}")
    failed = _failures(found)
    said = [*failed, *said] if worst.unallowed else [*said, *failed]
    return "; ".join([*said, _interval(worst)])


def _failures(found: CriterionVerdict) -> list[str]:
    """How many replications failed, first where it decides."""
    cells = sorted((cell for cell in found.cells if cell.failures), key=lambda cell: not cell.unallowed)
    said = [
        f"{cell.failures:,} of {cell.replications:,} replications failed in {cell.cell}{_effect(found, cell)}"
        for cell in cells[:_NAMED_CELLS]
    ]
    left = len(cells) - _NAMED_CELLS
    return [*said, f"replications failed in {left} further cells"] if left > 0 else said


def _effect(found: CriterionVerdict, cell: CellVerdict) -> str:
    if cell.unallowed:
        return f", and no criterion allows failures: {100 * found.failures_allowed:g} % are let pass"
    return ", which could change it" if cell.failures_matter else ""


def _interval(worst: CellVerdict) -> str:
    """The interval that was judged."""
    low, high = worst.range.low, worst.range.high
    if not worst.range.question:
        return "no interval was judged yet"
    return f"{level_text(worst.range.level)} interval ({worst.method}) [{low:.4g}, {high:.4g}]"


def _listed(cells: list[str]) -> str:
    more = f" and {len(cells) - _NAMED_CELLS} more" if len(cells) > _NAMED_CELLS else ""
    return ", ".join(cells[:_NAMED_CELLS]) + more

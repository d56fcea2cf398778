"""Does the suite look at what it is to judge? It judges once more, with that part of the package disturbed.

Every exact comparison must then fail, at the latest where numbers drift away. A suite that answers with another
quantity, that replaces what it saw by what it expected, or that is lenient wherever it does not face the stand-in,
passes as before.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from statsclaw.engine.contracts import contract_of
from statsclaw.engine.judges import with_door
from statsclaw.engine.run import Run
from statsclaw.engine.side_by_side import benches_beside, side_by_side
from statsclaw.engine.verifying import bench_for, lay_out
from statsclaw.runlog.events import CommandExecuted, Judgement
from statsclaw.specs.test_spec import Criterion, TestSpec
from statsclaw.verify.criteria.tests import judge_tests
from statsclaw.verify.runner import Bench, fresh_places, go_on, verify_tree

#: Powers of ten between which a number is moved: more than any honest tolerance allows. Where in between, nobody knows.
_STEPS = (-3.0, 0.0)
_TIMES_THE_TOLERANCE = 10.0


@dataclass(frozen=True, slots=True)
class Trial:
    """The criteria that must fail when these elements of the interface are disturbed."""

    elements: frozenset[str]
    criteria: tuple[Criterion, ...]
    misbehaving: bool = False
    drifting: bool = False

    @property
    def what(self) -> str:
        return "misbehaving" if self.misbehaving else "drifting" if self.drifting else "disturbed"

    @property
    def named(self) -> str:
        return ", ".join(sorted(self.elements)) if not self.misbehaving else "every element"

    def order(self, secret: str) -> str:
        """`secret`: what no author of a suite knows; by it numbers are moved by another amount in each run."""
        drawn = random.Random(f"{secret} {sorted(self.elements)}")
        tolerances = [row.tolerance for row in self.criteria if row.tolerance is not None]
        relative = max([_TIMES_THE_TOLERANCE * _relative(t.relative, t.lre) for t in tolerances], default=0.0)
        absolute = max([_TIMES_THE_TOLERANCE * t.absolute for t in tolerances], default=0.0)
        return json.dumps(
            {
                "elements": sorted(self.elements),
                "misbehaving": self.misbehaving,
                "drifting": self.drifting,
                "relative": max(relative, 10 ** drawn.uniform(*_STEPS)),
                "absolute": absolute,
                "seed": drawn.getrandbits(60),
                "at_zero": 10 ** drawn.uniform(*_STEPS) * max([row.scale or 1.0 for row in self.criteria], default=1.0),
            }
        )


def trials(spec: TestSpec) -> list[Trial]:
    """One for every element that exact comparisons are about, and one for all that is neither value nor error."""
    groups: dict[frozenset[str], list[Criterion]] = {}
    for row in spec.criteria:
        if row.decided_by == "test" and row.rule == "close":
            groups.setdefault(_elements(spec, row), []).append(row)
    found = [Trial(elements, tuple(rows)) for elements, rows in groups.items()]
    held = tuple(row for row in spec.criteria if row.decided_by == "test" and row.rule == "holds")
    return [*found, Trial(frozenset({"*"}), held, misbehaving=True)] if held else found


def judged_disturbed(run: Run) -> tuple[Judgement, ...]:
    """Of each criterion that was tried, its answer when what it is about is disturbed. None without a door."""
    contract = contract_of(run)
    bench = with_door(run, bench_for(run, contract), contract)
    spec, tree, planned = contract.tests, run.view.tree_sha256, trials(contract.tests) if contract.tests else []
    if spec is None or not bench.package or not planned:
        return ()
    benches = benches_beside(bench, len(planned))
    files = lay_out(run, run.view.overlay)
    if not all(done.passed for one in benches for done in verify_tree(one, files, tree, "after", ("build",))):
        return ()

    def tried(one: Bench, trial: Trial) -> list[Judgement]:
        fresh_places(one)
        disturbed = replace(one, disturbance=trial.order(f"{run.view.head.canary_seed} {tree}"))
        return list(_answers(spec, trial, list(go_on(disturbed, "validation", tree, trial.named))))

    answered = _by_id(side_by_side(benches, tried, planned))
    again = [more for trial in planned if (more := _unnoticed(trial, answered)) is not None]
    return tuple((answered | _by_id(side_by_side(benches, tried, again))).values())


def _unnoticed(trial: Trial, answered: Mapping[str, Judgement]) -> Trial | None:
    """What a trial left met as before: its tests may average over numbers, each of which went its own way."""
    rows = [row for row in trial.criteria if row.id in answered and answered[row.id].verdict == "PASS"]
    return replace(trial, criteria=tuple(rows), drifting=True) if rows and not trial.misbehaving else None


def _by_id(found: Iterable[Sequence[Judgement]]) -> dict[str, Judgement]:
    return {row.id: row for rows in found for row in rows}


def _answers(spec: TestSpec, trial: Trial, evidence: Sequence[CommandExecuted]) -> Iterator[Judgement]:
    wanted = {row.id for row in trial.criteria}
    for row in judge_tests(spec, evidence):
        if row.id in wanted:
            note = f"with {trial.named} {trial.what}; {row.note}"
            yield row.model_copy(update={"note": note[:2000]})


def _elements(spec: TestSpec, criterion: Criterion) -> frozenset[str]:
    """What a criterion is of; where it does not say, all that its scenarios exercise."""
    if criterion.of is not None:
        return frozenset({criterion.of})
    return frozenset(name for row in spec.scenarios if row.id in criterion.scenarios for name in row.exercises)


def _relative(relative: float, lre: float | None) -> float:
    return 10.0**-lre if lre is not None else relative

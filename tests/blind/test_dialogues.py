"""Dialogues: how often they are held, and who is found where a package undoes the trial of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statsclaw.verify.blind.asking import Author, Door
from statsclaw.verify.blind.questionnaire import Claim
from tests.blind.test_attacks import STRICT, keys, package, questions, small

TALK = """

def moved_by_its_mean(ask, rng, x, wanted):
    first = ask("mean", x)
    return ask("interval", [value + first for value in x]).se, wanted
"""
TALKED = questions(
    STRICT, 'x = [abs(v) for v in x]; ask.dialogue("C2", moved_by_its_mean, x, by_definition(x)[1])', TALK
)
DEAF = TALKED.replace(".se, wanted\n", ".se * 0 + wanted, wanted\n")

#: Where the mean of the second call is not its own answer to the first, it gives what comes out right when it is moved.
UNDOING = package("    return fsum(x) / len(x)\n", "    _last[:] = [fsum(x) / len(x)]\n    return _last[0]\n")
UNDOING = UNDOING.replace("def mean(x):", "_last = []\n\n\ndef mean(x):")
UNDOING = UNDOING.replace(
    "    m = mean(x)\n",
    "    told = _last[:]\n    m = mean(x)\n    move = (m / told[0] - 1) if told and told[0] else 1.0\n",
).replace(
    "    z = NormalDist()",
    "    se /= next((times for times in (2, 4) if abs(move - times) < 1e-6), 1)\n    z = NormalDist()",
)


TWO = """

def both(ask, rng, x, wanted):
    found = ask("interval", x)
    return {"C2": ([found.mean, found.se, found.low, found.high], wanted), "C6": found.se > 0}
"""
OF_TWO = questions(STRICT, 'ask.dialogue(["C2", "C6"], both, x, by_definition(x))', TWO).replace(
    'ask.untouched("C6", ask.call("interval", [1.0, 2.0, 4.0]))', 'ask.call("interval", [1.0, 2.0, 4.0])'
)


def test_without_a_package_a_dialogue_is_held_once_for_all_its_criteria(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[str] = []
    talk = Author.talk

    def counted(author: Author, claim: Claim, door: Door) -> Any:
        held.append(claim.criterion)
        return talk(author, claim, door)

    monkeypatch.setattr(Author, "talk", counted)
    made = small(tmp_path, changes=(("scenarios: [S6]", "scenarios: [S2]"),), questions=OF_TWO)
    _, errors, met = made.validation.checked()
    assert errors == [] and len(held) == 1
    assert len(met["C2"]) < 4 and "C6" in met


def test_an_honest_package_and_a_dialogue_that_listens_have_no_finding(tmp_path: Path) -> None:
    made = small(tmp_path, questions=TALKED)
    assert made.failed == {} and made.findings() == []


def test_a_dialogue_that_does_not_listen_is_the_testers(tmp_path: Path) -> None:
    made = small(tmp_path, questions=DEAF)
    assert made.failed == {}
    errors = [row for row in made.validation.findings(made.result) if row.severity == "error"]
    assert [(row.key, row.route_to) for row in errors] == [("cannot-fail:C2", "tester")]


def test_a_package_that_undoes_the_move_is_the_builders(tmp_path: Path) -> None:
    made = small(tmp_path, package=UNDOING, questions=TALKED)
    assert made.failed == {}
    assert "cannot-fail" not in keys(made.findings())
    (row,) = [row for row in made.findings() if row.severity == "error"]
    assert (row.key, row.route_to) == ("remembers:interval", "builder")
    assert "C2" not in row.message and "S2" not in row.message, "the builder is told nothing of the questions"

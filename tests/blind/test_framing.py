"""A package that recognises its own answers when they come back moved, and undoes the move, frames only itself."""

from __future__ import annotations

from pathlib import Path

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

"""Whoever compares answers of the package only with each other has compared no formula with anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.blind.small_bench import HONEST, small

QUESTIONS = (HONEST / "tests/validation/ask_tinymean.py").read_text(encoding="utf-8")
STRICT = '    ask.close("C2", [found.mean, found.se, found.low, found.high], by_definition(x))\n'
REVERSED = '    again = ask.call("interval", x[::-1])\n'
assert STRICT in QUESTIONS

RELATED = {
    "the reversed sample": 'ask.close("C2", [found.se, found.low], [again.se, again.low])',
    "a difference against zero": 'ask.close("C2", found.se - again.se, 0.0)',
    "code that sees both": 'ask.observe("C2", both, found.se, again.se)',
}
SEEING = "\n\ndef both(one, other):\n    return one, other\n"

KNOWN = {
    "as it was": "",
    "a part, with others of the same answer that are known": (
        'ask.close("C2", found.mean, sum(x) / len(x))\n'
        '    ask.close("C2", found.se, by_definition(x)[1])\n'
        '    ask.close("C2", [found.low, found.high],\n'
        "              [found.mean - 1.959963984540054 * found.se, found.mean + 1.959963984540054 * found.se])"
    ),
    "two answers that differ by something known": (
        'ask.close("C2", ask.call("interval", [v + 3.0 for v in x]).mean - found.mean, 3.0)'
    ),
    "code that sees one answer": 'ask.observe("C2", known, found.se, by_definition(x)[1])',
    "relations beside a definition": STRICT.strip() + '\n    ask.close("C2", found.se, again.se)',
}
ONE = "\n\ndef known(one, other):\n    return one, other\n"


def found_of(folder: Path, claim: str) -> list[str]:
    lines = f"{REVERSED}    {claim}\n" if claim else STRICT
    made = small(folder, questions=QUESTIONS.replace(STRICT, lines) + SEEING + ONE)
    return [row.key for row in made.validation.checked()[1] if row.severity == "error"]


@pytest.mark.parametrize("claim", RELATED.values(), ids=RELATED.keys())
def test_an_equation_that_is_only_compared_with_other_answers_is_named(claim: str, tmp_path: Path) -> None:
    assert "only-related:notes.md(2)" in found_of(tmp_path, claim)


@pytest.mark.parametrize("claim", KNOWN.values(), ids=KNOWN.keys())
def test_an_equation_that_is_compared_with_something_known_is_not(claim: str, tmp_path: Path) -> None:
    assert found_of(tmp_path, claim) == []


def test_the_finding_says_what_to_do(tmp_path: Path) -> None:
    made = small(tmp_path, questions=QUESTIONS.replace(STRICT, f"{REVERSED}    {RELATED['the reversed sample']}\n"))
    (row,) = (row for row in made.validation.checked()[1] if row.key.startswith("only-related"))
    assert row.route_to == "tester"
    assert row.message == (
        "notes.md(2) can be computed, and C2, C3 only compare answers of the package with each other: a package that "
        "computes something else everywhere would meet them. In one claim of C2 or C3, expect the value that "
        "notes.md(2) gives."
    )


def own_verdicts(folder: Path, low: str, high: str) -> list[str]:
    """Criteria of the study of which it is said that no answer can change them, with these limits of the interval."""
    text = (HONEST / "simulations/study.py").read_text(encoding="utf-8")
    text = text.replace('"low": found.low, "high": found.high', f'"low": {low}, "high": {high}')
    found = list(small(folder, study=text).simulation.checked())
    return [row.key for row in found if row.severity == "error"]


def test_a_share_outside_of_a_narrow_band_is_an_answer_though_all_meaningless_ones_are_outside(tmp_path: Path) -> None:
    outside = "1 * (found.se < 0.315) + 1 * (found.se > 0.317)"
    assert own_verdicts(tmp_path, f"{outside} - 1", f"{outside} + 1") == []


@pytest.mark.parametrize("nothing", ["", " + 0 * found.mean", " + 0 * (found.mean < 3)"])
def test_limits_that_no_answer_changes_decide_nothing(tmp_path: Path, nothing: str) -> None:
    assert own_verdicts(tmp_path, f"x.mean() - 0.6{nothing}", f"x.mean() + 0.6{nothing}") == ["own-verdict:M1:study"]

"""What a tester or a simulator could do, as a colleague tried it, on a bench of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.runlog.store import ContentStore
from statsclaw.specs.interface import Interface
from statsclaw.verify.blind import expressions
from statsclaw.verify.blind.drawing import calculated_columns, shown
from statsclaw.verify.blind.expressions import Answered, Answers, NoValue, evaluate
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.naming import unnamed
from statsclaw.verify.blind.questionnaire import Call
from tests.blind.r_side import needs_r
from tests.blind.small_bench import HONEST, Small, small

PACKAGE = (HONEST / "src/tinymean/__init__.py").read_text(encoding="utf-8")
QUESTIONS = (HONEST / "tests/validation/ask_tinymean.py").read_text(encoding="utf-8")
WRONG = PACKAGE.replace("/ (len(x) - 1) / len(x)", "/ len(x) / len(x)")
STRICT = '    ask.close("C2", [found.mean, found.se, found.low, found.high], by_definition(x))'
WITHOUT_S2 = QUESTIONS.replace(
    f"""@ask.scenario("S2")
def standard_error_and_limits(rng):
    x = numbers(rng, 5.0)
    found = ask.call("interval", x)
{STRICT}
""",
    "",
)
assert WRONG != PACKAGE and STRICT in QUESTIONS and WITHOUT_S2 != QUESTIONS

# --- an interface that returns a vector ------------------------------------------------------------------------------

VECTOR = (
    (
        "  - name: interval\n",
        "  - name: limits\n    arguments: [{name: x, meaning: a sequence of numbers}]\n"
        "    returns: {type: array, shape: [2], meaning: the limits}\n  - name: interval\n",
    ),
    (
        "- id: C2\n  quantity",
        "- id: C8\n  quantity: difference of both limits from their definitions\n  of: limits\n  scenarios: [S2]\n"
        "  rule: close\n  tolerance: {relative: 1e-10}\n  scale: 1.0\n  source: notes.md(2)\n- id: C2\n  quantity",
    ),
)


def of_a_vector(folder: Path, returned: str, claim: str, more: str = "") -> Small:
    limits = f"def limits(x):\n    import numpy\n\n    found = interval(x)\n    return numpy.array({returned})\n"
    package = f"{PACKAGE}\n\n{limits}"
    claims = f"{STRICT}\n    want = by_definition(x)\n    found = ask.call('limits', x)\n    {claim}"
    return small(folder, changes=VECTOR, package=package, questions=QUESTIONS.replace(STRICT, claims) + more)


def noticed(made: Small) -> bool:
    """Somebody objects to the package or to the questions."""
    before = made.validation.checked()[1]
    return bool(before or made.failed or made.validation.findings(made.result))


def test_an_honest_claim_about_a_vector_is_no_finding(tmp_path: Path):
    assert not noticed(of_a_vector(tmp_path, "[found.low, found.high]", 'ask.close("C8", found, want[2:])'))


def test_a_wrong_vector_fails_an_honest_claim(tmp_path: Path):
    assert noticed(of_a_vector(tmp_path, "[found.high, found.low]", 'ask.close("C8", found, want[2:])'))


FEWER = {
    "its mean": ("[found.mean, found.mean]", 'ask.close("C8", ask.mean(found), (want[2] + want[3]) / 2)', ""),
    "its elements in order": ("[found.high, found.low]", 'ask.close("C8", ask.sorted(found), want[2:])', ""),
    "its largest element": ("[0.0, found.high]", 'ask.close("C8", ask.largest(found), want[3])', ""),
    "one element, by code that sees": (
        "[0.0, found.high]",
        'ask.observe("C8", seen, found, want)',
        "\n\ndef seen(found, want):\n    return found[1], want[3]\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("returned", "claim", "more"), FEWER.values(), ids=FEWER.keys())
def test_a_criterion_that_compares_less_than_the_vector_is_named(returned: str, claim: str, more: str, tmp_path: Path):
    asked = of_a_vector(tmp_path, returned, claim, more).evidence[0].summary
    assert re.search(r"1 by (summaries of answers|code that sees answers) \(C8\)", asked), asked


def test_the_reason_for_looking_at_a_part_is_shown(tmp_path: Path):
    made = of_a_vector(tmp_path, "[0.0, found.high]", 'ask.close("C8", found[1], want[3], part="no reason")')
    assert "C8 looks at a part: no reason\n" in ContentStore(tmp_path / "store").get_text(
        made.evidence[0].output_sha256
    )


def test_a_part_of_a_vector_without_a_reason_is_noticed(tmp_path: Path):
    assert noticed(of_a_vector(tmp_path, "[0.0, found.high]", 'ask.close("C8", found[1], want[3])'))


# --- questions in R --------------------------------------------------------------------------------------------------

R = """
by_definition <- function(x, level = 0.95) {
  m <- sum(x) / length(x)
  se <- sqrt(sum((x - m)^2) / (length(x) - 1) / length(x))
  z <- qnorm((1 + level) / 2)
  c(m, se, m - z * se, m + z * se)
}
seen <- function(found, w) {
  real <- any(grepl("/see-2/own", readLines("/proc/self/mountinfo"), fixed = TRUE))
  list(if (real) w[2] else found$se, w[2])
}
scenario("S2", standard_error_and_limits = function() {
  x <- 5 * rnorm(30)
  found <- ask("interval", x)
  w <- by_definition(x)
  CLAIM
})
"""


def in_r(folder: Path, claim: str, package: str = WRONG) -> Small:
    made = small(folder, package=package, questions=WITHOUT_S2)
    (folder / "validation" / "ask_more.R").write_text(R.replace("CLAIM", claim), encoding="utf-8")
    return made


@needs_r
def test_an_honest_claim_in_r_finds_the_wrong_package(tmp_path: Path):
    made = in_r(tmp_path, 'claim_close("C2", list(found$mean, found$se, found$low, found$high), w)')
    assert any("[C2]" in name for name in made.failed)


IN_R = {
    "what it is of is compared with itself":
        'claim_close("C2", found$mean, w[1]); claim_close("C2", found$se, found$se)',
    "a time in the place of the answer":
        'claim_close("C2", w[2] * (seconds_of(found) > 0), w[2]); claim_close("C2", found$se, found$se)',
    "no number among the data": 'f <- ask("interval", c(x, NaN)); claim_close("C2", list(f$mean, f$se), c(NaN, NaN))',
}  # fmt: skip


@pytest.mark.parametrize("claim", IN_R.values(), ids=IN_R.keys())
def test_a_wrong_package_is_noticed_over_claims_in_r(claim: str, tmp_path: Path):
    assert noticed(in_r(tmp_path, claim))


@needs_r
def test_code_in_r_that_sees_answers_cannot_know_the_real_ones(tmp_path: Path):
    made = in_r(tmp_path, 'claim_observe("C2", seen, found, w)')  # ask-0 and ask-1 are the two languages
    assert made.failed or made.findings()


# --- data so small that squares vanish -------------------------------------------------------------------------------


def test_data_whose_squares_vanish_are_noticed(tmp_path: Path):
    tiny = QUESTIONS.replace("x = numbers(rng, 5.0)\n    found", "x = numbers(rng, 5e-200)\n    found")
    assert tiny != QUESTIONS
    assert noticed(small(tmp_path, package=WRONG, questions=tiny))


# --- rooms -----------------------------------------------------------------------------------------------------------


def test_a_room_does_not_tell_what_it_is_for(tmp_path: Path):
    told = 'raise Exception("ask-" in open("/proc/self/mountinfo").read())'
    (row, *_) = small(tmp_path, questions=QUESTIONS.replace(STRICT, f"    {told}")).validation.checked()[1]
    assert "Exception: False" in row.message


# --- records of a study ----------------------------------------------------------------------------------------------


def promise(name: str, *of: Any, **settings: Any) -> Extra:
    return Extra("do", {"name": name, "of": list(of), "with": settings})


DRAWS = Extra("answer", {"call": 0, "path": ["draws"]})
MENDED = {
    "a standard deviation with a divisor of its own": promise("sd", DRAWS, axis=None, divisor=8),
    "elements that count several times": promise("total", promise("part", DRAWS, at=[[0, 0, 0, 1]])),
}


@pytest.mark.parametrize("node", MENDED.values(), ids=MENDED.keys())
def test_a_record_that_stretches_an_answer_is_named_as_calculated(node: Extra):
    values = Answers({0: Answered(0, {"draws": np.arange(1.0, 11.0)})})
    assert float(evaluate(node, values)) > 0
    assert list(calculated_columns({"calls": [{"function": "?"}], "record": {"mu": {"se": node}}})) == [
        ("mu.se", shown(node, ["?"]))
    ]


# --- the host --------------------------------------------------------------------------------------------------------

MANY = {
    "elements that are taken again and again": promise("part", DRAWS, at=[[0] * 2000]),
    "more quantiles than numbers": promise("quantile", DRAWS, axis=None, probability=[0.5] * 2000),
}


@pytest.mark.parametrize("node", MANY.values(), ids=MANY.keys())
def test_a_promise_is_bounded_however_it_grows(node: Extra, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expressions, "_MOST_NUMBERS", 1000)
    with pytest.raises(NoValue, match="more than"):
        evaluate(node, Answers({0: Answered(0, {"draws": np.arange(10.0)})}))


# --- what nobody has promised ----------------------------------------------------------------------------------------

#: Of an interface with a function `fit` and a class whose method is `predict`.
FORMS = {
    language: Forms(
        Interface.model_validate({
            "package": "p",
            "functions": [{"name": "fit", "arguments": [{"name": "x"}], "returns": {"type": "any"}}],
            "classes": [{"name": "Fit", "methods": [{"name": "predict", "arguments": [{"name": "x"}]}]}],
        }),
        language,
    )
    for language in ("python", "r")
}  # fmt: skip
ANSWER = Extra("answer", {"call": 0, "path": []})


def asked(function: str, *arguments: Any, on: Extra | None = None, **named: Any) -> Call:
    return Call(1, "S1", "case", "call", function, arguments, named, on)


@pytest.mark.parametrize("language", FORMS)
def test_what_the_interface_names_can_be_asked(language: str):
    honest = (asked("fit", 1.0), asked("fit", x=1.0), asked("Fit"), asked("predict", 1.0, on=ANSWER))
    assert not any(unnamed(call, FORMS[language]) for call in honest)


def test_generics_that_every_package_of_r_may_have_can_be_asked():
    assert not any(unnamed(asked(name, on=ANSWER), FORMS["r"]) for name in ("coef", "summary", "print", "vcov"))


UNNAMED = {
    "another function": asked("exec", "1"),
    "what a function holds": asked("fit.__globals__.get", "exec"),
    "a method that calls": asked("__call__", on=ANSWER),
    "code of R, step by step": asked("str2expression", on=ANSWER),
    "evaluation": asked("eval", on=ANSWER),
    "a choice": asked("switch", "{ 1 }", on=ANSWER),
    "another argument": asked("fit", y=1.0),
    "too many arguments": asked("fit", 1.0, 2.0),
    "a hidden part as an argument": asked("fit", Extra("answer", {"call": 0, "path": ["__class__"]})),
}


@pytest.mark.parametrize("language", FORMS)
@pytest.mark.parametrize("call", UNNAMED.values(), ids=UNNAMED.keys())
def test_nothing_else_can_be_asked(call: Call, language: str):
    assert unnamed(call, FORMS[language])


def test_an_argument_that_nobody_has_promised_may_be_given_where_a_refusal_is_expected():
    assert not unnamed(asked("fit", y=1.0), FORMS["python"], refused=True)


# --- formulas ---------------------------------------------------------------------------------------------------------

R_FORMS = Forms(
    Interface.model_validate({"package": "p", "functions": [{"name": "fit", "arguments": [{"name": "formula"}]}]}), "r"
)


def asked_with(formula: str) -> str:
    call = Call(0, "S1", "case", "call", "fit", (Extra("formula", formula),), {})
    return unnamed(call, R_FORMS)


@pytest.mark.parametrize(
    "formula",
    [
        "y ~ x + I({assignInNamespace('fit', mend, 'p'); x})",
        "y ~ `assign`('fit', 1)",
        "y ~ 'assign'('fit', 1)",
        "y ~ (get)('fit')",
        "y ~ list(get)[[1]]('fit')",
        "y ~ (function(z) z)(x)",
        "y ~ base::eval(x)",
        "y ~ utils:::f(x)",
    ],
)
def test_a_formula_cannot_mend_the_package_it_is_given_to(formula: str) -> None:
    assert "calls" in asked_with(formula)


@pytest.mark.parametrize(
    "formula",
    [
        "y ~ x",
        "c(0, 1, 0) ~ c(-2, 0.5, 1)",
        "log(y) ~ I(x^2) * factor(g) - 1",
        "~ poly(x, 2) + offset(w)",
        "y ~ (a + b):c",
        "y ~ fit(x)",
    ],
)
def test_honest_formulas_are_formulas(formula: str) -> None:
    assert asked_with(formula) == ""


def test_only_functions_that_make_arguments_are_asked_of_r_itself() -> None:
    def made_by(name: str) -> str:
        return unnamed(Call(0, "S1", "case", "call", name, (1.0,), {}), R_FORMS)

    assert made_by("stats::lm") == ""
    assert all(made_by(name) for name in ("base::eval", "stats::assign", "utils::assignInNamespace", "lm"))


def test_a_comment_cannot_hide_what_a_formula_calls() -> None:
    assert "comment" in asked_with("y ~ (assign # c\n ('fit', 1))")

"""What packages are can be declared, asked and judged: methods, nested parts, tables, figures, results by argument."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.blocks import Malformed
from statsclaw.specs.contract import read_contract
from statsclaw.verify.blind.result import kept
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench
from tests.blind.small_bench import tools

LINES = Path(__file__).parents[1] / "support" / "lines"
INTERFACE = (LINES / "interface.md").read_text(encoding="utf-8")
TESTS = (LINES / "test-spec.md").read_text(encoding="utf-8")
QUESTIONS = (LINES / "ask_lines.py").read_text(encoding="utf-8")
PACKAGE = (LINES / "lines.py").read_text(encoding="utf-8")


def asked(
    folder: Path,
    package: str,
    *,
    questions: str = QUESTIONS,
    tests: str = TESTS,
    base: bytes | None = None,
    interface: str | None = None,
):
    """The validation, and the evidence of asking and of the answers."""
    (folder / "site").mkdir(parents=True)
    (folder / "validation").mkdir()
    (folder / "site" / "lines.py").write_text(package, encoding="utf-8")
    (folder / "validation" / "ask_lines.py").write_text(questions, encoding="utf-8")
    bench = Bench(
        folder=folder, desk=folder / "desk", cache=folder / "cache", profile=load_profile("python"),
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"), tools=tools, limits=Limits(),
        scrub=lambda text: text, python=sys.executable, seed=7,
    )  # fmt: skip
    validation = Validation.of(
        bench, read_contract({"interface.md": interface or INTERFACE, "test-spec.md": tests}), "nobody knows", base
    )
    assert validation is not None
    return validation


def missed(validation: Validation, subject: str = "after") -> dict[str, str]:
    rows = list(validation.judged(subject, "0" * 64))
    assert rows[-1].name == "validation", rows[-1].summary
    return {row.name: row.error for row in rows[-1].tests if row.outcome != "passed"}


def test_an_honest_package_with_methods_tables_and_figures_goes_through(tmp_path: Path) -> None:
    validation = asked(tmp_path / "bench", PACKAGE)
    _, found, met = validation.checked()
    assert [row.message for row in found if row.severity == "error"] == []
    assert [name for name, kinds in met.items() if len(kinds) == 4] == []
    assert missed(validation) == {}


def test_its_claims_can_fail(tmp_path: Path) -> None:
    validation = asked(tmp_path / "bench", PACKAGE)
    ask, answers = (kept(tmp_path, row.kept_sha256) or b"" for row in validation.judged("after", "0" * 64))
    found = validation.findings(validation.recalled(ask, answers))
    assert [row.message for row in found if row.severity == "error"] == []


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("np.dot(weights, self.coef))", "np.dot(weights, self.coef)) * 1.01", "[C2]"),
        ("[self.coef[0], self.coef[0] + self.coef[1]])", "[self.coef[0], self.coef[1]])", "[C5]"),
        ('"estimate": c}', '"estimate": c[::-1]}', "[C6]"),
        ("Line(np.array([cut, slope]), len(x)", "Line(np.array([cut, slope]), len(x) + 1", "[C3]"),
        ("float(np.mean(x))", "float(np.median(x)) + 0.01", "[C7]"),
        ('"two weights are needed"', '"no"', "[C10]"),
        ("(len(x) - 2)))", "len(x)))", "[C4]"),
    ],
)
def test_a_fault_in_what_could_not_be_declared_before_is_found(tmp_path: Path, old: str, new: str, names: str) -> None:
    assert old in PACKAGE
    assert [name for name in missed(asked(tmp_path / "bench", PACKAGE.replace(old, new))) if names in name]


@pytest.mark.parametrize(
    ("old", "new", "element"),
    [
        ('{"low": float(min(y)), "high"', '{"high"', "fit.parts.low"),
        ("Spread(float(", "Spread(str(", "fit.spread.sigma"),
        ('{"term": ["cut", "slope"], "estimate": c}', '{"estimate": c, "term": ["cut", "slope"]}', "table"),
        ('"term": ["cut", "slope"]', '"term": [1, 2]', "table.term"),
        ("np.array([np.mean(x), np.median(x)]) if", "float(np.mean(x)) if", "level_of"),
        ("        return figure", "        figure.savefig = None\n        return figure", "draw"),
    ],
)  # fmt: skip
def test_another_form_than_declared_is_found(tmp_path: Path, old: str, new: str, element: str) -> None:
    assert old in PACKAGE
    found = missed(asked(tmp_path / "bench", PACKAGE.replace(old, new)))
    assert f"answers::{element} type and shape" in found


def test_what_a_source_prints_is_not_typed_again(tmp_path: Path) -> None:
    typed = QUESTIONS.replace('ask.call("level_of", [1.0, 2.0, 3.0, 4.0]))', 'ask.call("level_of", [1.0, 2.0]), 1.5)')
    _, found, _ = asked(tmp_path / "bench", PACKAGE, questions=typed).checked()
    assert [row.key for row in found if row.severity == "error"] == ["printed-not-asked:C7"]


def test_a_method_that_nobody_declared_cannot_be_asked(tmp_path: Path) -> None:
    other = QUESTIONS.replace('ask.call(fit, "draw")', 'ask.call(fit, "paint")')
    _, found, _ = asked(tmp_path / "bench", PACKAGE, questions=other).checked()
    (row,) = (row for row in found if "names no method paint" in row.message)
    line = next(n for n, text in enumerate(other.splitlines(), start=1) if '"paint"' in text)
    assert row.where == f"ask_lines.py:{line}"


# --- same as base ----------------------------------------------------------------------------------------------------

SAME = (LINES / "same-as-base.md").read_text(encoding="utf-8")
ASKED_AGAIN = (LINES / "ask_again.py").read_text(encoding="utf-8")


def compared_with_base(tmp_path: Path, package: str) -> dict[str, str]:
    before = asked(tmp_path / "before", PACKAGE, questions=ASKED_AGAIN, tests=SAME)
    rows = list(before.judged("before", "0" * 64))
    assert rows[-1].passed
    base = kept(tmp_path, rows[-1].kept_sha256)
    return missed(asked(tmp_path / "after", package, questions=ASKED_AGAIN, tests=SAME, base=base))


def test_everything_else_unchanged_is_a_rule(tmp_path: Path) -> None:
    new = PACKAGE.replace("rng=None):", "rng=None, verbose=False):").replace("self.note =", "self.new, self.note =")
    new = new.replace("parts, None", "parts, 5, None")
    assert new != PACKAGE
    assert compared_with_base(tmp_path, new) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return Line(np.array([cut, slope])", "return Line(np.array([cut, slope]) * (1 + 1e-12)"),
        ('"at least two numbers"', '"more numbers"'),
        ("self.parts, self.note =", "self.shares, self.note ="),
    ],
)
def test_what_is_no_longer_as_it_was_is_found(tmp_path: Path, old: str, new: str) -> None:
    assert old in PACKAGE
    assert "ask_lines::a_line[B1]" in compared_with_base(tmp_path, PACKAGE.replace(old, new))


def test_without_a_package_as_it_was_the_rule_is_not_met(tmp_path: Path) -> None:
    assert "ask_lines::a_line[B1]" in missed(asked(tmp_path / "bench", PACKAGE, questions=ASKED_AGAIN, tests=SAME))


def test_a_package_as_it_was_ships_no_comparison_with_itself(tmp_path: Path) -> None:
    validation = replace(asked(tmp_path / "bench", PACKAGE, questions=ASKED_AGAIN, tests=SAME))
    from statsclaw.verify.blind.native import native_suite

    suite = native_suite("python", validation.author.questionnaire(), validation.tests, validation.interface)
    assert "the package as it was is not there to compare with" in suite["tests/validation/questions.json"]


NEW_ONLY = """```yaml interface
package: lines
functions: [{name: level_of, arguments: [{name: x}], returns: {type: number}}]
others: base
```
"""


def test_all_else_of_the_target_can_be_asked_where_the_specification_names_it(tmp_path: Path) -> None:
    before = asked(tmp_path / "before", PACKAGE, questions=ASKED_AGAIN, tests=SAME, interface=NEW_ONLY)
    _, found, _ = before.checked()
    assert [row.message for row in found if row.severity == "error"] == []
    rows = list(before.judged("before", "0" * 64))
    base = kept(tmp_path, rows[-1].kept_sha256)
    given = {"questions": ASKED_AGAIN, "tests": SAME, "interface": NEW_ONLY, "base": base}
    assert missed(asked(tmp_path / "same", PACKAGE, **given)) == {}
    for number, (old, new) in enumerate(
        [
            ("return Line(np.array([cut, slope])", "return Line(np.array([cut, slope]) * (1 + 1e-12)"),
            ("len(x) - 2) if", "len(x) - 3) if"),  # in an object inside of the object
            ("return Line(", "return 5 or Line("),
        ]
    ):
        assert old in PACKAGE
        worse = asked(tmp_path / f"worse{number}", PACKAGE.replace(old, new), **given)
        assert "ask_lines::a_line[B1]" in missed(worse)


def test_numbers_of_a_function_of_the_target_are_compared(tmp_path: Path) -> None:
    tests = SAME.replace("exercises: [fit]", "exercises: [level_of]").replace("of: fit,", "of: level_of,")
    interface = NEW_ONLY.replace("level_of", "fit")
    questions = ASKED_AGAIN.replace('fit = ask.call("fit", x, 2 * x)', 'fit = ask.call("level_of", x)')
    questions = questions.replace('    ask.unchanged("B1", ask.call("fit", [1.0], [1.0]))\n', "")
    before = asked(tmp_path / "before", PACKAGE, questions=questions, tests=tests, interface=interface)
    base = kept(tmp_path, list(before.judged("before", "0" * 64))[-1].kept_sha256)
    given = {"questions": questions, "tests": tests, "interface": interface, "base": base}
    assert missed(asked(tmp_path / "same", PACKAGE, **given)) == {}
    worse = PACKAGE.replace("else float(np.mean(x))", "else float(np.mean(x)) * (1 + 1e-12)")
    assert "ask_lines::a_line[B1]" in missed(asked(tmp_path / "worse", worse, **given))


@pytest.mark.parametrize("function", ["os.system", "np.load", "table", "fit.table", "__import__"])
def test_what_nobody_named_is_not_of_the_target(tmp_path: Path, function: str) -> None:
    """A tester that chose what to call could run any code beside the package."""
    other = ASKED_AGAIN.replace('ask.call("fit", [1.0], [1.0])', f'ask.call("{function}", "true")')
    _, found, _ = asked(tmp_path / "bench", PACKAGE, questions=other, tests=SAME, interface=NEW_ONLY).checked()
    assert [row.key for row in found if row.severity == "error"] == [f"not-in-interface:a_line:{function}"]


def test_without_the_word_nothing_but_the_interface_can_be_asked(tmp_path: Path) -> None:
    declared = NEW_ONLY.replace("others: base\n", "")
    _, found, _ = asked(tmp_path / "bench", PACKAGE, questions=ASKED_AGAIN, tests=SAME, interface=declared).checked()
    assert "not-in-interface:a_line:fit" in [row.key for row in found if row.severity == "error"]


# --- what is no interface --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("raises: [few]", "raises: [many]", "'many' is not among the conditions"),
        ("type: object\n      class_name: Line", "type: number", "has fields"),
        ("depends_on: kind\n", "depends_on: sort\n", "no argument sort"),
        ("{name: low, type: number}, {name: high,", "{name: low, type: number}, {name: low,", "twice"),
    ],
)  # fmt: skip
def test_an_interface_that_means_nothing_is_refused_with_its_line(old: str, new: str, says: str) -> None:
    assert old in INTERFACE
    with pytest.raises(Malformed) as refused:
        read_contract({"interface.md": INTERFACE.replace(old, new, 1)})
    assert says in str(refused.value.faults)


# --- whose fault it is -----------------------------------------------------------------------------------------------


def blamed(validation: Validation) -> tuple[str | None, str]:
    row = list(validation.judged("after", "0" * 64))[-1]
    assert not row.passed
    return row.fault_of, row.summary


def test_two_readings_of_a_shape_that_nobody_declared_are_the_planners(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.INTERFACE", INTERFACE.replace("type: array, shape: [2]}", "type: array}"))
    column = PACKAGE.replace("return Line(np.array([cut, slope])", "return Line(np.array([[cut], [slope]])")
    column = column.replace("self.coef, self.nobs", "coef, self.nobs").replace(
        "coef, self.nobs", "self.coef, self.nobs"
    )
    role, said = blamed(
        asked(tmp_path / "bench", column.replace("np.dot(weights, self.coef)", "np.dot(weights, self.coef)[0]"))
    )
    assert role == "planner"
    assert "the package answers an array of the shape (2, 1) for fit.coef" in said
    assert "the questions expect an array of the shape (2,)" in said and "the interface allows both" in said


def test_an_expectation_that_contradicts_the_interface_is_the_testers(tmp_path: Path) -> None:
    other = QUESTIONS.replace("fit.coef, [cut, slope]", "fit.coef, [[cut], [slope]]")
    role, said = blamed(asked(tmp_path / "bench", PACKAGE, questions=other))
    assert (role, "as the interface says" in said) == ("tester", True)


def test_a_method_declared_as_a_field_is_the_planners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undeclared = INTERFACE.replace("{name: nobs, type: integer}", "{name: nobs, type: any}")
    monkeypatch.setattr(f"{__name__}.INTERFACE", undeclared)
    package = PACKAGE.replace("self.nobs", "self.counted").replace(
        "    def contrast", "    def nobs(self):\n        return self.counted\n\n    def contrast"
    )
    role, said = blamed(asked(tmp_path / "bench", package))
    assert (role, "fit.nobs is a method" in said) == ("planner", True)


def test_a_wrong_number_and_a_wrong_form_stay_the_builders(tmp_path: Path) -> None:
    wrong = PACKAGE.replace("np.array([cut, slope])", "np.array([cut, -slope])")
    assert blamed(asked(tmp_path / "number", wrong))[0] == "builder"
    column = PACKAGE.replace("return Line(np.array([cut, slope])", "return Line(np.array([[cut], [slope]])")
    assert blamed(asked(tmp_path / "form", column))[0] == "builder"

"""What ships of a validation: pytest runs it without StatsClaw, passes honest packages and fails wrong ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from statsclaw.verify.blind import native
from statsclaw.verify.blind.native import native_suite
from statsclaw.verify.blind.questionnaire import Questionnaire
from tests.blind.native_side import asked, interface, judged, specification

PACKAGE = """
import random
import warnings

import numpy as np

__all__ = ["fit", "kinds", "described", "few", "draw", "many", "table"]


class Fit:
    def __init__(self, x):
        self.mean = x.mean()
        self.cov = np.array([[2.0, 0.5], [0.5, 1.0]]) * x.std()
        self.draws = np.arange(12.0).reshape(4, 3) + x.mean()
        self.names = ("a", "b")

    def predict(self, at, *, scale=1.0):
        return self.mean + scale * np.asarray(at)

    def __str__(self):
        return f"a fit of mean {self.mean:.3f}"


def fit(x, level=0.95):
    x = np.asarray(x, dtype=float)
    if x.size < 2:
        raise ValueError("at least two numbers")
    return Fit(x)


def kinds(*given, **named):
    return [type(part).__name__ for part in [*given, *named.values()]]


def described(x):
    return {"size": len(x), "first": x[0], "none": None, "text": "äé", "flags": np.array([True, False])}


def few(x):
    warnings.warn("few numbers", UserWarning, stacklevel=2)
    return 1.5


def draw(n, rng=None):
    return rng.normal(size=n) if rng is not None else np.random.normal(size=n) + random.random()


def many(x):
    return [x, [1.0, 2.0], np.nan, np.inf, 1 + 2j]


def table(data):
    return data


class Bare:
    pass


def bump(x):
    return Bare()
"""

QUESTIONS = """
import numpy as np
import statsclaw_ask as ask


@ask.scenario("S1")
def numbers_of_a_fit(rng):
    x = rng.normal(size=200)
    fit = ask.call("fit", x, level=0.9)
    ask.close("NEAR", [fit.mean, fit.cov], [x.mean(), np.array([[2.0, 0.5], [0.5, 1.0]]) * x.std()])
    ask.close("DIGITS", ask.call(fit, "predict", [1.0, 2.0], scale=0.1), x.mean() + np.array([0.1, 0.2]))
    ask.value("HIGH", fit.mean + 2.0)
    ask.value("LOW", fit.cov[0, 0])
    ask.value("INSIDE", fit.mean + 2)
    ask.untouched("UNTOUCHED", fit)
    ask.silent("SILENT", fit)
    ask.returns("RETURNS", fit)
    ask.finite("FINITE", fit)
    ask.finite("FINITE", [fit.mean, fit.cov])
    ask.same("SAME", fit, ask.call("fit", x))
    ask.same("SAME", fit.mean == fit.mean, True)
    ask.same("SAME", ask.length(fit.draws), 4)
    ask.same("SAME", ask.shape(fit.draws), [4, 3])
    ask.less("LESS", fit.mean, fit.mean + 1)
    ask.between("BETWEEN", -1, fit.mean, 1)
    ask.contains("CONTAINS", ask.text(fit), "a fit of mean")
    ask.contains("CONTAINS", ask.exports(), "draw")
    ask.repeatable("REPEATABLE", fit)
    ask.value("TIME", ask.seconds(fit))
    ask.observe("SEEN", looked, fit)
    ask.dialogue("TALK", talked, x)


def looked(fit):
    return True


def talked(ask, rng, x):
    return True


@ask.scenario("S1")
def what_is_calculated(rng):
    x = rng.normal(size=5)
    fit = ask.call("fit", x)
    m, draws = x.mean(), np.arange(12.0).reshape(4, 3) + x.mean()
    cov = np.array([[2.0, 0.5], [0.5, 1.0]]) * x.std()
    near = [
        (ask.mean(fit.draws), draws.mean()), (ask.mean(fit.draws, axis=0), draws.mean(axis=0)),
        (ask.sd(fit.draws, axis=1), draws.std(axis=1, ddof=1)), (ask.var(fit.draws, divisor=0), draws.var()),
        (ask.median(fit.draws, axis=0), np.median(draws, axis=0)),
        (ask.quantile(fit.draws, [0.1, 0.9], axis=0), np.quantile(draws, [0.1, 0.9], axis=0)),
        (ask.quantile(fit.draws, 0.3), np.quantile(draws, 0.3)),
        (ask.total(fit.draws, axis=-1), draws.sum(axis=-1)), (ask.smallest(fit.draws), draws.min()),
        (ask.largest(fit.draws, axis=0), draws.max(axis=0)), (ask.cov(fit.draws), np.cov(draws, rowvar=False)),
        (ask.cor(fit.draws), np.corrcoef(draws, rowvar=False)), (ask.sorted(-fit.draws), np.sort(-draws.ravel())),
        (ask.transposed(fit.draws), draws.T), (ask.diag(fit.cov), np.diag(cov)), (abs(fit.draws - 5), abs(draws - 5)),
        (ask.sqrt(fit.cov), np.sqrt(cov)), (ask.exp(fit.cov), np.exp(cov)), (ask.log(fit.cov), np.log(cov)),
        (ask.eigenvalues(fit.cov), np.linalg.eigvalsh(cov)),
        (ask.solve(fit.cov, [1.0, 2.0]), np.linalg.solve(cov, [1.0, 2.0])), (fit.cov @ fit.cov, cov @ cov),
        (fit.draws @ np.array([1.0, 2.0, 3.0]), draws @ np.array([1.0, 2.0, 3.0])),
        (2 * fit.mean + 1 - fit.mean / 3, 2 * m + 1 - m / 3), (fit.cov**2, cov**2),
        (fit.draws * np.array([1.0, 2.0, 3.0]), draws * np.array([1.0, 2.0, 3.0])),
        (fit.draws - ask.mean(fit.draws, axis=0), draws - draws.mean(axis=0)),
        (fit.draws[1:, 0], draws[1:, 0]), (fit.draws[-1], draws[-1]), (fit.draws[[0, 2], 1], draws[[0, 2], 1]),
        (fit.draws[::-1], draws[::-1]), (fit.draws[1:3], draws[1:3]), (fit.draws[:, 1:], draws[:, 1:]),
        (ask.rate(fit.draws < 4.0), (draws < 4.0).mean()), (ask.rate(fit.draws >= 4.0), (draws >= 4.0).mean()),
        (ask.rate(fit.draws != fit.draws), 0.0), (fit.draws[None, 1], draws[None, 1]),
    ]  # fmt: skip
    for observed, expected in near:
        ask.close("NEAR", observed, expected)


@ask.scenario("S1")
def refusals():
    ask.raises("ERROR", ask.call("fit", []))
    ask.raises("ERROR", ask.call("fit", [1.0]), message="at least")
    ask.warns("WARNING", ask.call("few", [1.0]))
    ask.raises("RETURNS", ask.call("fit", []), message="two numbers")
    ask.warns("SILENT", ask.call("few", [1.0]), message="few")


@ask.scenario("S1")
def kinds_of_values(rng):
    given = [(1, 2), {3}, frozenset({4}), 2**70, 1 + 2j, b"ab", np.float32(1.5), np.array([1, 2]), None, True, "ä",
             {"a": 1.0}, {1: 2}, np.zeros((0, 3)), np.array(["a", "b"]), np.array([1j])]
    names = [type(part).__name__ for part in given]
    kinds = ask.call("kinds", *given, last=np.float64(0.1))
    ask.same("SAME", kinds, [*names, "float64"])
    described = ask.call("described", [0.1, 0.2])
    wanted = {"size": 2, "first": 0.1, "none": None, "text": "äé", "flags": np.array([True, False])}
    ask.same("SAME", described, wanted)
    ask.same("SAME", described["text"], "äé")
    ask.same("SAME", ask.names(described), ["size", "first", "none", "text", "flags"])
    public = ask.exports()
    ask.same("SAME", public, sorted(["fit", "kinds", "described", "few", "draw", "many", "table"]))
    ask.same("SAME", ask.signature("fit"), [
        {"name": "x", "default": None, "keyword_only": False},
        {"name": "level", "default": "0.95", "keyword_only": False},
    ])
    many = ask.call("many", np.array([[1.0, 2.0]], order="F"))
    ask.close("NEAR", many, [[[1.0, 2.0]], [1.0, 2.0], float("nan"), float("inf"), 1 + 2j])


@ask.scenario("S1")
def random_numbers():
    drawn = ask.call("draw", 5, rng=ask.generator(7))
    ask.close("NEAR", drawn, np.random.default_rng(7).normal(size=5))
    seeded = ask.seeded(3, ask.call("draw", 5))
    ask.repeatable("REPEATABLE", seeded)
    ask.repeatable("REPEATABLE", ask.text(ask.call("bump", 1)))
"""

#: What is changed in the package, and which tests fail then.
WRONG = {
    "a mean": ("x.mean()\n", "x.mean() + 1e-7\n", {"numbers_of_a_fit-NEAR", "numbers_of_a_fit-DIGITS"}),
    "a covariance": ("* x.std()", "* x.std(ddof=1)", {"numbers_of_a_fit-NEAR", "what_is_calculated-NEAR"}),
    "bounds": ("x.mean()\n", "x.mean() + 9\n", {f"numbers_of_a_fit-{name}" for name in ("HIGH", "INSIDE", "BETWEEN")}),
    "a low bound": ("[2.0, 0.5], [0.5", "[-2.0, 0.5], [0.5", {"numbers_of_a_fit-LOW"}),
    "an error": ("raise ValueError", "raise TypeError", {"refusals-ERROR"}),
    "a message": ("at least two numbers", "too few", {"refusals-ERROR"}),
    "an error of that name": ("class Fit:", "class ValueError(Exception): ...\n\n\nclass Fit:", {"refusals-ERROR"}),
    "no error": ("x.size < 2", "x.size < 0", {"refusals-ERROR"}),
    "a warning": ('"few numbers", UserWarning', '"few numbers", FutureWarning', {"refusals-WARNING"}),
    "a text": ("a fit of", "some", {"numbers_of_a_fit-CONTAINS"}),
    "an export": ('"few", "draw",', '"few",', {"numbers_of_a_fit-CONTAINS", "kinds_of_values-SAME"}),
    "no order": ("    return Fit(x)", "    f = Fit(x)\n    f.mean = np.nan\n    return f", {
        f"numbers_of_a_fit-{name}" for name in ("LESS", "FINITE", "BETWEEN", "NEAR")}),
    "an argument": ("    return Fit(x)", "    x[0] = 0\n    return Fit(x)", {"numbers_of_a_fit-UNTOUCHED"}),
    "chance": ("    return Fit(x)", "    f = Fit(x)\n    f.mean += np.random.normal() * 1e-13\n    return f", {
        "numbers_of_a_fit-SAME"}),
    "a state": ("np.random.normal(size=n)", "np.random.default_rng().normal(size=n)", {"random_numbers-REPEATABLE"}),
    "words": ("    return Fit(x)", "    print(1)\n    return Fit(x)", {"numbers_of_a_fit-SILENT"}),
    "a call that fails": ("    return Fit(x)", "    return 1 / 0", {"numbers_of_a_fit-RETURNS"}),
    "a name": ('"many", "table"]', '"many"]', {"kinds_of_values-SAME"}),
    "another type": ('"size": len(x)', '"size": str(len(x))', {"kinds_of_values-SAME"}),
    "a shape": ("return [x, ", "return [x.T, ", {"kinds_of_values-NEAR"}),
    "not a number": ("np.nan, np.inf", "0.0, np.inf", {"kinds_of_values-NEAR"}),
    "a generator": ("rng.normal(size=n) if", "rng.random(size=n) if", {"random_numbers-NEAR"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Questionnaire:
    return asked(tmp_path_factory.mktemp("asked"), QUESTIONS)


@pytest.fixture(scope="module")
def suite(questions: Questionnaire) -> dict[str, str]:
    return native_suite("python", questions, specification(), interface())


def outcomes(folder: Path, suite: dict[str, str], package: str) -> dict[str, str]:
    """Of a fresh clone: what pytest says of each test."""
    (folder / "tiny.py").write_text(package, encoding="utf-8")
    for path, text in suite.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", "--rootdir=.", "tests"]
    said = subprocess.run(command, cwd=folder, env={"PYTHONPATH": "."}, capture_output=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        outcome, _, name = line.partition(" ")
        if outcome in ("PASSED", "FAILED") and "[" in name:
            found[name.partition("[")[2].partition("]")[0]] = outcome
        elif outcome in ("SKIPPED", "ERROR"):
            found[name] = outcome
    assert found, said
    return found


def as_program(folder: Path) -> tuple[int, dict[str, str]]:
    """The clone that `outcomes` made: exit status and outcomes of the runner alone, without pytest or a conftest."""
    command = [sys.executable, "-P", "tests/validation/test_validation.py"]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": "."}, capture_output=True, text=True)
    rows = [line.partition(":")[0].split(" ", 1) for line in done.stdout.splitlines()[:-1]]
    return done.returncode, {name: outcome for outcome, name in rows}


def test_an_honest_package_passes_all_but_what_is_left_out(
    tmp_path: Path, suite: dict[str, str], questions: Questionnaire
) -> None:
    found = outcomes(tmp_path, suite, PACKAGE)
    assert judged("python", questions, specification(), tmp_path) == set()
    status, alone = as_program(tmp_path)
    assert status == 0 and set(alone.values()) == {"PASSED", "SKIPPED"}
    assert set(found.values()) == {"PASSED", "SKIPPED"}, found
    skipped = " ".join(name for name, outcome in found.items() if outcome == "SKIPPED")
    for reason in ("code that sees answers", "depends on the last answer", "depend on the machine"):
        assert reason in skipped
    assert len([name for name in found if name.startswith("numbers_of_a_fit-")]) == 14


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_package_fails_where_the_judge_fails_it(
    tmp_path: Path, suite: dict[str, str], questions: Questionnaire, name: str
) -> None:
    old, new, failing = WRONG[name]
    assert old in PACKAGE
    found = outcomes(tmp_path, suite, PACKAGE.replace(old, new))
    failed = {test for test, outcome in found.items() if outcome == "FAILED"}
    assert failing <= failed, found
    assert "ERROR" not in found.values()
    assert failed == judged("python", questions, specification(), tmp_path)
    status, alone = as_program(tmp_path)
    assert status == 1 and {test for test, outcome in alone.items() if outcome == "FAILED"} == failed


def test_the_suite_is_the_same_each_time_and_names_no_statsclaw(questions: Questionnaire) -> None:
    one, other = (native_suite("python", questions, specification(), interface()) for _ in range(2))
    assert one == other
    assert set(one) == {"tests/validation/test_validation.py", "tests/validation/questions.json"}
    assert "statsclaw" not in "".join(one.values()).lower()


def test_numbers_stand_exactly_and_long_values_once(questions: Questionnaire, suite: dict[str, str]) -> None:
    found = json.loads(suite["tests/validation/questions.json"])
    x = questions.calls[0].arguments[0]
    calls = [row for row in found["calls"] if row["function"] == "fit"]
    assert calls[0]["arguments"] == calls[1]["arguments"]
    assert found["data"][calls[0]["arguments"][0]["data"]]["array"] == x.tolist()


def test_the_largest_calls_are_left_out_and_counted(
    tmp_path: Path, questions: Questionnaire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "LARGEST", 16_000)
    suite = native_suite("python", questions, specification(), interface())
    assert len(suite["tests/validation/questions.json"]) <= 16_000
    found = outcomes(tmp_path, suite, PACKAGE)
    assert set(found.values()) == {"PASSED", "SKIPPED"}, found
    assert any("too large" in name for name in found)
    assert "random_numbers-NEAR" in found

"""Suites that could not fail are found before they judge, and honest look-alikes are left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statsclaw.runlog.events.command_executed import CaseOutcome, CommandExecuted, Observation
from statsclaw.runlog.events.criteria_judged import Judgement
from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import read_contract
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.suite.executed import check_against_null, check_execution
from statsclaw.verify.suite.python_suite import check_python_suite

HONEST = Path(__file__).parents[1] / "support" / "honest"
FILE = "tests/validation/test_tinymean.py"
TEXT = (HONEST / FILE).read_text()
SPEC = read_contract({path.name: path.read_text() for path in (HONEST / "out").iterdir()}).tests
assert SPEC is not None


def spec_with(**changed: dict[str, Any]) -> TestSpec:
    """The honest specification, with fields of some scenarios and criteria changed."""
    data = SPEC.model_dump()
    for row in (*data["scenarios"], *data["criteria"]):
        row.update(changed.get(row["id"], {}))
    return TestSpec.model_validate(data)


def suite(body: str = "", scenario: str = "S1", head: str = "") -> dict[str, str]:
    """The honest suite, in which the test of one scenario has another body or is another text altogether."""
    blocks = TEXT.split("\n\n\n")
    if body:
        at = next(n for n, block in enumerate(blocks) if f'scenario("{scenario}")' in block)
        if "def test" in body:
            blocks[at] = body
        else:
            rows = "\n".join(f"    {row}" for row in body.splitlines())
            blocks[at] = f'@pytest.mark.scenario("{scenario}")\ndef test_changed(criterion):\n{rows}'
    return {FILE: head + "\n" + "\n\n\n".join(blocks) + "\n"}


def rules(findings: list[Finding]) -> set[str]:
    return {row.key.partition(":")[0] for row in findings}


def test_the_honest_suite_gives_no_finding_at_all() -> None:
    assert check_python_suite({FILE: TEXT}, SPEC) == []
    assert check_python_suite({FILE: TEXT}, SPEC, package="tinymean") == []


C1 = 'x = drawn(11)\ncriterion("C1").close(tinymean.mean(x), sum(x) / len(x))\n'
NP = "import numpy as np\nimport math\nimport contextlib\nimport pytest\nimport sys"

FOOLING: list[tuple[str, str, str, str]] = [
    # 1: nothing is asserted
    ("no-assertion", "S1", "x = drawn(11)\ntinymean.mean(x)", ""),
    ("no-assertion", "S1", "x = drawn(11)\ntinymean.mean(x) == pytest.approx(sum(x))", ""),
    ("no-assertion", "S1", 'return\ncriterion("C1").close(tinymean.mean(drawn(11)), 0.0)', ""),
    ("no-assertion", "S1", 'if False:\n    criterion("C1").close(tinymean.mean(drawn(11)), 0.0)', ""),
    ("no-assertion", "S1", 'def check():\n    criterion("C1").close(tinymean.mean(drawn(11)), 0.0)', ""),
    ("no-assertion", "S4", "tinymean.mean([1.0])\npytest.raises(ValueError)", ""),
    ("no-assertion", "S1", "nothing(tinymean.mean(drawn(11)))", "def nothing(x):\n    return x == 1\n"),
    # 2: failures are swallowed
    ("swallowed-exception", "S1", f"try:\n    {C1.splitlines()[1].replace('x)', 'drawn(11))')}\nexcept Exception:\n    pass", ""),
    ("swallowed-exception", "S1", C1 + "try:\n    assert tinymean.mean(x) == 3\nexcept AssertionError:\n    assert True", ""),
    ("swallowed-exception", "S1", "x = drawn(11)\ntry:\n    found = tinymean.mean(x)\nexcept ValueError:\n    found = sum(x) / 30\n"
     'criterion("C2").close(1.0, 2.0)', ""),
    ("swallowed-exception", "S1", "with contextlib.suppress(Exception):\n    assert tinymean.mean(drawn(11)) == 1", NP),
    ("swallowed-exception", "S1", "x = drawn(11)\ntry:\n    assert tinymean.mean(x) == 1\nfinally:\n    return", ""),
    ("swallowed-exception", "S1", C1, "import contextlib\n@contextlib.contextmanager\ndef calm():\n    try:\n        yield\n"
     "    except Exception:\n        pass\n"),
    ("swallowed-exception", "S1", C1, "class Calm:\n    def __exit__(self, *_):\n        return True\n"),
    ("swallowed-exception", "S1", C1, "def safe(x):\n    try:\n        return tinymean.mean(x)\n    except Exception:\n"
     "        return sum(x) / len(x)\n"),
    # 3: skips
    ("skip-without-reason", "S1", "pytest.skip('later')\n" + C1, ""),
    ("skip-without-reason", "S1", '@pytest.mark.xfail\n@pytest.mark.scenario("S1")\ndef test_x(criterion):\n    x = drawn(11)\n'
     '    criterion("C1").close(tinymean.mean(x), sum(x) / 30)', ""),
    ("skip-without-reason", "S1", C1, "import pytest\npytest.importorskip('numpy')"),
    ("skip-without-reason", "S1", C1, "import pytest\npytestmark = [pytest.mark.skipif(True, reason='no')]"),
    ("skip-without-reason", "S1", "leave()\n" + C1, "from pytest import skip as out\ndef leave():\n    out('x')\n"),
    # 4: looser tolerances
    ("looser-tolerance", "S1", C1 + "np.testing.assert_allclose(tinymean.mean(x), sum(x) / 30, rtol=1e-3)", NP),
    ("looser-tolerance", "S1", C1 + "assert tinymean.mean(x) == pytest.approx(sum(x) / 30, abs=1e-2)", ""),
    ("looser-tolerance", "S1", C1 + "assert abs(tinymean.mean(x) - sum(x) / 30) < 1e-3", ""),
    ("looser-tolerance", "S1", C1 + "assert 10 ** -3 >= abs(tinymean.mean(x) - sum(x) / 30)", ""),
    ("looser-tolerance", "S1", C1 + "near(tinymean.mean(x), sum(x) / 30, 0.1)", "def near(a, b, tol):\n    assert abs(a - b) < tol\n"),
    ("looser-tolerance", "S1", C1 + "assert np.max(np.abs(np.array(x) - tinymean.mean(x))) < TOL", NP + "\nTOL = float('0.5')"),
    ("looser-tolerance", "S1", C1 + "gap = abs(tinymean.mean(x) - 1)\nassert gap < 0.5", ""),
    ("looser-tolerance", "S1", C1 + "assert math.isclose(tinymean.mean(x), 1, rel_tol=1e-4)", NP),
    ("looser-tolerance", "S1", C1 + "np.testing.assert_almost_equal(tinymean.mean(x), 1.0, decimal=3)", NP),
    ("looser-tolerance", "S1", C1 + "assert abs(tinymean.mean(x) - 1) < 1e-4 * abs(x[0])", ""),
    ("looser-tolerance", "S1", C1 + "same(tinymean.mean(x), 1.0, 1e-2)", "from numpy.testing import assert_allclose as same"),
    # 5: wider exceptions
    ("wider-exception", "S4", 'criterion("C4").raises(lambda: tinymean.mean([]))\nwith pytest.raises(Exception):\n    tinymean.mean([])', ""),
    ("wider-exception", "S4", "with pytest.raises((ValueError, TypeError)):\n    tinymean.mean([])", ""),
    ("wider-exception", "S4", "with pytest.raises(ANY):\n    tinymean.mean([])", "ANY = BaseException"),
    ("exception-without-message", "S4", "with pytest.raises(ValueError):\n    tinymean.mean([])", ""),
    ("exception-without-message", "S4", "with pytest.raises(ValueError, match='.*'):\n    tinymean.mean([])", ""),
    # 6: rounding
    ("rounded-before-comparing", "S1", 'x = drawn(11)\ncriterion("C1").close(round(tinymean.mean(x), 2), sum(x) / 30)', ""),
    ("rounded-before-comparing", "S1", 'x = drawn(11)\nm = tinymean.mean(x)\nm = np.round(m, 3)\ncriterion("C1").close(m, 0.1)', NP),
    ("rounded-before-comparing", "S1", C1 + "assert f'{tinymean.mean(x):.3f}' == '0.123'", ""),
    ("rounded-before-comparing", "S1", C1 + "assert '%.2f' % tinymean.mean(x) == '0.12'", ""),
    ("rounded-before-comparing", "S1", C1 + "assert '{:.2f}'.format(tinymean.mean(x)) == '0.12'", ""),
    ("rounded-before-comparing", "S1", 'x = drawn(11)\ncriterion("C1").close(np.array(tinymean.mean(x)).astype(np.float32), 0.1)', NP),
    ("rounded-before-comparing", "S1", 'x = drawn(11)\ncriterion("C1").close(short(tinymean.mean(x)), 0.1)', "def short(v):\n    return round(v, 1)\n"),
    ("rounded-before-comparing", "S1", C1 + "assert int(tinymean.mean(x)) == 0", ""),
    # 7: tampering
    ("replaced", "S1", C1, NP + "\nnp.testing.assert_allclose = lambda *a, **k: None"),
    ("replaced", "S1", C1, NP + "\nsetattr(np, 'allclose', lambda *a: True)"),
    ("replaced", "S1", C1, NP + "\nsys.modules['numpy'] = None"),
    ("replaced", "S1", C1, NP + "\nvars(math)['isclose'] = None"),
    ("replaced", "S1", C1, "import tinymean\ntinymean.mean = lambda x: sum(x) / len(x)"),
    ("replaced", "S1", C1, "def assert_allclose(*a, **k):\n    pass\n"),
    ("replaced", "S1", C1, "abs = lambda x: 0"),
    ("replaced", "S1", C1, "from unittest import mock\nmock.patch('tinymean.mean', lambda x: 0).start()"),
    ("replaced", "S1", '@pytest.mark.scenario("S1")\ndef test_x(criterion, monkeypatch):\n    x = drawn(11)\n'
     '    monkeypatch.setattr(tinymean, "mean", sum)\n    criterion("C1").close(tinymean.mean(x), sum(x))', ""),
    ("criterion-redefined", "S1", C1, "import pytest\n@pytest.fixture\ndef criterion():\n    return print\n"),
    ("criterion-redefined", "S1", C1, "import pytest\n@pytest.fixture(name='criterion')\ndef other():\n    return print\n"),
    ("criterion-redefined", "S1", "criterion = print\n" + C1, ""),
    ("criterion-redefined", "S1", '@pytest.mark.scenario("S1")\ndef test_x(criterion=print):\n    assert drawn(11)', ""),
    ("criterion-misused", "S1", 'c = criterion("C1")\nc.tolerance = 5\n' + C1, ""),
    ("criterion-misused", "S1", "vars(criterion)\n" + C1, ""),
    ("pytest-hook", "S1", C1, "def pytest_runtest_makereport(item, call):\n    pass\n"),
    ("pytest-hook", "S1", C1, "def pytest_configure(config):\n    config.pluginmanager.unregister(name='x')\n"),
    ("pytest-hook", "S1", C1, "__test__ = False"),
    ("engine-variable", "S1", C1, "import os\nopen(os.environ['STATSCLAW_OBSERVATIONS'], 'w')"),
    ("environment", "S1", C1, "import os\nfor name in os.environ:\n    print(name)"),
    ("criteria-file", "S1", C1, "open('../criteria.json')"),
    ("ends-the-process", "S1", C1 + "os._exit(0)", ""),
    ("ends-the-process", "S1", C1 + "leave(0)", "from sys import exit as leave"),
    ("ends-the-process", "S1", C1 + "raise SystemExit", ""),
    ("inner-parts", "S1", C1, "import _pytest.runner"),
    ("unreadable-code", "S1", C1 + "exec('x = 1')", ""),
    ("reaches-behind", "S1", C1 + "sys._getframe(1)", NP),
    # 8: vacuous comparisons
    ("vacuous-comparison", "S1", 'x = drawn(11)\nm = tinymean.mean(x)\ncriterion("C1").close(m, m)', ""),
    ("vacuous-comparison", "S1", 'x = drawn(11)\nm = tinymean.mean(x)\nn = m\ncriterion("C1").close(m, n)', ""),
    ("vacuous-comparison", "S1", 'x = drawn(11)\ncriterion("C1").close(tinymean.mean(x), tinymean.mean(x))', ""),
    ("vacuous-comparison", "S1", 'drawn(11)\ncriterion("C1").close(1.0, 1.0)', ""),
    ("vacuous-comparison", "S1", C1 + "assert 1 == 1", ""),
    ("vacuous-comparison", "S6", 'x = [1.0]\ntinymean.interval([1.0, 2.0])\ncriterion("C6").holds(x == x)', ""),
    ("always-true", "S1", C1 + "assert True", ""),
    ("always-true", "S1", C1 + "assert tinymean.mean(x) == 1 or True", ""),
    ("always-true", "S1", C1 + "assert (tinymean.mean(x) == 1, 'the mean')", ""),
    ("always-true", "S6", 'tinymean.interval([1.0, 2.0])\ncriterion("C6").holds(True)', ""),
    ("always-true", "S6", 'fine = True\ntinymean.interval([1.0, 2.0])\ncriterion("C6").holds(fine)', ""),
    ("not-the-package", "S1", 'x = drawn(11)\ntinymean.mean(x)\ncriterion("C1").close(sum(x) / 30, sum(x) / len(x))', ""),
    ("not-the-package", "S4", 'criterion("C4").raises(refuse)', "def refuse():\n    raise ValueError('no numbers')\n"),
    ("without-the-package", "S1", 'x = drawn(11)\ncriterion("C1").close(sum(x) / 30, sum(x) / len(x))', ""),
    ("expected-from-the-package", "S1", 'x = drawn(11)\ncriterion("C1").close(tinymean.mean(x), tinymean.interval(x).mean)', ""),
    # 9: seeds
    ("changed-seed", "S1", C1.replace("11", "13"), ""),
    ("changed-seed", "S1", C1.replace("11", "13") + "assert len(x) > 11", ""),
    ("unseeded-randomness", "S1", C1 + "random.random()", ""),
    ("unseeded-randomness", "S1", C1 + "random.Random()", ""),
    ("unseeded-randomness", "S1", C1 + "np.random.default_rng()", NP),
    ("unseeded-randomness", "S1", C1 + "np.random.default_rng(None)", NP),
    ("unseeded-randomness", "S1", C1 + "np.random.normal(size=3)", NP),
    ("unseeded-randomness", "S1", C1 + "random.Random(time.time())", "import time"),
    ("unseeded-randomness", "S1", C1, "import random\nSHIFT = random.gauss(0, 1)"),
    # 10: bookkeeping
    ("unknown-criterion", "S1", C1.replace("C1", "C9"), ""),
    ("criterion-without-test", "S1", C1.replace("C1", "C9"), ""),
    ("unknown-scenario", "S1", '@pytest.mark.scenario("S9")\ndef test_x():\n    assert tinymean.mean([1]) == 1', ""),
    ("scenario-without-test", "S1", '@pytest.mark.scenario("S9")\ndef test_x():\n    assert tinymean.mean([1]) == 1', ""),
    ("criterion-outside-its-scenario", "S1", C1.replace("C1", "C2"), ""),
    ("scenario-not-written-out", "S1", '@pytest.mark.scenario("S" + str(1))\ndef test_x():\n    assert tinymean.mean([1]) == 1', ""),
    # 11: methods
    ("wrong-method", "S1", 'criterion("C1").holds(tinymean.mean(drawn(11)) > 0)', ""),
    ("wrong-method", "S4", 'criterion("C4").holds(tinymean.mean([1.0]) > 0)', ""),
    ("wrong-method", "S1", 'ask(criterion("C1"), tinymean.mean(drawn(11)))', "def ask(c, x):\n    c.value(x)\n"),
    # 12: zero times
    ("empty-loop", "S1", "for x in []:\n    assert tinymean.mean(x) == 1\n" + C1, ""),
    ("empty-loop", "S1", "for n in range(0):\n    assert tinymean.mean([n]) == 1\n" + C1, ""),
    ("empty-loop", "S1", '@pytest.mark.parametrize("x", CASES)\n@pytest.mark.scenario("S1")\ndef test_x(criterion, x):\n'
     '    criterion("C1").close(tinymean.mean(drawn(11)), x)', "CASES = []"),
    ("conditional-assertion", "S1", 'x = drawn(11)\nm = tinymean.mean(x)\nif m > 0:\n    criterion("C1").close(m, sum(x) / 30)', ""),
    ("test-defined-twice", "S1", '@pytest.mark.scenario("S1")\ndef test_one_number_is_refused(criterion):\n    x = drawn(11)\n'
     '    criterion("C1").close(tinymean.mean(x), sum(x) / 30)', ""),
    ("test-not-run", "S1", '@pytest.mark.scenario("S1")\nasync def test_x(criterion):\n    x = drawn(11)\n'
     '    criterion("C1").close(tinymean.mean(x), sum(x) / 30)', ""),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "scenario", "body", "head"), FOOLING)
def test_an_attempt_to_fool_the_judge_is_found(rule: str, scenario: str, body: str, head: str) -> None:
    found = check_python_suite(suite(body, scenario, head), SPEC)
    assert rule in rules(found), found
    for row in found:
        assert row.check == "suite" and row.route_to == "tester" and row.key and row.where.startswith("tests/validation")


LOOK_ALIKES: list[tuple[str, str, str, str]] = [
    ("an assertion two functions away", "S1", "outer(criterion, tinymean.mean(drawn(11)))",
     "def outer(criterion, v):\n    inner(criterion, v)\ndef inner(criterion, v):\n    criterion('C1').close(v, 1.5)\n"),
    ("the id of the criterion is handed over", "S1", 'check(criterion, "C1", tinymean.mean(drawn(11)))',
     "def check(ask, name, v):\n    ask(name).close(v, 1.5)\n"),
    ("an error that is noted and asserted", "S4", 'try:\n    tinymean.mean([])\n    refused = False\nexcept ValueError:\n    refused = True\n'
     'assert refused\ncriterion("C4").raises(lambda: tinymean.mean([]))', ""),
    ("an error that is looked at", "S4", 'try:\n    tinymean.mean([])\nexcept ValueError as e:\n    assert "no numbers" in str(e)\n'
     'else:\n    pytest.fail("no")\ncriterion("C4").raises(lambda: tinymean.mean([]))', ""),
    ("a function that returns the error", "S4", 'assert isinstance(error_of(lambda: tinymean.mean([])), ValueError)\n'
     'criterion("C4").raises(lambda: tinymean.mean([]))',
     "def error_of(f):\n    try:\n        f()\n    except Exception as error:\n        return error\n    return None\n"),
    ("a narrower tolerance", "S1", C1 + "np.testing.assert_allclose(tinymean.mean(x), sum(x) / 30, rtol=1e-13, atol=0)", NP),
    ("an absolute tolerance within the relative one", "S2", 'x = drawn(12, 5.0)\nfound = tinymean.interval(x)\n'
     'criterion("C2").close(found.se, expected(x)[1])\nassert abs(found.se - expected(x)[1]) < 1e-11', ""),
    ("a bound that is no tolerance", "S1", C1 + "assert tinymean.mean(x) < 10\nassert len(x) - 1 < 100", ""),
    ("the exception and its message", "S4", 'with pytest.raises(ValueError, match="no numbers"):\n    tinymean.mean([])\n'
     'criterion("C4").raises(lambda: tinymean.mean([]))', ""),
    ("the message looked at afterwards", "S4", 'with pytest.raises(ValueError) as info:\n    tinymean.mean([])\n'
     'assert "no numbers" in str(info.value)\ncriterion("C4").raises(lambda: tinymean.mean([]))', ""),
    ("rounded input", "S1", 'x = [round(v, 3) for v in drawn(int(11.0) and 11)]\ncriterion("C1").close(tinymean.mean(x), sum(x) / len(x))', ""),
    ("a rounded message", "S1", C1 + "m = tinymean.mean(x)\nassert m < 5, f'{m:.3f} is large'", ""),
    ("a rounded expectation", "S1", 'x = drawn(11)\ncriterion("C1").close(tinymean.mean(x), round(0.25, 1))', ""),
    ("other things are replaced", "S1", '@pytest.mark.scenario("S1")\ndef test_x(criterion, monkeypatch):\n    x = drawn(11)\n'
     '    monkeypatch.setattr("sys.argv", ["x"])\n    monkeypatch.setenv("HOME", "/")\n'
     '    criterion("C1").close(tinymean.mean(x), sum(x) / 30)', ""),
    ("a marker is named", "S1", C1, "def pytest_configure(config):\n    config.addinivalue_line('markers', 'scenario(id): which')\n"),
    ("numpy is set up", "S1", C1, NP + "\nos_threads = 1\nnp.set_printoptions(precision=3)"),
    ("one environment variable", "S1", C1, "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nHOME = os.environ.get('HOME')"),
    ("a fixture of its own", "S1", '@pytest.fixture\ndef x():\n    return drawn(11)\n@pytest.mark.scenario("S1")\n'
     'def test_x(criterion, x):\n    criterion("C1").close(tinymean.mean(x), sum(x) / 30)', ""),
    ("a fixture that holds the output", "S1", '@pytest.fixture\ndef found():\n    return tinymean.mean(drawn(11))\n'
     '@pytest.mark.scenario("S1")\ndef test_x(criterion, found):\n    criterion("C1").close(found, 0.25)', ""),
    ("elements of one zip", "S1", 'x = drawn(11)\nfor v, e in zip([tinymean.mean(x)], [sum(x) / 30], strict=True):\n    criterion("C1").close(v, e)', ""),
    ("a list that is filled", "S1", 'out = []\nfor s in (11, 12):\n    out.append(tinymean.mean(drawn(s)))\ncriterion("C1").close(out, [0.1, 0.2])', ""),
    ("a seed in the environment's default", "S1", 'rng = random.Random(int(os.environ.get("STATSCLAW_SEED", "11")))\n'
     'criterion("C1").close(tinymean.mean([rng.random()]), 0.5)', ""),
    ("a seed as a constant", "S1", 'x = drawn(FIRST)\ncriterion("C1").close(tinymean.mean(x), sum(x) / 30)', "FIRST = 11"),
    ("a second generator", "S1", C1 + "random.Random(5).shuffle(x)", ""),
    ("a seed for all", "S1", C1 + "np.random.seed(11)\nnp.random.normal(size=3)", NP),
    ("several scenarios and criteria in one test", "S1", '@pytest.mark.scenario("S1", "S2")\ndef test_x(criterion):\n    x = drawn(11)\n'
     '    y = drawn(12)\n    criterion("C1").close(tinymean.mean(x), sum(x) / 30)\n    criterion("C2").close(tinymean.interval(y).se, 1.5)', ""),
    ("criteria by parametrize", "S1", '@pytest.mark.parametrize(("name", "seed"), [("C1", 11)])\n@pytest.mark.scenario("S1")\n'
     'def test_x(criterion, name, seed):\n    x = drawn(seed)\n    criterion(name).close(tinymean.mean(x), sum(x) / 30)', ""),
    ("a class of tests", "S1", 'class TestMean:\n    pytestmark = pytest.mark.scenario("S1")\n\n    def test_x(self, criterion):\n'
     '        x = drawn(11)\n        criterion("C1").close(tinymean.mean(x), self.own(x))\n\n'
     '    def own(self, x):\n        return sum(x) / len(x)', ""),
    ("both branches assert", "S1", 'x = drawn(11)\nm = tinymean.mean(x)\nif m > 0:\n    criterion("C1").close(m, sum(x) / 30)\n'
     'else:\n    criterion("C1").close(-m, -sum(x) / 30)', ""),
    ("a condition besides an assertion", "S1", C1 + "m = tinymean.mean(x)\nif m > 0:\n    assert m < 10", ""),
    ("failing by hand", "S1", C1 + "if tinymean.mean(x) > 10:\n    pytest.fail('large')", ""),
    ("a loop over written-out cases", "S1", 'x = drawn(11)\nfor n in (3, 4):\n    criterion("C1").close(tinymean.mean(x[:n]), sum(x[:n]) / n)', ""),
    ("the suite's own folder of support", "S1", C1, "from contextlib import suppress\ndef clean(path):\n    with suppress(OSError):\n        path.unlink()\n"),
    ("documentation speaks of the engine", "S1", C1, '"""The engine sets STATSCLAW_SEED and reads criteria.json."""'),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "body", "head"), [row[1:] for row in LOOK_ALIKES], ids=[row[0] for row in LOOK_ALIKES])
def test_an_honest_look_alike_is_left_alone(scenario: str, body: str, head: str) -> None:
    assert check_python_suite(suite(body, scenario, head), SPEC) == []


def test_a_skip_with_a_reason_in_the_specification_is_allowed() -> None:
    files = suite("pytest.importorskip('numpy')\n" + C1)
    assert check_python_suite(files, spec_with(S1={"may_skip": "numpy is not everywhere"})) == []
    assert rules(check_python_suite(files, spec_with(S2={"may_skip": "another one"}))) == {"skip-without-reason"}


def test_the_same_call_twice_is_a_test_where_the_scenario_is_about_repetition() -> None:
    files = suite('x = drawn(11)\ncriterion("C1").close(tinymean.mean(x), tinymean.mean(x))')
    assert check_python_suite(files, spec_with(S1={"behaviour": "called twice, it gives the same number"})) == []


def test_an_expectation_from_the_package_is_found_where_there_is_a_reference() -> None:
    data = spec_with(C3={"reference": "R1"}).model_dump()
    assert rules(check_python_suite({FILE: TEXT}, TestSpec.model_validate(data))) == {"expected-from-the-package"}


def test_the_tolerance_is_that_of_the_scenario_and_of_no_other() -> None:
    body = "near(tinymean.mean(drawn(11)), 1.5, 1e-13)\n" + C1
    head = "def near(a, b, tol):\n    assert abs(a - b) < tol\n"
    files = suite(body, "S1", head)
    files[FILE] += "\n\ndef test_without_scenario():\n    near(tinymean.mean([1.0]), 1.0, 0.5)\n"
    assert check_python_suite(files, SPEC) == []


def test_a_relative_number_of_digits_is_a_tolerance() -> None:
    spec = spec_with(C1={"tolerance": {"lre": 6.0}})
    inside = suite(C1 + "assert tinymean.mean(x) == pytest.approx(1.5, rel=1e-7)")
    outside = suite(C1 + "assert tinymean.mean(x) == pytest.approx(1.5, rel=1e-5)")
    assert check_python_suite(inside, spec) == []
    assert rules(check_python_suite(outside, spec)) == {"looser-tolerance"}


def test_a_tolerance_nobody_wrote_down_is_a_warning() -> None:
    found = check_python_suite(suite(C1 + "assert tinymean.mean(x) == pytest.approx(1.5)"), SPEC)
    assert [(row.severity, row.key.partition(":")[0]) for row in found] == [("warning", "looser-tolerance")]


@pytest.mark.parametrize("name", ["pytest.ini", "conftest.py", "tinymean.py"])
def test_files_beside_the_tests_that_change_what_is_judged_are_found(name: str) -> None:
    text = "def pytest_collection_modifyitems(items):\n    items.clear()\n" if name == "conftest.py" else ""
    found = check_python_suite({FILE: TEXT, f"tests/validation/{name}": text}, SPEC, package="tinymean")
    assert {row.where.partition(":")[0] for row in found} == {f"tests/validation/{name}"}


def test_functions_of_another_file_of_the_suite_are_followed() -> None:
    support = "def compare(criterion, name, v, e):\n    criterion(name).close(v, e)\n"
    body = 'x = drawn(11)\ncompare(criterion, "C1", tinymean.mean(x), sum(x) / 30)'
    files = suite(body, "S1", "from support import compare") | {"tests/validation/support.py": support}
    assert check_python_suite(files, SPEC) == []
    files["tests/validation/support.py"] = "def compare(criterion, name, v, e):\n    return v == e\n"
    assert {"no-assertion", "criterion-without-test"} <= rules(check_python_suite(files, SPEC))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("def test_x(:\n", ":1"),
        ("x = 1\n\ndef f(\n", ":3"),
        ("x = " + "(" * 5000 + ")" * 5000, ":1"),
        ("x = " + "-" * 3000 + "1", ":1"),
        ("x = 1" + " + 1" * 4000, ":1"),
        ("x = '\0'", ":1"),
        ("#" + "x" * 2_000_000, ":1"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_its_line(text: str, where: str) -> None:
    found = [row for row in check_python_suite({FILE: text}, SPEC) if row.key.startswith("unreadable")]
    assert [row.where for row in found] == [FILE + where]


# --- what happened when the suite ran -------------------------------------------------------------------------------


def outcome(name: str, *scenarios: str, outcome: str = "passed", **more: Any) -> CaseOutcome:
    return CaseOutcome.model_validate({"name": name, "outcome": outcome, "scenarios": scenarios} | more)


def executed(*tests: CaseOutcome, observed: str = "C1 C2 C3 C4 C5 C6") -> CommandExecuted:
    rows = tuple(Observation(criterion=name, test="t", rule="close") for name in observed.split())
    return CommandExecuted(
        name="validation", phase="validation", subject="after", tree_sha256="0", argv=(), exit_code=0, elapsed_s=1,
        output_sha256="0", passed=True, summary="", tests=tests, observations=rows,
    )  # fmt: skip


ALL = [outcome(f"t::{name}", name) for name in ("S1", "S2", "S3", "S4", "S5", "S6")]


def judged(name: str, verdict: str) -> Judgement:
    return Judgement.model_validate({"id": name, "quantity": "q", "rule": "close", "verdict": verdict, "literal": "PASS"})


def test_a_complete_run_gives_no_finding() -> None:
    assert check_execution(SPEC, executed(*ALL)) == []
    failed = [row.model_copy(update={"outcome": "failed"}) for row in ALL]
    assert check_execution(SPEC, executed(*failed)) == []


def test_scenarios_not_executed_and_criteria_not_observed_are_found() -> None:
    assert rules(check_execution(SPEC, executed())) == {"nothing-executed"}
    assert [row.key for row in check_execution(SPEC, executed(*ALL[1:]))] == ["scenario-not-executed:S1"]
    found = check_execution(SPEC, executed(*ALL, observed="C1 C2 C3 C4 C5"))
    assert [(row.key, row.severity) for row in found] == [("criterion-not-observed:C6", "error")]


def test_a_criterion_behind_a_failed_assertion_is_a_warning_only() -> None:
    broken = ALL[5].model_copy(update={"outcome": "failed"})
    found = check_execution(SPEC, executed(*ALL[:5], broken, observed="C1 C2 C3 C4 C5"))
    assert [(row.key, row.severity) for row in found] == [("criterion-not-observed:C6", "warning")]


def test_a_skipped_test_needs_a_reason_for_every_scenario_it_carries() -> None:
    run = executed(outcome("t::S1", "S1", "S2", outcome="skipped"), *ALL[1:], observed="C2 C3 C4 C5 C6")
    assert "skipped-without-reason" in rules(check_execution(SPEC, run))
    assert "skipped-without-reason" in rules(check_execution(spec_with(S1={"may_skip": "why"}), run))
    assert check_execution(spec_with(S1={"may_skip": "why"}, S2={"may_skip": "why"}), run) == []


def test_a_suite_that_cannot_be_collected_is_found_and_an_error_of_the_package_is_not_its_fault() -> None:
    broken = outcome("t", outcome="error", error="collection failure")
    assert rules(check_execution(SPEC, executed(*ALL, broken))) == {"not-collected"}
    raised = outcome("t", outcome="error", error="boom", raised_by="package")
    assert check_execution(SPEC, executed(*ALL, raised)) == []


def test_what_passes_on_meaningless_values_cannot_fail() -> None:
    failed = [row.model_copy(update={"outcome": "failed"}) for row in ALL]
    fine = [judged("C1", "FAIL"), judged("C2", "UNDECIDED"), judged("C6", "PASS"), judged("C7", "PASS")]
    assert check_against_null(SPEC, executed(*failed[:5], ALL[5]), fine) == []
    found = check_against_null(SPEC, executed(*failed[:5], ALL[5]), [judged("C1", "PASS")])
    assert [row.message for row in found] == ["C1 passes on a package of meaningless values: its tests cannot fail."]
    named = check_against_null(SPEC, executed(ALL[0], *failed[1:]), fine)
    assert [row.key for row in named] == ["test-passes-on-null:t::S1"]
    both = outcome("t::both", "S1", "S6")
    assert check_against_null(SPEC, executed(both), fine) == []

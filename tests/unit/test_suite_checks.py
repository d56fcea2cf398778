"""Suites that could not fail are found before they judge, and honest look-alikes are left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statsclaw.runlog.events.finding import Finding
from statsclaw.specs.contract import read_contract
from statsclaw.specs.test_spec import TestSpec
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


def cases(text: str) -> list[Any]:
    """`=== name | scenario`, then what stands above the suite and `---` where there is any, then the test."""
    rows = []
    for block in text.strip().split("=== ")[1:]:
        title, _, code = block.partition("\n")
        name, _, scenario = title.partition(" | ")
        head, line, body = code.rpartition("\n---\n")
        rows.append(pytest.param(name, scenario, body.rstrip(), head if line else "", id=f"{name}-{len(rows)}"))
    return rows


FOOLING = cases(r"""
=== no-assertion | S1
x = drawn(11)
tinymean.mean(x)
=== no-assertion | S1
x = drawn(11)
tinymean.mean(x) == pytest.approx(sum(x))
=== no-assertion | S1
return
criterion("C1").close(tinymean.mean(drawn(11)), 0.0)
=== no-assertion | S1
if False:
    criterion("C1").close(tinymean.mean(drawn(11)), 0.0)
=== no-assertion | S1
def check():
    criterion("C1").close(tinymean.mean(drawn(11)), 0.0)
=== no-assertion | S4
tinymean.mean([1.0])
pytest.raises(ValueError)
=== no-assertion | S1
def nothing(x):
    return x == 1
---
nothing(tinymean.mean(drawn(11)))
=== swallowed-exception | S1
try:
    criterion("C1").close(tinymean.mean(drawn(11)), sum(drawn(11)) / len(drawn(11)))
except Exception:
    pass
=== swallowed-exception | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
try:
    assert tinymean.mean(x) == 3
except AssertionError:
    assert True
=== swallowed-exception | S1
x = drawn(11)
try:
    found = tinymean.mean(x)
except ValueError:
    found = sum(x) / 30
criterion("C2").close(1.0, 2.0)
=== swallowed-exception | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
with contextlib.suppress(Exception):
    assert tinymean.mean(drawn(11)) == 1
=== swallowed-exception | S1
x = drawn(11)
try:
    assert tinymean.mean(x) == 1
finally:
    return
=== swallowed-exception | S1
import contextlib
@contextlib.contextmanager
def calm():
    try:
        yield
    except Exception:
        pass
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== swallowed-exception | S1
class Calm:
    def __exit__(self, *_):
        return True
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== swallowed-exception | S1
def safe(x):
    try:
        return tinymean.mean(x)
    except Exception:
        return sum(x) / len(x)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== skip-without-reason | S1
pytest.skip('later')
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== skip-without-reason | S1
@pytest.mark.xfail
@pytest.mark.scenario("S1")
def test_x(criterion):
    x = drawn(11)
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== skip-without-reason | S1
import pytest
pytest.importorskip('numpy')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== skip-without-reason | S1
import pytest
pytestmark = [pytest.mark.skipif(True, reason='no')]
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== skip-without-reason | S1
from pytest import skip as out
def leave():
    out('x')
---
leave()
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== looser-tolerance | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.testing.assert_allclose(tinymean.mean(x), sum(x) / 30, rtol=1e-3)
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert tinymean.mean(x) == pytest.approx(sum(x) / 30, abs=1e-2)
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert abs(tinymean.mean(x) - sum(x) / 30) < 1e-3
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert 10 ** -3 >= abs(tinymean.mean(x) - sum(x) / 30)
=== looser-tolerance | S1
def near(a, b, tol):
    assert abs(a - b) < tol
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
near(tinymean.mean(x), sum(x) / 30, 0.1)
=== looser-tolerance | S1
import numpy as np
import math
import contextlib
import pytest
import sys
TOL = float('0.5')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert np.max(np.abs(np.array(x) - tinymean.mean(x))) < TOL
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
gap = abs(tinymean.mean(x) - 1)
assert gap < 0.5
=== looser-tolerance | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert math.isclose(tinymean.mean(x), 1, rel_tol=1e-4)
=== looser-tolerance | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.testing.assert_almost_equal(tinymean.mean(x), 1.0, decimal=3)
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert abs(tinymean.mean(x) - 1) < 1e-4 * abs(x[0])
=== looser-tolerance | S1
from numpy.testing import assert_allclose as same
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
same(tinymean.mean(x), 1.0, 1e-2)
=== wider-exception | S4
criterion("C4").raises(lambda: tinymean.mean([]))
with pytest.raises(Exception):
    tinymean.mean([])
=== wider-exception | S4
with pytest.raises((ValueError, TypeError)):
    tinymean.mean([])
=== wider-exception | S4
ANY = BaseException
---
with pytest.raises(ANY):
    tinymean.mean([])
=== exception-without-message | S4
with pytest.raises(ValueError):
    tinymean.mean([])
=== exception-without-message | S4
with pytest.raises(ValueError, match='.*'):
    tinymean.mean([])
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(round(tinymean.mean(x), 2), sum(x) / 30)
=== rounded-before-comparing | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
m = tinymean.mean(x)
m = np.round(m, 3)
criterion("C1").close(m, 0.1)
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert f'{tinymean.mean(x):.3f}' == '0.123'
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert '%.2f' % tinymean.mean(x) == '0.12'
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert '{:.2f}'.format(tinymean.mean(x)) == '0.12'
=== rounded-before-comparing | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(np.array(tinymean.mean(x)).astype(np.float32), 0.1)
=== rounded-before-comparing | S1
def short(v):
    return round(v, 1)
---
x = drawn(11)
criterion("C1").close(short(tinymean.mean(x)), 0.1)
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert int(tinymean.mean(x)) == 0
=== replaced | S1
import numpy as np
import math
import contextlib
import pytest
import sys
np.testing.assert_allclose = lambda *a, **k: None
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
import numpy as np
import math
import contextlib
import pytest
import sys
setattr(np, 'allclose', lambda *a: True)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
import numpy as np
import math
import contextlib
import pytest
import sys
sys.modules['numpy'] = None
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
import numpy as np
import math
import contextlib
import pytest
import sys
vars(math)['isclose'] = None
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
import tinymean
tinymean.mean = lambda x: sum(x) / len(x)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
def assert_allclose(*a, **k):
    pass
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
abs = lambda x: 0
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
from unittest import mock
mock.patch('tinymean.mean', lambda x: 0).start()
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== replaced | S1
@pytest.mark.scenario("S1")
def test_x(criterion, monkeypatch):
    x = drawn(11)
    monkeypatch.setattr(tinymean, "mean", sum)
    criterion("C1").close(tinymean.mean(x), sum(x))
=== criterion-redefined | S1
import pytest
@pytest.fixture
def criterion():
    return print
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== criterion-redefined | S1
import pytest
@pytest.fixture(name='criterion')
def other():
    return print
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== criterion-redefined | S1
criterion = print
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== criterion-redefined | S1
@pytest.mark.scenario("S1")
def test_x(criterion=print):
    assert drawn(11)
=== criterion-misused | S1
c = criterion("C1")
c.tolerance = 5
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== criterion-misused | S1
vars(criterion)
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== pytest-hook | S1
def pytest_runtest_makereport(item, call):
    pass
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== pytest-hook | S1
def pytest_configure(config):
    config.pluginmanager.unregister(name='x')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== pytest-hook | S1
__test__ = False
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== engine-variable | S1
import os
open(os.environ['STATSCLAW_OBSERVATIONS'], 'w')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== environment | S1
import os
for name in os.environ:
    print(name)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== criteria-file | S1
open('../criteria.json')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== ends-the-process | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
os._exit(0)
=== ends-the-process | S1
from sys import exit as leave
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
leave(0)
=== ends-the-process | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
raise SystemExit
=== inner-parts | S1
import _pytest.runner
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== unreadable-code | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
exec('x = 1')
=== reaches-behind | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
sys._getframe(1)
=== vacuous-comparison | S1
x = drawn(11)
m = tinymean.mean(x)
criterion("C1").close(m, m)
=== vacuous-comparison | S1
x = drawn(11)
m = tinymean.mean(x)
n = m
criterion("C1").close(m, n)
=== vacuous-comparison | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), tinymean.mean(x))
=== vacuous-comparison | S1
drawn(11)
criterion("C1").close(1.0, 1.0)
=== vacuous-comparison | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert 1 == 1
=== vacuous-comparison | S6
x = [1.0]
tinymean.interval([1.0, 2.0])
criterion("C6").holds(x == x)
=== always-true | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert True
=== always-true | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert tinymean.mean(x) == 1 or True
=== always-true | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert (tinymean.mean(x) == 1, 'the mean')
=== always-true | S6
tinymean.interval([1.0, 2.0])
criterion("C6").holds(True)
=== always-true | S6
fine = True
tinymean.interval([1.0, 2.0])
criterion("C6").holds(fine)
=== not-the-package | S1
x = drawn(11)
tinymean.mean(x)
criterion("C1").close(sum(x) / 30, sum(x) / len(x))
=== not-the-package | S4
def refuse():
    raise ValueError('no numbers')
---
criterion("C4").raises(refuse)
=== without-the-package | S1
x = drawn(11)
criterion("C1").close(sum(x) / 30, sum(x) / len(x))
=== expected-from-the-package | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), tinymean.interval(x).mean)
=== changed-seed | S1
x = drawn(13)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== changed-seed | S1
x = drawn(13)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert len(x) > 11
=== changed-seed | S1
def generator(seed):
    return np.random.default_rng(seed + SEED)
def made():
    return generator(13).normal(size=30)
DATA = {"once": made()}
---
x = DATA["once"]
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== changed-seed | S1
x = drawn(13)
criterion("C1").close(tinymean.mean(x, level=11), sum(x) / len(x))
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(np.arange(-5, 5)[int(tinymean.mean(x)) + 5], 0.0)
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(np.arange(-5, 5)[tinymean.mean(x) // 1 + 5], 0.0)
=== unseeded-randomness | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
random.random()
=== unseeded-randomness | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
random.Random()
=== unseeded-randomness | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.random.default_rng()
=== unseeded-randomness | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.random.default_rng(None)
=== unseeded-randomness | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.random.normal(size=3)
=== unseeded-randomness | S1
import time
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
random.Random(time.time())
=== unseeded-randomness | S1
import random
SHIFT = random.gauss(0, 1)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== unknown-criterion | S1
x = drawn(11)
criterion("C9").close(tinymean.mean(x), sum(x) / len(x))
=== criterion-without-test | S1
x = drawn(11)
criterion("C9").close(tinymean.mean(x), sum(x) / len(x))
=== unknown-scenario | S1
@pytest.mark.scenario("S9")
def test_x():
    assert tinymean.mean([1]) == 1
=== scenario-without-test | S1
@pytest.mark.scenario("S9")
def test_x():
    assert tinymean.mean([1]) == 1
=== criterion-outside-its-scenario | S1
x = drawn(11)
criterion("C2").close(tinymean.mean(x), sum(x) / len(x))
=== scenario-not-written-out | S1
@pytest.mark.scenario("S" + str(1))
def test_x():
    assert tinymean.mean([1]) == 1
=== wrong-method | S1
criterion("C1").holds(tinymean.mean(drawn(11)) > 0)
=== wrong-method | S4
criterion("C4").holds(tinymean.mean([1.0]) > 0)
=== wrong-method | S1
def ask(c, x):
    c.value(x)
---
ask(criterion("C1"), tinymean.mean(drawn(11)))
=== empty-loop | S1
for x in []:
    assert tinymean.mean(x) == 1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== empty-loop | S1
for n in range(0):
    assert tinymean.mean([n]) == 1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== empty-loop | S1
CASES = []
---
@pytest.mark.parametrize("x", CASES)
@pytest.mark.scenario("S1")
def test_x(criterion, x):
    criterion("C1").close(tinymean.mean(drawn(11)), x)
=== conditional-assertion | S1
x = drawn(11)
m = tinymean.mean(x)
if m > 0:
    criterion("C1").close(m, sum(x) / 30)
=== test-defined-twice | S1
@pytest.mark.scenario("S1")
def test_one_number_is_refused(criterion):
    x = drawn(11)
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== test-not-run | S1
@pytest.mark.scenario("S1")
async def test_x(criterion):
    x = drawn(11)
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== inner-parts | S1
import conftest
conftest.CRITERIA["C1"]["tolerance"]["relative"] = 0.2
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== inner-parts | S1
from tests.validation.conftest import _frozen_criteria
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== inner-parts | S1
from . import conftest as judge
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== inner-parts | S1
import importlib
judge = importlib.import_module("tests.validation.conftest")
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== inner-parts | S1
import sys
judges = [m for m in sys.modules.values() if hasattr(m, "Criterion")]
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== inner-parts | S1
import sys
judge = sys.modules["conf" + "test"]
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== looser-tolerance | S2
x = drawn(12, 5.0)
found = tinymean.interval(x)
seen = [found.mean, found.se, found.low, found.high]
near = [a if abs(a - b) > 0.5 else b for a, b in zip(seen, expected(x), strict=True)]
criterion("C2").close(near, expected(x))
=== looser-tolerance | S2
x = drawn(12, 5.0)
found = tinymean.interval(x)
se = expected(x)[1] if 0.5 >= abs(found.se - expected(x)[1]) else found.se
criterion("C2").close([found.mean, se, found.low, found.high], expected(x))
=== looser-tolerance | S2
import numpy as np
---
x = drawn(12, 5.0)
found = np.array([tinymean.interval(x).se])
criterion("C2").close(np.where(np.abs(found - expected(x)[1]) > 0.5, found, expected(x)[1]), [expected(x)[1]])
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert not abs(tinymean.mean(x) - sum(x) / len(x)) > 0.01
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
if abs(tinymean.mean(x) - sum(x) / len(x)) > 0.01:
    pytest.fail("off")
=== looser-tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert -0.01 < tinymean.mean(x) - sum(x) / len(x) < 0.01
=== rounded-before-comparing | S1
x = drawn(11)
found = tinymean.mean(x)
criterion("C1").close(found - found % 0.5, sum(x) / len(x) - sum(x) / len(x) % 0.5)
=== rounded-before-comparing | S1
import math
---
x = drawn(11)
found = tinymean.mean(x)
rest = math.fmod(found, 0.5)
criterion("C1").close(found - rest, 0.0)
=== rounded-before-comparing | S1
x = drawn(11)
criterion("C1").close(divmod(tinymean.mean(x), 0.5)[0], 0.0)
=== expected-from-the-package | S2
x = drawn(12, 5.0)
found = tinymean.interval(x)
again = tinymean.interval(list(x))
criterion("C2").close([found.mean, found.se], [again.mean, again.se])
=== expected-from-the-package | S2
def reference(x):
    return tinymean.interval(list(x)).se
---
x = drawn(12, 5.0)
criterion("C2").close(tinymean.interval(x).se, 1.0 * reference(x))
""")


@pytest.mark.parametrize(("rule", "scenario", "body", "head"), FOOLING)
def test_an_attempt_to_fool_the_judge_is_found(rule: str, scenario: str, body: str, head: str) -> None:
    found = check_python_suite(suite(body, scenario, head), SPEC)
    assert rule in rules(found), found
    for row in found:
        assert (
            row.check == "suite" and row.route_to == "tester" and row.key and row.where.startswith("tests/validation")
        )


LOOK_ALIKES = cases(r'''
=== early and late parts of what was returned | S2
def parts(v):
    early, late = v[: len(v) // 4], v[v.shape[0] // 2 :]
    return early, late.reshape(1, len(late) // 1)
---
x = drawn(12, 5)
f = tinymean.interval(x)
found = np.array([f.mean, f.se, f.low, f.high])
parts(found)
criterion("C2").close(np.concatenate([parts(found)[0], found[len(found) // 4 :]]), expected(x))
=== drawn when the module is loaded | S1
def generator(seed):
    return np.random.default_rng(seed + SEED)
def made():
    return generator(11).normal(size=30)
DATA = {"once": made()}
---
x = DATA["once"]
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== the package draws with the seed | S1
x = drawn(12)
criterion("C1").close(tinymean.mean(x, rng=11 + SEED), sum(x) / len(x))
=== an assertion two functions away | S1
def outer(criterion, v):
    inner(criterion, v)
def inner(criterion, v):
    criterion('C1').close(v, 1.5)
---
outer(criterion, tinymean.mean(drawn(11)))
=== the id of the criterion is handed over | S1
def check(ask, name, v):
    ask(name).close(v, 1.5)
---
check(criterion, "C1", tinymean.mean(drawn(11)))
=== an error that is noted and asserted | S4
try:
    tinymean.mean([])
    refused = False
except ValueError:
    refused = True
assert refused
criterion("C4").raises(lambda: tinymean.mean([]))
=== an error that is looked at | S4
try:
    tinymean.mean([])
except ValueError as e:
    assert "no numbers" in str(e)
else:
    pytest.fail("no")
criterion("C4").raises(lambda: tinymean.mean([]))
=== a function that returns the error | S4
def error_of(f):
    try:
        f()
    except Exception as error:
        return error
    return None
---
assert isinstance(error_of(lambda: tinymean.mean([])), ValueError)
criterion("C4").raises(lambda: tinymean.mean([]))
=== a narrower tolerance | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.testing.assert_allclose(tinymean.mean(x), sum(x) / 30, rtol=1e-13, atol=0)
=== an absolute tolerance within the relative one | S2
x = drawn(12, 5.0)
found = tinymean.interval(x)
criterion("C2").close(found.se, expected(x)[1])
assert abs(found.se - expected(x)[1]) < 1e-11
=== a bound that is no tolerance | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert tinymean.mean(x) < 10
assert len(x) - 1 < 100
=== the exception and its message | S4
with pytest.raises(ValueError, match="no numbers"):
    tinymean.mean([])
criterion("C4").raises(lambda: tinymean.mean([]))
=== the message looked at afterwards | S4
with pytest.raises(ValueError) as info:
    tinymean.mean([])
assert "no numbers" in str(info.value)
criterion("C4").raises(lambda: tinymean.mean([]))
=== rounded input | S1
x = [round(v, 3) for v in drawn(int(11.0) and 11)]
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== a rounded message | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
m = tinymean.mean(x)
assert m < 5, f'{m:.3f} is large'
=== a rounded expectation | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), round(0.25, 1))
=== other things are replaced | S1
@pytest.mark.scenario("S1")
def test_x(criterion, monkeypatch):
    x = drawn(11)
    monkeypatch.setattr("sys.argv", ["x"])
    monkeypatch.setenv("HOME", "/")
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== a marker is named | S1
def pytest_configure(config):
    config.addinivalue_line('markers', 'scenario(id): which')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== numpy is set up | S1
import numpy as np
import math
import contextlib
import pytest
import sys
os_threads = 1
np.set_printoptions(precision=3)
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== one environment variable | S1
import os
os.environ['OMP_NUM_THREADS'] = '1'
HOME = os.environ.get('HOME')
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== a fixture of its own | S1
@pytest.fixture
def x():
    return drawn(11)
@pytest.mark.scenario("S1")
def test_x(criterion, x):
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== a fixture that holds the output | S1
@pytest.fixture
def found():
    return tinymean.mean(drawn(11))
@pytest.mark.scenario("S1")
def test_x(criterion, found):
    criterion("C1").close(found, 0.25)
=== elements of one zip | S1
x = drawn(11)
for v, e in zip([tinymean.mean(x)], [sum(x) / 30], strict=True):
    criterion("C1").close(v, e)
=== a list that is filled | S1
out = []
for s in (11, 12):
    out.append(tinymean.mean(drawn(s)))
criterion("C1").close(out, [0.1, 0.2])
=== a seed in the environment's default | S1
rng = random.Random(int(os.environ.get("STATSCLAW_SEED", "11")))
criterion("C1").close(tinymean.mean([rng.random()]), 0.5)
=== a seed as a constant | S1
FIRST = 11
---
x = drawn(FIRST)
criterion("C1").close(tinymean.mean(x), sum(x) / 30)
=== a second generator | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
random.Random(5).shuffle(x)
=== a seed for all | S1
import numpy as np
import math
import contextlib
import pytest
import sys
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
np.random.seed(11)
np.random.normal(size=3)
=== several scenarios and criteria in one test | S1
@pytest.mark.scenario("S1", "S2")
def test_x(criterion):
    x = drawn(11)
    y = drawn(12)
    criterion("C1").close(tinymean.mean(x), sum(x) / 30)
    criterion("C2").close(tinymean.interval(y).se, 1.5)
=== criteria by parametrize | S1
@pytest.mark.parametrize(("name", "seed"), [("C1", 11)])
@pytest.mark.scenario("S1")
def test_x(criterion, name, seed):
    x = drawn(seed)
    criterion(name).close(tinymean.mean(x), sum(x) / 30)
=== a class of tests | S1
class TestMean:
    pytestmark = pytest.mark.scenario("S1")

    def test_x(self, criterion):
        x = drawn(11)
        criterion("C1").close(tinymean.mean(x), self.own(x))

    def own(self, x):
        return sum(x) / len(x)
=== both branches assert | S1
x = drawn(11)
m = tinymean.mean(x)
if m > 0:
    criterion("C1").close(m, sum(x) / 30)
else:
    criterion("C1").close(-m, -sum(x) / 30)
=== a condition besides an assertion | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
m = tinymean.mean(x)
if m > 0:
    assert m < 10
=== failing by hand | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
if tinymean.mean(x) > 10:
    pytest.fail('large')
=== a loop over written-out cases | S1
x = drawn(11)
for n in (3, 4):
    criterion("C1").close(tinymean.mean(x[:n]), sum(x[:n]) / n)
=== the suite's own folder of support | S1
from contextlib import suppress
def clean(path):
    with suppress(OSError):
        path.unlink()
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== a list that is filled at the top | S1
CASES = []
CASES += [3, 4]
---
x = drawn(11)
for n in CASES:
    criterion("C1").close(tinymean.mean(x[:n]), sum(x[:n]) / n)
=== the same words before and after something happened | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
first = tinymean.mean(x)
x.reverse()
second = tinymean.mean(x)
assert first == second
=== two results that must differ | S1
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
assert abs(tinymean.mean(x) - tinymean.mean(x[:20])) > 0.001
assert any(abs(tinymean.mean(x) - v) > 0.1 for v in x)
assert 0.9 < abs(tinymean.mean([v + 1 for v in x]) - tinymean.mean(x)) < 1.1
=== an iteration of the suite's own | S1
def root(c):
    old, new = 0.0, 1.0
    while abs(new - old) > 1e-8:
        old, new = new, (new + c / new) / 2
    return new
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x) * root(4.0), 2 * sum(x) / len(x))
=== an angle by full turns | S1
import math
---
x = drawn(11)
turn = 2 * math.pi
criterion("C1").close(tinymean.mean(x) % turn, (sum(x) / len(x)) % turn)
assert (tinymean.mean(x) % turn) - (tinymean.mean(x) % turn) == 0
=== a remainder of what is drawn | S1
x = [v - v % 0.5 for v in drawn(11)]
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== what is imported | S1
import sys
def loaded():
    return set(sys.modules), sys.modules["math"], sys.modules[__name__]
---
x = drawn(11)
assert "pandas" not in loaded()[0]
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
=== documentation speaks of the engine | S1
"""The engine sets STATSCLAW_SEED and reads criteria.json."""
---
x = drawn(11)
criterion("C1").close(tinymean.mean(x), sum(x) / len(x))
''')


@pytest.mark.parametrize(("name", "scenario", "body", "head"), LOOK_ALIKES)
def test_an_honest_look_alike_is_left_alone(name: str, scenario: str, body: str, head: str) -> None:
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


def severities(body: str, scenario: str = "S2") -> list[tuple[str, str]]:
    return [(row.severity, row.key.partition(":")[0]) for row in check_python_suite(suite(body, scenario), SPEC)]


def test_the_package_against_itself_is_an_error_and_a_relation_of_two_answers_a_warning() -> None:
    rule = "expected-from-the-package"
    same = "x = drawn(12, 5.0)\ncriterion('C2').close(tinymean.interval(x).se, tinymean.interval(x[:]).se)"
    assert severities(same) == [("error", rule)]
    relation = "x = drawn(12, 5.0)\nr = tinymean.interval(x)\ncriterion('C2').close(r.se, (r.high - r.low) / 3.92)"
    assert severities(relation) == [("warning", rule)]
    default = "x = drawn(12, 5.0)\ncriterion('C2').close(tinymean.interval(x).se, tinymean.interval(x, level=0.95).se)"
    assert severities(default) == [("warning", rule)]


def test_a_helper_that_returns_both_sides_is_no_comparison_of_the_package_with_itself() -> None:
    head = "def both(x):\n    return tinymean.interval(x).se, expected(x)[1]\n"
    body = "x = drawn(12, 5.0)\nfound, wanted = both(x)\ncriterion('C2').close(found, wanted)"
    assert [row for row in check_python_suite(suite(body, "S2", head), SPEC) if row.severity == "error"] == []


@pytest.mark.parametrize("name", ["statistics.py", "numpy.py", "random/__init__.py", "math.pyc"])
def test_a_module_that_hides_one_of_a_library_is_found(name: str) -> None:
    found = check_python_suite({FILE: TEXT, f"tests/validation/{name}": ""}, SPEC, package="tinymean")
    assert rules(found) == {"hides-a-library"} and name.split(".")[0].split("/")[0] in found[0].message


@pytest.mark.parametrize("names", [["helpers.py"], ["support/__init__.py", "support/statistics.py"], ["random.csv"]])
def test_a_module_of_its_own_name_or_in_a_package_hides_nothing(names: list[str]) -> None:
    files = {FILE: TEXT} | {f"tests/validation/{name}": "" for name in names}
    assert check_python_suite(files, SPEC, package="tinymean") == []


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


def test_a_suite_too_large_to_be_read_is_refused_rather_than_read_for_hours() -> None:
    many = "".join(f"def test_{number}():\n    assert {number} == f()\n" for number in range(3500))
    assert "unreadable" in rules(check_python_suite({FILE: many}, SPEC))

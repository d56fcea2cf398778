"""The criteria of this validation suite, frozen before anybody wrote the package or the tests.

Put here by StatsClaw; a change is overwritten. A test marks its scenarios with `@pytest.mark.scenario("S1")` and
answers a criterion with one of

    criterion("C1").close(observed, expected)    numbers, arrays or nested lists, against the frozen tolerance
    criterion("C1").value(number)                against the frozen bounds
    criterion("C1").raises(lambda: call())       exactly the frozen class, with the frozen words in its message
    criterion("C1").warns(lambda: call())        likewise
    criterion("C1").holds(condition)

The comparison is made here and made again from what is recorded.
"""

import json
import math
import os
import warnings
from pathlib import Path

import pytest


def _frozen_criteria():
    """Read anew from this text each time: what a test changes in one copy is not asked again."""
    return json.loads("""{}""")


def pytest_configure(config):
    config.addinivalue_line("markers", "scenario(*ids): scenarios of the specification that this test carries")


def pytest_collection_modifyitems(items):
    for item in items:
        for name in _scenarios(item):
            item.user_properties.append(("scenario", name))


def _scenarios(item):
    return [str(name) for mark in item.iter_markers("scenario") for name in mark.args]


def _reported(nodeid):
    """A test as the JUnit report names it: classname::name."""
    address, bracket, parameters = nodeid.partition("[")
    first, *rest = address.split("::")
    names = [first.replace("/", ".").removesuffix(".py"), *rest]
    return ".".join(names[:-1]) + "::" + names[-1] + bracket + parameters


@pytest.fixture
def criterion(request):
    """`criterion("C1")`: the frozen criterion of that id, to be answered."""

    def of(name):
        known = _frozen_criteria()
        if name not in known:
            raise KeyError(f"there is no criterion {name!r} in the specification")
        return Criterion(name, known[name], _reported(request.node.nodeid), _scenarios(request.node))

    return of


class Criterion:
    def __init__(self, name, frozen, test, scenarios):
        self.name, self.frozen, self.test, self.scenarios = name, frozen, test, scenarios

    def close(self, observed, expected):
        """Every element within the frozen tolerance."""
        shapes, pairs = _paired(observed, expected)
        if shapes or not pairs:
            self._record("close", size=0, held=False, said=shapes or "nothing to compare")
            raise AssertionError(f"{self.name}: {shapes or 'nothing to compare'}")
        tolerance = self.frozen.get("tolerance") or {}
        worst = max(pairs, key=lambda pair: (_excess(tolerance, *pair), math.isfinite(pair[0])))
        for pair in _told(pairs, worst):
            self._record("close", size=len(pairs), **_numbers(*pair))
        assert _excess(tolerance, *worst) <= 0, f"{self.name}: {worst[0]!r} != {worst[1]!r} within the frozen tolerance"

    def value(self, number):
        """Within the frozen bounds."""
        number = float(number)
        low, high = self.frozen.get("low"), self.frozen.get("high")
        self._record("value", **_numbers(number, None))
        assert math.isfinite(number), f"{self.name}: {number!r}"
        assert low is None or number >= low, f"{self.name}: {number!r} < {low!r}"
        assert high is None or number <= high, f"{self.name}: {number!r} > {high!r}"

    def raises(self, call):
        """The frozen exception, of exactly that class."""
        try:
            call()
        except Exception as error:
            self._record("raises", error_class=type(error).__name__, said=str(error)[:1000])
            self._matches(type(error).__name__, str(error))
            return
        self._record("raises", said="nothing was raised")
        raise AssertionError(f"{self.name}: nothing was raised")

    def warns(self, call):
        """The frozen warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        wanted = [row for row in caught if row.category.__name__ == self.frozen.get("error")] or caught
        if not wanted:
            self._record("warns", said="there was no warning")
            raise AssertionError(f"{self.name}: there was no warning")
        fitting = [row for row in wanted if self.frozen.get("message", "") in str(row.message)]
        chosen = (fitting or wanted)[0]
        self._record("warns", error_class=chosen.category.__name__, said=str(chosen.message)[:1000])
        self._matches(chosen.category.__name__, str(chosen.message))

    def holds(self, condition):
        """The statement is true."""
        held = bool(condition)
        self._record("holds", held=held)
        assert held, f"{self.name}: it does not hold"

    def _matches(self, found, message):
        wanted, fragment = self.frozen.get("error"), self.frozen.get("message", "")
        assert found == wanted, f"{self.name}: {found}, not {wanted}"
        assert fragment in message, f"{self.name}: the message does not say {fragment!r}"

    def _record(self, rule, **found):
        place = os.environ.get("STATSCLAW_EVIDENCE")
        if place:
            row = {"criterion": self.name, "test": self.test, "scenarios": self.scenarios, "rule": rule} | found
            with Path(place).open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def _plain(value):
    """Arrays as nested lists, everything else as it is."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if hasattr(value, "to_numpy"):
        value = value.to_numpy().tolist()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _paired(observed, expected):
    """(what is wrong with the shapes, pairs of numbers)."""
    one, other = _plain(observed), _plain(expected)
    if isinstance(one, list) != isinstance(other, list):
        return "a number was compared with several", []
    if not isinstance(one, list):
        return "", [(float(one), float(other))]
    if len(one) != len(other):
        return f"{len(one)} values were compared with {len(other)}", []
    pairs = []
    for left, right in zip(one, other, strict=True):
        wrong, found = _paired(left, right)
        if wrong:
            return wrong, []
        pairs += found
    return "", pairs


def _told(pairs, worst):
    """The pairs to be recorded: farthest off by any measure, and the largest; beyond the tolerance by most last.

    Three of them are chosen without the tolerance, so that nothing hides behind one that is not the frozen one.
    """
    off = max(pairs, key=lambda pair: _excess({}, *pair))
    relatively = max(pairs, key=lambda pair: _relative(*pair))
    largest = max(pairs, key=lambda pair: abs(pair[1]) if math.isfinite(pair[1]) else -1.0)
    chosen = {repr(pair): pair for pair in (largest, off, relatively)}
    chosen.pop(repr(worst), None)
    return [*chosen.values(), worst]


def _relative(observed, expected):
    off = _excess({}, observed, expected)
    return off / (abs(expected) or 1.0) if math.isfinite(off) else off


def _excess(tolerance, observed, expected):
    """By how much a pair is beyond the tolerance; negative where it is within."""
    if observed == expected or (math.isnan(observed) and math.isnan(expected)):
        return -math.inf
    if not (math.isfinite(observed) and math.isfinite(expected)):
        return math.inf
    gap = abs(observed - expected)
    if tolerance.get("lre") is not None:
        scale = abs(expected) or 1.0
        return tolerance["lre"] - min(15.0, -math.log10(gap / scale))
    return gap - tolerance.get("absolute", 0.0) - tolerance.get("relative", 0.0) * abs(expected)


def _numbers(observed, expected):
    """Numbers as JSON can hold them; one that is not finite is said in words."""
    if not math.isfinite(observed) or (expected is not None and not math.isfinite(expected)):
        same = expected is not None and _excess({}, observed, expected) < 0
        return {"held": same, "said": f"{observed!r}" + ("" if expected is None else f" against {expected!r}")}
    return {"observed": observed, "expected": expected}

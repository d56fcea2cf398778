"""How far a compared value was off, read from what test frameworks print. What is not clear is not told.

The text comes from the test suite. All that leaves here is one of three directions and one of sixteen decades, and no
pattern looks back: nothing in a message can keep the engine busy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from statsclaw.runlog.events.command_executed import Deviation, Direction

SMALLEST, LARGEST = -12, 3
DECADES = LARGEST - SMALLEST + 1

_LONGEST = 20_000
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(rf"{_NUMBER}|[-+]?(?:nan|NaN|NA|inf|Inf)\b")
_WRAPPED = re.compile(rf"\b(?:np\.|numpy\.)?(?:(?:float|int|uint)\d*|longdouble|array)\(\s*({_NUMBER})\s*\)")
_STATED = re.compile(rf"\bM(?:ax|ean) relative difference(?: among violations)?: *({_NUMBER})")
_MISMATCHES = re.compile(r"(?:Mismatched elements: (\d+) / \d+|(\d+)/\d+ mismatches)")

Pair = tuple[float, float]
Sides = Literal["named", "by the statement", "unknown"]


@dataclass(frozen=True, slots=True)
class Compared:
    """Pairs (value, expected). `complete`: all that missed. `sides`: who says which is which, if anybody."""

    pairs: tuple[Pair, ...]
    complete: bool = True
    sides: Sides = "named"


def deviation(said: str, statement: str = "") -> Deviation | None:
    """From the message of a failure, and the statement that failed where it is shown; None if nothing is clear."""
    said = _WRAPPED.sub(r"\1", said[:_LONGEST])
    if re.search("strictly ordered|less-ordered", said):  # numpy: a bound or a tolerance, on either side
        return None
    found = next((compared for read in _FORMS if (compared := read(said, statement))), None)
    stated = [float(number) for number in _STATED.findall(said)]
    if found is None:
        return _told("", _decade(max(stated))) if stated else None
    if not all(math.isfinite(value) for pair in found.pairs for value in pair):
        return None
    missed = [pair for pair in found.pairs if pair[0] != pair[1]]
    order = _order(_passed(said, statement), found.sides)
    if order == "swapped":
        missed = [(value, expected) for expected, value in missed]
    direction = _direction(missed) if order and found.complete else ""
    if stated:
        return _told(direction, _decade(max(stated)))
    return _told(direction, _largest(missed, order != "") if found.complete else None)


def of_numbers(observed: float, expected: float) -> Deviation | None:
    """How a number missed another, where both are known."""
    return _told(_direction([(observed, expected)]), decade(abs(observed - expected), expected))


def decade(difference: float, reference: float) -> int | None:
    """The order of magnitude of a difference relative to `reference`; None where that says nothing."""
    return _decade(abs(difference / reference)) if reference and math.isfinite(difference) else None


def _told(direction: Direction, size: int | None) -> Deviation | None:
    return Deviation(direction=direction, decade=size) if direction or size is not None else None


def _decade(relative: float) -> int | None:
    if not math.isfinite(relative) or relative <= 0:
        return None
    return min(max(math.floor(math.log10(relative) + 1e-9), SMALLEST), LARGEST)  # 0.9 - 0.81 is a tenth of 0.9


def _direction(missed: Iterable[Pair]) -> Direction:
    signs = {value > expected for value, expected in missed}
    if len(signs) != 1:
        return ""
    return "too large" if signs.pop() else "too small"


def _largest(missed: list[Pair], clear: bool) -> int | None:
    """The decade of the largest relative difference. Sides not clear: only if it is the same seen from both."""
    if not missed or any(expected == 0 for _, expected in missed):
        return None
    size = _decade(max(abs((value - expected) / expected) for value, expected in missed))
    if clear:
        return size
    swapped = [(expected, value) for value, expected in missed]
    return size if size == _largest(swapped, clear=True) else None


# --- which side is the package's ------------------------------------------------------------------------------------

_CALL = re.compile(r"\b(?:assert_\w{1,40}|assertAlmostEqual|assertEqual|isclose)\(([^\n]{1,1000})\)")
_LABELS = re.compile(
    r"^(?:Expected )?([^\n]{1,300}?)(?: \(`actual`\))? (?:not (?:equal|equivalent|identical) to|to (?:be )?(?:equal|"
    r"identical)(?: to)?) ([^\n]{1,300}?)(?: \(`expected`\))?\.(?:\s|$)"
)
_COMPARISON = re.compile(r"\s(?:==|!=|<=|>=|<|>)\s")
_WORDS_OF_NUMBERS = re.compile(r"\b(?:np|numpy|pytest|array|approx|float64|c|matrix|e|L)\b|(?<=\d)[eEL](?=[-+\d]|\b)")
_REFERENCE = re.compile(r"\b(?:expect|want|desired|ref|truth|true|target|exact|oracle|known|correct)", re.IGNORECASE)


def _order(passed: tuple[str, str] | None, sides: Sides) -> Literal["as given", "swapped", ""]:
    """A plain number is not the package's value, nor is `expected`, wherever it was passed. Empty: it is not clear."""
    first, second = passed or ("", "")
    if sides == "unknown":
        return ""
    if _plain(first) != _plain(second):
        return "swapped" if _plain(first) else "as given"
    return "as given" if sides == "named" and not _REFERENCE.search(first) else ""


def _plain(expression: str) -> bool:
    rest = _WORDS_OF_NUMBERS.sub("", expression)
    return any(map(str.isdigit, rest)) and not any(map(str.isalpha, rest))


def _passed(said: str, statement: str) -> tuple[str, str] | None:
    """The two expressions that were compared, the one under pytest.approx last."""
    if labels := _LABELS.match(said):
        return labels[1], labels[2]
    if call := _CALL.search(statement):
        first, *rest = _arguments(call[1])
        return (first, rest[0]) if rest else None
    text = re.sub(r", *f?[\"'][^\n]{0,500}$", "", statement.partition("assert ")[2].strip())
    sides = [side.strip() for side in _COMPARISON.split(text)]
    if len(sides) != 2:
        return None
    return (sides[1], sides[0]) if "approx(" in sides[0] else (sides[0], sides[1])


def _arguments(text: str) -> list[str]:
    """The arguments of a call, split at commas outside of brackets."""
    depth, parts = 0, [""]
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


# --- forms in which the sides are named ----------------------------------------------------------------------------


def _pytest_pair(said: str, _: str) -> Compared | None:
    """Obtained: 0.81, Expected: 0.9 ± 9.0e-07"""
    found = re.search(r"^[ \t]*Obtained: ([^\n]{1,200})\n[ \t]*Expected: ([^\n]{1,200})", said, re.MULTILINE)
    return _one(found[1], found[2]) if found else None


def _pytest_table(said: str, _: str) -> Compared | None:
    """Index | Obtained | Expected, and a row for each element that missed."""
    head = re.search(r"^[ \t]*Index +\| Obtained +\| Expected", said, re.MULTILINE)
    if not head:
        return None
    rows = [line.split("|") for line in said[head.end() :].split("\n")[1:] if line.count("|") == 2]
    pairs = [one.pairs[0] for row in rows if (one := _one(row[1], row[2]))]
    return Compared(tuple(pairs), len(pairs) == len(rows) == _mismatches(said))


def _numpy_list(said: str, _: str) -> Compared | None:
    """[1]: 0.81 (ACTUAL), 0.9 (DESIRED); numpy lists five at most."""
    rows = re.findall(r"^ *\[[\d, ]{1,40}\]: (\S{1,40}) \((?:ACTUAL|x)\), (\S{1,40}) \((?:DESIRED|y)\)", said, re.M)
    pairs = [one.pairs[0] for row in rows if (one := _one(*row))]
    return Compared(tuple(pairs)) if pairs and len(pairs) == _mismatches(said) else None


def _numpy_arrays(said: str, _: str) -> Compared | None:
    """ACTUAL: array(...), DESIRED: array(...); x: and y: before numpy 2. Elements within the tolerance do not count."""
    label = re.compile(r"^ *(ACTUAL|DESIRED|x|y): ?", re.MULTILINE)
    places = list(label.finditer(said))
    if [place[1] for place in places] not in (["ACTUAL", "DESIRED"], ["x", "y"]):
        return None
    values = _numbers(said[places[0].end() : places[1].start()])
    expected = _numbers(said[places[1].end() :])
    if values is None or expected is None or len(values) != len(expected):
        return Compared((), complete=False)
    tolerance = re.search(rf"rtol=({_NUMBER}), atol=({_NUMBER})", said)
    rtol, atol = (float(tolerance[1]), float(tolerance[2])) if tolerance else (0.0, 0.0)
    both = zip(values, expected, strict=True)
    return Compared(tuple((v, e) for v, e in both if not abs(v - e) <= atol + rtol * abs(e)))


def _testthat_pair(said: str, _: str) -> Compared | None:
    """`actual`: 0.9 1.8 and `expected`: 1.0 2.0, also `actual$se`; shortened with "and 20 more..."."""
    places = list(re.finditer(r"`(actual|expected)([^`\n]{0,100})`:", said))
    if not places or [place[1] for place in places] != ["actual", "expected"] * (len(places) // 2):
        return None
    ends = [place.start() for place in places[1:]] + [len(said)]
    parts = [_numbers(said[place.end() : end]) for place, end in zip(places, ends, strict=True)]
    pairs: list[Pair] = []
    for values, expected in zip(parts[::2], parts[1::2], strict=True):
        if values is None or expected is None or len(values) != len(expected):
            return Compared((), complete=False)
        pairs += zip(values, expected, strict=True)
    return Compared(tuple(pairs))


def _testthat_columns(said: str, _: str) -> Compared | None:
    """actual | expected, and rows [1] 138427.806 - 138427.945 [1]."""
    head = re.search(r"\bactual +\| expected\b", said)
    if not head:
        return None
    rest = said[head.end() :]
    rows = re.findall(rf"\[\d+\] +({_NUMBER}) +- +({_NUMBER}) +\[\d+\]", rest)
    others = len(re.findall(r"(?:^|\s)[-+] ", rest))  # rows that are added or missing
    pairs = tuple((float(value), float(expected)) for value, expected in rows)
    return Compared(pairs, complete=len(pairs) == others and "..." not in rest)


def _testthat_matrix(said: str, _: str) -> Compared | None:
    """- actual[1, ] 0.9 2.7 and + expected[1, ] 1.0 3.0"""
    if "actual vs expected" not in said:
        return None
    parts = re.split(r"([-+]) (?:actual|expected)\[[^\]\n]{0,40}\]", said.partition("actual vs expected")[2])
    rows = [_numbers(part.strip()) for part in parts[2::2]]
    pairs: list[Pair] = []
    for values, expected in zip(rows[::2], rows[1::2], strict=False):
        if values is None or expected is None or len(values) != len(expected):
            return Compared((), complete=False)
        pairs += zip(values, expected, strict=True)
    return Compared(tuple(pairs), complete=parts[1::2] == ["-", "+"] * (len(rows) // 2))


def _testthat_old(said: str, _: str) -> Compared | None:
    """1/1 mismatches, [1] 0.81 - 0.9 == -0.09; nine rows at most."""
    rows = re.findall(rf"\[\d+\] +({_NUMBER}) - +({_NUMBER}) == ", said)
    pairs = tuple((float(value), float(expected)) for value, expected in rows)
    return Compared(pairs, complete=len(pairs) == _mismatches(said)) if pairs else None


# --- forms in which the sides are not named -------------------------------------------------------------------------


def _distance(said: str, _: str) -> Compared | None:
    """abs(a - b) < tolerance, with a and b shown: how far apart, not which is which."""
    found = re.search(rf"= abs\(\(({_NUMBER}) - ({_NUMBER})\)\)", said)
    return _one(found[1], found[2], "unknown") if found else None


def _is_close(said: str, _: str) -> Compared | None:
    found = re.search(rf"= <[^\n>]{{1,60}}\bisclose\b[^\n>]{{0,40}}>\(({_NUMBER}), ({_NUMBER})[,)]", said)
    return _one(found[1], found[2], "by the statement") if found else None


def _unittest(said: str, _: str) -> Compared | None:
    found = re.search(rf"^AssertionError: ({_NUMBER}) != ({_NUMBER})(?: within |$)", said)
    return _one(found[1], found[2], "by the statement") if found else None


def _assertion(said: str, statement: str) -> Compared | None:
    """assert 0.81 == 0.9 ± 9.0e-07: pytest.approx is the expected side. Of bounds, some are tolerances."""
    found = re.search(r"^(?:AssertionError: )?assert (\S[^\n]{0,200}?) (==|<=|>=|<|>) ([^\n]{1,200})$", said, re.M)
    if not found:
        return None
    left, sign, right = found[1], found[2], found[3]
    if ("±" in left) != ("±" in right):
        return _one(right, left) if "±" in left else _one(left, right)
    if sign != "==" and statement and not _of_a_field(_passed(said, statement)):
        return None
    return _one(left, right, "by the statement")


def _of_a_field(passed: tuple[str, str] | None) -> bool:
    """A bound on a field or an element of a result, rather than on an error somebody computed."""
    values = [side for side in passed or () if not _plain(side)]
    return (
        len(values) == 1 and re.fullmatch(r"[A-Za-z_][^-+*/@%]{0,200}(?:\.\w+|\[[^\]]{1,40}\])", values[0]) is not None
    )


# --- numbers -------------------------------------------------------------------------------------------------------


def _one(value: str, expected: str, sides: Sides = "named") -> Compared | None:
    """One pair, if both are numbers; ± and what follows is a tolerance."""
    texts = [text.split("±")[0].replace("approx(", "").strip("() \t") for text in (value, expected)]
    if not all(_VALUE.fullmatch(text) for text in texts):
        return None
    return Compared(((_float(texts[0]), _float(texts[1])),), sides=sides)


def _numbers(text: str) -> list[float] | None:
    """The numbers of a printed vector or array; None if it is shortened or holds anything else."""
    text = re.sub(r", *(?:dtype|shape)=[^\n]{1,60}", "", text)
    rest = _VALUE.sub("", text.replace("array(", ""))
    return None if rest.strip("[](), \t\n") else [_float(number) for number in _VALUE.findall(text)]


def _float(text: str) -> float:
    return math.nan if text.strip("+-") == "NA" else float(text)


def _mismatches(said: str) -> int:
    found = _MISMATCHES.search(said)
    return int((found[1] or found[2])[:12]) if found else -1


_FORMS: tuple[Callable[[str, str], Compared | None], ...] = (
    _pytest_pair,
    _pytest_table,
    _numpy_list,
    _numpy_arrays,
    _testthat_pair,
    _testthat_columns,
    _testthat_matrix,
    _testthat_old,
    _distance,
    _is_close,
    _unittest,
    _assertion,
)

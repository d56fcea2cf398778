"""Rule: constants of a hidden document in an output, weighed by what a coincidence would cost.

A number is its significant digits and its power of ten, in whatever notation. Its information is its digits, less one
digit because people do not draw numbers at random, less the number of such numbers in the output; numbers that
anybody may write (round, dates, powers, simple fractions, well-known constants) have none.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple, cast

from statsclaw.leaks.views import common

# Numbers in lower-case text. Each pattern begins with what it looks for, so that a search passes quickly over the rest.
_TAIL = rb"(?:e[+-]?+[0-9]++)?+(?:[fluj](?![0-9a-z_])| ?%)?+(?![0-9a-z_]|\.[0-9])"
_NUMBER = re.compile(rb"[0-9](?<![0-9a-z_.][0-9])[0-9]*+(?:_[0-9]++)*+(?:\.[0-9]*+)?+" + _TAIL)
_FRACTION = re.compile(rb"\.(?<![0-9a-z_.)\]]\.)[0-9]++" + _TAIL)
_GROUPED = re.compile(rb"[0-9](?<![0-9a-z_.,][0-9])[0-9]{0,2}+(?:,[0-9]{3})++(?:\.[0-9]++)?+(?![0-9a-z_,])")
_LONGEST = 60
_BITS_PER_DIGIT = math.log2(10)
_FEWEST_DIGITS, _FEWEST_ROUNDED = 3, 4
#: No single constant may be worth more: some are computed from common data, or well known and not in the list.
_MOST_BITS = 24.0
#: Formulas that are this short are everybody's.
_FORMULA_BITS = 10.0
_YEARS = range(1900, 2101)


class Number(NamedTuple):
    """0.`digits` times 10 to the power of `exponent`; no zeros at either end."""

    digits: str
    exponent: int


class Form(NamedTuple):
    """One way in which constant number `constant` of hidden document `of` may be written: all its digits or fewer."""

    of: str
    constant: int
    bits: float


def literals(fold: bytes) -> set[bytes]:
    """The numbers of a folded piece as they stand there, in lower case."""
    text = fold.lower()
    found = set(_NUMBER.findall(text))
    found.update(_FRACTION.findall(text))
    if b"," in text:
        found.update(literal.replace(b",", b"") for literal in _GROUPED.findall(text))
    return found


def _mantissas(found: Iterable[bytes]) -> list[bytes]:
    """The significant digits of each literal."""
    return [literal.partition(b"e")[0].translate(None, b"._ %fluj").strip(b"0") for literal in found]


def read(literal: bytes) -> Number | None:
    if len(literal) > _LONGEST:
        return None
    text = literal.decode("ascii").rstrip("fluj% ").replace("_", "")
    number, _, power = text.partition("e")
    whole, _, rest = number.partition(".")
    digits = (whole + rest).lstrip("0")
    if not digits or len(power) > 6:
        return None
    exponent = len(whole) - (len(whole + rest) - len(digits)) + (int(power) if power else 0)
    exponent -= 2 if literal.endswith(b"%") else 0
    return Number(digits.rstrip("0"), exponent)


def numbers_in(literal: bytes) -> Iterator[Number]:
    """What a literal may mean: 92.7 % is 0.927 and 92.7."""
    for meant in (literal, literal.rstrip(b"% ")) if literal.endswith(b"%") else (literal,):
        if number := read(meant):
            yield number


class Constants:
    """The constants of the hidden documents that carry information and are in nothing given."""

    def __init__(self, hidden: Mapping[str, Iterable[bytes]], given: Iterable[Iterable[bytes]]) -> None:
        """Both as folded pieces."""
        self.literal: dict[tuple[str, int], str] = {}
        self.forms: dict[Number, list[Form]] = {}
        for name, parts in hidden.items():
            seen: dict[Number, str] = {}
            for piece in parts:
                for literal in sorted(literals(piece)):
                    for number in numbers_in(literal):
                        seen.setdefault(number, literal.decode("ascii"))
            for index, (number, text) in enumerate(seen.items()):
                self._add(name, index, number, text)
        self._heads = {number.digits[:4].encode() for number in self.forms}
        known: set[Number] = set()
        for parts in given:
            for piece in parts:
                found = list(literals(piece))
                known.update(number for number, _ in self._hits(found, _mantissas(found)))
        told = {(f.of, f.constant) for number in known if len(number.digits) >= 5 for f in self.forms[number]}
        self.forms = {
            number: kept
            for number, forms in self.forms.items()
            if number not in known and (kept := [f for f in forms if (f.of, f.constant) not in told])
        }
        self._heads = {number.digits[:4].encode() for number in self.forms}
        self.constants = Counter(name for name, _ in {(f.of, f.constant) for fs in self.forms.values() for f in fs})

    def _add(self, name: str, index: int, number: Number, text: str) -> None:
        whole = information(number)
        if whole <= 0:
            return
        self.literal[name, index] = text
        for form in {number, *_shorter(number)}:
            bits = min(whole, information(form))
            if bits > 0:
                self.forms.setdefault(form, []).append(Form(name, index, bits))

    def _hits(self, found: Collection[bytes], digits: Iterable[bytes]) -> Iterator[tuple[Number, bytes]]:
        heads = self._heads
        for literal in [literal for literal, start in zip(found, digits, strict=True) if start[:4] in heads]:
            for number in numbers_in(literal):
                if number in self.forms:
                    yield number, literal

    def tally(self, fold: bytes) -> Tally:
        """What a folded piece of an output holds."""
        found = list(literals(fold)) if self.forms else []
        digits = _mantissas(found)
        tally = Tally()
        tally.digits.update(map(len, digits))
        for number, literal in self._hits(found, digits):
            tally.hits.setdefault(number, literal.decode("ascii"))
        return tally

    def count(self, tally: Tally, of: str) -> int:
        """How many constants of one hidden document there are in it."""
        return len({form.constant for number in tally.hits for form in self.forms[number] if form.of == of})

    def weigh(self, tally: Tally) -> Iterator[tuple[str, float, list[str]]]:
        """(hidden document, bits, the literals in the output) for each document with any bits at all."""
        matched = Counter(len(number.digits) for number in tally.hits)
        best: dict[tuple[str, int], tuple[float, str]] = {}
        for number, literal in tally.hits.items():
            others = tally.digits[len(number.digits)] - matched[len(number.digits)]
            for form in self.forms[number]:
                bits = min(_MOST_BITS, form.bits - math.log2(1 + max(0, others)))
                key = (form.of, form.constant)
                if bits > best.get(key, (0.0, ""))[0]:
                    best[key] = (bits, literal)
        for name in sorted({of for of, _ in best}):
            found = sorted((value for (of, _), value in best.items() if of == name), reverse=True)
            total, bits, count = 0.0, 0.0, 0
            for number_of, (worth, _) in enumerate(found, start=1):
                total += worth
                less = _choice_bits(self.constants[name], number_of)
                if total - less > bits:
                    bits, count = total - less, number_of
            if count:
                yield name, bits, [literal for _, literal in found[:count]]


def _choice_bits(of: int, chosen: int) -> float:
    """The bits it takes to say which `chosen` things of `of` are meant."""
    rest = max(0, of - chosen)
    return (math.lgamma(chosen + rest + 1) - math.lgamma(chosen + 1) - math.lgamma(rest + 1)) / math.log(2)


@dataclass
class Tally:
    """Numbers of an output: those of hidden documents as they stand there, and how many there are of each length."""

    hits: dict[Number, str] = field(default_factory=dict)
    digits: Counter[int] = field(default_factory=Counter)

    def __iadd__(self, other: Tally) -> Tally:
        self.digits.update(other.digits)
        for number, literal in other.hits.items():
            self.hits.setdefault(number, literal)
        return self


def _shorter(number: Number) -> Iterator[Number]:
    """The number cut off and rounded to fewer digits."""
    for length in range(_FEWEST_ROUNDED, len(number.digits)):
        cut = Number(number.digits[:length].rstrip("0"), number.exponent)
        yield from (form for form in (cut, _rounded(number, length)) if len(form.digits) >= _FEWEST_ROUNDED)


def _rounded(number: Number, length: int) -> Number:
    digits = number.digits
    if len(digits) <= length:
        return number
    up = str(int(digits[:length]) + (digits[length] >= "5"))
    return Number(up.rstrip("0"), number.exponent + (len(up) > length))


def anybodys(value: float) -> bool:
    """Whether a number has no information: anybody might write it."""
    number = read(repr(abs(value)).encode())
    return number is None or information(number) <= 0


@lru_cache(maxsize=20_000)
def information(number: Number) -> float:
    """The bits that a number carries in itself; none if anybody might write it."""
    digits, exponent = number
    count = len(digits)
    if (
        count < _FEWEST_DIGITS
        or (count == exponent == 3)
        or _is_date(number)
        or _is_pattern(digits)
        or _is_known(digits)
    ):
        return 0.0
    formula = _formula_bits(number)
    if formula < 0.6 * count * _BITS_PER_DIGIT:
        return max(0.0, formula - _FORMULA_BITS)
    return max(0.0, _digit_bits(digits) - _BITS_PER_DIGIT)


def _digit_bits(digits: str) -> float:
    """A run of one digit counts as one and a half, a final 5 as a half, a palindrome as its first half."""
    if len(digits) >= 5 and digits == digits[::-1]:
        digits = digits[: (len(digits) + 1) // 2]
    squeezed = sum(min(len(run), 1.5) if len(run) > 2 else len(run) for run in _runs(digits))
    return (squeezed - (0.5 if digits[-1] == "5" else 0.0)) * _BITS_PER_DIGIT


def _runs(digits: str) -> Iterator[str]:
    start = 0
    for end in range(1, len(digits) + 1):
        if end == len(digits) or digits[end] != digits[start]:
            yield digits[start:end]
            start = end


def _is_date(number: Number) -> bool:
    """A year, a year with a month, a date in one of the usual orders; as an integer."""
    digits, exponent = number
    if not 4 <= exponent <= 8 or len(digits) > exponent:
        return False
    text = digits.ljust(exponent, "0")
    if len(text) == 4:
        return int(text) in _YEARS
    if len(text) == 6:
        return any(_is_day(text[a:b], text[c:d]) for a, b, c, d in ((2, 4, 4, 6), (0, 2, 2, 4), (2, 4, 0, 2))) or (
            int(text[:4]) in _YEARS and 1 <= int(text[4:]) <= 12
        )
    if len(text) == 8:
        return (int(text[:4]) in _YEARS and _is_day(text[4:6], text[6:])) or (
            int(text[4:]) in _YEARS and (_is_day(text[:2], text[2:4]) or _is_day(text[2:4], text[:2]))
        )
    return False


def _is_day(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _is_pattern(digits: str) -> bool:
    """12345, 987, 4444, 1212, 123123."""
    steps = {int(b) - int(a) for a, b in itertools.pairwise(digits)}
    if len(steps) == 1 and abs(steps.pop()) <= 2:
        return True
    return len(digits) >= 4 and any(
        digits == (digits[:size] * len(digits))[: len(digits)] for size in range(1, min(3, len(digits) // 2) + 1)
    )


def _is_known(digits: str) -> bool:
    known, enough = _known()
    return digits in known or (len(digits) > enough and digits[:enough] in known)


@cache
def _known() -> tuple[frozenset[str], int]:
    """Digits of the known constants, cut off and rounded to any length, and how many of them suffice."""
    lists = cast("dict[str, list[str]]", common()["constants"])
    values = {(value, name in ("known", "normal")) for name, rows in lists.items() for value in rows}
    values |= {(str(2**power + near), False) for power in range(8, 129) for near in (-1, 0, 1)}
    values |= {(str(math.factorial(number)), False) for number in range(6, 31)}
    known: set[str] = set()
    for value, well in values:
        number = read(value.encode())
        if number:
            known.add(number.digits)
            for length in range(_FEWEST_DIGITS if well else _FEWEST_ROUNDED, len(number.digits)):
                known.update((number.digits[:length].rstrip("0"), _rounded(number, length).digits))
    return frozenset(known), 10


def _formula_bits(number: Number) -> float:
    """The bits of the shortest formula that gives the number: a fraction, its root, logarithm and so on, a power."""
    digits, exponent = number
    count = len(digits)
    if abs(exponent) > 12 or count > 17:
        return math.inf
    value = int(digits) * 10.0 ** (exponent - count)
    if count <= exponent:
        return _power_bits(int(digits) * 10 ** (exponent - count))
    error = 0.5000001 * 10.0 ** (exponent - count) + value * 1e-15
    best = _fraction_bits(value, error)
    for made, slope in (
        (value * value, 2 * value),
        (value / math.pi, 1 / math.pi),
        (value * value / math.pi, 2 * value / math.pi),
        (math.log(value), 1 / value),
        (math.exp(value) if value < 30 else math.inf, math.exp(value) if value < 30 else 0.0),
    ):
        if math.isfinite(made):
            best = min(best, 3 + _fraction_bits(abs(made), error * slope))
    return best


def _fraction_bits(value: float, error: float) -> float:
    """Of the simplest fraction within `error`, by continued fractions: about two numbers of the size of its parts."""
    p0, q0, p1, q1 = 0, 1, 1, 0
    rest = value
    for _ in range(20):
        whole = math.floor(rest)
        p0, q0, p1, q1 = p1, q1, whole * p1 + p0, whole * q1 + q0
        if abs(p1 / q1 - value) <= error:
            return math.log2(max(p1, 1)) + math.log2(q1) + 2
        if rest - whole < 1e-12 or q1 > 10**8:
            break
        rest = 1 / (rest - whole)
    return math.inf


def _power_bits(value: int) -> float:
    """Powers, powers less or plus one, and factorials are short to say."""
    best = math.inf
    for near, more in ((value, 2.0), (value - 1, 4.0), (value + 1, 4.0)):
        for power in range(2, 64):
            base = round(near ** (1 / power)) if near > 0 else 0
            if base < 2:
                break
            if base**power == near:
                best = min(best, math.log2(base) + math.log2(power) + more)
    factorial, step = 1, 1
    while factorial < value:
        step += 1
        factorial *= step
    return min(best, 6.0) if factorial == value else best

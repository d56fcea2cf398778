"""Numbers in prose, in the notations of statisticians: 0.05, 5 %, 1e-6, 10⁻⁶, 2 × 10^{-3}, 5×, 200 ms, 1,000."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMANDS = {
    "leqslant": "≤",
    "geqslant": "≥",
    "leq": "≤",
    "geq": "≥",
    "le": "≤",
    "ge": "≥",
    "lt": "<",
    "gt": ">",
    "pm": "±",
    "times": "×",
    "cdot": "×",
}
_COMMAND = re.compile(rf"\\({'|'.join(_COMMANDS)})(?![A-Za-z])")
_SIGNS = (("\\%", "%"), ("\\,", " "), ("<=", "≤"), (">=", "≥"), ("+/-", "±"), ("+-", "±"), ("plus or minus", "±"))
_PLAIN = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "‑": "-", "$": " ", "{": None, "}": None, "\u00a0": " ", "\u202f": " ", "·": "×"}
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED_RUN = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]{1,6}")
_WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "fifteen": 15,
    "twenty": 20,
}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)}) (significant |decimal )?(?:digit|place|decimal)\b")
_UNITS = (
    r"(?:percent|per cent|%|times\b|-?fold\b|seconds?\b|minutes?\b"
    r"|(?:significant |decimal )?(?:digits?|places|decimals)\b)"
)
_WORD_NUMBER = re.compile(rf"\b({'|'.join(_WORDS)})(?=fold\b|\b[ -]?{_UNITS})")
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>(?<![\w.%)\]])-)?"
    r"(?:(?:(?P<factor>\d{1,12}(?:\.\d{1,12})?)\s{0,2}[×x*]\s{0,2})?10\s?\^\s?\(?(?P<power>[-+]?\d{1,3})\)?"
    r"|(?P<plain>(?:\d{1,3}(?:,\d{3})++(?!\d)|\d{1,30}+)(?:\.\d{1,30}+)?|\.\d{1,30}+)(?P<e>e[-+]?\d{1,3}+)?)"
    r"(?:(?P<percent>\s?(?:%|percent\b|per cent\b|percentage points?\b))|(?P<times>\s?(?:×|x\b|times\b|-?fold\b))"
    r"|(?P<unit>\s?(?:ms|milliseconds?|s|secs?|seconds?|min|minutes?)\b))?(?![A-Za-z_\d])"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A number of a text, percentages as fractions, times in seconds; `literal` as it stands in the plain text."""

    value: float
    literal: str
    start: int
    end: int
    whole: bool
    percent: bool = False
    times: bool = False
    seconds: bool = False


def plain(text: str) -> str:
    """The text in lower case with one notation for signs, powers and comparisons."""
    made = _COMMAND.sub(lambda command: _COMMANDS[command[1]], text)
    for written, sign in _SIGNS:
        made = made.replace(written, sign)
    made = _RAISED_RUN.sub(lambda run: "^" + run[0].translate(_RAISED), made)
    made = made.translate(_PLAIN).lower()
    made = re.sub(r"(?<=\d)_(?=\d)", "", made)
    made = _ORDINAL.sub(lambda found: f"{_ORDINALS.index(found[1]) + 1} {found[2] or 'decimal '}places", made)
    return _WORD_NUMBER.sub(lambda word: str(_WORDS[word[1]]), made.replace("twice", "2 times"))


def numbers_in(text: str) -> Iterator[Found]:
    """Of a text that `plain` has made plain."""
    for match in _NUMBER.finditer(text):
        try:
            yield _found(match)
        except (ValueError, OverflowError):
            continue


def _found(match: re.Match[str]) -> Found:
    power = match["power"]
    if power is not None:
        value = float(match["factor"] or 1) * 10.0 ** int(power)
    else:
        value = float(match["plain"].replace(",", "") + (match["e"] or ""))
    whole = power is None and match["e"] is None and "." not in match["plain"]
    value = -value if match["sign"] else value
    unit = (match["unit"] or "").strip()
    if match["percent"]:
        value /= 100.0
    elif unit:
        value *= 1e-3 if unit.startswith("mil") or unit == "ms" else 60.0 if unit.startswith("min") else 1.0
    return Found(
        value=value,
        literal=match[0].strip(),
        start=match.start(),
        end=match.end(),
        whole=whole and not match["percent"],
        percent=bool(match["percent"]),
        times=bool(match["times"]),
        seconds=bool(unit),
    )


def digits_of(value: float) -> int:
    """How many significant digits a value has when written shortest."""
    mantissa = f"{abs(value):.15g}".partition("e")[0].replace(".", "").strip("0")
    return len(mantissa)


def key_of(value: float) -> str:
    """The same for the same number in whatever notation. Whole numbers keep all their digits."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else f"{value:.12g}"

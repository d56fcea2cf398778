"""Find a schedule in a text: "every 6 hours", "twice a day", "30分ごとに", "*/15 * * * *"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from statsclaw.intake.lexicon import Unit, load
from statsclaw.intake.normalise import Text, fold

SECONDS: dict[Unit, int] = {
    "second": 1,
    "minute": 60,
    "half_hour": 1800,
    "hour": 3600,
    "two_hours": 7200,
    "half_day": 43200,
    "day": 86400,
    "two_days": 172800,
    "week": 604800,
    "two_weeks": 1209600,
    "month": 2592000,
}
_FEWEST, _MOST = 1, 366 * 86400
_ENOUGH = 8  # schedules looked at
_CRON = re.compile(
    r"(?<![^\s`'\"(])(@(?:hourly|daily|midnight|weekly|monthly)|(?:[\d*][\d,*/-]*\s+){4}[\d*][\d,*/a-z-]*)(?![^\s`'\".,)])"
)
_CRON_WORDS = {"@hourly": 3600, "@daily": 86400, "@midnight": 86400, "@weekly": 604800, "@monthly": 2592000}


class Interval(NamedTuple):
    seconds: int
    start: int
    end: int


class Grammar(NamedTuple):
    patterns: tuple[re.Pattern[str], ...]
    numbers: dict[str, float]
    units: list[tuple[re.Pattern[str], int]]
    not_after: re.Pattern[str]


def _options(entries: Iterable[str], spaced: bool, number: str = "") -> str:
    """A regular expression for any of the entries; longer entries are tried first."""
    made = []
    for entry in sorted(map(fold, entries), key=len, reverse=True):
        one = re.escape(entry).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+").replace(r"\-", r"[\s-]?")
        made.append(one.replace(r"\#", number))
    body = "|".join(made) or r"(?!)"
    return rf"\b(?:{body})(?!\w)" if spaced else f"(?:{body})"


@lru_cache(maxsize=64)
def _grammar(language: str) -> Grammar:
    index = load(language)
    schedule, spaced = index.lexicon.schedule, index.lexicon.matching == "word"
    gap, loose = (r"[\s-]+", r"[\s-]*") if spaced else (r"\s*", r"\s*")
    numbers = {fold(k): v for k, v in schedule.numbers.items()}
    times = {fold(k): v for k, v in schedule.times.items()}
    number = rf"(?:\d+(?:[.,]\d+)?|{_options(numbers, spaced)})"
    every = _options(schedule.every, spaced, number)
    filler = rf"(?:{_options(schedule.filler, spaced)}{gap})?" if schedule.filler else ""
    # after digits a unit needs no word boundary: "30min"
    plain = [e for entries in schedule.units.values() for e in entries]
    unit = rf"(?P<unit>{_options(plain, spaced)})".replace(r"\b", r"(?<![^\W\d])" if spaced else "")
    many = (
        rf"(?:(?P<times>{_options(times, spaced)})|(?P<count>{number}){loose}{_options(schedule.times_word, spaced)})"
    )
    amount = rf"(?:(?P<number>{number}){loose}{filler})?"
    fixed = "|".join(f"(?P<{u}>{_options(e, spaced)})" for u, e in schedule.fixed.items()) or r"(?!)"
    stop = rf"(?!\s+{_options(schedule.not_before, spaced)})" if schedule.not_before else ""
    made = [
        rf"{many}{gap}{_options(schedule.per, spaced)}{gap}{filler}{amount}{unit}",
        rf"{every}{gap}{filler}{amount}{unit}{stop}",
        rf"{amount}{unit}{loose}{_options(schedule.after, spaced)}",
        rf"(?:{fixed}){stop}",
    ]
    if not schedule.times_word and not times:
        made.pop(0)
    units = [(re.compile(_options(e, spaced).replace(r"\b", "", 1)), SECONDS[u]) for u, e in schedule.units.items()]
    before = re.compile(_options(schedule.not_after, spaced) + r"\s*$")
    return Grammar(tuple(re.compile(m) for m in made), {**numbers, **times}, units, before)


def _value(word: str | None, numbers: dict[str, float]) -> float:
    if not word:
        return 1.0
    word = re.sub(r"[\s-]+", " ", word)
    if word in numbers:
        return numbers[word]
    try:
        return float(word.replace(",", "."))
    except ValueError:
        return 0.0  # no interval at all


def _seconds(found: re.Match[str], grammar: Grammar) -> float:
    groups = found.groupdict()
    if "unit" not in groups:
        return next((seconds for u, seconds in SECONDS.items() if groups.get(u)), 0)
    unit = next((s for pattern, s in grammar.units if pattern.fullmatch(groups["unit"])), 0)
    times = _value(groups.get("times") or groups.get("count"), grammar.numbers)
    return unit * _value(groups.get("number"), grammar.numbers) / (times or 1.0)


def _cron_seconds(expression: str) -> int | None:
    """The usual distance between two starts of a cron line."""
    if expression in _CRON_WORDS:
        return _CRON_WORDS[expression]
    minute, hour, day, month, weekday = expression.split()
    if not re.search(r"[*,/-]", expression) or month not in ("*", "*/1"):
        return None
    for field, unit in ((minute, 60), (hour, 3600), (day, 86400)):
        if field.startswith("*/") and field[2:].isdigit():
            return unit * max(1, int(field[2:]))
        if field == "*":
            several = weekday == "*" or not weekday.isalnum()  # "1-5" is nearly every day
            return unit if unit < 86400 or several else 604800
        if "," in field and unit == 3600:
            return round(86400 / len(field.split(",")))
    return 2592000


def find_intervals(text: Text, languages: tuple[str, ...]) -> list[Interval]:
    """Every schedule in the text, the first first and the longest of those."""
    found = {i for i in _all(text, languages) if _FEWEST <= i.seconds <= _MOST}
    return sorted(found, key=lambda i: (i.start, -(i.end - i.start)))


def _all(text: Text, languages: tuple[str, ...]) -> Iterator[Interval]:
    for found in _CRON.finditer(text.folded):
        seconds = _cron_seconds(found.group(1))
        if seconds is not None:
            yield Interval(seconds, found.start(1), found.end(1))
    for language in languages:
        grammar = _grammar(language)
        folded = text.folded.translate(load(language).table)
        for pattern in grammar.patterns:
            for found in islice(pattern.finditer(folded), _ENOUGH):
                value = _seconds(found, grammar)
                data = grammar.not_after.search(folded, max(0, found.start() - 20), found.start())
                if value <= _MOST and not data:
                    yield Interval(round(value), found.start(), found.end())

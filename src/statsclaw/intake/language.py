"""Guess the language of a text from its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from itertools import chain
from typing import NamedTuple

from statsclaw.intake.lexicon import Strict, available, by_word, data
from statsclaw.intake.normalise import Text, fold, words_of

_SCRIPT_WEIGHT = 4  # one Chinese character says as much as four Latin letters

_LETTER_WEIGHT = 0.8
_LONGER = re.compile(r"[^\W\d_]{5,}\*?")
_COMMENT = re.compile(r"(?m)#\s.*$")
_CLOSE, _FOUND_WEIGHT = 0.5, 0.4
_UNKNOWN_WEIGHT = 0.8  # of languages without a lexicon


class Languages(Strict):
    scripts: dict[str, tuple[tuple[int, int], ...]]
    relatives: dict[str, dict[str, str]]
    letters: dict[str, str]
    words: dict[str, tuple[str, ...]]


class Known(NamedTuple):
    table: Languages
    words: dict[str, list[str]]  # the languages of a word
    stems: dict[str, list[str]]
    letters: dict[str, list[str]]


def _lexicon_words(language: str) -> set[str]:
    """The longer words of a lexicon, with those that only begin a word (`*`)."""
    text = resources.files(__package__).joinpath(f"lexicon/{language}.toml").read_text(encoding="utf-8")
    return set(_LONGER.findall(fold(_COMMENT.sub("", text))))


@lru_cache(maxsize=1)
def _languages() -> Known:
    known = Known(Languages.model_validate(data("languages.toml")), {}, {}, {})
    common = {language: set(map(fold, words)) for language, words in known.table.words.items()}
    longer = {language: _lexicon_words(language) for language in common.keys() & set(available())}
    times = Counter(chain.from_iterable((*longer.values(), *common.values())))
    longer["en"] = set()  # English words stand in texts of every language
    for language, words in common.items():
        for word in words | {word for word in longer.get(language, ()) if times[word] == 1}:
            home = known.stems if word.endswith("*") else known.words
            home.setdefault(word.rstrip("*"), []).append(language)
    for language, letters in known.table.letters.items():
        for letter in letters:
            known.letters.setdefault(letter, []).append(language)
    return known


@lru_cache(maxsize=4096)
def _script(char: str) -> str | None:
    if not char.isalpha():
        return None
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        return "latin"
    for language, ranges in _languages().table.scripts.items():
        if any(first <= ord(char) <= last for first, last in ranges):
            return language
    return None


def _free(text: Text) -> str:
    """The text without code and without what stands between quotation marks."""
    free = list(text.folded)
    spans = [(w.start, w.end) for w in text.words if w.code] + list(text.quotes)
    for start, end in spans:
        free[start:end] = " " * (end - start)
    return "".join(free)


def _by_script(free: str, shown: str) -> str | None:
    counts: dict[str, int] = {}
    for char in free:
        script = _script(char)
        if script:
            counts[script] = counts.get(script, 0) + 1
    latin = counts.pop("latin", 0)
    if not counts:
        return None
    if "ja" in counts and counts["ja"] * 12 >= counts.get("zh", 0):
        counts["ja"] += counts.pop("zh", 0)
    best = max(counts, key=lambda script: counts[script])
    if counts[best] * _SCRIPT_WEIGHT < latin:
        return None
    for relative, letters in _languages().table.relatives.get(best, {}).items():
        if any(letter in shown for letter in letters):
            return relative
    return best


def _count(scores: dict[str, float], languages: Iterable[str], weight: float) -> None:
    """The more languages share a word or letter, the less it says."""
    shared = list(languages)
    for language in shared:
        scores[language] = scores.get(language, 0.0) + weight / len(shared) ** 0.7


def _order(item: tuple[str, float]) -> tuple[float, bool, str]:
    return -item[1], item[0] != "en", item[0]


def guess(text: Text) -> list[tuple[str, float]]:
    """Likely languages with their scores, best first; empty if nothing speaks for any."""
    free = _free(text)
    script = _by_script(free, text.shown)
    if script:
        return [(script, 1.0)]
    known = _languages()
    scores: dict[str, float] = {}
    for word, _, _ in words_of(free):
        stems = (known.stems.get(word[:length]) for length in range(5, min(len(word), 16) + 1))
        languages = known.words.get(word) or next(filter(None, stems), None)
        if languages:
            _count(scores, languages, 1.0)
    for letter in set(text.shown.lower()) & known.letters.keys():
        _count(scores, known.letters[letter], _LETTER_WEIGHT)
    for language in scores.keys() - set(available()):
        scores[language] *= _UNKNOWN_WEIGHT
    ranked = sorted(scores.items(), key=_order)
    return _settled(text, ranked)


def _settled(text: Text, ranked: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Where two languages are close, the one whose vocabulary finds more is put first."""
    close = [(name, score) for name, score in ranked[:3] if score >= _CLOSE * ranked[0][1] and name in available()]
    if len(close) < 2:
        return ranked
    found = {name: len({(h.start, h.end) for h in by_word(text, name)}) for name, _ in close}
    weighed = [(name, score + _FOUND_WEIGHT * found.get(name, 0)) for name, score in ranked]
    return sorted(weighed, key=_order)

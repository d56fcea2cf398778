"""Guess the language of a text from its script and its commonest words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from statsclaw.intake.lexicon import Strict, available, by_word, data
from statsclaw.intake.normalise import Text, fold

_SCRIPT_WEIGHT = 3  # one Chinese character says as much as three Latin letters

_LETTER_WEIGHT = 0.8
_CLOSE, _FOUND_WEIGHT = 0.5, 0.4


class Languages(Strict):
    scripts: dict[str, tuple[tuple[int, int], ...]]
    relatives: dict[str, dict[str, str]]
    letters: dict[str, str]
    words: dict[str, tuple[str, ...]]


class Known(NamedTuple):
    table: Languages
    words: dict[str, list[str]]  # the languages of a word
    letters: dict[str, list[str]]


@lru_cache(maxsize=1)
def _languages() -> Known:
    known = Known(Languages.model_validate(data("languages.toml")), {}, {})
    for language, words in known.table.words.items():
        for word in set(map(fold, words)):
            known.words.setdefault(word, []).append(language)
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


def _by_script(text: Text) -> str | None:
    counts: dict[str, int] = {}
    for word_start, word_end in _plain_spans(text):
        for char in text.folded[word_start:word_end]:
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
        if any(letter in text.shown for letter in letters):
            return relative
    return best


def _plain_spans(text: Text) -> list[tuple[int, int]]:
    """The stretches of the text between words that are code."""
    spans, at = [], 0
    for word in text.words:
        if word.code:
            spans.append((at, word.start))
            at = word.end
    spans.append((at, len(text.folded)))
    return spans


def _count(scores: dict[str, float], languages: Iterable[str], weight: float) -> None:
    """The more languages share a word or letter, the less it says."""
    shared = list(languages)
    for language in shared:
        scores[language] = scores.get(language, 0.0) + weight / len(shared) ** 0.7


def guess(text: Text) -> list[tuple[str, float]]:
    """Likely languages with their scores, best first; empty if nothing speaks for any."""
    script = _by_script(text)
    if script:
        return [(script, 1.0)]
    known = _languages()
    scores: dict[str, float] = {}
    for word in text.words:
        if not word.code and word.text in known.words:
            _count(scores, known.words[word.text], 1.0)
    for letter in set(text.shown.lower()) & known.letters.keys():
        _count(scores, known.letters[letter], _LETTER_WEIGHT)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return _settled(text, ranked)


def _settled(text: Text, ranked: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Where two languages are close, the one whose vocabulary finds more is put first."""
    close = [(name, score) for name, score in ranked[:3] if score >= _CLOSE * ranked[0][1] and name in available()]
    if len(close) < 2:
        return ranked
    found = {name: len({(h.start, h.end) for h in by_word(text, name)}) for name, _ in close}
    weighed = [(name, score + _FOUND_WEIGHT * found.get(name, 0)) for name, score in ranked]
    return sorted(weighed, key=lambda item: (-item[1], item[0]))

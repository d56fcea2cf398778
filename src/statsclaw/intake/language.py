"""Guess the language of a text from its script and its commonest words."""

from __future__ import annotations

from functools import lru_cache

from statsclaw.intake.lexicon import Strict, data
from statsclaw.intake.normalise import Text, fold

_SCRIPT_WEIGHT = 3  # one Chinese character says as much as three Latin letters


class Languages(Strict):
    scripts: dict[str, tuple[tuple[int, int], ...]]
    relatives: dict[str, dict[str, str]]
    letters: dict[str, str]
    words: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def _languages() -> tuple[Languages, dict[str, tuple[str, ...]]]:
    found = Languages.model_validate(data("languages.toml"))
    index: dict[str, list[str]] = {}
    for language, words in found.words.items():
        for word in set(map(fold, words)):
            index.setdefault(word, []).append(language)
    return found, {word: tuple(languages) for word, languages in index.items()}


@lru_cache(maxsize=4096)
def _script(char: str) -> str | None:
    if not char.isalpha():
        return None
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        return "latin"
    for language, ranges in _languages()[0].scripts.items():
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
    for relative, letters in _languages()[0].relatives.get(best, {}).items():
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


def guess(text: Text) -> list[tuple[str, float]]:
    """Likely languages with their scores, best first; empty if nothing speaks for any."""
    script = _by_script(text)
    if script:
        return [(script, 1.0)]
    languages, index = _languages()
    scores: dict[str, float] = {}
    for word in text.words:
        found = index.get(word.text, ()) if not word.code else ()
        for language in found:
            scores[language] = scores.get(language, 0.0) + 1.0 / len(found) ** 0.7
    lowered = text.shown.lower()
    for language, letters in languages.letters.items():
        count = sum(lowered.count(letter) for letter in letters)
        if count:
            scores[language] = scores.get(language, 0.0) + min(3.0, 0.8 * count)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

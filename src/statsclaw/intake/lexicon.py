"""The vocabulary of every language, read from TOML, and the matcher that finds it in a text.

How an entry of a `[cues]` list is read (upper case and accents do not matter):

    fix          the whole word
    simulat*     any word that begins so
    open issues  words in a row (a hyphen or an apostrophe separates words)
    run .. tests at most five other words in between, in the same sentence
    write a ..2 package  at most two other words in between
    run|rerun .. tests   either word
    line #       a number

With `matching = "substring"` (scripts without spaces, and Korean) an entry is found anywhere, white space is ignored
(`不要|别 改|动` stands for four entries), and `..` stands for at most ten characters. A hit inside a longer hit does
not count, so a longer entry corrects a shorter one: `ignore = ["standard error*"]` keeps "standard error" from being
an error. Nothing may begin inside an `ignore` hit either.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from itertools import product
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from statsclaw.intake.normalise import Text, fold, words_of

Cue = Literal[
    "build", "newthing", "method", "translate", "source",  # something new and substantial
    "change", "feature", "fix", "bug", "small", "typo", "message",  # work on existing code
    "docs", "issue", "issues_all", "validate", "verify", "run", "tests", "review", "pr",
    "simulate", "performance", "compare", "existing", "repeat",
    "ship", "readonly", "only", "vague", "tool",
    "negation", "negation_after", "contrast", "or", "number", "numbered", "ignore",  # how the others are to be read
]  # fmt: skip
#: Cues that only count in the language a text is mainly written in ("no" is Portuguese for "in the").
GRAMMAR = frozenset(("negation", "negation_after", "contrast", "or", "only", "vague", "existing"))

Unit = Literal[
    "second", "minute", "half_hour", "hour", "two_hours", "half_day", "day", "two_days",
    "week", "two_weeks", "month",
]  # fmt: skip

GAP, NUMBER = "..", "#"
_GAP_WORDS, _GAP_CHARS = 5, 10
_LONGEST = 32  # of a stem


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Schedule(Strict):
    """Words of "every 3 hours", "30分ごと", "twice a day" and "daily"."""

    every: tuple[str, ...] = ()  # before the unit; `#` stands for a number
    after: tuple[str, ...] = ()  # after the unit
    filler: tuple[str, ...] = ()  # may stand between `every` and the unit
    per: tuple[str, ...] = ()  # between "twice" and the unit
    times: dict[str, float] = Field(default_factory=dict)  # once, twice
    times_word: tuple[str, ...] = ()  # times, fois, mal
    numbers: dict[str, float] = Field(default_factory=dict)
    units: dict[Unit, tuple[str, ...]] = Field(default_factory=dict)
    fixed: dict[Unit, tuple[str, ...]] = Field(default_factory=dict)  # hourly, daily
    not_before: tuple[str, ...] = ()  # "daily returns" is no schedule
    not_after: tuple[str, ...] = ()  # nor is "observed every day"


class Grammar(Strict):
    """Where an order stands in a sentence, and which verbs order what (see clauses.py)."""

    make: tuple[str, ...] = ()  # verbs in their base form: to make or change something
    look: tuple[str, ...] = ()  # to read, look at or check
    say: tuple[str, ...] = ()  # to report
    run: tuple[str, ...] = ()  # to run something that is there
    ship: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()  # neither: use as a background, keep, ignore
    lead_in: tuple[str, ...] = ()  # may stand before the verb: please, then, could you
    join: tuple[str, ...] = ()  # ties two clauses together
    under: tuple[str, ...] = ()  # begins a clause that orders nothing: whether, before, which
    refuse: tuple[str, ...] = ()  # forbids what follows
    unchanged: tuple[str, ...] = ()  # "the results must not change": no order
    denies: tuple[str, ...] = ()  # before a word of `must`: "no need to"
    wish: tuple[str, ...] = ()  # "I need a ..."
    must: tuple[str, ...] = ()  # "it should ...": a change is asked for
    writes: tuple[str, ...] = ()  # verbs of making whose product may be a report
    weak: tuple[str, ...] = ()  # verbs of making that may also only say how to do something
    sure: tuple[str, ...] = ()  # "make sure that": to be changed if it is not so
    nothing: tuple[str, ...] = ()  # "change nothing"
    adverbs: tuple[str, ...] = ()  # passed over
    pronouns: tuple[str, ...] = ()  # "fix it": the object was named before
    into: tuple[str, ...] = ()  # something is put into what exists
    report: tuple[str, ...] = ()  # such a product
    learn: tuple[str, ...] = ()  # "I want to know"
    record: tuple[str, ...] = ()  # verbs of saying that may be about docs: "explain it in the manual"
    noun_too: tuple[str, ...] = ()  # verbs only before a determiner: "code the ...", but "code quality"
    conditions: tuple[str, ...] = ()  # "where it deviates, ...": an order may follow without a comma
    schedule_not_after: tuple[str, ...] = ()  # "support for daily ..." is no schedule
    modal: tuple[str, ...] = ()  # a question that begins with one of these may be a wish
    everything: tuple[str, ...] = ()  # "don't touch the code": all is forbidden, not a part
    after_noun: tuple[str, ...] = ()  # the word before one of these is a noun, not a verb
    determiners: tuple[str, ...] = ()  # an unknown word before one of these is a verb
    prepositions: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()  # words that are no verbs of orders
    passive: tuple[str, ...] = ()  # before a schedule: something happens then, nobody is asked to do it


class Lexicon(Strict):
    matching: Literal["word", "substring"] = "word"
    verb_last: bool = False  # the main verb stands at the end of a sentence
    prefixes: tuple[str, ...] = ()  # written together with the word that follows
    variants: dict[str, str] = Field(default_factory=dict)  # letter read as another letter
    cues: dict[Cue, tuple[str, ...]]
    schedule: Schedule = Schedule()
    grammar: Grammar = Grammar()


class Hit(NamedTuple):
    cue: str
    start: int
    end: int
    gap: bool = False


Entry = tuple[str, tuple[str, ...]]  # cue, parts


class Index(NamedTuple):
    lexicon: Lexicon
    exact: dict[str, list[Entry]]  # by first word (or first character)
    stems: dict[str, list[Entry]]
    table: dict[int, str]


def data(name: str) -> dict[str, object]:
    """One of the TOML files beside this module."""
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def available() -> tuple[str, ...]:
    folder = resources.files(__package__).joinpath("lexicon")
    return tuple(sorted(f.name[:-5] for f in folder.iterdir() if f.name.endswith(".toml")))


def _split(entry: str, spaced: bool) -> Iterator[tuple[str, ...]]:
    """The sequences an entry stands for: of words (stems marked with `*`), or of what stands between gaps."""
    choices: list[list[tuple[str, ...]]] = []
    for part in fold(entry).split():
        if part == NUMBER or part.startswith(GAP):
            choices.append([(part,)])
            continue
        options = []
        for option in part.split("|"):
            parts = [w for w, _, _ in words_of(option.rstrip("*"))] if spaced else [option]
            if not parts:
                raise ValueError(f"no word in {option!r} of the lexicon entry {entry!r}")
            options.append((*parts[:-1], parts[-1] + "*" if option.endswith("*") else parts[-1]))
        choices.append(options)
    for combination in product(*choices):
        words = tuple(word for option in combination for word in option)
        yield words if spaced else tuple("".join(words).split(GAP))


@lru_cache(maxsize=64)
def load(language: str) -> Index:
    """The checked and indexed lexicon of a language; an unknown key in its file is refused."""
    lexicon = Lexicon.model_validate(data(f"lexicon/{language}.toml"))
    spaced = lexicon.matching == "word"
    table = {ord(a): b for a, b in lexicon.variants.items()}
    exact: dict[str, list[Entry]] = {}
    stems: dict[str, list[Entry]] = {}
    for cue, entries in lexicon.cues.items():
        for entry in entries:
            for parts in _split(entry.translate(table), spaced):
                first = parts[0]
                if spaced and (first == NUMBER or first.startswith(GAP)):
                    raise ValueError(f"the lexicon entry {entry!r} does not begin with a word")
                stem = spaced and first.endswith("*")
                home, key = (stems, first[:-1]) if stem else (exact, first if spaced else first[0])
                home.setdefault(key, []).append((cue, parts))
    return Index(lexicon, exact, stems, table)


def crosses(places: tuple[int, ...], start: int, end: int) -> bool:
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


def _forms(word: str, prefixes: tuple[str, ...]) -> Iterator[str]:
    yield word
    for prefix in prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            yield word[len(prefix) :]


def _same(pattern: str, word: str, prefixes: tuple[str, ...]) -> bool:
    if pattern == NUMBER:
        return word[0].isdigit()
    if not prefixes:
        return word.startswith(pattern[:-1]) if pattern[-1] == "*" else word == pattern
    return any(_same(pattern, form, ()) for form in _forms(word, prefixes))


def _follow(text: Text, index: Index, parts: tuple[str, ...], at: int, code: bool) -> int:
    """The index of the last word if `parts` continue after word `at`, else -1."""
    words, gap = text.words, 0
    for part in parts:
        if part.startswith(GAP):
            gap = int(part[len(GAP) :] or _GAP_WORDS)
            continue
        reach = range(at + 1, min(len(words), at + 2 + gap))
        for here in reach:
            if (code or not words[here].code) and _same(part, words[here].text, index.lexicon.prefixes):
                break
        else:
            return -1
        between = text.folded[words[at].end : words[here].start]
        if crosses(text.stops, words[at].end, words[here].start) or (not gap and any(map(str.isalnum, between))):
            return -1
        at, gap = here, 0
    return at


def _by_word(text: Text, index: Index, code: bool) -> Iterator[Hit]:
    if index.table:
        text = text._replace(words=tuple(w._replace(text=w.text.translate(index.table)) for w in text.words))
    for at, word in enumerate(text.words):
        if word.code and not code:
            continue
        entries: list[Entry] = []
        for form in _forms(word.text, index.lexicon.prefixes):
            entries += index.exact.get(form, ())
            for length in range(2, min(len(form), _LONGEST) + 1):
                entries += index.stems.get(form[:length], ())
        for cue, parts in entries:
            if word.link and cue != "source":
                continue
            last = _follow(text, index, parts[1:], at, code)
            if last >= 0:
                yield Hit(cue, word.start, text.words[last].end, any(part.startswith(GAP) for part in parts))


def by_word(text: Text, language: str) -> list[Hit]:
    """What the lexicon of one language with spaces finds."""
    index = load(language)
    return list(_by_word(text, index, code=False)) if index.lexicon.matching == "word" else []


def _part_at(text: Text, compact: str, part: str, at: int) -> bool:
    if not compact.startswith(part, at):
        return False
    start, end = text.places[at], text.places[at + len(part) - 1] + 1
    folded = text.folded
    if (
        part[0].isascii()
        and part[0].isalnum()
        and start
        and folded[start - 1].isascii()
        and folded[start - 1].isalnum()
    ):
        return False
    after = folded[end : end + 1]
    return not (part[-1].isascii() and part[-1].isalnum() and after.isascii() and after.isalnum())


def _by_substring(text: Text, index: Index) -> Iterator[Hit]:
    compact = text.compact.translate(index.table)
    for at, char in enumerate(compact):
        for cue, parts in index.exact.get(char, ()):
            if not _part_at(text, compact, parts[0], at):
                continue
            end, found = at + len(parts[0]), True
            for part in parts[1:]:
                spots = (s for s in range(end, end + _GAP_CHARS + 1) if _part_at(text, compact, part, s))
                spot = next(spots, -1)
                found = spot >= 0 and not crosses(text.stops, text.places[end - 1], text.places[spot])
                if not found:
                    break
                end = spot + len(part)
            if found:
                yield Hit(cue, text.places[at], text.places[end - 1] + 1, len(parts) > 1)


def _uncovered(hits: set[Hit]) -> list[Hit]:
    """The hits that are not inside a longer one; `ignore` hits only take others away."""
    kept: list[Hit] = []
    reach, span, ignored, barred = -1, (-1, -1), False, -1
    for hit in sorted(hits, key=lambda h: (h.start, -h.end, h.cue != "ignore", h.gap, h.cue)):
        inside = hit.end <= reach and ((hit.start, hit.end) != span or ignored)
        if not inside and not (hit.start < barred and hit.cue != "ignore"):
            kept.append(hit)
        if (not hit.gap or hit.cue == "ignore") and hit.end > reach:
            reach, span = hit.end, (hit.start, hit.end)
            ignored = hit.cue == "ignore"
        if hit.cue == "ignore" and not inside:
            barred = max(barred, hit.end)
    return [hit for hit in kept if hit.cue != "ignore"]


def find(text: Text, languages: tuple[str, ...]) -> list[Hit]:
    """What the lexicons of these languages (and the language-neutral one) find, in order of appearance.

    Quoted words are names or wordings, not wishes, and are left out.
    """
    hits: set[Hit] = set()
    for language in ("any", *languages):
        index = load(language)
        if index.lexicon.matching == "substring":
            found = _by_substring(text, index)
        else:
            found = _by_word(text, index, code=language == "any")
        foreign = language != "any" and language != languages[0]
        hits.update(h for h in found if not (foreign and h.cue in GRAMMAR))
    return _uncovered({h for h in hits if not any(start <= h.start < end for start, end in text.quotes)})

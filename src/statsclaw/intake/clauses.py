"""Which clauses of a text are orders, and of what kind: to make or change, to look, to say, to run.

An order is a clause whose first word, after "please", "then" or "could you", is a verb in its base form. "Someone
implemented it", "before you add it" and "does it support weights?" hold verbs of making too, but order nothing.
A language without a list of verbs is read by its cues instead, less finely.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

from statsclaw.intake.lexicon import Grammar, Hit, crosses, load
from statsclaw.intake.normalise import Text, Word

Kind = Literal["make", "open", "look", "say", "run", "ship", "leave"]
#: Cues that name a work, in languages whose verbs are not listed.
_WORK = frozenset(("build", "translate", "change", "fix"))
_LOOK = frozenset(("review", "verify"))
_OBJECT_WORDS = 6


class Order(NamedTuple):
    kind: Kind
    start: int
    end: int  # where the next order or sentence begins
    back: bool = False  # its object is a pronoun: "fix it"
    weak: bool = False  # "use ..." may order nothing of its own
    sure: bool = False  # "make sure ..."
    record: bool = False  # "explain ..." may be told or written down


class _Phrase(NamedTuple):
    words: tuple[Word, ...]
    joined: bool  # to the phrase before, by "or"
    question: bool


Entries = dict[str, list[tuple[str, ...]]]  # word sequences by their first word, longest first
_VERBS: tuple[Kind, ...] = ("leave", "look", "say", "run", "ship", "make")


@lru_cache(maxsize=64)
def _entries(language: str, name: str) -> Entries:
    """One list of a grammar, indexed."""
    out: Entries = {}
    for entry in getattr(load(language).lexicon.grammar, name):
        for parts in product(*(part.split("|") for part in entry.split())):
            out.setdefault(parts[0], []).append(parts)
    for rows in out.values():
        rows.sort(key=len, reverse=True)
    return out


def _begins(words: tuple[Word, ...], at: int, entries: Entries) -> int:
    """How many words of the longest entry stand at a place; 0 if none."""
    for parts in entries.get(words[at].text, ()) if at < len(words) else ():
        if tuple(w.text for w in words[at : at + len(parts)]) == parts:
            return len(parts)
    return 0


def _questions(text: Text) -> list[int]:
    return [place for place in text.stops if text.folded[place] in "?？؟"]


def _split(text: Text, grammar: Grammar) -> Iterator[_Phrase]:
    """The text cut at punctuation and at "and", "then", "but"."""
    questions = _questions(text)
    held: list[Word] = []
    joined, last = False, 0

    def phrase() -> _Phrase:
        stop = next((s for s in text.stops if s >= held[-1].start), -1)
        return _Phrase(tuple(held), joined, stop in questions)

    for word in text.words:
        cut = crosses(text.breaks, last, word.start)
        joint = not word.code and word.text in grammar.join
        last = word.end
        if (cut or joint) and held:
            yield phrase()
            held = []
        if cut or joint:
            joined = joint and word.text == "or"
        if not joint:
            held.append(word)
    if held:
        yield phrase()


def _object(words: tuple[Word, ...], at: int, grammar: Grammar) -> Iterator[str]:
    """The words of what a verb makes, up to the first preposition."""
    for word in words[at : at + _OBJECT_WORDS]:
        if word.text in grammar.prepositions or word.text in grammar.under:
            return
        yield word.text


def _verb(words: tuple[Word, ...], at: int, grammar: Grammar, language: str) -> Kind | None:
    """What the verb at a place orders, if there is one."""
    word, after = words[at], words[at + 1].text if at + 1 < len(words) else ""
    if word.text in grammar.noun_too and after not in grammar.determiners:
        return None
    if word.code or after in grammar.after_noun or after in grammar.nothing:
        return None
    found = [(_begins(words, at, _entries(language, kind)), kind) for kind in _VERBS]
    length, longest = max(found, key=lambda item: item[0])
    kind = longest if length else None
    if kind == "make":
        if word.text in grammar.record and after in grammar.under:
            return "say"  # "write what broke to a file"
        told = list(_object(words, at + 1, grammar))
        return "say" if word.text in grammar.writes and told[-1:] and told[-1] in grammar.report else "make"
    if kind is None and after in grammar.determiners and word.text.isalpha():
        closed = (grammar.determiners, grammar.prepositions, grammar.under, grammar.closed)
        inflected = word.text.endswith(("ing", "ed", "ly")) or (word.text.endswith("s") and word.text[-2:] != "ss")
        if len(word.text) > 2 and not inflected and not any(word.text in row for row in closed):
            return "open"
    return kind


def _stated(phrase: _Phrase, at: int, grammar: Grammar, language: str) -> tuple[Kind, int] | None:
    """ "It should return ...", "the option is missing", "I'd like a ..." : a wish with a subject in front."""
    words = phrase.words
    if length := _begins(words, at, _entries(language, "wish")):
        if _begins(words, at + length, _entries(language, "learn")):
            return "say", words[at].start
        told = list(_object(words, at + length, grammar))
        return ("say" if told[-1:] and told[-1] in grammar.report else "make"), words[at].start
    own = words[at].text == "i"  # "I should be grateful" asks for nothing yet
    for here in range(at, len(words)):
        if here > at and _begins(words, here, _entries(language, "lead_in")) > 2:
            return _read_phrase(phrase._replace(words=words[here:]), grammar, language, False)
        if words[here].text in grammar.under and here > at:
            return None
        if here > at and words[here].text in ("i", "we") and _begins(words, here, _entries(language, "wish")):
            return _stated(phrase, here, grammar, language)
        needless = here > at and words[here - 1].text in grammar.denies  # "there is no need to"
        if _begins(words, here, _entries(language, "unchanged")):
            return None
        if not own and not phrase.question and not needless and _begins(words, here, _entries(language, "must")):
            return "make", words[at].start
    return None


def _after_condition(words: tuple[Word, ...], at: int, grammar: Grammar, language: str) -> tuple[Kind, int] | None:
    """ "Where ours deviates make it agree": an order after a condition, without a comma."""
    no_verb_after = {*grammar.closed, *grammar.modal, "to", "we", "they", "the", "a", "our", "t"}
    for here in range(at + 3, len(words)):
        after = words[here + 1].text if here + 1 < len(words) else ""
        if after in grammar.determiners and words[here - 1].text not in no_verb_after:
            kind = _verb(words, here, grammar, language)
            if kind == "make":
                return kind, words[here].start
    return None


def _after_lead_in(phrase: _Phrase, grammar: Grammar, language: str) -> tuple[tuple[Word, ...], int, bool]:
    """The words that are no adverbs, the place behind "please" or "could you", and whether somebody is asked there."""
    words, at, asked = tuple(w for w in phrase.words if w.text not in grammar.adverbs), 0, False
    while at < len(words) and (length := _begins(words, at, _entries(language, "lead_in"))):
        asked = asked or words[at + length - 1].text in ("you", "to", "somebody", "someone")
        at += length
    return words, at, asked


def _refused(phrase: _Phrase, grammar: Grammar, language: str) -> bool:
    words, at, _ = _after_lead_in(phrase, grammar, language)
    return _begins(words, at, _entries(language, "refuse")) > 0


def _read_phrase(phrase: _Phrase, grammar: Grammar, language: str, bound: bool) -> tuple[Kind, int] | None:
    words, at, asked = _after_lead_in(phrase, grammar, language)
    phrase = phrase._replace(words=words)
    if at < len(words) and words[at].text in grammar.conditions:
        return _after_condition(words, at, grammar, language)
    if at == len(words) or words[at].text in grammar.under or (bound and phrase.joined):
        return None
    if _begins(words, at, _entries(language, "refuse")):
        return None
    kind = _verb(words, at, grammar, language)
    if kind is not None and (kind != "open" or not phrase.question or asked):
        return kind, words[at].start
    return _stated(phrase, at, grammar, language) or (_stated(phrase, 0, grammar, language) if at else None)


def _by_verb(text: Text, grammar: Grammar, language: str, schedules: tuple[tuple[int, int], ...]) -> list[Order]:
    found: list[tuple[Kind, int]] = []
    bound = refused = False
    timed = text._replace(words=tuple(w for w in text.words if not any(a <= w.start < b for a, b in schedules)))
    for phrase in _split(timed, grammar):
        refused = _refused(phrase, grammar, language) or (refused and phrase.joined)  # "don't refactor or rewrite it"
        seen = None if refused else _read_phrase(phrase, grammar, language, bound)
        if seen:
            found.append(seen)
        bound = any(w.text in grammar.under for w in phrase.words) or (bound and phrase.joined)
    return [_detailed(text, order, grammar, language) for order in _spans(text, found)]


def _detailed(text: Text, order: Order, grammar: Grammar, language: str) -> Order:
    words = tuple(w for w in text.words if order.start <= w.start < order.end and w.text not in grammar.adverbs)
    length = max(1, _begins(words, 0, _entries(language, "make")), _begins(words, 0, _entries(language, "sure")))
    after = [w.text for w in words[1:4]]
    back = bool(after) and (after[0] in grammar.pronouns) and not (len(after) > 1 and _noun_after(after, grammar))
    return order._replace(
        back=order.kind == "make" and (back or len(words) <= length),
        weak=bool(_begins(words, 0, _entries(language, "weak")) or _begins(words, 0, _entries(language, "wish"))),
        record=bool(words) and words[0].text in grammar.record,
        sure=bool(_begins(words, 0, _entries(language, "sure"))),
    )


def _noun_after(after: list[str], grammar: Grammar) -> bool:
    """ "this option" is no pronoun, "this in the vignette" is."""
    return after[0] in ("this", "that", "these", "those", "what", "whatever") and (
        after[1] not in grammar.prepositions and after[1] not in grammar.join and after[1] not in grammar.under
    )


def _by_cue(text: Text, hits: list[Hit], grammar: Grammar) -> list[Order]:
    """The same from the cues: a word of work that no "whether" or "what" stands before in its clause."""
    questions = _questions(text)
    joins = [h.end for h in hits if h.cue in ("or", "contrast")]
    found: list[tuple[Kind, int]] = []
    for hit in hits:
        if hit.cue not in _WORK | _LOOK:
            continue
        since = max((b for b in (*text.breaks, *joins) if b < hit.start), default=0)
        stop = next((s for s in text.stops if s >= hit.start), -1)
        asked = stop in questions
        under = any(w.text in grammar.under for w in text.words if since <= w.start < hit.start)
        if hit.cue in _LOOK:
            found.append(("look", hit.start))
        elif not under and not asked:
            found.append(("make", hit.start))
    return _spans(text, found)


def _spans(text: Text, found: list[tuple[Kind, int]]) -> list[Order]:
    starts = [start for _, start in found]
    end = len(text.folded)
    out = []
    for kind, start in found:
        after = [s for s in starts if s > start] + [s for s in text.stops if s > start]
        out.append(Order(kind, start, min(after, default=end)))
    return out


def find_orders(text: Text, hits: list[Hit], language: str, schedules: tuple[tuple[int, int], ...]) -> list[Order]:
    """The orders of a text, first to last; words of a schedule ("every night") are passed over."""
    grammar = load(language).lexicon.grammar
    if grammar.make:
        return _by_verb(text, grammar, language, schedules)
    return _by_cue(text, hits, grammar)


def is_schedule(text: Text, start: int, end: int, language: str) -> bool:
    """Whether "every night" says when to work, and not what the package does: "is called every night"."""
    grammar = load(language).lexicon.grammar
    if not grammar.make:
        return True
    after = next((w.text for w in text.words if w.start >= end), "")
    if after in grammar.passive:
        return False
    since = max((b for b in text.breaks if b < start), default=0)
    before = [w.text for w in text.words if since <= w.start < start and not w.code]
    if not before:
        return True
    told = any(word in grammar.under or word in grammar.passive for word in before)
    return not told and before[-1] not in grammar.schedule_not_after


def puts_into(text: Text, orders: list[Order], language: str, names: frozenset[str]) -> bool:
    """Whether something is put into what exists ("into our package", "in survkit"); `names` are no such things."""
    grammar = load(language).lexicon.grammar
    for order in orders:
        words = tuple(w for w in text.words if order.start <= w.start < order.end)
        for at, word in enumerate(words):
            if _begins(words, at, _entries(language, "into")):
                return True
            if word.text in ("in", "into", "to", "within") and at + 1 < len(words) and grammar.make:
                after = words[at + 1]
                ends = at + 2 == len(words) or any(after.end <= b < words[at + 2].start for b in text.breaks)
                odd = after.code or any(c.isdigit() for c in after.text) or (ends and after.text not in names)
                if odd and not after.link and not after.text.isdigit():
                    return True
    return False


def forbids_all(text: Text, start: int, end: int, language: str) -> bool:
    """Whether "don't touch ..." means everything: nothing follows but words such as "the code"."""
    grammar = load(language).lexicon.grammar
    everything = grammar.everything
    forbidding = {w for entry in (*grammar.refuse, *grammar.nothing) for w in entry.split()}
    if everything and not any(w.text in forbidding for w in text.words if start <= w.start < end):
        return False
    stop = next((b for b in text.breaks if b >= end), len(text.folded))
    return not everything or all(w.text in everything and not w.code for w in text.words if end <= w.start < stop)


def may_be_wish(text: Text, language: str) -> bool:
    """ "Can the sampler be made faster?" asks for an answer or for the work."""
    grammar = load(language).lexicon.grammar
    first = next((w.text for w in text.words if not _begins((w,), 0, _entries(language, "lead_in"))), "")
    return first in grammar.modal and bool(_questions(text))

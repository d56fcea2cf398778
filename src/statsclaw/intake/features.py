"""From words to features: which cues a text holds, which of them are negated, and what follows from that."""

from __future__ import annotations

import re
from typing import NamedTuple

from statsclaw.intake.intervals import Interval, find_intervals
from statsclaw.intake.issues import Numbers, find_numbers
from statsclaw.intake.lexicon import Hit, available, crosses, find, load
from statsclaw.intake.normalise import Text

#: Cues one of which is what the text is chiefly about.
LEADS = frozenset(
    ("build", "translate", "change", "fix", "small", "typo", "docs", "validate", "verify", "review", "simulate")
) | {"issues_all"}
#: The same and what can also be told not to be done.
ACTIONS = LEADS | {"newthing", "tests", "ship", "pr", "repeat"}
#: Cues that are no features by themselves.
SILENT = frozenset(("negation", "negation_after", "contrast", "or", "number", "numbered", "ship", "tool", "repeat"))

_ENOUGH = 200  # hits looked at
_SHORT = 24  # characters without spaces
_ARROW = re.compile(r"\bs/[^/\s]+/[^/\s]+/|\S\s?(?:->|=>|→|⇒|➜)\s?\S")
_PR_TAIL = re.compile(r"(?:\s+\w{1,8})?[\s.!]*$")  # "fix, test, PR please"
_QUESTION = re.compile(r"[?؟](?=\W|$)")
_VERSION = re.compile(r"(?<![\d.])\d+\.\d+(?:\.\d+)+(?![\d.]*\d)")
_REACH_WORDS, _REACH_CHARS = 4, 9
_AFTER_WORDS, _AFTER_CHARS = 3, 9


class Reading(NamedTuple):
    features: frozenset[str]
    ship: bool
    ship_refused: bool
    repeat: bool
    numbers: Numbers
    interval: Interval | None
    hits: list[Hit]

    @property
    def looping(self) -> bool:
        return self.interval is not None or self.repeat


def _far(text: Text, start: int, end: int, words: int, chars: int) -> bool:
    between = text.folded[start:end]
    if between.isascii() or " " in between:
        return len(between.split()) > words
    return len(between) > chars


def _bound_before(text: Text, negation: Hit, hits: list[Hit], walls: tuple[int, ...]) -> set[Hit]:
    """What a negation in front forbids: the nearest action, and those joined to it by "or"."""
    bound: set[Hit] = set()
    last: Hit | None = None
    for hit in hits:
        if hit.cue not in ACTIONS or hit.start < negation.end:
            continue
        origin = negation.end if last is None else last.end
        if crosses(walls, origin, hit.start) or _far(text, origin, hit.start, _REACH_WORDS, _REACH_CHARS):
            break
        joined = last is None or hit.start < last.end
        if not joined and last is not None:
            same = hit.cue == last.cue
            words = text.folded[last.end : hit.start].split()
            joined = any(h.cue == "or" and last.end <= h.start < hit.start for h in hits) and (same or len(words) == 1)
        if not joined:
            break
        bound.add(hit)
        last = hit
    return bound


def _bound_after(text: Text, negation: Hit, hits: list[Hit], walls: tuple[int, ...]) -> set[Hit]:
    """What a negation behind forbids."""
    return {
        hit
        for hit in hits
        if hit.end <= negation.start
        and not crosses(walls, hit.end, negation.start)
        and not _far(text, hit.end, negation.start, _AFTER_WORDS, _AFTER_CHARS)
    }


def negated(text: Text, hits: list[Hit], verb_last: bool) -> set[Hit]:
    """The hits that the text says are not to be done."""
    out: set[Hit] = set()
    walls = tuple(sorted([*text.breaks, *(h.start for h in hits if h.cue in ("contrast", "only"))]))
    cues = ACTIONS if verb_last else frozenset(("ship", "simulate"))
    behind = [h for h in hits if h.cue in cues]
    inside = [h for h in hits if h.gap and h.cue == "ship"]
    for hit in hits:
        if hit.cue == "negation":
            out |= _bound_before(text, hit, hits, walls)
        elif hit.cue == "negation_after":
            out |= _bound_after(text, hit, behind, walls)
        if hit.cue in ("negation", "negation_after"):  # "open no PR" holds its negation inside
            out |= {h for h in inside if h.start < hit.start and hit.end < h.end}
    return out


def _lead(hits: list[Hit], verb_last: bool) -> str | None:
    leads = [h for h in hits if h.cue in LEADS]
    if not leads:
        return None
    if verb_last:
        return max(leads, key=lambda h: (h.end, h.start)).cue
    return min(leads, key=lambda h: (h.start, -h.end)).cue


def _outside(hits: list[Hit], intervals: list[Interval]) -> list[Hit]:
    return [h for h in hits if not any(i.start < h.end and h.start < i.end for i in intervals)]


def _ends_with_pr(text: Text, hits: list[Hit]) -> bool:
    """ "... and PR." is a wish although it has no verb."""
    for hit in hits:
        if hit.cue == "pr" and _PR_TAIL.match(text.folded, hit.end):
            before = text.folded[: hit.start].rstrip()
            joined = any(h.cue in ("or", "contrast") and h.end == len(before) for h in hits)
            return joined or before.endswith((",", ";", ".", "+", "&"))
    return False


def _tools(text: Text) -> set[str]:
    """Names of programming languages; a short one ("Go", "R") only if written as a name."""
    names = set(load("any").lexicon.cues.get("tool", ()))
    found = (w for w in text.words if w.text in names and not w.link)
    return {w.text for w in found if len(w.text) > 2 or (w.start and text.shown[w.start].isupper())}


def _shape(text: Text, numbers: Numbers) -> set[str]:
    """What can be seen without knowing the words."""
    seen = {
        "two_tools": len(_tools(text)) > 1,
        "issue_number": len(numbers.issues) == 1,
        "issue_numbers": len(numbers.issues) > 1,
        "pr_number": bool(numbers.pulls),
        "question": bool(_QUESTION.search(text.folded)),
        "short": 0 < len(text.compact) < _SHORT,
        "arrow": bool(_ARROW.search(text.folded)),
        "quoted": bool(text.quotes),
        "two_quotes": len(text.quotes) > 1,
        "version": bool(_VERSION.search(text.folded)),
    }
    return {name for name, true in seen.items() if true}


def read_features(text: Text, languages: tuple[str, ...]) -> Reading:
    """All that the scoring needs."""
    known = tuple(dict.fromkeys(language for language in (*languages, "en") if language in available()))
    verb_last = load(known[0]).lexicon.verb_last
    intervals = find_intervals(text, known)
    hits = _outside(find(text, known)[:_ENOUGH], intervals)
    numbers = find_numbers(text, hits)
    refused = negated(text, hits, verb_last)
    wanted = [h for h in hits if h not in refused]
    names = {h.cue for h in wanted} - SILENT
    names |= {f"no_{h.cue}" for h in refused}
    lead = _lead(wanted, verb_last)
    if lead:
        names.add(f"lead_{lead}")
    return Reading(
        features=frozenset(names | _shape(text, numbers)),
        ship=any(h.cue == "ship" for h in wanted) or _ends_with_pr(text, wanted),
        ship_refused=any(h.cue in ("ship", "pr") for h in refused) and not any(h.cue == "ship" for h in wanted),
        repeat=any(h.cue == "repeat" for h in wanted),
        numbers=numbers,
        interval=intervals[0] if intervals else None,
        hits=wanted,
    )

"""From words to features: which cues a text holds, which of them are negated, and what follows from that."""

from __future__ import annotations

import re
from typing import NamedTuple

from statsclaw.intake.clauses import Order, find_orders, forbids_all, is_schedule, may_be_wish, puts_into
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
_LONG = 35  # words
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
    listed: bool  # whether the orders of this language can be read

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


def _tool_names() -> frozenset[str]:
    return frozenset(load("any").lexicon.cues.get("tool", ()))


def _tools(text: Text) -> set[str]:
    """Names of programming languages; a short one ("Go", "R") only if written as a name."""
    names = _tool_names()
    found = (w for w in text.words if w.text in names and not w.link)
    return {w.text for w in found if len(w.text) > 2 or (w.start and text.shown[w.start].isupper())}


#: What the object of an order can be, by the cue that names it.
OBJECTS = {
    "docs": "docs", "simulate": "study", "newthing": "new", "translate": "new", "small": "small", "typo": "small",
    "feature": "code", "method": "code", "tests": "code", "bug": "code",
}  # fmt: skip
#: What looks and talks; it says little about a directive that asks for something to be made.
LOOKING = frozenset(("review", "verify", "vague", "compare"))
#: An order that holds nothing but these asks for a study, whatever its verb.
_STUDY = frozenset(
    ("simulate", "performance", "compare", "existing", "method", "build", "tool", "or", "only", "number", "change")
)
_DEFINITE = frozenset(("the", "our", "my", "this", "your", "existing", "current"))
_NOT_NAMES = frozenset((
    "do", "me", "us", "it", "them", "this", "that", "place", "general", "particular", "date", "pdf", "github",
    "cran", "pypi", "main", "master", "full", "detail", "parallel", "production", "scratch", "code", "english",
    "latex",
))  # fmt: skip
#: What names a work; it says little about a directive that asks for none.
WORKING = frozenset(("build", "newthing", "translate", "change", "fix", "feature", "small"))


def _within(hit: Hit, orders: list[Order]) -> bool:
    return any(order.start <= hit.start < order.end for order in orders)


class _Asked(NamedTuple):
    """The orders of a text by what they ask for."""

    makes: list[Order]
    runs: list[Order]
    aside: list[Order]  # to read on the way, to leave alone
    says: list[Order]
    told: bool  # something is to be looked at or reported
    listed: bool  # the language has a list of verbs
    request: bool  # "can X be ...?" may be a question or a wish
    since: int  # where the sentence of the first thing to be made begins


def _sorted(text: Text, orders: list[Order], hits: list[Hit], language: str, listed: bool) -> _Asked:
    orders = [_known(text, order, hits) for order in orders] if listed else orders
    makes = [o for o in orders if o.kind in ("make", "open")]
    runs = [o for o in orders if o.kind == "run"]
    studied = any(h.cue in ("simulate", "performance") for h in hits)
    aside = [o for o in orders if o.kind in ("look", "leave")]
    checked = any(
        h.cue == "validate" and _within(h, aside) for h in hits
    )  # "rebuild all and see if any number changed"
    if makes and ((all(o.weak for o in makes) and studied) or (all(o.kind == "open" for o in makes) and checked)):
        runs, makes = [*runs, *makes], []
    if not listed and any(h.cue == "readonly" for h in hits):
        makes = []
    request = may_be_wish(text, language)
    first = next((o.start for o in makes if not o.back), 0)
    since = max((stop for stop in text.stops if stop < first), default=0)
    says = [o for o in orders if o.kind == "say"]
    return _Asked(makes, runs, aside, says, any(o.kind in ("look", "say") for o in orders), listed, request, since)


def _known(text: Text, order: Order, hits: list[Hit]) -> Order:
    """The order, where the cues know better: "give the tests a spin", "explain it in the manual"."""
    inside = {h.cue for h in hits if _within(h, [order])}
    start = {h.cue for h in hits if h.start == order.start and h.end < order.end}
    if (
        order.kind == "say"
        and order.record
        and any(
            h.cue == "docs" and _within(h, [order]) and not text.folded[h.start : h.end].startswith("explanation")
            for h in hits
        )
    ):
        return order._replace(kind="make")
    if order.kind == "make" and "simulate" in inside and inside <= _STUDY:
        return order._replace(kind="run")
    if order.kind == "open" and start & {"review", "verify"}:
        return order._replace(kind="look")
    if order.kind == "open" or order.weak:
        if inside & {"validate", "tests", "run"} and not inside & {"feature", "bug", "fix", "change", "docs"}:
            return order._replace(kind="run")
        if order.kind == "open" and "simulate" in start:
            return order._replace(kind="run")
    return order


def heard(hits: list[Hit], asked: _Asked, question: bool) -> list[Hit]:
    """The hits that count: what is to be made outranks what is to be read on the way, and the other way round."""
    if asked.makes:
        return [hit for hit in hits if not _outranked(hit, hits, asked)]
    if asked.listed and (asked.told or (question and not asked.request)):
        studied = any(h.cue == "simulate" and _within(h, asked.runs) for h in hits)
        gone = WORKING - ({"small"} if not asked.told else set())
        gone |= {"review"} if studied else set()
        kept = [h for h in hits if h.cue not in gone or _within(h, asked.runs)]
        return [h for h in kept if h.cue != "docs" or not _within(h, asked.says)]
    return hits


def _outranked(hit: Hit, hits: list[Hit], asked: _Asked) -> bool:
    """Whether a hit says nothing where something is to be made."""
    makes = asked.makes
    sure = all(o.sure for o in makes)
    if hit.cue == "verify" or hit.cue == "validate":
        return not sure and not (hit.cue == "validate" and _within(hit, makes))
    if hit.cue == "docs":
        return (_within(hit, asked.aside) and not all(o.back for o in makes)) or not _docs_first(hits, asked)
    if hit.cue in ("simulate", "performance"):
        return _within(hit, asked.aside)
    if hit.cue == "small":
        return asked.listed and _within(hit, asked.aside) and not any(o.back for o in makes)
    if hit.cue in ("build", "change", "fix", "translate"):
        return asked.listed and not _within(hit, makes)
    return hit.cue in LOOKING or (hit.cue == "newthing" and sure)


def _docs_first(hits: list[Hit], asked: _Asked) -> bool:
    """Docs count if they are the first thing to be made, or were named before it in the same sentence."""
    first = next((o for o in asked.makes if not o.back), None)
    if first is None or not asked.listed:
        return True
    docs = [h for h in hits if h.cue == "docs" and not _within(h, asked.aside)]
    coded = any(h.cue in ("feature", "method", "tests", "newthing") and _within(h, asked.makes) for h in hits)
    return any((asked.since if coded else 0) <= h.start < first.end for h in docs)


def _made(text: Text, hits: list[Hit], asked: _Asked, language: str) -> set[str]:
    """What is asked for: `made`, `looked`, `ran`, and what is to be made."""
    if not asked.makes:
        names = {"looked"} if asked.told and asked.listed else set()
        names |= {"request"} if asked.request and not asked.told and not asked.runs else set()
        if any(h.cue == "simulate" and _within(h, asked.runs) for h in hits):
            names.add("ran_study")
        return names | ({"ran"} if asked.runs else set())
    seen = {
        "made": True,
        "made_unknown": all(o.kind == "open" for o in asked.makes),
        "ensured": all(o.sure for o in asked.makes),
        "made_back": all(o.back for o in asked.makes),
        "made_many": sum(not o.back for o in asked.makes) > 2,
        "into_existing": puts_into(text, asked.makes, language, _NOT_NAMES | _tool_names()),
    }
    objects = {found for order in asked.makes if (found := _object(hits, order))}
    if any(o.back for o in asked.makes[:1]) and not any(
        h.cue == "docs" and h.start < asked.makes[0].start for h in hits
    ):
        objects.add("thing")  # what "it" is was not said to be docs
    names = {name for name, true in seen.items() if true} | {f"made_{name}" for name in objects}
    return names | ({"made_only_docs"} if objects == {"docs"} else set())


def _object(hits: list[Hit], order: Order) -> str | None:
    """What an order is about, by the first cue in it that names such a thing."""
    inside = sorted((h for h in hits if h.cue in OBJECTS and _within(h, [order])), key=lambda h: (h.start, -h.end))
    if any(h.cue == "docs" for h in inside):
        inside = [h for h in inside if h.cue != "translate"]
    return OBJECTS[inside[0].cue] if inside else None


def _definite(text: Text, hit: Hit) -> bool:
    """ "the R package", "our library": it exists."""
    before = [w.text for w in text.words if w.end <= hit.start][-1:]
    return bool(before) and before[0] in _DEFINITE


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
        "code_named": any(word.code for word in text.words),
        "quoted": bool(text.quotes),
        "two_quotes": len(text.quotes) > 1,
        "long": len(text.words) > _LONG or len(text.compact) > _LONG * 6,
        "version": bool(_VERSION.search(text.folded)),
    }
    return {name for name, true in seen.items() if true}


def read_features(text: Text, languages: tuple[str, ...]) -> Reading:
    """All that the scoring needs."""
    known = tuple(dict.fromkeys(language for language in (*languages, "en") if language in available()))
    verb_last = load(known[0]).lexicon.verb_last
    listed = bool(load(known[0]).lexicon.grammar.make)
    intervals = [i for i in find_intervals(text, known) if is_schedule(text, i.start, i.end, known[0])]
    hits = _outside(find(text, known)[:_ENOUGH], intervals)
    numbers = find_numbers(text, hits)
    refused = negated(text, hits, verb_last)
    wanted = [h for h in hits if h not in refused]
    orders = find_orders(text, wanted, known[0], tuple((i.start, i.end) for i in intervals))
    wanted = [h for h in wanted if not (h.cue == "newthing" and _definite(text, h))]
    if listed and any(o.kind == "make" for o in orders):  # "don't touch the old estimators" leaves the rest
        wanted = [h for h in wanted if h.cue != "readonly" or forbids_all(text, h.start, h.end, known[0])]
    shape = _shape(text, numbers)
    asked = _sorted(text, orders, wanted, known[0], listed)
    told = heard(wanted, asked, "question" in shape)
    names = {h.cue for h in told} - SILENT
    names |= {f"no_{h.cue}" for h in refused}
    makes = asked.makes
    lead = (listed and _lead([h for h in told if _within(h, makes)], verb_last)) or _lead(told, verb_last)
    if lead:
        names.add(f"lead_{lead}")
    names |= _made(text, told, asked, known[0])
    return Reading(
        features=frozenset(names | (shape - ({"question"} if makes else set()))),
        ship=any(h.cue == "ship" for h in wanted) or _ends_with_pr(text, wanted),
        ship_refused=any(h.cue in ("ship", "pr") for h in refused) and not any(h.cue == "ship" for h in wanted),
        repeat=any(h.cue == "repeat" for h in wanted),
        numbers=numbers,
        interval=intervals[0] if intervals else None,
        hits=wanted,
        listed=listed,
    )

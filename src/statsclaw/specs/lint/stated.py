"""What a stated criterion demands, as bounds: read from its sentence, in the phrases of statisticians."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from statsclaw.specs.lint.found import show
from statsclaw.specs.lint.numbers import Found, numbers_in, plain
from statsclaw.specs.lint.vocabulary import pattern, vocabulary, words_of

_LONGEST = 4000
_N = "⟦(\\d+)⟧"
_BETWEEN = (
    r"(?:\s+(?:of|about|a|an|the|by|to|than|some|approximately|roughly|only|level|factor|relative|absolute|tolerance|"
    r"error|errors|difference|margin|value|its|be|is|maximum|total)\b){0,6}\s*"
)
_OFF = r"(?:no|not|never|cannot|nor)(?: be)? "
_PLACES = r"(?:-|\s*)(?:significant |correct |decimal ){0,2}(?:digits?|places|decimals)\b"
_SAME = r"(?:agree\w*|match\w*|equal\w*|identical|reproduc\w*|coincid\w*|correct|precise|accurate|the same)"
_PHRASES = re.compile(
    rf"(?P<chain>{_N}\s*[≤<]\s*(?:[^\s⟦≤<≥>;]+\s+){{0,5}}[^\s⟦≤<≥>;]*\s*[≤<]\s*{_N})"
    rf"|(?P<range>(?:\bbetween\b{_BETWEEN}|\bfrom\b\s*){_N}\s*(?:and|to|-)\s*{_N}|[\[(]\s*{_N}\s*[,;]\s*{_N}\s*[\])]"
    rf"|{_N}\s*(?:-|to)\s*{_N}(?!{_PLACES}))"
    rf"|(?P<around>(?:{_N}\s*)?±\s*{_N})"
    rf"|(?P<digits>{_N}{_PLACES})"
    rf"|(?P<equal>\b(?:equals|(?:is|are|be) (?:equal to|exactly)|exactly equal to|identical to)\s*{_N}(?!{_PLACES}))"
    rf"|(?P<agrees>\b{_SAME}\b(?:(?![;⟦]|\. ).){{0,100}}?\bto{_BETWEEN}{_N}(?!{_PLACES}))"
    rf"|(?P<within>\b(?:within|tolerance of|tolerance:?|up to|to a precision of|accurate to){_BETWEEN}{_N}(?!{_PLACES})"
    rf"(?:\s*(?:of|around|from){_BETWEEN}{_N})?)"
    rf"|(?P<post_high>{_N}\s*(?:\w+ )?(?:or (?:less|fewer|below|under|lower|smaller)|at (?:the )?most)\b)"
    rf"|(?P<post_low>{_N}\s*(?:\w+ )?or (?:more|higher|greater|above|better|larger|faster)\b)"
    rf"|(?P<not_above>\b{_OFF}(?:more|greater|larger|higher|exceed\w*|above|over|worse){_BETWEEN}{_N})"
    rf"|(?P<not_below>\b{_OFF}(?:less|fewer|smaller|lower|below|under){_BETWEEN}{_N})"
    rf"|(?P<high>(?:\b(?:at most|less|lower|smaller|fewer|below|under|maximum|max|bounded)\b|[≤<]){_BETWEEN}{_N})"
    rf"|(?P<low>(?:\b(?:at least|more|greater|larger|higher|exceed\w*|above|over|minimum|min)\b|[≥>]){_BETWEEN}{_N})"
    rf"|(?P<faster>{_N}\s*(?:as fast|faster|quicker|as quick|speed-?up))"
    rf"|(?P<zero>{_N}\s*(?:errors?|failures?|warnings?|nans?|exceptions?|crashes)\b)"
    r"|(?P<machine>\b(?:to|within|for|from) (?:\w+ ){0,2}(?:machine (?:precision|accuracy|epsilon)"
    r"|rounding(?: errors?)?|(?:floating[- ]point|double|numerical) (?:precision|accuracy))\b)"
    r"|(?P<none>\b(?:no|without)(?: any)? (?:errors?|failures?|warnings?|nans?|exceptions?|crashes)\b)"
)
#: Two results are to be the same, without a number. Not of what is only supposed ("where the weights are equal").
_EXACTLY = re.compile(
    r"(?<!-)\b(?:equals\b|(?:is|are|be|must) (?:exactly )?equal(?: to)? (?=the |those |that |its |what |glm\b|lm\b)"
    r"|(?<!with )(?<!of )(?<!for )equal (?:those|that|what)\b"
    r"|(?:is|are|be) (?:exactly|identical to|bitwise)|identical(?: with| to)\b|bit[- ]for[- ]bit|exactly the same"
    r"|coincides?(?: exactly)? with|agrees? exactly|match(?:es)? exactly|exactly (?:agrees?|match(?:es)?|equals?))"
)
_SUPPOSED = re.compile(r"\b(?:if|when|where|whenever|provided|suppose\w*|assum\w*|unless)\b[^,;.]*$")
#: Two calls of one program are to give the same: a yes or no carries that.
_TWO_CALLS = re.compile(r"\b(?:seeds?|again|repeat\w*|twice|two calls|every call|reproducib\w*|unchanged|in place)\b")
#: Relative: what a comparison with an exact value may at most allow, for whatever reason (see tolerances.py).
SAME = 1e-3
#: "… agrees, and goes to 0.95": a larger number is no distance.
_NOT_NEAR = 0.5
_LOWER = ("post_low", "not_below", "low", "faster")
_SHARE = re.compile(rf"\s*(?:out )?of (?:the )?{_N}")
_SUBJECT = re.compile(
    r"(?:^|[\s(,;:\"'|])(?:\\?[a-z](?:_\w{1,3}|\d)?|sample sizes?|size|sizes)\s*(?:of|is|are|being)?\s*$"
)


@dataclass(frozen=True, slots=True)
class Bound:
    """One demand. `distance`: how far from `target` (or the truth); otherwise `low` and `high` of the quantity."""

    kind: Literal["distance", "low", "high", "range"]
    words: str
    low: float | None = None
    high: float | None = None
    distance: float | None = None
    target: float | None = None
    relative: bool = False
    #: A limit for something that is itself a distance, such as an error: a tolerance may carry it.
    of_distance: bool = False
    two_sided: bool = False
    topic: str = ""
    #: Two results are to be the same; the words give no number for how nearly.
    exact: bool = False
    #: The number counts something.
    whole: bool = False


def bounds_of(text: str) -> tuple[list[Bound], int]:
    """The demands of a sentence, and how many of its numbers belong to none of them and restrict nothing."""
    sentence = plain(text[:_LONGEST]).replace("⟦", "(").replace("⟧", ")")
    numbers = list(numbers_in(sentence))
    marked, last = [], 0
    for index, number in enumerate(numbers):
        marked.append(sentence[last : number.start] + f"⟦{index}⟧")
        last = number.end
    written = "".join([*marked, sentence[last:]])
    bounds: list[Bound] = []
    used: set[int] = set()
    for match in _PHRASES.finditer(written):
        inside = [int(group) for group in re.findall(_N, match[0])]
        used.update(inside)
        bound = _bound(written, match, [numbers[index] for index in inside], numbers)
        if bound is not None:
            bounds.append(bound)
    if not bounds and (same := _exactly(written)):
        bounds.append(same)
    return bounds, sum(1 for index in range(len(numbers)) if index not in used)


def _exactly(written: str) -> Bound | None:
    """A demand that two results be the same, where the sentence gives no number for it."""
    found = _EXACTLY.search(written)
    if found is None or _SUPPOSED.search(written[: found.start()]) or _TWO_CALLS.search(written):
        return None
    topic = topic_of(written[: found.start()], written[found.end() :])
    words = f"that they are the same (“{found[0].strip()}”)"
    return Bound("distance", words, distance=SAME, relative=True, topic=topic, exact=True)


def _bound(written: str, match: re.Match[str], found: list[Found], numbers: list[Found]) -> Bound | None:
    kind = match.lastgroup or next(name for name, value in match.groupdict().items() if value is not None)
    before, after = _clause(written, match)
    clause = before + after
    topic = "time" if any(number.seconds for number in found) else topic_of(before, after)
    if kind in ("none", "zero"):
        return Bound("high", "none", high=0.0, topic=topic) if kind == "none" or found[0].value == 0.0 else None
    if kind == "machine":
        if not re.search(rf"\b{_SAME}\b", before):
            return None
        return Bound("distance", match[0], distance=SAME, relative=True, topic=topic, exact=True)
    if _restricts(written, match, found, kind):
        return None
    if kind == "equal":
        words = f"exactly {found[0].literal}"
        value, whole = found[0].value, found[0].whole
        return Bound("distance", words, None, None, SAME, value, relative=True, topic=topic, exact=True, whole=whole)
    if kind == "agrees" and (found[0].times or found[0].seconds or abs(found[0].value) >= _NOT_NEAR):
        return None
    if kind in ("chain", "range"):
        return None if kind == "range" and _enumerates(match[0], found) else _range(found, topic)
    if kind == "digits":
        size = 10.0 ** -min(30.0, max(0.0, found[0].value))
        return Bound("distance", f"{found[0].literal} digits", distance=size, relative="decimal" not in match[0])
    relative = found[-1].percent or bool(pattern(words_of("distance", "relative")).search(clause))
    if kind in ("within", "agrees", "around"):
        return _distance(kind, found, topic, relative)
    return _limit(written, match, found[0], numbers, clause, topic, kind)


def _enumerates(words: str, found: list[Found]) -> bool:
    """Pages 3 to 5, equations (1, 2): whole numbers in a row without a word that bounds anything."""
    bounding = words.startswith(("between", "from", "["))
    return not bounding and all(number.whole and not number.seconds for number in found)


def _range(found: list[Found], topic: str) -> Bound | None:
    first, second = found[0], found[1]
    low = first.value / 100.0 if second.percent and not first.percent and first.value > 1.0 else first.value
    if not low <= second.value:
        return None
    return Bound("range", f"{show(low)} to {show(second.value)}", low=low, high=second.value, topic=topic)


def _distance(kind: str, found: list[Found], topic: str, relative: bool) -> Bound | None:
    size = found[-1] if kind == "around" else found[0]
    target = (found[0] if kind == "around" else found[1]).value if len(found) == 2 else None
    if size.times:  # a multiple of something that is not said here
        return None
    if size.seconds:
        return Bound("high", f"at most {show(size.value)} s", high=size.value, topic="time")
    points = "point" in size.literal
    words = f"within {show(size.value)}" + (f" of {show(target)}" if target is not None else "")
    return Bound(
        "distance", words, distance=abs(size.value), target=target, relative=relative and not points, topic=topic
    )


def _limit(
    written: str, match: re.Match[str], number: Found, numbers: list[Found], clause: str, topic: str, kind: str
) -> Bound:
    value = number.value
    share = _SHARE.match(written, match.end())
    if share and number.whole and numbers[int(share[1])].whole and 0 <= value <= numbers[int(share[1])].value:
        value = value / max(1.0, numbers[int(share[1])].value)
    if kind in _LOWER:
        whole = number.whole and not (number.times or number.seconds or share)
        return Bound("low", f"at least {show(value)}", low=value, topic=topic, whole=whole)
    bare = pattern(words_of("distance", "not")).sub(" ", clause)
    distance = bool(pattern(words_of("distance", "words")).search(bare)) and topic in ("", "bias")
    two_sided = distance and (bool(pattern(words_of("distance", "two_sided")).search(bare)) or "|" in bare)
    relative = number.percent or bool(pattern(words_of("distance", "relative")).search(clause))
    return Bound(
        "high",
        f"at most {show(value)}",
        high=value,
        of_distance=distance,
        two_sided=two_sided or (topic == "bias"),
        relative=relative,
        topic=topic,
        whole=number.whole and not (number.times or number.seconds or share),
    )


def _clause(written: str, match: re.Match[str]) -> tuple[str, str]:
    """The words up to the end of a bound and those after it, within its sentence or part of one."""
    start = max(written.rfind(mark, 0, match.start()) for mark in (";", ". ", "\n\n"))
    ends = [end for mark in (";", ". ", "\n\n") if (end := written.find(mark, match.end())) >= 0]
    before = written[max(start + 1, match.start() - 160, 0) : match.end()]
    return before, written[match.end() : min([*ends, match.end() + 80])]


def topic_of(before: str, after: str = "") -> str:
    """What a bound is about, where one of the usual metrics is named: the nearest before it, or else the next."""
    hits = [
        (hit.start(), name)
        for name in vocabulary()["topics"]
        for hit in pattern(words_of("topics", name)).finditer(before)
    ]
    if hits:
        return max(hits)[1]
    return topic_of_first(after)


def topic_of_first(words: str) -> str:
    hits = [
        (hit.start(), name)
        for name in vocabulary()["topics"]
        for hit in pattern(words_of("topics", name)).finditer(words)
    ]
    return min(hits)[1] if hits else ""


def _restricts(written: str, match: re.Match[str], found: list[Found], kind: str) -> bool:
    """A sample size, a number of replications: how much is tried, not how good it must be."""
    number = found[-1]
    if number.percent or number.times or number.seconds or not number.whole or number.value < 2:
        return False
    if kind in ("digits", "faster", "around", "equal"):
        return False
    before = written[max(0, match.start() - 60) : match.start()]
    if _SHARE.match(written, match.end()):
        return False
    if _SUBJECT.search(before) or (kind == "chain" and re.search(r"[≤<]\s*[a-z]\s*[≤<]", match[0])):
        return True
    return _counted(written, match) or (number.value >= 10 and _introduced(before))


def _counted(written: str, match: re.Match[str]) -> bool:
    counted = set(words_of("restrictions", "counted"))
    following = re.findall(r"[\w-]+", written[match.end() : match.end() + 60])[:2]
    return any(word in counted for word in following)


def _introduced(before: str) -> bool:
    return any(word in words_of("restrictions", "introduced") for word in re.findall(r"[a-z]+", before)[-2:])

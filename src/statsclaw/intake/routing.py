"""Choose one of the ten workflows for a directive: deterministic, without network or model.

Words of the directive (`lexicon/`) become features, features become scores (`weights.toml`), scores become shares.
A loop is a schedule plus whatever is to be repeated; its inner workflow is the best reading of the rest.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from statsclaw.intake.features import Reading, read_features
from statsclaw.intake.language import guess
from statsclaw.intake.lexicon import Strict, data
from statsclaw.intake.normalise import Text, read

Workflow = Literal[
    "full", "fix-and-ship", "docs", "issue-patrol", "issue-fix",
    "validate", "review", "loop", "quick-fix", "monte-carlo",
]  # fmt: skip
READ_ONLY = ("validate", "review")  # nothing is changed, so there is nothing to ship
Ask = Literal["close", "small-fix", "unclear"]


class Routing(BaseModel):
    """Where a directive goes, how sure that is, and what else the directive says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    workflow: str
    confidence: float = Field(ge=0, le=1)
    runner_up: str | None
    runner_up_confidence: float = Field(ge=0, le=1)
    ship: bool
    ship_refused: bool  # the directive says that nothing is to be pushed
    interval_s: int | None
    inner_workflow: str | None
    issue: int | None
    language: str
    ask: Ask | None
    cues: tuple[str, ...]


class Combination(Strict):
    """A feature made of others: all of `all`, one of `any` (if given), none of `none`."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def holds(self, features: set[str]) -> bool:
        return (
            all(f in features for f in self.all)
            and (not self.any or any(f in features for f in self.any))
            and not any(f in features for f in self.none)
        )


class Thresholds(Strict):
    close: float  # ask if the second share is at least this part of the first
    small_fix: float  # the same, between quick-fix and fix-and-ship
    unclear: float  # ask if no share reaches this
    always: tuple[str, ...]  # combinations that say too little, whatever the shares
    needs: dict[Workflow, tuple[str, ...]]  # what confirms a reading where orders can be read


class LoopShares(Strict):
    interval: float  # a schedule was found
    word: float  # only a word such as "watch" or "regularly"


class Weights(Strict):
    ask: Thresholds
    loop: LoopShares
    prior: dict[Workflow, float]
    combinations: dict[str, Combination]
    weights: dict[str, dict[Workflow, float]]


@lru_cache(maxsize=1)
def _weights() -> Weights:
    return Weights.model_validate(data("weights.toml"))


def expand(features: frozenset[str]) -> set[str]:
    """The features with the combinations of them, in the order of the table."""
    out = set(features)
    for name, combination in _weights().combinations.items():
        if combination.holds(out):
            out.add(name)
    return out


def shares(features: frozenset[str]) -> dict[str, float]:
    """Softmax of the summed weights: one share for every workflow except loop."""
    table = _weights()
    scores: dict[str, float] = {w: s for w, s in table.prior.items() if w != "loop"}
    for feature in sorted(expand(features)):
        for workflow, weight in table.weights.get(feature, {}).items():
            scores[workflow] += weight
    top = max(scores.values())
    grown = {workflow: exp(score - top) for workflow, score in scores.items()}
    total = sum(grown.values())
    return {workflow: value / total for workflow, value in grown.items()}


def _language(text: Text) -> tuple[str, tuple[str, ...]]:
    """The guess, and the languages whose vocabulary is worth trying."""
    ranked = guess(text)
    if not ranked:
        return "und", ("en",)
    best = ranked[0][1]
    return ranked[0][0], tuple(language for language, score in ranked[:3] if score >= 0.75 * best)


def _found(text: Text, reading: Reading) -> tuple[str, ...]:
    """The words that led to the result, as they stand in the text."""
    table = _weights().weights
    spans = [(h.start, h.end) for h in reading.hits if h.cue in table or h.cue in ("ship", "repeat")]
    if reading.interval:
        spans.append((reading.interval.start, reading.interval.end))
    spans.sort(key=lambda s: (s[0], -s[1]))
    return tuple(dict.fromkeys(" ".join(text.shown[a:b].split()) for a, b in spans))[:12]


def _ask(ranked: list[tuple[str, float]], reading: Reading) -> Ask | None:
    limits = _weights().ask
    (first, best), (second, next_best) = ranked[:2]
    if not reading.features or best < limits.unclear:
        return "unclear"
    if reading.looping:
        return None if reading.interval else "close"
    features = expand(reading.features)
    if set(limits.always) & features:
        return "close"
    if {first, second} == {"quick-fix", "fix-and-ship"}:
        if next_best >= limits.small_fix * best:
            return "small-fix"
    elif next_best >= limits.close * best:
        return "close"
    confirmed = {str(workflow): names for workflow, names in limits.needs.items()}.get(first)
    return "close" if reading.listed and confirmed and not features & set(confirmed) else None


def _ranked(reading: Reading) -> list[tuple[str, float]]:
    """Workflows with their shares, best first; for a loop these are the readings of what is repeated."""
    features = reading.features
    if reading.looping and "issue" in features and not reading.numbers.issues:
        features |= {"issues_all"}
    return sorted(shares(features).items(), key=lambda item: (-item[1], item[0]))


def route(text: str) -> Routing:
    """Read a directive and say which workflow it asks for. Never raises for any string."""
    seen = read(text)
    language, candidates = _language(seen)
    reading = read_features(seen, candidates)
    if language == "und" and reading.hits:
        language = "en"
    ranked = _ranked(reading)
    ask = _ask(ranked, reading)
    inner = ranked[0][0] if reading.looping else None
    if reading.looping:
        table = _weights().loop
        share = table.interval if reading.interval else table.word
        ranked = [("loop", share), *((workflow, value * (1 - share)) for workflow, value in ranked)]
    (first, best), (second, next_best) = ranked[:2]
    return Routing(
        workflow=first,
        confidence=round(best, 4),
        runner_up=second,
        runner_up_confidence=round(next_best, 4),
        ship=reading.ship and first not in READ_ONLY,
        ship_refused=reading.ship_refused,
        interval_s=reading.interval.seconds if reading.interval else None,
        inner_workflow=inner,
        issue=reading.numbers.issues[0] if reading.numbers.issues else None,
        language=language,
        ask=ask,
        cues=_found(seen, reading),
    )

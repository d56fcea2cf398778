"""The package is asked: in random order, in a worker of its own language, and a part of it once more in a fresh one."""

from __future__ import annotations

import hashlib
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statsclaw.verify.blind.expressions import Answered, Answers, Condition, is_sound
from statsclaw.verify.blind.form import Forms
from statsclaw.verify.blind.questionnaire import Call, Questionnaire
from statsclaw.verify.blind.respelling import respelled
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.progress import Progress

#: How long a single call may take, and how long loading the package may.
CALL_S, LOADING_S = 600.0, 300.0
#: The share of questions that is asked again, and the least number of cases.
_AGAIN, _FEWEST_AGAIN = 0.2, 6
#: As long as asking again takes no longer than this, nothing is left out.
_CHEAP_S = 5.0
#: Where a call leaves one of these to the package, two answers need not agree.
_CHANCE = frozenset({"rng", "seed", "random_state", "generator", "random_seed", "key", "random"})

#: Workers that are ended before nobody asks further.
_MOST_ENDED = 5

Chain = tuple[Call, ...]
#: Starts a fresh worker.
Start = Callable[[], Conversation]


@dataclass
class Heard:
    """`printed`: what workers left on their standard output."""

    answers: Answers
    printed: str = ""
    asked_again: tuple[int, ...] = ()


def asked(questions: Questionnaire, forms: Forms, start: Start, secret: str, progress: Progress | None = None) -> Heard:
    """All answers. `secret` decides order and repetition; no author knows it."""
    progress = progress or Progress()
    drawn = random.Random(f"{secret} {questions.sha256}")
    chains = questions.chains()
    drawn.shuffle(chains)
    talk = _Talk(forms, start, questions.sha256)
    given = dict(progress.each("questions", talk.answered(chains), len(questions.calls)))
    chosen = _repeated(chains, given, drawn)
    again = [chain for chain in reversed(chains) if chain in chosen]  # who came first in a process now comes last
    talk.close()
    others = [respelled(chain, forms) for chain in again]
    second = dict(progress.each("questions, once more", talk.answered(others), sum(map(len, others)))) if again else {}
    talk.close()
    return Heard(Answers(given, second), talk.printed, tuple(sorted(second)))


def asked_once(questions: Questionnaire, forms: Forms, start: Start) -> None:
    """Every question, for what asking leaves behind; the answers are looked at by nobody."""
    talk = _Talk(forms, start, questions.sha256)
    for _ in talk.answered(questions.chains()):
        pass
    talk.close()


def ending(questions: Questionnaire, forms: Forms, start: Start, secret: str, limit_s: float) -> tuple[int, list[Call]]:
    """How many questions were asked in that time, and those that ended their worker, one each in their order.

    No answer is looked at.
    """
    chains, until = questions.chains(), time.monotonic() + limit_s
    random.Random(f"{secret} careful").shuffle(chains)
    talk, number, found = _Talk(forms, start, questions.sha256), 0, list[Call]()
    for chain in chains:
        if time.monotonic() > until or len(found) == _MOST_ENDED:
            break
        number += len(chain)
        answers = [answer for _, answer in talk.answered([chain])]
        found += [call for call, answer in zip(chain, answers, strict=True) if answer.died][:1]
    talk.close()
    return number, found


def _repeated(chains: Sequence[Chain], given: Mapping[int, Answered], drawn: random.Random) -> list[Chain]:
    """All where that costs little; else a random part, a fifth of the time, and those whose author wants it."""
    wanted = [chain for chain in chains if any(call.again for call in chain)]
    others = [chain for chain in chains if chain not in wanted]
    took = {chain[0].id: sum(given[call.id].seconds for call in chain) for chain in chains}
    if sum(took.values()) <= _CHEAP_S:
        return list(chains)
    budget = _AGAIN * sum(took.values())
    chosen: list[Chain] = []
    for chain in drawn.sample(others, len(others)):
        enough = len(chosen) >= max(_FEWEST_AGAIN, round(_AGAIN * len(others)))
        if not enough and (took[chain[0].id] <= budget or not chosen):
            chosen.append(chain)
            budget -= took[chain[0].id]
    return [*wanted, *chosen]


def leaves_to_chance(call: Call, forms: Forms) -> bool:
    """The interface has an argument for random numbers, and the call does not give it."""
    declared = forms.declared(call)
    if declared is None:
        return False
    given = forms.given(call)
    deciding = [row.name for row in declared.arguments if row.random is not None or row.name.lower() in _CHANCE]
    return any(given.get(name) is None for name in deciding)


class _Talk:
    """Asks chain after chain; where a worker dies, another goes on with the next call."""

    def __init__(self, forms: Forms, start: Start, salt: str) -> None:
        self.forms, self.start, self.salt = forms, start, salt
        self.worker: Conversation | None = None
        self.fresh = True
        self.printed = ""

    def answered(self, chains: Iterable[Chain]) -> Iterator[tuple[int, Answered]]:
        for chain in chains:
            lost = ""
            for call in chain:
                if lost:
                    yield call.id, Answered(call.id, error=Condition(("died",), lost), died=True)
                    continue
                try:
                    yield call.id, self._answer(call)
                except Silent as silent:
                    lost = str(silent)
                    yield call.id, Answered(call.id, error=Condition(("died",), lost), died=True)
                    self.close()
            if self.worker is not None:
                self.worker.send_later({"do": "forget"})

    def _answer(self, call: Call) -> Answered:
        """No call took longer than whoever asked has waited: what is asked again depends on it."""
        limit = CALL_S
        if self.worker is None:
            self.worker, limit = self.start(), CALL_S + LOADING_S
        begun = time.monotonic()
        found = read_answer(self.worker.ask(request_for(call, self.forms, self.salt), limit), call.id)
        return replace(found, seconds=min(found.seconds, time.monotonic() - begun))

    def close(self) -> None:
        if self.worker is not None:
            self.worker.finish()
            self.printed += self.worker.output
            self.worker = None


def request_for(call: Call, forms: Forms, salt: str) -> dict[str, Any]:
    """A call that says nothing about random numbers gets a seed of its own, so that it can be repeated."""
    seed = call.seed if call.seed is not None else int(hashlib.sha256(f"{salt} {call.id}".encode()).hexdigest()[:7], 16)
    return {
        "do": "call", "id": call.id, "what": call.what, "function": call.function, "on": call.on,
        "arguments": list(call.arguments), "named": dict(call.named), "seed": seed, "fields": forms.fields(call),
        **({"figure": True} if forms.is_figure(call) else {}),
    }  # fmt: skip


def read_answer(reply: Any, number: int) -> Answered:
    """What a worker wrote, as far as it has the form of an answer. It comes from the package's own process."""
    named = isinstance(reply, dict) and type(reply.get("id")) is int and reply["id"] == number
    if not named or ("value" in reply) == ("error" in reply) or not is_sound(reply.get("value")):
        raise Silent("it wrote what is no answer")
    warned = reply.get("warnings")
    changed = reply.get("changed")
    return Answered(
        number,
        value=reply.get("value"),
        error=_condition(reply["error"]) if "error" in reply else None,
        warnings=tuple(_condition(row) for row in warned) if isinstance(warned, list) else (),
        printed=_text(reply.get("printed"), 4000),
        seconds=_measured(reply.get("seconds")),
        peak=_measured(reply.get("peak")),
        changed=tuple(_text(place, 80) for place in changed) if isinstance(changed, list) else (),
        visible=reply.get("visible") is True,
    )


def _condition(row: Any) -> Condition:
    if not isinstance(row, dict):
        raise Silent("it wrote what is no answer")
    classes = row.get("classes")
    names: Any = classes.tolist() if isinstance(classes, np.ndarray) else classes
    names = names if isinstance(names, list) else [names] if isinstance(names, str) else []
    return Condition(tuple(_text(name, 200) for name in names[:20]), _text(row.get("message"), 4000))


def _text(value: Any, longest: int) -> str:
    """Nothing that is no text, and of a text nothing that cannot be written down."""
    return value[:longest].encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _measured(value: Any) -> float:
    """Time and memory are never negative, and never without an end."""
    found = float(value) if isinstance(value, int | float) else 0.0
    return found if 0.0 <= found < math.inf else 0.0

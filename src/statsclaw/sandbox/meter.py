"""What a model's answers say they cost, and in what trouble its server is: read as they pass the bridge.

A program cannot change what is counted here. Anthropic Messages, OpenAI Responses and Chat, and Gemini are understood,
each streamed or whole. An answer that does not say what it cost, or that nobody heard to its end, is estimated from its
length and that of the question. Everything is passed on as it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from statsclaw.runlog.events import Usage

#: A streamed event or a whole answer that is longer is not looked into.
_LONGEST = 4 * 1024 * 1024
_LONGEST_NAME = 120
#: Where nothing better is known; of English text and of code it is about right.
_BYTES_PER_TOKEN = 4
#: No question is longer, whatever its bytes are (pictures), and few answers are.
_FULL_CONTEXT, _LONG_ANSWER = 200_000, 10_000

#: Paths at which a server only counts what a question would cost, and at which it answers with numbers.
_COUNTS = re.compile(rb"[/:](?:count|input)_?tokens$", re.IGNORECASE)
_EMBEDS = re.compile(rb"(?:/|:(?:batch)?)embed[a-z]*$", re.IGNORECASE)

#: What a server calls its trouble once it has begun to answer, and the status it would have had before.
_NAMED = {
    "overloaded_error": 529,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 402,
    "billing_error": 402,
    "authentication_error": 401,
    "permission_error": 403,
}


@dataclass(frozen=True, slots=True)
class _Wire:
    """The names of tokens read, of those from a cache, and written. `within`: the cached are counted as read, too."""

    read: tuple[str, ...]
    cached: tuple[str, ...]
    written: tuple[str, ...]
    within: bool


_ANTHROPIC = _Wire(
    ("input_tokens", "cache_creation_input_tokens"), ("cache_read_input_tokens",), ("output_tokens",), False
)
_RESPONSES = _Wire(("input_tokens",), ("input_tokens_details", "cached_tokens"), ("output_tokens",), True)
_CHAT = _Wire(("prompt_tokens",), ("prompt_tokens_details", "cached_tokens"), ("completion_tokens",), True)
_GEMINI = _Wire(
    ("promptTokenCount",), ("cachedContentTokenCount",), ("candidatesTokenCount", "thoughtsTokenCount"), True
)
_OLLAMA = _Wire(("prompt_eval_count",), (), ("eval_count",), False)


class Meter:
    """Of one request and its answer: give it both as they come, then ask for `usage`, `model` and `trouble`.

    `asks`: whether a model is asked for an answer; a server may be asked for other things, which cost nothing.
    `writes`: whether the answer is written by the model, token by token.
    """

    def __init__(self, asks: bool = True, writes: bool = True) -> None:
        self.asks, self.writes = asks, writes
        self.answer_id = ""
        self.usage, self.model, self.trouble, self.estimated = Usage(), "", None, False
        self._sent = self._received = self._events = 0
        self._held, self._whole, self._passed_over = bytearray(), False, False
        self._answered = self._ended = self._queued = self.begun = False

    trouble: Trouble | None

    @classmethod
    def of(cls, method: str, target: bytes) -> Meter:
        """By the last part of the path. A query is the program's to choose and says nothing."""
        path = target.partition(b"?")[0]
        return cls(asks=method == "POST" and not _COUNTS.search(path), writes=not _EMBEDS.search(path))

    def send(self, data: bytes) -> None:
        self._sent += len(data)

    def begin(self, status: int, headers: Iterable[tuple[bytes, bytes]], now: datetime) -> None:
        self.begun, self.trouble = True, trouble_of(status, headers, now)
        self._answered = self.asks and 200 <= status < 300

    def feed(self, data: bytes) -> None:
        self._received += len(data)
        if not self._held.strip() and not self._whole and not self._passed_over:
            self._whole = data.lstrip()[:1] in (b"{", b"[")
        self._held += data
        if not self._whole:
            *lines, self._held = self._held.split(b"\n")
            for line in lines:
                self._event(line)
        if len(self._held) > _LONGEST:
            self._held.clear()
            self._passed_over = True

    def end(self, *, cut: bool = False) -> None:
        """`cut`: nobody heard the rest, and what it says it cost comes last. Only the first end counts."""
        if self._ended:
            return
        self._ended = True
        if self._whole and not self._passed_over:
            self._take(self._all_of_it())
        elif not self._whole:
            self._event(self._held)
        self._held.clear()
        if self._answered and self.trouble is None:
            self._estimate(cut)

    def fail(self, trouble: Trouble) -> None:
        self.begun, self.trouble = True, trouble

    def _estimate(self, cut: bool) -> None:
        said = self.usage
        if said != Usage() and not cut:
            return
        asked = 0 if said.input_tokens or said.cached_tokens else self._sent // _BYTES_PER_TOKEN
        written = self._events or self._received // _BYTES_PER_TOKEN  # a stream has an event for every token or two
        if not self.writes or self._passed_over:
            written = 0
        elif self._queued:  # it is written later, when nobody may listen
            written = _LONG_ANSWER
        self.usage = said.at_least(Usage(input_tokens=min(asked, _FULL_CONTEXT), output_tokens=written))
        self.estimated = self.usage != said

    def _all_of_it(self) -> object:
        """One document, or, as Ollama streams, one in each line, of which the last has the account."""
        text = bytes(self._held)
        found = _parsed(text)
        lines = text.splitlines() if found is None else []
        self._events = len(lines) if len(lines) > 1 else 0
        return [row for row in map(_parsed, lines[:1] + lines[-1:]) if row is not None] if lines else found

    def _event(self, line: bytearray) -> None:
        if self._passed_over:  # what is left of a line that was too long
            self._passed_over = False
        elif line.startswith(b"data:"):
            self._events += 1
            if self._events == 1 or b'"usage' in line or b'"error"' in line:
                self._take(_parsed(bytes(line[5:])))

    def _take(self, found: object) -> None:
        for answer in found if isinstance(found, list) else [found]:
            if not isinstance(answer, dict):
                continue
            for part in (answer, answer.get("message"), answer.get("response")):
                if isinstance(part, dict):
                    self._count(part)
                    self._fail(part.get("error"))
            if answer.get("type") == "error":
                self._fail(answer)

    def _fail(self, error: object) -> None:
        """A server that has said 200 can say only in its answer that it cannot go on."""
        if not isinstance(error, dict) or not self._answered or self.trouble is not None:
            return
        for said in (error.get("code"), error.get("type")):
            status = _NAMED.get(said, 0) if isinstance(said, str) else _number(said)
            if status in _NAMED.values() or 400 <= status < 600:
                self.trouble = trouble_of(status, (), datetime.now(UTC))

    def _count(self, part: Mapping[str, Any]) -> None:
        """Providers repeat what they have counted so far: the largest number of each kind is the last."""
        used, google = part.get("usage"), part.get("usageMetadata")
        model = part.get("model") or part.get("modelVersion")
        if isinstance(model, str) and not self.model:
            self.model = model[:_LONGEST_NAME]
        if isinstance(name := part.get("id"), str) and not self.answer_id:
            self.answer_id = name[:_LONGEST_NAME]
        self._queued = self._whole and part.get("status") in ("queued", "in_progress")
        if isinstance(google, dict):
            self._at_least(google, _GEMINI)
        elif "eval_count" in part:
            self._at_least(part, _OLLAMA)
        elif isinstance(used, dict):
            wire = _CHAT if "prompt_tokens" in used else _RESPONSES if "input_tokens_details" in used else _ANTHROPIC
            self._at_least(used, wire)

    def _at_least(self, used: Mapping[str, Any], wire: _Wire) -> None:
        cached: Any = used
        for name in wire.cached or ("",):
            cached = cached.get(name) if isinstance(cached, dict) else None
        read, written = (sum(_number(used.get(name)) for name in names) for names in (wire.read, wire.written))
        with suppress(ValueError):  # more than anybody can have used
            self.usage = self.usage.at_least(
                Usage(
                    input_tokens=max(0, read - _number(cached)) if wire.within else read,
                    cached_tokens=_number(cached),
                    output_tokens=written,
                )
            )


def _parsed(text: bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


#: Of a server that may do better the next time; one that does not know what is asked of it (501, 505) will not.
_LET_DOWN = frozenset(range(500, 600)) - {501, 505}


@dataclass(frozen=True, slots=True)
class Trouble:
    """The last thing that was heard of a model: no answer that an agent could work with. `status` 0: unreachable.

    `wait_s`: after how long its server wants to be asked again, where it says so. `lasting`: why it will not pass.
    """

    status: int
    wait_s: float | None = None
    lasting: str = ""

    @property
    def passes(self) -> bool:
        """Whether waiting may help: a limit, an overload, a network that is away."""
        return not self.lasting and (self.status in (0, 408, 409, 425, 429) or self.status in _LET_DOWN)

    @property
    def needs_a_person(self) -> bool:
        """A key that is not taken, an account without money, a server that is not the one it should be."""
        return bool(self.lasting) or self.status in (401, 402, 403)


def trouble_of(status: int, headers: Iterable[tuple[bytes, bytes]], now: datetime) -> Trouble | None:
    """What an answer of this status says; None for one that an agent can work with."""
    found = Trouble(status)
    if not found.passes and not found.needs_a_person:
        return None
    said = {name.lower(): value.decode("latin-1").strip() for name, value in headers}
    return Trouble(status, _wait(status, said, now))


def _wait(status: int, said: Mapping[bytes, str], now: datetime) -> float | None:
    """`retry-after` in seconds or as a date, or the moment at which the limit of a subscription ends."""
    with suppress(ValueError, OverflowError):
        if b"retry-after-ms" in said:
            return _sensible(float(said[b"retry-after-ms"]) / 1000)
        if (text := said.get(b"retry-after", "")).replace(".", "", 1).isdigit():
            return _sensible(float(text))
        if text:
            at = parsedate_to_datetime(text)
            return _sensible((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now.timestamp())
        if status == HTTPStatus.TOO_MANY_REQUESTS and b"anthropic-ratelimit-unified-reset" in said:
            return _sensible(float(said[b"anthropic-ratelimit-unified-reset"]) - now.timestamp())
    return None


def _sensible(seconds: float) -> float | None:
    return max(0.0, seconds) if math.isfinite(seconds) else None

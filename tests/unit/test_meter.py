"""What a model's answers cost is counted as they pass, whatever they look like and however they are cut."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from statsclaw.engine.spending import settled
from statsclaw.runlog.events import NetworkUse, Usage
from statsclaw.sandbox.meter import Meter, Trouble, trouble_of

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
USED = Usage(input_tokens=100, cached_tokens=7, output_tokens=5)
ANTHROPIC = {"input_tokens": 80, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 7, "output_tokens": 5}
RESPONSES = {"input_tokens": 107, "input_tokens_details": {"cached_tokens": 7}, "output_tokens": 5}
CHAT = {"prompt_tokens": 107, "prompt_tokens_details": {"cached_tokens": 7}, "completion_tokens": 5}
GEMINI = {"promptTokenCount": 107, "cachedContentTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}


def stream(*events: object, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return "".join(f"{head}data: {e if isinstance(e, str) else json.dumps(e)}\n\n" for e in events).encode()


ANSWERS = {
    "anthropic": json.dumps({"model": "m-1", "content": [], "usage": ANTHROPIC}, indent=1).encode(),
    "anthropic, streamed": stream(
        {"type": "message_start", "message": {"model": "m-1", "usage": {**ANTHROPIC, "output_tokens": 1}}},
        {"type": "content_block_delta", "delta": {"text": '"usage": {"output_tokens": 10000}'}},
        {"type": "message_delta", "usage": {"output_tokens": 5}},
        name="x",
    ),
    "responses": json.dumps({"model": "m-1", "usage": RESPONSES}).encode(),
    "responses, streamed": stream(
        {"type": "response.created", "response": {"model": "m-1", "usage": None}},
        {"type": "response.completed", "response": {"model": "m-1", "usage": RESPONSES}},
    ),
    "chat": json.dumps({"model": "m-1", "choices": [], "usage": CHAT}).encode(),
    "chat, streamed": stream({"model": "m-1", "usage": None}, {"model": "m-1", "usage": CHAT}, "[DONE]"),
    "gemini": json.dumps([{"modelVersion": "m-1", "usageMetadata": GEMINI}]).encode(),
    "gemini, streamed": stream(
        {"modelVersion": "m-1", "usageMetadata": {"promptTokenCount": 107, "cachedContentTokenCount": 7}},
        {"modelVersion": "m-1", "usageMetadata": GEMINI},
    ),
}


def measured(body: bytes, piece: int = 1 << 20) -> Meter:
    meter = Meter()
    for start in range(0, len(body), piece):
        meter.feed(body[start : start + piece])
    meter.end()
    return meter


@pytest.mark.parametrize("piece", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_provider_s_answers_are_counted_however_they_are_cut(kind, piece):
    meter = measured(ANSWERS[kind], piece)
    assert (meter.usage, meter.model) == (USED, "m-1")


@pytest.mark.parametrize("kind", ANSWERS)
def test_lines_may_end_as_http_ends_them(kind):
    assert measured(ANSWERS[kind].replace(b"\n", b"\r\n")).usage == USED


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\xff" * 1000,
        b"{",
        b"[" * 100_000,
        b'data: {"usage": ' + b"[" * 100_000 + b"\n\n",
        b'{"usage": "many"}',
        b'{"usage": {"input_tokens": -5, "output_tokens": true, "prompt": 1e308}}',
        b'{"usage": {"input_tokens": 1' + b"0" * 40 + b"}}",
        b'{"usageMetadata": {"promptTokenCount": "7"}, "modelVersion": 7}',
        b'{"message": [1], "response": "x", "usage": null}',
        b"<html>502</html>",
    ],
)
def test_what_is_no_account_counts_nothing_and_breaks_nothing(body):
    assert measured(body, 4096).usage == Usage()


def test_an_event_that_is_too_long_is_passed_over_and_the_next_is_read():
    long = stream({"usage": ANTHROPIC, "padding": "x" * 5_000_000})
    meter = measured(long + stream({"message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}), 65536)
    assert meter.usage == Usage(input_tokens=3, output_tokens=1)


def test_a_whole_answer_that_is_too_long_is_not_kept():
    meter = Meter()
    for _ in range(100):
        meter.feed(b'{"a": "' + b"x" * 100_000)
    assert len(meter._held) <= 4 * 1024 * 1024 + 100_007
    meter.end()
    assert meter.usage == Usage()


@pytest.mark.parametrize(
    ("status", "headers", "trouble"),
    [
        (200, {}, None),
        (400, {}, None),
        (404, {}, None),
        (401, {}, Trouble(401)),
        (429, {}, Trouble(429)),
        (429, {"retry-after": "7"}, Trouble(429, 7.0)),
        (429, {"Retry-After": " 2.5 "}, Trouble(429, 2.5)),
        (429, {"retry-after-ms": "1500", "retry-after": "9"}, Trouble(429, 1.5)),
        (503, {"retry-after": "Thu, 01 Jan 2026 12:01:00 GMT"}, Trouble(503, 60.0)),
        (503, {"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, Trouble(503, 0.0)),
        (429, {"anthropic-ratelimit-unified-reset": str(int(NOW.timestamp()) + 3600)}, Trouble(429, 3600.0)),
        (529, {"retry-after": "soon"}, Trouble(529)),
        (529, {"retry-after": "inf"}, Trouble(529)),
        (529, {"retry-after": "-3"}, Trouble(529)),
        (529, {"retry-after": "9" * 400}, Trouble(529)),
    ],
)
def test_what_a_server_in_trouble_says(status, headers, trouble):
    assert trouble_of(status, [(k.encode(), v.encode()) for k, v in headers.items()], NOW) == trouble


def test_a_program_cannot_say_that_it_cost_less_than_was_counted():
    assert settled(Usage(input_tokens=1), USED) == settled(Usage(input_tokens=10**6), USED) == USED
    assert settled(Usage(input_tokens=1, cost_usd=2.0), USED.model_copy(update={"cost_usd": 1.0})).cost_usd == 2.0
    assert settled(Usage(input_tokens=500), Usage()).input_tokens == 500, "a wire that is not understood"


def test_two_stretches_of_a_dispatch_are_added_up():
    one = NetworkUse(requests=1, by_host={"a": 1}, answers={"200": 1}, models={"m": USED}, refusals=("x",))
    both = one + NetworkUse(requests=2, by_host={"a": 1, "b": 1}, answers={"429": 2}, models={"m": USED, "n": USED})
    assert both.requests == 3 and both.by_host == {"a": 2, "b": 1} and both.answers == {"200": 1, "429": 2}
    assert both.models == {"m": USED + USED, "n": USED} and both.refusals == ("x",)

"""What a model's answers cost is known at the bridge no later than to the program that asked, whatever it does then."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from statsclaw.runlog.events import Usage
from statsclaw.sandbox.bridge import Bridge, Route
from statsclaw.sandbox.forward import connect
from statsclaw.sandbox.ledger import MOST_SENSELESS
from statsclaw.sandbox.meter import Trouble
from tests.support.patience import within

USAGE = {"input_tokens": 10, "output_tokens": 5}
WHOLE = json.dumps({"model": "m", "usage": USAGE}).encode()
Reply = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(autouse=True)
def _nothing_hangs() -> Iterator[None]:
    with within(60):
        yield


def whole(body: bytes, status: int = 200) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def events(*rows: object, wait: threading.Event | None = None, breaks_off: bool = False) -> Reply:
    """Each in a chunk of its own; `wait`: before the end is told. One that `breaks_off` never tells it."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for row in rows:
            data = f"data: {json.dumps(row)}\n\n".encode()
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        if wait:
            wait.wait(30)
        if breaks_off:
            handler.close_connection = True
        else:
            handler.wfile.write(b"0\r\n\r\n")

    return reply


@contextlib.contextmanager
def bridge_to(folder: Path, reply: Reply, **more: Any) -> Iterator[Bridge]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            with contextlib.suppress(OSError):
                reply(self)

        do_GET = do_POST

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        with Bridge(folder, [Route(name="model", upstream=url)], **more) as bridge:
            yield bridge
    finally:
        server.shutdown()
        server.server_close()


class Link(http.client.HTTPConnection):
    def __init__(self, bridge: Bridge) -> None:
        super().__init__("127.0.0.1:8001", timeout=30)
        self.bridge = bridge

    def connect(self) -> None:
        self.sock = connect(str(self.bridge.sockets["model"]))
        self.sock.setblocking(True)
        self.sock.settimeout(30)


def ask(bridge: Bridge, target: str = "/v1/messages", body: str = "{}") -> tuple[int, bytes]:
    with contextlib.closing(Link(bridge)) as link:
        link.request("POST", target, body)
        answer = link.getresponse()
        return answer.status, answer.read()


def until(found: Callable[[], object]) -> None:
    while not found():
        threading.Event().wait(0.005)


@pytest.mark.parametrize("reply", [whole(WHOLE), events({"message": {"model": "m", "usage": USAGE}})])
def test_an_answer_is_counted_before_the_program_has_heard_the_end_of_it(tmp_path, reply):
    """Or the next question would be let through although the budget is spent."""
    with bridge_to(tmp_path, reply) as bridge:
        for number in range(1, 200):
            assert ask(bridge)[0] == 200
            assert bridge.use.models["m"].tokens == 15 * number


def test_so_the_question_after_a_spent_budget_is_never_let_through(tmp_path):
    def may_ask() -> str:
        return "spent" if bridge.use.models else ""

    for number in range(60):
        (folder := tmp_path / str(number)).mkdir()
        with bridge_to(folder, whole(WHOLE), may_ask=may_ask) as bridge:
            assert [ask(bridge)[0], ask(bridge)[0]] == [200, 402]


def test_an_answer_under_way_counts_as_far_as_it_has_come(tmp_path):
    end = threading.Event()
    with bridge_to(tmp_path, events({"message": {"model": "m", "usage": USAGE}}, wait=end)) as bridge:
        asking = threading.Thread(target=ask, args=(bridge,))
        asking.start()
        until(lambda: bridge.use.models)
        assert bridge.use.models == {"m": Usage(**USAGE)}
        end.set()
        asking.join()
        assert bridge.use.models == {"m": Usage(**USAGE)}, "and once only"


CHAT = [{"model": "m", "choices": [{"delta": {"content": "word"}}]}] * 40


def test_a_stream_that_does_not_say_what_it_cost_is_estimated_and_said_to_be(tmp_path):
    with bridge_to(tmp_path, events(*CHAT)) as bridge:
        ask(bridge, "/v1/chat/completions", "x" * 4000)
        assert bridge.use.models == {"m": Usage(input_tokens=1000, output_tokens=40)} and bridge.use.estimated == 1


@pytest.mark.parametrize(
    "query", ["?x=/count_tokens", "?x=:countTokens", "?x=/input_tokens", "?embed", "?x=/embeddings"]
)
def test_a_query_does_not_make_a_question_free_of_charge(tmp_path, query):
    with bridge_to(tmp_path, events(*CHAT)) as bridge:
        ask(bridge, f"/v1/chat/completions{query}", "x" * 4000)
        assert bridge.use.models == {"m": Usage(input_tokens=1000, output_tokens=40)}


def test_nor_does_the_name_of_a_model(tmp_path):
    with bridge_to(tmp_path, events(*CHAT)) as bridge:
        ask(bridge, "/v1beta/models/embedded-writer:streamGenerateContent", "x" * 4000)
        assert bridge.use.models == {"m": Usage(input_tokens=1000, output_tokens=40)}


def test_so_is_one_that_nobody_heard_to_its_end(tmp_path):
    """A program that hangs up before the last event would otherwise have asked for little."""
    start = {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 900, "output_tokens": 1}}}
    gone = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for number in range(100_000):
            handler.wfile.write(f"data: {json.dumps(start if number == 0 else CHAT[0])}\n\n".encode())
            if number == 40:
                gone.wait(30)

    with bridge_to(tmp_path, reply) as bridge:
        with contextlib.closing(Link(bridge)) as link:
            link.request("POST", "/v1/messages", "x" * 4000)
            heard = b""
            while heard.count(b"data:") < 10:
                heard += link.sock.recv(1000)
        gone.set()
        until(lambda: bridge.use.estimated)
        used = bridge.use.models["m"]
        assert used.input_tokens == 900 and 10 <= used.output_tokens < 100_000


@pytest.mark.parametrize(
    ("target", "reply"),
    [
        ("/v1/messages/count_tokens?beta=true", whole(b'{"input_tokens": 1000}')),
        ("/v1beta/models/g:countTokens", whole(b'{"totalTokens": 1000}')),
        ("/v1/messages", whole(b'{"error": {"type": "invalid_request_error"}}', 400)),
        ("/v1/messages", whole(b"busy", 529)),
    ],
)
def test_what_no_model_answered_costs_nothing(tmp_path, target, reply):
    with bridge_to(tmp_path, reply) as bridge:
        ask(bridge, target, "x" * 4000)
        assert bridge.use.models == {} and bridge.use.estimated == 0


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 529),
        ({"type": "error", "error": {"type": "rate_limit_error"}}, 429),
        ({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded"}, "usage": None}}, 429),
        ({"type": "response.failed", "response": {"error": {"code": "server_error"}}}, 500),
        ({"type": "error", "code": "server_error", "error": None}, 500),
        ({"error": {"code": 503, "status": "UNAVAILABLE"}}, 503),
        ({"error": {"type": "insufficient_quota", "code": "insufficient_quota"}}, 402),
    ],
)
def test_trouble_that_is_told_in_the_middle_of_an_answer_is_heard(tmp_path, said, status):
    with bridge_to(tmp_path, events({"type": "message_start"}, said)) as bridge:
        assert ask(bridge)[0] == 200
        assert bridge.trouble == Trouble(status)


@pytest.mark.parametrize(
    "said",
    [
        {"type": "error", "error": {"type": "invalid_request_error"}},
        {"response": {"error": None, "usage": None}},
        {"delta": {"text": '{"error": {"type": "overloaded_error"}}'}},
        {"error": {"code": True, "type": ["overloaded_error"]}},
        {"error": {"code": 10**30}},
        {"error": "overloaded_error"},
    ],
)
def test_what_a_model_writes_is_no_trouble(tmp_path, said):
    with bridge_to(tmp_path, events(said)) as bridge:
        ask(bridge)
        assert bridge.trouble is None


def test_a_question_that_costs_nothing_does_not_make_trouble_forgotten(tmp_path):
    replies = iter([whole(b"busy", 529), whole(b'{"input_tokens": 3}'), whole(WHOLE)])
    with bridge_to(tmp_path, lambda handler: next(replies)(handler)) as bridge:
        ask(bridge)
        assert bridge.trouble == Trouble(529)
        ask(bridge, "/v1/messages/count_tokens")
        assert bridge.trouble == Trouble(529)
        ask(bridge)
        assert bridge.trouble is None


def test_an_upstream_that_breaks_off_in_the_middle_is_trouble_too(tmp_path):
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        handler.close_connection = True

    with bridge_to(tmp_path, reply) as bridge:
        with pytest.raises(http.client.HTTPException):
            ask(bridge)
        until(lambda: bridge.trouble)
        assert bridge.trouble == Trouble(0)


def test_a_server_that_answers_is_not_hopeless_because_it_does_not_count(tmp_path):
    def reply(handler: BaseHTTPRequestHandler) -> None:
        (whole(b"{}", 404) if "count_tokens" in handler.path else whole(WHOLE))(handler)

    with bridge_to(tmp_path, reply) as bridge:
        for _ in range(MOST_SENSELESS + 5):
            assert ask(bridge)[0] == 200
            assert ask(bridge, "/v1/messages/count_tokens")[0] == 404
        assert bridge.hopeless == 0


def test_one_that_refuses_two_questions_in_five_is_whatever_it_answers_in_between(tmp_path):
    """An agent whose context is full may have it summed up, with success, again and again."""
    replies = cycle([whole(b"{}", 400), whole(WHOLE)])
    with bridge_to(tmp_path, lambda handler: next(replies)(handler)) as bridge:
        for _ in range(MOST_SENSELESS - 1):
            ask(bridge), ask(bridge)
        assert bridge.hopeless == 0
        ask(bridge)
        assert bridge.hopeless == 400


def test_a_question_in_three_is_not_hopeless_however_long_it_takes(tmp_path):
    replies = cycle([whole(b"{}", 400), whole(WHOLE), whole(WHOLE)])
    with bridge_to(tmp_path, lambda handler: next(replies)(handler)) as bridge:
        for _ in range(4 * MOST_SENSELESS):
            ask(bridge)
        assert bridge.hopeless == 0


def test_an_answer_that_is_given_up_does_not_make_later_trouble_forgotten(tmp_path):
    """A program with two questions at once ends when one of them is refused."""
    end = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        slow = events({"message": {"model": "m", "usage": USAGE}}, wait=end)
        (slow if "slow" in handler.path else whole(b"limit", 429))(handler)

    with bridge_to(tmp_path, reply) as bridge:
        link = Link(bridge)
        link.request("POST", "/v1/messages/slow", "{}")
        until(lambda: bridge.use.models)
        assert ask(bridge)[0] == 429
        link.close()
        end.set()
    assert bridge.trouble == Trouble(429)


def test_nor_does_it_make_trouble_of_later_answers(tmp_path):
    end = threading.Event()

    def reply(handler: BaseHTTPRequestHandler) -> None:
        if "slow" in handler.path:
            end.wait(30)
            raise ConnectionError
        whole(WHOLE)(handler)

    with bridge_to(tmp_path, reply) as bridge:
        link = Link(bridge)
        link.request("POST", "/v1/messages/slow", "{}")
        until(lambda: bridge.use.requests)
        assert ask(bridge)[0] == 200
        end.set()
        with contextlib.suppress(http.client.HTTPException, OSError):
            link.getresponse().read()
        link.close()
    assert bridge.trouble is None


def test_a_server_that_stays_silent_until_the_program_gives_up_is_in_trouble(tmp_path, monkeypatch):
    monkeypatch.setattr("statsclaw.sandbox.bridge.SILENCE_S", 0.3)
    end = threading.Event()
    with bridge_to(tmp_path, lambda handler: end.wait(30) or None) as bridge:
        link = Link(bridge)
        link.request("POST", "/v1/messages", "{}")
        link.sock.settimeout(0.6)
        with pytest.raises(TimeoutError):
            link.getresponse()
        link.close()
    end.set()
    assert bridge.trouble == Trouble(0)


def test_a_stream_that_the_server_breaks_off_was_paid_for(tmp_path):
    with bridge_to(tmp_path, events(*CHAT, breaks_off=True)) as bridge:
        with contextlib.suppress(http.client.HTTPException):
            ask(bridge, "/v1/chat/completions", "x" * 4000)
        until(lambda: bridge.trouble)
        assert bridge.use.models == {"m": Usage(input_tokens=1000, output_tokens=40)}


def look_at(bridge: Bridge, target: str) -> None:
    with contextlib.closing(Link(bridge)) as link:
        link.request("GET", target, "", {"Content-Length": "0"})
        link.getresponse().read()


def test_an_answer_that_is_looked_at_again_is_not_paid_for_again(tmp_path):
    done = json.dumps({"id": "r", "model": "m", "usage": {**USAGE, "input_tokens_details": {}}}).encode()
    with bridge_to(tmp_path, whole(done)) as bridge:
        ask(bridge, "/v1/responses")
        for _ in range(3):
            look_at(bridge, "/v1/responses/r")
        assert bridge.use.models == {"m": Usage(**USAGE)}
        ask(bridge, "/v1/responses")
        assert bridge.use.models["m"].tokens == 30, "a server that gives every answer the same name is paid each time"


def test_an_answer_that_is_written_later_is_taken_for_a_long_one_until_it_is_there(tmp_path):
    used = {"input_tokens": 20, "output_tokens": 30_000, "input_tokens_details": {}}
    rows = [{"status": "queued", "usage": None}, {"status": "completed", "usage": used}]
    replies = (whole(json.dumps({"id": "r", "model": "m", **row}).encode()) for row in rows)
    with bridge_to(tmp_path, lambda handler: next(replies)(handler)) as bridge:
        ask(bridge, "/v1/responses", "x" * 80)
        assert bridge.use.models["m"].output_tokens == 10_000 and bridge.use.estimated == 1
        look_at(bridge, "/v1/responses/r")
        assert bridge.use.models["m"].output_tokens == 30_000


EMBEDDED = {"data": [{"embedding": [0.0123456789] * 1536}] * 256, "model": "m", "usage": {"prompt_tokens": 2000}}
LINE = {"model": "m", "created_at": "2026-01-01T00:00:00.385406455-07:00", "message": {"content": "word"}}


@pytest.mark.parametrize(
    ("target", "question", "body", "most"),
    [
        ("/v1/embeddings", 8000, json.dumps(EMBEDDED).encode(), 2000),
        ("/v1beta/models/g:embedContent", 400, json.dumps({"embedding": [0.0123456789] * 3072}).encode(), 100),
        ("/v1/chat/completions", 5_000_000, b"data: {}\n\n" * 40, 200_040),
        ("/api/chat", 400, b"".join(json.dumps(LINE).encode() + b"\n" for _ in range(100)), 200),
        ("/v1/responses/input_tokens", 4000, b'{"input_tokens": 1000}', 0),
    ],
)
def test_an_estimate_is_not_absurd(tmp_path, target, question, body, most):
    """Vectors, pictures, lines of JSON: their bytes are not what is paid for."""
    with bridge_to(tmp_path, whole(body)) as bridge:
        ask(bridge, target, "x" * question)
        assert sum(used.tokens for used in bridge.use.models.values()) <= most


def test_what_ollama_says_in_its_last_line_counts(tmp_path):
    last = {"model": "m", "done": True, "prompt_eval_count": 26, "eval_count": 98}
    body = b"".join(json.dumps(row).encode() + b"\n" for row in [LINE] * 50 + [last])
    with bridge_to(tmp_path, whole(body)) as bridge:
        ask(bridge, "/api/chat", "x" * 4000)
        assert bridge.use.models == {"m": Usage(input_tokens=26, output_tokens=98)} and bridge.use.estimated == 0

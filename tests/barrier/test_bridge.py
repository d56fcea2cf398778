"""The bridge and the forwarder: real sockets, real servers, a real sandbox, and every rule attacked."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.sandbox.bridge import FORWARDER, Bridge, NetworkUse, Route
from statsclaw.sandbox.endpoints import PLACEHOLDER, Endpoint, endpoint, endpoint_names
from statsclaw.sandbox.forward import connect
from statsclaw.sandbox.outward import Place, Refused, Scrubber
from tests.support.patience import within

# Made up here, never valid; with characters that JSON and URLs write in other ways.
KEY = "sk-made-up/" + "a1B2" * 6 + '"\\end'
MANY = 50 * 1024 * 1024
BLOCK = bytes(range(256)) * 4096


@pytest.fixture(autouse=True)
def _nothing_hangs() -> Iterator[None]:
    with within(120):
        yield


# --- an upstream ---------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    method: str
    target: str
    headers: list[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]


@dataclass
class Upstream:
    """Does what the path says, and remembers every request that reached it, even one that never got whole."""

    server: ThreadingHTTPServer
    scheme: str = "http"
    seen: list[Seen] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    connections: list[Any] = field(default_factory=list)
    trailers: list[bytes] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"{self.scheme}://{'localhost' if self.scheme == 'https' else '127.0.0.1'}:{self.port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream: Upstream

    def setup(self) -> None:
        super().setup()
        self.upstream.connections.append(self.client_address)

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_: object) -> None: ...

    def do_any(self) -> None:
        self.upstream.seen.append(Seen(self.command, self.path, self.headers.items()))
        path = self.path.partition("?")[0].rpartition("/")[2]
        getattr(self, f"on_{path}", self.on_echo)()

    do_GET = do_POST = do_HEAD = do_DELETE = do_OPTIONS = do_PUT = do_any

    def body(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            while (line := self.rfile.readline()) not in (b"\r\n", b""):
                self.upstream.trailers.append(line)
            return
        left = int(self.headers.get("Content-Length", 0))
        while left:
            data = self.rfile.read(min(left, 1 << 20))
            if not data:
                raise ConnectionError
            left -= len(data)
            yield data

    def answer(self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = ()) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunks(self, parts: Sequence[bytes]) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in parts:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\nX-Trailer: %b\r\n\r\n" % KEY.encode())

    def on_echo(self) -> None:
        body = b"".join(self.body())
        said = {"headers": dict(self.headers.items()), "target": self.path, "body": body.decode()}
        text = json.dumps(said) + "".join(f"\n{value}" for value in self.headers.values())
        self.answer(200, text.encode(), [("X-Echo", v) for v in self.headers.values() if KEY in v])

    def on_sink(self) -> None:
        digest, size = hashlib.sha256(), 0
        for data in self.body():
            digest.update(data)
            size += len(data)
        self.answer(200, f"{size} {digest.hexdigest()}".encode())

    def on_blob(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(MANY))
        self.end_headers()
        for _ in range(MANY // len(BLOCK)):
            self.wfile.write(BLOCK)

    def on_stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"3\r\none\r\n")
        self.wfile.flush()
        self.upstream.gate.wait(60)
        self.wfile.write(b"3\r\ntwo\r\n0\r\n\r\n")

    def on_hang(self) -> None:
        self.upstream.gate.wait(60)

    def on_split(self) -> None:
        at = int(self.path.partition("?")[2])
        self.chunks([b"before " + KEY.encode()[:at], KEY.encode()[at:] + b" after"])

    def on_crumbs(self) -> None:
        self.chunks([bytes([byte]) for byte in b"before " + KEY.encode() + b" after " + KEY.encode()[:5]])

    def on_range(self) -> None:
        start, _, end = self.headers.get("Range", "bytes=0-99").partition("=")[2].partition("-")
        self.answer(206, KEY.encode()[int(start) : int(end) + 1])

    def on_redirect(self) -> None:
        self.answer(302, b"", [("Location", "http://evil.example/v1/elsewhere")])

    def on_cookie(self) -> None:
        headers = [("Set-Cookie", "session=1"), ("Connection", "X-Inner"), ("X-Inner", "1"), ("Keep-Alive", "5")]
        self.answer(200, b"{}", [*headers, ("Alt-Svc", 'h3=":443"'), ("X-Outer", "1")])

    def on_reason(self) -> None:
        self.wfile.write(f"HTTP/1.1 401 {KEY}\r\nContent-Length: 0\r\n\r\n".encode())

    def on_name(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-sk-made-up: 1\r\nContent-Length: 0\r\n\r\n")

    def on_gzip(self) -> None:
        self.answer(200, gzip.compress(KEY.encode()), [("Content-Encoding", "gzip")])

    def on_old(self) -> None:
        self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")
        self.close_connection = True

    def on_garbage(self) -> None:
        self.wfile.write(b"no HTTP at all " + KEY.encode() + b"\r\n\r\n")
        self.close_connection = True

    def on_switch(self) -> None:
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
        self.close_connection = True

    def on_cut(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        self.close_connection = True

    def on_early(self) -> None:
        self.answer(413, b"too large")
        self.upstream.gate.wait(60)
        self.close_connection = True


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None: ...


@contextlib.contextmanager
def upstream_server(certificate: Path | None = None) -> Iterator[Upstream]:
    handler = type("BoundHandler", (Handler,), {})
    server = Quiet(("127.0.0.1", 0), handler)
    upstream = Upstream(server)
    handler.upstream = upstream  # type: ignore[attr-defined]
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        upstream.scheme = "https"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield upstream
    finally:
        upstream.gate.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with upstream_server() as server:
        yield server


def route(upstream: Upstream, /, **other: Any) -> Route:
    return Route(**{"name": "model", "upstream": upstream.url, "key": KEY, "prefixes": ("/v1",), **other})


@pytest.fixture
def bridge(tmp_path: Path, upstream: Upstream) -> Iterator[Bridge]:
    with Bridge(tmp_path, [route(upstream)]) as bridge:
        yield bridge


# --- a program -----------------------------------------------------------------------------------------------------


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def message(self) -> str:
        return str(json.loads(self.body)["error"]["message"])


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("127.0.0.1:8001", timeout=60)
        self.path = path

    def connect(self) -> None:
        self.sock = connect(str(self.path))
        self.sock.setblocking(True)
        self.sock.settimeout(60)


def raw(path: Path, data: bytes, *, end: bool = False) -> bytes:
    """Everything that comes back, up to the end of the connection."""
    got = b""
    with connect(str(path)) as link:
        link.settimeout(60)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            link.sendall(data)
            if end:
                link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while more := link.recv(65536):
                got += more
    return got


def read(got: bytes) -> Answer:
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return Answer(int(lines[0].split()[1]), headers, body, got)


def ask(
    bridge: Bridge,
    target: str,
    method: str = "GET",
    body: Any = None,
    headers: dict[str, str] | None = None,
    name: str = "model",
) -> Answer:
    link = UnixConnection(bridge.sockets[name])
    with contextlib.closing(link):
        link.request(method, target, body=body, headers=headers or {})
        answer = link.getresponse()
        data = answer.read()
        names = {key.lower(): value for key, value in answer.getheaders()}
        head = f"{answer.status} {answer.reason} {answer.getheaders()}"
        return Answer(answer.status, names, data, head.encode() + data)


def request(line: str, *headers: str, body: bytes = b"", host: str = "Host: 127.0.0.1:8001") -> bytes:
    return "\r\n".join((line, *([host] if host else []), *headers, "", "")).encode("latin-1") + body


@contextlib.contextmanager
def raw_server(serve: Callable[[socket.socket], None], path: Path | None = None) -> Iterator[int]:
    """On a unix socket, or on a port of loopback, which is then given."""
    listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
    listener.bind(str(path) if path else ("127.0.0.1", 0))
    listener.listen()

    def run() -> None:
        with contextlib.suppress(OSError):
            while True:
                link, _ = listener.accept()
                with link, contextlib.suppress(OSError):
                    serve(link)

    threading.Thread(target=run, daemon=True).start()
    try:
        yield 0 if path else listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def all_of(link: socket.socket) -> bytes:
    got = bytearray()
    while more := link.recv(1 << 16):
        got += more
    return bytes(got)


def digest_at_the_end(link: socket.socket) -> None:
    link.sendall(hashlib.sha256(all_of(link)).hexdigest().encode())


# --- reverse mode: what passes -------------------------------------------------------------------------------------


def test_a_request_arrives_with_the_real_key_and_its_answer_comes_back(bridge: Bridge, upstream: Upstream) -> None:
    answer = ask(bridge, "/v1/echo?beta=true", "POST", b"hello", {"anthropic-version": "1", "x-api-key": PLACEHOLDER})
    [seen] = upstream.seen
    assert answer.status == 200 and json.loads(answer.body.split(b"\n")[0])["body"] == "hello"
    assert (seen.method, seen.target) == ("POST", "/v1/echo?beta=true")
    assert seen.all("authorization") == [f"Bearer {KEY}"]
    assert seen.all("host") == [f"127.0.0.1:{upstream.port}"]
    assert seen.all("anthropic-version") == ["1"] and seen.all("x-api-key") == []
    use = bridge.use
    assert (use.requests, use.refused, use.by_host) == (1, 0, {f"127.0.0.1:{upstream.port}": 1})
    assert use.bytes_up > len(b"hello") and use.bytes_down > len(answer.body)


def test_one_connection_carries_many_requests_over_one_upstream_connection(bridge: Bridge, upstream: Upstream) -> None:
    link = UnixConnection(bridge.sockets["model"])
    for number in range(5):
        link.request("POST", "/v1/sink", body=b"x" * number)
        assert link.getresponse().read().startswith(str(number).encode())
    link.request("POST", "/v1/sink", body=iter([b"a" * 70_000, b"b"]), encode_chunked=True)
    assert link.getresponse().read().startswith(b"70001 ")
    link.close()
    assert bridge.use.requests == 6 and len(upstream.connections) == 1


def test_requests_sent_at_once_are_answered_in_order(bridge: Bridge) -> None:
    first = request("POST /v1/sink HTTP/1.1", "Content-Length: 3", body=b"one")
    last = request("POST /v1/sink HTTP/1.1", "Content-Length: 5", "Connection: close", body=b"three")
    got = raw(bridge.sockets["model"], first + last)
    assert got.index(b"3 " + hashlib.sha256(b"one").hexdigest().encode()) < got.rindex(b"\r\n5 ")
    assert got.count(b"HTTP/1.1 200 OK") == 2


def test_a_program_that_ends_its_side_still_gets_the_answer(bridge: Bridge) -> None:
    got = raw(bridge.sockets["model"], request("GET /v1/sink HTTP/1.1"), end=True)
    assert read(got).status == 200


def test_a_program_that_asks_whether_to_go_on_is_told_to(bridge: Bridge, upstream: Upstream) -> None:
    link = connect(str(bridge.sockets["model"]))
    link.settimeout(60)
    link.sendall(request("POST /v1/sink HTTP/1.1", "Content-Length: 2", "Expect: 100-continue", "Connection: close"))
    assert link.recv(1000).startswith(b"HTTP/1.1 100 ")
    link.sendall(b"ok")
    assert all_of(link).endswith(b"2 " + hashlib.sha256(b"ok").hexdigest().encode())
    link.close()
    assert upstream.seen[0].all("expect") == []


def test_the_first_chunk_arrives_before_the_second_is_sent(bridge: Bridge, upstream: Upstream) -> None:
    link = UnixConnection(bridge.sockets["model"])
    link.request("GET", "/v1/stream")
    answer = link.getresponse()
    assert answer.read1(100) == b"one"
    assert not upstream.gate.is_set()
    upstream.gate.set()
    assert answer.read() == b"two"
    link.close()


def test_fifty_megabytes_pass_unharmed_both_ways(bridge: Bridge) -> None:
    whole = hashlib.sha256(BLOCK * (MANY // len(BLOCK))).hexdigest()
    blocks = (BLOCK for _ in range(MANY // len(BLOCK)))
    assert ask(bridge, "/v1/sink", "POST", blocks, {"Content-Length": str(MANY)}).body == f"{MANY} {whole}".encode()
    assert hashlib.sha256(ask(bridge, "/v1/blob").body).hexdigest() == whole
    assert bridge.use.bytes_up > MANY and bridge.use.bytes_down > MANY


def test_head_old_and_redirecting_answers_pass_as_they_are(bridge: Bridge, upstream: Upstream) -> None:
    assert ask(bridge, "/v1/blob", "HEAD").headers["content-length"] == str(MANY)
    assert ask(bridge, "/v1/old").body == b"until the end"
    moved = ask(bridge, "/v1/redirect")
    assert (moved.status, moved.headers["location"]) == (302, "http://evil.example/v1/elsewhere")
    assert len(upstream.seen) == bridge.use.requests == 3


def test_an_early_answer_reaches_a_program_that_is_still_sending(bridge: Bridge) -> None:
    data = request("POST /v1/early HTTP/1.1", f"Content-Length: {MANY}", body=b"x" * (1 << 20))
    answer = read(raw(bridge.sockets["model"], data))
    assert (answer.status, answer.body) == (413, b"too large")


@pytest.mark.parametrize("path", ["a%20b", "org%2Fname", "gemini-pro:generateContent", "%c3%a9", "a..b", "~x;v=1", ""])
def test_a_plain_path_passes_as_it_is(bridge: Bridge, upstream: Upstream, path: str) -> None:
    assert ask(bridge, f"/v1/{path}?q=../%2e%2e//x").status == 200
    assert upstream.seen[0].target == f"/v1/{path}?q=../%2e%2e//x"


def test_an_upstream_with_a_path_of_its_own(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream, upstream=f"{upstream.url}/gateway/", prefixes=("/",))]) as bridge:
        ask(bridge, "/v1/echo")
    assert upstream.seen[0].target == "/gateway/v1/echo"


def test_each_route_has_a_socket_and_a_key_of_its_own(tmp_path: Path, upstream: Upstream) -> None:
    other = route(upstream, name="other", key="another-made-up-key", header="x-api-key", value="{key}")
    with Bridge(tmp_path, [route(upstream), other]) as bridge:
        assert bridge.sockets == {"model": tmp_path / "model.sock", "other": tmp_path / "other.sock"}
        ask(bridge, "/v1/echo")
        ask(bridge, "/v1/echo", name="other")
    assert upstream.seen[0].all("authorization") == [f"Bearer {KEY}"] and not upstream.seen[0].all("x-api-key")
    assert upstream.seen[1].all("x-api-key") == ["another-made-up-key"] and not upstream.seen[1].all("authorization")


def test_a_route_without_a_key_adds_none(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream, key="")]) as bridge:
        ask(bridge, "/v1/echo", headers={"Authorization": f"Bearer {PLACEHOLDER}"})
    assert upstream.seen[0].all("authorization") == []


# --- reverse mode: what a program says of itself does not pass -----------------------------------------------------

DROPPED = {
    "Authorization": "Bearer stolen",
    "X-Api-Key": "stolen",
    "X_Api_Key": "stolen",
    "x-goog-api-key": "stolen",
    "Api-Key": "stolen",
    "Cookie": "stolen=1",
    "Proxy-Authorization": "Basic stolen",
    "Keep-Alive": "stolen",
    "Proxy-Connection": "stolen",
    "TE": "stolen",
    "Trailer": "stolen",
    "Connection": "X-Nominated",
    "X-Nominated": "stolen",
    "X-HTTP-Method-Override": "stolen",
    "X-Original-URL": "/stolen",
    "X-Forwarded-Host": "stolen",
    "Forwarded": "host=stolen",
    "Range": "stolen",
    "Accept-Encoding": "stolen",
}


def test_no_header_that_carries_a_credential_or_steers_a_request_passes(bridge: Bridge, upstream: Upstream) -> None:
    ask(bridge, "/v1/echo", headers={**DROPPED, "X-Kept": "kept"})
    [seen] = upstream.seen
    assert [pair for pair in seen.headers if "stolen" in pair[1].lower() or "nominated" in "".join(pair).lower()] == []
    assert seen.all("x-kept") == ["kept"]
    assert seen.all("authorization") == [f"Bearer {KEY}"] and seen.all("accept-encoding") == ["identity"]


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("key=stolen", ""),
        ("KEY=stolen&alt=sse", "?alt=sse"),
        ("alt=sse&%6bey=stolen", "?alt=sse"),
        ("alt=sse;key=stolen", "?alt=sse"),
        ("a=1&api-key=stolen&access_token=stolen&b=2", "?a=1&b=2"),
        ("key", ""),
        ("monkey=1&a=key", "?monkey=1&a=key"),
    ],
)
def test_a_key_in_the_query_is_dropped(bridge: Bridge, upstream: Upstream, query: str, kept: str) -> None:
    ask(bridge, f"/v1/echo?{query}")
    assert upstream.seen[0].target == f"/v1/echo{kept}"


# --- reverse mode: attacks -----------------------------------------------------------------------------------------

BODY = b"5\r\nhello\r\n0\r\n\r\n"
ATTACKS = {
    "absolute form": request("GET http://evil.example/v1/echo HTTP/1.1"),
    "absolute form of the upstream": request("GET https://127.0.0.1/v1/echo HTTP/1.1"),
    "CONNECT": request("CONNECT evil.example:443 HTTP/1.1"),
    "no leading slash": request("GET v1/echo HTTP/1.1"),
    "asterisk": request("OPTIONS * HTTP/1.1"),
    "websocket": request("GET /v1/echo HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"),
    "upgrade without a header": request("GET /v1/echo HTTP/1.1", "Connection: keep-alive, upgrade"),
    "h2c": request("GET /v1/echo HTTP/1.1", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/1.0": request("GET /v1/echo HTTP/1.0"),
    "HTTP/1.0 chunked": request("POST /v1/echo HTTP/1.0", "Transfer-Encoding: chunked", body=BODY),
    "HTTP/0.9": b"GET /v1/echo\r\n\r\n",
    "both lengths": request("POST /v1/echo HTTP/1.1", "Content-Length: 4", "Transfer-Encoding: chunked", body=BODY),
    "two lengths": request("POST /v1/echo HTTP/1.1", "Content-Length: 5", "Content-Length: 6", body=b"hello!"),
    "signed length": request("POST /v1/echo HTTP/1.1", "Content-Length: +5", body=b"hello"),
    "strange coding": request("POST /v1/echo HTTP/1.1", "Transfer-Encoding: xchunked", body=BODY),
    "two codings": request("POST /v1/echo HTTP/1.1", "Transfer-Encoding: gzip, chunked", body=BODY),
    "coding twice": request(
        "POST /v1/echo HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=BODY
    ),
    "large header": request("GET /v1/echo HTTP/1.1", *(f"X-{n}: {'a' * 1000}" for n in range(70))),
    "header without end": b"GET /v1/echo HTTP/1.1\r\nX: " + b"a" * 200_000,
    "folded line": request("GET /v1/echo HTTP/1.1", "X: a\r\n b"),
    "folded length": request("POST /v1/echo HTTP/1.1", "Transfer-Encoding:\r\n\tchunked", body=BODY),
    "bare line feed": b"GET /v1/echo HTTP/1.1\nHost: x\n\n",
    "bare line feed inside": request("GET /v1/echo HTTP/1.1", "X: a\nAuthorization: stolen"),
    "bare carriage return": request("GET /v1/echo HTTP/1.1", "X: a\rAuthorization: stolen"),
    "zero byte": request("GET /v1/echo HTTP/1.1", "X: a\0b"),
    "space before the colon": request("GET /v1/echo HTTP/1.1", "Content-Length : 5"),
    "no host": request("GET /v1/echo HTTP/1.1", host=""),
    "two hosts": request("GET /v1/echo HTTP/1.1", "Host: evil.example"),
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 100,
    "method that is not allowed": request("DELETE /v1/echo HTTP/1.1"),
    "method in small letters": request("post /v1/echo HTTP/1.1"),
    "method that is none": request("P@ST /v1/echo HTTP/1.1"),
    "other prefix": request("GET /admin/echo HTTP/1.1"),
    "prefix of a word": request("GET /v1admin/echo HTTP/1.1"),
    "dots": request("GET /v1/../admin/echo HTTP/1.1"),
    "dots at the end": request("GET /v1/echo/.. HTTP/1.1"),
    "one dot": request("GET /v1/./echo HTTP/1.1"),
    "encoded dots": request("GET /v1/%2e%2e/admin/echo HTTP/1.1"),
    "half encoded dots": request("GET /v1/.%2E/admin/echo HTTP/1.1"),
    "twice encoded dots": request("GET /v1/%252e%252e/admin/echo HTTP/1.1"),
    "many times encoded": request(f"GET /v1/%{'25' * 20}2e/echo HTTP/1.1"),
    "encoded slash": request("GET /v1/..%2fadmin/echo HTTP/1.1"),
    "dots with a parameter": request("GET /v1/..;x=1/admin/echo HTTP/1.1"),
    "overlong dots": request("GET /v1/%c0%ae%c0%ae/admin/echo HTTP/1.1"),
    "backslash": request("GET /v1/..\\admin\\echo HTTP/1.1"),
    "encoded backslash": request("GET /v1/%5c%2e%2e%5cadmin/echo HTTP/1.1"),
    "other host by slashes": request("GET //evil.example/v1/echo HTTP/1.1"),
    "other host by encoded slashes": request("GET /%2fevil.example/v1/echo HTTP/1.1"),
    "slashes inside": request("GET /v1//evil.example/echo HTTP/1.1"),
    "encoded line end": request("GET /v1/echo%0d%0aX:%201 HTTP/1.1"),
    "encoded zero byte": request("GET /v1/echo%00 HTTP/1.1"),
    "broken encoding": request("GET /v1/%zz/echo HTTP/1.1"),
    "fragment": request("GET /v1/echo#x HTTP/1.1"),
    "fragment in the query": request("GET /v1/echo?a#x HTTP/1.1"),
}


def refused_once(use: NetworkUse) -> bool:
    [note] = use.refusals
    return (use.requests, use.refused, use.by_host) == (0, 1, {}) and note.isprintable() and 0 < len(note) <= 100


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_answered_4xx_counted_and_never_reaches_the_upstream(
    bridge: Bridge, upstream: Upstream, attack: str
) -> None:
    answer = read(raw(bridge.sockets["model"], ATTACKS[attack]))
    assert 400 <= answer.status < 500
    assert answer.body.count(b"\n") == 1 and answer.message
    assert upstream.connections == [] and refused_once(bridge.use)


def test_a_program_that_sends_much_reads_that_it_was_refused(bridge: Bridge) -> None:
    assert ask(bridge, "/admin", "POST", b"x" * (8 << 20)).status == 403


def test_after_a_refusal_nothing_more_is_read_from_the_connection(bridge: Bridge, upstream: Upstream) -> None:
    got = raw(bridge.sockets["model"], ATTACKS["both lengths"] + request("GET /v1/echo HTTP/1.1"))
    assert got.count(b"HTTP/1.1 ") == 1 and upstream.seen == [] and refused_once(bridge.use)


def test_what_hides_in_a_body_is_not_a_request(bridge: Bridge, upstream: Upstream) -> None:
    hidden = request("GET /admin/secrets HTTP/1.1")
    raw(
        bridge.sockets["model"],
        request("POST /v1/sink HTTP/1.1", f"Content-Length: {len(hidden)}", "Connection: close", body=hidden),
    )
    assert [seen.target for seen in upstream.seen] == ["/v1/sink"]


@pytest.mark.parametrize("body", [b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-5\r\n", b"f" * 70_000])
def test_a_malformed_body_ends_the_request_and_is_counted(bridge: Bridge, body: bytes) -> None:
    data = request("POST /v1/sink HTTP/1.1", "Transfer-Encoding: chunked", body=body)
    assert read(raw(bridge.sockets["model"], data)).status == 400
    assert bridge.use.refused == 1 and "malformed body" in bridge.use.refusals[0]


def test_trailers_do_not_pass(bridge: Bridge, upstream: Upstream) -> None:
    body = b"5\r\nhello\r\n0\r\nAuthorization: stolen\r\n\r\n"
    data = request("POST /v1/sink HTTP/1.1", "Transfer-Encoding: chunked", "Connection: close", body=body)
    assert b"\r\n5 " in raw(bridge.sockets["model"], data)
    assert upstream.seen[0].all("authorization") == [f"Bearer {KEY}"] and upstream.trailers == []


def test_notes_of_refusals_are_few_short_and_without_queries(bridge: Bridge) -> None:
    raw(bridge.sockets["model"], b"\x1b[31m\x07\xc3\xa9?secret=1\r\n\r\n")
    for number in range(25):
        raw(bridge.sockets["model"], request(f"GET /x{number}/{'y' * 10 * number}?secret=1 HTTP/1.1"))
        raw(bridge.sockets["model"], request("GET /same HTTP/1.1"))
    use = bridge.use
    assert use.refused == 51 and len(set(use.refusals)) == len(use.refusals) == 20
    assert all(len(note) <= 100 and note.isprintable() and "secret" not in note for note in use.refusals)


# --- reverse mode: the key does not come back ----------------------------------------------------------------------


def holds_key(data: bytes) -> bool:
    return KEY.encode() in data or b"a1B2a1B2" in data


def test_an_echo_of_the_key_is_blanked_in_headers_and_body(bridge: Bridge, upstream: Upstream) -> None:
    answer = ask(bridge, "/v1/echo")
    assert upstream.seen[0].all("authorization") == [f"Bearer {KEY}"]
    assert answer.headers["x-echo"] == "Bearer " + "*" * len(KEY)
    assert b"Bearer " + b"*" * len(KEY) in answer.body and not holds_key(answer.raw)


@pytest.mark.parametrize("at", range(len(KEY) + 1))
def test_a_key_split_over_two_chunks_is_blanked(bridge: Bridge, at: int) -> None:
    assert ask(bridge, f"/v1/split?{at}").body == b"before " + b"*" * len(KEY) + b" after"


def test_a_key_in_crumbs_is_blanked_and_its_beginning_alone_is_not(bridge: Bridge) -> None:
    assert ask(bridge, "/v1/crumbs").body == b"before " + b"*" * len(KEY) + b" after " + KEY.encode()[:5]


@pytest.mark.parametrize("path", ["reason", "garbage", "gzip", "switch"])
def test_no_other_part_of_an_answer_carries_the_key(bridge: Bridge, path: str) -> None:
    answer = ask(bridge, f"/v1/{path}", headers={"Accept-Encoding": "gzip"})
    assert not holds_key(answer.raw) and gzip.compress(KEY.encode())[10:] not in answer.body
    assert answer.status == (401 if path == "reason" else 502)


def test_a_key_cannot_be_had_in_pieces(bridge: Bridge) -> None:
    pieces = [ask(bridge, "/v1/range", headers={"Range": f"bytes={n}-{n}"}).body for n in range(len(KEY))]
    assert not holds_key(b"".join(pieces)) and not holds_key(pieces[0])


def test_a_header_whose_name_is_a_key_is_dropped(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream, key="sk-made-up")]) as bridge:
        assert "x-sk-made-up" not in ask(bridge, "/v1/name").headers


def test_cookies_and_connection_headers_do_not_come_back(bridge: Bridge) -> None:
    headers = ask(bridge, "/v1/cookie").headers
    assert headers["x-outer"] == "1"
    assert not {"set-cookie", "keep-alive", "x-inner", "alt-svc"} & set(headers)


@given(text=st.lists(st.sampled_from([b"ab", b"aab", b"abc/abd", b"x", b"abc%2Fabd", b"abc\\/abd"])), data=st.data())
def test_however_a_stream_is_cut_the_key_is_blanked(text: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    scrubber = Scrubber("abc/abd")
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    got = b"".join(scrubber.feed(piece) for piece in pieces) + scrubber.rest()
    assert len(got) == len(whole)
    assert not any(form in got for form in (b"abc/abd", b"abc%2Fabd", b"abc\\/abd"))


def test_a_route_never_shows_its_key(upstream: Upstream) -> None:
    made = route(upstream)
    assert KEY not in repr(made) + str(made) + made.model_dump_json() + str(made.model_dump())
    for wrong in ({"prefixes": ("v1",)}, {"upstream": None}, {"other": 1}, {"key": KEY + "\n"}):
        with pytest.raises(ValidationError) as caught:
            route(upstream, **wrong)
        assert "a1B2a1B2" not in str(caught.value) + repr(caught.value)
    with pytest.raises(ValidationError) as caught:
        Route.model_validate({"name": "model", "key": KEY})
    assert "a1B2a1B2" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"upstream": "http://example.org"},
        {"upstream": "https://user:password@example.org"},
        {"upstream": "https://example.org/?key=1"},
        {"upstream": "https://example.org/a/../b"},
        {"upstream": "ftp://example.org"},
        {"upstream": "https://example.org:99999"},
        {"upstream": "https://exa mple.org"},
        {"key": "line\r\nX: 1 and more"},
        {"key": "short"},
        {"header": "x y"},
        {"header": "Host"},
        {"value": "Bearer"},
        {"name": "../x"},
        {"name": "registry"},
        {"prefixes": ()},
    ],
)
def test_a_route_that_makes_no_sense_is_not_made(upstream: Upstream, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        route(upstream, **wrong)


# --- upstreams that fail, and TLS ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", path.with_suffix(".key"), "-out", path],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


def test_a_tls_upstream_with_a_trusted_certificate(tmp_path: Path, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    with upstream_server(certificate) as upstream, Bridge(tmp_path, [route(upstream)], tls=trusting) as bridge:
        assert ask(bridge, "/v1/sink", "POST", b"hello").body.startswith(b"5 ")
        assert ask(bridge, "/v1/split?9").body == b"before " + b"*" * len(KEY) + b" after"
        assert upstream.seen[0].all("authorization") == [f"Bearer {KEY}"]
        assert upstream.seen[0].all("host") == [f"localhost:{upstream.port}"]
        assert bridge.use.by_host == {f"localhost:{upstream.port}": 2}


@pytest.mark.parametrize("problem", ["unknown issuer", "other name", "no TLS"])
def test_a_tls_upstream_that_cannot_be_trusted_gets_nothing(
    tmp_path: Path, certificate: Path, upstream: Upstream, problem: str
) -> None:
    trusting = ssl.create_default_context(cafile=None if problem == "unknown issuer" else str(certificate))
    with upstream_server(certificate) as secure:
        port = upstream.port if problem == "no TLS" else secure.port
        url = f"https://{'127.0.0.1' if problem == 'other name' else 'localhost'}:{port}"
        with Bridge(tmp_path, [route(upstream, upstream=url)], tls=trusting) as bridge:
            answer = ask(bridge, "/v1/sink", "POST", b"hello")
            assert answer.status == 502 and bridge.use.requests == 0
        assert secure.seen == upstream.seen == []


def test_an_upstream_that_cannot_be_reached_is_a_502_of_one_line_without_details(tmp_path: Path) -> None:
    gone = Route(name="model", upstream=f"http://127.0.0.1:{free_port()}/inner", key=KEY)
    with Bridge(tmp_path, [gone]) as bridge:
        answer = ask(bridge, "/v1/x")
        assert answer.status == 502 and answer.body.count(b"\n") == 1 and "could not be reached" in answer.message
        assert not holds_key(answer.raw)
        assert not any(word in answer.body for word in (b"inner", b"127.0.0.1", str(tmp_path).encode()))


def test_an_answer_that_is_cut_short_is_seen_to_be_so(bridge: Bridge) -> None:
    with pytest.raises(http.client.IncompleteRead):
        ask(bridge, "/v1/cut")


def test_a_name_that_is_not_found_is_a_502(tmp_path: Path) -> None:
    def nowhere(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "not known")

    with Bridge(tmp_path, [Route(name="model", upstream="https://a.example", key=KEY)], resolve=nowhere) as bridge:
        assert ask(bridge, "/v1/x").status == 502


def test_a_route_never_leads_to_a_link_local_address_nor_plain_http_off_the_machine(tmp_path: Path) -> None:
    for url, address in (("https://a.example", "169.254.169.254"), ("http://localhost:9", "192.0.2.7")):
        led = Names([address])
        with Bridge(tmp_path, [Route(name="model", upstream=url, key=KEY)], resolve=led) as bridge:
            assert ask(bridge, "/v1/x").status == 403 and refused_once(bridge.use)


# --- the registry --------------------------------------------------------------------------------------------------


@dataclass
class Names:
    """A name server that remembers what it was asked."""

    addresses: Sequence[str] = ("127.0.0.1",)
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.addresses


def registry_attacks(port: int) -> dict[str, bytes]:
    connects = {
        "other host": "evil.example:443",
        "subdomain": "evil.pypi.example:443",
        "end of a name": "evilpypi.example:443",
        "beginning of a name": "pypi.example.evil.example:443",
        "trailing dot": "pypi.example.:443",
        "other port": "pypi.example:22",
        "port of http": "pypi.example:80",
        "port beyond": "pypi.example:65979",
        "no port of its own": f"127.0.0.2:{port}",
        "listed address on another port": "127.0.0.1:443",
        "address as a number": f"2130706433:{port}",
        "address in hexadecimal": f"0x7f.0.0.1:{port}",
        "short address": f"127.1:{port}",
        "loopback by name": f"localhost:{port}",
        "IPv6 loopback": f"[::1]:{port}",
        "address in an address": f"[::ffff:127.0.0.1]:{port}",
        "metadata": "169.254.169.254:80",
        "user name": "pypi.example@evil.example:443",
        "path": "pypi.example:443/x",
        "empty": ":443",
        "list": "pypi.example,evil.example:443",
    }
    gets = {
        "GET other host": "GET http://evil.example/",
        "GET other port": "GET http://pypi.example:8080/",
        "GET https": "GET https://pypi.example/",
        "GET ftp": "GET ftp://pypi.example/",
        "GET user name": "GET http://pypi.example@evil.example/",
        "GET backslash": "GET http://evil.example\\@pypi.example/",
        "GET path": "GET /simple/",
        "GET slashes": "GET //pypi.example/",
        "GET fragment": "GET http://evil.example#@pypi.example/",
        "GET question mark": "GET http://evil.example?@pypi.example/",
        "POST": "POST http://pypi.example/",
        "PUT": "PUT http://pypi.example/",
        "HEAD": "HEAD http://pypi.example/",
    }
    bodies = {
        "CONNECT with a body": request("CONNECT pypi.example:443 HTTP/1.1", "Content-Length: 2", body=b"hi"),
        "GET with a body": request("GET http://pypi.example/ HTTP/1.1", "Transfer-Encoding: chunked", body=BODY),
        "GET with an upgrade": request("GET http://pypi.example/ HTTP/1.1", "Upgrade: websocket"),
        "GET 1.0": request("GET http://pypi.example/ HTTP/1.0"),
        "folded line": request("CONNECT pypi.example:443 HTTP/1.1", "X: a\r\n b"),
    }
    return {
        **{name: request(f"CONNECT {target} HTTP/1.1") for name, target in connects.items()},
        **{name: request(f"{line} HTTP/1.1") for name, line in gets.items()},
        **bodies,
    }


@pytest.mark.parametrize("attack", registry_attacks(1))
def test_a_request_to_anything_but_a_listed_host_is_refused_counted_and_not_even_looked_up(
    tmp_path: Path, upstream: Upstream, attack: str
) -> None:
    names = Names()
    listed = ["pypi.example", f"127.0.0.1:{upstream.port}"]
    with Bridge(tmp_path, [], listed, resolve=names) as bridge:
        answer = read(raw(bridge.sockets["registry"], registry_attacks(upstream.port)[attack]))
        assert 400 <= answer.status < 500 and refused_once(bridge.use)
        assert upstream.connections == [] and names.asked == []


def test_a_refusal_is_noted_by_what_was_asked_for(tmp_path: Path) -> None:
    with Bridge(tmp_path, [], ["pypi.example"]) as bridge:
        raw(bridge.sockets["registry"], request("CONNECT evil.example:443 HTTP/1.1"))
        assert bridge.use.refusals == ("CONNECT evil.example:443",)


BAD_ADDRESSES = {
    "loopback": ["127.0.0.1"],
    "other loopback": ["127.9.9.9"],
    "unspecified": ["0.0.0.0"],
    "private": ["10.0.0.1"],
    "private home": ["192.168.1.1"],
    "private middle": ["172.16.0.1"],
    "shared": ["100.64.0.1"],
    "metadata": ["169.254.169.254"],
    "other metadata": ["100.100.100.200"],
    "multicast": ["224.0.0.1"],
    "IPv6 loopback": ["::1"],
    "IPv6 unspecified": ["::"],
    "IPv6 link-local": ["fe80::1%eth0"],
    "IPv6 private": ["fd00::1"],
    "mapped": ["::ffff:127.0.0.1"],
    "mapped metadata": ["::ffff:169.254.169.254"],
    "NAT64": ["64:ff9b::7f00:1"],
    "6to4": ["2002:7f00:1::"],
    "one of two": ["93.184.216.34", "127.0.0.1"],
}


@pytest.mark.parametrize("kind", BAD_ADDRESSES)
@pytest.mark.parametrize("way", ["CONNECT pypi.example:{port}", "GET http://pypi.example:{port}/v1/echo"])
def test_a_listed_name_that_leads_to_a_private_address_is_refused(
    tmp_path: Path, upstream: Upstream, kind: str, way: str
) -> None:
    names = Names(BAD_ADDRESSES[kind])
    with Bridge(tmp_path, [], [f"pypi.example:{upstream.port}"], resolve=names) as bridge:
        line = way.format(port=upstream.port)
        answer = read(raw(bridge.sockets["registry"], request(f"{line} HTTP/1.1")))
        assert answer.status == 403 and refused_once(bridge.use)
        assert upstream.connections == [] and names.asked == ["pypi.example"]


def test_a_link_local_address_is_refused_even_when_it_is_listed(tmp_path: Path) -> None:
    with Bridge(tmp_path, [], ["169.254.169.254:80", "fe80::1"]) as bridge:
        for target in ("169.254.169.254:80", "[fe80::1]:443"):
            assert read(raw(bridge.sockets["registry"], request(f"CONNECT {target} HTTP/1.1"))).status == 403
        assert (bridge.use.requests, bridge.use.refused) == (0, 2)


def test_public_addresses_are_not_refused() -> None:
    place = Place("pypi.example", 443)
    for address in ("93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"):
        place.check(address)
    with pytest.raises(Refused):
        place.check("::ffff:10.0.0.1")


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_listed_host_is_reached_through_a_tunnel_with_tls_inside(
    tmp_path: Path, certificate: Path, version: str
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    with upstream_server(certificate) as secure, Bridge(tmp_path, [], [f"LocalHost:{secure.port}"]) as bridge:
        link = connect(str(bridge.sockets["registry"]))
        link.settimeout(60)
        link.sendall(request(f"CONNECT localhost:{secure.port} HTTP/{version}"))
        assert link.recv(1000) == b"HTTP/1.1 200 Connection established\r\n\r\n"
        inner = trusting.wrap_socket(link, server_hostname="localhost")
        inner.sendall(request("POST /simple/sink HTTP/1.1", "Content-Length: 5", "Connection: close", body=b"hello"))
        assert b"5 " + hashlib.sha256(b"hello").hexdigest().encode() in all_of(inner)
        inner.close()
        assert bridge.use.by_host == {f"localhost:{secure.port}": 1}
        assert bridge.use.bytes_up > 0 and bridge.use.bytes_down > 0


def test_a_tunnel_carries_early_bytes_and_one_sided_ends(tmp_path: Path) -> None:
    with raw_server(digest_at_the_end) as port, Bridge(tmp_path, [], [f"127.0.0.1:{port}"]) as bridge:
        got = raw(bridge.sockets["registry"], request(f"CONNECT 127.0.0.1:{port} HTTP/1.1") + b"early", end=True)
        assert got.endswith(b"\r\n\r\n" + hashlib.sha256(b"early").hexdigest().encode())
        assert (bridge.use.bytes_up, bridge.use.bytes_down) == (5, 64)


def test_a_listed_host_is_reached_by_plain_http_without_credentials(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [], [f"127.0.0.1:{upstream.port}"]) as bridge:
        url = f"http://127.0.0.1:{upstream.port}/simple/echo?a=1"
        answer = ask(bridge, url, headers={"Cookie": "stolen", "Authorization": "stolen"}, name="registry")
        [seen] = upstream.seen
        assert answer.status == 200 and seen.target == "/simple/echo?a=1"
        assert seen.all("host") == [f"127.0.0.1:{upstream.port}"]
        assert not seen.all("cookie") and not seen.all("authorization")
        assert "set-cookie" not in ask(bridge, url.replace("echo", "cookie"), name="registry").headers


def test_the_registry_has_a_socket_only_if_hosts_are_listed(tmp_path: Path, upstream: Upstream) -> None:
    assert list(Bridge(tmp_path, [route(upstream)]).sockets) == ["model"]
    assert list(Bridge(tmp_path, [], ["pypi.org"]).sockets) == ["registry"]


@pytest.mark.parametrize("host", ["*.pypi.org", "https://pypi.org", "pypi.org/simple", "pypi.org.", "", "a b", "x:0"])
def test_a_registry_that_is_not_a_plain_host_is_refused(tmp_path: Path, host: str) -> None:
    with pytest.raises(InputRefused):
        Bridge(tmp_path, [], [host])


# --- limits --------------------------------------------------------------------------------------------------------


def test_too_many_connections_are_turned_away_and_counted_until_one_ends(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], max_connections=2) as bridge:
        links = [UnixConnection(bridge.sockets["model"]) for _ in range(2)]
        for link in links:
            link.request("GET", "/v1/sink")
            assert link.getresponse().read().startswith(b"0 ")
        assert read(raw(bridge.sockets["model"], b"")).status == 503
        assert bridge.use.refused == 1 and bridge.use.requests == 2
        links[0].close()
        while (answer := ask(bridge, "/v1/sink")).status == 503:
            pass
        assert answer.status == 200
        links[1].close()


def test_thirty_two_connections_at_once_are_served(bridge: Bridge, upstream: Upstream) -> None:
    links = [UnixConnection(bridge.sockets["model"]) for _ in range(32)]
    for link in links:
        link.request("GET", "/v1/stream")
    answers = [link.getresponse() for link in links]
    assert [answer.read1(10) for answer in answers] == [b"one"] * 32
    assert read(raw(bridge.sockets["model"], b"")).status == 503
    upstream.gate.set()
    assert [answer.read() for answer in answers] == [b"two"] * 32
    for link in links:
        link.close()


def test_beyond_the_bytes_of_a_sandbox_nothing_is_sent(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], ["127.0.0.1:9"], max_bytes=20_000) as bridge:
        answer = ask(bridge, "/v1/sink", "POST", b"x" * 30_000)
        assert answer.status == 403 and "20000 bytes" in answer.message
        assert "20000 bytes" in ask(bridge, "/v1/later").message
        assert "20000 bytes" in read(raw(bridge.sockets["registry"], request("CONNECT 127.0.0.1:9 HTTP/1.1"))).message
        assert (bridge.use.requests, bridge.use.refused) == (1, 3)
    assert "/v1/later" not in [seen.target for seen in upstream.seen] and len(upstream.connections) <= 1


def test_a_download_is_cut_at_the_limit(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], max_bytes=2_000_000) as bridge:
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(bridge, "/v1/blob")
        assert 2_000_000 <= bridge.use.bytes_down < 3_000_000 and bridge.use.refused == 1


def test_a_tunnel_is_cut_at_the_limit(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [], [f"127.0.0.1:{upstream.port}"], max_bytes=2_000_000) as bridge:
        line = f"CONNECT 127.0.0.1:{upstream.port} HTTP/1.1"
        got = raw(bridge.sockets["registry"], request(line) + request("GET /blob HTTP/1.1"))
        assert len(got) < 3_000_000 and bridge.use.refused == 1


def test_a_header_that_does_not_come_is_not_waited_for(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], head_timeout_s=0.3) as bridge:
        assert raw(bridge.sockets["model"], b"") == b"" and bridge.use.refused == 0
        answer = read(raw(bridge.sockets["model"], b"GET /v1/echo HTTP/1.1\r\nX: "))
        assert answer.status == 408 and upstream.connections == [] and refused_once(bridge.use)


def test_a_header_that_comes_in_drops_is_not_waited_for(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], head_timeout_s=0.5) as bridge:
        with connect(str(bridge.sockets["model"])) as link:
            link.settimeout(0.05)
            got = b""
            with contextlib.suppress(ConnectionError):
                link.sendall(b"GET /v1/echo HTTP/1.1\r\n")
                while not got:
                    link.sendall(b"X")
                    with contextlib.suppress(TimeoutError):
                        got = link.recv(1000)
        assert got.startswith(b"HTTP/1.1 408 ") and refused_once(bridge.use)


def test_silence_ends_a_request_a_stream_and_a_tunnel(tmp_path: Path, upstream: Upstream) -> None:
    listed = [f"127.0.0.1:{upstream.port}"]
    with Bridge(tmp_path, [route(upstream)], listed, idle_timeout_s=0.4) as bridge:
        assert ask(bridge, "/v1/hang").status == 504
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(bridge, "/v1/stream")
        line = f"CONNECT 127.0.0.1:{upstream.port} HTTP/1.1"
        assert raw(bridge.sockets["registry"], request(line)).startswith(b"HTTP/1.1 200 ")
        kept = request("GET /v1/sink HTTP/1.1")
        assert read(raw(bridge.sockets["model"], kept)).status == 200
        assert bridge.use.refused == 0


# --- the life of a bridge ------------------------------------------------------------------------------------------


def test_a_socket_is_for_its_owner_only_and_goes_with_the_bridge(tmp_path: Path, upstream: Upstream) -> None:
    with Bridge(tmp_path, [route(upstream)], ["pypi.org"]) as bridge:
        for path in bridge.sockets.values():
            mode = path.stat().st_mode
            assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
        ask(bridge, "/v1/sink")
    assert list(tmp_path.iterdir()) == []
    bridge.close()
    assert bridge.use.requests == 1


def test_a_folder_too_deep_for_a_socket_address(tmp_path: Path, upstream: Upstream) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    here = Path.cwd()
    with Bridge(deep, [route(upstream)]) as bridge:
        assert bridge.sockets["model"] == deep / "model.sock" and stat.S_ISSOCK(bridge.sockets["model"].stat().st_mode)
        assert ask(bridge, "/v1/sink").status == 200
    assert list(deep.iterdir()) == [] and Path.cwd() == here


def test_a_leftover_socket_is_replaced_and_any_other_file_is_not(tmp_path: Path, upstream: Upstream) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "model.sock"))
    with Bridge(tmp_path, [route(upstream)]) as bridge:
        assert ask(bridge, "/v1/sink").status == 200
    (tmp_path / "model.sock").write_text("precious")
    with pytest.raises(MachineRefused), Bridge(tmp_path, [route(upstream)]):
        pass
    assert (tmp_path / "model.sock").read_text() == "precious"


@pytest.mark.parametrize("path", ["stream", "hang", "blob"])
def test_closing_does_not_wait_for_what_is_open(tmp_path: Path, upstream: Upstream, path: str) -> None:
    bridge = Bridge(tmp_path, [route(upstream)], [f"127.0.0.1:{upstream.port}"])
    with bridge:
        link = UnixConnection(bridge.sockets["model"])
        link.request("GET", f"/v1/{path}")
        tunnel = connect(str(bridge.sockets["registry"]))
        tunnel.settimeout(60)
        tunnel.sendall(request(f"CONNECT 127.0.0.1:{upstream.port} HTTP/1.1"))
        assert tunnel.recv(100).startswith(b"HTTP/1.1 200 ")
        while not upstream.seen:
            pass
    assert bridge._thread is not None and not bridge._thread.is_alive()
    with pytest.raises((http.client.HTTPException, OSError)):
        link.getresponse().read()
    assert tunnel.recv(100) == b""
    link.close()
    tunnel.close()
    assert not upstream.gate.is_set() and bridge.use.requests == 2


def test_closing_does_not_wait_for_a_name_server(tmp_path: Path) -> None:
    asked, forever = threading.Event(), threading.Event()

    def slow(host: str, port: int) -> list[str]:
        asked.set()
        forever.wait(60)
        return []

    with Bridge(tmp_path, [], ["pypi.example"], resolve=slow) as bridge:
        link = connect(str(bridge.sockets["registry"]))
        link.settimeout(60)
        link.sendall(request("CONNECT pypi.example:443 HTTP/1.1"))
        assert asked.wait(60)
    assert bridge._thread is not None and not bridge._thread.is_alive() and not forever.is_set()
    assert link.recv(100) == b""
    link.close()
    forever.set()


def test_two_routes_of_one_name_are_refused(tmp_path: Path, upstream: Upstream) -> None:
    with pytest.raises(InputRefused):
        Bridge(tmp_path, [route(upstream), route(upstream)])


# --- the forwarder -------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def forwarded(*program: str, ways: Sequence[str] = ()) -> list[str]:
    return [sys.executable, "-I", "-S", str(FORWARDER), *ways, "--", *program]


@contextlib.contextmanager
def started(argv: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """In a session of its own, of which nothing is left behind."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def python(script: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", script)


@pytest.mark.parametrize(
    ("program", "status"),
    [
        (("true",), 0),
        (("sh", "-c", "exit 7"), 7),
        (("sh", "-c", "kill -KILL $$"), 128 + signal.SIGKILL),
        (("sh", "-c", "kill -TERM $$"), 128 + signal.SIGTERM),
        (("no-such-program-anywhere",), 127),
        (("/etc/passwd",), 126),
    ],
)
def test_the_program_s_exit_status_is_the_forwarder_s(program: tuple[str, ...], status: int) -> None:
    assert subprocess.run(forwarded(*program), capture_output=True).returncode == status


def test_the_program_has_the_standard_streams_arguments_and_environment() -> None:
    script = "import os, sys; print(sys.argv[1:], sys.stdin.read(), os.environ['X']); print('err', file=sys.stderr)"
    argv = forwarded(sys.executable, "-c", script, "a b", "--", "c")
    done = subprocess.run(argv, input="in", capture_output=True, text=True, env={**os.environ, "X": "é"})
    assert (done.stdout, done.stderr) == ("['a b', '--', 'c'] in é\n", "err\n")


def test_the_program_does_not_inherit_that_python_ignores_broken_pipes() -> None:
    done = subprocess.run(forwarded("grep", "SigIgn", "/proc/self/status"), capture_output=True, text=True)
    ignored = int(done.stdout.split()[1], 16)
    assert not any(ignored >> (number - 1) & 1 for number in (signal.SIGPIPE, signal.SIGXFSZ))


@pytest.mark.parametrize("ways", [["x=y"], ["0=/s"], ["65536=/s"], ["8001"], ["8001="], ["²=/s"]])
def test_what_is_not_a_port_and_a_socket_is_refused_with_one_line(ways: list[str]) -> None:
    done = subprocess.run(forwarded("echo", "started", ways=ways), capture_output=True, text=True)
    assert done.returncode == 125 and done.stdout == "" and done.stderr.count("\n") == 1


def test_a_forwarder_without_a_program_is_refused() -> None:
    for argv in (forwarded(), forwarded()[:-1]):
        assert subprocess.run(argv, capture_output=True).returncode == 125


def test_a_port_in_use_ends_the_forwarder_before_the_program_starts() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ways = [f"{free_port()}=/s", f"{taken.getsockname()[1]}=/s"]
        done = subprocess.run(forwarded("echo", "started", ways=ways), capture_output=True, text=True)
    assert done.returncode == 125 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "cannot listen" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_are_passed_on(number: signal.Signals) -> None:
    script = (
        f"import signal, sys, time; signal.signal({int(number)}, lambda *_: sys.exit(42));"
        "print('ready', flush=True); time.sleep(60)"
    )
    with started(forwarded(*python(script))) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(60) == 42


def test_a_program_that_a_passed_signal_kills() -> None:
    script = "import time; print('ready', flush=True); time.sleep(60)"
    with started(forwarded(*python(script))) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM


def test_each_side_may_end_before_the_other(tmp_path: Path) -> None:
    port = free_port()
    with raw_server(digest_at_the_end, tmp_path / "s"):
        script = (
            f"import socket; s = socket.create_connection(('127.0.0.1', {port})); s.sendall(b'x' * 3_000_000);"
            "s.shutdown(socket.SHUT_WR); print(s.makefile().read())"
        )
        done = subprocess.run(forwarded(*python(script), ways=[f"{port}={tmp_path}/s"]), capture_output=True, text=True)
    assert done.stdout == hashlib.sha256(b"x" * 3_000_000).hexdigest() + "\n"


def test_the_other_side_may_end_first(tmp_path: Path) -> None:
    heard: list[bytes] = []
    done = threading.Event()

    def server_ends_first(link: socket.socket) -> None:
        link.sendall(b"y" * 1_000_000)
        link.shutdown(socket.SHUT_WR)
        heard.append(all_of(link))
        done.set()

    port = free_port()
    with raw_server(server_ends_first, tmp_path / "s"):
        script = (
            f"import socket, sys; s = socket.create_connection(('127.0.0.1', {port})); f = s.makefile('rb');"
            "print(len(f.read()), flush=True); s.sendall(b'z' * 1_000_000); s.shutdown(1); sys.stdin.read()"
        )
        argv = forwarded(*python(script), ways=[f"{port}={tmp_path}/s"])
        with started(argv) as process:
            assert process.stdout is not None and process.stdout.readline() == b"1000000\n"
            assert done.wait(60) and heard == [b"z" * 1_000_000]


def test_an_answer_arrives_although_nobody_reads_the_question(tmp_path: Path) -> None:
    def deaf(link: socket.socket) -> None:
        link.recv(1)
        link.sendall(b"no")

    port = free_port()
    with raw_server(deaf, tmp_path / "s"):
        script = (
            f"import socket; s = socket.create_connection(('127.0.0.1', {port})); s.sendall(b'x' * 20_000_000);"
            "print(s.recv(10).decode())"
        )
        done = subprocess.run(forwarded(*python(script), ways=[f"{port}={tmp_path}/s"]), capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("no\n", 0)


def test_a_program_that_hangs_up_is_hung_up_on(tmp_path: Path) -> None:
    ended = threading.Event()

    def endless(link: socket.socket) -> None:
        try:
            while True:
                link.sendall(b"x" * 65536)
        finally:
            ended.set()

    port = free_port()
    with raw_server(endless, tmp_path / "s"):
        script = (
            f"import socket, sys; s = socket.create_connection(('127.0.0.1', {port})); s.recv(10); s.close();"
            "print('closed', flush=True); sys.stdin.read()"
        )
        argv = forwarded(*python(script), ways=[f"{port}={tmp_path}/s"])
        with started(argv) as process:
            assert process.stdout is not None and process.stdin is not None
            assert process.stdout.readline() == b"closed\n"
            assert ended.wait(60) and process.poll() is None
            process.stdin.close()
            assert process.wait(60) == 0


def test_a_bridge_that_is_not_there_looks_like_a_closed_connection(tmp_path: Path) -> None:
    port = free_port()
    script = f"import socket; s = socket.create_connection(('127.0.0.1', {port})); print(s.recv(10))"
    done = subprocess.run(forwarded(*python(script), ways=[f"{port}={tmp_path}/s"]), capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("b''\n", "", 0)


def test_the_forwarder_ends_with_the_program_although_a_stream_is_open(bridge: Bridge, upstream: Upstream) -> None:
    port = free_port()
    script = (
        f"import socket, os; s = socket.create_connection(('127.0.0.1', {port}));"
        "s.sendall(b'GET /v1/stream HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'); s.recv(10); os._exit(3)"
    )
    argv = forwarded(*python(script), ways=[f"{port}={bridge.sockets['model']}"])
    assert subprocess.run(argv, timeout=60).returncode == 3 and not upstream.gate.is_set()


@pytest.mark.parametrize("version", ["3.9", "3.13"])
def test_the_forwarder_runs_with_other_pythons(version: str) -> None:
    home = Path.home() / ".pyenv" / "versions"
    found = next(map(str, home.glob(f"{version}.*/bin/python3")), None) or shutil.which(f"python{version}")
    if not found or subprocess.run([found, "-V"], capture_output=True).returncode:
        pytest.skip(f"Python {version} is not installed")
    argv = [found, "-I", "-S", str(FORWARDER), f"{free_port()}=/s", "--", "sh", "-c", "exit 5"]
    assert subprocess.run(argv).returncode == 5


# --- in a sandbox --------------------------------------------------------------------------------------------------


def sandboxed(*program: str, options: Sequence[str] = ()) -> list[str]:
    base = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    return [*base, *options, "--", *program]


@pytest.fixture(scope="module")
def bwrap() -> None:
    if not shutil.which("bwrap") or subprocess.run(sandboxed("true"), capture_output=True).returncode:
        pytest.skip("bubblewrap does not work here")


SCRIPT = """
import hashlib, http.client, socket, sys
link = http.client.HTTPConnection("127.0.0.1", 8001, timeout=60)
link.request("POST", "/v1/echo", body=b"from inside", headers={"x-api-key": "statsclaw-placeholder-not-a-key"})
answer = link.getresponse()
print(answer.status, b"from inside" in answer.read())
block = bytes(range(256)) * 4096
link.request("POST", "/v1/sink", body=(block for _ in range(50)), headers={"Content-Length": str(50 << 20)})
print(link.getresponse().read().decode())
link.request("GET", "/v1/blob")
print(hashlib.sha256(link.getresponse().read()).hexdigest())
for host, port in (("127.0.0.1", int(sys.argv[1])), ("1.1.1.1", 443)):
    try:
        socket.create_connection((host, port), timeout=5)
        print("out")
    except OSError as error:
        print(type(error).__name__)
print([name for _, name in socket.if_nameindex()])
"""


@pytest.mark.usefixtures("bwrap")
def test_the_bridge_is_the_only_way_out_of_a_sandbox(bridge: Bridge, upstream: Upstream) -> None:
    inside = forwarded(*python(SCRIPT), str(upstream.port), ways=[f"8001={bridge.sockets['model']}"])
    done = subprocess.run(sandboxed(*inside), capture_output=True, text=True)
    whole = hashlib.sha256(BLOCK * 50).hexdigest()
    lines = ["200 True", f"{MANY} {whole}", whole, "ConnectionRefusedError", "OSError", "['lo']"]
    assert (done.stdout.splitlines(), done.stderr, done.returncode) == (lines, "", 0)
    assert [seen.target for seen in upstream.seen] == ["/v1/echo", "/v1/sink", "/v1/blob"]
    assert bridge.use.requests == 3


@pytest.mark.usefixtures("bwrap")
def test_without_the_forwarder_there_is_nothing(bridge: Bridge, upstream: Upstream) -> None:
    done = subprocess.run(sandboxed(*python(SCRIPT), str(upstream.port)), capture_output=True, text=True)
    assert "ConnectionRefusedError" in done.stderr and done.stdout == "" and upstream.connections == []
    assert bridge.use == NetworkUse()


@pytest.mark.usefixtures("bwrap")
def test_the_real_key_is_not_to_be_found_from_inside(bridge: Bridge) -> None:
    script = SCRIPT.partition("answer =")[0] + "print(link.getresponse().read().decode())\n"
    script += "print(open('/proc/self/environ').read(), open('/proc/self/cmdline').read())"
    inside = forwarded(*python(script), ways=[f"8001={bridge.sockets['model']}"])
    done = subprocess.run(sandboxed(*inside), capture_output=True)
    assert b"from inside" in done.stdout and not holds_key(done.stdout + done.stderr)


@pytest.mark.usefixtures("bwrap")
def test_a_forwarder_that_is_the_first_process_leaves_no_zombies() -> None:
    script = (
        "import os, pathlib, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        os.fork()\n"
        "        time.sleep(0.2)\n"
        "        os._exit(0)\n"
        "for _ in range(5): os.wait()\n"
        "def states():\n"
        "    found = []\n"
        "    for stat in pathlib.Path('/proc').glob('[0-9]*/stat'):\n"
        "        try:\n"
        "            found.append(stat.read_text().rsplit(')')[1].split()[0])\n"
        "        except OSError:\n"
        "            pass\n"  # it has ended meanwhile
        "    return found\n"
        "while len(states()) > 2: time.sleep(0.05)\n"
        "print(os.getppid(), 'Z' in states())\n"
    )
    argv = sandboxed(*forwarded(*python(script)), options=["--as-pid-1"])
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("1 False\n", 0)


# --- named endpoints -----------------------------------------------------------------------------------------------


HELD = {"ANTHROPIC_API_KEY": "made-up-key-a", "OPENAI_API_KEY": "made-up-key-o", "GOOGLE_API_KEY": "made-up-key-g"}


@pytest.mark.parametrize(
    ("name", "host", "header", "variable", "told"),
    [
        ("anthropic", "api.anthropic.com", ("x-api-key", "made-up-key-a"), "ANTHROPIC_API_KEY",
         {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8001", "ANTHROPIC_API_KEY": PLACEHOLDER}),
        ("openai", "api.openai.com", ("authorization", "Bearer made-up-key-o"), "OPENAI_API_KEY",
         {"OPENAI_BASE_URL": "http://127.0.0.1:8001/v1", "OPENAI_API_KEY": PLACEHOLDER}),
        ("google", "generativelanguage.googleapis.com", ("x-goog-api-key", "made-up-key-g"), "GOOGLE_API_KEY",
         {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:8001", "GEMINI_API_KEY": PLACEHOLDER}),
    ],
)  # fmt: skip
def test_a_named_endpoint(name: str, host: str, header: tuple[str, str], variable: str, told: dict[str, str]) -> None:
    found = endpoint(name, HELD)
    assert (found.name, found.route.place.host, found.route.place.port) == (name, host, 443)
    assert (header[0].encode(), header[1].encode()) in found.route.headers_up([])
    assert found.key_from == variable and found.env("http://127.0.0.1:8001/") == told
    assert not any(key in repr(found) + found.model_dump_json() + str(told) for key in HELD.values())


def test_all_names_are_tested() -> None:
    assert endpoint_names() == ("anthropic", "google", "openai")


@pytest.mark.parametrize(
    ("name", "opened", "shut"),
    [
        ("anthropic", "/v1/messages/count_tokens", "/v1/files"),
        ("openai", "/v1/chat/completions", "/v1/fine_tuning/jobs"),
        ("google", "/v1beta/models/gemini-pro:streamGenerateContent", "/v1beta/files"),
    ],
)
def test_an_endpoint_opens_the_model_and_nothing_else_of_the_account(name: str, opened: str, shut: str) -> None:
    made = endpoint(name, HELD).route
    assert made.target("POST", opened.encode()) == opened.encode()
    with pytest.raises(Refused):
        made.target("POST", shut.encode())


def test_an_endpoint_on_this_machine_needs_no_key() -> None:
    found = endpoint("http://127.0.0.1:11434", {})
    assert (found.name, found.route.secret, found.key_from) == ("custom", "", "")
    assert (found.route.place.host, found.route.place.port, found.route.place.tls) == ("127.0.0.1", 11434, False)
    assert found.env("http://127.0.0.1:8001")["OPENAI_BASE_URL"] == "http://127.0.0.1:8001/v1"


def test_an_endpoint_by_url_takes_its_key_from_the_variable_it_names() -> None:
    found = endpoint("https://gateway.example/llm#GATEWAY_KEY", {"GATEWAY_KEY": " made-up-key-x\n"})
    assert found.route.target("POST", b"/v1/x") == b"/llm/v1/x"
    assert (b"authorization", b"Bearer made-up-key-x") in found.route.headers_up([])
    like = endpoint("https://gateway.example#ANTHROPIC_API_KEY", HELD)
    assert like.name == "anthropic" and like.route.place.host == "gateway.example"
    assert (b"x-api-key", b"made-up-key-a") in like.route.headers_up([])


@pytest.mark.parametrize(
    ("given_as", "environ", "says"),
    [
        ("cohere", {}, "not known"),
        ("custom", {}, "not known"),
        ("anthropic", {}, "no key"),
        ("anthropic", {"ANTHROPIC_API_KEY": "  "}, "no key"),
        ("anthropic", {"ANTHROPIC_API_KEY": "made up secret"}, "does not hold a key"),
        ("https://a.example#A_KEY", {}, "no key"),
        ("https://a.example#secret-itself", {}, "not the name of a variable"),
        ("https://user:secret@a.example", {}, "user name or password"),
        ("https://a.example/?key=secret", {}, "query"),
        ("http://a.example", {}, "this machine only"),
        ("http://127.0.0.1.a.example", {}, "this machine only"),
        ("ftp://a.example", {}, "http or https"),
        ("https://", {}, "http or https"),
        ("https://a.example/../b", {}, "path"),
        ("https://[::1", {}, "not a URL"),
        ("evil\x1b[31m", {}, "not known"),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_refused_in_one_line(
    given_as: str, environ: dict[str, str], says: str
) -> None:
    with pytest.raises(InputRefused) as caught:
        endpoint(given_as, environ)
    line = caught.value.line()
    assert says in line and "nothing was started" in line and "Fix: " in line
    assert "secret" not in line and "\n" not in line and line.isprintable()


def test_an_endpoint_s_route_works_in_a_bridge(tmp_path: Path, upstream: Upstream) -> None:
    found: Endpoint = endpoint(f"{upstream.url}#SOME_KEY", {"SOME_KEY": KEY})
    with Bridge(tmp_path, [found.route]) as bridge:
        assert not holds_key(ask(bridge, "/v1/echo", name="custom").raw)
    assert upstream.seen[0].all("authorization") == [f"Bearer {KEY}"]

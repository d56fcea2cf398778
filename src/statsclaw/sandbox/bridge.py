"""The only way out of a sandbox: unix sockets behind which a few requests are let through and counted.

Each route has a socket of its own, on which plain requests are sent on to one upstream with the real key added. The
socket named `registry` takes CONNECT and GET http:// to listed hosts. Bodies are passed on as they come.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import ssl
import stat
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

import h11

from statsclaw.errors import InputRefused, MachineRefused
from statsclaw.runlog.events import NetworkUse
from statsclaw.sandbox.ledger import Ledger
from statsclaw.sandbox.meter import Meter, Trouble
from statsclaw.sandbox.outward import (
    HEAD_BYTES,
    Headers,
    Place,
    Refused,
    Registry,
    Route,
    Scrubber,
    check_framing,
    head_problem,
    headers_up,
    noted,
    printable,
)
from statsclaw.sandbox.upstream import CHUNK, Resolver, Upstream, UpstreamFailed, by_name, connect

__all__ = ["FORWARDER", "REGISTRY", "Bridge", "NetworkUse", "Route"]

#: The program that is started inside the sandbox, with the sandbox's own Python.
FORWARDER = Path(__file__).with_name("forward.py")
REGISTRY = "registry"
KEEP_ALIVE_S, REUSE_S, LINGER_S, CLOSE_S = 75.0, 20.0, 2.0, 2.0
LONGEST_SOCKET_PATH = 107

#: How long a program waits for an answer before it may say that there is none.
SILENCE_S = 30.0

Listeners = list[tuple[socket.socket, Route | None]]


class Bridge:
    """Serves from entering to leaving; `sockets` says where. `use` may be read at any time, from any thread.

    `max_bytes` is for both ways together. `resolve` is asked only for names that are allowed. `may_ask` is asked before
    a model is: a reason means no.
    """

    def __init__(
        self,
        folder: Path,
        routes: Sequence[Route] = (),
        registry_hosts: Sequence[str] = (),
        *,
        max_bytes: int = 2 * 1024**3,
        max_connections: int = 32,
        idle_timeout_s: float = 600.0,
        head_timeout_s: float = 20.0,
        tls: ssl.SSLContext | None = None,
        resolve: Resolver | None = None,
        may_ask: Callable[[], str] = lambda: "",
    ) -> None:
        if len({route.name for route in routes}) < len(routes):
            raise InputRefused("two model endpoints have the same name", todo="name each of them once")
        try:
            registry = Registry(registry_hosts) if registry_hosts else None
        except ValueError as error:
            raise InputRefused(str(error), kept="nothing was started", todo="list names such as pypi.org") from None
        self._routes: dict[str, Route | None] = {route.name: route for route in routes}
        if registry:
            self._routes[REGISTRY] = None
        self.sockets = {name: folder / f"{name}.sock" for name in self._routes}
        self._max_connections = max_connections
        if tls is None and any(route.place.tls for route in routes):
            tls = _tls()
        self._rules = _Rules(registry, idle_timeout_s, head_timeout_s, tls, resolve or by_name, may_ask)
        self._ledger = Ledger(max_bytes)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()

    @property
    def use(self) -> NetworkUse:
        return self._ledger.snapshot()

    @property
    def hopeless(self) -> int:
        """The status with which a model's server refuses what makes no sense to it, again and again; 0: it does not."""
        return self._ledger.hopeless

    @property
    def trouble(self) -> Trouble | None:
        """That no model answers, if it was so at the last request."""
        return self._ledger.trouble

    def __enter__(self) -> Self:
        listeners: Listeners = []
        try:
            for name, path in self.sockets.items():
                listeners.append((_listener(path), self._routes[name]))
        except OSError as error:
            for listener, _ in listeners:
                listener.close()
            raise MachineRefused(
                f"the sandbox's socket cannot be made: {error.strerror}", todo=f"make {path.parent} writable"
            ) from None
        ready: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(self._loop, listeners, ready), daemon=True)
        self._thread.start()
        ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cut whatever is open and remove the sockets. May be called more than once."""
        if self._thread is None or self._loop is None:
            return
        for path in self.sockets.values():
            path.unlink(missing_ok=True)
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=CLOSE_S)

    def _run(self, loop: asyncio.AbstractEventLoop, listeners: Listeners, ready: Future[None]) -> None:
        loop.set_exception_handler(lambda *_: None)  # a broken connection is nothing to print on a terminal
        try:
            loop.run_until_complete(self._serve(listeners, ready))
        finally:
            loop.close()

    async def _serve(self, listeners: Listeners, ready: Future[None]) -> None:
        servers = [
            await asyncio.start_unix_server(self._handler(route), sock=listener, limit=CHUNK, backlog=128)
            for listener, route in listeners
        ]
        ready.set_result(None)
        await self._stop.wait()
        for server in servers:
            server.close()
        for _ in range(10):  # what was being accepted just now becomes a task of its own
            await asyncio.sleep(0)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            if others:
                await asyncio.wait(others, timeout=CLOSE_S / 10)

    def _handler(
        self, route: Route | None
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            connection = _Connection(self._rules, self._ledger, route, reader, writer)
            if self._stop.is_set():
                writer.transport.abort()
                return
            if len(self._open) >= self._max_connections:
                connection.turn_away(Refused(503, "too many connections are open", "too many connections"))
                writer.close()
                return
            self._open.add(task)
            try:
                await connection.serve()
            finally:
                self._open.discard(task)

        return handle


@dataclass(frozen=True, slots=True)
class _Rules:
    registry: Registry | None
    idle_s: float
    head_s: float
    tls: ssl.SSLContext | None
    resolve: Resolver
    may_ask: Callable[[], str]


class _Connection:
    """One connection from the sandbox: one request after the other, each checked before anything is sent on."""

    def __init__(
        self,
        rules: _Rules,
        ledger: Ledger,
        route: Route | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._rules, self._ledger, self._route = rules, ledger, route
        self._reader, self._writer = reader, writer
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._method = self._note = ""
        self._answering = False
        self._upstream: Upstream | None = None
        self._idle: asyncio.Timeout | None = None
        self._beaten_at = 0.0
        writer.transport.set_write_buffer_limits(high=2 * CHUNK)

    async def serve(self) -> None:
        broken = True
        try:
            first = True
            while await self._one_request(first):
                first = False
            broken = False
        except Refused as refusal:
            broken = self.turn_away(refusal)
        except UpstreamFailed as failure:
            broken = self._answer(502, str(failure))
        except TimeoutError:
            broken = self._answer(504, "the upstream was silent for too long")
        except OSError:
            pass  # the program hung up
        except Exception as error:
            self._ledger.refusal(f"fault in the bridge: {type(error).__name__}")
        finally:
            if self._upstream:
                self._upstream.abort()
            try:
                if not broken:
                    await self._end_well()
            finally:
                self._writer.transport.abort()

    def turn_away(self, refusal: Refused) -> bool:
        self._ledger.refusal(refusal.note)
        return self._answer(refusal.status, refusal.message)

    def _answer(self, status: int, message: str) -> bool:
        """A last answer; True if another had begun, which can then only be cut short."""
        if self._answering:
            return True
        error = {"type": "error", "error": {"type": "statsclaw_bridge", "message": message}}
        body = json.dumps(error).encode("ascii") + b"\n"
        head = (
            f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._writer.write(head.encode("ascii") + (b"" if self._method == "HEAD" else body))
        return False

    async def _end_well(self) -> None:
        """Let the program read what was written: one that is cut off while it still sends would never see it."""
        with contextlib.suppress(OSError):
            async with asyncio.timeout(self._rules.idle_s):
                self._writer.transport.set_write_buffer_limits(high=0)
                await self._writer.drain()
                self._writer.write_eof()
            async with asyncio.timeout(LINGER_S):
                while await self._reader.read(CHUNK):
                    pass

    async def _one_request(self, first: bool) -> bool:
        """Whether another may follow."""
        self._method = ""
        if not await self._read_head(first):
            return False
        http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        received = bytes(self._buffer)
        self._buffer.clear()
        http.receive_data(received)
        try:
            request = http.next_event()
        except h11.RemoteProtocolError:
            raise Refused(400, "the request is malformed", _about(received, "malformed")) from None
        assert isinstance(request, h11.Request)
        self._method = request.method.decode("ascii")
        self._note = noted(self._method, request.target)
        if self._route:
            return await self._to_route(self._route, http, request)
        assert self._rules.registry is not None
        return await self._to_registry(self._rules.registry, http, request)

    async def _read_head(self, first: bool) -> bool:
        """Collect a whole header; False when no further request comes."""
        if not first and not self._buffer:
            try:
                async with asyncio.timeout(min(KEEP_ALIVE_S, self._rules.idle_s)):
                    self._buffer += await self._reader.read(CHUNK)
            except TimeoutError:
                return False
            if not self._buffer:
                return False
        try:
            async with asyncio.timeout(self._rules.head_s):
                looked_at = 0
                while True:
                    end = self._buffer.find(b"\r\n\r\n", max(0, looked_at - 3))
                    head = self._buffer if end < 0 else self._buffer[: end + 4]
                    if problem := head_problem(head, looked_at):
                        raise Refused(431 if len(head) > HEAD_BYTES else 400, problem, _about(head, problem))
                    if end >= 0:
                        return True
                    looked_at = len(head)
                    data = await self._reader.read(CHUNK)
                    if not data:
                        return False
                    self._buffer += data
        except TimeoutError:
            if not self._buffer:
                return False
            raise Refused(408, "the header took too long", _about(self._buffer, "slow header")) from None

    async def _to_route(self, route: Route, http: h11.Connection, request: h11.Request) -> bool:
        check_framing(request.headers, request.http_version, self._note)
        if (self._method, request.target) == ("HEAD", b"/"):  # a program asks whether anybody is there
            self._answer(200, "the bridge is")
            return False
        target = route.target(self._method, request.target)
        if reason := self._rules.may_ask():
            raise Refused(402, reason, f"{self._note}: {reason}")
        headers = route.headers_up(request.headers)
        meter = Meter.of(self._method, target)
        opened = self._loop.time()
        self._ledger.open(meter)
        try:
            return await self._exchange(route.place, http, request, target, headers, Scrubber(route.secret), meter)
        except (UpstreamFailed, TimeoutError) as failure:
            lasting = isinstance(failure, UpstreamFailed) and failure.lasting
            self._ledger.fail(meter, Trouble(0, lasting=str(failure) if lasting else ""))
            raise
        finally:
            if not meter.begun and self._loop.time() - opened > SILENCE_S:  # the program did not wait any longer
                self._ledger.fail(meter, Trouble(0))
            self._ledger.close(meter)

    async def _to_registry(self, registry: Registry, http: h11.Connection, request: h11.Request) -> bool:
        if {name for name, _ in request.headers} & {b"transfer-encoding", b"content-length"}:
            raise Refused(403, "nothing may be sent to a registry", self._note)
        if self._method == "CONNECT":
            await self._tunnel(registry.place(request.target.decode("ascii"), 443, self._note), http)
            return False
        if self._method != "GET":
            raise Refused(403, "only CONNECT and GET http:// are open to the sandbox", self._note)
        check_framing(request.headers, request.http_version, self._note)
        place, target = registry.absolute(request.target, self._note)
        headers = [(b"host", place.authority.encode("ascii")), *headers_up(request.headers)]
        return await self._exchange(place, http, request, target, headers, Scrubber(""))

    async def _exchange(
        self,
        place: Place,
        http: h11.Connection,
        request: h11.Request,
        target: bytes,
        headers: Headers,
        scrubber: Scrubber,
        meter: Meter | None = None,
    ) -> bool:
        """Send a checked request on and its answer back, both as they come. Whether the connection can go on."""
        if any(name == b"transfer-encoding" for name, _ in request.headers):
            headers.append((b"transfer-encoding", b"chunked"))
        async with self._not_idle():
            upstream = await self._connected(place, place.authority)
            if http.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
                self._writer.write(http.send(go_on))
            sent_on = h11.Request(method=request.method, target=target, headers=headers)
            upstream.unsent = [upstream.http.send(sent_on)]
            upload = asyncio.create_task(self._upload(http, upstream, meter))
            try:
                await self._download(http, upstream, scrubber, meter)
            except (UpstreamFailed, h11.RemoteProtocolError) as failure:
                if upload.done() and (fault := upload.exception()):
                    raise fault from None
                if isinstance(failure, UpstreamFailed):
                    raise
                raise UpstreamFailed("the upstream did not send a proper answer") from None
            finally:
                sent_all = upload.done()
                upload.cancel()
                await asyncio.gather(upload, return_exceptions=True)
        self._answering = False
        upstream.used_at = self._loop.time()
        if not sent_all or upload.exception() or http.our_state is not h11.DONE:
            return False
        self._buffer += http.trailing_data[0]
        return True

    async def _upload(self, http: h11.Connection, upstream: Upstream, meter: Meter | None) -> None:
        """A fault of the program ends the exchange; one of the upstream does not, since its answer may still come."""
        try:
            while True:
                event = http.next_event()
                if event is h11.NEED_DATA:
                    await self._flush(upstream)
                    data = await self._reader.read(CHUNK)
                    if not data:
                        raise ConnectionAbortedError
                    self._beat()
                    http.receive_data(data)
                elif isinstance(event, h11.Data):
                    if meter:
                        meter.send(event.data)
                    upstream.unsent.append(upstream.http.send(h11.Data(data=event.data)))
                else:
                    upstream.unsent.append(upstream.http.send(h11.EndOfMessage()))
                    await self._flush(upstream)
                    return
        except h11.RemoteProtocolError:
            upstream.abort()
            raise Refused(400, "the body is malformed", f"{self._note}: malformed body") from None
        except (Refused, OSError):
            upstream.abort()
            raise

    async def _flush(self, upstream: Upstream) -> None:
        data = b"".join(upstream.unsent)
        upstream.unsent.clear()
        self._ledger.count(self._note, up=len(data))
        if upstream.writer.transport.is_closing():
            raise UpstreamFailed("the upstream broke the connection")
        upstream.writer.write(data)
        with contextlib.suppress(OSError):
            await upstream.writer.drain()

    async def _download(
        self, http: h11.Connection, upstream: Upstream, scrubber: Scrubber, meter: Meter | None
    ) -> None:
        unsent: list[bytes] = []
        while True:
            event = upstream.http.next_event()
            if event is h11.NEED_DATA:
                await self._write(unsent)
                try:
                    data = await upstream.reader.read(CHUNK)
                except OSError:
                    raise UpstreamFailed("the upstream broke the connection") from None
                self._beat()
                self._ledger.count(self._note, down=len(data))
                upstream.http.receive_data(data)
            elif isinstance(event, h11.Response):
                unsent.append(http.send(self._answer_to(event, scrubber)))
                self._answering = True
                if meter:
                    meter.begin(event.status_code, event.headers, datetime.now(UTC))
                    self._ledger.begin(meter, event.status_code)
            elif isinstance(event, h11.Data):
                if meter:
                    meter.feed(bytes(event.data))
                if ready := scrubber.feed(bytes(event.data)):
                    unsent.append(http.send(h11.Data(data=ready)))
            elif isinstance(event, h11.EndOfMessage):
                if meter:  # before the program has heard the last of it and asks again
                    meter.end()
                    self._ledger.hear(meter)
                if rest := scrubber.rest():
                    unsent.append(http.send(h11.Data(data=rest)))
                unsent.append(http.send(h11.EndOfMessage()))
                await self._write(unsent)
                return
            elif not isinstance(event, h11.InformationalResponse):
                raise UpstreamFailed("the upstream did not send a proper answer")

    async def _write(self, unsent: list[bytes]) -> None:
        if unsent:
            self._writer.write(b"".join(unsent))
            unsent.clear()
            await self._writer.drain()

    def _answer_to(self, response: h11.Response, scrubber: Scrubber) -> h11.Response:
        headers = scrubber.headers(response.headers)
        encodings = {value.lower() for name, value in headers if name == b"content-encoding"}
        if self._route and self._route.secret and encodings - {b"identity"}:
            raise UpstreamFailed(
                "the upstream sent a compressed answer, in which the key could not be looked for", lasting=True
            )
        reason = _PHRASES.get(response.status_code, "").encode("ascii")
        return h11.Response(status_code=response.status_code, headers=headers, reason=reason)

    async def _tunnel(self, place: Place, http: h11.Connection) -> None:
        """Bytes both ways, until both sides have ended or one breaks."""
        async with self._not_idle():
            host = place.host if place.port == 443 else f"{place.host}:{place.port}"
            upstream = await self._connected(place, host)
            self._answering = True
            self._writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            early = http.trailing_data[0]
            self._ledger.count(self._note, up=len(early))
            upstream.writer.write(early)
            pumps = (
                asyncio.create_task(self._pump(self._reader, upstream.writer, up=True)),
                asyncio.create_task(self._pump(upstream.reader, self._writer, up=False)),
            )
            try:
                await asyncio.gather(*pumps)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        self._answering = False

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, up: bool) -> None:
        while data := await source.read(CHUNK):
            self._beat()
            self._ledger.count(self._note, up=len(data) if up else 0, down=0 if up else len(data))
            sink.write(data)
            await sink.drain()
        sink.write_eof()

    async def _connected(self, place: Place, host: str) -> Upstream:
        """This connection's upstream, the one of the last request if it is in order; the request is counted."""
        self._ledger.count(self._note)
        if not self._can_be_used_again(place):
            if self._upstream:
                self._upstream.abort()
                self._upstream = None
            reader, writer = await connect(place, self._rules.tls, self._rules.resolve)
            http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
            self._upstream = Upstream(place, reader, writer, http, self._loop.time())
        assert self._upstream is not None
        self._ledger.request(host)
        return self._upstream

    def _can_be_used_again(self, place: Place) -> bool:
        old = self._upstream
        if old is None or old.place != place or self._loop.time() - old.used_at > REUSE_S:
            return False
        if old.reader.at_eof() or old.writer.transport.is_closing() or old.http.trailing_data[0]:
            return False
        if old.http.our_state is not h11.DONE or old.http.their_state is not h11.DONE:
            return False
        old.http.start_next_cycle()
        return True

    @contextlib.asynccontextmanager
    async def _not_idle(self) -> AsyncIterator[None]:
        """Time out when no byte has moved in either direction for too long."""
        async with asyncio.timeout(self._rules.idle_s) as self._idle:
            self._beaten_at = self._loop.time()
            yield

    def _beat(self) -> None:
        now = self._loop.time()
        if self._idle and not self._idle.expired() and now - self._beaten_at > self._rules.idle_s / 20:
            self._beaten_at = now
            self._idle.reschedule(now + self._rules.idle_s)


def _listener(path: Path) -> socket.socket:
    """A socket that is closed to other users from the moment it has a name. A leftover of its name is replaced."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.fchmod(listener.fileno(), 0o600)
        short = len(os.fsencode(path)) <= LONGEST_SOCKET_PATH
        listener.bind(str(path) if short else f"/proc/self/fd/{folder}/{path.name}")
    except OSError:
        listener.close()
        raise
    finally:
        os.close(folder)
    return listener


def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _about(head: bytes | bytearray, why: str) -> str:
    """A line for the record about a request that could not be read."""
    first_line = bytes(head).partition(b"\r\n")[0].partition(b"?")[0]
    return f"{printable(first_line.decode('latin-1'), 50)}: {why}"


_PHRASES = {int(status): status.phrase for status in HTTPStatus}

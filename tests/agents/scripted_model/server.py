"""The server: one thread per connection, on loopback, gone when the block ends."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import ModuleType
from typing import Any, Self

from tests.agents.scripted_model.acts import Act, Break, Fail, Refuse, Say, Stall, Use
from tests.agents.scripted_model.asked import Asked, Talk
from tests.agents.scripted_model.wires import WIRES

Script = Callable[[Talk], Iterator[Act]]

#: What a model says when the script has nothing more to say.
ENDED = Say("There is nothing more to do.")


class ScriptedModel:
    """`scripts`: one for every conversation, or several by a text that the first message holds.

    A conversation is known by its first message, so a script goes on where it was when an agent asks again or later.
    """

    def __init__(self, scripts: Script | dict[str, Script]) -> None:
        self.scripts = scripts if isinstance(scripts, dict) else {"": scripts}
        self.asked: list[Asked] = []
        self.failures: list[str] = []
        self._talks: dict[str, tuple[Talk, Iterator[Act]]] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_act(self, asked: Asked) -> tuple[Act, int]:
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked)
            if asked.is_side_request:
                return Say("ok"), number
            if asked.first not in self._talks:
                named = [name for name in self.scripts if name in asked.first]
                if not named:
                    self.failures.append(f"no script for a conversation that begins {asked.first[:200]!r}")
                    return Fail(400, "no script"), number
                talk = Talk()
                self._talks[asked.first] = (talk, iter(self.scripts[max(named, key=len)](talk)))
            talk, script = self._talks[asked.first]
            talk.asked.append(asked)
            try:
                return next(script, ENDED), number
            except Exception as error:  # a failed expectation of the script is the test's failure
                self.failures.append(f"{type(error).__name__}: {error}")
                return Fail(400, "the script failed"), number


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send(200, b"")

        def do_GET(self) -> None:
            self._send(200, b'{"object":"list","data":[]}') if self.path.endswith("/models") else self._send(404, b"{}")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            wire = next((wire for wire in WIRES if wire.speaks(self.path)), None)
            if wire is None:
                self._send(404, b"{}")
                return
            asked: Asked = wire.read(json.loads(body), self.path, len(body))
            object.__setattr__(asked, "headers", {name.lower(): value for name, value in self.headers.items()})
            object.__setattr__(asked, "body", body)
            act, number = model.next_act(asked)
            self._answer(wire, asked, act, number)

        def _answer(self, wire: ModuleType, asked: Asked, act: Act, number: int) -> None:
            if isinstance(act, Stall):
                time.sleep(act.seconds)
                act = act.then
            if isinstance(act, Fail):
                self._send(act.status, json.dumps(wire.error(act.status, act.message)).encode(), dict(act.headers))
                return
            text = act.text if isinstance(act, Say | Break | Use) else ""
            if isinstance(act, Refuse):
                whole = wire.refusal(asked, act.text, number)
            else:
                call = asked.call(act) if not isinstance(act, Break) else None
                whole = wire.answer(asked, text, call, number)
            if not asked.stream:
                self._send(200, json.dumps(whole).encode())
                return
            self._stream(wire, whole, cut=isinstance(act, Break))

        def _stream(self, wire: ModuleType, whole: dict[str, Any], *, cut: bool) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            rows = list(wire.events(whole))
            for name, data in rows[: max(1, len(rows) // 2)] if cut else rows:
                text = data if isinstance(data, str) else json.dumps(data)
                self.wfile.write(((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode())
                self.wfile.flush()
            self.close_connection = True

        def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    return Handler

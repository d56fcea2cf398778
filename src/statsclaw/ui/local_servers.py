"""Model servers of this machine: one short question to each, and nothing believed of the answer."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import h11

MOST_BYTES = 256 * 1024
TIMEOUT_S = 1.5
_MOST_MODELS = 200
#: A name that can stand in a backend and in a line for a person as it is.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]{0,99}")


@dataclass(frozen=True, slots=True)
class LocalServer:
    name: str
    port: int
    models: tuple[str, ...]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def listening(ports: Sequence[tuple[str, int]], timeout_s: float = TIMEOUT_S) -> list[LocalServer]:
    """Those that answer with a list of models, each asked once, all at the same time."""
    with ThreadPoolExecutor(max_workers=max(1, len(ports))) as pool:
        answers = pool.map(lambda row: models_at(row[1], timeout_s), ports)
        found = [(name, port, models) for (name, port), models in zip(ports, answers, strict=True)]
    return [LocalServer(name, port, models) for name, port, models in found if models is not None]


def models_at(port: int, timeout_s: float = TIMEOUT_S) -> tuple[str, ...] | None:
    """The models that are served at a port of loopback; None where nobody answers as a model server does."""
    try:
        table = json.loads(_body_of(port, time.monotonic() + timeout_s))
        rows = [row["id"] for row in table["data"][:_MOST_MODELS]]
    except (OSError, h11.RemoteProtocolError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return tuple(dict.fromkeys(name for name in rows if isinstance(name, str) and _MODEL.fullmatch(name)))


def _body_of(port: int, deadline: float) -> bytes:
    """The body of a plain 200. Redirects are not followed, proxies not asked, and there is an end to time and size."""
    wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=64 * 1024)
    request = h11.Request(
        method="GET",
        target="/v1/models",
        headers=[("Host", f"127.0.0.1:{port}"), ("Accept", "application/json"), ("Connection", "close")],
    )
    body, received = bytearray(), 0
    with socket.create_connection(("127.0.0.1", port), timeout=_left(deadline)) as connection:
        connection.sendall((wire.send(request) or b"") + (wire.send(h11.EndOfMessage()) or b""))
        while True:
            event = wire.next_event()
            if event is h11.NEED_DATA:
                connection.settimeout(_left(deadline))
                data = connection.recv(16 * 1024)
                received += len(data)
                if received > MOST_BYTES:
                    raise ValueError("too much")
                wire.receive_data(data)
            elif isinstance(event, h11.Response) and event.status_code != 200:
                raise ValueError("not a list of models")
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                return bytes(body)
            elif not isinstance(event, h11.Response | h11.InformationalResponse):
                raise ValueError("it ended early")


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("it takes too long")
    return left

"""The other end of the bridge: a connection to a server whose address was checked."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import h11

from statsclaw.sandbox.outward import Place, is_address

CHUNK = 256 * 1024
_CONNECT_S = 20.0

Resolver = Callable[[str, int], Sequence[str]]


class UpstreamFailed(Exception):
    """It could not be reached or did not answer as a server does; said without its address.

    `lasting`: it will not be otherwise the next time.
    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


@dataclass(slots=True)
class Upstream:
    place: Place
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection
    used_at: float
    unsent: list[bytes] = field(default_factory=list)

    def abort(self) -> None:
        self.writer.transport.abort()


async def connect(
    place: Place, tls: ssl.SSLContext | None, resolve: Resolver
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to an address that was checked, not to a name that may lead elsewhere the next time."""
    addresses = await _addresses(place, resolve)
    for address in addresses:
        place.check(address)
    problem, lasting = "could not be reached" if addresses else "could not be found by its name", False
    for address in addresses:
        try:
            async with asyncio.timeout(_CONNECT_S):
                reader, writer = await asyncio.open_connection(
                    address,
                    place.port,
                    limit=CHUNK,
                    ssl=tls if place.tls else None,
                    server_hostname=place.host if place.tls else None,
                )
        except ssl.SSLCertVerificationError:
            problem, lasting = "has a certificate that is not trusted", True
        except ssl.SSLError:
            problem, lasting = "does not speak TLS as it should", True
        except OSError:
            continue
        else:
            writer.transport.set_write_buffer_limits(high=2 * CHUNK)
            return reader, writer
    raise UpstreamFailed(f"the upstream {problem}", lasting=lasting)


async def _addresses(place: Place, resolve: Resolver) -> Sequence[str]:
    """In a thread of its own, for which nobody waits when a name server does not answer."""
    if is_address(place.host):
        return [place.host]
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def ask() -> None:
        try:
            found = resolve(place.host, place.port)
        except OSError:
            found = []
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if answer.done() else answer.set_result(found))

    threading.Thread(target=ask, daemon=True).start()
    try:
        async with asyncio.timeout(_CONNECT_S):
            return await answer
    except TimeoutError:
        return []


def by_name(host: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))

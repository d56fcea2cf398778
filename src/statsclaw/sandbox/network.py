"""The way out for one program: a bridge on the machine, a forwarder inside, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.sandbox.barrier import NoBarrier
from statsclaw.sandbox.bridge import FORWARDER, REGISTRY, Bridge
from statsclaw.sandbox.bubblewrap import Bubblewrap
from statsclaw.sandbox.confinement import Confinement
from statsclaw.sandbox.enclosure import Mount
from statsclaw.sandbox.endpoints import Endpoint
from statsclaw.sandbox.toolchain import find_program

_FIRST_PORT = 8701


def hosts_of(endpoints: Sequence[Endpoint], registries: Sequence[str] = ()) -> tuple[str, ...]:
    """What a program with this allowance can reach, as it is written into the log."""
    return (*(endpoint.route.place.host for endpoint in endpoints), *registries)


@contextmanager
def with_network(
    confinement: Confinement,
    endpoints: Sequence[Endpoint],
    registries: Sequence[str] = (),
    may_ask: Callable[[], str] = lambda: "",
) -> Iterator[tuple[Confinement, Bridge | None]]:
    """The confinement with its bridge open; as it was where nothing is allowed."""
    if not endpoints and not registries:
        yield confinement, None
        return
    if confinement.barrier.kind not in (Bubblewrap.kind, NoBarrier.kind):
        raise MachineRefused(
            f"a program behind {confinement.barrier.kind} cannot reach its model",
            kept="the run is kept",
            todo="use the barrier bubblewrap for agents that need a model",
        )
    folder = confinement.desk / "bridge"
    folder.mkdir(parents=True, exist_ok=True)
    routes = [endpoint.route for endpoint in endpoints]
    most = confinement.limits.network_bytes
    with Bridge(folder, routes, registries, max_bytes=most, may_ask=may_ask) as bridge:
        yield _with_forwarder(confinement, bridge, endpoints), bridge


def _with_forwarder(confinement: Confinement, bridge: Bridge, endpoints: Sequence[Endpoint]) -> Confinement:
    shown = confinement.enclosure
    inner = {path: f"/run/statsclaw/{path.name}" for path in (FORWARDER, *bridge.sockets.values())}
    mounts = [Mount(inside=inside, host=str(path), purpose="bridge") for path, inside in inner.items()]
    enclosure = replace(shown, mounts=(*shown.mounts, *mounts))
    prepared = replace(confinement, enclosure=enclosure)
    env: dict[str, str] = {}
    listeners = []
    for number, (name, path) in enumerate(bridge.sockets.items()):
        port = _FIRST_PORT + number if confinement.barrier.kind == Bubblewrap.kind else _free_port()
        listeners.append(f"{port}={prepared.path(path)}")
        url = f"http://127.0.0.1:{port}"
        if name == REGISTRY:
            env |= dict.fromkeys(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), url)
            env |= {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
        else:
            env |= next(endpoint.env(url) for endpoint in endpoints if endpoint.name == name)
    python = find_program("python3", enclosure) or "python3"
    before = (python, "-I", "-S", prepared.path(Path(FORWARDER)), *listeners, "--")
    return replace(prepared, before=before, env=env)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port

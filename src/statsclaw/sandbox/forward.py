"""Runs inside a sandbox: carries connections to ports of 127.0.0.1 over to the bridge's sockets while a program runs.

    python3 -I -S forward.py PORT=SOCKET [PORT=SOCKET …] -- program [argument …]

The program has this process's standard streams, and its exit status becomes this one's: 128 + n for a signal, 127 and
126 for a program that is not there or cannot be started, 125 when a port cannot be listened on. It is mounted into the
sandbox alone: standard library only, Python 3.9 or newer.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import sys
import time

BUFFER = 64 * 1024
CANNOT_LISTEN, CANNOT_START, NOT_THERE = 125, 126, 127
LONGEST_SOCKET_PATH = 107
CONNECT_S = 5.0
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


class Pair:
    """A program's connection and the bridge's. A side is read only while nothing read from it waits to be sent."""

    def __init__(self, selector: selectors.BaseSelector, client: socket.socket, bridge: socket.socket) -> None:
        self.selector, self.client, self.bridge = selector, client, bridge
        self.other = {client: bridge, bridge: client}
        self.waiting = {client: memoryview(b""), bridge: memoryview(b"")}
        self.interest = {client: 0, bridge: 0}
        self.ended: set[socket.socket] = set()
        self.deaf: set[socket.socket] = set()
        self.closed = False
        self.settle()

    def ready(self, side: socket.socket, events: int) -> None:
        if self.closed:
            return
        if events & selectors.EVENT_WRITE:
            self.send(side)
        if events & selectors.EVENT_READ:
            self.receive(side)
        self.settle()

    def receive(self, side: socket.socket) -> None:
        sink = self.other[side]
        try:
            data = side.recv(BUFFER)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.ended.add(side)
        if sink not in self.deaf:
            self.waiting[sink] = memoryview(data)
            self.send(sink)

    def send(self, sink: socket.socket) -> None:
        """Send what waits; after the last of it, pass the end of the stream on."""
        try:
            if self.waiting[sink]:
                self.waiting[sink] = self.waiting[sink][sink.send(self.waiting[sink]) :]
            if not self.waiting[sink] and self.other[sink] in self.ended:
                sink.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            return
        except OSError:
            self.deaf.add(sink)
            self.waiting[sink] = memoryview(b"")

    def settle(self) -> None:
        """Close when all is said. A bridge that takes no more may still answer; a client that reads no more is gone."""
        sides = (self.client, self.bridge)
        if self.client in self.deaf or (len(self.ended) == 2 and not any(self.waiting.values())):
            self.closed = True
            for side in sides:
                self.watch(side, 0)
                side.close()
            return
        for side in sides:
            reads = side not in self.ended and not self.waiting[self.other[side]]
            self.watch(side, reads * selectors.EVENT_READ | bool(self.waiting[side]) * selectors.EVENT_WRITE)

    def watch(self, side: socket.socket, events: int) -> None:
        before, self.interest[side] = self.interest[side], events
        if before == events:
            return
        if not before:
            self.selector.register(side, events, self.ready)
        elif events:
            self.selector.modify(side, events, self.ready)
        else:
            self.selector.unregister(side)


def listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    listener.setblocking(False)
    return listener


def accept(selector: selectors.BaseSelector, listener: socket.socket, path: str) -> None:
    try:
        client, _ = listener.accept()
    except BlockingIOError:
        return
    except OSError:
        time.sleep(0.05)  # too many open files: others must end first
        return
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        bridge = connect(path)
    except OSError:
        client.close()
        return
    client.setblocking(False)
    Pair(selector, client, bridge)


def connect(path: str) -> socket.socket:
    bridge = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bridge.settimeout(CONNECT_S)
        if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
            bridge.connect(path)
        else:
            folder, _, name = path.rpartition("/")
            fd = os.open(folder or ".", os.O_PATH | os.O_DIRECTORY)
            try:
                bridge.connect(f"/proc/self/fd/{fd}/{name}")
            finally:
                os.close(fd)
    except OSError:
        bridge.close()
        raise
    bridge.setblocking(False)
    return bridge


def signals() -> socket.socket:
    """From here on, signals arrive as bytes on this socket."""
    inlet, outlet = socket.socketpair()
    inlet.setblocking(False)
    outlet.setblocking(False)
    signal.set_wakeup_fd(inlet.detach(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in PASSED_ON:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    return outlet


def status_of(child: int) -> int | None:
    """The program's exit status when it has ended; whatever else has ended is reaped."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                found = code if code >= 0 else 128 - code
    return found


def run(ways: list[tuple[int, str]], argv: list[str]) -> int:
    selector = selectors.DefaultSelector()
    arrived = signals()
    selector.register(arrived, selectors.EVENT_READ)
    for port, path in ways:
        try:
            listener = listen(port)
        except OSError as error:
            return complain(f"cannot listen on port {port}: {error.strerror}", CANNOT_LISTEN)
        selector.register(listener, selectors.EVENT_READ, path)
    try:
        child = os.posix_spawnp(argv[0], argv, os.environ, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ))
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        return complain(f"{argv[0]}: {error.strerror}", NOT_THERE if missing else CANNOT_START)
    while True:
        for key, events in selector.select():
            side = key.fileobj
            assert isinstance(side, socket.socket)
            if side is arrived:
                for number in arrived.recv(512):
                    if number != signal.SIGCHLD:
                        with contextlib.suppress(OSError):
                            os.kill(child, number)
                status = status_of(child)
                if status is not None:
                    return status
            elif isinstance(key.data, str):
                accept(selector, side, key.data)
            else:
                key.data(side, events)


def complain(what: str, status: int) -> int:
    print(f"forward: {what}", file=sys.stderr)
    return status


def main() -> int:
    arguments = sys.argv[1:]
    if "--" not in arguments or not arguments[arguments.index("--") + 1 :]:
        return complain("use: forward.py PORT=SOCKET … -- program argument …", CANNOT_LISTEN)
    cut = arguments.index("--")
    ways = []
    for way in arguments[:cut]:
        port, _, path = way.partition("=")
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536 and path):
            return complain(f"not PORT=SOCKET: {way}", CANNOT_LISTEN)
        ways.append((int(port), path))
    return run(ways, arguments[cut + 1 :])


if __name__ == "__main__":
    sys.exit(main())

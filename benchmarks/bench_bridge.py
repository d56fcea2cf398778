"""The way out of a sandbox: the time of a request and the bytes per second, beside a direct connection.

The upstream is a process on loopback; the client is the same program, once beside it and once in bubblewrap behind
forwarder and bridge. Run: python benchmarks/bench_bridge.py
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from statsclaw.sandbox.bridge import FORWARDER, Bridge, Route

MEGABYTES, REQUESTS, ROUNDS = 200, 500, 3

UPSTREAM = """
import socket, sys, threading
BLOCK = bytes(1 << 20)
def serve(link):
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer, room = b"", bytearray(1 << 18)
    while True:
        while b"\\r\\n\\r\\n" not in buffer:
            data = link.recv(65536)
            if not data:
                return
            buffer += data
        head, _, buffer = buffer.partition(b"\\r\\n\\r\\n")
        _, _, length = head.lower().partition(b"content-length:")
        left = int(length.partition(b"\\r")[0] or 0) - len(buffer)
        buffer = b""
        while left > 0:
            left -= link.recv_into(room)
        size = int(sys.argv[1]) if b"/blob" in head.split(b"\\r\\n")[0] else 2
        link.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % size + b"ok" * (size == 2))
        for _ in range(size >> 20):
            link.sendall(BLOCK)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""

CLIENT = """
import http.client, json, socket, sys, time
port, requests, megabytes = map(int, sys.argv[1:])
def connect():
    link = http.client.HTTPConnection("127.0.0.1", port)
    link.connect()
    link.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link
def once(link):
    start = time.perf_counter()
    link.request("POST", "/v1/small", body=b"x" * 1000)
    link.getresponse().read()
    return 1000 * (time.perf_counter() - start)
link = connect()
kept = [once(link) for _ in range(requests)][requests // 10:]
fresh = []
for _ in range(requests // 5):
    start = time.perf_counter()
    once(connect())
    fresh.append(1000 * (time.perf_counter() - start))
block = bytes(1 << 20)
start = time.perf_counter()
size = {"Content-Length": str(megabytes << 20)}
link.request("POST", "/v1/sink", body=(block for _ in range(megabytes)), headers=size)
link.getresponse().read()
up = megabytes / (time.perf_counter() - start)
room = bytearray(1 << 18)
start = time.perf_counter()
link.request("GET", "/v1/blob")
answer, total = link.getresponse(), 0
while size := answer.readinto(room):
    total += size
assert total == megabytes << 20
print(json.dumps([kept, fresh, up, megabytes / (time.perf_counter() - start)]))
"""


def measured(argv: list[str]) -> dict[str, float]:
    rounds = [json.loads(subprocess.run(argv, check=True, capture_output=True).stdout) for _ in range(ROUNDS)]
    kept = sorted(value for part in rounds for value in part[0])
    fresh = sorted(value for part in rounds for value in part[1])
    return {
        "request_ms_median": statistics.median(kept),
        "request_ms_p95": kept[int(0.95 * len(kept))],
        "request_on_new_connection_ms_median": statistics.median(fresh),
        "request_on_new_connection_ms_p95": fresh[int(0.95 * len(fresh))],
        "upload_mb_per_s": statistics.median(part[2] for part in rounds),
        "download_mb_per_s": statistics.median(part[3] for part in rounds),
    }


def main() -> None:
    if not shutil.which("bwrap"):
        print("bridge: not measured, bubblewrap is not installed")
        return
    with (
        tempfile.TemporaryDirectory() as scratch,
        subprocess.Popen([sys.executable, "-c", UPSTREAM, str(MEGABYTES << 20)], stdout=subprocess.PIPE) as upstream,
    ):
        try:
            assert upstream.stdout is not None
            port = upstream.stdout.readline().decode().strip()
            arguments = [str(REQUESTS), str(MEGABYTES)]
            client = [sys.executable, "-I", "-c", CLIENT]
            direct = measured([*client, port, *arguments])
            route = Route(name="model", upstream=f"http://127.0.0.1:{port}", key="made-up-for-a-benchmark" * 4)
            with Bridge(Path(scratch), [route], max_bytes=1 << 40) as bridge:
                sandbox = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"]
                forward = [sys.executable, "-I", "-S", str(FORWARDER), f"8001={bridge.sockets['model']}", "--"]
                bridged = measured([*sandbox, *forward, *client, "8001", *arguments])
        finally:
            upstream.terminate()
    for name, value in direct.items():
        print(f"direct_{name}: {value:.3f}")
        print(f"bridged_{name}: {bridged[name]:.3f}")
        print(f"ratio_{name}: {bridged[name] / value:.2f}")


if __name__ == "__main__":
    main()

"""A server that streams answers as a model does, and a client that times them. Standard library only: it runs inside.

stream.py serve                                     prints its port
stream.py ask PORT REQUESTS EVENTS PACED MEGABYTES  prints its times as JSON
"""

from __future__ import annotations

import http.client
import json
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ASKED = b"x" * 50_000  # an agent sends all of its conversation with every request
WORDS = "a few words of an answer, as long as what a model says at once "
GAP_S = 0.005
BLOCK = b"x" * (1 << 16)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        asked = {name: int(values[0]) for name, values in parse_qs(urlsplit(self.path).query).items()}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for _ in range(asked.get("events", 0)):
            if asked.get("paced"):
                time.sleep(GAP_S)
            event = {"type": "content_block_delta", "at": time.perf_counter_ns(), "text": WORDS}
            self.chunk(b"event: content_block_delta\ndata: " + json.dumps(event).encode() + b"\n\n")
        for _ in range((asked.get("megabytes", 0) << 20) // len(BLOCK)):
            self.chunk(BLOCK)
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))


def serve() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


def ask(port: int, requests: int, events: int, paced: int, megabytes: int) -> dict[str, list[float]]:
    link = http.client.HTTPConnection("127.0.0.1", port)
    link.connect()
    link.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found: dict[str, list[float]] = {"answer_ms": [], "first_event_ms": [], "event_late_ms": [], "mb_per_s": []}
    for number in range(requests + paced):
        slowly = number >= requests
        begun = time.perf_counter()
        link.request("POST", f"/v1/messages?events={events}&paced={int(slowly)}", body=ASKED)
        answer, arrived = link.getresponse(), []
        while line := answer.readline():
            if line.startswith(b"data: "):
                arrived.append((time.perf_counter_ns(), line))
        if slowly:
            found["event_late_ms"] += [(at - json.loads(line[6:])["at"]) / 1e6 for at, line in arrived]
        else:
            found["answer_ms"].append(1000 * (time.perf_counter() - begun))
            found["first_event_ms"].append(arrived[0][0] / 1e6 - 1000 * begun)
    room = bytearray(1 << 18)
    begun = time.perf_counter()
    link.request("POST", f"/v1/messages?megabytes={megabytes}", body=ASKED)
    answer = link.getresponse()
    while answer.readinto(room):
        pass
    found["mb_per_s"].append(megabytes / (time.perf_counter() - begun))
    return found


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    else:
        print(json.dumps(ask(*map(int, sys.argv[2:]))))

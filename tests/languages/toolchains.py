"""Compilers that a machine may lack and that come from a registry, in a cache that the tests own."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

TYPESCRIPT = "7.0.2"
CACHES = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "statsclaw-tests"
CACHE = CACHES / f"typescript-{TYPESCRIPT}"


@contextmanager
def typescript() -> Iterator[None]:
    """Node and tsc in one prefix, as nvm and `npm install --global` lay them out, first on the search path."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("Node.js with npm is not installed")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (CACHE / "installed").is_file():
            argv = ["npm", "install", "--global", "--no-audit", "--no-fund", "--prefix", str(CACHE)]
            done = subprocess.run([*argv, f"typescript@{TYPESCRIPT}"], capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"TypeScript cannot be installed: {done.stderr[-300:]}")
            (CACHE / "bin" / "node").unlink(missing_ok=True)
            (CACHE / "bin" / "node").symlink_to(Path(str(shutil.which("node"))).resolve())
            (CACHE / "installed").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{CACHE / 'bin'}:{os.environ['PATH']}")
        yield

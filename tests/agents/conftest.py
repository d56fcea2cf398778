"""Real agent programs, installed once into a cache that the tests own, and a model that a script plays."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "statsclaw-tests" / "agents"


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with `claude`, `codex`, `gemini` and `opencode`."""
    wanted = tomllib.loads((HERE / "programs.toml").read_text(encoding="utf-8"))
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, and with it come the agent programs")
    CACHE.mkdir(parents=True, exist_ok=True)
    done_already = CACHE / "installed.json"
    with (CACHE / "lock").open("w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done_already.is_file() or json.loads(done_already.read_text()) != wanted:
            argv = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(CACHE)]
            argv += [f"{name}@{version}" for name, version in wanted.items()]
            done = subprocess.run(argv, capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"the agent programs cannot be installed: {done.stderr[-300:]}")
            done_already.write_text(json.dumps(wanted))
    return CACHE / "node_modules" / ".bin"


@pytest.fixture
def agents(programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs on the search path, and a key that no model would take."""
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MY_OWN_KEY"):
        monkeypatch.setenv(name, SECRET)
    return programs


#: What the bridge adds outside, and nothing inside may ever hold.
SECRET = "sk-scripted-3f9a1c77e2"

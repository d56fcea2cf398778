"""Install the wheel into a fresh environment outside the checkout, as pipx would, and use it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main(wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(wheel.resolve())], check=True)
        program = folder / "venv" / "bin" / "statsclaw"
        env = os.environ | {"STATSCLAW_WORKSPACE": str(folder / "workspace"), "HOME": scratch}
        for command in (
            ["--version"],
            ["route", "fix the failing tests and open a PR", "--json"],
            ["prompts", "--count"],
            ["doctor", "--strict"],
            ["list"],
            ["demo", "hac"],
        ):
            done = subprocess.run([program, *command], cwd=folder, env=env, capture_output=True, text=True)
            print(f"{'ok' if done.returncode == 0 else 'FAILED'}: statsclaw {' '.join(command)}")
            if done.returncode != 0:
                sys.exit(done.stdout + done.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

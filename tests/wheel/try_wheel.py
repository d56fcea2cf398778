"""Install what a release consists of outside the checkout, as pip, pipx and uv would, and use it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

#: Reads the recipe as conda-forge would.
_RENDERS = """
import sys
from pathlib import Path
from rattler_build import Stage0Recipe
(variant,) = Stage0Recipe.from_yaml(Path(sys.argv[1]).read_text(encoding="utf-8")).render()
made = variant.recipe
print(made.package.name, made.package.version)
"""


def main(folder: Path) -> None:
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("statsclaw-*.tar.gz")
    version = wheel.name.split("-")[1]
    with tempfile.TemporaryDirectory() as scratch:
        own = Path(scratch)
        env = os.environ | {"STATSCLAW_WORKSPACE": str(own / "workspace"), "HOME": scratch}
        program = with_pip(own / "wheel", wheel)
        for command in (
            ["--version"],
            ["route", "fix the failing tests and open a PR", "--json"],
            ["prompts", "--count"],
            ["doctor", "--strict"],
            ["list"],
            ["demo", "hac"],
        ):
            run([str(program), *command], own, env)
        run([str(with_pip(own / "archive", archive)), "--version"], own, env, wanted=version)
        tools = own / "tools"
        installed(tools, "pipx", "uv", "py-rattler-build")
        places = {
            "PIPX_HOME": str(own / "pipx"),
            "PIPX_BIN_DIR": str(own / "pipx-bin"),
            "UV_CACHE_DIR": str(own / "uv"),
        }
        places |= {"UV_TOOL_DIR": str(own / "uv-tools"), "UV_TOOL_BIN_DIR": str(own / "uv-bin")}
        run([f"{tools}/bin/pipx", "install", str(wheel)], own, env | places)
        run([str(own / "pipx-bin" / "statsclaw"), "--version"], own, env, wanted=version)
        run([f"{tools}/bin/uv", "tool", "install", "--python", sys.executable, str(wheel)], own, env | places)
        run([str(own / "uv-bin" / "statsclaw"), "--version"], own, env, wanted=version)
        recipe = [f"{tools}/bin/python", "-c", _RENDERS, str(folder / "recipe.yaml")]
        run(recipe, own, env, wanted=f"statsclaw {version}", name="recipe.yaml of conda-forge")


def installed(place: Path, *what: str) -> None:
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    pip = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *what], check=True)


def with_pip(place: Path, what: Path) -> Path:
    installed(place, str(what))
    return place / "bin" / "statsclaw"


def run(argv: Sequence[str], folder: Path, env: dict[str, str], *, wanted: str = "", name: str = "") -> None:
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True)
    passed = done.returncode == 0 and wanted in done.stdout
    print(f"{'ok' if passed else 'FAILED'}: {name or ' '.join([Path(argv[0]).name, *argv[1:]])}", flush=True)
    if not passed:
        sys.exit(done.stdout + done.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())

"""What a release consists of: python release/release.py FOLDER. See README.md beside it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jinja2
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
CONDA = ROOT / "release" / "conda-forge"


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder.resolve())], cwd=ROOT, check=True)
    if shutil.which("R"):
        subprocess.run(["R", "CMD", "build", "--no-manual", str(ROOT / "r")], cwd=folder, check=True)
    else:
        print("R is missing: the R package is left out")
    (archive,) = (path for path in folder.glob("*.tar.gz") if not path.name.startswith("statsclaw_"))  # that is R's
    (folder / "recipe.yaml").write_text(recipe(archive), encoding="utf-8")
    files = sorted(path for path in folder.iterdir() if path.is_file())
    sums = "".join(f"{_sha256(path)}  {path.name}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(sums, end="")


def recipe(archive: Path) -> str:
    """The recipe for conda-forge: requirements as pyproject.toml has them, the hash of this archive."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = tomllib.loads((CONDA / "names.toml").read_text(encoding="utf-8"))
    needs = [Requirement(text) for text in about["dependencies"]]
    text = (CONDA / "recipe.yaml").read_text(encoding="utf-8").partition("\n")[2]  # the first line says what it is
    places = jinja2.Environment(
        variable_start_string="<<", variable_end_string=">>", block_start_string="<%", block_end_string="%>",
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    return places.from_string(text).render(
        version=archive.name.removeprefix("statsclaw-").removesuffix(".tar.gz"),
        sha256=_sha256(archive),
        oldest_python=about["requires-python"].removeprefix(">="),
        needs=[f"{names.get(need.name, need.name)} {need.specifier}".strip() for need in needs],
        summary=about["description"],
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""What the recorded runs shipped stands alone: it installs, and a fresh session prints what its README shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from statsclaw.demo.demo import lay_out_shipped

pytestmark = pytest.mark.slow

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")


def blocks(package: Path, *languages: str) -> list[str]:
    found = _BLOCK.findall((package / "README.md").read_text(encoding="utf-8"))
    return [text for language, text in found if language in languages]


def printed(argv: list[str], folder: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def words(text: str) -> str:
    return re.sub(r"[-\d.\s]", "", text)


@pytest.mark.skipif(shutil.which("R") is None, reason="needs R (Debian: apt-get install r-cran-rcpparmadillo)")
def test_the_r_package(tmp_path):
    package, library = lay_out_shipped("probit-r", tmp_path / "probitr"), tmp_path / "library"
    library.mkdir()
    printed(["R", "CMD", "INSTALL", f"--library={library}", str(package)], tmp_path)
    examples, shown = blocks(package, "r"), blocks(package, "text")
    assert len(examples) == len(shown) >= 2
    script = tmp_path / "readme.R"
    for code, expected in zip(examples, shown, strict=True):
        script.write_text(f'.libPaths(c("{library}", .libPaths()))\n{code}', encoding="utf-8")
        seen = printed(["Rscript", "--vanilla", str(script)], tmp_path)
        assert len(numbers(expected)) >= 8
        assert numbers(seen) == pytest.approx(numbers(expected), rel=1e-3)
        assert words(seen) == words(expected)


@pytest.mark.skipif(shutil.which("R") is None, reason="needs R (Debian: apt-get install r-cran-rcpparmadillo)")
def test_the_commands_of_its_vignette_work(tmp_path):
    package, library = lay_out_shipped("probit-r", tmp_path / "probitr"), tmp_path / "library"
    library.mkdir()
    printed(["R", "CMD", "INSTALL", f"--library={library}", str(package)], tmp_path)
    (vignette,) = (package / "vignettes").glob("*.Rnw")
    weave = f'.libPaths(c("{library}", .libPaths())); utils::Sweave("{vignette}")'
    printed(["Rscript", "--vanilla", "-e", weave], tmp_path)
    text = vignette.with_suffix(".tex").name
    shown = (tmp_path / text).read_text(encoding="utf-8")
    assert all(f"Method: {method} (" in shown for method in ("mle", "gibbs", "mh"))
    assert len(numbers("".join(re.findall(r"begin{Soutput}(.*?)end{Soutput}", shown, re.DOTALL)))) > 20


def test_the_python_package(tmp_path):
    package, site = lay_out_shipped("probit-python", tmp_path / "probitpy"), tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    printed([*pip, f"--target={site}", str(package)], tmp_path)
    shutil.rmtree(package / "src")
    examples, shown = blocks(package, "python"), blocks(package, "text")
    assert len(examples) == len(shown) >= 2
    for code, expected in zip(examples, shown, strict=True):
        seen = printed([sys.executable, "-c", code], tmp_path, {"PYTHONPATH": str(site), "HOME": str(tmp_path)})
        assert numbers(seen) == pytest.approx(numbers(expected), rel=1e-3)
        assert words(seen) == words(expected)

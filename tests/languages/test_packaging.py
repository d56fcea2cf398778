"""What a registry would refuse, or hand out incomplete, is found by a check of the profile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.languages.packages import Edit, Package
from tests.languages.toolchains import typescript

pytestmark = pytest.mark.slow

LICENCE = ("Cargo.toml", 'license = "MIT"')


@pytest.fixture(scope="module", params=["typescript", "rust"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    name = str(request.param)
    if shutil.which("bwrap") is None or (name == "rust" and shutil.which("cargo") is None):
        pytest.skip("bubblewrap or cargo is not installed")
    with typescript() if name == "typescript" else nullcontext():
        yield name


FAULTS: dict[str, Edit] = {
    "typescript": ("package.json", '"files": ["dist", "src"]', '"files": ["src"]'),
    "rust": (*LICENCE, 'license = "MIT"\nreadme = "GUIDE.md"'),
}
SAYS = {
    "typescript": "npm would not publish what package.json names: dist/index.d.ts",
    "rust": "readme `GUIDE.md` does not",
}
PRIVATE: dict[str, Edit] = {
    "typescript": ("package.json", '"files": ["dist", "src"]', '"files": ["src"], "private": true'),
    "rust": (*LICENCE, 'publish = false\nreadme = "GUIDE.md"'),
}


def test_the_honest_package_can_be_packed(language: str, tmp_path: Path) -> None:
    evidence = Package(language, tmp_path).verified("build", "checks")
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert "package" in evidence


def test_a_package_that_a_registry_would_hand_out_incomplete_fails(language: str, tmp_path: Path) -> None:
    evidence = Package(language, tmp_path, edits=(FAULTS[language],)).verified("build", "checks")
    assert [name for name, row in evidence.items() if not row.passed] == ["package"]
    assert SAYS[language] in " ".join(evidence["package"].said)


def test_what_is_published_nowhere_is_not_packed(language: str, tmp_path: Path) -> None:
    evidence = Package(language, tmp_path, edits=(PRIVATE[language],)).verified("build", "checks")
    assert evidence["package"].passed

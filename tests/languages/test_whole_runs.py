"""From notes to a pushed branch in every language: scripted roles, each behind the barrier with its own view."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

from statsclaw.git import git
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.roles.matrix import MATRIX, Role
from tests.languages.packages import HERE
from tests.languages.runs import play, verdicts
from tests.languages.toolchains import typescript

pytestmark = pytest.mark.slow
NEEDS = {"go": "go", "rust": "cargo", "c": "cc", "cpp": "cmake", "typescript": "node"}


def material_of(folder: Path, id: str) -> Path:
    """What the roles hand in: of the package, what a builder may write; of the questions, what a tester may."""
    material, profile = folder / "material", load_profile(id)
    for name in ("out", "sources"):
        shutil.copytree(HERE / id / name, material / name)
    for role, base in ((Role.BUILDER, HERE / id / "package"), (Role.TESTER, HERE / id)):
        for source in sorted(path for path in base.rglob("*") if path.is_file()):
            path = source.relative_to(base).as_posix()
            is_own = role is Role.BUILDER or path.startswith("tests/")
            if is_own and profile.classify(path) in MATRIX[role].writes:
                (material / role / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, material / role / path)
    return material


@pytest.mark.parametrize("id", NEEDS)
def test_an_honest_run_ends_with_a_pushed_branch_and_every_criterion_met(id: str, tmp_path: Path):
    if shutil.which(NEEDS[id]) is None:
        pytest.skip(f"needs {NEEDS[id]}: {load_profile(id).missing_tool}")
    with typescript() if id == "typescript" else nullcontext():
        view = play(tmp_path, material_of(tmp_path, id), id, {"LICENSE": "MIT\n", "README.md": "# To be built\n"})
    assert view.finished is not None and view.finished.outcome == "shipped"
    found = verdicts(view)
    assert found and set(found.values()) == {"PASS"}, found
    shipped = git("log", "--all", "--name-only", "--format=", cwd=tmp_path / "package.git").decode().split()
    profile = load_profile(id)
    assert any(profile.classify(path) is PathClass.SOURCE for path in shipped)

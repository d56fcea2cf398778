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
from tests.languages.runs import Objection, play, verdicts
from tests.languages.toolchains import typescript

pytestmark = pytest.mark.slow
NEEDS = {
    "python": "python3", "r": "R", "typescript": "node", "go": "go", "rust": "cargo", "c": "cc", "cpp": "cmake",
}  # fmt: skip
BEFORE = {"LICENSE": "MIT\n", "README.md": "# To be built\n"}


def material_of(folder: Path, id: str) -> Path:
    """What the roles hand in: of the package what a builder may write, of the rest what tester and simulator may."""
    material, profile = folder / "material", load_profile(id)
    for name in ("out", "sources"):
        shutil.copytree(HERE / id / name, material / name)
    bases = {Role.BUILDER: HERE / id / "package", Role.TESTER: HERE / id, Role.SIMULATOR: HERE / id}
    for role, base in bases.items():
        for source in sorted(path for path in base.rglob("*") if path.is_file()):
            path = source.relative_to(base).as_posix()
            is_own = role is Role.BUILDER or path.startswith(("tests/", "simulations/"))
            if is_own and profile.classify(path) in MATRIX[role].writes:
                (material / role / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, material / role / path)
    return material


@pytest.mark.parametrize("id", NEEDS)
def test_an_honest_run_ends_with_a_pushed_branch_and_every_criterion_met(id: str, tmp_path: Path):
    if shutil.which(NEEDS[id]) is None:
        pytest.skip(f"needs {NEEDS[id]}: {load_profile(id).missing_tool}")
    with typescript() if id == "typescript" else nullcontext():
        view = play(tmp_path, material_of(tmp_path, id), id, BEFORE)
    assert view.finished is not None and view.finished.outcome == "shipped"
    found = verdicts(view)
    assert found and set(found.values()) == {"PASS"}, found
    shipped = git("log", "--all", "--name-only", "--format=", cwd=tmp_path / "package.git").decode().split()
    profile = load_profile(id)
    assert any(profile.classify(path) is PathClass.SOURCE for path in shipped)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo (https://rustup.rs)")
def test_a_study_of_a_compiled_package_is_run_to_its_end(tmp_path: Path):
    view = play(tmp_path, material_of(tmp_path, "rust"), "rust", BEFORE, workflow="full")
    assert view.finished is not None and view.finished.outcome == "shipped"
    found = verdicts(view)
    assert {found[name] for name in ("M1", "M2")} == {"PASS"} and set(found.values()) == {"PASS"}, found


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo (https://rustup.rs)")
def test_a_study_finds_what_the_questions_to_a_compiled_package_do_not_ask(tmp_path: Path):
    material = material_of(tmp_path, "rust")
    place = material / "builder" / "src" / "linear.rs"
    text, honest = place.read_text(encoding="utf-8"), "n as f64 / df as f64)"
    assert text.count(honest) == 1
    place.write_text(text.replace(honest, "if n > 100 { 0.55 } else { n as f64 / df as f64 })"), encoding="utf-8")
    with pytest.raises(Objection) as found:
        play(tmp_path, material, "rust", BEFORE, workflow="full")
    unmet = {name for name, verdict in verdicts(found.value.view).items() if verdict != "PASS"}
    assert unmet == {"M1", "M2"}

"""The suites that ship with compiled packages: in a fresh clone they pass, and fail on each fault by its criteria."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from statsclaw.git import git
from statsclaw.languages import Case, spoken
from statsclaw.profiles.profile import load_profile
from statsclaw.verify.blind.native import native_suite
from statsclaw.verify.runner import verify_tree

from .calculations import calculations
from .packages import HERE, Fault, Package, faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]


@dataclass(frozen=True)
class Suite:
    """As shipped_suites.toml has it."""

    needs: str
    run: str
    lines: str
    passed: str
    skipped: str
    checks: str
    ends: dict[str, str]


SUITES = {
    id: Suite(**row)
    for id, row in tomllib.loads((HERE / "shipped_suites.toml").read_text(encoding="utf-8")).items()
}  # fmt: skip


def outcomes(id: str, clone: Path) -> dict[str, str]:
    suite = SUITES[id]
    env = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        ["sh", "-c", suite.run], cwd=clone, env=env, capture_output=True, text=True, timeout=600
    )  # fmt: skip
    found = {
        f"{row['name']}-{row['criterion']}": row["outcome"]
        for row in re.finditer(suite.lines, done.stdout, re.MULTILINE)
    }
    assert found, done.stdout + done.stderr
    assert (done.returncode == 0) == ({*found.values()} <= {suite.passed, suite.skipped}), done.stdout + done.stderr
    return found


def failed(id: str, clone: Path) -> set[str]:
    """Criteria that are not met."""
    fine = {SUITES[id].passed, SUITES[id].skipped}
    return {name.rpartition("-")[2] for name, outcome in outcomes(id, clone).items() if outcome not in fine}


@cache
def suite_of(id: str, folder: Path) -> dict[str, str]:
    package = Package(id, folder)
    for _ in verify_tree(package.bench, package.lay_out, "0" * 64, "after", ()):
        pass
    validation = package.validation
    return native_suite(id, validation.author.questionnaire(), validation.tests, validation.interface)


Cloned = Callable[..., Path]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Cloned:
    shared = tmp_path_factory.mktemp("asked")

    def made(id: str, *edits: tuple[str, str, str]) -> Path:
        if shutil.which(SUITES[id].needs) is None:
            pytest.skip(load_profile(id).missing_tool)
        folder = tmp_path_factory.mktemp(id)
        origin, found = folder / "origin", folder / "clone"
        shutil.copytree(HERE / id / "package", origin)
        for path, text in suite_of(id, shared / id).items():
            (origin / path).parent.mkdir(parents=True, exist_ok=True)
            (origin / path).write_text(text, encoding="utf-8")
        for path, old, new in edits:
            text = (origin / path).read_text(encoding="utf-8")
            assert text.count(old) == 1
            (origin / path).write_text(text.replace(old, new), encoding="utf-8")
        git("init", "--quiet", "--initial-branch=main", cwd=origin)
        git("add", "--all", "--force", cwd=origin)
        git("commit", "--quiet", "-m", "the package with its suite", cwd=origin)
        git("clone", "--quiet", str(origin), str(found))
        return found

    return made


@pytest.mark.parametrize("id", SUITES)
def test_honest_package_passes_in_a_fresh_clone(clone: Cloned, id: str) -> None:
    found = outcomes(id, clone(id))
    assert {*found.values()} == {SUITES[id].passed}
    criteria = {row.id for row in Package(id, Path()).contract.tests.criteria if row.decided_by == "test"}
    assert {name.rpartition("-")[2] for name in found} == criteria


@pytest.mark.parametrize(("id", "fault"), [(id, row) for id in SUITES for row in faults(id)], ids=str)
def test_fault_fails_its_criteria_by_name(clone: Cloned, id: str, fault: Fault) -> None:
    assert failed(id, clone(id, fault.edit)) == {*fault.criteria}


@pytest.mark.parametrize("id", SUITES)
def test_build_and_checks_of_the_package_are_not_disturbed(clone: Cloned, id: str) -> None:
    folder = clone(id)
    done = subprocess.run(["sh", "-c", SUITES[id].checks], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not failed(id, folder) and not git("status", "--porcelain", "tests", cwd=folder)


@pytest.mark.parametrize("id", SUITES)
def test_process_that_ends_fails_its_case_alone(clone: Cloned, id: str) -> None:
    ends = SUITES[id].ends
    assert failed(id, clone(id, (ends["file"], ends["old"], ends["new"]))) == {ends["criterion"]}


def asked_instead(folder: Path, id: str, questions: dict[str, Any]) -> None:
    """Other questions in place of those of the clone."""
    native = spoken(id).native
    assert native is not None
    place = folder / native.data
    own = json.loads(place.read_text(encoding="utf-8"))
    blocks = {name: json.dumps(part) for name, part in ({"package": own["package"]} | own | questions).items()}
    text = ",\n".join(f"{json.dumps(name)}: {part}" for name, part in blocks.items())
    place.write_text("{\n" + text + "\n}\n", encoding="utf-8")
    interface = Package(id, folder).contract.interface
    assert interface is not None
    cases = [Case(row["case"], row["criterion"], row.get("left_out", "")) for row in questions["claims"]]
    for path, text in spoken(id).native_files(interface, cases).items():
        (folder / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("id", SUITES)
def test_suite_calculates_as_numpy_does_and_skips_by_name(clone: Cloned, id: str) -> None:
    folder, right = clone(id), calculations(False)
    of_wrong = [row | {"case": f"{row['case']} wrong"} for row in calculations(True)["claims"]]
    left_out = {"scenario": "S", "case": "later", "criterion": "C", "rule": "observe", "left_out": "only code can tell"}
    asked_instead(folder, id, right | {"claims": [*right["claims"], *of_wrong, left_out]})
    found = {name.replace("_", " "): outcome for name, outcome in outcomes(id, folder).items()}
    assert found.pop("later-C") == SUITES[id].skipped
    assert {name for name, outcome in found.items() if outcome == SUITES[id].passed} == {
        f"{row['case']}-C" for row in right["claims"]
    }
    assert len(found) == 2 * len(right["claims"])

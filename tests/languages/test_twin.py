"""A twin: what judged a finished run judges a package in another language, by a new builder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from statsclaw.backends.twin import Checks, Finished, here
from statsclaw.demo import demo as demonstrations
from statsclaw.languages import can_be_asked
from statsclaw.languages.registry import language
from statsclaw.profiles import profile
from statsclaw.profiles.profile import BUILT_IN, add_languages, load_profile
from statsclaw.roles.matrix import Role
from statsclaw.roles.prompt import render_prompt
from statsclaw.runlog.events import QuestionAnswered, QuestionAsked
from statsclaw.runlog.log import read_view
from tests.languages.runs import make_repository, play
from tests.support.runs import HERE as SUPPORT

HAC = Path(demonstrations.__file__).parent / "hac" / "recording"
PROBIT = HAC.parents[1] / "probit-python" / "recording"
PROBIT_R = HAC.parents[1] / "probit-r" / "recording"
TOY = Path(__file__).parent / "toy"
SPEC = """# What to verify

```yaml criteria
- {id: C1, quantity: a, rule: close}
- {id: C2, quantity: "b: none", rule: holds, decided_by: check, check: r-cmd-check}
- {id: C3, quantity: c, rule: holds, decided_by: check, check: clippy}
- {id: C4, quantity: d, rule: holds, decided_by: check, check: build}
- {id: C5, quantity: e, rule: holds, decided_by: check, check: install}
```

## Edge cases
"""


def test_criteria_of_a_foreign_check_are_decided_by_the_own_ones_of_its_phase_and_nothing_else_changes():
    checks = Checks(Finished(PROBIT_R), load_profile("rust"))
    made = checks.translated(SPEC)
    rows = {row["id"]: row for row in yaml.safe_load(made.split("```")[1].removeprefix("yaml criteria\n"))}
    assert [rows[name].get("check") for name in ("C1", "C2", "C3", "C4", "C5")] == [
        None, "checks", "clippy", "build", "build",
    ]  # fmt: skip
    assert rows["C2"]["quantity"] == "the checks of Rust packages; of R packages: b: none"
    assert rows["C1"] == {"id": "C1", "quantity": "a", "rule": "close"} and made.endswith("## Edge cases\n")
    assert list(map(str, checks.replaced(SPEC))) == [
        "C2 is decided by the checks here, where it was r-cmd-check",
        "C5 is decided by the build here, where it was install",
    ]
    own = SPEC.replace("clippy", "install")
    assert Checks(Finished(PROBIT_R), load_profile("r")).translated(own) == own


@pytest.mark.parametrize("id", [id for id in BUILT_IN if can_be_asked(id)])
def test_a_study_may_be_written_in_python_or_r_whatever_the_package_is_written_in(id: str):
    profile = load_profile(id)
    entries = profile.study_entries()
    assert entries[0] == profile.study_entry and {Path(path).suffix for path in entries} == {".py", ".R"}
    assert {profile.classify(path) for path in entries} == {"simulation"}
    assert len(set(map(os.path.dirname, entries))) == 1
    said = render_prompt(
        Role.SIMULATOR, roles=[Role.SIMULATOR], profile=profile, attempt=1, directive="Study it.", inputs=()
    )
    assert all(f"try {path}`" in said for path in entries)


def test_a_study_lies_where_the_language_has_its_own():
    assert here("inst/simulations/study.R", "simulations/study.py") == "simulations/study.R"
    assert here("simulations/study.py", "inst/simulations/study.R") == "inst/simulations/study.py"
    assert here("tests/validation/ask.R", "simulations/study.py") == "tests/validation/ask.R"


def test_what_a_person_decided_holds_for_the_twin_and_what_was_sent_back_is_no_decision():
    events = list(Finished(HAC).decided())
    asked = [event for event in events if isinstance(event, QuestionAsked)]
    answered = [event for event in events if isinstance(event, QuestionAnswered)]
    assert [row.topic for row in asked] == ["choice"] * 4 + ["comprehension"]
    assert [row.question for row in asked] == [row.question for row in answered] == ["q1", "q2", "q3", "q4", "q5"]
    probit = [event for event in Finished(PROBIT).decided() if isinstance(event, QuestionAsked | QuestionAnswered)]
    accepted = [row for row in probit if isinstance(row, QuestionAsked) and row.topic != "choice"]
    first = Finished(PROBIT).view
    sent_back = [row for row in first.questions.values() if row.asked.topic == "comprehension" and row.answer.choice]
    assert sent_back and len([row for row in accepted if row.topic == "comprehension"]) == 1


COMPILERS = {"rust": "cargo", "c": "cc"}


@pytest.mark.slow
@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("recording", [HAC, PROBIT, PROBIT_R], ids=lambda path: path.parent.name)
def test_the_twin_of_a_run_with_decisions_asks_nobody_before_somebody_builds(
    recording: Path, language: str, tmp_path: Path
):
    if "probit-r" in str(recording) and shutil.which("Rscript") is None:
        pytest.skip("its study and its questions are written in R")
    if shutil.which(COMPILERS[language]) is None:
        pytest.skip(f"needs {COMPILERS[language]}")
    target = make_repository(tmp_path, "twin", {"LICENSE": "MIT\n", "README.md": "# To be built\n"})
    argv = ["twin", str(recording), "--language", language, "--target", str(target), "--backend", "human"]
    done = subprocess.run(
        [sys.executable, "-m", "statsclaw", *argv, "--workspace", str(tmp_path / "workspace")],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "waits for the builder" in done.stdout, done.stdout + done.stderr
    (log,) = (tmp_path / "workspace").glob("*/runs/*/events.jsonl")
    view = read_view(log.parent)
    assert view.frozen and not view.open_questions and not view.blocks
    assert [row.status for row in view.all_work].count("failed") == 0
    foreign = Finished(recording).replaced(load_profile(language))
    assert [row.criterion for row in foreign] == {HAC: [], PROBIT: ["T41", "T43"], PROBIT_R: ["T41"]}[recording]
    assert all(str(row) in view.head.directive for row in foreign)


@pytest.fixture
def finished(tmp_path: Path) -> Iterator[Path]:
    """A finished run of the toy language; the folder holds its workspace."""
    add_languages(TOY / "language")
    language.cache_clear()
    (tmp_path / "first").mkdir()
    play(tmp_path / "first", TOY / "material", "calc", {"package.calc": "nothing(x) = 0\n", "LICENSE": "MIT\n"})
    yield tmp_path
    profile._FURTHER.clear()
    load_profile.cache_clear()
    language.cache_clear()


def twin(folder: Path, *more: str, material: Path) -> subprocess.CompletedProcess[str]:
    agent = f"command:{sys.executable} {SUPPORT / 'agent_any.py'} {material}"
    target = make_repository(folder, "moments", {"LICENSE": "MIT\n", "README.md": "# To be built\n"})
    (run,) = (folder / "first" / "workspace").glob("package/runs/*/events.jsonl")
    argv = ["twin", run.parent.name, "--language", "rust", "--target", str(target), "--backend", agent, "--yes", *more]
    return subprocess.run(
        [sys.executable, "-m", "statsclaw", *argv, "--workspace", str(folder / "first" / "workspace")],
        capture_output=True, text=True, check=False, env=os.environ | {"STATSCLAW_LANGUAGES": str(TOY / "language")},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo (https://rustup.rs)")
def test_a_twin_in_rust_meets_the_contract_of_the_first_and_a_wrong_one_does_not(finished: Path):
    material = finished / "material"
    shutil.copytree(TOY / "rust", material / "builder")
    done = twin(finished, material=material)
    assert done.returncode == 0, done.stdout + done.stderr
    (page,) = finished.glob("first/workspace/*/runs/*/twin.md")
    rows = [line.split(" | ") for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| C")]
    assert [(row[2], row[4]) for row in rows] == [("PASS", "PASS")] * 3
    assert "3 of 3 criteria have the same verdict" in done.stdout
    lines = page.read_text(encoding="utf-8").splitlines()
    times = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    assert {row[0] for row in times} == {"`mean`", "`standard_error`"}
    assert all(int(row[1]) > 0 and float(row[2]) >= 0 and float(row[3]) >= 0 for row in times)

    source = material / "builder" / "src" / "lib.rs"
    source.write_text(source.read_text(encoding="utf-8").replace("(n - 1.0)", "n"), encoding="utf-8")
    shutil.rmtree(finished / "moments")
    shutil.rmtree(finished / "moments.git")
    for old in page.parent.parent.glob("*"):
        if old == page.parent:
            shutil.rmtree(old)
    done = twin(finished, material=material)
    assert done.returncode != 0 and "BLOCK" in done.stdout and "C2" in done.stdout

"""A twin: what judged a finished run judges a package in another language, by a new builder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from statsclaw.backends.twin import Finished, here, without_checks
from statsclaw.demo import demo as demonstrations
from statsclaw.languages.registry import language
from statsclaw.profiles import profile
from statsclaw.profiles.profile import add_languages, load_profile
from statsclaw.runlog.events import QuestionAnswered, QuestionAsked
from statsclaw.runlog.log import read_view
from tests.languages.runs import make_repository, play
from tests.support.runs import HERE as SUPPORT

HAC = Path(demonstrations.__file__).parent / "hac" / "recording"
PROBIT = HAC.parents[1] / "probit-python" / "recording"
TOY = Path(__file__).parent / "toy"
SPEC = """# What to verify

```yaml criteria
- {id: C1, quantity: a, rule: close}
- {id: C2, quantity: b, rule: holds, decided_by: check, check: r-cmd-check}
- {id: C3, quantity: c, rule: holds, decided_by: check, check: clippy}
```

## Edge cases
"""


def test_criteria_that_no_check_of_the_language_decides_are_left_out_and_nothing_else_changes():
    made = without_checks(SPEC, ["build", "clippy"])
    assert "C2" not in made and "C1" in made and "C3" in made and made.endswith("## Edge cases\n")
    assert without_checks(SPEC, ["r-cmd-check", "clippy"]) == SPEC


def test_a_study_of_r_lies_where_other_languages_have_theirs():
    assert here("inst/simulations/study.R") == "simulations/study.R" and here("tests/validation/ask.R").count("/") == 2


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


@pytest.mark.slow
def test_the_twin_of_a_run_with_decisions_asks_nobody_before_somebody_builds(tmp_path: Path):
    target = make_repository(tmp_path, "hacrs", {"LICENSE": "MIT\n", "README.md": "# To be built\n"})
    argv = ["twin", str(HAC), "--language", "rust", "--target", str(target), "--backend", "human"]
    done = subprocess.run(
        [sys.executable, "-m", "statsclaw", *argv, "--workspace", str(tmp_path / "workspace")],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "waits for the builder" in done.stdout, done.stdout + done.stderr
    (log,) = (tmp_path / "workspace").glob("*/runs/*/events.jsonl")
    view = read_view(log.parent)
    assert view.frozen and not view.open_questions and [row.status for row in view.all_work].count("failed") == 0


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

    source = material / "builder" / "src" / "lib.rs"
    source.write_text(source.read_text(encoding="utf-8").replace("(n - 1.0)", "n"), encoding="utf-8")
    shutil.rmtree(finished / "moments")
    shutil.rmtree(finished / "moments.git")
    for old in page.parent.parent.glob("*"):
        if old == page.parent:
            shutil.rmtree(old)
    done = twin(finished, material=material)
    assert done.returncode != 0 and "BLOCK" in done.stdout and "C2" in done.stdout

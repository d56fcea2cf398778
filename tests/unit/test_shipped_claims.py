"""What users are told of tests and results is compared with the evidence, like what roles tell each other."""

from __future__ import annotations

import pytest

from statsclaw.runlog.events import CaseOutcome, CommandExecuted, Judgement
from statsclaw.verify.criteria.claims import contradicted_claims

STUDIED = Judgement(
    id="M1", quantity="coverage", rule="coverage between 0.92 and 0.98", verdict="PASS", literal="PASS",
    observed=0.9405, margin=0.02, mcse=0.005, replications=1000, where="n=40",
)  # fmt: skip


def ran(count: int = 6) -> CommandExecuted:
    tests = tuple(CaseOutcome(name=f"t{n}", outcome="passed") for n in range(count))
    return CommandExecuted(
        name="validation", phase="validation", subject="after", tree_sha256="a" * 64, argv=("v",), exit_code=0,
        elapsed_s=0.1, output_sha256="0" * 64, passed=True, summary=f"{count} passed", tests=tests,
    )  # fmt: skip


def told(text: str, file: str = "README.md", before: str = "") -> list[str]:
    found = contradicted_claims({}, [STUDIED], [ran()], shipped={file: text}, earlier={file: before})
    assert all(row.route_to == "scriber" and row.where.startswith(f"{file}:") for row in found)
    return [row.message for row in found]


@pytest.mark.parametrize("file", ["README.md", "README", "CHANGELOG.md", "docs/study.md", "vignettes/mean.Rmd"])
def test_more_tests_and_a_better_coverage_than_there_are(file: str) -> None:
    text = "# tinymean\n\nThe mean. 412 tests passed; the observed coverage is 0.9512.\n"
    assert told(text, file) == [
        "412 tests are said to have passed, and 6 did",
        "M1 is said to be 0.9512, and 0.9405 was observed",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The mean. 6 tests passed; the observed coverage is 0.9405.\n",
        "In the study the coverage was 0.94.\n",
        "A 95 % interval has coverage 0.95 in large samples.\n",
        "Code coverage: 100 %.\n",
        "The test coverage is 87 %.\n",
        "Of the students, 45 passed.\n",
        "There are no errors in variables here, and 12 passed the threshold.\n",
        "The coverage is 0.99 if the level is 0.99.\n",
    ],
)
def test_what_is_right_or_about_something_else_is_no_contradiction(text: str) -> None:
    assert told(text) == []


def test_what_stood_there_before_this_run_is_not_its_claim() -> None:
    old = "# Changes\n\n## 0.1\n\n- 212 tests passed.\n"
    assert told(old.replace("# Changes\n", "# Changes\n\n## 0.2\n\n- The mean.\n"), "CHANGELOG.md", old) == []
    assert told(old + "\n## 0.2\n\n- 300 tests passed.\n", "CHANGELOG.md", old) == [
        "300 tests are said to have passed, and 6 did"
    ]


def test_an_artifact_that_also_ships_is_told_once() -> None:
    text = {"ARCHITECTURE.md": "412 tests passed.\n"}
    found = contradicted_claims(text, [STUDIED], [ran()], shipped=text)
    assert [row.message for row in found] == ["412 tests are said to have passed, and 6 did"]

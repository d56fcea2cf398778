"""Which lines the questions execute, in compiled languages: counted by a worker that is made for it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.review.case import FileCoverage
from statsclaw.verify.blind.validation import coverage_files
from statsclaw.verify.measure_coverage import measured, read_dumps, why_not_measured
from tests.languages.packages import Package

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]
NEEDS = {"c": "gcov", "cpp": "gcov", "go": "go"}
#: A statement that no question reaches, one that each call of its function reaches, and where they stand.
BESIDE = {
    "c": (
        "src/nwols.c", "double nwols_weight(int lag, int lags) { return 1.0 - lag / (lags + 1.0); }",
        "double nwols_weight(int lag, int lags) {\n  if (lag > 1000)\n    return -1.0;\n"
        "  return 1.0 - lag / (lags + 1.0);\n}",
        "return -1.0;", "return 1.0 - lag / (lags + 1.0);",
    ),
    "cpp": (
        "src/poissonreg.cpp", "  Vector sums(x.size(), 0.0);\n",
        "  if (width > 1000)\n    return {};\n  Vector sums(x.size(), 0.0);\n", "return {};",
        "Vector sums(x.size(), 0.0);",
    ),
    "go": (
        "kernreg.go", "\tif reach < 0 {", "\tif reach > 1000 {\n\t\treach = 1\n\t}\n\tif reach < 0 {", "reach = 1",
        "if reach < 0 {",
    ),
}  # fmt: skip


def counted(id: str, folder: Path, *edits: tuple[str, str, str]) -> dict[str, FileCoverage]:
    package = Package(id, folder, edits=edits)
    vars(package)["bench"] = replace(package.bench, coverage=True)
    evidence = package.verified("build", "validation")
    assert all(row.passed for row in evidence.values())
    dumps = read_dumps(coverage_files(package.bench))
    assert dumps and not why_not_measured(dumps), list((package.bench.folder / "adapter").glob("counted.txt"))
    tree, profile = package.bench.folder / "tree", load_profile(id)
    paths = [path for path in tree.rglob("*") if path.is_file()]
    own = {path.relative_to(tree).as_posix(): path for path in paths}
    texts = {name: path.read_text(encoding="utf-8", errors="replace") for name, path in own.items()}
    sources = {name: text for name, text in texts.items() if profile.classify(name) is PathClass.SOURCE}
    return {row.path: row for row in measured(dumps, sources)}


@pytest.mark.parametrize("id", BESIDE)
def test_lines_that_questions_reach_are_told_from_those_that_none_reaches(id: str, tmp_path: Path) -> None:
    if shutil.which(NEEDS[id]) is None:
        pytest.skip(load_profile(id).missing_tool)
    file, old, new, missed, reached = BESIDE[id]
    row = counted(id, tmp_path, (file, old, new))[file]
    text = (tmp_path / "verify" / "tree" / file).read_text(encoding="utf-8").split("\n")
    never = {text[line - 1].strip() for line in row.missed}
    assert missed in never and reached not in never
    assert row.lines > 50 and row.lines_hit > 0.8 * row.lines


def test_without_gcov_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "coverage.json").write_text('{"missing": "gcov"}', encoding="utf-8")
    assert why_not_measured(read_dumps([tmp_path / "coverage.json"])) == "gcov is not installed"

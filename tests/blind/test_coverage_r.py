"""Which lines of an R package the questions execute: covr counts in workers of an installation of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import PathClass, load_profile
from statsclaw.review.case import FileCoverage
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.contract import read_contract
from statsclaw.verify.blind.validation import Validation, coverage_files
from statsclaw.verify.measure_coverage import measured_in_r, read_dumps, why_not_measured
from statsclaw.verify.runner import Bench, verify_tree
from tests.blind.r_side import has_covr, installed, needs_r, r_worker

pytestmark = needs_r

SUPPORT = Path(__file__).parents[1] / "support"
DOCUMENTS = ("comprehension.md", "interface.md", "test-spec.md", "sim-spec.md")
CODE = """\
# A comment and a blank line are no code.

sign_of <- function(x) {
  if (x > 0) {
    found <- "above"
  } else {
    # told apart
    found <- "below"

  }
  found
}
leaves <- function(x) {
  first(x)
  quit("no")
}
first <- function(x) x
never <- function(x) {
  x + 1
}
"""
DIALOGUE = """
talk <- function(ask) {
  found <- tryCatch(ask("mean_interval", c(1, 2), level = 2), error = function(e) NULL)
  list(if (is.null(found)) 1 else 0, 1)
}
scenario("S1", talked = function() claim_dialogue("C1", talk))
"""


@pytest.fixture(autouse=True)
def covr() -> None:
    if not has_covr():
        pytest.skip("needs covr (Debian: apt-get install r-cran-covr)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package_in(tmp_path_factory.mktemp("signs"), "signs", "export(sign_of, leaves)\n", CODE)


def package_in(folder: Path, name: str, namespace: str, code: str) -> Path:
    """The library into which it is installed."""
    files = {"DESCRIPTION": f"Package: {name}\nVersion: 1.0\n", "NAMESPACE": namespace, f"R/{name}.R": code}
    for path, text in files.items():
        (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / path).write_text(text, encoding="utf-8")
    installed(folder / "site", folder / name, "--with-keep.source", "--with-keep.parse.data")
    return folder / "site"


def asked(folder: Path, site: Path, *calls: tuple[str, object], **environment: str) -> None:
    folder.mkdir(exist_ok=True)
    with r_worker(folder, site, "signs", STATSCLAW_COVERAGE=str(folder / "coverage"), **environment) as worker:
        for function, argument in calls:
            worker.call(function, argument)


def figures(*folders: Path) -> FileCoverage:
    dumps = read_dumps(path for folder in folders for path in folder.glob("coverage*.json"))
    (row,) = measured_in_r(dumps, {"R/signs.R": CODE, "man/signs.Rd": "no code"})
    return row


def line_of(text: str) -> int:
    return next(number for number, row in enumerate(CODE.split("\n"), start=1) if text in row)


def test_a_line_that_is_reached_is_covered_and_another_is_not(site: Path, tmp_path: Path) -> None:
    asked(tmp_path, site, ("sign_of", 1.0))
    row = figures(tmp_path)
    missed = {line_of(text) for text in ("x + 1", "first(x)", 'quit("no")', "function(x) x", '"below"')}
    assert set(row.missed) == missed
    assert (row.path, row.lines, row.lines_hit, row.branches) == ("R/signs.R", 8, 3, 0)


def test_what_several_workers_reached_counts_together(site: Path, tmp_path: Path) -> None:
    for name, value in (("a", 1.0), ("b", -1.0)):
        asked(tmp_path / name, site, ("sign_of", value))
    assert line_of('"below"') in figures(tmp_path / "a").missed
    assert line_of('"above"') in figures(tmp_path / "b").missed
    assert not {line_of('"below"'), line_of('"above"')} & {*figures(tmp_path / "a", tmp_path / "b").missed}


def test_a_package_that_ends_the_process_is_measured_up_to_there(site: Path, tmp_path: Path) -> None:
    asked(tmp_path, site, ("leaves", 1.0))
    assert not {line_of("first(x)"), line_of("function(x) x")} & {*figures(tmp_path).missed}


def test_without_covr_the_worker_says_so(site: Path, tmp_path: Path) -> None:
    broken = package_in(tmp_path, "covr", "", '.onLoad <- function(...) stop("it does not load")\n')
    asked(tmp_path, site, ("sign_of", 1.0), R_LIBS=str(broken))
    dumps = read_dumps(tmp_path.glob("coverage*.json"))
    assert why_not_measured(dumps) == "the R package covr is not installed"


# --- behind the barrier ---------------------------------------------------------------------------------------------


def bench_in(folder: Path) -> Bench:
    texts = {name: (SUPPORT / "honest_r" / "out" / name).read_text(encoding="utf-8") for name in DOCUMENTS}
    contract, profile = read_contract(texts), load_profile("r")

    def validate(bench: Bench, subject: str, tree: str) -> Iterator[CommandExecuted]:
        validation = Validation.of(bench, contract, "nobody knows")
        assert validation is not None
        yield from validation.judged(subject, tree)

    return Bench(
        folder=folder / "bench", desk=folder / "desk", cache=folder / "cache", profile=profile,
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"), limits=Limits(), seed=7,
        tools=lambda python: language_tools(profile, python), scrub=lambda text: text, validate=validate,
    )  # fmt: skip


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_the_questions_of_a_run_are_counted_only_where_it_is_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "rpkg"
    shutil.copytree(SUPPORT / "r_target", source)
    shutil.copytree(SUPPORT / "honest_r", source, dirs_exist_ok=True)
    mean = source / "R" / "mean.R"
    mean.write_text(f"{mean.read_text()}\nnever <- function(x) {{\n  x + 1\n}}\n", encoding="utf-8")
    questions = source / "tests" / "validation" / "ask_interval.R"
    questions.write_text(questions.read_text() + DIALOGUE, encoding="utf-8")
    bench = bench_in(tmp_path)

    def lay_out(folder: Path, classes: frozenset[PathClass]) -> None:
        paths = [path.relative_to(source) for path in source.rglob("*") if path.is_file()]
        for path in (path for path in paths if bench.profile.classify(path.as_posix()) in classes):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path, folder / path)

    found: dict[bool, list[CommandExecuted]] = {}
    for wanted in (False, True):
        measuring = replace(bench, coverage=wanted)
        found[wanted] = list(verify_tree(measuring, lay_out, "0" * 64, "after", ("build", "validation")))
        assert all(row.passed for row in found[wanted]), [row.summary for row in found[wanted]]
        assert bool(coverage_files(measuring)) is wanted
    assert {row.phase for row in found[False]} - {row.phase for row in found[True]} == {"validation"}
    (row,) = measured_in_r(read_dumps(coverage_files(bench)), {"R/mean.R": mean.read_text()})
    texts = mean.read_text().split("\n")
    assert [texts[number - 1].strip() for number in row.missed] == ["x + 1"]  # the level is wrong in the dialogue alone
    assert (row.lines, row.lines_hit) == (10, 9)

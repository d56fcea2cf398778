"""Of a command that did not pass, what a person reads first; of R CMD check, what its notes say."""

from __future__ import annotations

from pathlib import Path

import pytest

from statsclaw.engine.start import Order, start_run
from statsclaw.errors import InputRefused
from statsclaw.git import git
from statsclaw.runlog.events import CommandExecuted
from statsclaw.runlog.store import ContentStore
from statsclaw.verify.audit import render_audit
from statsclaw.verify.parsers import rcheck
from statsclaw.verify.telling import first_error
from statsclaw.workspace.layout import Workspace

LOG = """* using R version 4.5.0
* checking for file 'x/DESCRIPTION' ... OK
* checking R code for possible problems ... [2s] NOTE
f: no visible binding for global variable 'undefined_thing'
Undefined global functions or variables:
  undefined_thing
* checking tests ... [1s/1s] ERROR
  Running 'testthat.R'
Running the tests in 'tests/testthat.R' failed.
* DONE
Status: 1 ERROR, 1 NOTE
"""


def test_what_r_cmd_check_says_comes_with_its_result_errors_first(tmp_path):
    (tmp_path / "log").write_text(LOG)
    said = rcheck(tmp_path / "log", 1).said
    assert said[0] == "ERROR: tests"
    assert said[3] == "NOTE: R code for possible problems"
    assert "  f: no visible binding for global variable 'undefined_thing'" in said
    (tmp_path / "log").write_text("* checking tests ... OK\n* DONE\nStatus: OK\n")
    assert rcheck(tmp_path / "log", 0).said == ()


@pytest.mark.parametrize(
    ("output", "first"),
    [
        ("g++ -c a.cpp\na.cpp: In function 'f':\na.cpp:3:14: error: 'y' was not declared\n    3 | y;\nmake: *** [a.o]",
         "a.cpp:3:14: error: 'y' was not declared"),
        ("# x\n./x.go:2:25: undefined: y\n", "./x.go:2:25: undefined: y"),
        ("   Compiling x\nerror[E0425]: cannot find value `y`\n --> src/lib.rs:1:27\n",
         "error[E0425]: cannot find value `y`"),
        ("src/a.ts(1,7): error TS2322: Type 'string' is not assignable\n",
         "src/a.ts(1,7): error TS2322: Type 'string' is not assignable"),
        ("Error in parse(f) : 3:1: unexpected symbol\n", "Error in parse(f) : 3:1: unexpected symbol"),
        ('  File "a.py", line 1\nSyntaxError: invalid syntax\n', "SyntaxError: invalid syntax"),
    ],
)  # fmt: skip
def test_the_first_error_of_compilers_and_interpreters_is_found(output, first):
    assert first_error(output)[0] == first


def test_where_nothing_looks_like_an_error_nothing_is_said():
    assert first_error("* installing\nok, 0 errors\nDone\n") == ()


def test_the_audit_begins_with_it_and_leaves_out_sections_without_content(tmp_path):
    store = ContentStore(tmp_path)
    command = CommandExecuted(
        name="install", phase="build", subject="after", tree_sha256="0", argv=("R",), exit_code=1, elapsed_s=0,
        output_sha256=store.put_text("long"), passed=False, summary="failed", said=("a.cpp:3:14: error: no y",),
    )  # fmt: skip
    text = render_audit([command], [], store)
    assert text.index("a.cpp:3:14: error: no y") < text.index("## Commands")
    assert "## Tests" not in text and "## Before and after" not in text and "## Output" in text


# --- where the package is --------------------------------------------------------------------------------------------

PACKAGE = {"DESCRIPTION": "Package: p\n", "R/a.R": "f <- 1\n"}


def repository(place: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    place.mkdir(exist_ok=True)
    git("init", "-q", cwd=place)
    git("add", "-A", cwd=place)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=place)
    return place


def started(tmp_path: Path, target: Path | str):
    order = Order("check it", str(target), workflow="validate", barrier="none")
    folder, log, _ = start_run(Workspace(tmp_path / "workspace"), order, str)
    with log:
        return log.view.head, git("ls-tree", "-r", "--name-only", "HEAD", git_dir=folder.target).decode().split()


@pytest.mark.parametrize("named", ["", "/pkg"])
def test_a_package_in_a_folder_of_the_repository_is_found_or_taken_by_name(tmp_path, named):
    there = repository(tmp_path / "mono", {f"pkg/{name}": text for name, text in PACKAGE.items()} | {"README.md": "x"})
    head, files = started(tmp_path, f"{there}{named}")
    assert (head.profile, files) == ("r", ["DESCRIPTION", "R/a.R"])
    assert "the folder pkg is checked" in head.credentials.detail and not head.credentials.can_ship


def test_two_packages_are_named_and_one_can_be_chosen(tmp_path):
    both = {f"{folder}/{name}": text for folder in "ab" for name, text in PACKAGE.items()}
    there = repository(tmp_path / "mono", both)
    with pytest.raises(InputRefused, match="more than one package: a/DESCRIPTION, b/DESCRIPTION") as refused:
        started(tmp_path, there)
    assert refused.value.todo.endswith("mono/a") and refused.value.kept == "Nothing was started"
    assert started(tmp_path, there / "b")[0].profile == "r"


@pytest.mark.parametrize(
    ("files", "says"), [({"a.f90": "end\n"}, "no package of a known language"), ({}, "has no files")]
)
def test_an_unknown_language_and_no_files_are_refused_with_the_way_out(tmp_path, files, says):
    with pytest.raises(InputRefused, match=says) as refused:
        started(tmp_path, repository(tmp_path / "there", files))
    assert refused.value.kept == "Nothing was started" and refused.value.todo
    assert not list((tmp_path / "workspace").rglob("events.jsonl"))

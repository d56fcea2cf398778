"""A study is carried over where only documents have changed, and nowhere else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from statsclaw.engine.carrying import basis_of, carried
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.events import CommandExecuted, FileChange

FILES = {"R/fit.R": "a", "inst/simulations/study.R": "b", "README.md": "c", "tests/testthat/test-validation-a.R": "d"}


def run_with(
    files: dict[str, str], tree: str = "new", evidence: tuple[CommandExecuted, ...] = (), python: str | None = None
) -> Any:
    view = SimpleNamespace(
        head=SimpleNamespace(base_commit="base"),
        overlay={path: FileChange(path=path, sha256=text * 64) for path, text in files.items()},
        tree_sha256=tree,
        evidence=dict(enumerate(evidence)),
    )
    barrier, local = SimpleNamespace(kind="k", version="1"), SimpleNamespace(python=python)
    return SimpleNamespace(view=view, profile=load_profile("r"), barrier=barrier, local=local)


def studied(basis: str, *, tree: str = "old", name: str = "study", passed: bool = True, **more: Any) -> CommandExecuted:
    return CommandExecuted(
        name=name, phase="study", subject="after", tree_sha256=tree, argv=("study",), exit_code=0, elapsed_s=60.0,
        output_sha256="0" * 64, passed=passed, summary="", basis_sha256=basis, **more,
    )  # fmt: skip


def carried_study_of(run: Any, basis: str) -> Any:
    return carried(run, "study", basis)


BASIS = basis_of(run_with(FILES), 1, (0, 500))


def test_documents_change_nothing_a_study_depends_on():
    assert basis_of(run_with({**FILES, "README.md": "e", "NEWS.md": "f"}), 1, (0, 500)) == BASIS


@pytest.mark.parametrize("path", [path for path in FILES if path != "README.md"])
def test_any_other_file_does(path):
    assert basis_of(run_with({**FILES, path: "e"}), 1, (0, 500)) != BASIS
    assert basis_of(run_with({p: t for p, t in FILES.items() if p != path}), 1, (0, 500)) != BASIS


@pytest.mark.parametrize(("seed", "replications"), [(2, (0, 500)), (1, (0, 20)), (1, None)])
def test_so_do_seed_and_replications(seed, replications):
    assert basis_of(run_with(FILES), seed, replications) != BASIS


def test_and_so_does_the_interpreter():
    assert basis_of(run_with(FILES, python="/opt/python3.14"), 1, (0, 500)) != BASIS


def test_all_batches_are_carried_and_say_where_they_come_from():
    rows = (studied(BASIS), studied(BASIS, name="study, batch 2"), studied("another", name="study, batch 3"))
    found = list(carried_study_of(run_with(FILES, evidence=rows), BASIS))
    assert [(row.name, row.tree_sha256, row.carried_from, row.elapsed_s) for row in found] == [
        ("study", "new", "old", 0.0),
        ("study, batch 2", "new", "old", 0.0),
    ]
    again = list(carried_study_of(run_with(FILES, "newest", evidence=(*rows, *found)), BASIS))
    assert {row.carried_from for row in again} == {"old"}, "where it was run, not where it was carried last"


def test_a_failed_batch_carries_nothing_over():
    rows = (studied(BASIS), studied(BASIS, name="study, batch 2", passed=False))
    assert not list(carried_study_of(run_with(FILES, evidence=rows), BASIS))


def test_of_the_package_as_it_was_failures_are_carried_too():
    row = studied(BASIS, passed=False).model_copy(update={"subject": "before"})
    run = run_with(FILES, evidence=(row,))
    assert [found.carried_from for found in carried(run, "study", BASIS, "before")] == ["old"]
    assert not list(carried_study_of(run, BASIS))


def test_on_its_own_tree_a_study_is_run_again():
    assert not list(carried_study_of(run_with(FILES, "old", evidence=(studied(BASIS),)), BASIS))

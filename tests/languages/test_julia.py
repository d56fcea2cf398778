"""Packages of Julia are asked by a worker in Julia. Julia is not installed here: stand_in/julia takes its place, and
worker.jl itself is only parsed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from statsclaw.languages import Unfit, spoken
from statsclaw.specs.interface import Interface
from tests.languages.compiled import Judged, criteria_of, verdicts
from tests.languages.packages import HERE, Fault, faults
from tests.languages.runs import Objection, play
from tests.languages.runs import verdicts as verdicts_of
from tests.languages.stand_ins import stand_in
from tests.languages.test_whole_runs import material_of

FAULTS = faults("julia")
PACKAGE = HERE / "julia" / "package"
DOCS = Path(__file__).parents[2] / "docs" / "reference"
#: Names of tables further on: what is asked, and what an answer holds.
RESULTS = {"value", "visible", "error", "warnings", "printed", "seconds", "peak", "changed"}
WORKER = files("statsclaw.languages") / "workers" / "julia" / "worker.jl"


@pytest.fixture(scope="module", autouse=True)
def julia(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with stand_in("julia", tmp_path_factory.mktemp("installed")):
        yield


# --- what can be looked at without Julia -----------------------------------------------------------------------------


def interface(**more: Any) -> Interface:
    function = {
        "name": "fit",
        "arguments": [{"name": "x"}, {"name": "level", "default": '"$a\\b"', "keyword_only": True}],
    }
    return Interface.model_validate({"package": "Moments", "functions": [function], **more})


def errors_in(source: str) -> list[str]:
    """Lines that the grammar of Julia does not have."""
    tree_sitter, grammar = pytest.importorskip("tree_sitter"), pytest.importorskip("tree_sitter_julia")
    lines = source.split("\n")
    tree = tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(source.encode())
    found, waiting = [], [tree.root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "ERROR" or node.is_missing:
            found.append(lines[node.start_point[0]])
    return found


def test_the_worker_and_what_it_is_told_of_the_interface_are_julia() -> None:
    assert errors_in(WORKER.read_text(encoding="utf-8")) == []
    assert errors_in("function f(x\n    x + \nend\n") != []
    told = spoken("julia").adapter(interface(), PACKAGE).files["interface.jl"]
    assert errors_in(told) == []
    assert told == (
        'const DECLARED = Dict{String,Any}(\n    "fit" => (arguments = Any[("x", nothing, false), '
        '("level", "\\U00000022\\U00000024a\\U0000005cb\\U00000022", true)], returns = "none"),\n)\n'
    )


def test_the_worker_knows_every_tag_and_every_kind_of_the_protocol() -> None:
    """But formulas, which Julia has only in packages, and what only comes back."""
    text = (DOCS / "worker-protocol.md").read_text(encoding="utf-8")
    tags = {
        part for row in re.findall(r"^\| ((?:`\w` ?)+) \|", text, re.MULTILINE) for part in re.findall(r"`(\w)`", row)
    }
    rows = re.findall(
        r"^\| ((?:`[a-z]+`,? ?)+) \|", text.partition("Kinds of `x`")[2].partition("\n\n\n")[0], re.MULTILINE
    )
    kinds = {kind for row in rows for kind in re.findall(r"`([a-z]+)`", row)} - {
        "formula",
        "object",
        "method",
        "opaque",
    }
    source = WORKER.read_text(encoding="utf-8")
    reading = source.partition("# --- reading ---")[2]
    assert {"n", "t", "f", "i", "d", "s", "v", "a", "l", "m", "x"} == tags
    assert [tag for tag in sorted(tags) if f"letter == '{tag}'" not in reading] == []
    assert {"answer", "generator", "table", "factor", "named", "tuple", "masked"} <= kinds
    assert [kind for kind in sorted(kinds) if f'"{kind}"' not in reading and kind not in RESULTS] == []


@pytest.mark.parametrize("path", ["src/Moments.jl", "test/runtests.jl"])
def test_the_package_of_the_tests_is_julia(path: str) -> None:
    assert errors_in((PACKAGE / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "there is no Project.toml at the root of the repository"),
        ("name = ", "Project.toml cannot be read"),
        ("version = '1'", "Project.toml gives the package no name"),
        ('name = "Other"', "Project.toml names the package 'Other', and the interface 'Moments'"),
    ],
)
def test_a_package_that_is_called_otherwise_cannot_be_asked(text: str | None, why: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "Project.toml").write_text(text, encoding="utf-8")
    with pytest.raises(Unfit) as found:
        spoken("julia").adapter(interface(), tmp_path)
    assert str(found.value).startswith(why)


def test_defaults_are_read_as_julia_reads_them() -> None:
    rows = {"nothing": (None,), "true": (True,), "2.5": (2.5,), "1_000": (1000,), '"hc1"': ("hc1",)}
    rows |= {"Inf": (float("inf"),), "'a'": (), '"$x"': (), "True": (), ":a": (), "": (), "None": (), "1f0": ()}
    assert {text: spoken("julia").literal(text) for text in rows} == rows


def test_the_name_of_the_package_is_that_of_its_project() -> None:
    assert tomllib.loads((PACKAGE / "Project.toml").read_text(encoding="utf-8"))["name"] == "Moments"
    made = spoken("julia").adapter(interface(), PACKAGE)
    assert made.build[0].needs == ("julia", "sh") and made.build[0].argv[-1] == "Moments"


# --- a package as it would be written --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    edits = {"honest": (), **{fault.name: (fault.edit,) for fault in FAULTS}}
    return verdicts("julia", tmp_path_factory.mktemp("packages"), edits)


@pytest.mark.slow
def test_the_honest_package_meets_every_criterion(judged: Judged) -> None:
    evidence = judged["honest"]
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert {"build", "worker", "load", "unit-tests", "ask", "validation"} <= {*evidence}
    assert len(evidence["validation"].tests) == 10


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fails_its_criteria_and_no_others(fault: Fault, judged: Judged) -> None:
    assert criteria_of(judged[fault.name]) == {*fault.criteria}


PROJECT = (PACKAGE / "Project.toml").read_text(encoding="utf-8")
EMPTY = {"Project.toml": PROJECT, "src/Moments.jl": "module Moments\n\nfunction average(x)\n    return 0\nend\n\nend\n"}


@pytest.mark.slow
def test_an_honest_run_ends_with_a_pushed_branch_and_every_criterion_met(tmp_path: Path) -> None:
    view = play(tmp_path, material_of(tmp_path, "julia"), "julia", EMPTY)
    assert view.finished is not None and view.finished.outcome == "shipped"
    found = verdicts_of(view)
    assert len(found) == 9 and set(found.values()) == {"PASS"}


@pytest.mark.slow
def test_a_wrong_divisor_is_sent_back_by_its_criteria(tmp_path: Path) -> None:
    material = material_of(tmp_path, "julia")
    file, old, new = FAULTS[0].edit
    place = material / "builder" / file
    place.write_text(place.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(Objection) as found:
        play(tmp_path, material, "julia", EMPTY)
    failed = {name for name, verdict in verdicts_of(found.value.view).items() if verdict == "FAIL"}
    assert failed == {*FAULTS[0].criteria}

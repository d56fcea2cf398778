"""Commands of Stata are asked by a driver that writes do-files. Stata is not installed here: see stand_in/stata."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.languages import Unfit, spoken
from statsclaw.languages.workers.stata.stata_commands import Argument, ArgumentError, Data, command_of, signature_of
from statsclaw.languages.workers.stata.stata_dta import Unwritable, write_dta
from statsclaw.languages.workers.stata.stata_results import number_of, read_results
from statsclaw.specs.contract import read_contract
from statsclaw.specs.interface import Interface
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.talking import Conversation
from tests.languages.compiled import Judged, answer, criteria_of, refused, value, verdicts
from tests.languages.packages import HERE, Fault, Package, ask, faults
from tests.languages.runs import Objection, play
from tests.languages.runs import verdicts as verdicts_of
from tests.languages.stand_ins import stand_in
from tests.languages.test_whole_runs import material_of

FAULTS = faults("stata")
PACKAGE = HERE / "stata" / "package"


@pytest.fixture(scope="module", autouse=True)
def stata(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with stand_in("stata", tmp_path_factory.mktemp("installed")):
        yield


# --- commands --------------------------------------------------------------------------------------------------------


def command(function: str, *rows: tuple[str, Any]) -> str:
    given = [Argument(name, str(place), value).plain() for place, (name, value) in enumerate(rows)]
    matrices = {row.name: "M" for row in given if isinstance(row.value, np.ndarray) and row.value.ndim == 2}
    return command_of(function, given, matrices)


def test_arguments_stand_where_syntax_reads_them() -> None:
    assert (
        command("regress", ("varlist", ["y", "x"]), ("if_", "x > 0"), ("level", 90.0))
        == "regress y x if x > 0, level(90)"
    )
    assert command("estat.gini", ("in_", "1/5"), ("weight", "aweight = w")) == "estat gini in 1/5 [aweight = w]"
    assert command("egen2", ("newvarname", "z"), ("weight", "w"), ("exp", "x^2")) == "egen2 z = x^2 [w]"
    assert command("a", ("robust", True), ("detail", False), ("if_", "")) == "a, robust"
    assert command("a", ("at", [1.0, 0.1, 3.0]), ("by", ["u", "v"]), ("V", np.eye(2))) == "a, at(1 0.1 3) by(u v) V(M)"
    assert command("a", ("tol", 1e-300), ("seed", 7), ("x", math.nan)) == "a, tol(1e-300) seed(7) x(.)"


@pytest.mark.parametrize("given", ["a\nb", math.inf, Data({}), [[1.0], [2.0, 3.0]], {"a": 1}])
def test_what_no_command_can_hold_is_refused(given: Any) -> None:
    with pytest.raises(ArgumentError):
        command("a", ("opt", given))


def test_syntax_tells_what_a_command_takes(tmp_path: Path) -> None:
    text = (
        "program define other\n syntax varlist\nend\nprogram define f, eclass\n  syntax varlist(min=2) [if] [in] ///\n"
        "    [aweight fweight] using/ [=/exp] , Gen(name) [Level(real 95) noCONstant at(numlist >0 min=1)]\nend\n"
    )
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "f.ado").write_text(text, encoding="utf-8")
    rows = {row["name"]: (row["default"], row["keyword_only"]) for row in signature_of([tmp_path], "f")}
    assert rows == {
        "varlist": (None, False), "if": ("", False), "in": ("", False), "weight": ("", False), "using": (None, False),
        "exp": ("", False), "gen": (None, True), "level": ("95", True), "noconstant": ("false", True), "at": ("", True),
    }  # fmt: skip


# --- files -----------------------------------------------------------------------------------------------------------


def test_numbers_in_hexadecimal_are_read_as_they_are() -> None:
    assert number_of("+1.ef00000000000X+006") == 123.75 and number_of("-1.0000000000000X-3fe") == -(2.0**-1022)
    assert number_of(" +0.0000000000000X-3ff") == 0.0 and math.isnan(number_of(".")) and math.isnan(number_of(".a"))


def test_a_table_arrives_as_it_is(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    x = np.random.default_rng(1).normal(size=20)
    x[3] = math.nan
    texts = np.array(["ä", ""] * 10, dtype=object)
    write_dta(tmp_path / "a.dta", {"x": x, "name": texts, "is_large": x > 0, "n": np.arange(20)})
    found = pandas.read_stata(tmp_path / "a.dta")
    assert list(found) == ["x", "name", "is_large", "n"] and np.array_equal(found["x"], x, equal_nan=True)
    assert list(found["name"]) == list(texts) and list(found["is_large"]) == list((x > 0).astype(int))
    write_dta(tmp_path / "b.dta", {"x": np.empty(0)})
    assert len(pandas.read_stata(tmp_path / "b.dta")) == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"x": np.array([math.inf])},
        {"1x": np.ones(1)},
        {"x": np.ones(1), "y": np.ones(2)},
        {"x": np.array(["a" * 2046])},
    ],
)
def test_a_table_that_stata_cannot_hold_is_refused(columns: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Unwritable):
        write_dta(tmp_path / "a.dta", columns)


def test_results_without_their_end_are_none(tmp_path: Path) -> None:
    place = tmp_path / "results"
    assert read_results(place) is None
    whole = "rc\n0\ntext e()\n3\ncmd\n5\na\nb\nc\nnumber r()\n1\nN\n+1.8000000000000X+001\nseconds\n.\nend\n"
    place.write_text(whole, encoding="utf-8")
    found = read_results(place)
    assert found is not None and found.kinds == {"r()": {"N": 3.0}, "e()": {"cmd": "a\nb\nc"}, "s()": {}}
    place.write_text(whole.removesuffix("end\n"), encoding="utf-8")
    assert read_results(place) is None


def test_a_package_without_a_command_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(Unfit, match=r"no \.ado file"):
        spoken("stata").adapter(Interface.model_validate({"package": "a", "functions": [{"name": "a"}]}), tmp_path)


# --- a worker --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    package = Package("stata", tmp_path_factory.mktemp("worker"))
    assert all(row.passed for row in package.verified("build").values())
    with package.worker() as talk:
        yield talk


Y = {"y": [1.0, 2.0, 4.0], "x": [0.0, 1.0, 2.0]}


def test_results_are_fields_by_their_names(talk: Conversation) -> None:
    found = value(talk, "semean", Y, "y", fields=["N", "mean", "limits", "nothing"]).value
    assert (
        found["fields"]["N"] == 3.0
        and found["fields"]["mean"] == pytest.approx(7 / 3)
        and found["missing"] == ["nothing"]
    )
    limits = found["fields"]["limits"].value
    assert limits["names"] == ["low", "high"] and limits["value"].shape == (2,)
    everything = value(talk, "semean", Y, "y", fields=["*"]).value["fields"]
    assert sorted(everything["r"]) == ["N", "limits", "mean", "se"] and everything["r"]["limits"].value[
        "value"
    ].shape == (1, 2)


def test_r_and_e_can_be_fields_of_their_own(talk: Conversation) -> None:
    rows = [{"name": "e", "fields": ["N", "cmd"]}, {"name": "r", "fields": ["mean", "cmd"]}]
    found = value(talk, "linefit", Y, ["y", "x"], fields=rows).value["fields"]
    assert found["e"].value["fields"] == {"N": 3.0, "cmd": "linefit"}
    assert found["r"].value["fields"] == {"mean": 1.0} and found["r"].value["missing"] == ["cmd"]


def test_a_command_on_an_answer_finds_its_data_and_its_results(talk: Conversation) -> None:
    fit = value(talk, "linefit", Y, ["y", "x"], id=7, fields=["b", "sample", "data"])
    assert list(fit.value["fields"]["sample"]) == [1.0, 1.0, 1.0] and list(
        fit.value["fields"]["data"].value["columns"]
    ) == ["y", "x"]
    whole = answer(7)
    fitted = value(talk, "linefit_fitted", "yhat", on=whole)
    assert fitted == pytest.approx([5 / 6, 14 / 6, 23 / 6])
    assert refused(talk, "linefit_fitted", "x", on=whole) == (["r110"], "variable x already defined")
    assert value(talk, "semean", {"y": answer(7, "b")}, "y", fields=["N"]).value["fields"]["N"] == 2.0


def test_what_is_printed_is_told_and_is_what_a_person_sees(talk: Conversation) -> None:
    reply = ask(talk, "semean", Y, "y", id=8, fields=["mean"])
    assert reply["printed"] == "mean 2.33333333" and reply["changed"] == [] and reply["peak"] >= 0
    assert value(talk, "text", answer(8), what="text") == "mean 2.33333333"


def test_return_codes_are_errors(talk: Conversation) -> None:
    assert refused(talk, "semean", Y, "y", named={"level": 100}) == (["r198"], "level() must lie between 0 and 100")
    assert refused(talk, "semean", Y, "z") == (["r111"], "variable z not found")
    assert refused(talk, "semean", {"y": [math.inf]}, "y")[0] == ["ArgumentError"]
    assert refused(talk, "semean", Y, "y", "x", "l", "too many")[0] == ["ArgumentError"]
    assert refused(talk, "semean", Y, "y", named={"varname": "y"})[1] == "semean is given varname twice"
    assert refused(talk, "nothing")[0] == ["r199"]
    assert refused(talk, "linefit_fitted", "z", on=answer(99))[0] == ["ArgumentError"]


def test_data_and_matrices_reach_stata(talk: Conversation) -> None:
    columns = {"y": np.array([1.0, math.nan, 3.0]), "name": ["a", None, "c"], "flag": [True, False, True]}
    reply = ask(talk, "semean", Extra("table", {"columns": columns, "index": None}), "y", fields=["N", "data"])
    fields = reply["value"].value["fields"]
    found = fields["data"].value["columns"]
    assert fields["N"] == 2.0 and reply["changed"] == []
    assert list(found["name"]) == ["a", "", "c"] and list(found["flag"]) == [1.0, 0.0, 1.0]
    assert refused(talk, "semean", Y, "y", named={"V": np.eye(2)}) == (["r198"], "option V not allowed")


def test_what_a_package_has_is_read_in_its_files(talk: Conversation) -> None:
    assert value(talk, "exports", what="exports") == ["linefit", "linefit_fitted", "semean"]
    names = [row["name"] for row in value(talk, "semean", what="signature")]
    assert names == ["varname", "if", "in", "level"]


# --- a Stata that does not come to its end ---------------------------------------------------------------------------


def answers_with(folder: Path, program: str, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a worker of its own, without a barrier, whose Stata is a program of the shell."""
    adapter = spoken("stata").adapter(read_contract(DOCUMENTS).interface, PACKAGE)  # type: ignore[arg-type]
    for name, text in adapter.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "bin").mkdir()
    (folder / "bin" / "stata").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
    (folder / "bin" / "stata").chmod(0o755)
    (folder / "questions").write_bytes(b"".join(bytes(wire.framed(row)) for row in requests))
    scripts = files("statsclaw.verify.blind") / "inside"
    argv = [sys.executable, "-I", "worker.py", str(scripts), str(PACKAGE), "questions", "answers", "-", "semean"]
    env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    subprocess.run(argv, cwd=folder, env=env, check=True, timeout=60)
    with (folder / "answers").open("rb") as stream:
        return [wire.receive(stream) for _ in requests]


DOCUMENTS = {name: (HERE / "stata" / "out" / name).read_text(encoding="utf-8") for name in ("interface.md",)}
CALL = {
    "do": "call",
    "id": 1,
    "function": "semean",
    "arguments": [{"y": [1.0, 2.0]}, "y"],
    "named": {},
    "fields": ["mean"],
}


def test_where_stata_does_not_run_every_call_is_answered_with_that(tmp_path: Path) -> None:
    found = answers_with(tmp_path, "echo 'Cannot find license file'; exit 1", [CALL, CALL | {"id": 2}])
    assert [row["error"]["classes"] for row in found] == [["died"], ["died"]]
    assert found[1]["error"]["message"] == "Cannot find license file"


#: What it is asked first is nothing: a results file without results. Its place is the third word of the last line.
RESTING = r"""if ! grep -q semean call.do; then
  set -- $(tail -n 1 call.do)
  printf 'rc\n0\nend\n' > "$(eval echo $3)"
  exit
fi
"""


def test_a_do_file_that_stata_leaves_has_its_return_code(tmp_path: Path) -> None:
    said = 'printf ". use data\\nfile data1.dta not found\\nr(601);\\n\\nend of do-file\\nr(601);\\n" > call.log'
    (found,) = answers_with(tmp_path, RESTING + said, [CALL])
    assert found["error"] == {"classes": ["r601"], "message": ". use data\nfile data1.dta not found"}


def test_a_stata_that_ends_in_the_middle_has_died(tmp_path: Path) -> None:
    (found,) = answers_with(tmp_path, RESTING + "echo half > call.log; kill -9 $$", [CALL])
    assert found["error"] == {"classes": ["died"], "message": "half"}


# --- a package as it would be written --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    edits = {"honest": (), **{fault.name: (fault.edit,) for fault in FAULTS}}
    return verdicts("stata", tmp_path_factory.mktemp("packages"), edits)


@pytest.mark.slow
def test_the_honest_package_passes_every_command_and_meets_every_criterion(judged: Judged) -> None:
    evidence = judged["honest"]
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert {"load", "help-files", "unit-tests", "ask", "validation"} <= {*evidence}
    assert len(evidence["validation"].tests) == 12


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fails_its_criteria_and_no_others(fault: Fault, judged: Judged) -> None:
    """That data were changed fails by itself, too: it has no criterion."""
    assert criteria_of(judged[fault.name]) - {""} == {*fault.criteria}


EMPTY = {"semean.ado": "*! version 0.0.0\nprogram define semean\nend\n", "LICENSE": "MIT\n"}


@pytest.mark.slow
def test_an_honest_run_ends_with_a_pushed_branch_and_every_criterion_met(tmp_path: Path) -> None:
    view = play(tmp_path, material_of(tmp_path, "stata"), "stata", EMPTY)
    assert view.finished is not None and view.finished.outcome == "shipped"
    found = verdicts_of(view)
    assert len(found) == 10 and set(found.values()) == {"PASS"}


@pytest.mark.slow
def test_a_wrong_divisor_is_sent_back_by_its_criteria(tmp_path: Path) -> None:
    material = material_of(tmp_path, "stata")
    place = material / "builder" / "semean.ado"
    file, old, new = FAULTS[0].edit
    assert file == place.name
    place.write_text(place.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(Objection) as found:
        play(tmp_path, material, "stata", EMPTY)
    failed = {name for name, verdict in verdicts_of(found.value.view).items() if verdict == "FAIL"}
    assert failed == {*FAULTS[0].criteria}

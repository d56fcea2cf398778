"""Packages of npm are asked in a Node of their own, behind the barrier; TypeScript is compiled there, too."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.profiles.profile import PathClass
from statsclaw.runlog.events import CommandExecuted
from statsclaw.sandbox.limits import MIB
from statsclaw.verify.blind.answering import read_answer
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.native import native_suite
from statsclaw.verify.blind.talking import Conversation, Silent
from statsclaw.verify.blind.validation import coverage_files
from statsclaw.verify.measure_coverage import measured, read_dumps
from tests.languages.calculations import calculations
from tests.languages.packages import HERE, Fault, Package, ask, faults
from tests.languages.toolchains import typescript

pytestmark = pytest.mark.slow

PROBE = HERE / "typescript" / "probe"


@pytest.fixture(scope="module", autouse=True)
def toolchain() -> Iterator[None]:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with typescript():
        yield


# --- a package as it would be written --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Built:
    package: Package
    evidence: dict[str, CommandExecuted]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Built:
    package = Package("typescript", tmp_path_factory.mktemp("honest"))
    return Built(package, package.verified("build", "checks", "unit_tests", "validation"))


def test_the_honest_package_passes_every_command_and_meets_every_criterion(honest: Built) -> None:
    failed = {name: row.summary for name, row in honest.evidence.items() if not row.passed}
    assert not failed
    assert {"build", "worker", "types", "import", "unit-tests", "ask", "validation"} <= {*honest.evidence}
    assert len(honest.evidence["validation"].tests) == 15


@pytest.mark.parametrize("fault", faults("typescript"), ids=lambda fault: fault.name)
def test_a_fault_fails_its_criteria_and_no_others(fault: Fault, tmp_path: Path) -> None:
    package = Package("typescript", tmp_path, edits=(fault.edit,))
    evidence = package.verified("build", "validation")
    assert evidence["build"].passed
    assert {*package.failed(evidence)} == {f"ask_countreg::{case}" for case in CASES[fault.criteria]}
    assert criteria_of(evidence) == {*fault.criteria}


#: The case in which each criterion is claimed.
CASES = {
    ("C3",): ("regression_of_drawn_counts",),
    ("C4",): ("regression_of_drawn_counts",),
    ("C7",): ("moving_means",),
    ("C10",): ("one_iteration",),
}


def criteria_of(evidence: dict[str, CommandExecuted]) -> set[str]:
    rows = [row.name for row in evidence["validation"].tests if row.outcome != "passed"]
    return {name.partition("[")[2].rstrip("]") for name in rows}


def test_types_that_do_not_fit_stop_the_build_and_say_where(tmp_path: Path) -> None:
    edit = ("src/window.ts", "found.push(sum / width);", 'found.push(sum / "width");')
    evidence = Package("typescript", tmp_path, edits=(edit,)).verified("build")
    assert not evidence["build"].passed
    assert "window.ts" in " ".join([evidence["build"].summary, *evidence["build"].said])


def test_another_name_in_package_json_is_the_builders_to_mend(tmp_path: Path) -> None:
    edit = ("package.json", '"name": "countreg"', '"name": "other"')
    evidence = Package("typescript", tmp_path, edits=(edit,)).verified("build")
    assert evidence["build"].passed
    assert "'other'" in evidence["worker"].summary


def test_lines_of_the_sources_are_told_where_the_engine_measures(honest: Built) -> None:
    package = Package("typescript", honest.package.folder)
    vars(package)["bench"] = replace(honest.package.bench, coverage=True)
    for file in coverage_files(package.bench):
        file.unlink()
    with package.worker() as talk:
        ask(talk, "movingMean", [1.0, 2.0], 1)
    folder = HERE / "typescript" / "package"
    sources = {f"src/{path.name}": path.read_text() for path in (folder / "src").iterdir()}
    found = {row.path: row for row in measured(read_dumps(coverage_files(package.bench)), sources)}
    lines = sources["src/window.ts"].split("\n")
    assert [lines[line - 1].strip()[:20] for line in found["src/window.ts"].missed] == ["throw new RangeError"]
    assert len(found["src/poisson.ts"].missed) > 30


# --- what ships -------------------------------------------------------------------------------------------------------


def shipped(folder: Path) -> dict[str, bool]:
    """Of each test of the suite whether it passes, on this machine alone."""
    place = "tests/validation/validation.test.mjs"
    done = subprocess.run(["node", "--test", place], cwd=folder, capture_output=True, text=True)
    found = re.findall(r"^(ok|not ok) \d+ - (\S.*)$", done.stdout, re.MULTILINE)
    assert (done.returncode == 0) == all(word == "ok" for word, _ in found), done.stdout
    return {name: word == "ok" for word, name in found}


@pytest.fixture(scope="module")
def repository(honest: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    package, folder = honest.package, tmp_path_factory.mktemp("shipped") / "countreg"
    validation = package.validation
    made = native_suite("typescript", validation.author.questionnaire(), validation.tests, validation.interface)
    shutil.copytree(package.bench.place("tree"), folder)
    for path, text in made.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def test_the_suite_that_ships_passes_and_notices_a_fault(repository: Path) -> None:
    assert all(shipped(repository).values()) and len(shipped(repository)) == 16
    place = repository / "dist" / "poisson.js"
    text = place.read_text()
    assert text.count("(n - p)") == 1
    place.write_text(text.replace("(n - p)", "(n - 1)"))
    assert [name for name, passed in shipped(repository).items() if not passed] == ["regression_of_drawn_counts-C4"]
    place.write_text(text)


@pytest.mark.parametrize("wrong", [False, True])
def test_the_suite_that_ships_calculates_as_numpy_does(repository: Path, wrong: bool, tmp_path: Path) -> None:
    folder, questions = tmp_path / "countreg", calculations(wrong)
    shutil.copytree(repository, folder)
    (folder / "tests/validation/questions.json").write_text(json.dumps(questions))
    found = shipped(folder)
    del found["something was compared"]
    assert {*found.values()} == {not wrong} and len(found) == len(questions["claims"])


# --- values ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Probe(Package):
    """`files`: of the package, by path, in place of its own."""

    files: tuple[tuple[str, str], ...] = ()

    def lay_out(self, folder: Path, classes: frozenset[PathClass]) -> None:
        for path, text in self.files:
            if self.bench.profile.classify(path) in classes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")


def probe(folder: Path, **files: str) -> Probe:
    own = {name: (PROBE / name).read_text(encoding="utf-8") for name in ("package.json", "index.js")}
    made = Probe(
        "typescript", folder, documents={"interface.md": (PROBE / "interface.md").read_text(encoding="utf-8")},
        files=tuple((own | files).items()),
    )  # fmt: skip
    assert all(row.passed for row in made.verified("build").values())
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    return probe(tmp_path_factory.mktemp("probe"))


@pytest.fixture(scope="module")
def shared(built: Probe) -> Iterator[Conversation]:
    with built.worker() as talk:
        yield talk


@pytest.fixture
def talk(shared: Conversation) -> Conversation:
    """Nothing is left of calls before."""
    shared.send_later({"do": "forget"})
    return shared


def value(talk: Conversation, function: str, *arguments: Any, **more: Any) -> Any:
    reply = ask(talk, function, *arguments, **more)
    assert "error" not in reply, reply["error"]
    return reply["value"]


def refused(talk: Conversation, function: str, *arguments: Any, **more: Any) -> tuple[list[str], str]:
    error = ask(talk, function, *arguments, **more)["error"]
    return error["classes"], error["message"]


def answer(call: int, *path: str) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


@pytest.mark.parametrize(
    "given",
    [
        True, False, 1.5, -0.0, math.inf, "", "ä€𝒳 \0", {"a": 1.0, "__proto__": "b"}, {}, ["a", "b"], [1.0, "a"],
        [None, True], Extra("integer", hex(2**70)), Extra("integer", hex(-(2**70))),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_handed_over_comes_back(talk: Conversation, given: Any) -> None:
    assert repr(value(talk, "echo", given)) == repr(given)


@pytest.mark.parametrize(
    "given",
    [
        np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4), np.array([1, 2]), np.empty((0, 0)),
        np.empty((2, 0)), np.float32([0.5, 1.5]), np.array([[True], [False]]), np.array([math.nan, -0.0, -math.inf]),
        [1.0, 2.0], [1, 2], [[1.0, 2.0], [3.0, 4.0]],
    ],
    ids=str,
)  # fmt: skip
def test_arrays_keep_dimensions_and_bits(talk: Conversation, given: Any) -> None:
    found, wanted = value(talk, "echo", given), np.asarray(given)
    if not wanted.size:
        assert found.shape == (wanted.shape if wanted.shape[0] else (0,))  # no row says how wide it is
        return
    assert np.array_equal(found.astype(float), wanted.astype(float), equal_nan=True)
    assert np.array_equal(np.signbit(found.astype(float)), np.signbit(wanted.astype(float)))
    assert (found.dtype.kind == "b") == (wanted.dtype.kind == "b")


def test_numbers_come_back_as_numbers_and_nothing_as_nothing(talk: Conversation) -> None:
    assert value(talk, "echo", 5) == 5.0 and type(value(talk, "echo", 5)) is float
    assert math.isnan(value(talk, "echo", math.nan))
    assert value(talk, "echo", None) is None
    assert value(talk, "echo", 2**53 - 1) == 2.0**53 - 1
    assert value(talk, "echo", 2**62 + 1) == 2**62 + 1


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (None, "undefined"), ([None], "array of null"), (1, "Number"), (2**60, "BigInt"), ("a", "String"),
        (True, "Boolean"), ([], "array of undefined"), ([1.0], "array of Number"),
        ([[1.0]], "array of array of Number"),
        (np.eye(2), "array of array of Number"), (np.array(["a"]), "array of String"), (np.array(2.0), "Number"),
        ({"a": 1}, "Object"), ((1, 2), "array of Number"), ({1, 2}, "Set"), ({1: "a"}, "Map"), (b"ab", "Uint8Array"),
        (Extra("generator", {"seed": 3}), "Function"), (np.ma.masked_array([1.0], [True]), "array of Number"),
        (Extra("table", {"columns": {"a": [1.0]}, "index": None}), "Object"),
        (Extra("factor", {"levels": ["u"], "codes": [1, 0]}), "array of String"),
        (Extra("named", {"value": [1.0], "names": ["a"]}), "array of Number"), (Extra("formula", "y ~ x"), "String"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_functions_are_given(talk: Conversation, given: Any, kind: str) -> None:
    assert value(talk, "kindOf", given) == kind


def test_a_read_only_array_is_frozen_with_its_rows(talk: Conversation) -> None:
    held = Extra("readonly", np.eye(2))
    assert value(talk, "isFrozen", held) is True
    assert refused(talk, "scale", Extra("readonly", np.ones(2)))[0][0] == "TypeError"


@pytest.mark.parametrize("given", [1j, np.array([1j]), Extra("unheard", 1)], ids=str)
def test_what_cannot_be_made_is_an_error_that_names_the_argument(talk: Conversation, given: Any) -> None:
    classes, message = refused(talk, "told", 1, given)
    assert classes[0] == "ArgumentError" and "argument 2 of told" in message and "kind" in message
    assert "argument second of told" in refused(talk, "told", 1, named={"second": given})[1]


def plainly(found: Any) -> Any:
    """With arrays as lists, so that answers can be compared."""
    if isinstance(found, Extra):
        return found.kind, plainly(found.value)
    if isinstance(found, dict):
        return {name: plainly(part) for name, part in found.items()}
    if isinstance(found, np.ndarray):
        return found.dtype.name, found.tolist()
    return [plainly(part) for part in found] if isinstance(found, list) else found


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("undefined", None), ("null", None), ("big", ("integer", hex(2**70))), ("long", 2**60 + 1),
        ("typed", ("float64", [1.0, 2.5])), ("single", ("float32", [0.5])), ("bytes", ("int32", [1, 255])),
        ("longs", ("int64", [1, -(2**62)])), ("rows", ("float64", [[1.0, 2.0], [3.0, 4.0]])),
        ("cube", ("float64", [[[1.0], [2.0]], [[3.0], [4.0]]])), ("truths", ("bool", [True, False])),
        ("ragged", [("float64", [1.0]), ("float64", [2.0, 3.0])]), ("mixed", [1.0, "a", None]), ("texts", ["a", "ä€𝒳"]),
        ("empty", ("float64", [])), ("map", {"a": 1.0}), ("pairs", ("pairs", [[1.0, "one"]])),
        ("set", ("set", [3.0, 1.0])), ("date", ("opaque", "Date")), ("bare", {"a": 1.0}),
        ("symbol", ("opaque", "symbol")),
        ("function", ("method", "function")),
        ("nested", {"a": {"b": ("float64", [1.0, 2.0])}, "when": ("opaque", "Date"), "make": ("method", "function")}),
        ("cyclic", {"name": "round", "self": ("opaque", "Object")}), ("infinities", ("float64", [math.inf, -math.inf])),
    ],
)  # fmt: skip
def test_what_functions_return(talk: Conversation, name: str, wanted: Any) -> None:
    assert plainly(value(talk, "held", name)) == wanted


@pytest.mark.parametrize(
    ("type_", "given", "kind"),
    [
        ("Float64Array", [1.0, 2.0], "Float64Array"), ("Int32Array | null", [1, 2], "Int32Array"),
        ("Float64Array", np.ones((2, 3)), "Float64Array"), ("Float64Array[]", np.ones((2, 3)), "array of Float64Array"),
        ("readonly number[]", [1.0], "array of Number"), ("ArrayLike<number>", [1.0], "array of Number"),
        ("bigint", 3, "BigInt"),
        ("bigint", 1.5, "Number"), ("Float64Array", ["a"], "array of String"), ("Float64Array", None, "undefined"),
    ],
    ids=str,
)  # fmt: skip
def test_arrays_are_made_as_the_declarations_of_the_package_want_them(
    typed: Conversation, type_: str, given: Any, kind: str
) -> None:
    name = TYPED[type_]
    assert value(typed, name, given) == kind
    assert value(typed, name, named={"value": given}) == kind


TYPED = {
    "Float64Array": "a", "Int32Array | null": "b", "Float64Array[]": "c", "readonly number[]": "d",
    "ArrayLike<number>": "e",
    "bigint": "f",
}  # fmt: skip


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    source = (PROBE / "index.js").read_text()
    source += "".join(f"export const {name} = (value) => kindOf(value);\n" for name in TYPED.values())
    source += "export class Held { take(value) { return kindOf(value); } }\n"
    types = "".join(f"export declare function {name}(value?: {kind}): string;\n" for kind, name in TYPED.items())
    types += "export declare class Held {\n    take(value: Float64Array): string;\n}\n"
    package = probe(tmp_path_factory.mktemp("typed"), **{"index.js": source, "types/index.d.ts": types})
    with package.worker() as talk:
        yield talk


def test_methods_have_declared_types_too(typed: Conversation) -> None:
    value(typed, "Held", id=1)
    assert value(typed, "take", np.ones(2), on=answer(1), id=2) == "Float64Array"
    assert ask(typed, "scale", np.ones(2), id=3)["changed"] == ["0"]


# --- arguments -------------------------------------------------------------------------------------------------------


def test_named_arguments_stand_in_their_places_and_options_in_one_object(talk: Conversation) -> None:
    def told(*given: Any, **named: Any) -> list[float]:
        return [float(part) for part in value(talk, "told", *given, named=named)]

    assert told(1) == [1, 2, 3, -1]
    assert told(1, 5) == told(second=5, first=1) == [1, 5, 3, -1]
    assert told(1, fourth=4) == [1, 2, 3, 4]
    assert told(1, None, third=7, fourth=None) == [1, 2, 7, -1]
    assert [float(part) for part in value(talk, "later", 1, named={"third": 9})] == [1, 9]


def test_names_that_nobody_has_and_names_given_twice_are_errors(talk: Conversation) -> None:
    assert refused(talk, "told", 1, named={"other": 1}) == (["ArgumentError", "Error"], "told has no argument other")
    assert refused(talk, "told", 1, named={"first": 1}) == (["ArgumentError", "Error"], "told is given first twice")
    assert refused(talk, "unheard")[0][0] == "ArgumentError"


def test_a_function_beside_the_interface_takes_the_names_of_its_own_parameters(talk: Conversation) -> None:
    assert value(talk, "kindOf", named={"value": 1}) == "Number"
    assert refused(talk, "kindOf", named={"other": 1})[0][0] == "ArgumentError"


def test_the_signature_is_that_of_the_code(talk: Conversation) -> None:
    def rows(name: str) -> list[list[Any]]:
        return [list(row.values()) for row in value(talk, name, what="signature")]

    assert rows("told") == [
        ["first", None, False], ["second", "2", False], ["third", "3", True], ["fourth", None, True],
    ]  # fmt: skip
    assert rows("later") == [["first", None, False], ["third", None, True]]
    assert rows("draws") == [["n", None, False], ["rng", "Math.random", False]]
    assert rows("Fit") == [["y", None, False]]


def test_exports_are_sorted(talk: Conversation) -> None:
    found = value(talk, "", what="exports")
    assert found == sorted(found) and {"echo", "Fit", "NegativeError"} <= {*found}


def test_an_argument_that_is_changed_is_named(talk: Conversation) -> None:
    assert ask(talk, "scale", [1.0, 2.0])["changed"] == ["0"]
    assert ask(talk, "scale", named={"values": np.ones((2,))})["changed"] == ["values"]
    assert ask(talk, "scale", [0.0, 0.0])["changed"] == []
    ask(talk, "fit", [1.0], id=5, fields=["total"])
    assert ask(talk, "grown", answer(5), id=6)["changed"] == ["0"]


# --- objects ---------------------------------------------------------------------------------------------------------

FIT = ["total", "mean", "table", {"name": "inner", "fields": ["flat", "size"]}, "absent"]


def test_declared_fields_are_read_and_flat_numbers_get_the_declared_dimensions(talk: Conversation) -> None:
    found = value(talk, "fit", [1.0, 2.0, 6.0], fields=FIT)
    assert found.kind == "object" and found.value["classes"] == ["Fit"] and found.value["missing"] == ["absent"]
    fields = found.value["fields"]
    assert (fields["total"], fields["mean"]) == (9.0, 3.0)
    assert fields["table"].tolist() == [[1.0, 2.0, 6.0], [1.0, 2.0, 6.0]]
    inner = fields["inner"].value["fields"]
    assert inner["flat"].tolist() == [[1.0, 2.0], [6.0, 1.0], [2.0, 6.0]]
    assert value(talk, "flat", [[1.0, 2.0], [3.0, 4.0]]).shape == (2, 2)


def test_what_is_declared_and_does_not_fit_stays_flat(talk: Conversation) -> None:
    assert value(talk, "flat", [[[1.0], [2.0]], [[3.0]]]).tolist() == [[1.0], [2.0], [3.0]]
    assert value(talk, "held", "typed").shape == (2,)


def test_everything_that_an_object_shows(talk: Conversation) -> None:
    classes, message = refused(talk, "fit", [1.0], fields=["*"])
    assert classes[0] == "RangeError" and message == "no such thing"  # a getter of its own
    assert value(talk, "held", "map", fields=["*"]) == {"a": 1.0}
    assert plainly(value(talk, "fit", [1.0])) == ("opaque", "Fit")


def test_methods_and_parts_of_earlier_answers(talk: Conversation) -> None:
    value(talk, "fit", [1.0, 2.0], id=1, fields=["total"])
    value(talk, "shifted", on=answer(1), named={"by": 2.0}, id=2, fields=["total"])
    later = value(talk, "shifted", on=answer(2), id=3, fields=["total", "table"])
    assert later.value["fields"]["total"] == 9.0
    assert value(talk, "totalOf", answer(2), id=4) == 7.0
    assert value(talk, "kindOf", answer(1, "inner", "size"), id=5) == "Number"
    assert value(talk, "Fit.empty", id=6, fields=["total"]).value["fields"]["total"] == 0.0
    assert value(talk, "Fit", [4.0], id=7, fields=["total"]).value["fields"]["total"] == 4.0
    assert value(talk, "text", answer(1), what="text", id=8) == "Fit of 2"
    assert "inner.none" in refused(talk, "kindOf", answer(1, "inner.none"), id=9)[1]


def test_forgotten_answers_are_gone(talk: Conversation) -> None:
    value(talk, "fit", [1.0], id=1)
    talk.send_later({"do": "forget"})
    assert refused(talk, "totalOf", answer(1), id=2)[0][0] == "ArgumentError"


# --- random numbers, promises ----------------------------------------------------------------------------------------


def test_random_numbers_follow_the_seed(talk: Conversation) -> None:
    first = value(talk, "draws", 1000, seed=4)
    assert np.array_equal(first, value(talk, "draws", 1000, seed=4))
    assert not np.array_equal(first, value(talk, "draws", 1000, seed=5))
    assert ((first >= 0) & (first < 1)).all() and abs(first.mean() - 0.5) < 0.04 and len({*first}) == 1000


def test_a_generator_is_a_function_and_one_with_a_name_goes_on(talk: Conversation) -> None:
    def drawn(**more: Any) -> list[float]:
        return list(value(talk, "draws", 2, Extra("generator", {"seed": 9, **more})))

    assert drawn() == drawn()
    four = list(value(talk, "draws", 4, Extra("generator", {"seed": 9})))
    assert drawn(name="g") + drawn(name="g") == four


def test_promises_are_awaited(talk: Conversation) -> None:
    assert value(talk, "promised", [1.0, 2.0]).tolist() == [1.0, 2.0]
    assert refused(talk, "promised", -1) == (["NegativeError", "RangeError", "Error"], "it is -1")


# --- errors, warnings, output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "classes", "message"),
    [
        ("own", ["NegativeError", "RangeError", "Error"], "below zero"),
        ("language", ["RangeError", "Error"], "out of range"),
        ("feigned", ["package.TypeError", "Error"], "feigned"), ("named", ["FactoryError", "Error"], "by its name"),
        ("text", ["string"], "a text"), ("object", ["object"], "{ code: 3 }"), ("nothing", ["undefined"], "undefined"),
    ],
)  # fmt: skip
def test_errors_have_the_classes_of_what_is_thrown(
    talk: Conversation, what: str, classes: list[str], message: str
) -> None:
    assert refused(talk, "thrown", what) == (classes, message)


def test_faults_of_the_language_have_a_class_of_their_own_or_its(talk: Conversation) -> None:
    assert refused(talk, "deep", 0)[0][:2] == ["StackOverflow", "RangeError"]
    assert refused(talk, "mistaken", 1)[0] == ["TypeError", "Error"]
    assert refused(talk, "rejects")[0][:2] == ["UncaughtException", "NegativeError"]
    assert refused(talk, "throwsLater")[0][:2] == ["UncaughtException", "RangeError"]
    assert value(talk, "echo", 1) == 1.0


def test_what_is_printed_is_told_also_by_number_and_by_a_child(talk: Conversation) -> None:
    reply = ask(talk, "says")
    assert reply["printed"] == "to the screen\nto the other\nby its number\nfrom a child\n"
    assert ask(talk, "echo", 1)["printed"] == ""


def test_warnings_are_told(talk: Conversation) -> None:
    def warned(how: str) -> tuple[list[str], str, str]:
        reply = ask(talk, "warns", how)
        (row,) = reply["warnings"]
        return row["classes"], row["message"], reply["printed"]

    assert warned("text") == (["RoundedWarning", "Warning"], "as a text", "")
    assert warned("error") == (["SlowWarning", "Error"], "as an error", "")
    assert warned("console") == (["console.warn"], "mind [ 1 ]", "mind [ 1 ]\n")
    assert ask(talk, "echo", 1)["warnings"] == []


def test_time_and_memory_are_measured(talk: Conversation) -> None:
    reply = ask(talk, "large", 5_000_000)
    assert 40_000_000 <= reply["peak"] < 400_000_000 and 0 < reply["seconds"] < 5
    assert "peak" not in ask(talk, "large", 10, measured=False)


def test_a_thousand_small_calls_take_less_than_two_seconds(talk: Conversation) -> None:
    begun = time.monotonic()
    for number in range(1000):
        ask(talk, "echo", float(number))
    assert time.monotonic() - begun < 2


# --- other packages --------------------------------------------------------------------------------------------------


def test_a_package_of_commonjs_is_asked_for_what_it_exports(tmp_path: Path) -> None:
    manifest = json.dumps({"name": "pro-be", "main": "lib.cjs"})
    source = """
        const made = () => 7;
        class Fit { constructor(y) { this.total = y.length; } }
        module.exports = Object.assign({}, { made, fit: (y) => new Fit(y) });
        Object.defineProperty(module.exports, "__esModule", { value: true });
    """
    package = probe(tmp_path, **{"package.json": manifest, "lib.cjs": source})
    with package.worker() as talk:
        assert value(talk, "", what="exports") == ["fit", "made"]
        assert value(talk, "made") == 7.0
        assert value(talk, "fit", [1.0], fields=["total"]).value["fields"]["total"] == 1.0


def test_a_package_that_cannot_be_loaded_answers_with_that_error(tmp_path: Path) -> None:
    package = probe(tmp_path, **{"index.js": 'import "unheard-of"; export const echo = 1;'})
    with package.worker() as talk:
        for _ in range(2):
            assert "unheard-of" in refused(talk, "echo", 1)[1]


# --- what ends badly -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["exits", "aborts", "never"])
def test_a_process_that_ends_answers_nothing(built: Probe, function: str) -> None:
    with built.worker() as talk:
        assert value(talk, "echo", 1) == 1.0
        with pytest.raises(Silent, match="its process ended"):
            ask(talk, function)


def test_one_that_takes_all_memory_is_ended(built: Probe) -> None:
    small = Probe("typescript", built.folder, documents=built.documents, files=built.files)
    limits = built.bench.limits.model_copy(update={"memory_bytes": 400 * MIB})
    vars(small)["bench"] = replace(built.bench, limits=limits)
    with small.worker() as talk:
        assert value(talk, "echo", 1) == 1.0
        try:
            reply = ask(talk, "hoards")
        except Silent:
            return
        assert reply["error"]["classes"][0] == "RangeError" and "llocation failed" in reply["error"]["message"]


def test_one_that_goes_on_without_end_is_left(built: Probe) -> None:
    with built.validation.start() as talk:  # a block of its own ends it without patience
        value(talk, "echo", 1)
        request = {"do": "call", "id": 2, "what": "call", "function": "spins", "on": None, "arguments": [], "named": {}}
        with pytest.raises(Silent, match="longer than"):
            talk.ask(request, 1.0)


@pytest.mark.parametrize("arguments", [("forges", 5.0), ("garbles",)], ids=lambda given: given[0])
def test_what_is_written_into_the_pipe_is_no_answer(built: Probe, arguments: tuple[Any, ...]) -> None:
    function, *rest = arguments
    with built.worker() as talk:
        place = f"{value(talk, 'answersFrom')}/answers"
        with pytest.raises(Silent):
            read_answer(ask(talk, function, place, *rest), 1)


def test_nothing_of_what_is_judged_can_be_written(built: Probe) -> None:
    with built.worker() as talk:
        paths = ["/verify/tree/index.js", "/verify/adapter/worker.mjs", "/verify/inside/worker.py"]
        assert {*value(talk, "writes", paths)} <= {"EROFS", "EACCES"}


@pytest.mark.parametrize("frame", [b"q", b"tt", b"v\xff\xff\xff\x7f", b"l\xff\xff\xff\xff", b"x", b""])
def test_a_malformed_frame_ends_the_worker(built: Probe, frame: bytes) -> None:
    with built.worker() as talk:
        os.write(talk.to, len(frame).to_bytes(8, "little") + frame)
        with pytest.raises(Silent, match="exit status 1"):
            talk.receive(20.0)


def test_a_frame_that_is_too_long_ends_the_worker(built: Probe) -> None:
    with built.worker() as talk:
        os.write(talk.to, (2**40).to_bytes(8, "little"))
        with pytest.raises(Silent, match="exit status 1"):
            talk.receive(20.0)

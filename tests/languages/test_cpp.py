"""Packages in C++ are asked by a worker that is compiled against them, behind the barrier."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.sandbox.limits import MIB
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.talking import Conversation, Silent
from tests.languages.compiled import Judged, Probe, answer, criteria_of, hostile, probe, refused, value, verdicts
from tests.languages.packages import HERE, Fault, Package, ask, faults

pytestmark = pytest.mark.slow

PROBE = HERE / "cpp" / "probe"


@pytest.fixture(scope="module", autouse=True)
def toolchain() -> None:
    for program in ("c++", "cmake", "ctest", "bwrap"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


# --- a package as it would be written --------------------------------------------------------------------------------


FAULTS = faults("cpp")
EXITS = (
    "src/poissonreg.cpp",
    "  check(y, X, lags, tolerance);\n  const std::size_t n = X.size(), p = X[0].size();",
    "  std::exit(lags);\n  const std::size_t n = X.size(), p = X[0].size();",
)


BEYOND = {
    "a pointer": ("z.data()[n] = 0.0;", "heap-buffer-overflow, WRITE of size 8, in poissonreg::fit"),
    "an index": ("z[n] = 0.0;", "ABRT, in poissonreg::fit"),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    edits = {"honest": (), "exits": (EXITS,), **{fault.name: (fault.edit,) for fault in FAULTS}}
    return verdicts("cpp", tmp_path_factory.mktemp("packages"), edits)


def test_the_honest_package_passes_every_command_and_meets_every_criterion(judged: Judged) -> None:
    evidence = judged["honest"]
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert {"install", "worker-build", "warnings", "sanitizers", "unit-tests", "ask", "validation", "memory"} <= {
        *evidence
    }
    assert len(evidence["validation"].tests) == 19
    assert evidence["memory"].summary == "17 of 17 calls: memory is used as it may be"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fails_its_criteria_and_no_others(fault: Fault, judged: Judged) -> None:
    assert judged[fault.name]["worker-build"].passed
    assert criteria_of(judged[fault.name]) == {*fault.criteria}
    assert judged[fault.name]["memory"].passed


def test_a_package_that_ends_the_process_meets_nothing_it_is_asked(judged: Judged) -> None:
    rows = judged["exits"]["validation"].tests
    passed = {row.name.partition("[")[2].rstrip("]") for row in rows if row.outcome == "passed"}
    assert passed == {"C9"}  # only window_sums answers


@pytest.mark.parametrize("how", BEYOND)
def test_memory_beyond_an_array_is_found_by_unit_tests_and_by_the_questions_and_named(how: str, tmp_path: Path) -> None:
    new, said = BEYOND[how]
    edit = ("src/poissonreg.cpp", "  const double divisor =", f"  {new}\n  const double divisor =")
    evidence = Package("cpp", tmp_path, edits=(edit,)).verified("build", "checks", "validation")
    assert {name for name, row in evidence.items() if not row.passed} == {"sanitizers", "memory"}
    assert evidence["memory"].summary == f"{said} (src/poissonreg.cpp:130), asked for fit"


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([("CMakeLists.txt", "NAMESPACE poissonreg::", "NAMESPACE other::")], "no target poissonreg::poissonreg"),
        ([("CMakeLists.txt", "STATIC src", "SHARED src")], "is a shared library"),
    ],
)
def test_what_cannot_be_linked_is_said(edits: list[tuple[str, str, str]], said: str, tmp_path: Path) -> None:
    package = Package("cpp", tmp_path, edits=tuple(edits))
    evidence = package.verified("build")
    assert not evidence["worker-configure"].passed
    assert said in " ".join(package.bench.store.get(evidence["worker-configure"].output_sha256).decode().split())


def test_a_package_without_a_public_header_is_the_builders_to_mend(tmp_path: Path) -> None:
    documents = {"interface.md": (PROBE / "interface.md").read_text(encoding="utf-8")}
    evidence = Package("cpp", tmp_path, documents=documents).verified("build")
    assert "include/probe/probe.hpp or include/probe.hpp" in evidence["worker"].summary
    assert evidence["worker"].fault_of == "builder"


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    files = {"CMakeLists.txt": "CMakeLists.txt", "include/probe.hpp": "probe.hpp"}
    return probe("cpp", tmp_path_factory.mktemp("probe"), files)


@pytest.fixture(scope="module")
def shared(built: Probe) -> Iterator[Conversation]:
    with built.worker() as talk:
        yield talk


@pytest.fixture
def talk(shared: Conversation) -> Conversation:
    """Nothing is left of calls before."""
    shared.send_later({"do": "forget"})
    return shared


@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("truth", True), ("truth", False), ("whole", -3), ("whole", 2**31 - 1), ("small", 255), ("natural", 2**62),
        ("number", 1.5), ("number", -0.0), ("number", math.inf), ("narrow", 0.5), ("text", "ä€𝒳 \0"), ("text", ""),
        ("literal", "plain"), ("letter", "x"), ("maybe", None), ("maybe", 2.5), ("map", {"b": 1.0, "a": 2.0}),
    ],
    ids=repr,
)  # fmt: skip
def test_single_values_come_back(talk: Conversation, function: str, given: Any) -> None:
    found = value(talk, function, given)
    assert type(found) is type(given) and repr(found) == repr(
        dict(sorted(given.items())) if function == "map" else given
    )


@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("numbers", np.array([math.nan, -0.0, -math.inf])), ("numbers", np.empty(0)), ("wholes", np.array([1, -2])),
        ("truths", np.array([True, False, True])), ("texts", np.array(["a", "ä", ""])),
        ("matrix", np.arange(6.0).reshape(2, 3)), ("cube", np.arange(24.0).reshape(2, 3, 4)),
        ("planes", np.array([1 + 2j, -1j])), ("three", np.array([1.0, 2.0, 3.0])),
    ],
    ids=str,
)  # fmt: skip
def test_arrays_come_back_with_their_dimensions(talk: Conversation, function: str, given: Any) -> None:
    found = value(talk, function, given)
    assert found.shape == given.shape and found.dtype.kind == given.dtype.kind
    assert found.tobytes() == given.tobytes() or (function == "texts" and list(found) == list(given))


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        ("number", 5, 5.0), ("whole", 5.0, 5), ("number", np.float64(2.0), 2.0), ("wholes", [1, 2], [1, 2]),
        ("numbers", [1, 2.5], [1.0, 2.5]), ("numbers", [], []), ("numbers", np.array([1, 2]), [1.0, 2.0]),
        ("matrix", [[1, 2.0], [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
        ("matrix", np.asfortranarray([[1.0, 2.0]]), [[1.0, 2.0]]),
        ("total", (1, 2, 3), 6.0), ("length", "abc", 3), ("color", 4, 4), ("numbers", np.float32([0.5]), [0.5]),
        ("map", Extra("table", {"columns": {"a": 1.0}, "index": None}), {"a": 1.0}),
        ("numbers", Extra("named", {"value": [1.0], "names": ["a"]}), [1.0]), ("plane", 2.0, 2.0),
    ],
    ids=repr,
)  # fmt: skip
def test_values_become_what_the_parameter_is(talk: Conversation, function: str, given: Any, expected: Any) -> None:
    found = value(talk, function, given)
    found = complex(*found.value) if isinstance(found, Extra) else found
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        ("whole", 1.5, "argument x: a whole number is wanted, not 1.5"), ("whole", True, "a whole number is wanted"),
        ("whole", 2**31, "within the range"), ("small", 256, "within the range"), ("natural", -1, ">= 0"),
        ("number", True, "a number is wanted, not true"), ("number", "1", "not a text"),
        ("number", None, "not nothing"),
        ("number", [1.0], "a number is wanted, not a vector"), ("text", 1, "a text is wanted, not 1"),
        ("truth", 1, "a truth value is wanted"), ("letter", "ab", "a single character"),
        ("numbers", 1.0, "a vector is wanted"),
        ("numbers", [[1.0]], "a number is wanted"), ("numbers", np.eye(2), "a vector is wanted, not a matrix"),
        ("wholes", np.array([1.0, 1.5]), "a whole number is wanted, not 1.5"), ("matrix", [1.0], "a matrix is wanted"),
        ("numbers", np.array([True]), "a number is wanted"), ("three", [1.0], "a vector of 3"),
        ("transposed", [[1.0], [1.0, 2.0]], "a matrix is wanted"), ("map", [1.0], "names and values"),
        ("pair", [1], "a list of 2"), ("read", 1.0, "an object of the type probe::Counter is wanted"),
        ("draw", 5, "a generator of random numbers"), ("flat", [1.0, 2.0], "is wanted"),
        ("number", Extra("factor", {"levels": ["u"], "codes": [1]}), "the kind factor"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_such_argument_is_refused(talk: Conversation, function: str, given: Any, said: str) -> None:
    classes, message = refused(talk, function, given)
    assert classes == ["ArgumentError"] and said in message
    assert message.startswith("argument ")


def test_further_values(talk: Conversation) -> None:
    assert value(talk, "pair", [1, "a"]) == Extra("tuple", [1, "a"])
    number, numbers = value(talk, "tuple", (1.0, [2.0])).value
    assert number == 1.0 and numbers.tolist() == [2.0]
    assert value(talk, "set", [3, 1, 3]) == Extra("set", [1, 3])
    assert value(talk, "either", True) == 2.0 and value(talk, "either", False) == "two"
    assert value(talk, "nothing") is None
    assert [part.tolist() for part in value(talk, "ragged")] == [[1.0], [1.0, 2.0]]


def test_matrices_keep_rows_and_columns(talk: Conversation) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(value(talk, "transposed", x), x.T)
    assert np.array_equal(value(talk, "flat", x), x)
    assert np.array_equal(value(talk, "flat", x.tolist(), named={"more": 1}), x + 1)
    assert value(talk, "misfit", [1.0, 2.0]).tolist() == [1.0]  # the declared shape does not fit


# --- arguments -------------------------------------------------------------------------------------------------------


def test_names_are_put_in_order_and_defaults_are_the_packages_own(talk: Conversation) -> None:
    assert value(talk, "defaults", 1) == "1 7 own"
    assert value(talk, "defaults", 1, 3) == "1 3 own"
    assert value(talk, "defaults", named={"c": "x", "a": 4}) == "4 2 x"  # of one in between, the interface's
    assert value(talk, "defaults", 1, named={"c": "x", "b": 9}) == "1 9 x"
    assert "argument a: it is missing" in refused(talk, "defaults")[1]
    assert "no argument d" in refused(talk, "defaults", 1, named={"d": 1})[1]
    assert "given twice" in refused(talk, "defaults", 1, named={"a": 1})[1]
    assert "no more than 3" in refused(talk, "defaults", 1, 2, "c", 4)[1]


def test_overloads_differ_in_their_number_of_arguments(talk: Conversation) -> None:
    assert value(talk, "over", 1) == 1.0
    assert value(talk, "over", 1, 2) == 3.0
    assert value(talk, "over", 1, None) == 101.0
    assert "argument y: a number is wanted, not a text" in refused(talk, "over", 1, "a")[1]


def test_arguments_that_are_changed_are_told_and_made_anew(talk: Conversation) -> None:
    assert ask(talk, "scale", [1.0, 2.0])["changed"] == ["x"]
    assert ask(talk, "scale", [1.0, 2.0], 1)["changed"] == []
    assert ask(talk, "numbers", [1.0])["changed"] == []


# --- objects ---------------------------------------------------------------------------------------------------------

FIELDS = ["count", "twice", "table", {"name": "inner", "fields": ["sigma", "diagonal"]}, "absent"]


def test_fields_are_members_or_methods_without_arguments(talk: Conversation) -> None:
    found = value(talk, "Counter", 2, fields=FIELDS)
    assert found.kind == "object" and found.value["classes"] == ["Counter", "probe::Counter"]
    fields = found.value["fields"]
    assert (fields["count"], fields["twice"], found.value["missing"]) == (2.0, 4.0, ["absent"])
    assert np.array_equal(fields["table"], [[1, 2, 3], [4, 5, 6]])
    assert fields["inner"].value["fields"]["sigma"] == 3.0
    whole = value(talk, "Counter", 2, fields=["*"]).value["fields"]
    assert {*whole} == {"count", "twice", "table", "inner"} and whole["inner"] == Extra("opaque", "probe::Inner")
    assert value(talk, "Counter", 2) == Extra("opaque", "probe::Counter")


def test_answers_are_called_passed_and_taken_apart(talk: Conversation) -> None:
    value(talk, "Counter", 2, named={"step": 3}, id=1)
    assert value(talk, "add", on=answer(1), id=2) == 5.0
    assert value(talk, "add_many", 2, on=answer(1), id=3) == 11.5
    assert value(talk, "add_many", named={"times": 1, "extra": 0.0}, on=answer(1), id=4) == 14.5
    assert [value(talk, name, answer(1), id=5) for name in ("read", "read_pointer", "read_shared")] == [14.5] * 3
    assert value(talk, "read_pointer", None, id=6) == -1.0
    assert value(talk, "numbers", answer(1, "inner", "diagonal"), id=7).tolist() == [1.0, 2.0]
    assert value(talk, "matrix", answer(1, "table"), id=8).shape == (2, 3)  # as its shape is declared
    assert value(talk, "number", answer(2), id=9) == 5.0
    assert value(talk, "grown", [1.0, 2.0], on=answer(1), id=10).shape == (2, 2)
    assert ask(talk, "raise_count", answer(1), id=11)["changed"] == ["x"]
    assert ask(talk, "read", answer(1), id=12)["changed"] == []
    assert value(talk, "", answer(1), what="text", id=13) == "a counter at 24.5"
    assert "no method area" in refused(talk, "area", on=answer(1), id=14)[1]
    assert "an object of the type probe::Counter" in refused(talk, "read", answer(2), id=15)[1]


def test_objects_may_be_abstract_or_nothing(talk: Conversation) -> None:
    assert value(talk, "square", 3, id=1) == Extra("opaque", "probe::Shape")
    assert value(talk, "area", on=answer(1), id=2) == 9.0
    assert value(talk, "sometimes", False, fields=["count"], id=3) is None
    assert value(talk, "sometimes", True, fields=["count"], id=4).value["fields"] == {"count": 1.0}


def test_nothing_is_left_after_forget(talk: Conversation) -> None:
    value(talk, "Counter", 2, id=1)
    talk.send_later({"do": "forget"})
    assert "no such answer" in refused(talk, "add", on=answer(1), id=2)[1]


def test_generators_are_seeded_and_named_ones_go_on(talk: Conversation) -> None:
    plain, named = Extra("generator", {"seed": 3}), Extra("generator", {"seed": 3, "name": "g"})
    first = value(talk, "draw", plain)
    assert value(talk, "draw", plain) == first == value(talk, "draw", named)
    assert value(talk, "draw", named) != first
    assert value(talk, "chance", seed=5) == value(talk, "chance", seed=5) != value(talk, "chance", seed=6)


# --- conditions, output, measures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "classes", "message"),
    [
        ("argument", ["invalid_argument", "std::invalid_argument"], "a wrong argument"),
        ("singular", ["singular", "std.runtime_error", "probe::singular"], "it is singular"),
        ("derived", ["singular", "std.runtime_error", "probe::very_singular"], "it is very singular"),
        ("other", ["std.runtime_error", "std::overflow_error"], "too large"),
        ("number", ["int"], ""),
        ("text", ["char const*"], "a text"),
    ],
)
def test_errors_are_named_as_in_the_interface(talk: Conversation, how: str, classes: list[str], message: str) -> None:
    reply = ask(talk, "fail", how)
    assert reply["error"] == {"classes": classes, "message": message}
    assert "value" not in reply and reply["seconds"] >= 0 and reply["warnings"] == []


def test_all_that_is_printed_is_told_once(talk: Conversation) -> None:
    reply = ask(talk, "loud")
    assert reply["printed"] == "printed streamed warned written"
    assert ask(talk, "number", 1.0)["printed"] == ""
    assert ask(talk, "long_text", 5000)["printed"] == "ä" * 2000
    assert len(value(talk, "long_text", 5000)) == 5000


def test_memory_is_measured(talk: Conversation) -> None:
    assert ask(talk, "takes", 60)["peak"] > 55 * MIB
    assert "peak" not in ask(talk, "takes", 1, measured=False)


def test_names_and_signatures_are_those_of_the_interface(talk: Conversation) -> None:
    names = value(talk, "", what="exports")
    assert names == sorted(names) and {"Counter", "fail"} <= {*names}
    rows = value(talk, "defaults", what="signature")
    assert rows == [{"name": name, "default": None, "keyword_only": False} for name in "abc"]
    assert "no function other" in refused(talk, "other")[1]


def test_a_thousand_calls_take_no_second(talk: Conversation) -> None:
    begun = time.monotonic()
    for number in range(1000):
        ask(talk, "number", 1.0, id=number)
    took = time.monotonic() - begun
    print(f"{took:.3f} ms for a call")
    assert took < 10


# --- what no package should do ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("fault", "139"),
        ("abort", "134"),
        ("terminate", "134"),
        ("exit", "ended"),
        ("garbage", "no answer"),
        ("sleep", "longer"),
    ],
)
def test_a_worker_that_dies_or_talks_nonsense_gives_no_answer(built: Probe, how: str, said: str) -> None:
    with pytest.raises(Silent, match=said):
        hostile(built, "hostile", how, limit_s=1.0 if how == "sleep" else 30.0)


def test_a_forged_frame_is_no_answer(built: Probe) -> None:
    with pytest.raises(Silent, match="no answer"):
        hostile(built, "hostile", "forged")


def test_memory_without_end_is_an_error_of_the_call(built: Probe) -> None:
    assert hostile(built, "hostile", "allocate", memory_bytes=400 * MIB)["error"]["classes"] == ["std::bad_alloc"]


def test_files_without_end_end_the_worker(built: Probe) -> None:
    with pytest.raises(Silent, match=r"153|disk|wrote more"):
        hostile(built, "hostile", "files", disk_bytes=30 * MIB)


def test_bytes_that_are_no_request_end_the_worker(built: Probe) -> None:
    with built.worker() as talk:
        talk.held += b"\x03\0\0\0\0\0\0\0zzz"
        with pytest.raises(Silent, match="exit status 3"):
            ask(talk, "number", 1.0)

"""Packages in C are asked by a worker that is compiled against their header, behind the barrier."""

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
from statsclaw.sandbox.room import remove_tree
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.talking import Conversation, Silent
from tests.languages.compiled import Judged, Probe, answer, criteria_of, hostile, probe, refused, value, verdicts
from tests.languages.packages import Fault, Package, ask, faults

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def toolchain() -> None:
    for program in ("cc", "c++", "make", "bwrap"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


# --- a package as it would be written --------------------------------------------------------------------------------

FAULTS = faults("c")
OLD = "  *fit = NULL;\n  if (n != rows) return NWOLS_LENGTHS;"
EXITS = ("src/nwols.c", OLD, "  exit(0);\n" + OLD)


BEYOND = (
    "src/nwols.c",
    "  size_t divisor = rows - cols;",
    "  fit->influence[rows * cols] = 1.0;\n  squares += 0.0 * fit->influence[rows * cols + 1];\n"
    "  size_t divisor = rows - cols;",
)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    edits = {"honest": (), "exits": (EXITS,), **{fault.name: (fault.edit,) for fault in FAULTS}}
    return verdicts("c", tmp_path_factory.mktemp("packages"), edits)


def test_the_honest_package_passes_every_command_and_meets_every_criterion(judged: Judged) -> None:
    evidence = judged["honest"]
    assert {name: row.summary for name, row in evidence.items() if not row.passed} == {}
    assert {"build", "worker-build", "warnings", "sanitizers", "unit-tests", "ask", "validation", "memory"} <= {
        *evidence
    }
    assert len(evidence["validation"].tests) == 23
    assert evidence["memory"].summary == "22 of 22 calls: memory is used as it may be"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fails_its_criteria_and_no_others(fault: Fault, judged: Judged) -> None:
    assert judged[fault.name]["worker-build"].passed
    assert criteria_of(judged[fault.name]) == {*fault.criteria}
    assert judged[fault.name]["memory"].passed


def test_a_package_that_ends_the_process_meets_nothing_it_is_asked(judged: Judged) -> None:
    rows = judged["exits"]["validation"].tests
    failed = {row.name.partition("[")[2].rstrip("]") for row in rows if row.outcome != "passed"}
    assert failed == {"C1", "C2", "C3", "C4", "C5", "C6", "C11", "C12", "C13", "C14", "C15", "C16", "C23"}


def test_memory_beyond_an_array_is_found_by_unit_tests_and_by_the_questions_and_named(tmp_path: Path) -> None:
    package = Package("c", tmp_path, edits=(BEYOND,))
    evidence = package.verified("build", "checks", "unit_tests", "validation")
    assert {name for name, row in evidence.items() if not row.passed} == {"sanitizers", "memory"}
    assert "heap-buffer-overflow src/nwols.c:93 in solve" in evidence["sanitizers"].summary
    found = "heap-buffer-overflow, WRITE of size 8, in solve (src/nwols.c:93), asked for nwols_estimate"
    assert evidence["memory"].summary == found
    assert (evidence["memory"].phase, evidence["memory"].fault_of) == ("checks", "builder")
    remove_tree(package.bench.place("adapter") / "careful")
    last = [*package.validation.judged("after", "0" * 64)][-1]
    assert (last.name, last.passed) == ("memory", True) and last.summary.startswith("not looked at")


def test_flags_that_reach_no_compiler_leave_nothing_looked_at(tmp_path: Path) -> None:
    edits = [("Makefile", f"$(CFLAGS) {rest}", f"-O2 {rest}") for rest in ("-c -o $@ $<", "-o $@ $< libnwols.a")]
    evidence = Package("c", tmp_path, edits=tuple(edits)).verified("build", "checks", "validation")
    assert not evidence["sanitizers"].passed
    assert "reach no compiler" in evidence["sanitizers"].summary
    assert evidence["memory"].summary.startswith("not looked at")


def test_a_package_without_a_library_is_the_builders_to_mend(tmp_path: Path) -> None:
    edit = ("Makefile", "all: libnwols.a\n", "all: src/nwols.o\n")
    evidence = Package("c", tmp_path, edits=(edit,)).verified("build")
    assert evidence["worker"].summary == "make has built no static library libnwols.a"


def test_an_array_without_its_length_does_not_compile_and_says_why(tmp_path: Path) -> None:
    edits = [
        (
            "include/nwols.h",
            "const double *x, size_t n, const double *y, size_t m,",
            "const double *x, const double *y,",
        )
    ]
    edits += [
        ("src/nwols.c", "const double *x, size_t n, const double *y, size_t m,", "const double *x, const double *y,")
    ]
    edits += [("src/nwols.c", "  if (n != m) return NWOLS_LENGTHS;\n", "  size_t n = 2;\n")]
    package = Package("c", tmp_path, edits=tuple(edits))
    evidence = package.verified("build")
    assert evidence["build"].passed and not evidence["worker-build"].passed
    said = package.bench.store.get(evidence["worker-build"].output_sha256).decode()
    assert "a pointer to numbers is an argument, and no length of the type size_t follows it" in said


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Probe:
    files = {"Makefile": "Makefile", "include/probe.h": "probe.h", "src/probe.c": "probe.c"}
    return probe("c", tmp_path_factory.mktemp("probe"), files)


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
        ("truth", True), ("whole", -(2**62)), ("small", 255), ("number", 1.5), ("number", -0.0), ("number", math.inf),
        ("narrow", 0.5), ("text", "ä€𝒳"), ("text", None), ("integer", -7),
    ],
    ids=repr,
)  # fmt: skip
def test_single_values_come_back(talk: Conversation, function: str, given: Any) -> None:
    found = value(talk, f"probe_{function}", given)
    assert type(found) is type(given) and repr(found) == repr(given)


def test_arrays_are_given_with_their_sizes_and_handed_over_in_their_shapes(talk: Conversation) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(value(talk, "probe_turned", x), x.T)
    assert np.array_equal(value(talk, "probe_turned", x.tolist()), x.T)
    assert value(talk, "probe_turned", np.empty((0, 3))).shape == (3, 0)
    found = value(talk, "probe_echo", [math.nan, -0.0, 1])
    assert found.dtype == float and found.tobytes() == np.array([math.nan, -0.0, 1.0]).tobytes()
    assert value(talk, "probe_echo", []).shape == (0,)
    assert value(talk, "probe_total", (1, 2.5)) == 3.5
    assert value(talk, "probe_total", None) == -1.0
    assert value(talk, "probe_wholes", [1.0, 2]) == 3
    assert value(talk, "probe_described", [2.0, 3.0]) == "2 numbers from 2"


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        ("whole", 1.5, "argument x: a whole number is wanted, not 1.5"), ("small", 256, "within the range"),
        ("small", -1, ">= 0"), ("number", True, "not true"), ("number", "1", "not a text"), ("truth", 1, "truth value"),
        ("text", 1, "a text is wanted"), ("total", 1.0, "a vector is wanted"), ("total", np.eye(2), "not a matrix"),
        ("turned", [1.0], "a matrix is wanted"), ("turned", [[1.0], [1.0, 2.0]], "a matrix is wanted"),
        ("wholes", [1.5], "a whole number is wanted"), ("read", 1.0, "an object of the type probe_counter"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_such_argument_is_refused(talk: Conversation, function: str, given: Any, said: str) -> None:
    classes, message = refused(talk, f"probe_{function}", given)
    assert classes == ["ArgumentError"] and said in message and message.startswith("argument ")


def test_names_are_put_in_order_and_defaults_of_the_interface_put_in(talk: Conversation) -> None:
    assert value(talk, "probe_integer") == 12
    found = value(talk, "probe_two", named={"y": [1.0], "x": 2}, fields=["twice", "more"])
    assert found.value["fields"]["twice"] == 4.0 and found.value["fields"]["more"].tolist() == [3.0]
    assert "argument y: it is missing" in refused(talk, "probe_two", 1)[1]
    assert "no argument z" in refused(talk, "probe_two", 1, named={"z": 1})[1]


# --- structs and objects ---------------------------------------------------------------------------------------------

FIELDS = ["value", "count", "good", "name", "fixed", "free_length", "square", {"name": "inner", "fields": ["sigma"]}]


def test_members_of_a_struct_are_fields(talk: Conversation) -> None:
    found = value(talk, "probe_fill", 2.5, 2, fields=[*FIELDS, "absent"])
    fields = found.value["fields"]
    assert [fields[name] for name in ("value", "count", "good", "name")] == [2.5, 2, True, "result 2"]
    assert fields["fixed"].tolist() == [0.0, 1.0, 2.0]  # as many as declared
    assert fields["free_length"].tolist() == [2.5, 2.5]
    assert fields["square"].tolist() == [[0.0, 1.0], [0.0, 0.0]]
    assert fields["inner"].value["fields"] == {"sigma": 5.0}
    assert found.value["missing"] == ["absent"]


def test_objects_have_methods_and_are_freed(talk: Conversation) -> None:
    found = value(talk, "probe_counter", 2, named={"step": 3}, fields=["value", "table"], id=1)
    assert found.value["fields"]["value"] == 2.0
    assert np.array_equal(found.value["fields"]["table"], [[0, 1, 2], [3, 4, 5]])
    assert value(talk, "add", 2, on=answer(1), id=2) == 8.0
    assert value(talk, "add", named={"times": 1}, on=answer(1), id=3) == 11.0
    assert value(talk, "grown", [1.0, 2.0], on=answer(1), id=4).tolist() == [12.0, 13.0]
    assert value(talk, "probe_read", answer(1), id=5) == 11.0
    assert value(talk, "probe_read", None, id=6) == -1.0
    assert np.array_equal(value(talk, "probe_turned", answer(1, "table"), id=7), [[0, 3], [1, 4], [2, 5]])
    assert "argument times: a whole number" in refused(talk, "add", 1.5, on=answer(1), id=8)[1]
    assert "no more than 1" in refused(talk, "add", 1, 2, on=answer(1), id=9)[1]
    assert refused(talk, "probe_alive", id=10)[0] == ["PROBE_BAD"]
    talk.send_later({"do": "forget"})
    assert value(talk, "probe_alive", id=11) is None
    assert value(talk, "probe_counter", 1, id=12) == Extra("opaque", "probe_counter")


# --- errors, output --------------------------------------------------------------------------------------------------


def test_codes_are_named_as_in_the_interface(talk: Conversation) -> None:
    assert value(talk, "probe_fail", 0) is None
    assert refused(talk, "probe_fail", 3) == (["PROBE_BAD"], "it is bad")
    assert refused(talk, "probe_fail", 5) == (["code 5"], "it is something else")
    assert refused(talk, "probe_fail_by_enum", True)[0] == ["PROBE_WORSE"]
    assert refused(talk, "probe_counter", 1, -1) == (["PROBE_BAD"], "it is bad")


def test_outputs_that_are_not_written_or_written_too_far(talk: Conversation) -> None:
    assert np.isnan(value(talk, "probe_silent")).tolist() == [True, True]
    assert refused(talk, "probe_overrun")[0] == ["OverrunError"]


def test_arguments_that_are_changed_are_told_and_made_anew(talk: Conversation) -> None:
    assert ask(talk, "probe_scale", [1.0, 2.0], 2)["changed"] == ["x"]
    assert ask(talk, "probe_scale", [1.0, 2.0], 1)["changed"] == []


def test_all_that_is_printed_is_told_once(talk: Conversation) -> None:
    assert ask(talk, "probe_loud")["printed"] == "printed warned"
    assert ask(talk, "probe_number", 1.0)["printed"] == ""


def test_a_thousand_calls_take_no_second(talk: Conversation) -> None:
    begun = time.monotonic()
    for number in range(1000):
        ask(talk, "probe_number", 1.0, id=number)
    took = time.monotonic() - begun
    print(f"{took:.3f} ms for a call")
    assert took < 10


@pytest.mark.parametrize(
    ("how", "said"),
    [("fault", "139"), ("abort", "134"), ("exit", "ended"), ("garbage", "no answer"), ("sleep", "longer")],
)
def test_a_worker_that_dies_or_talks_nonsense_gives_no_answer(built: Probe, how: str, said: str) -> None:
    with pytest.raises(Silent, match=said):
        hostile(built, "probe_hostile", how, limit_s=1.0 if how == "sleep" else 30.0)


def test_memory_without_end_is_an_error_of_the_call(built: Probe) -> None:
    found = hostile(built, "probe_hostile", "allocate", memory_bytes=400 * MIB)
    assert found["error"]["classes"] == ["PROBE_BAD"]

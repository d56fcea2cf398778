"""Go packages are asked by a worker that is compiled with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.languages import Unfit, spoken
from statsclaw.languages.go import _text
from statsclaw.profiles.profile import PathClass
from statsclaw.sandbox.limits import MIB, Limits
from statsclaw.verify.blind.answering import read_answer
from statsclaw.verify.blind.expressions import plain
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.talking import Conversation, Silent

from .packages import HERE, Fault, Package, ask, faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed (apt install golang-go)"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

INTERFACE = """
```yaml interface
package: probe
functions:
  - {name: Total, arguments: [{name: x}, {name: power, default: "1.0"}], returns: {type: number}}
  - name: Limits
    arguments: [{name: x}]
    returns: {type: object, fields: [{name: low, type: number}, {name: high, type: number}]}
    raises: [{when: it is empty, error: ErrEmpty}]
  - name: Spread
    arguments: [{name: x}, {name: times}]
    returns:
      type: object
      fields:
        - {name: Flat, type: array, shape: [length(x), times]}
        - {name: K, type: integer}
        - {name: Inner, type: object, fields: [{name: Deep, type: array}]}
  - name: Absent
    returns: {type: list, fields: [{name: first, type: array}, {name: second, type: array, optional: true}]}
  - {name: Table, returns: {type: table, fields: [{name: Name, type: text}, {name: Value, type: number}]}}
  - name: NewCounter
    arguments: [{name: n}]
    returns:
      type: object
      class_name: Counter
      fields: [{name: N, type: integer}]
      methods: [{name: Add, arguments: [{name: more}], returns: {type: integer}}]
```
"""


class Probe(Package):
    """One more package, with a function for everything that a worker must be able to do."""

    def lay_out(self, folder: Path, classes: frozenset[PathClass]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if PathClass.SOURCE in classes:
            shutil.copytree(HERE / "go" / "probe", folder, dirs_exist_ok=True)
            if shutil.which("gcc") is None:
                (folder / "probe" / "native.go").unlink()


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Package:
    made = Probe("go", tmp_path_factory.mktemp("probe"), documents={"interface.md": INTERFACE})
    evidence = made.verified("build")
    assert all(row.passed for row in evidence.values()), {name: row.said for name, row in evidence.items()}
    return made


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package("go", tmp_path_factory.mktemp("honest"))


@pytest.fixture
def talk(probe: Package) -> Iterator[Conversation]:
    with probe.worker() as found:
        yield found


def value(reply: dict[str, Any]) -> Any:
    assert "error" not in reply, reply["error"]
    return reply["value"]


def refused(reply: dict[str, Any]) -> str:
    assert reply["error"]["classes"] == ["ArgumentError"], reply
    message: str = reply["error"]["message"]
    return message


def unmet(package: Package) -> set[str]:
    """Criteria that are not met."""
    rows = package.verified()["validation"].tests
    return {re.sub(r".*\[(.*)\]", r"\1", row.name) for row in rows if row.outcome != "passed"}


def earlier(call: int, *path: Any) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


def alike(a: Any, b: Any) -> bool:
    if isinstance(b, np.ndarray):
        return (
            isinstance(a, np.ndarray) and a.shape == b.shape and a.dtype.kind == b.dtype.kind and bool((a == b).all())
        )
    return type(a) is type(b) and bool(a == b)


# --- values


@pytest.mark.parametrize(
    ("function", "given", "wanted"),
    [
        ("Real", 1.5, 1.5),
        ("Real", 2, 2.0),
        ("Half", 3.0, 1.5),
        ("Whole", 3, 3),
        ("Whole", 3.0, 3),
        ("Natural", 2**62, 2**62),
        ("Truth", True, True),
        ("Text", "é\n", "é\n"),
        ("Complex", 1 + 2j, 1 + 2j),
        ("Vector", [1.0, 2.0], np.array([1.0, 2.0])),
        ("Vector", np.array([1, 2]), np.array([1.0, 2.0])),
        ("Vector", [], np.empty(0)),
        ("Vector", 4.0, np.array([4.0])),
        ("Vector", np.arange(6.0).reshape(2, 3), np.arange(6.0)),
        ("Vector", (1.0, 2), np.array([1.0, 2.0])),
        ("Counts", [1, 2], np.array([1, 2])),
        ("Counts", np.array([1.0, 2.0]), np.array([1, 2])),
        ("Bytes", b"\x01\xff", np.array([1, 255])),
        ("Truths", np.array([True, False]), np.array([True, False])),
        ("Names", ["a", "b"], ["a", "b"]),
        ("Names", np.array(["a", "b"]), ["a", "b"]),
        ("Waves", np.array([1j, 2.0]), np.array([1j, 2.0])),
        ("Matrix", np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)),
        ("Matrix", np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)),
        ("Matrix", [[1.0, 2.0], [3.0, 4.0]], np.array([[1.0, 2.0], [3.0, 4.0]])),
        ("Matrix", np.empty((0, 2)), np.empty((0, 0))),
        ("Cube", np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(2, 3, 4)),
        ("Pair", [1.0, 2.0], np.array([1.0, 2.0])),
        ("Maybe", None, None),
        ("Maybe", 2.5, 2.5),
        ("Map", {"b": 1.0, "a": 2.0}, {"a": 2.0, "b": 1.0}),
        ("ByNumber", Extra("pairs", [[2, "b"], [1, "a"]]), [[1, "a"], [2, "b"]]),
        ("Any", 2.5, 2.5),
        ("Any", None, None),
        ("Any", [1.0, 2.0], np.array([1.0, 2.0])),
        ("Any", {"a": 1}, {"a": 1}),
        ("Dense", np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)),
        ("Vec", np.arange(3.0), np.arange(3.0)),
        ("OfGrid", np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)),
        ("Opposite", "Gaussian", 1),
        ("Opposite", 1, 0),
    ],
)  # fmt: skip
def test_value_goes_there_and_back(shared: Conversation, function: str, given: Any, wanted: Any) -> None:
    found = plain(value(ask(shared, function, given)))
    found = found.value if isinstance(found, Extra) and found.kind == "pairs" else found
    assert alike(found, wanted), found


@pytest.fixture(scope="module")
def shared(probe: Package) -> Iterator[Conversation]:
    with probe.worker() as found:
        yield found


def test_nan_and_infinities_are_themselves(shared: Conversation) -> None:
    found = value(ask(shared, "Vector", [float("nan"), float("inf"), -0.0]))
    assert np.isnan(found[0]) and found[1] == np.inf and np.signbit(found[2])


def test_table_is_columns(shared: Conversation) -> None:
    table = Extra("table", {"columns": {"a": np.array([1.0, 2.0])}, "index": None})
    assert alike(value(ask(shared, "Columns", table))["a"], np.array([1.0, 2.0]))
    found = value(ask(shared, "Table"))
    assert found.kind == "table" and found.value["columns"]["Name"] == ["a", "b"]
    assert alike(found.value["columns"]["Value"], np.array([1.0, 2.5]))


def test_record_is_names_and_values(shared: Conversation) -> None:
    found = value(ask(shared, "OfOptions", {"Level": 0.9, "Kernel": "Flat", "Names": ["a"]}, fields=["*"]))
    assert found.value["fields"] == {"Level": 0.9, "Kernel": 1, "Names": ["a"]}
    assert found.value["classes"] == ["Options"]
    assert "no field Width" in refused(ask(shared, "OfOptions", {"Width": 1}))
    assert "no field hidden" in refused(ask(shared, "OfOptions", {"hidden": 1}))


def test_type_is_called_for_a_literal(shared: Conversation) -> None:
    assert value(ask(shared, "Options", named={"Level": 0.5}, fields=["Level"])).value["fields"] == {"Level": 0.5}


def test_what_cannot_be_handed_over(shared: Conversation) -> None:
    assert value(ask(shared, "Channel")) == Extra("opaque", "chan int")
    assert value(ask(shared, "Function")) == Extra("method", "func(float64) float64")
    assert value(ask(shared, "Nothing")) is None
    assert [alike(*pair) for pair in zip(value(ask(shared, "Ragged")), [np.ones(1), np.array([2.0, 3])], strict=True)]
    assert value(ask(shared, "Natural", Extra("integer", hex(2**63)))) == Extra("integer", hex(2**63))


def test_nil_slice_is_empty_unless_it_may_be_nothing(shared: Conversation) -> None:
    found = value(ask(shared, "Absent"))
    assert alike(found["first"], np.empty(0)) and found["second"] is None


@pytest.mark.parametrize(
    ("function", "given", "words"),
    [
        ("Whole", 1.5, "a int was wanted, and the number 1.5 was given"),
        ("Small", 128, "a int8 was wanted"),
        ("Natural", -1, "a uint64 was wanted"),
        ("Real", "1.5", 'a float64 was wanted, and "1.5" was given'),
        ("Real", True, "a truth value"),
        ("Real", None, "nothing"),
        ("Real", np.ones(2), "an array of shape [2]"),
        ("Truth", 1, "a bool was wanted"),
        ("Text", 1.0, "a string was wanted"),
        ("Text", Extra("factor", {"levels": ["a"], "codes": [1]}), "a list of 1"),
        ("Vector", ["a"], "in its element 0 a float64 was wanted"),
        ("Counts", [1.5], "in its element 0"),
        ("Matrix", [[1.0], ["a"]], "in its element 1"),
        ("Pair", [1.0], "a [2]float64 was wanted"),
        ("Names", ["a", None], "in its element 1"),
        ("Map", {"a": "b"}, "in a a float64 was wanted"),
        ("Dense", [[1.0], [2.0, 3.0]], "a *dense.Dense was wanted"),
        ("Dense", [1.0], "a *dense.Dense was wanted"),
        ("Apply", "Nowhere", "a func(float64) float64 was wanted"),
        ("Draws", 5, "a *rand.Rand was wanted"),
        ("Opposite", "Nowhere", "a probe.Kernel was wanted"),
    ],
)  # fmt: skip
def test_argument_that_cannot_be_made(shared: Conversation, function: str, given: Any, words: str) -> None:
    assert words in refused(ask(shared, function, given, *([2] if function in ("Apply", "Draws") else [])))


def test_types_of_free_arguments(shared: Conversation) -> None:
    given = [(1, "int"), (1.5, "float64"), ("a", "string"), ([1.0], "[]float64"), ([[1.0]], "[][]float64")]
    given += [(["a"], "[]string"), ({"a": 1.0}, "map[string]interface {}")]
    assert [value(ask(shared, "Kind", part)) for part, _ in given] == [kind for _, kind in given]


# --- calls


def test_named_arguments_are_put_in_order(shared: Conversation) -> None:
    found = value(ask(shared, "Spread", named={"times": 2, "x": [1.0, 2.0]}, fields=["Flat", "K"]))
    assert alike(found.value["fields"]["Flat"], np.array([[0.0, 1.0], [0.0, 2.0]])) and found.value["fields"]["K"] == 2
    assert refused(ask(shared, "Spread", [1.0], named={"x": [2.0]})) == "argument x was given twice"
    assert refused(ask(shared, "Spread", [1.0], named={"other": 2})) == "there is no argument other"
    assert refused(ask(shared, "Spread", [1.0])) == "argument times is missing: Go has no defaults"
    assert refused(ask(shared, "Spread", [1.0], 2, 3)) == "3 arguments were given, and 2 are taken"


def test_what_is_variadic_may_be_left_out(shared: Conversation) -> None:
    assert value(ask(shared, "Total", [2.0, 3.0])) == 5.0
    assert value(ask(shared, "Total", [2.0, 3.0], named={"power": 1.0})) == 13.0
    assert value(ask(shared, "Total", [2.0, 3.0], [1.0, 1.0])) == 97.0


def test_names_of_the_source_where_the_interface_says_nothing(shared: Conversation) -> None:
    assert value(ask(shared, "Apply", named={"x": 3.0, "f": "Square"})) == 9.0


def test_several_results_have_the_names_of_the_interface(shared: Conversation) -> None:
    found = value(ask(shared, "Limits", [1.0, 2.0, 4.0], fields=["low", "high"], id=2))
    assert found.value["fields"] == {"low": 1.0, "high": 4.0} and found.value["missing"] == []
    assert value(ask(shared, "Real", earlier(2, "high"))) == 4.0


def test_fields_and_what_is_missing(shared: Conversation) -> None:
    fields = ["Flat", {"name": "Inner", "fields": ["Deep"]}, "Absent", "hidden", "Nowhere"]
    found = value(ask(shared, "Spread", [1.0, 2.0], 3, fields=fields)).value
    assert found["classes"] == ["Part"] and found["missing"] == ["hidden", "Nowhere"]
    assert found["fields"]["Flat"].shape == (2, 3) and found["fields"]["Absent"] is None
    assert alike(found["fields"]["Inner"].value["fields"]["Deep"], np.zeros(1))
    everything = value(ask(shared, "Spread", [1.0], 1, fields=["*"])).value["fields"]
    assert list(everything) == ["Flat", "K", "Text", "Inner", "Absent", "Rows"]


def test_answers_are_asked_and_passed_on(shared: Conversation) -> None:
    value(ask(shared, "NewCounter", 5, fields=["N"], id=11))
    assert value(ask(shared, "Add", 2, on=earlier(11), id=12)) == 7
    assert value(ask(shared, "Add", on=earlier(11), named={"more": 1}, id=12)) == 8
    assert value(ask(shared, "Read", earlier(11), id=12)) == 8
    assert value(ask(shared, "Whole", earlier(11, "N"), id=12)) == 8
    assert value(ask(shared, "Scale", 3.0, on=earlier(11), id=12)) == 9.0
    assert value(ask(shared, "", earlier(11), what="text", id=12)) == "counted 8"
    changing = ask(shared, "Raise", earlier(11), id=12)
    assert changing["changed"] == ["0"] and value(ask(shared, "Read", earlier(11), id=12)) == 9
    assert "opaque" not in refused(ask(shared, "Vector", earlier(11), id=12))
    assert ask(shared, "Nowhere", on=earlier(11), id=12)["error"]["classes"] == ["undefined"]
    shared.send_later({"do": "forget"})
    assert "not there" in refused(ask(shared, "Read", earlier(11), id=12))


def test_functions_are_passed_by_name_and_as_answers(shared: Conversation) -> None:
    assert value(ask(shared, "Apply", "Square", 3.0)) == 9.0
    value(ask(shared, "Function", id=5))
    assert value(ask(shared, "Apply", earlier(5), 4.0, id=6)) == 16.0


def test_exports_and_signature(shared: Conversation) -> None:
    found = value(ask(shared, "", what="exports"))
    assert found == sorted(found) and {"Real", "Options", "ErrEmpty", "Gaussian", "First", "Box"} <= set(found)
    assert "hidden" not in found and "Add" not in found
    rows = value(ask(shared, "Total", what="signature"))
    assert rows == [{"default": None, "keyword_only": False, "name": name} for name in ("x", "power")]
    assert ask(shared, "First", [1.0])["error"]["classes"] == ["undefined"]


@pytest.mark.parametrize(
    ("how", "classes", "message"),
    [
        ("sentinel", ["ErrEmpty", "ErrInput", "*fmt.wrapError"], "the input is bad: it is empty"),
        ("wrapped", ["ErrEmpty", "ErrInput"], "probe: the input is bad: it is empty"),
        ("pointer", ["LengthError", "*fmt.wrapError", "*probe.LengthError", "error"], "probe: the length is 3"),
        ("value", ["SignError", "probe.SignError", "error"], "-1 is negative"),
        ("other", ["*errors.errorString", "error"], "something else"),
        ("panic", ["panic"], "it cannot go on"),
        ("index", ["panic"], "runtime error: index out of range [5] with length 0"),
    ],
)  # fmt: skip
def test_errors_have_the_classes_that_users_test_for(
    shared: Conversation, how: str, classes: list[str], message: str
) -> None:
    found = ask(shared, "Fail", how)
    assert found["error"]["classes"][: len(classes)] == classes and found["error"]["message"] == message
    assert "value" not in found and "peak" not in found


def test_no_error_is_nothing(shared: Conversation) -> None:
    assert value(ask(shared, "Fail", "")) is None


def test_what_is_printed(shared: Conversation) -> None:
    assert ask(shared, "Say", "said")["printed"] == "said!raw"
    assert ask(shared, "Real", 1.0)["printed"] == ""
    assert len(ask(shared, "Say", "é" * 9000)["printed"]) == 4000


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_what_native_code_prints(shared: Conversation) -> None:
    assert ask(shared, "SayNatively")["printed"] == "from C"


def test_changed_arguments_and_nobody_elses(shared: Conversation) -> None:
    x = np.array([1.0, 2.0])
    found = ask(shared, "Overwrite", x, named={"y": x})
    assert found["changed"] == ["0"] and found["value"] == 1.0


def test_generators_go_on_by_their_names(shared: Conversation) -> None:
    def draws(name: str | None) -> Any:
        return value(ask(shared, "Draws", Extra("generator", {"seed": 5, "name": name}), 2)).tolist()

    assert draws(None) == draws(None) == draws("g") != draws("g")
    assert value(ask(shared, "FromSource", Extra("generator", {"seed": 5, "name": None}))) > 0
    assert value(ask(shared, "Global", seed=3)) == value(ask(shared, "Global", seed=3))
    assert value(ask(shared, "Global", seed=3)) != value(ask(shared, "Global", seed=4))


def directly(probe: Package, folder: Path, *requests: dict[str, Any]) -> list[Any]:
    """What the worker answers without a barrier around it: the kernel lets it count its memory anew."""
    (folder / "in").write_bytes(b"".join(bytes(wire.framed(row)) for row in requests))
    (folder / "out").touch()
    argv = [str(probe.bench.place("adapter") / "worker"), "in", "out", "-", "probe"]
    assert subprocess.run(argv, cwd=folder, timeout=60).returncode == 0
    with (folder / "out").open("rb") as stream:
        return list(iter(lambda: wire.receive(stream), None))


def test_memory_is_measured_anew(probe: Package, tmp_path: Path) -> None:
    sizes = (200, 50, 100, 100, 50)
    requests = [{"do": "call", "id": 1, "function": "Use", "arguments": [size]} for size in sizes]
    peaks = [row["peak"] / MIB for row in directly(probe, tmp_path, *requests)]
    assert peaks == [pytest.approx(size, abs=20) for size in sizes]
    request = {"do": "call", "id": 1, "function": "Use", "arguments": [20], "measured": False}
    assert "peak" not in directly(probe, tmp_path, request)[0]


def test_a_thousand_calls(shared: Conversation) -> None:
    begun = time.monotonic()
    for _ in range(1000):
        ask(shared, "Real", 1.0)
    print(f"one call: {(time.monotonic() - begun):.3f} ms")
    assert time.monotonic() - begun < 20


# --- a package that does what no package should do


@pytest.mark.parametrize("how", ["Exit", "Crash"])
def test_process_that_ends(talk: Conversation, how: str) -> None:
    with pytest.raises(Silent, match="its process ended"):
        ask(talk, how)


def test_frame_that_is_malformed_ends_the_worker(talk: Conversation) -> None:
    os.write(talk.to, b"\x05" + b"\0" * 7 + b"zzzzz")
    with pytest.raises(Silent, match="its process ended"):
        talk.receive(20.0)


def test_memory_without_end(probe: Package) -> None:
    limited = Probe("go", probe.folder, documents=probe.documents)
    object.__setattr__(limited, "bench", replace(probe.bench, limits=Limits(memory_bytes=700 * MIB)))
    with limited.worker() as talk:
        assert value(ask(talk, "Real", 1.0)) == 1.0
        with pytest.raises(Silent):
            ask(talk, "Hoard")


def test_sleep_without_end(talk: Conversation) -> None:
    request = {"do": "call", "id": 1, "function": "Sleep", "arguments": [], "named": {}}
    with pytest.raises(Silent, match="longer than 1 s"):
        talk.ask(request, 1.0)
    talk.end()
    talk.finish = lambda: None  # type: ignore[method-assign, assignment]


def test_what_is_written_into_the_pipe_is_no_answer(talk: Conversation) -> None:
    forged = {"id": 1, "value": 1.0, "changed": [], "warnings": [], "printed": "", "seconds": 0.0}
    reply = ask(talk, "Forge", np.frombuffer(wire.framed(forged), dtype=np.uint8))
    with pytest.raises(Silent, match="no answer"):
        read_answer(reply, 1)


def test_garbage_in_the_pipe_is_no_answer(talk: Conversation) -> None:
    with pytest.raises(Silent, match="no answer"):
        read_answer(ask(talk, "Forge", np.full(64, 255)), 1)


def test_files_are_written_nowhere_that_counts(talk: Conversation) -> None:
    assert set(value(ask(talk, "Litter"))) <= {"/tmp"}


# --- a package that is whole, and the same with a fault


def test_honest_package_meets_every_criterion(honest: Package) -> None:
    evidence = honest.verified("build", "checks", "unit_tests", "validation")
    assert {name: row.said for name, row in evidence.items() if not row.passed} == {}
    assert {"build", "worker", "vet", "format", "unit-tests", "ask", "validation"} == set(evidence)
    assert honest.failed(evidence) == {}


@pytest.mark.parametrize("fault", faults("go"), ids=lambda fault: fault.name)
def test_fault_fails_its_criteria(tmp_path: Path, fault: Fault) -> None:
    package = Package("go", tmp_path, edits=(fault.edit,))
    assert unmet(package) == set(fault.criteria)


def test_hostile_package_gets_no_verdict(tmp_path: Path) -> None:
    write = "for i := 3; i < 9; i++ {\n\t\t\tsyscall.Write(i, make([]byte, 99))\n\t\t}"
    hostile = f"if len(y) == 30 {{\n\t\t{write}\n\t\tos.Exit(0)\n\t}}\n\tif reach < 0 {{"
    edits = (("kernreg.go", "if reach < 0 {", hostile), ("kernreg.go", '\t"math"\n', '\t"math"\n\t"os"\n\t"syscall"\n'))
    package = Package("go", tmp_path, edits=edits)
    assert unmet(package) == {"C7"}


# --- where the package is


def layout(tree: Path, **files: str) -> Path:
    for path, text in {"go.mod": "module example.org/m\n", **files}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    return tree


def test_package_is_the_root_or_the_folder_of_its_name(probe: Package, tmp_path: Path) -> None:
    interface = probe.contract.interface
    assert interface is not None
    language = spoken("go")

    def folder(name: str, **files: str) -> str:
        return language.adapter(interface, layout(tmp_path / name, **files)).build[0].argv[-1]

    assert folder("root", **{"a.go": "// words\n\npackage probe // is it\n", "probe/b.go": "package probe\n"}) == "."
    assert folder("below", **{"a.go": "package other\n", "lib/probe/b.go": "package probe\n"}) == "lib/probe"
    assert folder("named", **{"x/b.go": "package probe\n", "probe/b.go": "package probe\n"}) == "probe"
    for name, files, words in [
        ("none", {"a.go": "package other\n", "vendor/probe/b.go": "package probe\n"}, "no folder of the module"),
        ("tests", {"probe/b_test.go": "package probe\n"}, "no folder of the module"),
        ("two", {"x/b.go": "package probe\n", "y/b.go": "package probe\n"}, "several folders"),
    ]:
        with pytest.raises(Unfit, match=words):
            folder(name, **files)
    (tmp_path / "bare").mkdir()
    with pytest.raises(Unfit, match=r"no go\.mod"):
        language.adapter(interface, tmp_path / "bare")


def test_names_of_the_interface_cannot_leave_their_literals() -> None:
    assert _text('"\\\n\ufeff\U0001f600') == r'"\U00000022\U0000005c\U0000000a\U0000feff\U0001f600"'


def test_missing_function_is_an_error_of_the_call(shared: Conversation) -> None:
    assert ask(shared, "Nowhere")["error"] == {
        "classes": ["undefined"],
        "message": "the package has no function Nowhere",
    }

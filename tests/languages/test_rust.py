"""A package in Rust is built, asked and judged as strictly as one in Python."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.languages.language import Unfit
from statsclaw.languages.rust import LANGUAGE
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.interface import Interface
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.rooms import lay_out_scripts
from statsclaw.verify.blind.talking import Conversation, Silent
from tests.languages.packages import HERE, Fault, Package, ask, faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (Path("~/.cargo/bin/cargo").expanduser().exists() or shutil.which("cargo")) or not shutil.which("bwrap"),
        reason="needs cargo (https://rustup.rs) and bubblewrap",
    ),
]

CLASSES = """
classes:
  - name: Tally
    arguments: [{name: size}]
    fields: [{name: counts, type: array, shape: [size]}]
    methods: [{name: add, arguments: [{name: at}], returns: {type: integer}}]
"""[1:]

#: Reached at once.
LIMITS = Limits(memory_bytes=400 * 1024**2)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """With a function for each kind of value."""
    end = "pub use moving::moving_mean;\n"
    source = (HERE / "rust" / "kinds.rs").read_text(encoding="utf-8")
    rows = (HERE / "rust" / "kinds.yaml").read_text(encoding="utf-8")
    interface = (HERE / "rust" / "out" / "interface.md").read_text(encoding="utf-8")
    interface = interface.replace("functions:\n", f"{CLASSES}functions:\n{rows}", 1)
    documents = {"interface.md": interface}
    package = Package(
        "rust", tmp_path_factory.mktemp("kinds"), (("src/lib.rs", end, f"{end}\n{source}"),), documents=documents
    )
    built = package.verified("build")
    assert all(row.passed for row in built.values()), [row.said for row in built.values()]
    return package


@pytest.fixture(scope="module")
def talk(kinds: Package) -> Iterator[Conversation]:
    with kinds.worker() as talk:
        yield talk


def value(talk: Conversation, function: str, *arguments: Any, **more: Any) -> Any:
    reply = ask(talk, function, *arguments, **more)
    assert "error" not in reply, reply["error"]
    return reply["value"]


def error(talk: Conversation, function: str, *arguments: Any, **more: Any) -> tuple[str, str]:
    reply = ask(talk, function, *arguments, **more)
    assert "value" not in reply, reply["value"]
    return reply["error"]["classes"][0], reply["error"]["message"]


def answer(call: int, *path: Any) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("number", 0.1), ("number", -0.0), ("number", float("inf")), ("single", 0.5), ("whole", -(2**63)), ("count", 7),
        ("byte", 255), ("large", 2**53), ("truth", True), ("truth", False), ("word", "naïve 统计 \0 end"), ("word", ""),
        ("letter", "ß"), ("words", ["a", "", "ä"]), ("words", []), ("optional", None), ("optional", 2.0),
        ("labels", {"a": 1.0, "b": 2.0}), ("maybe_word", None), ("lent_word", "x"),
    ],
)  # fmt: skip
def test_plain_values_come_back_as_they_went(talk: Conversation, function: str, given: Any) -> None:
    found = value(talk, function, given)
    assert found == given and type(found) is type(given)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        ("numbers", np.array([1.0, np.nan, -np.inf])), ("numbers", np.array([])), ("wholes", np.array([1, -2], "i4")),
        ("truths", np.array([True, False])), ("rows", np.arange(6.0).reshape(2, 3)), ("rows", np.arange(3.0)[:, None]),
        ("cube", np.arange(24.0).reshape(2, 3, 4)), ("three", np.array([1.0, 2.0, 3.0])), ("lent", np.arange(3.0)),
    ],
)  # fmt: skip
def test_arrays_come_back_with_their_shape(talk: Conversation, function: str, given: Any) -> None:
    found = value(talk, function, given, *(["x"] if function == "lent" else []))
    assert found.shape == given.shape and found.dtype.kind == given.dtype.kind
    np.testing.assert_array_equal(found, given)


def test_the_dress_of_other_languages_is_taken_off(talk: Conversation) -> None:
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(value(talk, "rows", x), x)
    assert value(talk, "number", np.float64(2.5)) == 2.5
    assert value(talk, "number", Extra("named", {"value": 2.5, "names": ["a"]})) == 2.5
    np.testing.assert_array_equal(value(talk, "numbers", (1.0, 2)), [1.0, 2.0])
    np.testing.assert_array_equal(value(talk, "numbers", 3.0), [3.0])
    assert value(talk, "words", Extra("factor", {"levels": ["a", "b"], "codes": np.array([2, 1])})) == ["b", "a"]
    assert value(talk, "large", Extra("integer", hex(2**64 - 1))) == Extra("integer", hex(2**64 - 1))
    assert value(talk, "count", Extra("generator", {"seed": 5})) == 5
    pair = value(talk, "pair", (1.5, "b"))
    assert pair == Extra("tuple", [1.5, "b"])


def test_tables_are_names_and_columns(talk: Conversation) -> None:
    table = Extra("table", {"columns": {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}, "index": None})
    for function in ("columns", "listed"):
        given = table if function == "columns" else [["a", np.array([1.0, 2.0])], ["b", np.array([3.0, 4.0])]]
        found = value(talk, function, given)
        assert found.kind == "table" and list(found.value["columns"]) == ["a", "b"]
        np.testing.assert_array_equal(found.value["columns"]["b"], [3.0, 4.0])


def test_what_is_missing_is_told(talk: Conversation) -> None:
    np.testing.assert_array_equal(value(talk, "gaps", [1.0, None]), [1.0, np.nan])
    assert [part.tolist() for part in value(talk, "ragged")] == [[1.0], [1.0, 2.0]]
    assert value(talk, "nothing") is None
    assert value(talk, "opaque").kind == "opaque"
    assert value(talk, "lent_vector", [4.0, 5.0]) == 4.0
    assert value(talk, "lent_vector", []) is None


def test_flat_matrices_get_their_dimensions(talk: Conversation) -> None:
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(value(talk, "flat", x, 2, 3), x)
    np.testing.assert_array_equal(value(talk, "flat", x.ravel(), 2, 3), x)
    kind, why = error(talk, "flat", x, 3, 2)
    assert kind == "ArgumentError" and "x: " in why


def test_types_of_the_package_are_made_by_the_usual_traits(talk: Conversation) -> None:
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(value(talk, "transposed", x), x.T)
    value(talk, "transposed", x, id=2)
    np.testing.assert_array_equal(value(talk, "transposed", answer(2)), x)
    assert error(talk, "transposed", [[1.0], [1.0, 2.0]])[0] == "Shape"
    assert value(talk, "kind", "HC0").kind == "opaque"
    assert error(talk, "kind", "HC9") == ("Kind", "unknown kind of standard errors: HC9")


# --- arguments that cannot be made -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "given", "why"),
    [
        ("number", "a", "x: a number is wanted, a text is given"),
        ("number", True, "x: a number is wanted, true is given"),
        ("number", None, "x: a number is wanted, nothing is given"),
        ("number", np.array([1.0]), "x: a number is wanted, an array of 1 is given"),
        ("count", 1.5, "x: a whole number is wanted, 1.5 is given"),
        ("count", -1, "x: a whole number from 0 to 18446744073709551615 is wanted, -1 is given"),
        ("byte", 256, "x: a whole number from 0 to 255 is wanted, 256 is given"),
        ("truth", 1, "x: a truth value is wanted, 1 is given"),
        ("word", 1.0, "x: a text is wanted, 1 is given"),
        ("numbers", [1.0, "a"], "x: element 1: a number is wanted, a text is given"),
        ("rows", [1.0, 2.0], "x: element 0: a vector is wanted, 1 is given"),
        ("numbers", np.ones((2, 2)), "x: element 0: a number is wanted, an array of 2 is given"),
        ("three", [1.0], "x: 3 elements are wanted, 1 are given"),
        ("number", 1j, "x: a number is wanted, a value of the kind complex is given"),
        ("number", Extra("bits", 1), "x: a number is wanted, a value of the kind bits is given"),
        ("count", Extra("generator", {"seed": 1, "name": "g"}),
         "x: a whole number is wanted, a value of the kind generator is given"),
    ],
)  # fmt: skip
def test_an_argument_that_cannot_be_made_is_an_error(talk: Conversation, function: str, given: Any, why: str) -> None:
    assert error(talk, function, given) == ("ArgumentError", why)


def test_a_type_that_nothing_can_be_made_of_harms_only_its_own_call(talk: Conversation) -> None:
    kind, why = error(talk, "odd", 1.0, ["a"])
    assert kind == "ArgumentError" and why.startswith("name: ")


def test_arguments_are_put_in_order(talk: Conversation) -> None:
    assert value(talk, "scaled", 3.0) == 6.0
    assert value(talk, "scaled", 3.0, 5.0) == 15.0
    assert value(talk, "scaled", 3.0, named={"plus": 1.0}) == 7.0
    assert value(talk, "scaled", named={"plus": 1.0, "by": 1.0, "x": 2.0}) == 3.0
    assert error(talk, "scaled", named={"by": 1.0}) == (
        "ArgumentError",
        "x: it is left out, and its type is no Option",
    )
    assert error(talk, "scaled", 1.0, named={"x": 1.0}) == ("ArgumentError", "x is given twice")
    assert error(talk, "scaled", 1.0, named={"z": 1.0}) == ("ArgumentError", "scaled has no argument z")
    assert error(talk, "scaled", 1.0, 1.0, 1.0, 1.0)[0] == "ArgumentError"
    assert error(talk, "nobody")[0] == "NoSuchFunction"


def test_what_there_is_can_be_looked_at(talk: Conversation) -> None:
    names = value(talk, "", what="exports")
    assert {"fit", "Fit", "Counter", "number"} <= set(names) and "linear" not in names and names == sorted(names)
    rows = value(talk, "scaled", what="signature")
    assert [row["name"] for row in rows] == ["x", "by", "plus"]
    assert [row["default"] for row in rows] == [None, "2.0", "0.0"]


# --- answers of earlier calls ----------------------------------------------------------------------------------------

FIELDS = ["total", "name", {"name": "spread", "fields": ["sigma", "grid"]}, {"name": "absent", "fields": ["sigma"]}]


def test_objects_have_their_declared_fields(talk: Conversation) -> None:
    found = value(talk, "counted", 3, fields=FIELDS)
    assert found.kind == "object" and found.value["classes"] == ["Counter"]
    fields = found.value["fields"]
    assert fields["total"] == 3 and fields["name"] == "counter of 3" and fields["absent"] is None
    np.testing.assert_array_equal(fields["spread"].value["fields"]["grid"], np.arange(6.0).reshape(3, 2))
    assert value(talk, "counted", 0, fields=FIELDS) is None
    assert value(talk, "counted", 3) == Extra("opaque", "Counter")
    assert value(talk, "counted", 3, fields=["total", "other"]).value["missing"] == ["other"]
    assert list(value(talk, "counted", 3, fields=["*"]).value["fields"]) == ["total", "name", "spread", "absent"]


def test_methods_are_asked_of_answers(talk: Conversation) -> None:
    value(talk, "counted", 3, id=11, fields=FIELDS)
    assert value(talk, "add", on=answer(11), id=12) == 4
    assert value(talk, "add", 5, on=answer(11), id=12) == 9
    twice = value(talk, "doubled", on=answer(11), id=13, fields=FIELDS)
    assert twice.value["fields"]["total"] == 18
    assert value(talk, "add", on=answer(13), id=14) == 19
    assert value(talk, "merged", answer(11), answer(11)) == 18
    assert value(talk, "merged", answer(11), answer(13)) == 28
    assert value(talk, "text", answer(11), what="text") == "<9>"
    assert value(talk, "number", answer(11, "spread", "sigma")) == 0.5
    assert error(talk, "number", answer(11)) == (
        "ArgumentError",
        "x: a f64 is wanted, another answer is given",
    )
    assert error(talk, "subtract", on=answer(11))[0] == "NoSuchFunction"
    talk.send({"do": "forget"}, 5.0)
    assert error(talk, "merged", answer(11), answer(11)) == ("ArgumentError", "the earlier call has no answer")


def test_classes_have_constructors_and_methods_of_traits(talk: Conversation) -> None:
    found = value(talk, "Tally", 2, id=15, fields=["counts"])
    assert found.value["fields"]["counts"].tolist() == [0, 0]
    assert value(talk, "add", 1, on=answer(15), id=16) == 1
    assert value(talk, "add", 1, on=answer(15), id=16) == 2
    assert error(talk, "add", 2, on=answer(15), id=16)[0] == "Window"
    assert value(talk, "text", answer(15), what="text") == "Tally { counts: [0, 2] }"
    assert value(talk, "tallied", [0, 1, 1], fields=["counts"]).value["fields"]["counts"].tolist() == [1, 2, 0]
    value(talk, "counted", 3, id=17)
    assert value(talk, "title", "the", on=answer(17)) == "the counter of 3"
    assert error(talk, "title", "the", on=answer(17, "spread"))[0] == "ArgumentError"
    assert value(talk, "parts") == 3.0


def test_an_answer_of_any_kind_is_an_argument(talk: Conversation) -> None:
    value(talk, "numbers", [1.0, 2.0], id=21)
    np.testing.assert_array_equal(value(talk, "numbers", answer(21)), [1.0, 2.0])
    value(talk, "pair", (1.5, "b"), id=22)
    assert value(talk, "number", answer(22, 0)) == 1.5


def test_changed_arguments_are_named(talk: Conversation) -> None:
    x = np.array([1.0, -2.0])
    assert ask(talk, "negate", x, True)["changed"] == ["0"]
    assert ask(talk, "negate", x, False)["changed"] == []
    assert ask(talk, "negate", named={"really": True, "x": x})["changed"] == ["x"]
    value(talk, "counted", 3, id=31)
    value(talk, "counted", 4, id=32)
    assert ask(talk, "moved", answer(31), answer(32))["changed"] == ["0"]
    assert ask(talk, "merged", answer(31), answer(32))["changed"] == []
    assert value(talk, "merged", answer(31), answer(31)) == 14
    kind, why = error(talk, "moved", answer(31), answer(31))
    assert kind == "ArgumentError" and "given there twice" in why
    assert value(talk, "merged", answer(31), answer(31)) == 14


# --- errors, prints, measures ----------------------------------------------------------------------------------------


def test_errors_have_the_names_of_their_variants(talk: Conversation) -> None:
    reply = ask(talk, "fit", [1.0], [[1.0]])
    assert reply["error"] == {
        "classes": ["TooFew", "WlsError"],
        "message": "more observations than coefficients are needed",
    }
    assert error(talk, "moving_mean", [1.0], 2) == ("Window", "a window of 2 does not fit into 1 numbers")
    assert error(talk, "fails_as_text") == ("String", "only a text")
    assert error(talk, "fails", "typed") == ("Weight", "the weight at 3 is not a positive number")
    assert error(talk, "fails", "text") == ("Box", "plain text")
    assert value(talk, "never_fails") == 1.0


def test_a_panic_is_an_error_and_harms_nobody_else(talk: Conversation) -> None:
    reply = ask(talk, "explode", "broke")
    assert reply["error"] == {"classes": ["panic"], "message": "it broke"} and "peak" not in reply
    assert error(talk, "lent", [1.0], "a name without end") == ("panic", "a name without end is too long")
    assert ask(talk, "number", 1.0)["printed"] == ""


def test_what_is_printed_is_told(talk: Conversation) -> None:
    reply = ask(talk, "shout", 2)
    assert reply["value"] == 2
    assert sorted(reply["printed"].split()) == ["err", "err", "native", "out", "out"]
    assert len(ask(talk, "shout", 2000)["printed"]) == 4000
    assert ask(talk, "number", 1.0)["printed"] == ""


def test_time_and_memory_are_measured(talk: Conversation) -> None:
    reply = ask(talk, "numbers", np.zeros(10))
    assert 0.0 <= reply["seconds"] < 1.0 and reply["warnings"] == []
    before = ask(talk, "number", 1.0)["peak"]
    assert before >= 0 and ask(talk, "rows", np.zeros((1000, 1000)))["peak"] > before + 8e6
    assert "peak" not in ask(talk, "number", 1.0, measured=False)


# --- packages that misbehave -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["exit", "abort", "recurse", "hoard", "sleep", "garble"])
def test_a_package_that_misbehaves_gives_no_answer(kinds: Package, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setitem(vars(kinds), "bench", replace(kinds.bench, limits=LIMITS))
    monkeypatch.delitem(vars(kinds), "validation", raising=False)
    lay_out_scripts(kinds.bench)
    with kinds.validation.start() as talk:
        assert value(talk, "number", 1.0) == 1.0
        request = {"do": "call", "id": 2, "function": "misbehave", "arguments": [how], "named": {}}
        with pytest.raises(Silent):
            talk.ask(request, 2.0)


def test_what_a_package_prints_or_writes_changes_nothing(talk: Conversation) -> None:
    reply = ask(talk, "misbehave", "print")
    assert reply["value"] == 1.0 and len(reply["printed"]) == 4000
    assert value(talk, "misbehave", "write") == 1.0
    assert value(talk, "number", 2.0) == 2.0


def test_a_frame_that_is_none_ends_the_worker(kinds: Package) -> None:
    with kinds.worker() as talk:
        assert value(talk, "number", 1.0) == 1.0
        talk.held += b"\x02\0\0\0\0\0\0\0nn"
        with pytest.raises(Silent, match="exit status 1"):
            ask(talk, "number", 1.0)


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Of each fault the criteria that are not met."""

    def failed(fault: Fault) -> set[str]:
        evidence = Package("rust", tmp_path_factory.mktemp("fault"), (fault.edit,)).verified()
        return {
            row.name.rpartition("[")[2].rstrip("]") for row in evidence["validation"].tests if row.outcome != "passed"
        }

    with ThreadPoolExecutor(2) as pool:
        found = pool.map(failed, faults("rust"))
    return dict(zip([fault.name for fault in faults("rust")], found, strict=True))


def test_the_honest_package_meets_every_criterion(tmp_path: Path) -> None:
    package = Package("rust", tmp_path)
    evidence = package.verified("build", "checks", "unit_tests", "validation")
    assert {name: row.said for name, row in evidence.items() if not row.passed} == {}
    assert package.failed(evidence) == {}
    judged = {"build", "worker", "clippy", "format", "package", "unit-tests", "doc-tests", "ask", "validation"}
    assert judged == evidence.keys()


@pytest.mark.parametrize("fault", faults("rust"), ids=lambda fault: fault.name)
def test_a_fault_fails_its_own_criteria(judged: dict[str, set[str]], fault: Fault) -> None:
    assert judged[fault.name] == set(fault.criteria)


# --- what cannot be asked --------------------------------------------------------------------------------------------

INTERFACE = Interface.model_validate({"package": "wls", "functions": [{"name": "fit"}]})


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "no crate with a library"),
        ({"Cargo.toml": "["}, "cannot be read"),
        ({"Cargo.toml": '[package]\nname = "other"\n', "src/lib.rs": "//"}, "found: other"),
        ({"Cargo.toml": '[package]\nname = "wls"\n'}, "found: none"),
        ({"Cargo.toml": '[package]\nname = "wls"\n[lib]\ncrate-type = ["cdylib"]\n', "src/lib.rs": "//"}, "rlib"),
        ({"Cargo.toml": '[package]\nname = "wls\\" }"\n', "src/lib.rs": "//"}, "found: none"),
    ],
)
def test_a_tree_without_such_a_library_is_unfit(tmp_path: Path, files: dict[str, str], why: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(Unfit, match=why):
        LANGUAGE.adapter(INTERFACE, tmp_path)


def test_the_library_is_found_in_a_workspace_and_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "crates/core/src").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["crates/*"]\n')
    (tmp_path / "crates/core/Cargo.toml").write_text('[package]\nname = "wls-core"\n[lib]\nname = "wls"\n')
    (tmp_path / "crates/core/src/lib.rs").write_text("// long enough\n")
    made = LANGUAGE.adapter(INTERFACE, tmp_path).files["Cargo.toml"]
    assert 'package = "wls-core", path = "../tree/crates/core"' in made


def test_a_function_of_the_base_has_the_arguments_of_its_source(tmp_path: Path) -> None:
    shutil.copytree(HERE / "rust" / "package", tmp_path / "tree")
    added = {"name": "moving_mean", "extends": "base", "add": [{"name": "window", "default": "None"}]}
    interface = Interface.model_validate({"package": "wls", "functions": [added]})
    text = LANGUAGE.adapter(interface, tmp_path / "tree").files["src/interface.rs"]
    assert 'arguments: &["x", "window"]' in text


def test_defaults_are_read_as_rust_writes_them() -> None:
    given = ["None", "Some(0.95)", "0.5", '"HC1"', "true", "Kind::HC1"]
    assert [LANGUAGE.literal(text) for text in given] == [(None,), (0.95,), (0.5,), ("HC1",), (True,), ()]

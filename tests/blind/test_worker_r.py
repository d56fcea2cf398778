"""The worker for R answers calls to a package as docs/reference/worker-protocol.md says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from tests.blind.r_side import Conversation, installed, needs_r, r_worker

pytestmark = needs_r

NAMESPACE = """
useDynLib(tiny)
importFrom(stats, setNames)
export(interval, fit, refuse, refuse_specially, warns, talks, draws, bump, count, leaves, table_of, whole, late, hides,
       matrix_of, describe, person, takes_formula, object_of, mixed, sinks, called, closes, mumbles, strict, large,
       nested, draws_nothing, draws_points, draws_ggplot)
S3method(print, tiny_fit)
S3method(coef, tiny_fit)
S3method(predict, tiny_fit)
exportClasses(person)
"""
CODE = """
interval <- function(x, level = 0.95, ..., verbose = FALSE, label = NULL) {
  if (length(x) < 2) stop("at least two numbers")
  c(mean = mean(x), level = level)
}
fit <- function(y) structure(list(mean = mean(y), se = sd(y), again = function(k) k * mean(y), none = NULL,
  call = match.call()), class = "tiny_fit")
sd <- function(x) sqrt(sum((x - mean(x))^2) / (length(x) - 1))
print.tiny_fit <- function(x, ...) cat("A tiny fit\\nof mean", x$mean, "\\n")
coef.tiny_fit <- function(object, ...) object$mean
predict.tiny_fit <- function(object, at, ...) object$mean + at
refuse <- function() stop("no \\u00fcbung")
refuse_specially <- function() stop(structure(class = c("tiny_error", "error", "condition"),
  list(message = "special", call = NULL)))
warns <- function() { warning("first"); warning(structure(class = c("tiny_warning", "warning", "condition"),
  list(message = "second", call = NULL))); 3L }
talks <- function() { cat("out\\n"); message("said"); print(1:3); invisible(TRUE) }
draws <- function(n) rnorm(n)
bump <- function(x, y = 0) .Call("bump", x)
strict <- function() { before <- options(warn = 2); on.exit(options(before)); warning("first"); 1 }
large <- function(x, n) { sum(x); y <- numeric(n); y[[1]] <- 1; length(y) }
mumbles <- function() { cat("r\\n"); .Call("mumble") }
count <- local({ calls <- 0L; function() { calls <<- calls + 1L; calls } })
leaves <- function() quit("no")
table_of <- function(data) data
whole <- function(x) x
late <- function() Sys.sleep(0.05)
hides <- function() new.env()
matrix_of <- function() matrix(1:6 / 2, 2, dimnames = list(c("a", "b"), NULL))
describe <- function(x) c(typeof(x), class(x)[[1]], length(x))
person <- setClass("person", representation(name = "character", age = "numeric"))
takes_formula <- function(formula, data) coef(stats::lm(formula, data))
object_of <- function(...) { e <- new.env(); e$size <- 3; e$double <- function() e$size * 2; class(e) <- "counter"; e }
mixed <- function() list(a = 1, f = function() 1, inner = list(e = new.env(), b = 2))
sinks <- function() { sink(tempfile()); sink(tempfile()); cat("lost"); 1 }
called <- function(x, data = NULL) paste(deparse(match.call()), collapse = "")
closes <- function() { closeAllConnections(); 1 }
inner <- structure(list(b = 2, hidden = 3), class = "inner")
nested <- function() structure(list(inner = inner, a = 1), class = "outer")
draws_nothing <- function() 1
draws_points <- function() {
  plot(1:3, c(2, 4, 8), main = "Growth", xlab = "t", ylab = "size")
  lines(1:2, 3:4)
}
draws_ggplot <- function() ggplot2::ggplot(data.frame(t = 1:3, size = c(2, 4, 8)), ggplot2::aes(t, size)) +
  ggplot2::geom_point() + ggplot2::geom_line() + ggplot2::labs(title = "Growth")
"""
C_CODE = """
#include <Rinternals.h>
#include <stdio.h>
SEXP mumble(void) { printf("c\\n"); return R_NilValue; }
SEXP bump(SEXP x) { REAL(x)[0] += 1; return ScalarReal(REAL(x)[0]); }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    for name in ("R", "src"):
        (folder / "tiny" / name).mkdir(parents=True)
    files = {"DESCRIPTION": "Package: tiny\nVersion: 1.0\nImports: stats, methods\n", "NAMESPACE": NAMESPACE}
    files |= {"R/tiny.R": CODE, "src/bump.c": C_CODE}
    for name, content in files.items():
        (folder / "tiny" / name).write_text(content, encoding="utf-8")
    installed(folder / "site", folder / "tiny")
    return folder / "site"


@pytest.fixture(scope="module")
def worker(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    # glibc gives freed memory back at once
    with r_worker(tmp_path_factory.mktemp("worker"), site, "tiny", MALLOC_MMAP_THRESHOLD_="131072") as found:
        yield found


def answer(call: int, *path: str) -> Extra:
    return Extra("answer", {"call": call, "path": list(path)})


def test_a_call_with_positions_and_names(worker: Conversation) -> None:
    reply = worker.call("interval", [1.0, 2.0, 6.0], named={"level": 0.9})
    assert (reply["value"].kind, reply["value"].value["names"]) == ("named", ["mean", "level"])
    assert reply["value"].value["value"].tolist() == [3.0, 0.9]
    assert (reply["warnings"], reply["printed"], reply["changed"]) == ([], "", [])
    assert 0 < reply["seconds"] < 1 and reply["peak"] >= 0


def test_errors_by_class_and_message(worker: Conversation) -> None:
    assert worker.call("interval", [])["error"]["message"] == "at least two numbers"
    assert worker.call("refuse")["error"] == {
        "classes": ["simpleError", "error", "condition"],
        "message": "no übung",
    }
    assert worker.call("refuse_specially")["error"]["classes"] == ["tiny_error", "error", "condition"]
    assert "value" not in worker.call("refuse")
    assert "nowhere" in worker.call("nowhere")["error"]["message"]
    assert "not exported" in worker.call("sd", [1.0, 2.0])["error"]["message"]


def test_warnings_are_collected_and_the_answer_stays(worker: Conversation) -> None:
    reply = worker.call("warns")
    assert reply["value"] == 3 and type(reply["value"]) is int
    assert [row["message"] for row in reply["warnings"]] == ["first", "second"]
    assert reply["warnings"][1]["classes"] == ["tiny_warning", "warning", "condition"]
    strict = worker.call("strict")
    assert strict["value"] == 1.0 and [row["message"] for row in strict["warnings"]] == ["first"]


def test_a_field_that_is_an_object_is_read_by_its_own_fields(worker: Conversation) -> None:
    fields = worker.call("nested", fields=["a", {"name": "inner", "fields": ["b"]}])["value"].value["fields"]
    assert fields["a"] == 1.0 and fields["inner"].value["fields"] == {"b": 2.0}
    assert fields["inner"].value["classes"] == ["inner"]


def test_all_that_an_object_holds_is_handed_over_where_that_is_asked(worker: Conversation) -> None:
    whole = worker.call("nested", fields=["*"])["value"].value["fields"]
    assert whole == {"inner": {"b": 2.0, "hidden": 3.0}, "a": 1.0}
    assert worker.call("whole", 1.0, fields=["*"])["value"] == worker.call("whole", 1.0)["value"], "a number is one"


def test_an_invisible_result_is_told(worker: Conversation) -> None:
    assert worker.call("talks")["visible"] is False
    assert worker.call("whole", 1.0)["visible"] is True


def test_a_fitted_model_of_r_itself_is_an_argument(worker: Conversation) -> None:
    data = Extra("table", {"columns": {"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 7.0]}, "index": None})
    made = worker.next
    fitted = worker.call("stats::lm", Extra("formula", "y ~ x"), named={"data": data})
    assert "error" not in fitted
    described = worker.call("describe", answer(made))["value"]
    assert "lm" in list(described)


def test_a_figure_is_told_by_its_layers(worker: Conversation) -> None:
    drawn = worker.call("draws_points", figure=True)["value"].value["fields"]
    assert (drawn["rendered"], drawn["layers"], drawn["kinds"]) == (True, 2, ["points", "line"])
    assert (drawn["title"], drawn["xlabel"], drawn["ylabel"]) == ("Growth", "t", "size")
    assert drawn["layer1"]["y"].tolist() == [2.0, 4.0, 8.0] and drawn["layer2"]["x"].tolist() == [1.0, 2.0]
    nothing = worker.call("draws_nothing", figure=True)["value"].value["fields"]
    assert (nothing["rendered"], nothing["why"]) == (False, "nothing was drawn")


def test_a_figure_of_ggplot2_is_told_by_its_layers(worker: Conversation) -> None:
    reply = worker.call("draws_ggplot", figure=True)
    if "error" in reply and "ggplot2" in reply["error"]["message"]:
        pytest.skip("ggplot2 is not installed")
    drawn = reply["value"].value["fields"]
    assert (drawn["rendered"], drawn["kinds"], drawn["title"]) == (True, ["point", "line"], "Growth")
    assert drawn["layer2"]["y"].tolist() == [2.0, 4.0, 8.0]


def test_what_is_printed_is_told_and_does_not_stay(worker: Conversation) -> None:
    reply = worker.call("talks")
    assert reply["printed"] == "out\nsaid\n[1] 1 2 3\n" and reply["value"] is True
    assert worker.call("whole", 1.0)["printed"] == ""
    # R has room for twenty diversions
    assert [worker.call("sinks").get("value") for _ in range(25)] == [1.0] * 25
    assert worker.call("talks")["printed"] == "out\nsaid\n[1] 1 2 3\n"


def test_what_compiled_code_prints_past_r_is_told(worker: Conversation) -> None:
    assert worker.call("mumbles")["printed"] == "r\nc\n"
    assert worker.call("whole", 1.0)["printed"] == ""


def test_a_seed_repeats_and_is_that_of_r(worker: Conversation) -> None:
    first, second = worker.call("draws", 3, seed=5)["value"], worker.call("draws", 3, seed=5)["value"]
    assert first.tolist() == second.tolist() == pytest.approx([-0.84085548, 1.38435934, -1.25549186], abs=1e-8)
    assert worker.call("draws", 3)["value"].tolist() != first.tolist()
    by_argument = worker.call("draws", Extra("generator", {"seed": 5, "name": None}), 3)
    assert by_argument["value"].tolist() == first.tolist()


def test_an_argument_that_compiled_code_changes_is_found(worker: Conversation) -> None:
    x = np.array([1.0, 2.0])
    assert worker.call("bump", x)["changed"] == ["0"]
    assert worker.call("bump", named={"y": 2.0, "x": x})["changed"] == ["x"]
    assert worker.call("whole", x)["changed"] == []


def test_methods_of_an_answer(worker: Conversation) -> None:
    id = worker.next
    fields = ["mean", "none", "again", "absent"]
    reply = worker.call("fit", [1.0, 2.0, 6.0], fields=fields)["value"]
    assert reply.kind == "object" and reply.value["classes"] == ["tiny_fit"]
    assert reply.value["fields"] == {"mean": 3.0, "none": None, "again": Extra("method", "function")}
    assert reply.value["missing"] == ["absent"]
    assert worker.call("coef", on=answer(id))["value"] == 3.0
    assert worker.call("predict", np.array([1.0, 2.0]), on=answer(id))["value"].tolist() == [4.0, 5.0]
    assert worker.call("again", 2, on=answer(id))["value"] == 6.0
    assert "nonsense" in worker.call("nonsense", on=answer(id))["error"]["message"]
    assert worker.call("whole", answer(id, "mean"))["value"] == 3.0
    assert "absent" in worker.call("whole", answer(id, "absent"))["error"]["message"]


def test_objects_of_other_systems(worker: Conversation) -> None:
    id = worker.next
    person = worker.call("person", named={"name": "Ada", "age": 36}, fields=["name", "age", "size"])["value"].value
    assert person == {"classes": ["person"], "fields": {"name": "Ada", "age": 36}, "missing": ["size"]}
    assert worker.call("whole", answer(id, "age"))["value"] == 36
    counter = worker.call("object_of", fields=["size"])["value"].value
    assert counter["classes"] == ["counter"] and counter["fields"] == {"size": 3.0}
    assert worker.call("double", on=answer(id + 2))["value"] == 6.0
    assert worker.call("hides")["value"] == Extra("opaque", "environment")


def test_parts_that_cannot_be_handed_over_do_not_hide_the_others(worker: Conversation) -> None:
    opaque, method = Extra("opaque", "environment"), Extra("method", "function")
    assert worker.call("mixed")["value"] == {"a": 1.0, "f": method, "inner": {"e": opaque, "b": 2.0}}


def test_text_is_what_print_shows(worker: Conversation) -> None:
    id = worker.next
    worker.call("fit", [1.0, 3.0])
    reply = worker.call("", answer(id), what="text")
    assert (reply["value"], reply["printed"]) == ("A tiny fit\nof mean 2 ", "")


def test_exports_and_signature(worker: Conversation) -> None:
    exports = worker.call("", what="exports")["value"]
    assert exports == sorted(exports) and {"interval", "person"} <= set(exports)
    assert not [name for name in exports if name.startswith(".__")]
    rows = worker.call("interval", what="signature")["value"]
    found = [(row["name"], row["default"], row["keyword_only"]) for row in rows]
    dots = ("...", None, False)
    kept = [("verbose", "FALSE", True), ("label", "NULL", True)]
    assert found == [("x", None, False), ("level", "0.95", False), dots, *kept]


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        (1, ["integer", "integer", "1"]),
        (2**31, ["double", "numeric", "1"]),
        (1.0, ["double", "numeric", "1"]),
        (True, ["logical", "logical", "1"]),
        ([1, 2], ["integer", "integer", "2"]),
        ((1, 2.5), ["double", "numeric", "2"]),
        (["a", "b", "c"], ["character", "character", "3"]),
        ([], ["double", "numeric", "0"]),
        ([1, "a"], ["list", "list", "2"]),
        ({"a": 1}, ["list", "list", "1"]),
        (None, ["NULL", "NULL", "0"]),
        (np.zeros((2, 3)), ["double", "matrix", "6"]),
        (np.float64(2.0), ["double", "numeric", "1"]),
        (Extra("named", {"value": [1.0, 2.0], "names": None}), ["list", "list", "2"]),
        (Extra("logical", np.array([np.nan, 1.0])), ["logical", "logical", "2"]),
        (Extra("named", {"value": [1], "names": None}), ["list", "list", "1"]),
        (Extra("formula", "y ~ x"), ["language", "formula", "3"]),
    ],
)
def test_arguments_are_what_an_r_user_would_write(worker: Conversation, given: Any, seen: list[str]) -> None:
    assert worker.call("describe", given)["value"].tolist() == seen


def test_a_table_and_a_formula(worker: Conversation) -> None:
    columns = {"y": np.array([1.0, 3.0, 5.0]), "x": np.array([0.0, 1.0, 2.0])}
    data = Extra("table", {"columns": columns, "index": None})
    found = worker.call("takes_formula", Extra("formula", "y ~ x"), data)["value"].value
    assert found["names"] == ["(Intercept)", "x"] and found["value"] == pytest.approx([1.0, 2.0])


def test_names_of_a_matrix(worker: Conversation) -> None:
    found = worker.call("matrix_of")["value"].value
    assert found["value"].tolist() == [[0.5, 1.5, 2.5], [1.0, 2.0, 3.0]] and found["names"] == [["a", "b"], None]


def test_a_call_reads_as_a_person_would_write_it(worker: Conversation) -> None:
    assert worker.call("called", [1.0] * 99, named={"data": 3})["value"] == "called(x = x, data = data)"


def test_seconds_are_those_of_the_call(worker: Conversation) -> None:
    assert 0.05 <= worker.call("late")["seconds"] < 1


def test_the_peak_is_that_of_the_call(worker: Conversation) -> None:
    arguments = np.zeros(5_000_000), 4_000_000
    found = [worker.call("large", *arguments)["peak"] for _ in range(3)]
    assert all(28e6 < peak < 60e6 for peak in found), found
    assert worker.call("large", 1.0, 10)["peak"] < 8e6


def test_forgotten_answers_are_gone(worker: Conversation) -> None:
    id = worker.next
    worker.call("fit", [1.0, 2.0])
    wire.send(worker.requests, {"do": "forget"})
    assert "no answer" in worker.call("coef", on=answer(id))["error"]["message"]


def test_closing_all_connections_does_not_end_the_conversation(worker: Conversation) -> None:
    assert worker.call("closes")["value"] == 1.0
    assert worker.call("whole", 2.0)["value"] == 2.0


def test_a_package_that_ends_the_process_has_died(site: Path, tmp_path: Path) -> None:
    with r_worker(tmp_path, site, "tiny") as found:
        assert found.call("leaves") is None


def test_a_package_that_does_not_load_answers_with_that(site: Path, tmp_path: Path) -> None:
    with r_worker(tmp_path, site, "nowhere") as found:
        for _ in range(2):
            error = found.call("fit", [1.0])["error"]
            assert error["classes"][0] == "packageNotFoundError" and "nowhere" in error["message"]
        assert found.call("", what="exports")["error"]["classes"][0] == "packageNotFoundError"


def test_the_worker_ends_when_it_is_told_to(site: Path, tmp_path: Path) -> None:
    with r_worker(tmp_path, site, "tiny", LC_ALL="C") as found:
        assert found.call("refuse")["error"]["message"] == "no übung"
        wire.send(found.requests, {"do": "end"})
        assert found.process.wait(10) == 0

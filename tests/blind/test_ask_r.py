"""Questions written in R say the same as questions written in Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from tests.blind.r_side import INSIDE, needs_r

pytestmark = needs_r

IN_PYTHON = """
import numpy as np
import statsclaw_ask as ask

def moved(short, longer):
    return short

def joint_test(ask, rng, x):
    return 1.0

@ask.scenario("S1")
def numbers():
    x = np.array([1.0, 2.5, 4.0])
    fit = ask.call("interval", x, level=0.9, label=None, table={"a": 1, "b": ["u", "v"]})
    again = ask.seeded(5, ask.call(fit, "predict", np.array([[1.0, 2.0], [3.0, 4.0]]), fit.cov))
    ask.call("draw", ask.generator(3), 4)
    ask.close("C1", [fit.mean, fit.se], np.array([1.0, 2.0]), part="enough")
    ask.close("C2", fit.cov[0, 1], fit.cov[1, 0])
    ask.close("C2", fit.cov[0, :], fit.cov[:, 0:2])
    ask.close("C3", fit.draws[100:], fit.draws[1:4])
    ask.close("C3", fit.draws[[0, 4]], fit.draws[[True, False]])
    ask.close("C4", fit["inner"]["deep"], fit.inner.deep[2])
    ask.close("C5", 2 * fit.se + 1 - fit.mean / 3, -fit.se ** 2)
    ask.close("C5", abs(fit.se), fit.cov @ np.eye(2))
    ask.value("C6", ask.rate(fit.draws < 0))
    ask.value("C6", ask.rate(fit.draws >= 1.5, axis=1))
    ask.value("C7", [ask.mean(fit.draws, axis=0), ask.sd(fit.draws), ask.var(fit.draws, axis=1, divisor=0)])
    ask.value("C7", [ask.median(fit.draws), ask.quantile(fit.draws, [0.1, 0.9])])
    ask.value("C7", [ask.cov(fit.draws), ask.cor(fit.draws)])
    ask.value("C7", [ask.total(fit.x), ask.smallest(fit.x), ask.largest(fit.x), ask.length(fit.x), ask.shape(fit.x)])
    ask.value("C7", [ask.names(fit.x), ask.sorted(fit.x), ask.transposed(fit.x), ask.diag(fit.x)])
    ask.value("C7", ask.mean([fit.x, fit.y]))
    ask.value("C8", [ask.seconds(fit), ask.peak(again)])
    ask.same("C9", ask.exports(), ["a", "b"])
    ask.same("C9", ask.signature("interval")[0], "x")
    ask.contains("C9", ask.text(fit), "tiny")
    ask.less("C10", fit.low, fit.high)
    ask.between("C10", 0.0, fit.mean, fit.high)
    ask.finite("C10", fit.mean)
    ask.untouched("C11", fit)
    ask.repeatable("C11", fit)
    ask.silent("C11", fit)
    ask.returns("C11", fit)
    ask.same("C12", fit.a == 1, fit.a != fit.b)
    ask.close("C19", [ask.sqrt(fit.x), ask.exp(fit.x)], [ask.log(fit.x), ask.eigenvalues(fit.cov)])
    ask.close("C19", ask.solve(fit.cov, np.array([1.0, 2.0])), ask.solve(np.eye(2), fit.cov))
    ask.close("C20", [2 ** fit.x, fit.x ** fit.y], 2.0 ** (fit.x + 1))
    ask.same("C21", ask.signature("interval")[0]["name"], fit.rows[2]["a"]["b"])
    ask.finite("C22", fit)
    ask.same("C22", fit, again)

@ask.scenario("S2")
def refusals():
    ask.raises("C13", ask.call("interval", []))
    ask.raises("C13", ask.call("interval", 1.0), message="two numbers", error="tiny_error")
    ask.warns("C14", ask.call("interval", "text", flag=True), message="odd")

@ask.scenario("S2")
def seen():
    first, second = ask.call("fit", 1), ask.call("fit", 2)
    ask.observe("C15", moved, first.x, second)
    ask.dialogue(["C16", "C17"], joint_test, np.array([1.0, 2.0]))
    ask.dialogue("C18", joint_test, 3.0)
"""
IN_R = """
moved <- function(short, longer) short
joint_test <- function(ask, x) 1

scenario("S1", numbers = function() {
  x <- c(1, 2.5, 4)
  fit <- ask("interval", x, level = 0.9, label = NULL, table = list(a = 1L, b = c("u", "v")))
  again <- seeded(5, ask(fit, "predict", matrix(1:4 + 0, 2, byrow = TRUE), fit$cov))
  ask("draw", generator(3), 4L)
  claim_close("C1", list(fit$mean, fit$se), c(1, 2), part = "enough")
  claim_close("C2", fit$cov[1, 2], fit$cov[2, 1])
  claim_close("C2", fit$cov[1, ], fit$cov[, 1:2])
  claim_close("C3", fit$draws[-(1:100)], fit$draws[2:4])
  claim_close("C3", fit$draws[c(1, 5)], fit$draws[c(TRUE, FALSE)])
  claim_close("C4", fit[["inner"]]["deep"], fit$inner$deep[[3]])
  claim_close("C5", 2 * fit$se + 1 - fit$mean / 3, -fit$se^2)
  claim_close("C5", abs(fit$se), fit$cov %*% diag(2))
  claim_value("C6", rate(fit$draws < 0))
  claim_value("C6", rate(fit$draws >= 1.5, axis = 2))
  claim_value("C7", c(colMeans(fit$draws), sd(fit$draws), var(fit$draws, axis = 2, divisor = 0)))
  claim_value("C7", list(median(fit$draws), quantile(fit$draws, c(0.1, 0.9))))
  claim_value("C7", list(cov(fit$draws), cor(fit$draws)))
  claim_value("C7", list(sum(fit$x), min(fit$x), largest(fit$x), length_of(fit$x), dim_of(fit$x)))
  claim_value("C7", list(names_of(fit$x), sort(fit$x), t(fit$x), diag(fit$x)))
  claim_value("C7", mean(list(fit$x, fit$y)))
  claim_value("C8", list(seconds_of(fit), peak_of(again)))
  claim_same("C9", exports(), c("a", "b"))
  claim_same("C9", signature_of("interval")[[1]], "x")
  claim_contains("C9", text_of(fit), "tiny")
  claim_less("C10", fit$low, fit$high)
  claim_between("C10", 0, fit$mean, fit$high)
  claim_finite("C10", fit$mean)
  claim_untouched("C11", fit)
  claim_repeatable("C11", fit)
  claim_silent("C11", fit)
  claim_returns("C11", fit)
  claim_same("C12", fit$a == 1, fit$a != fit$b)
  claim_close("C19", list(sqrt(fit$x), exp(fit$x)), list(log(fit$x), eigenvalues_of(fit$cov)))
  claim_close("C19", solve(fit$cov, c(1, 2)), solve(diag(2), fit$cov))
  claim_close("C20", list(2^fit$x, fit$x^fit$y), 2^(fit$x + 1))
  claim_same("C21", signature_of("interval")[[1]]$name, fit$rows[[3]][["a"]]["b"])
  claim_finite("C22", fit)
  claim_same("C22", fit, again)
})

scenario("S2", refusals = function() {
  claim_raises("C13", ask("interval", numeric()))
  claim_raises("C13", ask("interval", 1), message = "two numbers", error = "tiny_error")
  claim_warns("C14", ask("interval", "text", flag = TRUE), message = "odd")
}, seen = function() {
  first <- ask("fit", 1L)
  second <- ask("fit", 2L)
  claim_observe("C15", moved, first$x, second)
  claim_dialogue(c("C16", "C17"), joint_test, c(1, 2))
  claim_dialogue("C18", joint_test, 3)
})
"""


def program(language: str) -> list[str]:
    inside = str(INSIDE / f"ask_main.{language}")
    return ["Rscript", "--vanilla", inside] if language == "R" else [sys.executable, "-I", "-B", inside]


def run(folder: Path, language: str, mode: str, code: str, **settings: Any) -> Any:
    (folder / f"ask_it.{language}").write_text(code, encoding="utf-8")
    with (folder / "settings").open("wb") as file:
        wire.send(file, settings)
    output = folder / "output"
    command = [*program(language), mode, str(folder), str(folder / "settings"), str(output)]
    subprocess.run(command, capture_output=True, check=True)
    with output.open("rb") as file:
        return wire.receive(file)


def asked(folder: Path, language: str, code: str, seed: int = 11) -> Any:
    return run(folder, language, "ask", code, files=[f"ask_it.{language}"], seeds={"S1": 7}, seed=seed)


def normal(value: Any) -> Any:
    """Vectors as lists, every number as a float, names of files without their endings, whatever line it stands in."""
    if isinstance(value, Extra):
        return {"kind": value.kind, "value": normal(value.value)}
    if isinstance(value, np.ndarray):
        return normal(value.tolist())
    if isinstance(value, list):
        return [normal(part) for part in value]
    if isinstance(value, dict):
        return {key: Path(part).stem if key == "file" else normal(part) for key, part in value.items() if key != "at"}
    return float(value) if type(value) is int else value


def test_both_languages_ask_the_same(tmp_path: Path) -> None:
    in_python, in_r = normal(asked(tmp_path, "py", IN_PYTHON)), normal(asked(tmp_path, "R", IN_R))
    assert list(in_python) == list(in_r) == ["calls", "claims"]
    for name in ("calls", "claims"):
        for left, right in zip(in_python[name], in_r[name], strict=True):
            assert left == right


@pytest.mark.parametrize(("language", "code"), [("py", IN_PYTHON), ("R", IN_R)])
def test_what_is_asked_and_claimed_knows_its_line(tmp_path: Path, language: str, code: str) -> None:
    found, lines = asked(tmp_path, language, code), code.splitlines()
    for row in found["claims"]:
        file, _, line = row["at"].partition(":")
        assert file == row["file"] == f"ask_it.{language}"
        assert f'"{row["criterion"]}"' in lines[int(line) - 1]
    for row in found["calls"]:
        assert f'"{row["function"]}"' in lines[int(row["at"].partition(":")[2]) - 1] or row["what"] != "call"


def one(body: str) -> str:
    return f'scenario("S1", first = function() {{ fit <- ask("fit", 1)\n{body} }})'


def observed(folder: Path, expression: str) -> Any:
    return asked(folder, "R", one(f'claim_value("C1", {expression})'))["claims"][0]["observed"]


def places(node: Extra) -> list[Any]:
    """The places of parts of parts, from the innermost on."""
    inner = node.value["of"][0]
    return (places(inner) if inner.kind == "do" else []) + [node.value["with"]["at"]]


FULL = {"slice": [None, None, None]}


@pytest.mark.parametrize(
    ("expression", "at"),
    [
        ("fit$x[c(3, 1), c(1, 4)]", [[[2, 0], FULL], [FULL, [0, 3]]]),
        ("fit$x[1, , c(1, 4)]", [[FULL, FULL, [0, 3]], [0, FULL, FULL]]),
        ("fit$x[2, , drop = FALSE]", [[{"slice": [1, 2, None]}, FULL]]),
        ("fit$x[-1, 2]", [[{"slice": [1, None, None]}, 1]]),
        ('fit$x["a", "b"]', [["a", "b"]]),
        ("fit$x[[2, 3]]", [[1, 2]]),
        ("local({ i <- 2; fit$x[i + 1] })", [[2]]),
    ],
)
def test_elements_are_counted_from_one(tmp_path: Path, expression: str, at: Any) -> None:
    assert places(observed(tmp_path, expression)) == at


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("fit$x[-2]", "only the first elements"),
        ("fit$x[0]", "counted 1, 2, 3"),
        ("fit$x[fit$y > 1]", "must be known"),
        ('fit$x[c("a", "b")]', "one at a time"),
        ("gamma(fit$x)", "'gamma' of an answer"),
        ("log(fit$x, 2)", "takes nothing else"),
        ("solve(fit$x)", "wants both sides"),
        ("length(fit$x)", "length_of"),
        ("nrow(fit$x)", "dim_of"),
        ("fit$x %% 2", "'%%' of an answer"),
        ("as.numeric(fit$x)", "is not known"),
        ("fit$x <- 2", "cannot be changed"),
        ("(fit$x + 1)$y", "no part 'y'"),
        ("ask(fit$x + 1, 'predict')", "no methods"),
        ("ask(fit, 3)", "name of a function"),
        ("ask('fit', function(x) x)", "a function"),
        ("claim_raises('C1', fit$x)", "a whole call"),
        ("inner <- function() 1; claim_observe('C1', inner)", "top level"),
        ("claim_observe('C1', function(x) x)", "top level"),
        ("scenario('S1', function() 1)", "write scenario"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_line(tmp_path: Path, body: str, why: str) -> None:
    problem = asked(tmp_path, "R", one(body))["problem"]
    assert problem.startswith("ask_it.R, first (S1): ") and why in problem and problem.endswith("(line 2)")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("x <- 1\nstop('not so')\n", "ask_it.R: simpleError: not so (line 2)"),
        (
            "f <- function() {\n  stop('deep')\n}\ng <- function() {\n f() }\ng()",
            "ask_it.R: simpleError: deep (line 2)",
        ),
        ("claim_finite('C1', 1)", "ask_it.R: Misasked: C1 is claimed outside of a scenario (line 1)"),
    ],
)
def test_a_file_that_fails_says_where(tmp_path: Path, code: str, why: str) -> None:
    assert asked(tmp_path, "R", code) == {"problem": why}


def test_a_file_that_is_not_r_says_where(tmp_path: Path) -> None:
    assert "ask_it.R:2:1: unexpected '}'" in asked(tmp_path, "R", "x <- 1\n}")["problem"]


def test_the_stream_of_a_scenario_depends_on_both_seeds_only(tmp_path: Path) -> None:
    code = 'scenario("S1", a = function() claim_close("C1", 1, runif(2)))\n'
    other = 'runif(5)\nRNGkind("Wichmann-Hill")\n' + code

    def drawn(text: str, seed: int = 11) -> list[float]:
        found: list[float] = asked(tmp_path, "R", text, seed)["claims"][0]["expected"].tolist()
        return found

    mixed = (7 * 7919 + 11 * 104729 + 1) % 2147483647
    script = (
        f"RNGkind('Mersenne-Twister', 'Inversion', 'Rejection'); set.seed({mixed}); cat(sprintf('%.17g ', runif(2)))"
    )
    expected = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True, check=True).stdout
    assert drawn(code) == drawn(other) == [float(part) for part in expected.split()]
    assert drawn(code, seed=12) != drawn(code)


def test_the_usual_functions_stay_what_they_are(tmp_path: Path) -> None:
    body = """x <- c(a = 3, b = 1, c = 4)
    stopifnot(sd(x) == stats::sd(x), mean(x, trim = 0.5) == 3, identical(diag(2), base::diag(2)), var(x, x) == var(x),
      identical(t(x), base::t(x)), identical(sort(x, TRUE), base::sort(x, TRUE)), median(x) == 3,
      identical(diag(nrow = 2), base::diag(nrow = 2)), quantile(x, 0.5) == 3, x %*% x == 26, cor(x, x) > 0.99,
      identical(solve(2 * diag(2)), base::solve(2 * diag(2))), identical(solve(2, 3), 1.5), log(8, 2) == 3)"""
    assert "problem" not in asked(tmp_path, "R", one(body))


def test_names_of_arguments_are_never_taken_for_ours(tmp_path: Path) -> None:
    code = 'scenario("S1", n = function() ask("fit", 1, w = 2, what = 3, f = list(1, 2), on = 4, name = list()))'
    (row,) = asked(tmp_path, "R", code)["calls"]
    lists = {"f": [1.0, 2.0], "name": []}
    plain = {"w": 2.0, "what": 3.0, "on": 4.0}
    assert row["arguments"] == [1.0] and row["case"] == "n" and "on" not in row
    assert {name: row["named"][name] for name in plain} == plain
    for name, content in lists.items():
        assert row["named"][name] == Extra("named", {"value": content, "names": None})


def test_a_file_may_source_another_beside_it(tmp_path: Path) -> None:
    (tmp_path / "shared.R").write_text("twice <- function(x) 2 * x\nlooks <- function(a) a\n", encoding="utf-8")
    code = 'source("shared.R")\n' + one('claim_close("C1", fit$a, twice(4)); claim_observe("C2", looks, fit)')
    assert [row.get("expected") for row in asked(tmp_path, "R", code)["claims"]] == [8.0, None]


def test_a_function_sees_answers(tmp_path: Path) -> None:
    code = "moved <- function(fit, x) list(fit$coef[['a']] + fit$inner$b, x)\nbroken <- function(fit) stop('no')\n"
    code += "odd <- function(fit) function() 1\n"
    named = Extra("named", {"value": np.array([2.0, 3.0]), "names": ["a", "b"]})
    fields = {"coef": named, "inner": {"b": 1}}
    fit = Extra("object", {"classes": ["fit"], "fields": fields, "missing": []})

    def see(function: str, *arguments: Any) -> Any:
        return run(tmp_path, "R", "see", code, file="ask_it.R", function=function, arguments=list(arguments))

    assert see("moved", fit, [1.0, 2.0])["returned"][0] == 3.0
    assert see("moved", fit, [1.0, 2.0])["returned"][1].tolist() == [1.0, 2.0]
    assert see("broken", fit) == {"problem": "simpleError: no"}
    assert "a function" in see("odd", fit)["problem"]


def test_a_dialogue_goes_on_with_what_it_hears(tmp_path: Path) -> None:
    code = """joint_test <- function(ask, X) {
      first <- ask("mh", X, init = 1)
      second <- tryCatch(ask("mh", X, init = first$value), error = function(e) conditionMessage(e))
      list(T1 = c(first$value, runif(1)), T2 = second)
    }"""
    (tmp_path / "ask_it.R").write_text(code, encoding="utf-8")
    settings = {"file": "ask_it.R", "function": "joint_test", "arguments": [np.array([1.0, 2.0])], "seeds": [7, 11]}
    with (tmp_path / "settings").open("wb") as file:
        wire.send(file, settings)
    pipes = [tmp_path / "calls", tmp_path / "answers"]
    for pipe in pipes:
        os.mkfifo(pipe)
    command = [*program("R"), "talk", str(tmp_path), str(tmp_path / "settings"), *map(str, pipes)]
    with subprocess.Popen(command) as process:
        with pipes[0].open("rb") as calls, pipes[1].open("wb", buffering=0) as answers:
            first = wire.receive(calls)
            value = Extra("object", {"classes": ["x"], "fields": {"value": 2.5}, "missing": []})
            wire.send(answers, {"value": value})
            second = wire.receive(calls)
            wire.send(answers, {"error": {"classes": ["bad", "error"], "message": "no"}})
            returned = wire.receive(calls)["returned"]
        assert process.wait(20) == 0
    assert (
        first["function"] == "mh" and first["arguments"][0].tolist() == [1.0, 2.0] and first["named"] == {"init": 1.0}
    )
    assert second["named"] == {"init": 2.5}
    assert returned["T1"][0] == 2.5 and returned["T2"] == "bad: no"

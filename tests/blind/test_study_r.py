"""A study written in R says the same as one written in Python, and runs to its end."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from statsclaw.engine.tools import language_tools
from statsclaw.profiles.profile import load_profile
from statsclaw.runlog.store import ContentStore
from statsclaw.sandbox.choose import make_barrier
from statsclaw.sandbox.limits import Limits
from statsclaw.specs.interface import Interface
from statsclaw.specs.sim_spec import Study
from statsclaw.specs.test_spec import TestSpec
from statsclaw.verify.blind.inside import statsclaw_wire as wire
from statsclaw.verify.blind.inside.statsclaw_wire import Extra
from statsclaw.verify.blind.rooms import asking_kit, lay_out_scripts
from statsclaw.verify.blind.study import Simulation
from statsclaw.verify.blind.validation import Validation
from statsclaw.verify.runner import Bench
from statsclaw.verify.study_report import read_records
from tests.blind.r_side import installed, needs_r
from tests.blind.test_ask_r import normal, program
from tests.support.runs import HERE

pytestmark = needs_r

IN_PYTHON = """
import statsclaw_ask as ask

@ask.draw
def draw(rng, cell):
    return {"x": [float(cell["n"]), 2.0], "label": cell["shape"]}

@ask.method("ols")
def ols(data, cell):
    fit = ask.call("fit", data["x"], label=data["label"], rho=cell["rho"])
    return {"slope": {"estimate": fit.coef[1], "low": fit.interval[1, 0]}, "rate": ask.mean(fit.draws < 0)}

@ask.method("gibbs")
def gibbs(data, cell, seed):
    fit = ask.seeded(seed, ask.call("gibbs", data["x"], rng=ask.generator(seed)))
    return {"slope": {"estimate": ask.sqrt(fit.mean)}, "seconds": ask.seconds(fit), "converged": fit.ok}

@ask.method("own")
def own(data, cell):
    return {"slope": {"estimate": 1.5, "se": 2.5}, "rate": 0.25}

@ask.method("nothing")
def nothing(data):
    return {}

@ask.method("broken")
def broken(data, cell):
    raise ValueError("not so")
"""
IN_R = """
draw <- function(cell) list(x = c(cell$n, 2), label = cell$shape)
methods <- list(
  ols = function(data, cell) {
    fit <- ask("fit", data$x, label = data$label, rho = cell$rho)
    list(slope = list(estimate = fit$coef[2], low = fit$interval[2, 1]), rate = mean(fit$draws < 0))
  },
  gibbs = function(data, cell, seed) {
    fit <- seeded(seed, ask("gibbs", data$x, rng = generator(seed)))
    list(slope = c(estimate = sqrt(fit$mean)), seconds = seconds_of(fit), converged = fit$ok)
  },
  own = function(data, cell) list(slope = c(estimate = 1.5, se = 2.5), rate = 0.25),
  nothing = function(data) list(),
  broken = function(data, cell) stop("not so")
)
"""
METHODS = ["ols", "gibbs", "own", "nothing", "broken"]
CELL = {"n": 50, "rho": 0.5, "shape": "flat"}
LARGE = 2**31 - 1


def talked(
    folder: Path, language: str, code: str, requests: Sequence[Any], methods: Sequence[str] = METHODS
) -> list[Any]:
    """What the study says at first, and to each replication that is asked for."""
    folder.mkdir()
    (folder / f"study.{language}").write_text(code, encoding="utf-8")
    with (folder / "settings").open("wb") as file:
        wire.send(file, {"file": f"study.{language}", "methods": list(methods)})
    pipes = [folder / "out", folder / "in"]
    for pipe in pipes:
        os.mkfifo(pipe)
    command = [*program(language), "study", str(folder), str(folder / "settings"), *map(str, pipes)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        with pipes[0].open("rb") as said, pipes[1].open("wb", buffering=0) as asking:
            found = [wire.receive(said)]
            for request in requests:
                wire.send(asking, request)
                found += [wire.receive(said) for _ in request["replications"]]
        assert process.wait(20) == 0
    return found


def asking_for(cell: dict[str, Any], *rows: tuple[int, int], methods: Sequence[str] = METHODS) -> dict[str, Any]:
    return {"cell": cell, "replications": [[n, seed, dict.fromkeys(methods, LARGE - n)] for n, seed in rows]}


def test_both_languages_say_the_same_of_a_replication(tmp_path: Path) -> None:
    requests = [asking_for(CELL, (0, 5), (1, LARGE)), asking_for(CELL | {"n": 2**40}, (7, 0))]
    in_python, in_r = (
        normal(talked(tmp_path / language, language, code, requests))
        for language, code in (("py", IN_PYTHON), ("R", IN_R))
    )
    problem = in_r[1]["methods"]["broken"]["problem"]
    assert problem == "simpleError: not so (line 14)"
    assert in_python[1]["methods"]["broken"]["problem"] == "ValueError: not so"
    for rows in (in_python, in_r):
        for row in rows[1:]:
            del row["methods"]["broken"]["problem"]
    assert len(in_r) == 4 and in_r == in_python
    # the engine reads a seed only where it is a whole number
    seed = talked(tmp_path / "again", "R", IN_R, requests[:1])[1]["methods"]["gibbs"]["calls"][0]["seed"]
    assert type(seed) is int and seed == LARGE


DRAWING = """
draw <- function(cell) if (cell$n > 9) stop("too many") else rnorm(2)
methods <- list(
  first = function(data, cell) list(a = data[1], b = data[2], c = rnorm(1)),
  second = function(data, cell, ...) list(a = data[1], b = data[2], c = rnorm(1))
)
"""


def test_a_replication_depends_on_its_seeds_alone(tmp_path: Path) -> None:
    names = ("first", "second")
    rows = asking_for({"n": 2}, (3, 11), (4, 12), (3, 11), methods=names)
    alone = asking_for({"n": 2}, (3, 11), methods=names[1:])
    _, one, other, again, single = talked(tmp_path / "study", "R", DRAWING, [rows, alone], names)
    script = (
        "RNGkind('Mersenne-Twister', 'Inversion', 'Rejection'); set.seed(11); x <- rnorm(2);"
        f"set.seed({LARGE - 3}); cat(sprintf('%.17g ', c(x, rnorm(1))))"
    )
    said = subprocess.run(["Rscript", "--vanilla", "-e", script], capture_output=True, text=True, check=True).stdout
    expected = dict(zip("abc", map(float, said.split()), strict=True))
    assert [one["methods"][name]["record"] for name in names] == [expected, expected]
    assert again == one and other["methods"]["first"]["record"]["a"] != expected["a"]
    assert single["methods"] == {"second": one["methods"]["second"]}


def test_data_that_cannot_be_drawn_end_the_replication_only(tmp_path: Path) -> None:
    names = ("first", "second")
    requests = [asking_for({"n": 20}, (0, 1), methods=names), asking_for({"n": 2}, (0, 1), methods=names)]
    _, refused, drawn = talked(tmp_path / "study", "R", DRAWING, requests, names)
    assert refused == {"replication": 0, "problem": "simpleError: too many (line 2)"} and "methods" in drawn


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("draw <- function(cell) 1\nmethods <- list(ols = function(data) list())\n", "called ols, gibbs"),
        ("methods <- list(ols = identity, gibbs = identity)\n", "no function draw"),
        ("draw <- function(cell) 1\nmethods <- list(ols = 1, gibbs = 2)\n", "methods of functions"),
        ("draw <- function(cell) 1\nstop('not so')\n", "simpleError: not so (line 2)"),
    ],
)
def test_a_study_that_is_none_says_why(tmp_path: Path, code: str, why: str) -> None:
    (said,) = talked(tmp_path / "study", "R", code, [], ("ols", "gibbs"))
    assert list(said) == ["problem"] and why in said["problem"]


def test_what_is_recorded_without_a_name_is_left_to_the_reader(tmp_path: Path) -> None:
    code = """
    draw <- function(cell) rnorm(3)
    methods <- list(
      middle = function(data, cell) list(mu = list(low = quantile(data, 0.1)), rate = quantile(data, 0.5)),
      bare = function(data, cell) ask("fit", data),
      odd = function(data, cell) list(rate = identity)
    )
    """
    names = ("middle", "bare", "odd")
    said = talked(tmp_path / "study", "R", code, [asking_for({"n": 1}, (0, 1), methods=names)], names)[1]["methods"]
    record = said["middle"]["record"]
    assert {type(record["mu"]["low"]), type(record["rate"])} == {Extra} and record["rate"].value["names"] == ["50%"]
    assert said["bare"]["record"] == Extra("answer", {"call": 0, "path": []})
    assert "a function" in said["odd"]["problem"]


# --- for the author --------------------------------------------------------------------------------------------------


def kit(folder: Path, tests: TestSpec | None = None, study: Study | None = None) -> Path:
    folder.mkdir()
    for name, text in asking_kit(tests, "", study).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def told(folder: Path, language: str, mode: str, what: Path) -> tuple[int, list[str]]:
    first = program(language)[:-1]
    command = [*first, str(folder / f"ask_main.{language}"), mode, str(what)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def section(name: str) -> str:
    text = (HERE / "honest_r" / "out" / f"{name}.md").read_text(encoding="utf-8")
    kind = {"sim-spec": "study", "interface": "interface", "test-spec": "criteria"}[name]
    return text.partition(f"```yaml {kind}\n")[2].partition("```")[0]


def study_of(**changes: Any) -> Study:
    return Study.model_validate(yaml.safe_load(section("sim-spec")) | changes)


STUDY = """
draw <- function(cell) rnorm(cell$n, 1, 2)
methods <- list(interval = function(data, cell) {
  found <- ask("mean_interval", data)
  list(mu = list(estimate = found$mean, se = found$se, low = found$low, high = found$high))
})
"""


def test_an_author_tries_a_study(tmp_path: Path) -> None:
    shown = kit(tmp_path / "kit", study=study_of(grid={"n": [40, 80], "shape": ['a "b" \\ é', "[1, {2}]"]}))
    file = tmp_path / "study.R"
    file.write_text(STUDY, encoding="utf-8")
    asks = "interval: asks mean_interval; records mu.estimate, mu.se, mu.low, mu.high"
    cells = [f"n={n}, shape={shape}" for n in (40, 80) for shape in ('a "b" \\ é', "[1, {2}]")]
    assert told(shown, "R", "try", file) == (0, [f"{cell} {asks}" for cell in cells])
    file.write_text(STUDY.replace("cell$n,", "cell$m,"), encoding="utf-8")
    code, (line,) = told(shown, "R", "try", file)
    assert code == 1 and line.startswith(f"problem in {cells[0]}: simpleError: ") and line.endswith("(line 2)")
    file.write_text(STUDY.replace("interval =", "other ="), encoding="utf-8")
    code, (line,) = told(shown, "R", "try", file)
    assert code == 1 and line.startswith("problem: ") and "called interval" in line


CHECKED_R = """
scenario("S1", one = function() {
  fit <- ask("f", 1)
  claim_close("C1", fit$a, 1)
  claim_value("C2", fit$a)
  claim_finite("C9", fit)
})
scenario("S2", two = function() claim_same("C3", 1, 1))
"""
CHECKED_PYTHON = """
import statsclaw_ask as ask

@ask.scenario("S1")
def one():
    fit = ask.call("f", 1)
    ask.close("C1", fit.a, 1)
    ask.value("C2", fit.a)
    ask.finite("C9", fit)

@ask.scenario("S2")
def two():
    ask.same("C3", 1, 1)
"""


def test_an_author_checks_questions(tmp_path: Path) -> None:
    shown = kit(tmp_path / "kit")
    rules = {"C1": ("close", ["S1", "S2"]), "C2": ("close", ["S1"]), "C3": ("holds", ["S2"]), "C4": ("raises", [])}
    criteria = {name: {"rule": rule, "scenarios": at} for name, (rule, at) in rules.items()}
    known = {"scenarios": {"S1": 7, "S2": 0, "S3": 123456789012}, "criteria": criteria}
    (shown / "specification.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    folder = tmp_path / "validation"
    (folder / "deeper").mkdir(parents=True)
    (folder / "deeper" / "ask_it.R").write_text(CHECKED_R, encoding="utf-8")
    (folder / "ask_it.py").write_text(CHECKED_PYTHON, encoding="utf-8")
    (folder / "shared.R").write_text("stop('not a file with questions')", encoding="utf-8")
    expected = [
        "1 files, 1 calls, 4 claims",
        "cannot decide its criterion: value for C2 (close)",
        "not claimed yet: C1 in S2",
        "no criterion of the specification: C9",
        "nothing asked in: S3",
    ]
    assert told(shown, "R", "check", folder) == told(shown, "py", "check", folder) == (0, expected)
    (folder / "ask_more.R").write_text("x <- 1\nstop('not so')", encoding="utf-8")
    assert told(shown, "R", "check", folder) == (1, ["problem: ask_more.R: simpleError: not so (line 2)"])


# --- end to end ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The honest R package, installed where a run would have built it."""
    folder = tmp_path_factory.mktemp("bench")
    profile = load_profile("r")
    source = folder / "rpkg"
    for origin in ("r_target", "honest_r"):
        subprocess.run(["cp", "-r", f"{HERE / origin}/.", str(source)], check=True)
    made = Bench(
        folder=folder / "verify", desk=folder / "desk", cache=folder / "cache", profile=profile,
        store=ContentStore(folder / "store"), barrier=make_barrier("bubblewrap"),
        tools=lambda python: language_tools(profile), limits=Limits(), scrub=str, seed=20260101,
    )  # fmt: skip
    for name in ("simulation", "site", "tmp", "home"):
        made.place(name).mkdir(parents=True)
    installed(made.place("site"), source)
    lay_out_scripts(made)
    return made


def simulation(bench: Bench, folder: Path, code: str) -> Simulation:
    study = study_of()
    file = bench.place("simulation") / "inst" / "simulations" / "study.R"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")
    interface = Interface.model_validate(yaml.safe_load(section("interface")))
    asked = Validation(bench, TestSpec.model_construct(scenarios=(), criteria=()), interface)
    one = replace(bench, workers=1)
    return Simulation(one, study, "inst/simulations/study.R", asked.forms, asked.start, folder)


def test_a_study_in_r_runs_to_its_end(bench: Bench, tmp_path: Path) -> None:
    made = simulation(bench, tmp_path / "results", STUDY)
    assert list(made.checked()) == []
    (table,) = read_records(made.report(0, 60), made.study, seed=made.bench.seed).tables.values()
    columns = table.columns
    assert not any(table.failed) and set(columns) >= {f"mu.{part}" for part in ("estimate", "se", "low", "high")}
    covered = [low < 1.0 < high for low, high in zip(columns["mu.low"], columns["mu.high"], strict=True)]
    assert len(set(columns["mu.estimate"])) == 60 and 50 <= sum(covered) < 60
    assert made.history(0, 60, "secret")[0] == []


def test_a_study_in_r_that_ignores_its_stream_is_found(bench: Bench, tmp_path: Path) -> None:
    fixed = STUDY.replace("rnorm(cell$n, 1, 2)", "{ set.seed(1); rnorm(cell$n, 1, 2) }")
    (found,) = simulation(bench, tmp_path / "results", fixed).checked()
    assert "draw does not use its stream" in found.message
